"""The second copy of each ledger: a log on the servers, one message a transaction, its bytes as they stand.

A session's log begins with a claim, a message without content that names the worker who has the session. Its
sequence is that worker's epoch. Every message says after how many bytes of the ledger its content belongs,
and is taken only behind the last message that its writer knows: so whoever was superseded is refused by the
server, not by a clock.

Source: cluster.md, "Parts" and "Promises".
"""

from __future__ import annotations

import asyncio
import fcntl
import hashlib
import json
import os
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from threading import Lock
from time import monotonic, sleep
from typing import TYPE_CHECKING, Any, Final, TypeVar
from uuid import uuid4

from orchestrator.cluster.connection import ANSWER_WITHIN_S, Connection, reason
from orchestrator.core.errors import (
    FileTooLargeError,
    ReplicaAwayError,
    ReplicaBehindError,
    SessionBusyError,
    StoreError,
    SupersededError,
)
from orchestrator.core.legible import one_line
from orchestrator.core.store import ledger
from orchestrator.core.store.history import LEDGER_NAME

if TYPE_CHECKING:
    from nats.js.api import RawStreamMsg

T = TypeVar("T")

STREAMS: Final = 16
"""Streams over which the sessions are spread by a hash of their names, so that no one server writes all. A
session's stream must never change (cluster.md, "What 10,000 live sessions take")."""
MAX_PIECE_BYTES: Final = 1024 * 1024
"""Most that one message holds, but for a transaction that is larger."""
MAX_TRANSACTION_BYTES: Final = 7 * 1024 * 1024
"""Most that one message can hold: the servers' `max_payload` less its headers."""
_TRY_S: Final = 1.5
"""Seconds after which a message without an answer is sent again, under its own id: a server that stands still
is left after three pings of half a second."""
ELECTED_WITHIN_S: Final = 12.0
"""Seconds for which a write waits while some server answers but not the one that leads its log: when that one
dies, the others elect another in 4 to 9 s, which no setting changes (nats-server, raft.go)."""
_AGAIN_S: Final = 0.05
START_WITHIN_S: Final = 30.0
"""Seconds that servers have which have just started: three of them agree on a first leader in 5."""
MADE_WITHIN_S: Final = 1.0
"""Seconds after which a stream or bucket that was made just now is asked again. It has no leader for some
tenths of a second, and what is sent to it meanwhile gets no answer at all: one of three workers that began
together lost 5 s by that."""
_REST_WITHIN_S: Final = 30.0
_READ_WITHIN_S: Final = 60.0
WRONG_SEQUENCE: Final = 10071  # JSStreamWrongLastSequenceErrF in the server's list of errors
ID: Final = "Nats-Msg-Id"
EXPECTED: Final = "Nats-Expected-Last-Subject-Sequence"
_CLAIM: Final = "Greenroom-Claim"
"""Header of a claim: the worker's name."""
_AFTER: Final = "Greenroom-After"
"""Header: the ledger's size in bytes before this message's content."""


def stream_of(session: str) -> str:
    """Return the name of the stream that holds a session's log."""
    return f"g_ledger_{_place(session)}"


def subject_of(session: str) -> str:
    """Return the subject of a session's log."""
    return f"g.ledger.{_place(session)}.{session}"


def _place(session: str) -> int:
    return int.from_bytes(hashlib.sha256(session.encode()).digest()[:4], "big") % STREAMS


@dataclass(frozen=True, slots=True)
class Kept:
    """What a session's log holds."""

    content: bytes  # the ledger, as far as it is whole
    seq: int  # of the last message
    claimed_by: str  # the worker who has the session
    epoch: int  # the sequence of its claim
    before: str = ""  # the worker who had it before


