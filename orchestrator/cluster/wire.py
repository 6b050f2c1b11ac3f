"""Requests of one process answered by the application in another: ASGI over NATS.

Neither half knows a route. The asking half sends a request's head to a worker's subject; the answering half
says at once whether it takes it, and only then comes the rest of the body. From then on both send ASGI's own
messages to each other's inbox, numbered, in pieces, and never more ahead of the reader than `WINDOW_BYTES`.

A message is lost only with the connection or with the process at its other end. Both are noticed: nobody
listens at the inbox any more, or a number is missing. Then the stream is broken at both ends.

Source: cluster.md, "Parts"; the ASGI specification 3.0, "HTTP & WebSocket".
"""

from __future__ import annotations

import asyncio
import json
import logging
from collections import deque
from collections.abc import Awaitable, Callable
from contextlib import suppress
from enum import Enum
from struct import Struct
from struct import error as StructError
from typing import TYPE_CHECKING, Any, Final
from uuid import uuid4

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from orchestrator.cluster.connection import Connection
from orchestrator.cluster.owners import TO
from orchestrator.core.errors import GreenroomError
from orchestrator.core.legible import one_line

if TYPE_CHECKING:
    from nats.aio.msg import Msg

log = logging.getLogger(__name__)

INBOX: Final = "g.in"
PIECE_BYTES: Final = 256 * 1024
"""Maximum payload of one message: a server of a common configuration takes 1 MB."""
WINDOW_BYTES: Final = 1024 * 1024
"""Bytes that may be under way to a reader that has not taken them. Four pieces fill the line on one machine
and between two; a server cuts a connection off that is 64 MB behind, which sixty such streams are."""
MAX_KEPT_BYTES: Final = 1_000_000
"""Bytes of a request's body that are kept to ask again: as long as most bodies may be (`web.security`)."""
_HEAD: Final = Struct(">IH")  # the message's number, and the bytes of its JSON
ASK_EVERY_S: Final = 10.0
"""Seconds between two questions to the other end of each stream whether it is still there."""

PAYLOADS: Final = {
    "http.request": "body",
    "http.response.body": "body",
    "websocket.http.response.body": "body",
}
"""By type, the field of a message that goes as bytes behind its JSON; of the WebSocket's it is one of two."""
_CONTINUED: Final = frozenset(PAYLOADS)
"""Types of messages of which a long one is the same as several shorter ones."""
SCOPE: Final = (
    "type", "asgi", "http_version", "method", "scheme", "path", "root_path", "subprotocols",
)  # fmt: skip
"""What goes along of a scope as it is."""


class Outcome(Enum):
    """What became of a request that was put to a worker."""

    ANSWERED = "answered"
    """Its answer, whole or broken off, has been sent on."""
    NOT_TAKEN = "not taken"
    """Nothing was done: nobody listens, or who listens does not answer for this session."""
    GONE = "gone"
    """The worker is gone. Whether it did something is not known; no answer has begun."""


class BrokenError(Exception):
    """The other end of a stream is gone."""


class LeftError(Exception):
    """The client has left, and the other end of the stream was told."""


