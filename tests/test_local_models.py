"""A server with the smallest feature set: no output schemas, no token counting, no cache, no key."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from orchestrator.home import Home
from orchestrator.session import Session
from tests.claude_requests import PATIENT
from tests.messages_server import MessagesServer
from tests.rehearsals import greenroom, greenroom_json, write_rehearsal


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[MessagesServer]:
    """One that the environment names, as README says; there is no key at all."""
    with MessagesServer(smallest=True, models=("llama-local",)) as made:
        monkeypatch.setenv("ANTHROPIC_BASE_URL", made.url)
        monkeypatch.setenv("GREENROOM_DEADLINES_S", json.dumps(PATIENT))
        yield made


@pytest.mark.slow
def test_a_whole_rehearsal_on_a_server_that_can_do_next_to_nothing(
    home: Path, tmp_path: Path, server: MessagesServer
) -> None:
    files = write_rehearsal(tmp_path)
    (home / "greenroom.yaml").write_text("engine: claude\nmodel: llama-local\n", "utf-8")
    recorded = ("--speech", files.speech, "--answers", files.answers, "--exchanges", "2", "--id", "r1")
    done = greenroom_json(home, "run", files.deck, *recorded)
    outcomes = [one["outcome"] for one in done["exchanges"]]
    assert len(outcomes) == 2
    assert set(outcomes) <= {"satisfied", "unresolved"}
    assert done["grounded_share"] == 1
    assert done["valid"]
    usage = done["usage"]
    asked = [taken for taken in server.requests if taken.task and taken.status == 200]
    assert (usage["models"], usage["calls"], usage["alarms"]) == (["llama-local"], len(asked), 0)
    assert (usage["cost_usd"], usage["unreported"]) == (None, len(asked))
    assert (usage["read_tokens"], usage["written_tokens"]) == (0, 0)
    assert usage["new_tokens"] == sum(taken.usage.total for taken in asked if taken.usage is not None)
    assert not any("output_config" in taken.body or "tools" in taken.body for taken in asked)
    shown = greenroom(home, "show", "r1").stdout
    assert "the cost is not known, since no price is known for llama-local." in shown
    assert f"On {len(asked)} calls the server said nothing about its cache." in shown
    with Session.open(Home.open(home), "r1") as session:
        assert not session.room.failed


def test_another_model_than_it_has_is_said_at_the_start(
    home: Path, tmp_path: Path, server: MessagesServer
) -> None:
    files = write_rehearsal(tmp_path)
    done = greenroom(home, "start", files.deck, "--engine", "claude", check=False)
    where = server.url.removeprefix("http://")
    assert done.returncode == 1
    assert (
        done.stderr == f"greenroom: {where} does not know the model claude-sonnet-5-5: choose another one\n"
    )