class Log:
    """The logs of all sessions. Safe to use from many threads."""

    def __init__(self, connection: Connection, worker: str) -> None:
        """Prepare to write as *worker*."""
        self.connection = connection
        self.worker = worker
        self.seconds: Callable[[float], None] = lambda _: None
        """Called with the seconds that each kept write took."""

    def set_up(self) -> None:
        """Make the streams that are missing.

        Raises:
            ReplicaAwayError: The servers cannot, or do not answer.
        """
        self.connection.run(self._set_up(), timeout_s=60)

    async def _set_up(self) -> None:
        from nats.js.api import DiscardPolicy, StreamConfig

        copies = self.connection.cluster.copies
        await asyncio.gather(
            *(
                made_when_ready(
                    self.connection,
                    StreamConfig(
                        name=f"g_ledger_{at}",
                        subjects=[f"g.ledger.{at}.*"],
                        num_replicas=copies,
                        discard=DiscardPolicy.NEW,  # full: the write is refused, and nothing old is lost
                        deny_delete=True,
                        allow_direct=False,  # a copy that lags must not answer for the last message
                    ),
                )
                for at in range(STREAMS)
            )
        )

    def claim(self, session: str, *, is_new: bool = False) -> Kept | None:
        """Claim a session for this worker and return what its log holds; from then on nobody else writes it.

        Args:
            is_new: The session is only being made, so there must be no log of it.

        Returns:
            None if there is no log, or if *is_new* and there is one.

        Raises:
            SupersededError: Others claim the session at this very moment.
            ReplicaBehindError: The log is not whole.
            ReplicaAwayError
        """
        return self.connection.run(self._claim(session, is_new=is_new), timeout_s=_READ_WITHIN_S)

    async def _claim(self, session: str, *, is_new: bool) -> Kept | None:
        id_ = uuid4().hex
        for _ in range(5):
            last = None if is_new else await self._last(session)
            if last is None and not is_new:
                return None
            try:
                ack = await self.publish(
                    session,
                    b"",
                    {_CLAIM: self.worker, ID: id_, EXPECTED: str(last.seq if last is not None else 0)},
                )
            except _WrongSequenceError:
                if not is_new:
                    id_ = uuid4().hex
                    continue
                kept = await self.kept_as(session, id_, behind=0)  # its answer got lost
                if kept is None:
                    return None
                ack = kept
            if is_new:
                return Kept(b"", ack, self.worker, ack)
            return await self._read(session, ack)
        raise SupersededError(f"{session}: other workers claim it at this moment: ask again")

    def is_there(self, session: str) -> bool:
        """Return whether a session has a log.

        Raises:
            ReplicaAwayError
        """
        return self.connection.run(self._last(session), timeout_s=_READ_WITHIN_S) is not None

    def read(self, session: str) -> Kept | None:
        """Return what the log of a session holds, without claiming it; None if there is no log.

        Raises:
            ReplicaBehindError: The log is not whole.
            ReplicaAwayError
        """

        async def reading() -> Kept | None:
            last = await self._last(session)
            return await self._read(session, last.seq or 0) if last is not None else None

        return self.connection.run(reading(), timeout_s=_READ_WITHIN_S)

    def whole_part(self, session: str) -> bytes:
        """Return as much of the ledger as the log still holds without a gap or damage.

        Raises:
            ReplicaAwayError
        """

        async def reading() -> bytes:
            last = await self._last(session)
            return b"" if last is None else (await self._messages(session, last.seq or 0))[0].content

        return self.connection.run(reading(), timeout_s=_READ_WITHIN_S)

    def forget(self, session: str) -> None:
        """Remove the log of a session that is archived, or erased."""

        async def purge() -> None:
            await self.connection.js.purge_stream(stream_of(session), subject=subject_of(session))

        what = "the log of a session is to be removed"
        self.connection.run(answered(self.connection, purge, what), timeout_s=_READ_WITHIN_S)

    async def _last(self, session: str) -> RawStreamMsg | None:
        from nats.js.errors import NotFoundError

        try:
            return await answered(
                self.connection,
                lambda: self.connection.js.get_last_msg(stream_of(session), subject_of(session)),
                f"{session}: its log is to be read",
            )
        except NotFoundError:
            return None

    async def kept_as(self, session: str, id_: str, behind: int) -> int | None:
        """Return the sequence of the message *id_* if it is the next of its log behind a sequence."""
        from nats.js.errors import NotFoundError

        stream, subject = stream_of(session), subject_of(session)
        try:
            found = await answered(
                self.connection,
                lambda: self.connection.js.get_msg(stream, seq=behind + 1, subject=subject, next=True),
                f"{session}: its log is to be read",
            )
        except NotFoundError:
            return None
        return found.seq if (found.headers or {}).get(ID) == id_ else None

    async def _read(self, session: str, upto: int) -> Kept:
        """Read the log up to the message *upto*.

        Raises:
            ReplicaBehindError: Something is missing in it, or does not follow from what is before it.
        """
        kept, damage = await self._messages(session, upto)
        if damage is not None:
            raise ReplicaBehindError(
                f"{session}: the cluster's log is not whole: {damage}; nothing is played over it: "
                f"{restored(session)}"
            )
        return kept

    async def _messages(self, session: str, upto: int) -> tuple[Kept, str | None]:
        """Return what the log holds up to its message *upto*, as far as it is whole, and what is wrong behind
        that."""
        what = f"{session}: its log is to be read"
        content, claimed_by, before, epoch, seq = bytearray(), "", "", 0, 0
        damage, is_claimed = None, False
        js, subject = self.connection.js, subject_of(session)
        sub = await answered(self.connection, lambda: js.subscribe(subject, ordered_consumer=True), what)
        try:
            while seq < upto:
                message = await answered(
                    self.connection, partial(sub.next_msg, timeout=ANSWER_WITHIN_S), what
                )
                seq, headers = message.metadata.sequence.stream, message.headers or {}
                if _CLAIM in headers:
                    before, claimed_by, epoch, is_claimed = claimed_by, headers[_CLAIM], seq, True
                    continue
                after = _number(headers.get(_AFTER))
                # A write in several messages that was cut short was never acknowledged, and whoever claims
                # the session goes on before it.
                if is_claimed and after is not None and after < len(content):
                    del content[max(after, ledger.scan(bytes(content)).end) :]
                if damage is None and after != len(content):
                    damage = f"message {seq} does not follow from the ones before it"
                if damage is None:
                    content += message.data
                is_claimed = False
        finally:
            await sub.unsubscribe()
        found = ledger.scan(bytes(content))
        if found.damage is not None:
            damage = f"{found.damage} (record {found.last_seq + 1})"
        return Kept(bytes(content[: found.end]), seq, claimed_by, epoch, before), damage

    async def publish(self, session: str, content: bytes, headers: dict[str, str]) -> int:
        """Send one message until it is kept, and return its sequence.

        Raises:
            _WrongSequenceError: Another message is the last one.
            ReplicaAwayError: It was not kept in time, as far as is known.
        """
        from nats.errors import Error
        from nats.js.errors import APIError

        began, waited, why = monotonic(), 0.0, ""
        while (left := patience(self.connection) - waited) > 0:
            try:
                ack = await self.connection.js.publish(
                    subject_of(session),
                    content,
                    timeout=min(_TRY_S, left),
                    stream=stream_of(session),
                    headers=headers,
                )
            except APIError as error:
                if error.err_code == WRONG_SEQUENCE:
                    raise _WrongSequenceError from error
                why = f": {error.description}"
            except (Error, OSError, TimeoutError):
                pass  # sent again: the id makes it count once
            else:
                return ack.seq
            await asyncio.sleep(_AGAIN_S)
            waited = monotonic() - began
        raise ReplicaAwayError(
            f"{session}: the cluster's log has not answered for {waited:.0f} s{why}; whether this "
            "write was kept is seen when it is back: ask again with the same request id, and look at "
            "`greenroom cluster status`"
        )


