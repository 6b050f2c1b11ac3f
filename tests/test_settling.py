"""What deck and speech say that settles a question: as if all of the latest speech were one text."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from orchestrator.engines.matching import holds, normal
from orchestrator.engines.settling import LATEST, in_deck, in_speech
from orchestrator.persona import Seat
from orchestrator.speech.model import Segment
from tests.test_offline_engine import DOMAIN, PERSONA, scene_of
from tests.test_silences import COST, deck_of

PHRASES = ("cost", "the price of it", "up to a million", "a-b", "it")
SEAT = Seat(
    replace(PERSONA, initial=()),
    replace(DOMAIN, silences=(replace(COST, unless=(PHRASES[:2], PHRASES[2:4], PHRASES[4:])),)),
)
WORDS = st.sampled_from(
    [
        "the",
        "The  price",
        "of",
        "it",
        "it,",
        "cost",
        "COST.",
        "costs",
        "up\tto",
        "a",
        "million",
        "a-b",
        "c-it",
    ]
)


def said(texts: list[str]) -> frozenset[str]:
    segments = [Segment(text, float(number), number + 1.0) for number, text in enumerate(texts)]
    return in_speech(SEAT, scene_of(deck_of("Nothing"), segments))


@given(st.lists(st.lists(WORDS, max_size=4).map(" ".join), max_size=12))
def test_speech_holds_what_its_segments_hold_as_one_text(texts: list[str]) -> None:
    whole = normal(" ".join(texts))
    assert said(texts) == {phrase for phrase in PHRASES if holds(whole, phrase)}


def test_a_phrase_may_go_over_several_segments_and_no_part_of_a_word_counts() -> None:
    assert said(["What is the", "price", "of", "it-self?"]) == set()
    assert said(["What is the", "price", "", "of", "it?"]) == {"the price of it", "it"}


def test_only_the_latest_segments_are_searched() -> None:
    assert said(["The cost"] + ["and so on"] * (LATEST - 1)) == {"cost"}
    assert said(["The cost"] + ["and so on"] * LATEST) == set()
    assert said(["the price"] + ["of it"] + ["and so on"] * (LATEST - 1)) == {"it"}


def test_a_deck_is_searched_whole() -> None:
    assert in_deck(SEAT, deck_of("Up to a million", "And no cost-plan")) == {"up to a million"}
