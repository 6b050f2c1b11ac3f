"""Whatever a service does: a validated result or one plain line, and nobody is told what was said."""

from __future__ import annotations

import logging
import re
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import pytest

from orchestrator.core.errors import EngineError
from orchestrator.panel.engines.model.engine import ModelEngine
from orchestrator.panel.engines.model.settings import CHAT, MESSAGES, Settings
from orchestrator.panel.model.exchange import Judgement
from orchestrator.rehearsal.session import Session
from tests.helpers.claude_requests import KINDS, SECRET, Asked, engine_on, requests_of
from tests.helpers.homes import new_home
from tests.helpers.messages_replies import NOBODY_SAID
from tests.helpers.messages_server import MessagesServer
from tests.helpers.rehearsals import DECK, SPEECH, played, write_rehearsal
from tests.helpers.server_faults import FAULTS, Fault

PASSES = (
    "rate_limit",
    "overloaded",
    "broken",
    "loading",
    "reset",
    "cut",
    "stream_error",
    "no_message",
    "page",
)
"""What is tried again, and goes well the second time."""
MENDED = ("no_json", "half_json", "contradiction", "other_kind", "half_character", "empty")
"""What is sent back, and comes mended."""
FATAL = {
    "key": "refused the key: check {key}",
    "forbidden": "does not let this key use claude-sonnet-5-5: check the key's rights",
    "model": "does not know the model claude-sonnet-5-5: choose another one",
    "refusal": "the model declined to answer",
    "truncated": "the reply was cut at",
    "hang": "gave no reply within 0.4 s",
    "stalled": "gave no reply within 0.4 s",
}
HARMLESS = ("slow", "search_error")  # a search is made for no task but one's own
QUICK: dict[str, Any] = {"deadlines_s": dict.fromkeys(KINDS, 0.4), "retries": 1}
PATIENT: dict[str, Any] = {"deadlines_s": dict.fromkeys(KINDS, 60.0), "retries": 1}

OURS = {"number", "stand", "title", "words"}
SAID = sorted(set(re.findall(r"\w{5,}", f"{SECRET} {NOBODY_SAID} {DECK} {SPEECH}")) - OURS)
"""Words of the deck, the speech and the answers, but for those that this engine's own lines need."""


WIRES = (MESSAGES, CHAT)
ENGINES = {MESSAGES: "claude", CHAT: "openai"}
KEYS_OF = {MESSAGES: "ANTHROPIC_API_KEY", CHAT: "OPENAI_API_KEY"}
over_both = pytest.mark.parametrize("wire", WIRES)


def on(server: MessagesServer, wire: str, **settings: Any) -> AbstractContextManager[ModelEngine]:
    """An engine that asks *server* over *wire*."""
    server.speaks = wire
    return engine_on(server, wire=wire, engine=ENGINES[wire], key_name=KEYS_OF[wire], **settings)


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> Session:
    folder = tmp_path_factory.mktemp("played")
    return played(new_home(folder / "home"), write_rehearsal(folder), exchanges=1)


@pytest.fixture
def asked(session: Session) -> Asked:
    return requests_of(session)


def told(text: str) -> list[str]:
    """Words of the session in *text*."""
    return [word for word in SAID if re.search(rf"\b{word}\b", text)]


def attempt(engine: ModelEngine, asked: Asked, kind: str, *, streamed: bool) -> Any:
    """The result, or the error's line, checked to be one and to tell nothing."""
    shown: list[str] = []
    future = engine.begin(*asked[kind], shown.append if streamed else None)
    error = future.exception()
    if error is None:
        return future.result()
    line = str(error)
    assert isinstance(error, EngineError)
    assert "\n" not in line
    assert told(line) == []
    assert error.__cause__ is None
    return line


def test_every_fault_is_of_a_known_sort() -> None:
    assert sorted((*PASSES, *MENDED, *FATAL, *HARMLESS, "false_quote")) == sorted(FAULTS)


@over_both
@pytest.mark.parametrize("streamed", [False, True], ids=["whole", "streamed"])
@pytest.mark.parametrize("fault", sorted((*PASSES, *MENDED, *HARMLESS, "false_quote")))
def test_what_happens_once_is_overcome(asked: Asked, fault: str, streamed: bool, wire: str) -> None:
    with MessagesServer(faults={1: Fault(fault, 0.01)}) as server, on(server, wire, **PATIENT) as engine:
        result = attempt(engine, asked, "judgement", streamed=streamed)
        assert isinstance(result, Judgement)
        assert result.verdict == "satisfied"
        assert len(server.requests) == (1 if fault in HARMLESS else 2)