class SessionLog:
    """The log of one session that this worker has claimed: the replica of its store."""

    def __init__(self, log: Log, session: str, folder: Path, kept: Kept, *, is_local: bool = False) -> None:
        """Go on where the log ends.

        Args:
            folder: The session's folder, whose ledger begins with what the log holds.
            is_local: A write is acknowledged before the log has it, and sent within a second.
        """
        self.session = session
        self.epoch = kept.epoch
        self.why: StoreError | None = None
        """Why this worker does not write the session any more."""
        self.is_refused_by_disk = False
        """Whether this worker's disk has refused a write of the session."""
        self.before_end: Callable[[], None] = lambda: None
        """Called before the record that ends the session is kept; what it raises refuses that."""
        self._log = log
        self._ledger = folder / LEDGER_NAME
        self._seq = kept.seq
        self._size = len(kept.content)  # of the ledger, as far as the log has it
        self._end = self._size
        self._is_local = is_local
        self._sending: asyncio.Task[None] | None = None
        self._behind_since: float | None = None
        self._stopped: StoreError | None = None
        self._ending = Lock()

    @property
    def size(self) -> int:
        """Bytes of the ledger that count as kept."""
        return self._end if self._is_local else self._size

    @property
    def behind_bytes(self) -> int:
        """Bytes that were acknowledged and are not in the log yet."""
        return self._end - self._size

    @property
    def behind_s(self) -> float:
        """Seconds since which something waits to be sent; 0 if nothing does."""
        return monotonic() - self._behind_since if self._behind_since is not None else 0.0

    def keep(self, content: bytes, after: int) -> int:
        """See `core.replica.Replica`."""
        if self.why is not None:
            raise type(self.why)(str(self.why))
        if len(content) > MAX_TRANSACTION_BYTES:  # with `local` it would be tried for ever
            raise FileTooLargeError(
                f"{self.session}: a transaction of {len(content)} bytes is more than the log takes at once "
                f"({MAX_TRANSACTION_BYTES}); nothing was written: write it in smaller ones"
            )
        if ends(content):
            self.before_end()
        if self._is_local:
            with self._ending:
                if self._stopped is not None:
                    raise type(self._stopped)(str(self._stopped))
                self._end = after + len(content)
            self._log.connection.loop.call_soon_threadsafe(self._send_soon)
            return self._seq
        try:
            began = monotonic()
            self._log.connection.run(self._keep(content, after), timeout_s=ELECTED_WITHIN_S + 3)
            self._log.seconds(monotonic() - began)
        except StoreError as error:
            self.release(error)
            raise
        except BaseException:
            self.release(ReplicaAwayError(f"{self.session}: a write was cut short: open the session again"))
            raise
        return self._seq

    def note_refusal(self) -> None:
        """See `core.replica.Replica`."""
        self.is_refused_by_disk = True

    def send_rest(self) -> None:
        """Send what the folder's ledger has beyond the log, before anything else is written.

        Raises:
            SupersededError, ReplicaAwayError, ReplicaBehindError
        """
        with alone(self._ledger):
            end = self._ledger.stat().st_size
            if end > self._size:
                self._log.connection.run(self._keep(b"", end), timeout_s=_REST_WITHIN_S)

    def catch_up(self, timeout_s: float) -> bool:
        """Wait until all that was acknowledged is in the log; return whether it is."""
        until = monotonic() + timeout_s
        while self.behind_bytes and self.why is None and monotonic() < until:
            self._log.connection.run(asyncio.sleep(_AGAIN_S))
        return not self.behind_bytes

    def stop(self, why: StoreError) -> None:
        """Acknowledge no further write without the log, but refuse it with *why*; what was acknowledged is
        still sent."""
        with self._ending:
            self._stopped = why

    def release(self, why: StoreError) -> None:
        """Write no more; what comes is refused with *why*."""
        if self.why is None:
            self.why = why

    async def _keep(self, content: bytes, after: int) -> None:
        if after > self._size:
            await self._send_upto(after)
        if content:
            await self._put(content, after)
        self._end = max(self._end, self._size)

    async def _put(self, content: bytes, after: int) -> None:
        """Put whole lines into the log behind what this worker knows to be its end."""
        # The last line's hash follows from all that is before it. With the epoch: the servers remember ids
        # for minutes, also of a log that was removed and is made anew.
        id_ = f"{content[-67:-3].decode()}.{self.epoch}"
        if len(content) > MAX_TRANSACTION_BYTES:  # another process wrote it
            raise ReplicaBehindError(
                f"{self.session}: a transaction of {len(content)} bytes is more than the log takes at once "
                f"({MAX_TRANSACTION_BYTES}): end this session, and start another"
            )
        headers = {ID: id_, EXPECTED: str(self._seq), _AFTER: str(after)}
        try:
            self._seq = await self._log.publish(self.session, content, headers)
        except _WrongSequenceError:
            self._seq = await self._settle(id_)
        self._size = after + len(content)

    async def _settle(self, id_: str) -> int:
        """Return the last message's sequence if it is the one that was just sent; else say whose it is."""
        last = await self._log._last(self.session)
        seq = last.seq if last is not None and last.seq is not None else 0
        if last is None or seq < self._seq:
            raise ReplicaBehindError(
                f"{self.session}: the cluster's log ends before what it had acknowledged, so nothing is "
                f"written over the gap: `greenroom cluster put-back {self.session}` restores it from this "
                "worker's disk"
            )
        headers = last.headers or {}
        # Also where another worker has claimed the session since: only the answer got lost, and whoever would
        # be told that nothing was written writes it twice.
        if (kept := await self._log.kept_as(self.session, id_, behind=self._seq)) is not None:
            return kept
        if (worker := headers.get(_CLAIM)) is not None and worker != self._log.worker:
            raise SupersededError(
                f"{self.session}: the worker {worker} has it now; nothing was written: ask again"
            )
        raise SupersededError(f"{self.session}: it was taken over; nothing was written: ask again")

    def _send_soon(self) -> None:
        if self._behind_since is None:
            self._behind_since = monotonic()
        if self._sending is None or self._sending.done():
            self._sending = asyncio.get_running_loop().create_task(self._send())

    async def _send(self) -> None:
        """Send what was acknowledged, until nothing is left; go on when the servers are back."""
        while self._size < self._end and self.why is None:
            try:
                await self._send_upto(self._end)
            except (ReplicaAwayError, OSError):  # of the disk: too many open files, say
                await asyncio.sleep(_AGAIN_S)
            except StoreError as error:
                self.release(error)
                return
        self._behind_since = None

    async def _send_upto(self, end: int) -> None:
        """Send the ledger's bytes up to *end*, in pieces of whole transactions."""
        while self._size < end:
            start = self._size
            content = await asyncio.to_thread(_read_lines, self._ledger, start, end)
            if not content:
                raise ReplicaBehindError(
                    f"{self._ledger}: ends before byte {end}, which was acknowledged: look at this worker's "
                    "disk"
                )
            await self._put(content, start)


