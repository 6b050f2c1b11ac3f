"""The sessions of all workers, as each of them lists them.

A bucket of the servers holds one row a session, live or ended: what lists and the catalogue show of it, put
by the worker that has the session. Every worker follows the bucket. What lies beside sessions is shared by
`records`.

A row is kept under a hash of the session's name. When a session is erased its row gives way to a mark that
holds no name and no word; whoever was away meanwhile finds the mark and erases what it has.

Source: cluster.md, "Parts".
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, suppress
from threading import Event, Lock, Thread
from time import monotonic
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, NamedTuple

from orchestrator.cluster.connection import Connection
from orchestrator.cluster.custody import AWAY
from orchestrator.cluster.following import SEND_WITHIN_S, Following, sent, why_old
from orchestrator.cluster.log import EXPECTED, made_when_ready
from orchestrator.cluster.records import Records
from orchestrator.core.archive.register import ARCHIVES, archives_of
from orchestrator.core.archive.stores import open_store
from orchestrator.core.clock import utc_now
from orchestrator.core.errors import GreenroomError, ReplicaAwayError
from orchestrator.core.store.store import DEGRADED_NAME, LEDGER_NAME
from orchestrator.core.table import SESSION_ID
from orchestrator.documents.listing import row_of
from orchestrator.documents.opening import AnySession, open_any
from orchestrator.memory.past_sessions import first_record
from orchestrator.panel.home import Home
from orchestrator.panel.loop.driver_lock import is_driven
from orchestrator.rehearsal.erasing import erase_beside, erase_session
from orchestrator.review.catalogue import of_home
from orchestrator.review.reading import END_BYTES, head_of, read
from orchestrator.review.shared import VERSION, Place, SharedRow, Verified, goes_first, place_of

if TYPE_CHECKING:
    from nats.aio.msg import Msg

BUCKET: Final = "g_rows"
STREAM: Final = f"KV_{BUCKET}"
SUBJECT: Final = f"$KV.{BUCKET}"
PUT_EVERY_S: Final = 2.0
"""Seconds between two looks at the sessions here, so that a row is put no more often."""
SHARE_OF_TIME: Final = 0.1
"""Most of the time that looks take: with many sessions that go on, they are further apart."""
_RECEIVE_EVERY_S: Final = 0.5

Stamp = tuple[object, ...]


class Known(NamedTuple):
    """What stands in the bucket under one key."""

    row: SharedRow | None  # None: the session was erased, or a later release wrote the row
    revision: int
    erased_at: str = ""  # RFC 3339; "": it was not erased


class Shelf:
    """The shelf of one worker, from `open` to `close`; see `review.shared.Shared`."""

    def __init__(
        self,
        connection: Connection,
        worker: str,
        home: Home,
        archives: str,
        *,
        endpoint_url: str | None = None,
        epoch_of: Callable[[str], int | None] = lambda _: None,
    ) -> None:
        """Prepare to share the sessions of *home*.

        Args:
            archives: The address to which all workers archive.
            epoch_of: Returns in which epoch this worker has a session now, or None if it does not.

        Raises:
            UsageError: *archives* is not an archive address.
        """
        self._connection, self._worker, self._home = connection, worker, home
        self._store = open_store(archives, endpoint_url=endpoint_url).url
        self.epoch_of = epoch_of
        self.opened: Callable[[str], AbstractContextManager[AnySession]] = self._open_anew
        """Yields a session of this home; a server gives the one that it has open."""
        self.on_erased: list[Callable[[str], object]] = []
        """See `Shared.on_erased`."""
        self.why: str | None = None
        """What this worker's own disk refused at the last look; None: nothing."""
        self._lock = Lock()
        self._known: dict[str, Known] = {}
        self._rows: Mapping[str, SharedRow] | None = None
        self._unerased: dict[
            str, str
        ] = {}  # the marks that this worker has not seen to yet, with their times
        self._stamps: dict[str, Stamp] = {}
        self._records = Records(connection, home, self._is_erased)
        self._rows_followed = Following(connection, STREAM, f"{SUBJECT}.>", self._take, self._begin_anew)
        self._closing = Event()
        self._thread = Thread(target=self._work, name="shelf", daemon=True)

    def set_up(self) -> None:
        """Make bucket and stream if they are missing.

        Raises:
            ReplicaAwayError
        """
        from nats.js.api import DiscardPolicy, StreamConfig

        stream = StreamConfig(
            name=STREAM,
            subjects=[f"{SUBJECT}.>"],
            num_replicas=self._connection.cluster.copies,
            max_msgs_per_subject=1,
            discard=DiscardPolicy.NEW,
            allow_rollup_hdrs=True,
        )
        self._connection.run(made_when_ready(self._connection, stream), timeout_s=60)
        self._records.set_up()

    def open(self) -> None:
        """Catch up with the other workers, and go on sharing; returns when both are the same.

        Raises:
            ReplicaAwayError: The servers do not answer.
        """
        self._rows_followed.open()
        self._see_to_erased()
        self._records.following.open()
        self._look()
        self._thread.start()

    def close(self) -> None:
        """Share no more; what is new here is sent first, if the servers answer."""
        self._closing.set()
        if self._thread.is_alive():
            self._thread.join(10)
            self._look()
        self._rows_followed.close()
        self._records.following.close()

    # ------------------------------------------------------------------ what is known

    @property
    def rows(self) -> Mapping[str, SharedRow]:
        """See `Shared.rows`."""
        with self._lock:
            if self._rows is None:
                rows = (known.row for known in self._known.values())
                self._rows = MappingProxyType({row.session: row for row in rows if row is not None})
            return self._rows

    @property
    def why_old(self) -> str | None:
        """See `Shared.why_old`."""
        return why_old(self._connection, self._rows_followed, self._records.following)

    def place(self, session: str) -> Place:
        """See `Shared.place`."""
        row = self.rows.get(session)
        return place_of(row, self._worker, self.epoch_of(session), lambda: self._head_here(session))

    def share(self, session: str) -> None:
        """See `Shared.share`."""
        if self._connection.is_connected:
            with suppress(ReplicaAwayError):  # the next look sends it
                self._records.send(session)

    def tell_verified(self, session: str, place: str, found: Verified) -> None:
        """See `Shared.tell_verified`."""
        if self._connection.is_connected:
            with suppress(ReplicaAwayError):
                self._records.tell_verified(session, place, found)

    def put(self, session: str) -> None:
        """Put the row of a session of this worker's now, for example once it is archived.

        Raises:
            ReplicaAwayError: The servers do not answer.
            GreenroomError, OSError: The session cannot be read.
        """
        self._records.send(session)
        self._put(session)

    def erase(self, session: str) -> None:
        """See `Shared.erase`."""
        for told in tuple(self.on_erased):
            told(session)
        key = _key(session)
        with self._lock:
            known = self._known.get(key)
        self._connection.run(self._erase(key, known.revision if known is not None else 0), timeout_s=15)
        self._records.erase(session)

    # ------------------------------------------------------------------ hearing

    def _take(self, message: Msg) -> None:
        key, revision = message.subject.removeprefix(f"{SUBJECT}."), message.metadata.sequence.stream
        erased_at = _erased_at(message.data)
        row = None if erased_at else SharedRow.of(message.data)
        if row is not None and (_key(row.session) != key or not SESSION_ID.fullmatch(row.session)):
            row = None  # none of ours
        self._note(key, Known(row, revision, erased_at))

    def _note(self, key: str, new: Known) -> None:
        with self._lock:
            before = self._known.get(key)
            if before is not None and before.revision > new.revision:
                return
            self._known[key] = new
            self._rows = None
            if new.erased_at:
                self._unerased[key] = new.erased_at
            else:
                self._unerased.pop(key, None)

    def _begin_anew(self) -> None:
        """Know nothing: the bucket was made anew, and everybody puts all rows again."""
        with self._lock:
            self._known.clear()
            self._rows = None
        self._stamps.clear()

    def _is_erased(self, session: str) -> bool:
        """Return whether a session was erased and what this worker has of it is not removed yet.

        A session that is begun under the same name later is another one.
        """
        with self._lock:
            return _key(session) in self._unerased

    # ------------------------------------------------------------------ looking

    def _work(self) -> None:
        look_again = 0.0
        while not self._closing.is_set():
            try:
                if (began := monotonic()) < look_again:
                    self._records.receive(_RECEIVE_EVERY_S)
                    self._see_to_erased()
                    continue
                look_again = began + PUT_EVERY_S
                self._look()
                look_again = max(look_again, began + (monotonic() - began) / SHARE_OF_TIME)
            except (GreenroomError, OSError) as error:  # of this worker's disk: it is tried again
                self.why = str(error)
                self._closing.wait(_RECEIVE_EVERY_S)

    def _look(self) -> None:
        """Take in what others have told, and tell what is new here."""
        self.why = None
        self._see_to_erased()
        self._records.receive()
        if not self._connection.is_connected:
            return
        with suppress(ReplicaAwayError):  # at the next look
            self._records.look()
            for session in sorted(self._home.session_names()):
                try:
                    self._put(session)
                except ReplicaAwayError:
                    raise
                except (GreenroomError, OSError):  # damaged, or just erased: its home's list says so
                    continue

    def _put(self, session: str) -> None:
        """Put a session's row if it differs from what was put last, and this worker may."""
        stamp = self._stamp(session)
        if self._stamps.get(session) == stamp or not SESSION_ID.fullmatch(session):
            return
        key = _key(session)
        with self._lock:
            known = self._known.get(key, Known(None, 0))
            if key in self._unerased:
                return
        epoch = self.epoch_of(session)
        before = known.row
        if before is not None and before.worker != self._worker and (epoch is None or epoch < before.epoch):
            return  # it is another worker's
        new = self._made(session, epoch if epoch is not None else before.epoch if before is not None else 0)
        if new is None or not goes_first(new, before):
            return
        if new != before:
            headers = {EXPECTED: str(known.revision)}
            sending = sent(self._connection, STREAM, f"{SUBJECT}.{key}", new.to_bytes(), headers)
            revision = self._connection.run(sending, timeout_s=SEND_WITHIN_S + 1)
            if revision is None:
                return  # another worker was first: its row is on its way here
            self._note(key, Known(new, revision))
        self._stamps[session] = stamp

    def _made(self, session: str, epoch: int) -> SharedRow | None:
        """Return the row of a session of this home, or None if there is none to be shown elsewhere.

        Raises:
            GreenroomError, OSError: The session cannot be read.
        """
        root = self._home.sessions / session
        content = (root / LEDGER_NAME).read_bytes()
        debrief = None
        with suppress(FileNotFoundError):
            debrief = (root / "debrief.json").read_bytes()
        entry, _ = read(session, content, debrief)
        if entry.is_damaged or entry.copy_of:
            return None
        with self.opened(session) as found:
            listed = row_of(found, None, lambda _: None)
        archive = ""
        if entry.is_ended:
            archive = archives_of(self._home, session, head=entry.head).get(self._store, "")
        return SharedRow(session, self._worker, epoch, entry, listed, is_driven(root), archive)

    def _stamp(self, session: str) -> Stamp:
        """Return a stamp that changes whenever the row may."""
        root = self._home.sessions / session
        seen: list[object] = [is_driven(root), os.access(root / DEGRADED_NAME, os.F_OK)]
        for path in (root / LEDGER_NAME, self._home.records / session / ARCHIVES):
            try:
                status = os.stat(path)
                seen.append((status.st_ino, status.st_size, status.st_mtime_ns))
            except OSError:
                seen.append(None)
        return (*seen, self.epoch_of(session))

    @contextmanager
    def _open_anew(self, session: str) -> Iterator[AnySession]:
        with open_any(None, self._home.sessions / session) as found:
            yield found

    def _head_here(self, session: str) -> str | None:
        """Return the head of the ledger in the folder here, or None if there is none."""
        try:
            with open(self._home.sessions / session / LEDGER_NAME, "rb") as file:
                file.seek(max(0, os.fstat(file.fileno()).st_size - END_BYTES))
                return head_of(file.read())
        except OSError:
            return None

    # ------------------------------------------------------------------ erasing

    def _see_to_erased(self) -> None:
        """Remove what this worker has of sessions that were erased."""
        with self._lock:
            marks = dict(self._unerased)
        if not marks:
            return
        failed = set()
        for session in self._names_here():
            if (key := _key(session)) in marks:
                try:
                    self._remove(session, marks[key])
                except (GreenroomError, OSError) as error:  # driven at this moment, say: at the next look
                    self.why = str(error)
                    failed.add(key)
        with self._lock:
            for key in marks.keys() - failed:
                if self._unerased.get(key) == marks[key]:
                    del self._unerased[key]

    def _names_here(self) -> set[str]:
        """Return the names of all sessions of which anything is here."""
        names = set(of_home(self._home).known())
        for folder in (self._home.sessions, self._home.records, self._home.sessions.with_name(AWAY)):
            with suppress(OSError):
                names.update(os.listdir(folder))
        return {name for name in names if SESSION_ID.fullmatch(name)}

    def _remove(self, session: str, erased_at: str) -> None:
        root = self._home.sessions / session
        with suppress(GreenroomError, OSError):  # what cannot be read is removed
            if first_record(root).at > erased_at:
                return  # another session, that was begun under the same name
        for told in tuple(self.on_erased):
            told(session)
        if os.path.lexists(root):
            erase_session(self._home, root, archives=False)
        else:
            erase_beside(self._home, session)
        self._records.forget(session)
        self._stamps.pop(session, None)

    async def _erase(self, key: str, revision: int) -> None:
        """Put the mark, after the row was overwritten on the servers' disks."""
        from nats.errors import Error
        from nats.js.errors import APIError, NotFoundError

        if revision:
            with suppress(NotFoundError, APIError, Error, OSError, TimeoutError):  # the mark replaces it, too
                await self._connection.js.delete_msg(STREAM, revision)
        at = utc_now()
        mark = json.dumps({"version": VERSION, "erased_at": at}).encode()
        made = await sent(self._connection, STREAM, f"{SUBJECT}.{key}", mark, {})
        if made is not None:
            self._note(key, Known(None, made, at))


def _key(session: str) -> str:
    return hashlib.sha256(session.encode()).hexdigest()[:32]


def _erased_at(content: bytes) -> str:
    """Return when a session was erased, by its mark, or "" if this is no mark."""
    try:
        told = json.loads(content)
        return str(told["erased_at"]) if told["version"] == VERSION else ""
    except (ValueError, KeyError, TypeError, RecursionError):
        return ""
