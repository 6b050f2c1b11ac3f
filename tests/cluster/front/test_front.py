"""A request reaches whoever answers for its session, once, also where that one dies or changes under it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from time import monotonic, sleep
from typing import Any

import pytest
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from orchestrator.cluster.connection import Connection
from orchestrator.cluster.front import Front
from orchestrator.cluster.owners import Alive, Owner, Owners
from orchestrator.cluster.server import Servers
from orchestrator.cluster.wire import Answering, Wire
from tests.cluster.front.test_wire import Got, client, http, socket, socket_client

ROOM = "/api/v1/sessions/s1/room"
WITHIN_S = 20.0


def wait_for(is_so: Callable[[], bool]) -> None:
    until = monotonic() + WITHIN_S
    while not is_so():
        assert monotonic() < until
        sleep(0.01)


class Worker:
    """A worker that answers by an application of the test's, for whatever it is sent."""

    def __init__(self, servers: Servers, name: str, owners: Owners) -> None:
        self.name = name
        self.connection = Connection.open(servers.cluster, name)
        self.asked: list[tuple[str, str]] = []
        self.app: ASGIApp = self._says_who_it_is
        self.takes = True
        self._wire = Wire(self.connection)
        self.connection.run(self._begin())
        wait_for(lambda: owners.is_living(name))

    async def _begin(self) -> None:
        async def app(scope: Scope, receive: Receive, send: Send) -> None:
            self.asked.append((scope.get("method", "WS"), scope["path"]))
            await self.app(scope, receive, send)

        async def enters(session: str, epoch: int) -> bool:
            return self.takes

        await self._wire.open()
        await self._wire.answer_for(self.name, Answering(self._wire, app, enters))
        self._breath = asyncio.create_task(self._breathe())

    async def _breathe(self) -> None:
        while True:
            alive = Alive(self.name, 0.0, 0, pid=1)
            await self.connection.nc.publish(f"g.alive.{self.name}", alive.to_bytes())
            await asyncio.sleep(0.2)

    async def _says_who_it_is(self, scope: Scope, receive: Receive, send: Send) -> None:
        body = await Request(scope, receive).body()
        await PlainTextResponse(f"{self.name} {body.decode()}")(scope, receive, send)

    def die(self) -> None:
        """End without a word, as a process that is killed."""

        async def end() -> None:
            self._breath.cancel()
            await self.connection.nc.close()

        self.connection.spawn(end())


class House:
    """A front, and its workers w1 and w2."""

    def __init__(self, servers: Servers) -> None:
        self.connection = Connection.open(servers.cluster, "front")
        self.owners = Owners(self.connection)
        self.owners.open()
        self.wire = Wire(self.connection)
        self.connection.run(self.wire.open())
        self.front = Front(self.owners, self.wire, within_s=4.0)
        self.w1, self.w2 = (Worker(servers, name, self.owners) for name in ("w1", "w2"))

    def own(self, worker: str, epoch: int, state: str = "live") -> None:
        """Have a worker own the session s1."""
        revision = self.owners.revision("s1")
        made = self.connection.run(self.owners.claim("s1", Owner(worker, epoch, state), revision))
        assert made is not None

    def bury(self, worker: Worker) -> None:
        worker.die()
        self.connection.run(self.owners.bury(worker.name))

    def ask(
        self, method: str, path: str, body: bytes = b"", **headers: str
    ) -> tuple[int, str, dict[str, str]]:
        got = Got()
        told = [(name.replace("_", "-").encode(), value.encode()) for name, value in headers.items()]
        scope = http(method=method, path=path, headers=told)
        self.connection.run(self.front(scope, client([body]), got), timeout_s=30)
        head = got.messages[0]
        return head["status"], got.body.decode(), {k.decode(): v.decode() for k, v in head["headers"]}

    def close(self) -> None:
        for one in (self.w1.connection, self.w2.connection, self.connection):
            one.close()


@pytest.fixture
def house(tmp_path: Any) -> Iterator[House]:
    servers = Servers(tmp_path)
    servers.start()
    made = House(servers)
    yield made
    made.close()
    servers.stop()


def test_the_owner_is_asked_and_nobody_else(house: House) -> None:
    for number in (1, 2, 3):
        house.own(f"w{number % 2 + 1}", number)
        status, text, _ = house.ask("POST", ROOM, b"x")
        assert (status, text) == (200, f"w{number % 2 + 1} x")
    assert len(house.w1.asked) + len(house.w2.asked) == 3


def test_a_session_without_an_owner_always_falls_to_the_same_worker(house: House) -> None:
    assert {house.ask("GET", "/room/nobodys")[1] for _ in range(5)} in ({"w1 "}, {"w2 "})


def test_what_is_about_no_session_is_shared_out_and_a_start_that_is_repeated_finds_the_first(
    house: House,
) -> None:
    started = {house.ask("POST", "/api/v1/sessions", b"x", idempotency_key="k1")[1] for _ in range(4)}
    assert len(started) == 1
    slow = asyncio.Event()

    async def waits(scope: Scope, receive: Receive, send: Send) -> None:
        await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(slow.wait(), house.connection.loop))
        await house.w1._says_who_it_is(scope, receive, send)

    async def two() -> list[str]:
        got = [Got(), Got()]
        first = asyncio.create_task(house.front(http(method="GET", path="/"), client([b""]), got[0]))
        await asyncio.sleep(0.2)
        await house.front(http(method="GET", path="/"), client([b""]), got[1])
        slow.set()
        await first
        return [one.body.decode() for one in got]

    house.w1.app = waits
    assert house.connection.run(two(), timeout_s=30) == ["w1 ", "w2 "]