class Stream:
    """One request: what has come from the other end, and what may be sent to it. Used in the loop alone."""

    def __init__(self, wire: Wire, number: int, peer: str, worker: str | None) -> None:
        self._wire = wire
        self.worker = worker  # whom it asks; None: it answers
        self.number = number
        self.peer = peer  # where the other end listens
        self.own = f"{wire.inbox}.{number}"
        self._came: deque[tuple[dict[str, Any], bytes]] = deque()
        self._wake = asyncio.Event()
        self._sent = 0  # messages
        self._heard = 0
        self._ahead = 0  # bytes that the other end has not taken yet
        self._taken = 0  # bytes that were taken here, and the other end has not been told of
        self._room = asyncio.Event()
        self.is_broken = False
        self.is_taken = False  # both ends have each other's inbox
        self.is_unheard = False  # nobody was there to hear the first message
        self.is_left = False  # the client has left, and this end told the other
        self.is_deaf = False  # the client has left, and the other end told this one

    def pack(self, about: dict[str, Any], payload: bytes = b"") -> bytes:
        """Return the next message to the other end."""
        told = json.dumps(about, separators=(",", ":")).encode()
        number = self._sent
        self._sent += 1
        return b"".join((_HEAD.pack(number & 0xFFFFFFFF, len(told)), told, payload))

    async def send(self, about: dict[str, Any], payload: bytes = b"") -> None:
        """Send a message, in pieces; wait while the other end does not read.

        Raises:
            BrokenError: The other end is gone.
        """
        while True:
            piece, payload = payload[:PIECE_BYTES], payload[PIECE_BYTES:]
            while piece and self._ahead >= WINDOW_BYTES and not self.is_broken and not self.is_deaf:
                self._room.clear()
                await self._room.wait()
            if self.is_broken:
                raise BrokenError
            if self.is_deaf:
                return
            self._ahead += len(piece)
            await self._publish(self.pack({**about, "rest": True} if payload else about, piece))
            if not payload:
                return

    async def take(self) -> tuple[dict[str, Any], bytes]:
        """Return the next message, without waiting if it is there.

        Raises:
            BrokenError: The other end is gone, and all that came before was taken.
            LeftError: The client has left, as `leave` said.
        """
        while not self._came:
            if self.is_broken:
                raise BrokenError
            if self.is_left:
                raise LeftError
            self._wake.clear()
            await self._wake.wait()
        about, payload = self._came.popleft()
        self._taken += len(payload)
        if self._taken >= WINDOW_BYTES // 4:
            taken, self._taken = self._taken, 0
            # In a task: whoever is cancelled in the middle of a `take` must not lose the message.
            self._wire.begin(self._tell_taken(taken))
        return about, payload

    def hear(self, data: bytes) -> None:
        """Take in a message from the other end."""
        try:
            number, length = _HEAD.unpack_from(data)
            about = json.loads(data[_HEAD.size : _HEAD.size + length])
        except (ValueError, StructError):
            about, number = None, -1
        if number != self._heard & 0xFFFFFFFF or not isinstance(about, dict):
            self.break_off()
            return
        self._heard += 1
        if "taken" in about:
            self._ahead -= about["taken"]
            self._room.set()
            return
        self._came.append((about, data[_HEAD.size + length :]))
        self._wake.set()
        if _is_left(about):  # now: who only sends, and waits for room, would wait for ever
            self._room.set()
            self.is_deaf = True

    def leave(self) -> None:
        """Note that the client has left: nothing is sent on to it, and nobody waits for more."""
        self.is_left = True
        self._wake.set()
        self._room.set()

    async def tell_broken(self) -> None:
        """Tell the other end that this one was broken off: by a message that has no number."""
        if self.peer.startswith(f"{INBOX}."):  # else it is a worker's own subject, which takes requests
            with suppress(Exception):  # the connection is closed or full: it notices by itself, but later
                await self._wire.connection.nc.publish(self.peer, b"")

    def break_off(self) -> None:
        """Note that the other end is gone."""
        self.is_broken = True
        self._wake.set()
        self._room.set()

    async def ask_if_there(self) -> None:
        """Send a message that says nothing: a server answers where nobody listens any more."""
        await self._tell_taken(0)

    async def _tell_taken(self, taken: int) -> None:
        # Numbered and handed over without a pause between the two: else another message gets in between.
        await self._publish(self.pack({"taken": taken}))

    async def _publish(self, data: bytes) -> None:
        if self.is_broken:
            return
        try:
            # With an inbox to reply to, so that the server says where nobody listens.
            await self._wire.connection.nc.publish(self.peer, data, reply=self.own)
        except Exception as error:  # the library's errors of a connection that is closed or full
            self.break_off()
            raise BrokenError from error


