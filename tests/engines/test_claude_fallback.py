"""A model that never answers: the offline panel takes over after the first calls, and it is said why."""

from __future__ import annotations

from pathlib import Path

import pytest

from orchestrator.engines.model.fallback import FAILS_BEFORE, FallbackEngine
from orchestrator.engines.offline import OfflineEngine
from orchestrator.errors import EngineError
from orchestrator.model.usage import Budget
from orchestrator.session import Session
from tests.helpers.claude_requests import Asked, engine_on, requests_of
from tests.helpers.homes import new_home
from tests.helpers.messages_server import MessagesServer
from tests.helpers.rehearsals import played, write_rehearsal
from tests.helpers.server_faults import Fault


@pytest.fixture(scope="module")
def asked(tmp_path_factory: pytest.TempPathFactory) -> Asked:
    folder = tmp_path_factory.mktemp("played")
    return requests_of(played(new_home(folder / "home"), write_rehearsal(folder), exchanges=1))


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
        why = f"{inner.settings.model} never answered: {inner.last_failure}"
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
