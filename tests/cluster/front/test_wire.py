"""What is asked arrives as it was sent, in any pieces, and neither end waits for one that is gone."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from orchestrator.cluster import wire as wires
from orchestrator.cluster.connection import Connection
from orchestrator.cluster.server import Servers
from orchestrator.cluster.wire import PIECE_BYTES, WINDOW_BYTES, Answering, Body, Outcome, Wire, ask
from orchestrator.core.errors import SessionBusyError

T = TypeVar("T")
Parts = Sequence[bytes]


@dataclass
class Ends:
    """Two processes, as far as the server knows: one that asks, and one that answers by `app`."""

    asking: Connection
    answering: Connection
    wire: Wire = field(init=False)
    app: ASGIApp = field(init=False)
    enters: Callable[[str, int], Awaitable[bool]] = field(init=False)

    def open(self) -> None:
        self.enters = _always
        self.wire = Wire(self.asking)
        self.asking.run(self.wire.open())

        async def app(scope: Scope, receive: Receive, send: Send) -> None:
            await self.app(scope, receive, send)

        async def enters(session: str, epoch: int) -> bool:
            return await self.enters(session, epoch)

        async def answer() -> None:
            wire = Wire(self.answering)
            await wire.open()
            await wire.answer_for("w1", Answering(wire, app, enters))

        self.answering.run(answer())

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        return self.asking.run(work, timeout_s=30)

    async def ask(self, receive: Receive, send: Send, scope: Scope | None = None, **about: Any) -> Outcome:
        return await ask(self.wire, "w1", about, scope or http(), Body(receive), send)


async def _always(session: str, epoch: int) -> bool:
    return True


@pytest.fixture(scope="module")
def ends(one_server: Servers) -> Iterator[Ends]:
    reached = one_server.cluster
    made = Ends(Connection.open(reached, "front"), Connection.open(reached, "worker"))
    made.open()
    yield made
    made.asking.close()
    made.answering.close()


@pytest.fixture(autouse=True)
def _enters(ends: Ends) -> None:
    ends.enters = _always


def http(**fields: Any) -> Scope:
    return {
        "type": "http",
        "asgi": {"version": "3.0", "spec_version": "2.3"},
        "http_version": "1.1",
        "method": "POST",
        "scheme": "http",
        "path": "/a",
        "raw_path": b"/a",
        "root_path": "",
        "query_string": b"",
        "headers": [],
        "client": ("192.0.2.1", 1234),
        "server": ("127.0.0.1", 8716),
        **fields,
    }


def socket(**fields: Any) -> Scope:
    scope = http(
        type="websocket", scheme="ws", subprotocols=["a"], extensions={"websocket.http.response": {}}
    )
    del scope["method"]
    return {**scope, **fields}


def client(parts: Parts) -> Receive:
    """A client that sends a body in these parts, and stays."""
    left = [
        {"type": "http.request", "body": part, "more_body": number < len(parts) - 1}
        for number, part in enumerate(parts)
    ]

    async def receive() -> Message:
        if left:
            return left.pop(0)
        await asyncio.Event().wait()
        raise AssertionError

    return receive


def socket_client(messages: Sequence[Message]) -> Receive:
    left: list[Message] = [{"type": "websocket.connect"}, *messages]

    async def receive() -> Message:
        if left:
            return left.pop(0)
        await asyncio.Event().wait()
        raise AssertionError

    return receive


class Got:
    """What a client got."""

    def __init__(self) -> None:
        self.messages: list[Message] = []

    async def __call__(self, message: Message) -> None:
        self.messages.append(message)

    @property
    def body(self) -> bytes:
        body: list[bytes] = [one["body"] for one in self.messages if one["type"] == "http.response.body"]
        return b"".join(body)


async def whole(receive: Receive) -> bytes:
    body = b""
    while True:
        message = await receive()
        part: bytes = message.get("body", b"")
        body += part
        if not message.get("more_body", False):
            return body


SIZES = st.one_of(
    st.integers(0, 40),
    st.sampled_from([PIECE_BYTES - 1, PIECE_BYTES, PIECE_BYTES + 1, 3 * PIECE_BYTES + 7, 2 * WINDOW_BYTES]),
)
"""Bytes of a part, some more than a message of the wire holds."""
PARTS = st.lists(SIZES, min_size=1, max_size=4)


def filled(sizes: Sequence[int]) -> Parts:
    """Parts of these sizes, each of other bytes than the one before."""
    return [bytes([number + 1]) * size for number, size in enumerate(sizes)]


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(ups=PARTS, downs=PARTS, status=st.sampled_from([200, 404, 503]))
def test_a_body_arrives_whole_in_both_directions(
    ends: Ends, ups: Sequence[int], downs: Sequence[int], status: int
) -> None:
    up, down, heard = filled(ups), filled(downs), b""

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        nonlocal heard
        heard = await whole(receive)
        await send({"type": "http.response.start", "status": status, "headers": [(b"x-a", b"\xff\x00")]})
        for number, part in enumerate(down):
            await send({"type": "http.response.body", "body": part, "more_body": number < len(down) - 1})

    ends.app, got = app, Got()
    assert ends.run(ends.ask(client(up), got)) is Outcome.ANSWERED
    assert heard == b"".join(up)
    assert got.body == b"".join(down)
    assert got.messages[0] == {
        "type": "http.response.start", "status": status, "headers": [(b"x-a", b"\xff\x00")]
    }  # fmt: skip
    assert [one.get("more_body", False) for one in got.messages[1:]][-1:] == [False]


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    path=st.text(max_size=20),
    query=st.binary(max_size=20),
    headers=st.lists(st.tuples(st.binary(max_size=10), st.binary(max_size=10)), max_size=4),
)
def test_a_scope_arrives_as_it_was(
    ends: Ends, path: str, query: bytes, headers: list[tuple[bytes, bytes]]
) -> None:
    scope = http(path=path, raw_path=query, query_string=query, headers=headers, client=None)
    seen: Scope = {}

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        seen.update(scope)
        await send({"type": "http.response.start", "status": 204, "headers": []})
        await send({"type": "http.response.body", "body": b""})

    ends.app = app
    ends.run(ends.ask(client([b""]), Got(), scope))
    assert {name: seen[name] for name in scope} == scope


@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    drawn=st.lists(
        st.one_of(
            st.text(max_size=50),
            st.binary(max_size=50),
            st.sampled_from([PIECE_BYTES + 1, 2 * PIECE_BYTES]),
        ),
        max_size=5,
    ),
    code=st.sampled_from([1000, 1008, 3000, 4001]),
)
def test_what_a_socket_carries_comes_back_whole_and_of_its_kind(
    ends: Ends, drawn: list[str | bytes | int], code: int
) -> None:
    sent = [("é" * one if one % 2 else b"x" * one) if isinstance(one, int) else one for one in drawn]

    async def echo(scope: Scope, receive: Receive, send: Send) -> None:
        assert (await receive())["type"] == "websocket.connect"
        await send({"type": "websocket.accept", "subprotocol": scope["subprotocols"][0], "headers": []})
        for _ in sent:
            came = await receive()
            kind = "text" if came.get("text") is not None else "bytes"
            await send({"type": "websocket.send", kind: came[kind]})
        await send({"type": "websocket.close", "code": code, "reason": "done"})

    messages = [
        {"type": "websocket.receive", "text" if isinstance(one, str) else "bytes": one} for one in sent
    ]
    ends.app, got = echo, Got()
    assert ends.run(ends.ask(socket_client(messages), got, socket())) is Outcome.ANSWERED
    first, *middle, last = got.messages
    assert first == {"type": "websocket.accept", "subprotocol": "a", "headers": []}
    assert [one.get("text", one.get("bytes")) for one in middle] == sent
    assert last == {"type": "websocket.close", "code": code, "reason": "done"}


def test_a_part_is_sent_on_before_the_next_is_there(ends: Ends) -> None:
    """Server-sent events reach the page as they come, the head before the first of them."""
    go_on = asyncio.Event()

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(go_on.wait(), ends.asking.loop))
        await send({"type": "http.response.body", "body": b"x"})

    got = Got()

    async def send(message: Message) -> None:
        await got(message)
        go_on.set()  # only the head of the answer lets the application send the body

    ends.app = app
    ends.run(ends.ask(client([b""]), send))
    assert got.body == b"x"


def test_an_application_is_not_let_ahead_of_a_client_that_does_not_read(ends: Ends) -> None:
    sent, reads = 0, asyncio.Event()

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        nonlocal sent
        await send({"type": "http.response.start", "status": 200, "headers": []})
        for _ in range(64):
            await send({"type": "http.response.body", "body": bytes(PIECE_BYTES), "more_body": True})
            sent += PIECE_BYTES
        await send({"type": "http.response.body", "body": b""})

    got = Got()

    async def slow(message: Message) -> None:
        await reads.wait()
        await got(message)

    async def asked() -> int:
        asking = asyncio.create_task(ends.ask(client([b""]), slow))
        before = -1
        while before != sent or not sent:  # until it has come to a stand
            before = sent
            await asyncio.sleep(0.3)
        ahead = sent
        reads.set()
        await asking
        return ahead

    ends.app = app
    assert ends.run(asked()) <= 2 * WINDOW_BYTES  # what was taken here, and what is under way
    assert len(got.body) == 64 * PIECE_BYTES


def test_a_client_is_not_let_ahead_of_an_application_that_does_not_read(ends: Ends) -> None:
    given_, reads = 0, asyncio.Event()
    received = client([bytes(PIECE_BYTES)] * 64)

    async def counted() -> Message:
        nonlocal given_
        message = await received()
        given_ += len(message["body"])
        return message

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(reads.wait(), ends.asking.loop))
        assert len(await whole(receive)) == 64 * PIECE_BYTES
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b"all of it"})

    got = Got()

    async def asked() -> int:
        asking = asyncio.create_task(ends.ask(counted, got))
        before = -1
        while before != given_ or not given_:
            before = given_
            await asyncio.sleep(0.3)
        ahead = given_
        reads.set()
        await asking
        return ahead

    ends.app = app
    assert ends.run(asked()) <= 2 * WINDOW_BYTES
    assert got.body == b"all of it"


@pytest.mark.parametrize("does", ["waits", "sends"])
def test_a_client_that_leaves_is_told_to_the_application(ends: Ends, does: str) -> None:
    """Also to one that only sends, and waits for room that never comes."""
    ended, goes = asyncio.Event(), asyncio.Event()
    seen: list[str] = []

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        await receive()
        await send({"type": "http.response.start", "status": 200, "headers": []})
        if does == "sends":
            for _ in range(64):
                await send({"type": "http.response.body", "body": bytes(PIECE_BYTES), "more_body": True})
        else:
            await send({"type": "http.response.body", "body": b"x", "more_body": True})
        seen.append((await receive())["type"])
        ends.asking.loop.call_soon_threadsafe(ended.set)

    first = client([b""])

    async def receive() -> Message:
        if not seen_first:
            seen_first.append(True)
            return await first()
        await goes.wait()
        return {"type": "http.disconnect"}

    seen_first: list[bool] = []

    async def send(message: Message) -> None:
        goes.set()
        if message["type"] == "http.response.body" and does == "sends":
            await ended.wait()  # it reads no more

    async def asked() -> None:
        await ends.ask(receive, send)
        await ended.wait()

    ends.app = app
    ends.run(asked())
    assert seen == ["http.disconnect"]


def test_the_code_of_a_socket_that_is_closed_reaches_the_application(ends: Ends) -> None:
    ended = asyncio.Event()
    seen: list[Message] = []

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        await receive()
        await send({"type": "websocket.accept", "headers": []})
        seen.append(await receive())
        ends.asking.loop.call_soon_threadsafe(ended.set)

    async def asked() -> None:
        messages = [{"type": "websocket.disconnect", "code": 4001, "reason": "gone home"}]
        await ends.ask(socket_client(messages), Got(), socket())
        await ended.wait()

    ends.app = app
    ends.run(asked())
    assert seen == [{"type": "websocket.disconnect", "code": 4001, "reason": "gone home"}]


def test_where_nobody_listens_nothing_is_taken_and_the_body_can_be_sent_again(ends: Ends) -> None:
    body = Body(client([b"words"]))

    async def asked() -> tuple[Outcome, bytes]:
        outcome = await ask(ends.wire, "nobody", {}, http(), body, Got())
        body.again()
        return outcome, await whole(body)

    assert ends.run(asked()) == (Outcome.NOT_TAKEN, b"words")


def test_who_does_not_answer_for_a_session_takes_nothing_and_says_why(ends: Ends) -> None:
    async def refuses(session: str, epoch: int) -> bool:
        if epoch:
            raise SessionBusyError(f"{session} is being taken over")
        return False

    async def never(scope: Scope, receive: Receive, send: Send) -> None:
        raise AssertionError("it was asked")

    ends.enters, ends.app = refuses, never
    said = []
    for epoch in (0, 7):
        body, got = Body(client([b""])), Got()
        about = {"session": "s1", "epoch": epoch}
        assert ends.run(ask(ends.wire, "w1", about, http(), body, got)) is Outcome.NOT_TAKEN
        assert got.messages == []
        said.append(body.refusal)
    assert said == ["", "s1 is being taken over"]


def test_an_application_that_fails_leaves_its_answer_unfinished(ends: Ends) -> None:
    """As a web server does: then the client sees that it is not whole."""

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b"half", "more_body": True})
        raise ZeroDivisionError

    ends.app, got = app, Got()
    assert ends.run(ends.ask(client([b""]), got)) is Outcome.ANSWERED
    assert [one["type"] for one in got.messages] == ["http.response.start", "http.response.body"]


@pytest.mark.parametrize(
    ("scope", "begins", "outcome", "last"),
    [
        (http(), False, Outcome.GONE, None),
        (http(), True, Outcome.ANSWERED, {"type": "http.response.body", "body": b"x", "more_body": True}),
        (
            socket(),
            True,
            Outcome.ANSWERED,
            {"type": "websocket.close", "code": 1012, "reason": "worker gone"},
        ),
    ],
)
def test_a_worker_that_dies_ends_what_it_has_begun(
    ends: Ends, other: Connection, scope: Scope, begins: bool, outcome: Outcome, last: Message | None
) -> None:
    """What has not begun may be asked again; a stream is cut; a socket is closed by its code."""
    got = Got()

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        await receive()
        if begins and scope["type"] == "http":
            await send({"type": "http.response.start", "status": 200, "headers": []})
            await send({"type": "http.response.body", "body": b"x", "more_body": True})
        elif begins:
            await send({"type": "websocket.accept", "headers": []})
        if not begins:
            ends.asking.loop.call_soon_threadsafe(ends.wire.break_off, "mortal")  # as at its death
        await asyncio.Event().wait()

    async def answer() -> None:
        wire = Wire(other)
        await wire.open()
        await wire.answer_for("mortal", Answering(wire, app, _always))

    async def send(message: Message) -> None:
        await got(message)
        if message["type"] in ("http.response.body", "websocket.accept"):
            ends.wire.break_off("mortal")

    other.run(answer())
    receive = client([b""]) if scope["type"] == "http" else socket_client([])
    assert ends.run(ask(ends.wire, "mortal", {}, scope, Body(receive), send)) is outcome
    assert (got.messages[-1] if got.messages else None) == last


@pytest.mark.parametrize("begins", [False, True], ids=["not taken", "begun"])
def test_a_worker_that_lost_its_connection_for_a_moment_ends_what_was_under_way(
    ends: Ends, other: Connection, begins: bool
) -> None:
    """It lives, so nobody tells of its death; a page would wait for ever for the next part."""
    got, is_asked = Got(), asyncio.Event()
    wire = Wire(other)

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b"x", "more_body": True})
        is_asked.set()
        await asyncio.Event().wait()

    async def enters(session: str, epoch: int) -> bool:
        if not begins:
            is_asked.set()
            await asyncio.Event().wait()
        return True

    async def answer() -> None:
        await wire.open()
        await wire.answer_for("blinking", Answering(wire, app, enters))

    async def comes_back() -> None:
        await is_asked.wait()
        for told in other.on_reconnected:
            told()

    other.run(answer())
    other.spawn(comes_back())
    work = ask(ends.wire, "blinking", {"session": "s", "epoch": 1}, http(), Body(client([b""])), got)
    assert ends.run(work) is (Outcome.ANSWERED if begins else Outcome.GONE)
    assert got.body == (b"x" if begins else b"")
    assert all(one.get("more_body", True) for one in got.messages)  # cut, not ended


def test_a_stream_that_one_end_has_forgotten_ends_at_the_other(
    ends: Ends, other: Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What told it was lost with the connection."""
    wire, got, has_begun = Wire(other), Got(), asyncio.Event()

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b"x", "more_body": True})
        has_begun.set()
        await asyncio.Event().wait()

    async def answer() -> None:
        await wire.open()
        await wire.answer_for("forgetful", Answering(wire, app, _always))

    async def forget() -> None:
        await has_begun.wait()
        wire._streams.clear()

    async def asked() -> Outcome:
        asking = asyncio.create_task(
            ask(ends.wire, "forgetful", {}, http(), Body(client([b""])), got),
        )
        while not got.messages:
            await asyncio.sleep(0.01)
        await asyncio.wrap_future(other.spawn(forget()))
        for stream in tuple(ends.wire._streams.values()):
            await stream.ask_if_there()
        return await asking

    other.run(answer())
    assert ends.run(asked()) is Outcome.ANSWERED
    assert got.body == b"x"


