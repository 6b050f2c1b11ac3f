"""A sentence that was repeated with another number: found by its words, whatever it is about."""

from __future__ import annotations

import pytest

from orchestrator.checks.find import tensions
from orchestrator.claims.extract import deck_claims, speech_claims
from orchestrator.claims.model import Tension
from orchestrator.deck.read import read_deck_text
from orchestrator.speech.model import Segment


def found(first: str, second: str, speech: str = "") -> list[Tension]:
    """The number against number tensions of two slides, and of speech on the second."""
    deck = read_deck_text(f"# The plan\n\n{first}\n\n---\n\n# Next\n\n{second}\n")
    segments = [Segment(speech, 12.0, 18.0, "Presenter", 2)] if speech else []
    said = [claim for segment in segments for claim in speech_claims(segment, 1)]
    return [
        one
        for one in tensions(deck, deck_claims(deck), segments, said)
        if one.kind in ("deck-vs-deck", "speech-vs-deck")
    ]


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("Release £4.1m of our own capital.", "We ask you to approve £4.6m of our own capital."),
        (
            "We propose to train 60 parish wardens by hand.",
            "Let us train 85 parish wardens by hand.",
        ),
        (
            "Reserve two weeks of full closure for the pool.",
            "Please plan three weeks of full closure for the pool.",
        ),
    ],
)
def test_the_same_words_of_two_numbers(first: str, second: str) -> None:
    (tension,) = found(first, second)
    assert tension.kind == "deck-vs-deck"
    assert (tension.a.quote, tension.b.quote) == (first.rstrip("."), second.rstrip("."))
    assert tension.note.endswith("only one can be right.")


def test_the_same_words_said_aloud() -> None:
    slide = "Release £4.1m of our own capital."
    said = "So today we would like you to release five million pounds of our own capital."
    (tension,) = found(slide, "Thank you.", said)
    assert {tension.a.quote, tension.b.quote} == {slide.rstrip("."), said.rstrip(".")}


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("Release £4.1m of our own capital.", "Release £4.1m of our own capital."),
        ("Release £4.1m of our own capital.", "Release £4.6m of borrowed capital."),
        ("Release £4.1m of our own capital in 2026.", "Release £4.6m of our own capital in 2027."),
        ("Release £4.1m of our own capital.", "Option B: release £4.6m of our own capital."),
        ("Release £4.1m of our own capital.", "Release another £0.6m of our own capital."),
        ("Hallmart: £4.1m of own capital.", "£4.6m of own capital."),
        ("Train 60 parish wardens by hand.", "Train at least 50 parish wardens by hand."),
        ("Train 60 parish wardens by hand.", "Train 60 to 85 parish wardens by hand."),
    ],
)
def test_silent_where_something_sets_them_apart(first: str, second: str) -> None:
    assert found(first, second) == []