@pytest.mark.parametrize(
    ("method", "headers", "status"),
    [
        ("GET", {}, 200),
        ("POST", {"idempotency_key": "k1"}, 200),
        ("POST", {}, 503),  # nobody knows whether it was done
        ("DELETE", {}, 503),
    ],
)
def test_a_worker_that_dies_with_a_request_in_hand(
    house: House, method: str, headers: dict[str, str], status: int
) -> None:
    """What may be repeated is asked again, once, with its whole body; anything else is said to be unknown."""
    house.own("w1", 1)
    has_it = asyncio.Event()

    async def never(scope: Scope, receive: Receive, send: Send) -> None:
        await Request(scope, receive).body()
        house.connection.loop.call_soon_threadsafe(has_it.set)
        await asyncio.Event().wait()

    async def dies() -> None:
        await has_it.wait()
        house.w1.die()
        await house.owners.bury("w1")
        await asyncio.sleep(0.3)  # as long as it takes another to claim it
        await house.owners.claim("s1", Owner("w2", 2), house.owners.revision("s1"))

    house.w1.app = never
    dying = house.connection.spawn(dies())
    got, text, told = house.ask(method, ROOM, b"all of it", **headers)
    dying.result(WITHIN_S)
    assert got == status
    if status == 200:
        assert text == "w2 all of it"
    else:
        assert "nobody knows whether it was done" in text
        assert told["content-type"] == "application/problem+json"
        assert int(told["retry-after"]) > 0
        assert house.w2.asked == []


def test_a_request_is_asked_again_once_and_not_for_ever(house: House) -> None:
    """A request that kills whoever gets it does not go through all of them."""

    def kills(worker: Worker) -> ASGIApp:
        async def app(scope: Scope, receive: Receive, send: Send) -> None:
            house.connection.loop.call_soon_threadsafe(house.wire.break_off, worker.name)
            await asyncio.Event().wait()

        return app

    house.own("w1", 1)
    house.w1.app, house.w2.app = kills(house.w1), kills(house.w2)
    status, text, _ = house.ask("GET", ROOM)
    assert status == 503
    assert len(house.w1.asked) + len(house.w2.asked) == 2
    assert "look, then ask again" in text


def test_who_does_not_take_a_request_has_not_done_it_so_any_may_be_asked_again(house: House) -> None:
    """The front knew an owner who was one no more: also a POST goes on to the new one."""
    house.own("w1", 1)
    house.w1.takes = False

    async def claims() -> None:
        await asyncio.sleep(0.5)
        await house.owners.claim("s1", Owner("w2", 2), house.owners.revision("s1"))

    claiming = house.connection.spawn(claims())
    assert house.ask("POST", ROOM, b"words")[:2] == (200, "w2 words")
    claiming.result(WITHIN_S)
    assert house.w1.asked == []


def test_a_session_that_was_set_aside_is_sent_to_nobody(house: House) -> None:
    """It would end the next worker as well."""
    house.own("w1", 1, "aside")
    status, text, _ = house.ask("GET", ROOM)
    assert status == 503
    assert "was set aside" in text
    assert house.w1.asked + house.w2.asked == []


def test_without_a_worker_it_is_said_what_to_do(house: House) -> None:
    for one in (house.w1, house.w2):
        house.bury(one)
    wait_for(lambda: house.owners.living() == ())
    status, text, told = house.ask("GET", "/api/v1/health")
    assert (status, told["retry-after"]) == (503, "1")
    assert "ask again in some seconds" in text
    status, text, told = house.ask("GET", "/room/s1", accept="text/html")
    assert status == 503
    assert told["content-type"].startswith("text/html")
    assert "content-security-policy" in told


def test_a_socket_without_a_worker_is_refused_and_one_whose_worker_dies_is_closed(house: House) -> None:
    """By the code that says that the server restarts: whoever has it connects again."""
    house.own("w1", 1)

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        await receive()
        await send({"type": "websocket.accept", "headers": []})
        await asyncio.Event().wait()

    got = Got()

    async def send(message: Message) -> None:
        await got(message)
        if message["type"] == "websocket.accept":
            house.w1.die()
            await house.owners.bury("w1")

    house.w1.app = app
    microphone = socket(path="/api/v1/sessions/s1/microphone")
    house.connection.run(house.front(microphone, socket_client([]), send), timeout_s=30)
    assert [(one["type"], one.get("code")) for one in got.messages] == [
        ("websocket.accept", None),
        ("websocket.close", 1012),
    ]
    house.bury(house.w2)
    wait_for(lambda: house.owners.living() == ())
    late = Got()
    house.connection.run(house.front(microphone, socket_client([]), late), timeout_s=30)
    assert [(one["type"], one.get("code")) for one in late.messages] == [("websocket.close", 1013)]


def test_a_body_that_is_too_long_to_be_kept_is_not_asked_again(house: House) -> None:
    """Nobody keeps 60 MB in memory for the case that a worker dies; the client is told."""
    house.own("w1", 1)

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        await Request(scope, receive).body()
        house.connection.loop.call_soon_threadsafe(house.wire.break_off, "w1")
        await asyncio.Event().wait()

    house.w1.app = app
    status, _, _ = house.ask("PUT", ROOM, bytes(2_000_000), idempotency_key="k1")
    assert status == 503