def test_whoever_cannot_take_a_session_says_so_whatever_it_fails_with(ends: Ends) -> None:
    async def fails(session: str, epoch: int) -> bool:
        raise OSError("of the disk")

    ends.enters = fails
    asked = ask(ends.wire, "w1", {"session": "s1", "epoch": 0}, http(), Body(client([b""])), Got())
    assert ends.run(asked) is Outcome.NOT_TAKEN


def test_a_front_that_is_gone_is_noticed_by_the_application(
    ends: Ends, one_server: Servers, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also over a stream on which nothing is sent: a microphone in a pause."""
    monkeypatch.setattr(wires, "ASK_EVERY_S", 0.1)
    front, worker = (Connection.open(one_server.cluster, name) for name in ("front", "worker"))
    accepted, ended = asyncio.Event(), asyncio.Event()
    seen: list[str] = []

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        await receive()
        await send({"type": "websocket.accept", "headers": []})
        seen.append((await receive())["type"])
        ended.set()

    async def answer() -> None:
        wire = Wire(worker)
        await wire.open()
        await wire.answer_for("patient", Answering(wire, app, _always))

    async def send(message: Message) -> None:
        accepted.set()

    async def begin() -> None:
        wire = Wire(front)
        await wire.open()
        wire.begin(ask(wire, "patient", {}, socket(), Body(socket_client([])), send))
        await accepted.wait()
        await front.nc.close()  # as at its end: without a word

    worker.run(answer())
    front.run(begin())
    worker.run(asyncio.wait_for(_wait(ended), 20), timeout_s=30)
    assert seen == ["websocket.disconnect"]
    front.close()
    worker.close()


async def _wait(event: asyncio.Event) -> None:
    await event.wait()


def test_a_message_that_went_missing_breaks_the_stream(ends: Ends) -> None:
    """Half an answer is never taken for a whole one."""

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b"one", "more_body": True})
        stream = next(iter(answering_streams()))
        stream.pack({"type": "http.response.body"}, b"two")  # numbered, and never sent
        await send({"type": "http.response.body", "body": b"three"})

    def answering_streams() -> list[wires.Stream]:
        return [one for one in found if one.worker is None]

    found: list[wires.Stream] = []
    original = Wire.stream

    def noted(wire: Wire, peer: str, worker: str | None = None) -> wires.Stream:
        made = original(wire, peer, worker)
        found.append(made)
        return made

    ends.app, got = app, Got()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Wire, "stream", noted)
        ends.run(ends.ask(client([b""]), got))
    assert got.body == b"one"


def test_what_is_no_request_of_ours_disturbs_nobody(ends: Ends) -> None:
    """Whoever may send to the servers may send anything: the next request is answered all the same."""

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        await send({"type": "http.response.start", "status": 204, "headers": []})
        await send({"type": "http.response.body", "body": b""})

    async def forge() -> None:
        for data in (
            b"",
            b"\x00",
            b"\xff" * 40,
            b"\x00\x00\x00\x00\x00\x02[]",
            b"\x00\x00\x00\x00\x00\x02{}",
        ):
            await ends.asking.nc.publish("g.to.w1", data, reply=f"{ends.wire.inbox}.999")
        await ends.asking.nc.flush()

    ends.run(forge())
    ends.app, got = app, Got()
    assert ends.run(ends.ask(client([b""]), got)) is Outcome.ANSWERED
    assert got.messages[0]["status"] == 204
