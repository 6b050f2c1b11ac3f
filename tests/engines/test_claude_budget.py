"""A session's budget in a rehearsal: warned of, then used up, and from there on rules."""

from __future__ import annotations

from pathlib import Path

from orchestrator.panel.debrief.parts import is_of_bank
from orchestrator.panel.engines.model.engine import FallbackEngine
from orchestrator.panel.model.usage import Budget
from orchestrator.rehearsal.session import Session
from tests.helpers.claude_requests import engine_on
from tests.helpers.messages_server import MessagesServer
from tests.helpers.rehearsals import played, write_rehearsal


def test_a_budget_is_warned_of_and_then_the_rules_take_over(home: Path, tmp_path: Path) -> None:
    told: list[str] = []
    with MessagesServer() as server, engine_on(server) as inner:
        engine = FallbackEngine(inner, Budget(tokens=60_000), say=told.append)
        session = played(home, write_rehearsal(tmp_path), engine=engine, exchanges=2)
        calls = len(server.requests)
        again = Session.open(None, session.path)
        shares = [one.budget_share or 0.0 for one in again.projection.calls]
        shown = [
            line
            for record in again.rehearsal.store.entries()
            if (text := again.rehearsal.store.record(record.seq).text) and "# Session state" in text
            for line in text.splitlines()
            if line.startswith("- Budget: ")
        ]
        again.close()
        assert told == [
            "80% of the session's budget is used up",
            "the session's budget is used up: from here on the panel works offline",
        ]
        assert len(shares) == calls
        assert shares == sorted(shares)
        assert shares[-1] >= 1
        assert "works offline" not in shown[0]
        assert shown[-1].endswith("used up; the panel works offline from here on")
        assert len(session.projection.exchanges) == 2
        assert session.verify().valid
        session.close()


def test_a_question_behind_the_budget_is_told_from_one_that_a_model_asked(home: Path, tmp_path: Path) -> None:
    with MessagesServer() as server, engine_on(server) as inner:
        engine = FallbackEngine(inner, Budget(tokens=35_000), say=lambda line: None)
        session = played(home, write_rehearsal(tmp_path), engine=engine, exchanges=2)
        asked = [one.id for one in session.projection.exchanges]
        assert [is_of_bank(session.rehearsal, one) for one in asked] == [False, True]
        session.close()