@contextmanager
def alone(path: Path) -> Iterator[None]:
    """Hold the lock of a ledger in the block, so that nobody has appended what may still be cut off again.

    Raises:
        SessionBusyError: Somebody else held it for too long.
    """
    fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        until = monotonic() + _REST_WITHIN_S
        while True:
            with suppress(BlockingIOError):
                fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            if monotonic() > until:
                raise SessionBusyError(
                    f"{path}: somebody has held its lock for {_REST_WITHIN_S:g} s: ask again"
                )
            sleep(_AGAIN_S)
        yield
    finally:
        os.close(fd)


class _WrongSequenceError(Exception):
    """Another message is the last one of the log."""


def _read_lines(path: Path, start: int, end: int) -> bytes:
    """Return whole transactions of a ledger from *start*: about a piece, at least one, at most to *end*."""
    with path.open("rb") as file:
        file.seek(start)
        content = file.read(end - start)
    at = whole = 0
    while (newline := content.find(b"\n", at)) >= 0:
        line, at = content[at:newline], newline + 1
        if ledger.says_more(line):
            continue
        if at > MAX_TRANSACTION_BYTES and whole:
            break  # with this one it would be more than a message holds
        whole = at
        if at >= MAX_PIECE_BYTES:
            break
    return content[:whole]