class Wire:
    """The streams of one process, on one subscription."""

    def __init__(self, connection: Connection) -> None:
        self.connection = connection
        self.inbox = f"{INBOX}.{uuid4().hex[:16]}"
        self._streams: dict[int, Stream] = {}
        self._last = 0
        self._tasks: set[asyncio.Task[Any]] = set()

    async def open(self) -> None:
        """Listen at this process's inbox."""
        nc = self.connection.nc
        await nc.subscribe(f"{self.inbox}.*", cb=self._hear)
        await nc.flush()
        self.connection.on_reconnected.append(self._break_all)
        self.begin(self._ask_all())

    async def answer_for(self, worker: str, answering: Answering) -> None:
        """Answer what is sent to a worker's subject, from now on."""
        nc = self.connection.nc
        taking = await nc.subscribe(f"{TO}.{worker}", cb=answering.take)
        answering.listening = taking
        await nc.flush()

    def stream(self, peer: str, worker: str | None = None) -> Stream:
        """Return a new stream to an inbox; `forget` it at its end."""
        self._last += 1
        made = self._streams[self._last] = Stream(self, self._last, peer, worker)
        return made

    def forget(self, stream: Stream) -> None:
        """End a stream: what still comes for it is let go of."""
        self._streams.pop(stream.number, None)

    def begin(self, work: Any) -> asyncio.Task[Any]:
        """Begin a task that is held until its end; what it raises ends with it."""
        task: asyncio.Task[Any] = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._end)
        return task

    def _end(self, task: asyncio.Task[Any]) -> None:
        self._tasks.discard(task)
        error = None if task.cancelled() else task.exception()
        if error is not None and not isinstance(error, BrokenError | LeftError):
            log.warning("cluster: a request broke off: %s", type(error).__name__)

    async def _hear(self, message: Msg) -> None:
        number = message.subject.rpartition(".")[2]
        stream = self._streams.get(int(number)) if number.isdecimal() else None
        if stream is None:
            if message.reply:  # this end was broken off, and the other one has not noticed
                with suppress(Exception):  # as in `Stream.tell_broken`
                    await self.connection.nc.publish(message.reply, b"")
            return
        if message.headers is not None:  # only a server sends headers here: nobody listens
            stream.is_unheard = not stream.is_taken
            stream.break_off()
            return
        stream.hear(message.data)

    async def _ask_all(self) -> None:
        """Notice ends that are gone, also of streams over which nothing is sent."""
        while True:
            await asyncio.sleep(ASK_EVERY_S)
            for stream in tuple(self._streams.values()):
                if stream.is_taken:
                    with suppress(BrokenError):
                        await stream.ask_if_there()

    def break_off(self, worker: str) -> None:
        """Break every stream to a worker, which has died."""
        for stream in tuple(self._streams.values()):
            if stream.worker == worker:
                stream.break_off()

    def _break_all(self) -> None:
        """Break every stream, at both ends: what was under way while the connection was lost is lost."""
        for stream in tuple(self._streams.values()):
            stream.break_off()
            self.begin(stream.tell_broken())


# ---------------------------------------------------------------------- the asking half


class Body:
    """What the client sends, kept as long as the request may be asked again."""

    def __init__(self, receive: Receive) -> None:
        self._receive = receive
        self._kept: list[Message] = []
        self._bytes = 0
        self._next = 0
        self.may_repeat = True
        self.refusal = ""  # why the last worker did not take the request, if it said so
        self._reading = asyncio.Lock()

    async def __call__(self) -> Message:
        async with self._reading:
            if self._next < len(self._kept):
                self._next += 1
                return self._kept[self._next - 1]
            message = await self._receive()
            if self.may_repeat:
                self._kept.append(message)
                self._next += 1
                self._bytes += len(_payload(message))
                if self._bytes > MAX_KEPT_BYTES:
                    self.keep_no_more()
            return message

    def again(self) -> None:
        """Give all messages again, from the first one."""
        self._next = 0

    def keep_no_more(self) -> None:
        """Note that the request is not asked again."""
        self.may_repeat = False
        self._kept = self._kept[self._next :]
        self._next = 0


async def ask(
    wire: Wire, worker: str, about: dict[str, Any], scope: Scope, body: Body, send: Send
) -> Outcome:
    """Put a request to a worker, and send its answer on.

    Args:
        about: What the answering half is told besides the scope.
        body: The client's messages; of them, the first goes with the head.
    """
    stream = wire.stream(f"{TO}.{worker}", worker)
    up: asyncio.Task[None] | None = None
    is_whole = False
    try:
        first = await body()
        piece = _payload(first)[:PIECE_BYTES]
        head = {**about, "scope": packed(scope), **_about(first)}
        if len(piece) < len(_payload(first)):
            head["rest"] = True
        try:
            await stream.send(head, piece)
            told, _ = await stream.take()
        except BrokenError:
            return Outcome.NOT_TAKEN if stream.is_unheard else Outcome.GONE
        if "inbox" not in told:
            body.refusal = str(told.get("refused", ""))
            return Outcome.NOT_TAKEN
        stream.peer = told["inbox"]
        stream.is_taken = True
        up = wire.begin(_pump(stream, body, first))
        outcome = await _bring_back(stream, scope, body, send)
        is_whole = outcome is Outcome.ANSWERED and not stream.is_left
        return outcome
    finally:
        if up is not None:
            up.cancel()
        if stream.is_taken and not is_whole and not stream.is_left:  # this very task was cancelled, say
            wire.begin(stream.send({"type": f"{scope['type']}.disconnect"}))
        wire.forget(stream)


