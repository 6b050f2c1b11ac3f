"""A model that never answers: the offline panel takes over after the first calls, and it is said why."""

from __future__ import annotations

from pathlib import Path

import pytest

from orchestrator.core.errors import EngineError
from orchestrator.panel.engines.model.engine import FAILS_BEFORE, FallbackEngine
from orchestrator.panel.engines.offline import OfflineEngine
from orchestrator.panel.model.usage import Budget
from orchestrator.rehearsal.session import Session
from tests.helpers.claude_requests import Asked, engine_on, requests_of
from tests.helpers.homes import new_home
from tests.helpers.messages_server import MessagesServer
from tests.helpers.rehearsals import played, write_rehearsal
from tests.helpers.server_faults import Fault


@pytest.fixture(scope="module")
def asked(tmp_path_factory: pytest.TempPathFactory) -> Asked:
    folder = tmp_path_factory.mktemp("played")
    return requests_of(played(new_home(folder / "home"), write_rehearsal(folder), exchanges=1))


REASONS = {
    "key": "refused the key: check ANTHROPIC_API_KEY",
    "no_json": "the reply could not be used, and was not mended when sent back: "
    "it is no JSON object of the shape that was asked for",
    "broken": "is busy or broken (500, api error); tried 1 times",
}
"""What is told of a call with such a fault, behind the name of the service."""


def failing(engine: FallbackEngine, asked: Asked, times: int) -> None:
    for _ in range(times):
        with pytest.raises(EngineError):
            engine.reply(*asked["judgement"])


@pytest.mark.parametrize("fault", ["key", "no_json", "broken"])
def test_after_the_first_calls_that_all_failed_the_offline_panel_answers(asked: Asked, fault: str) -> None:
    told: list[str] = []
    with MessagesServer(always=Fault(fault)) as server, engine_on(server, retries=0) as inner:
        engine = FallbackEngine(inner, Budget(), say=told.append)
        failing(engine, asked, FAILS_BEFORE)
        where = inner.settings.where
        why = f"{inner.settings.model} at {where} gave no usable reply to 3 calls (3 times: {REASONS[fault]})"
        assert engine.took_over == why
        assert told == [f"the offline panel takes over: {why}"]
        made = len(server.requests)
        request, context = asked["judgement"]
        assert engine.reply(request, context) == OfflineEngine().reply(request)
        assert engine.begin(request, context).result() == OfflineEngine().reply(request)
        assert engine.addressed(request, context) is context
        assert len(server.requests) == made
        assert len(told) == 1


def test_a_model_that_has_answered_once_is_asked_on_however_often_it_fails(asked: Asked) -> None:
    with MessagesServer() as server, engine_on(server, retries=0) as inner:
        engine = FallbackEngine(inner, Budget())
        engine.reply(*asked["judgement"])
        server.always = Fault("broken")
        failing(engine, asked, 3 * FAILS_BEFORE)
        assert engine.took_over is None
        server.always = None
        assert engine.reply(*asked["judgement"]).verdict == "satisfied"


def test_calls_that_are_not_waited_for_count_as_well(asked: Asked) -> None:
    with MessagesServer(always=Fault("key")) as server, engine_on(server) as inner:
        engine = FallbackEngine(inner, Budget())
        for _ in range(FAILS_BEFORE):
            assert engine.begin(*asked["judgement"]).exception() is not None
        assert engine.begin(*asked["judgement"]).exception() is None
        assert engine.took_over is not None
        assert len(server.requests) == FAILS_BEFORE


def test_a_rehearsal_whose_model_never_answers_is_one_of_the_offline_panel(
    home: Path, tmp_path: Path
) -> None:
    told: list[str] = []
    with MessagesServer(always=Fault("no_json")) as server, engine_on(server) as inner:
        engine = FallbackEngine(inner, Budget(), say=told.append)
        session: Session = played(home, write_rehearsal(tmp_path), engine=engine, exchanges=2)
        assert len(told) == 1
        assert engine.took_over is not None
        assert len(session.projection.exchanges) == 2
        assert session.verify().valid
        session.close()