async def made_when_ready(connection: Connection, stream: Any) -> None:
    """Make a stream, unless it is there; servers that have just started need some seconds for it.

    Raises:
        ReplicaAwayError: They cannot.
    """
    from nats.errors import Error
    from nats.js.errors import APIError, BadRequestError

    why = ""
    until = monotonic() + START_WITHIN_S
    while monotonic() < until:
        try:
            await connection.js.add_stream(stream)
        except BadRequestError as error:  # it is there, with other settings: an operator's, which stand
            if "already in use" in str(error.description):
                return
            why = str(error.description)
        except (APIError, Error, OSError, TimeoutError) as error:
            why = reason(error)
        else:
            return
        await asyncio.sleep(0.1)
    raise ReplicaAwayError(
        f"{stream.name}: the cluster's servers do not make this stream ({why}): look at them"
    )


def patience(connection: Connection) -> float:
    """Return for how many seconds the servers are waited for."""
    return ELECTED_WITHIN_S if connection.is_connected else ANSWER_WITHIN_S


async def answered(
    connection: Connection,
    ask: Callable[[], Awaitable[T]],
    what: str,
    within_s: float | None = None,
    try_s: float | None = None,
) -> T:
    """Ask the servers until they answer, and return the answer. *ask* must do no harm when it is done twice.

    Args:
        what: What it is for, for the message.
        within_s: Seconds to wait; None: as many as `patience` says.
        try_s: Seconds after which it is asked again; None: the connection's own. Servers never answer what
            comes to a stream that has no leader yet.

    Raises:
        ReplicaAwayError: None came, and *what* says what it was for.
        NotFoundError: The library's own: there is no such thing.
    """
    from nats.errors import Error
    from nats.js.errors import NotFoundError

    began = monotonic()
    while True:
        try:
            async with asyncio.timeout(try_s):
                return await ask()
        except NotFoundError:
            raise
        except (Error, OSError, TimeoutError) as error:
            if monotonic() - began > (patience(connection) if within_s is None else within_s):
                why = one_line(str(error)) or "in time"
                raise ReplicaAwayError(
                    f"{what}, and the cluster's servers do not answer ({why}): look at them, then try again"
                ) from error
            await asyncio.sleep(_AGAIN_S)


def restored(session: str) -> str:
    """Return what to do about a log that lacks something, for the end of a message."""
    return f"`greenroom cluster put-back {session}` restores it from the disk of a worker that had it"


def handed_over(session: str) -> SupersededError:
    """Return the refusal of a write to a session that another worker will have."""
    return SupersededError(f"{session}: another worker takes it over; nothing was written: ask again")


def ends(content: bytes) -> bool:
    """Return whether whole lines of a ledger end with the record that ends the session."""
    last = content.rstrip(b"\n").rpartition(b"\n")[2]
    return b'"op":"freeze"' in last and json.loads(last).get("op") == "freeze"


def _number(text: str | None) -> int | None:
    return int(text) if text is not None and text.isdecimal() and len(text) < 16 else None