async def _bring_back(stream: Stream, scope: Scope, body: Body, send: Send) -> Outcome:
    """Send a worker's messages on to the client, until the answer is whole or either end is gone."""
    has_begun, frame = False, _Frame()
    while True:
        try:
            about, payload = await stream.take()
        except LeftError:
            return Outcome.ANSWERED
        except BrokenError:
            if not has_begun:
                return Outcome.GONE
            if scope["type"] == "websocket":
                await send({"type": "websocket.close", "code": RESTARTS, "reason": "worker gone"})
            return Outcome.ANSWERED  # unfinished, so that the server closes the connection
        if about.get("over"):  # as an application that has returned: the server does what it does then
            return Outcome.ANSWERED
        if not has_begun:
            has_begun = True
            body.keep_no_more()
        for message in frame.messages(about, payload):
            await send(message)
            if is_last(message):
                return Outcome.ANSWERED


def is_last(message: Message) -> bool:
    """Return whether an answer ends with this message."""
    if message["type"] in ("http.response.body", "websocket.http.response.body"):
        return not message.get("more_body", False)
    return bool(message["type"] == "websocket.close")


RESTARTS: Final = 1012
"""The code of a WebSocket that is closed since its server restarts (RFC 6455's registry of close codes)."""


async def _pump(stream: Stream, body: Body, first: Message) -> None:
    """Send what the client sends, until it has left."""
    message, rest = first, _payload(first)[PIECE_BYTES:]
    if rest:
        await stream.send(_about(message), rest)
    while not _is_left(message):
        message = await body()
        await stream.send(_about(message), _payload(message))
    stream.leave()


def _is_left(message: Message) -> bool:
    return message["type"] in ("http.disconnect", "websocket.disconnect")


# ---------------------------------------------------------------------- the answering half


Enters = Callable[[str, int], Awaitable[bool]]
"""Whether this process answers for a session in an epoch (0: the asking half knows of none)."""


class Answering:
    """The application of this process, for the requests that come over the wire."""

    def __init__(self, wire: Wire, app: ASGIApp, enters: Enters) -> None:
        self._wire = wire
        self._app = app
        self._enters = enters
        self.listening: Any = None
        self._under_way: set[asyncio.Task[Any]] = set()

    async def take(self, message: Msg) -> None:
        """Begin to answer a request."""
        task = self._wire.begin(self._answer(message.data, message.reply))
        self._under_way.add(task)
        task.add_done_callback(self._under_way.discard)

    async def stop(self, within_s: float) -> None:
        """Take no further request; wait for those under way, but no longer than *within_s*."""
        if self.listening is not None:
            with suppress(Exception):  # the connection may be gone already
                await self.listening.unsubscribe()
        if self._under_way:
            await asyncio.wait(tuple(self._under_way), timeout=within_s)

    async def _answer(self, data: bytes, peer: str) -> None:
        stream = self._wire.stream(peer)
        try:
            stream.hear(data)
            about, payload = await stream.take()
            session, epoch = about.pop("session", None), about.pop("epoch", 0)
            try:
                is_ours = session is None or await self._enters(session, epoch)
            except GreenroomError as error:
                await stream.send({"refused": one_line(str(error))})
                return
            except Exception as error:  # noqa: BLE001  # whoever asks would wait for ever
                log.warning("cluster: a session could not be taken: %s", type(error).__name__)
                is_ours = False
            if not is_ours:
                await stream.send({"refused": ""})
                return
            scope = unpacked(about.pop("scope"))
            stream.is_taken = True
            await stream.send({"inbox": stream.own})
            await _Answer(stream, self._wire, scope, about, payload).run(self._app)
        except (KeyError, TypeError, ValueError, AttributeError):  # it is no request of ours
            return
        finally:
            self._wire.forget(stream)


class _Answer:
    """One request, as the application sees it."""

    def __init__(
        self, stream: Stream, wire: Wire, scope: Scope, about: dict[str, Any], payload: bytes
    ) -> None:
        self._wire = wire
        self._stream = stream
        self._scope = scope
        self._frame = _Frame()
        self._first = deque(self._frame.messages(about, payload))
        self._left: Message | None = None
        self._held: Message | None = None  # the answer's start, which waits for the first of its body
        self._flush: asyncio.Handle | None = None
        self._sending = asyncio.Lock()
        self._is_over = False

    async def run(self, app: ASGIApp) -> None:
        """Have the application answer; break the answer off if it fails."""
        try:
            await app(self._scope, self._receive, self._send)
        except Exception:  # noqa: BLE001, S110  # as a web server does; the application has told its own log
            pass
        finally:
            if not self._is_over:
                with suppress(BrokenError):
                    await self._send_held()
                    await self._stream.send({"over": True})

    async def _receive(self) -> Message:
        if self._left is not None:
            return self._left
        while not self._first:
            try:
                about, payload = await self._stream.take()
            except BrokenError:
                kind = self._scope["type"]
                self._left = {"type": f"{kind}.disconnect"}
                if kind == "websocket":
                    self._left["code"] = RESTARTS
                return self._left
            self._first.extend(self._frame.messages(about, payload))
        message = self._first.popleft()
        if _is_left(message):
            self._left = message
        return message

    async def _send(self, message: Message) -> None:
        if self._stream.is_broken:
            return
        if message["type"] == "http.response.start":
            self._held = message
            self._flush = asyncio.get_running_loop().call_soon(self._flush_later)
            return
        async with self._sending:
            with suppress(BrokenError):
                about = _about(message)
                if (held := self._let_go()) is not None:
                    about["start"] = _about(held)
                await self._stream.send(about, _payload(message))
        self._is_over |= is_last(message)

    def _flush_later(self) -> None:
        self._wire.begin(self._send_held())

    async def _send_held(self) -> None:
        async with self._sending:
            if (held := self._let_go()) is not None:
                await self._stream.send({"start": _about(held), "alone": True})

    def _let_go(self) -> Message | None:
        held, self._held = self._held, None
        if self._flush is not None:
            self._flush.cancel()
            self._flush = None
        return held


