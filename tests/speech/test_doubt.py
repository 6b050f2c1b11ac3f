"""Recognised words are doubtful where they go round in circles or the model is not sure of them."""

from __future__ import annotations

import pytest

from orchestrator.material.speech.readings import (
    LONG_S,
    MIN_SURE,
    MIN_SURE_SHORT,
    is_unsure,
    repeats,
    told_doubt,
)
from orchestrator.material.values import CONFIDENCE, REPETITION


@pytest.mark.parametrize(
    "text",
    [
        "I can't believe that I can't believe that I can't believe that I can't",
        "Thank you, thank you, thank you, thank you.",
        "5, 5, 5, 5, 5",
        "It's been a long time, it's been a long time, it's been a long time.",
    ],
)
def test_a_loop_is_a_repetition(text: str) -> None:
    assert repeats(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Yes.",
        "No, no, no.",
        "Very, very good, and very good for you.",
        "We sell, and we sell, to whoever wants it.",
        "Revenue grew by 4 percent, costs grew by 4 percent, and so staff grew by 4 percent.",
    ],
)
def test_emphasis_is_none(text: str) -> None:
    assert not repeats(text)


def test_a_word_or_two_says_little_for_itself() -> None:
    between = (MIN_SURE + MIN_SURE_SHORT) / 2
    assert not is_unsure(between, LONG_S - 0.1, differs=True)
    assert is_unsure(between, LONG_S)
    assert is_unsure(-0.1, LONG_S, differs=True)
    assert is_unsure(MIN_SURE_SHORT - 0.01, 0.5)


@pytest.mark.parametrize(
    ("text", "confidence", "seconds", "doubt"),
    [
        ("5, 5, 5, 5, 5", 0.9, 2.0, REPETITION),
        ("The weather of the bean is in the house.", 0.45, 3.0, CONFIDENCE),
        ("The weather of the bean is in the house.", 0.0, 3.0, CONFIDENCE),
        ("Yes.", 0.45, 0.4, None),
        ("Four percent.", 0.5, 1.9, None),
        ("5, 5, 5, 5, 5", None, 2.0, None),  # typed
    ],
)
def test_a_recogniser_elsewhere_tells_its_doubt_by_its_confidence(
    text: str, confidence: float | None, seconds: float, doubt: str | None
) -> None:
    assert told_doubt(text, confidence, seconds) == doubt