@over_both
@pytest.mark.parametrize("streamed", [False, True], ids=["whole", "streamed"])
@pytest.mark.parametrize("fault", sorted(set(FAULTS) - set(HARMLESS) - {"false_quote"}))
def test_what_goes_on_is_one_line_and_never_a_verdict(
    asked: Asked, fault: str, streamed: bool, wire: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    lasts_s = 0.02 if fault == "rate_limit" else 30.0
    settings = QUICK if fault in ("hang", "stalled") else PATIENT
    with MessagesServer(always=Fault(fault, lasts_s)) as server, on(server, wire, **settings) as engine:
        line = attempt(engine, asked, "judgement", streamed=streamed)
    assert isinstance(line, str)
    if fault in FATAL:
        assert FATAL[fault].format(key=KEYS_OF[wire]) in line
    elif fault in MENDED:
        assert line.startswith("the reply could not be used, and was not mended when sent back: ")
        assert len(server.requests) == 2
    else:
        assert line.endswith("; tried 2 times")
    assert told(caplog.text) == []


@over_both
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    "fault", ["contradiction", "other_kind", "half_character", "refusal", "false_quote", "cut"]
)
def test_no_kind_of_request_gets_what_was_not_validated(
    asked: Asked, kind: str, fault: str, wire: str
) -> None:
    with MessagesServer(always=Fault(fault)) as server, on(server, wire, **PATIENT) as engine:
        result = attempt(engine, asked, kind, streamed=False)
    if fault == "false_quote" and kind == "focus_brief":  # it names claims that the request offered
        known = {claim.text for claim in asked[kind][0].scene.deck_claims}
        assert {target.quote for target in result} <= known
    elif fault == "false_quote" and kind in ("notes", "debrief"):
        assert NOBODY_SAID not in str(result)
    elif fault == "false_quote" and kind == "judgement":
        assert result.verdict == "unjudged"
    else:
        assert isinstance(result, str)


@over_both
@pytest.mark.parametrize("seconds", [0.05, 60.0])
def test_a_wait_that_the_service_asks_for_is_respected_or_not_begun(
    asked: Asked, seconds: float, wire: str
) -> None:
    with (
        MessagesServer(faults={1: Fault("rate_limit", seconds)}) as server,
        on(server, wire, **PATIENT) as engine,
    ):
        result = attempt(engine, asked, "notes", streamed=False)
    if seconds < 1:
        assert len(server.requests) == 2
        assert result.startswith("- ")
    else:
        where = server.url.removeprefix("http://")
        assert result == f"{where} is busy or broken (429, rate limit), and there is no time to wait 60 s"


@over_both
def test_a_service_that_is_not_there(asked: Asked, wire: str) -> None:
    nowhere = Settings(base_url="http://127.0.0.1:9", api_key="k", retries=0, wire=wire)
    with ModelEngine(nowhere) as engine:
        line = attempt(engine, asked, "notes", streamed=False)
    assert line == "127.0.0.1:9 cannot be reached, or broke the connection off; tried 1 times"


@over_both
def test_without_a_key_there_is_one_clear_line(asked: Asked, wire: str) -> None:
    name = "OPENAI_BASE_URL" if wire == CHAT else "ANTHROPIC_BASE_URL"
    settings = Settings(wire=wire, engine=ENGINES[wire], address_name=name, key_name=KEYS_OF[wire])
    with ModelEngine(settings) as engine:
        line = attempt(engine, asked, "notes", streamed=False)
    assert line == (
        f"the {ENGINES[wire]} engine needs a key: set {KEYS_OF[wire]}, or {name} for a server of your own"
    )


@over_both
def test_a_refused_reply_is_still_counted(asked: Asked, wire: str) -> None:
    with MessagesServer(always=Fault("refusal")) as server, on(server, wire, **PATIENT) as engine:
        attempt(engine, asked, "notes", streamed=False)
        assert [one.output > 0 for one in engine.take_usage()] == [True]


@over_both
@pytest.mark.parametrize("fault", ["overloaded", "refusal", "contradiction", "false_quote", "cut"])
def test_a_rehearsal_whose_judgements_fail(home: Path, tmp_path: Path, fault: str, wire: str) -> None:
    """It goes on: nothing is satisfied, no write is lost, and the session holds."""
    tasks = ("judgement", "notes", "debrief")
    with (
        MessagesServer(by_task=dict.fromkeys(tasks, Fault(fault))) as server,
        on(server, wire, **PATIENT) as engine,
    ):
        session = played(home, write_rehearsal(tmp_path), engine=engine, exchanges=2)
        exchanges = session.projection.exchanges
        assert [one.outcome for one in exchanges] == ["unjudged"] * 2
        assert all(turn.reason for one in exchanges for turn in one.turns)
        assert session.verify().valid
    session.rehearsal.store.close_files()


def test_a_rehearsal_whose_questions_fail_after_a_while(home: Path, tmp_path: Path) -> None:
    """The last good questions stay as stale, and are not asked; the record says why."""
    files = write_rehearsal(tmp_path)
    with MessagesServer() as server, engine_on(server, **PATIENT) as engine:
        played(home, files, engine=engine, exchanges=2, id="good").close()
        calls = [taken.number for taken in server.requests if taken.task == "candidate_question"]
    with MessagesServer() as server, engine_on(server, **PATIENT) as engine:
        server.faults = {number: Fault("overloaded") for number in range(calls[3], 1000)}
        with played(home, files, engine=engine, exchanges=2, id="bad") as session:
            (done,) = session.projection.exchanges
            waiting = session.projection.waiting
            assert {one.status for agent, one in waiting.items() if agent != done.agent} == {"stale"}
            assert set(session.projection.failed) == set(waiting)
            assert session.verify().valid