# ---------------------------------------------------------------------- messages


class _Frame:
    """Messages made from pieces: those of a WebSocket's are put together again, others go on as they are."""

    def __init__(self) -> None:
        self._begun: list[bytes] = []

    def messages(self, about: dict[str, Any], payload: bytes) -> list[Message]:
        """Return the ASGI messages that one message of the wire completes, none or up to two."""
        made: list[Message] = []
        if (start := about.pop("start", None)) is not None:
            made.append(_message(start, b""))
        if about.pop("alone", False):
            return made
        has_rest = about.pop("rest", False)
        kind = about["type"]
        if kind in _CONTINUED:
            return [*made, _message({**about, "more_body": True} if has_rest else about, payload)]
        self._begun.append(payload)
        if has_rest:
            return made
        whole, self._begun = b"".join(self._begun), []
        return [*made, _message(about, whole)]


def packed(scope: Scope) -> dict[str, Any]:
    """Return a scope as JSON holds it."""
    told = {name: scope[name] for name in SCOPE if name in scope}
    told["headers"] = _latin(scope["headers"])
    for name in ("raw_path", "query_string"):
        told[name] = (scope.get(name) or b"").decode("latin-1")
    for name in ("client", "server"):
        told[name] = list(scope[name]) if scope.get(name) else None
    told["extensions"] = sorted(scope.get("extensions") or ())
    return told


def unpacked(told: dict[str, Any]) -> Scope:
    """Return the scope that `packed` was given."""
    scope: Scope = {name: told[name] for name in SCOPE if name in told}
    scope["headers"] = _bytes(told["headers"])
    for name in ("raw_path", "query_string"):
        scope[name] = told[name].encode("latin-1")
    for name in ("client", "server"):
        scope[name] = tuple(told[name]) if told[name] is not None else None
    scope["extensions"] = {name: {} for name in told["extensions"]}
    scope["state"] = {}
    return scope


def _about(message: Message) -> dict[str, Any]:
    """Return a message without what goes as bytes."""
    about = {name: value for name, value in message.items() if not isinstance(value, bytes)}
    if message["type"] in ("websocket.receive", "websocket.send"):
        is_text = message.get("text") is not None
        about["is_text"] = is_text
        about.pop("text", None)
        about.pop("bytes", None)
    if "headers" in about:
        about["headers"] = _latin(about["headers"])
    return about


def _payload(message: Message) -> bytes:
    """Return what goes as bytes of a message."""
    if message["type"] in ("websocket.receive", "websocket.send"):
        text: str | None = message.get("text")
        if text is not None:
            return text.encode("utf-8", "surrogatepass")
        return bytes(message.get("bytes") or b"")
    field = PAYLOADS.get(message["type"])
    return bytes(message.get(field) or b"") if field is not None else b""


def _message(about: dict[str, Any], payload: bytes) -> Message:
    """Return the message of which `_about` and `_payload` made two."""
    message = dict(about)
    if "headers" in message:
        message["headers"] = _bytes(message["headers"])
    field = PAYLOADS.get(message["type"])
    if field is not None:
        message[field] = payload
    elif "is_text" in message:
        if message.pop("is_text"):
            message["text"] = payload.decode("utf-8", "surrogatepass")
        else:
            message["bytes"] = payload
    return message


def _latin(headers: Any) -> list[list[str]]:
    return [[bytes(name).decode("latin-1"), bytes(value).decode("latin-1")] for name, value in headers]


def _bytes(headers: Any) -> list[tuple[bytes, bytes]]:
    return [(name.encode("latin-1"), value.encode("latin-1")) for name, value in headers]
