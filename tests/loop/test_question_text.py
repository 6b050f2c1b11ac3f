"""The question without its quote is a value of the record; only where none is are its words read."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import NoReturn

import pytest

from orchestrator import Home, Session
from orchestrator.loop import question_text
from orchestrator.loop.question_text import bare_question
from orchestrator.model.exchange import Exchange

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

    monkeypatch.setattr(question_text, "bare_of", refuse)
    with session, Session.open(None, session.path) as again:  # folded from the ledger
        assert again.projection.open is not None
        assert bare_question(again.projection.open.turns[0], again.projection.open.quote) == shown


def test_of_an_old_record_the_words_are_read_and_give_the_same(home: Path) -> None:
    session, exchange = asked(home)
    with session:
        (turn,) = exchange.turns
        old = replace(turn, bare=None)
        assert bare_question(old, exchange.quote) == bare_question(turn, exchange.quote)
