"""Real workers and a front, of which one worker's disk refuses, or which is killed."""

from __future__ import annotations

import json
import resource
import signal
from collections.abc import Iterator

import pytest

from orchestrator.cluster.connection import Connection
from orchestrator.cluster.status import read
from orchestrator.web.api.contexts import RECEIPT
from tests.helpers.cluster_clients import Client, Reply, Told, insist
from tests.helpers.cluster_processes import Running, await_ready, cluster, connect, until
from tests.helpers.ferries import DECK

WITHIN_S = 60.0
BYTES = 1_000
"""The largest file that a worker may write whose disk refuses: less than any ledger."""


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    with cluster(tmp_path_factory.mktemp("cluster"), workers=2, fronts=1, servers=1) as made:
        yield made


@pytest.fixture(scope="module")
def connection(running: Running) -> Iterator[Connection]:
    made = connect(running, "test")
    yield made
    made.close()


@pytest.fixture(scope="module")
def client(running: Running) -> Iterator[Client]:
    made = Client([running.url("f1")], running.token, timeout_s=30)
    yield made
    made.close()


def asked(client: Client, method: str, path: str, body: object = None, key: str | None = None) -> Reply:
    """The answer of a request that is asked again as long as it is refused for the moment."""
    reply = insist(client, 0, method, path, body, key, Told(), WITHIN_S)
    assert reply is not None
    return reply


def begun(client: Client, session: str) -> None:
    reply = asked(client, "POST", "/sessions", {"deck_text": DECK, "id": session}, session)
    assert reply.status == 201, reply.content


def owner_of(connection: Connection, session: str) -> str:
    async def entry() -> str:
        bucket = await connection.js.key_value("g_owner")
        told = json.loads((await bucket.get(session)).value or b"{}")
        return str(told["worker"])

    return connection.run(entry())


def said(client: Client, session: str, text: str) -> Reply:
    return asked(client, "POST", f"/sessions/{session}/segments", {"text": text}, text)


def test_a_session_that_a_workers_disk_refuses_goes_on_at_another(
    running: Running, client: Client, connection: Connection
) -> None:
    """The worker says so, and takes no further session for a while."""
    begun(client, "full")
    assert said(client, "full", "One.").status == 200
    owner = owner_of(connection, "full")
    refuses = running.workers[owner]
    limits = resource.prlimit(refuses.pid, resource.RLIMIT_FSIZE, (BYTES, resource.RLIM_INFINITY))
    try:
        assert said(client, "full", "Two.").status == 200
        assert owner_of(connection, "full") not in ("", owner)
        assert [one.name for one in read(connection).workers if one.is_draining] == [owner]
    finally:
        resource.prlimit(refuses.pid, resource.RLIMIT_FSIZE, limits)
    assert said(client, "full", "Three.").status == 200
    transcript = asked(client, "GET", "/sessions/full/files/shared/presenter-transcript.md").content.decode()
    assert [transcript.count(one) for one in ("One.", "Two.", "Three.")] == [1, 1, 1]


def test_a_context_that_was_given_is_given_again_by_another_worker(
    running: Running, client: Client, connection: Connection
) -> None:
    """Nothing was written behind it when the first one was killed."""
    begun(client, "read")
    said(client, "read", "One.")
    given = asked(client, "GET", "/sessions/read/contexts/skeptic")
    owner = owner_of(connection, "read")
    killed = running.workers[owner]
    killed.send(signal.SIGKILL)
    try:
        assert until(lambda: owner_of(connection, "read") not in ("", owner), WITHIN_S)
        again = asked(client, "GET", f"/sessions/read/contexts/skeptic?at={given.headers[RECEIPT]}")
        assert (again.status, again.content) == (200, given.content)
    finally:
        killed.start()
        await_ready(killed)
