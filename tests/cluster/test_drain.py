"""`greenroom cluster drain`: followed until the worker has no session, or one line says why not."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from orchestrator.cluster import drain as module
from orchestrator.cluster.connection import Connection
from orchestrator.cluster.drain import drain
from orchestrator.cluster.server import Servers
from orchestrator.core.errors import SessionStateError, UsageError
from tests.helpers.cluster_workers import Answers, drained_by, said_alive
from tests.helpers.commands import Commands

if TYPE_CHECKING:
    from nats.aio.msg import Msg

pytestmark = pytest.mark.slow  # a real server


def answering(*told: dict[str, Any], pause_s: float = 0.01) -> Answers:
    """A worker that answers with these messages."""

    async def answer(message: Msg) -> None:
        for one in told:
            await message.respond(json.dumps(one).encode())
            await asyncio.sleep(pause_s)

    return answer


def test_it_is_followed_until_the_worker_is_done(connection: Connection) -> None:
    said: list[int] = []
    answer = answering({"left": 3}, {"left": 3}, {"left": 1}, {"left": 0, "done": True})
    with drained_by(connection, "w1", answer):
        done = drain(connection, "w1", say=said.append)
    assert (done.worker, done.sessions, said) == ("w1", 3, [3, 1, 0])


def test_a_worker_that_is_not_there_is_told_from_those_that_are(connection: Connection) -> None:
    with said_alive(connection, "w2"), pytest.raises(UsageError) as caught:
        drain(connection, "w1")
    assert str(caught.value).startswith("w1: no worker of this name is there (there are w2): if it has gone")
    with said_alive(connection, "w1"), pytest.raises(SessionStateError, match="end its process by SIGTERM"):
        drain(connection, "w1")


def test_a_worker_that_breaks_off_says_why(connection: Connection) -> None:
    told = {"left": 2, "error": "no other worker is there: start one"}
    with drained_by(connection, "w1", answering(told)), pytest.raises(SessionStateError) as caught:
        drain(connection, "w1")
    assert str(caught.value) == "w1: it could not be drained: no other worker is there: start one"


def test_a_worker_that_falls_silent_is_given_up(
    connection: Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "SILENT_S", 0.5)
    with drained_by(connection, "w1", answering({"left": 2})), pytest.raises(SessionStateError) as caught:
        drain(connection, "w1")
    assert "nothing was heard of it for 0.5 s (it still has 2 sessions)" in str(caught.value)


def test_what_takes_too_long_goes_on_by_itself(connection: Connection) -> None:
    slow = answering(*[{"left": 2}] * 20, pause_s=0.2)
    with drained_by(connection, "w1", slow), pytest.raises(SessionStateError) as caught:
        drain(connection, "w1", timeout_s=0.7)
    assert str(caught.value).startswith("w1: it still has 2 sessions after 0.7 s; it goes on with that")


@pytest.mark.parametrize("name", ["", "a.b", "*", ">", "a b"])
def test_what_is_no_name_reaches_nobody(connection: Connection, name: str) -> None:
    with pytest.raises(UsageError, match="is no worker's name"):
        drain(connection, name)


def test_the_command_shows_the_progress_beside_the_result(
    connection: Connection,
    one_server: Servers,
    home: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("GREENROOM_CLUSTER_SERVERS", ",".join(one_server.cluster.servers))
    monkeypatch.setenv("GREENROOM_CLUSTER_TOKEN", one_server.token)
    with drained_by(connection, "w1", answering({"left": 1}, {"left": 0, "done": True})):
        done = Commands(home, capsys)("cluster", "drain", "w1")
    assert done.stdout == "w1 has handed over 1 session and goes\n"
    assert done.stderr == "w1: 1 session left\nw1: 0 sessions left\n"
