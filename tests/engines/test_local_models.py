"""A model on the user's own machine: servers that lack this or that, without a key, from the command line."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from orchestrator.cli.doctor import checks
from orchestrator.panel.home import Home
from orchestrator.rehearsal.session import Session
from tests.helpers.claude_requests import PATIENT
from tests.helpers.messages_server import MessagesServer
from tests.helpers.rehearsals import greenroom, greenroom_json, write_rehearsal


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[MessagesServer]:
    """One with the smallest feature set, which the environment names; there is no key at all."""
    with MessagesServer(smallest=True, models=("llama-local",)) as made:
        monkeypatch.setenv("GREENROOM_MODEL_URL", made.url)
        monkeypatch.setenv("GREENROOM_DEADLINES_S", json.dumps(PATIENT))
        yield made


@pytest.mark.slow
def test_a_whole_rehearsal_on_a_server_that_can_do_next_to_nothing(
    home: Path, tmp_path: Path, server: MessagesServer
) -> None:
    files = write_rehearsal(tmp_path)
    (home / "greenroom.yaml").write_text("engine: model\nmodel: llama-local\n", "utf-8")
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
        assert not session.projection.failed


def test_another_model_than_it_has_is_said_at_the_start(
    home: Path, tmp_path: Path, server: MessagesServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GREENROOM_MODEL", "llama-huge")
    files = write_rehearsal(tmp_path)
    done = greenroom(home, "start", files.deck, "--engine", "model", check=False)
    where = server.url.removeprefix("http://")
    assert done.returncode == 1
    line = f"greenroom: {where} does not know the model llama-huge: choose another one"
    assert [one for one in done.stderr.splitlines() if not one.startswith("asking the model: ")] == [line]


def engines(home: Path) -> dict[str, tuple[str, str]]:
    """What `doctor` says of the engines."""
    found = [one for one in checks(Home.open(home)) if one.name.startswith("engine ")]
    return {one.name.removeprefix("engine "): (one.state, one.detail) for one in found}


def test_doctor_contacts_nobody_where_nothing_is_configured(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in (
        "ANTHROPIC_API_KEY",
        "ANTHROPIC_AUTH_TOKEN",
        "ANTHROPIC_BASE_URL",
        "OPENAI_API_KEY",
        "OPENAI_BASE_URL",
    ):
        monkeypatch.delenv(name, raising=False)
    assert engines(home) == {
        "offline": ("ok", "arithmetic and a question bank, no network, no key"),
        "claude": ("off", "no key is set: ANTHROPIC_API_KEY, or ANTHROPIC_BASE_URL"),
        "openai": ("off", "no key is set: OPENAI_API_KEY, or OPENAI_BASE_URL"),
        "model": ("off", "no address is set: model_url in greenroom.yaml, or GREENROOM_MODEL_URL"),
    }


@pytest.mark.parametrize(
    ("lacks", "says"),
    [
        ((), "has structured output, caching, tools, exact quotes"),
        (("tools",), "has structured output, caching, exact quotes; does without tools"),
        (("schemas",), "has caching, tools, exact quotes; does without structured output"),
        (("cache", "effort"), "has structured output, tools, exact quotes; does without caching"),
    ],
)
@pytest.mark.parametrize("is_silent", [False, True], ids=["named", "silent"])
def test_doctor_says_what_a_server_can_and_how_long_a_question_takes(
    home: Path, lacks: tuple[str, ...], says: str, is_silent: bool
) -> None:
    with MessagesServer(lacks=frozenset(lacks), is_silent=is_silent, key="none") as server:
        config = f"model: mine\nmodel_url: {server.url}\n"
        (home / "greenroom.yaml").write_text(config, "utf-8")
        state, detail = engines(home)["model"]
        where = server.url.removeprefix("http://")
    assert state == "ok"
    assert detail.startswith(f"mine at {where} by its Messages API: a small question took ")
    assert detail.endswith(f" s; {says}")


def test_doctor_says_why_a_server_does_not_answer(home: Path) -> None:
    (home / "greenroom.yaml").write_text("model: mine\nmodel_url: http://127.0.0.1:9\nretries: 0\n", "utf-8")
    state, detail = engines(home)["model"]
    assert state == "missing"
    assert detail == (
        "mine at 127.0.0.1:9: 127.0.0.1:9 cannot be reached, or broke the connection off; tried 1 times: "
        "check the network and the address"
    )
