"""The exchange history says what an answer brought to light, and what stays open."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from orchestrator.material.claims.numbers import Number, numbers_in
from orchestrator.material.values import Deck, Segment
from orchestrator.panel.engines.protocol import JudgementRequest
from orchestrator.panel.home import Home
from orchestrator.panel.loop import new_figures
from orchestrator.panel.model.exchange import Judgement
from orchestrator.panel.records.exchanges import ExchangeClosed
from orchestrator.rehearsal.session import Session
from tests.helpers.steady import SteadyEngine
from tests.helpers.stores import values_of

DECK = (
    "# Harbour ferries\n\n---\n\n# Passengers\n\n- Passengers grew 12 % to 340,000 in 2026\n"
    "- We expect 400,000 passengers in 2027\n"
)
HISTORY = "shared/exchange-history.md"


def test_numbers_said_for_the_first_time_stand_in_the_history_and_in_its_record(home: Path) -> None:
    with Session.start(Home.open(home), deck_text=DECK, intensity="friendly") as session:
        exchange = session.ask()
        assert exchange is not None
        session.answer(
            "We counted 340,000 passengers at 14 piers, eleven decide by day, and fuel cost 2.1 million euro."
        )
        while session.projection.open is not None:
            session.answer(None)
        told = session.read(HISTORY)
        closed = values_of(session.rehearsal.store, ExchangeClosed.TYPE)
    assert 'New numbers, said for the first time: "14", "eleven", "2.1 million euro".' in told
    assert [value["new_numbers"] for value in closed] == [["14", "eleven", "2.1 million euro"]]


def test_of_what_was_said_before_the_question_each_text_is_read_once_also_where_some_was_taken_back(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    read: list[str] = []

    def reading(text: str) -> tuple[Number, ...]:
        read.append(text)
        return numbers_in(text)

    monkeypatch.setattr(new_figures, "numbers_in", reading)
    said = new_figures.KnownNumbers(Deck("md", "deck.md", "0" * 64, "Ferries", ()))
    talk = [Segment(f"We have {number} ferries.", 10.0 * number, 10.0 * number + 5) for number in range(2, 8)]

    def before(at_s: float, segments: list[Segment]) -> list[float]:
        return [number.value for number in said.before(segments, at_s)]

    assert before(20.0, talk[:2]) == []
    assert before(45.0, talk[:2]) == [2.0, 3.0]
    assert before(45.0, talk) == [2.0, 3.0, 4.0]
    assert read == [one.text for one in talk]
    assert before(45.0, [talk[0], *talk[2:]]) == [2.0, 4.0]
    assert before(1e9, talk[:1]) == [2.0]


class Candid(SteadyEngine):
    """Every answer satisfies, and leaves the same thing open."""

    def _reply(self, request: Any) -> Any:
        if isinstance(request, JudgementRequest):
            return Judgement(
                "satisfied", "a plain no", still_open=("who owns the plan",), remark="That is an answer."
            )
        return super()._reply(request)


def test_what_an_answer_leaves_open_and_what_was_said_to_it_stand_in_the_history(home: Path) -> None:
    with Session.start(Home.open(home), deck_text=DECK, engine=Candid()) as session:
        assert session.ask("skeptic") is not None
        session.answer("Nobody owns it yet.")
        told = session.read(HISTORY)
        assert told.endswith(
            "## x1: Marcus Webb (skeptic), at 0:00\n\n"
            "About the whole; no particular claim.\n\n"
            "1. Question: Question 1 of skeptic?\n"
            "   - Answer: Nobody owns it yet.\n"
            "   - Verdict (satisfied): answered: a plain no\n"
            "   - Said to it: That is an answer.\n\n"
            "Stays open: who owns the plan.\n\n"
            f"Outcome: satisfied. Called on because: {session.projection.exchanges[0].why_this_agent}.\n"
        )
        assert session.read("moderator/debrief-notes.md").endswith(
            "on the whole: satisfied: a plain no. Still open: who owns the plan\n"
        )


class Asking(SteadyEngine):
    """The first answer leaves two things open, of which the follow-up names one."""

    def _reply(self, request: Any) -> Any:
        if isinstance(request, JudgementRequest):
            if len(request.exchange.turns) == 1:
                left = ("who owns it", "by when")
                return Judgement("follow_up", "half of it", still_open=left, follow_up="Who?")
            return Judgement("escalate", "no name", still_open=("who owns it",), follow_up="Who, please?")
        return super()._reply(request)


def test_what_an_earlier_answer_left_open_is_not_lost_behind_the_last_one(home: Path) -> None:
    with Session.start(Home.open(home), deck_text=DECK, engine=Asking(), intensity="friendly") as session:
        assert session.ask("skeptic") is not None
        session.answer("We are looking into it.")
        session.answer("Somebody of ours.")
        assert "\nStays open: who owns it.\n\nLeft open on the way: by when.\n" in session.read(HISTORY)
        assert session.read("moderator/debrief-notes.md").endswith(
            ": no name. Still open: who owns it. Left open on the way: by when\n"
        )


def test_what_was_asked_for_and_not_given_stays_open(home: Path) -> None:
    with Session.start(Home.open(home), deck_text=DECK, engine=SteadyEngine()) as session:
        assert session.ask() is not None
        session.answer(None)
        assert "\nStays open: number.\n" in session.read(HISTORY)
        assert "New numbers" not in session.read(HISTORY)
