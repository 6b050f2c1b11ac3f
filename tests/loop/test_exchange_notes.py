"""exchange-notes.md: after each turn a note, whoever judged it, and also where nobody did."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from orchestrator import Home, Session
from tests.helpers.steady import DECK, SteadyEngine


@pytest.fixture
def session(home: Path) -> Iterator[Session]:
    """One in which the skeptic has put a question."""
    with Session.start(Home.open(home), deck_text=DECK, engine=SteadyEngine(("skeptic",))) as made:
        assert made.ask("skeptic") is not None
        yield made


def notes(session: Session) -> list[str]:
    """What the skeptic has noted, each with its turn and without the time."""
    page = session.read("skeptic/exchange-notes.md").replace("\n\n", "\n")
    parts = (one.strip().split("\n", 1) for one in page.split("## ")[1:])
    return [f"{heading.partition(', at ')[0]}: {note}" for heading, note in parts]


def test_a_verdict_of_a_loop_of_ones_own_is_noted_with_the_words_behind_it(session: Session) -> None:
    session.take_answer("It is audited. By whom I cannot say.")
    session.judge(
        "follow_up", reason="no name is given", quote="By whom I cannot say", follow_up="Who audited it?"
    )
    session.take_answer("The city.")
    session.judge("satisfied", reason="it names who")
    assert notes(session) == [
        'x1, turn 1: - Asked again: no name is given ("By whom I cannot say")',
        "x1, turn 2: - Answered: it names who",
    ]


def test_silence_is_noted(session: Session) -> None:
    session.answer(None)
    assert notes(session) == ["x1, turn 1: - No answer was given."]


def test_a_parked_question_is_noted_whether_something_was_said_or_not(session: Session) -> None:
    session.park()
    assert session.ask("skeptic") is not None
    session.take_answer("Can we come back to that later?")
    assert notes(session) == [
        "x1, turn 1: - Parked: the presenter asked to come back to it.",
        "x2, turn 1: - Parked: the presenter asked to come back to it.",
    ]


@pytest.mark.parametrize(
    ("answer", "note"),
    [(None, "- No answer was given."), ("It is.", "- The session ended before the answer was judged.")],
)
def test_an_end_in_the_middle_is_noted(session: Session, answer: str | None, note: str) -> None:
    if answer is not None:
        session.take_answer(answer)
    session.end(without_debrief=True)
    assert notes(session) == [f"x1, turn 1: {note}"]


def test_a_note_of_its_own_stands_alone(session: Session) -> None:
    session.answer("It is so.")
    assert notes(session) == ["x1, turn 1: - noted"]