def test_what_is_told_counts_the_calls_and_their_reasons(asked: Asked) -> None:
    faults = {1: Fault("no_json"), 2: Fault("no_json"), 3: Fault("broken"), 4: Fault("broken")}
    with MessagesServer(faults=faults) as server, engine_on(server, retries=0) as inner:
        engine = FallbackEngine(inner, Budget())
        failing(engine, asked, 3)  # the first one is sent back to be mended
        where = inner.settings.where
    assert engine.took_over == (
        f"{inner.settings.model} at {where} gave no usable reply to 3 calls "
        f"(2 times: {REASONS['broken']}; once: {REASONS['no_json']})"
    )


# ---------------------------------------------------------------------- the check at the start


@pytest.mark.parametrize("fault", ["key", "forbidden", "model", "page", "no_message"])
def test_what_who_set_it_up_can_put_right_stops_the_start(fault: str) -> None:
    refused = pytest.raises(EngineError)
    with MessagesServer(always=Fault(fault)) as server, engine_on(server, retries=0) as inner, refused as why:
        FallbackEngine(inner, Budget()).check()
    assert why.value.stops


def test_nobody_there_stops_the_start() -> None:
    with MessagesServer() as server, engine_on(server, retries=0) as inner:
        pass
    with inner, pytest.raises(EngineError, match=r"cannot be reached, or broke .* off") as refused:
        FallbackEngine(inner, Budget()).check()
    assert refused.value.stops


@pytest.mark.parametrize(
    "fault",
    ["broken", "overloaded", "rate_limit", "reset", "cut", "no_json", "refusal", "truncated"],
)
def test_a_server_that_is_there_and_fails_stops_nothing(asked: Asked, fault: str) -> None:
    """The check counts as one of the calls that failed, and what is told says so."""
    told: list[str] = []
    with MessagesServer(always=Fault(fault)) as server, engine_on(server, retries=0) as inner:
        engine = FallbackEngine(inner, Budget(), say=told.append)
        engine.check()
        (line,) = told
        assert line.startswith("the model gave no usable reply at the start (")
        assert engine.took_over is None
        failing(engine, asked, FAILS_BEFORE - 1)
        assert engine.took_over is not None
        assert f"gave no usable reply to {FAILS_BEFORE} calls (" in engine.took_over


def test_one_that_hangs_at_the_start_question_stops_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("orchestrator.panel.engines.model.probing.CHECK_S", 0.3)
    told: list[str] = []
    with MessagesServer(always=Fault("hang")) as server, engine_on(server, retries=0) as inner:
        FallbackEngine(inner, Budget(), say=told.append).check()
        where = inner.settings.where
    (line,) = told
    assert line == (
        f"the model gave no usable reply at the start ({where} gave no reply within 0.3 s): it is asked "
        "again at each call, and where the first 3 fail, this one among them, the offline panel takes over"
    )


def test_a_server_that_loads_its_model_is_waited_for(asked: Asked, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("orchestrator.panel.engines.model.engine.LOOK_S", 0.01)
    told: list[str] = []
    faults = dict.fromkeys((1, 2, 3), Fault("loading"))
    with MessagesServer(faults=faults) as server, engine_on(server, retries=0) as inner:
        engine = FallbackEngine(inner, Budget(), say=told.append)
        engine.check()
        where = inner.settings.where
        assert [taken.status for taken in server.requests] == [503, 503, 503, 200]
        assert engine.reply(*asked["judgement"]).verdict == "satisfied"
    assert told == [f"{where} is not ready yet: it is waited for, for at most 120 s"]


def test_one_that_never_gets_ready_is_gone_on_without(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("orchestrator.panel.engines.model.engine.LOOK_S", 0.01)
    monkeypatch.setattr("orchestrator.panel.engines.model.engine.LOADS_S", 0.1)
    told: list[str] = []
    with MessagesServer(always=Fault("loading")) as server, engine_on(server, retries=0) as inner:
        FallbackEngine(inner, Budget(), say=told.append).check()
        assert len(server.requests) > 1
        where = inner.settings.where
    assert told[0] == f"{where} is not ready yet: it is waited for, for at most 0.1 s"
    assert told[1].startswith(
        f"the model gave no usable reply at the start ({where} is busy or broken (503, loading its model)"
    )
