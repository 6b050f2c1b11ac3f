"""The question without its quote is a value of the record; only where none is are its words read."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import NoReturn

import pytest

from orchestrator import Home, Session
from orchestrator.material.values import Segment
from orchestrator.panel.debrief import phrasing
from orchestrator.panel.loop import moderator
from orchestrator.panel.loop.moderator import bare_question, question_lines
from orchestrator.panel.model.exchange import Exchange

TABLE = "# Costs\n\n| Use | EUR |\n|---|---|\n| Boats | 100 |\n| Piers | 200 |\n| Total | 350 |\n"


def asked(home: Path) -> tuple[Session, Exchange]:
    session = Session.start(
        Home.open(home), deck_text=f"# Ferries\n\n---\n{TABLE}", id="s1", engine="offline"
    )
    session.slide(2)
    exchange = session.ask()
    assert exchange is not None
    return session, exchange


def test_nothing_reads_the_words_of_a_question_that_says_how_it_is_shown(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    session, exchange = asked(home)
    shown = bare_question(exchange.turns[0], exchange.quote)

    def refuse(question: str, quote: str | None) -> NoReturn:
        raise AssertionError(question)

    monkeypatch.setattr(moderator, "bare_of", refuse)
    with session, Session.open(None, session.path) as again:  # folded from the ledger
        assert again.projection.open is not None
        assert bare_question(again.projection.open.turns[0], again.projection.open.quote) == shown


def test_of_an_old_record_the_words_are_read_and_give_the_same(home: Path) -> None:
    session, exchange = asked(home)
    with session:
        (turn,) = exchange.turns
        old = replace(turn, bare=None)
        assert bare_question(old, exchange.quote) == bare_question(turn, exchange.quote)


def test_words_of_an_answer_are_named_by_their_exchange_and_not_by_a_time_of_the_talk(home: Path) -> None:
    deck = "# Ferries\n\n- Twelve boats run\n"
    with Session.start(Home.open(home), deck_text=deck, id="s1", presenter="Ines") as session:
        session.slide(1)
        session.add_segment(Segment("Fares fell in May.", 1.0, 3.0, "Ines", 1))
        session.ask("analyst", question="Who owns the boats?", quote="Twelve boats run")
        session.take_answer("The harbour owns seven of them.")
        session.judge("unjudged", reason="yours to judge")
        put = session.ask("skeptic", question="Who owns the others?", quote="The harbour owns seven of them.")
        assert put is not None
        assert question_lines(session.rehearsal, put)[0] == (
            '  your answer to x1: "The harbour owns seven of them."'
        )
        session.take_answer("The state.")
        session.judge("unjudged", reason="yours to judge")
        put = session.ask("contrarian", question="By how much?", quote="Fares fell in May.")
        assert put is not None
        assert (
            question_lines(session.rehearsal, put)[0] == '  speech at 0:01, on slide 1: "Fares fell in May."'
        )
        session.end()
        places = [phrasing.placed(place) for one in session.debrief().reviews for place in one.places]
    assert places == [
        'slide 1: "Twelve boats run"',
        'your answer to x1: "The harbour owns seven of them."',
        'speech at 0:01, on slide 1: "Fares fell in May."',
    ]
