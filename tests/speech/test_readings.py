"""Of two readings the words stand that were said: no sentence is lost, and no name comes from nowhere."""

from __future__ import annotations

import pytest

from orchestrator.material.speech.readings import (
    Reading,
    Settled,
    settle,
    with_names,
    with_names_around,
)
from orchestrator.material.values import CONFIDENCE, LANGUAGE, REPETITION

NAMES = ("Fennmark", "Manferdelli", "WattCarbon")


@pytest.mark.parametrize(
    ("plain", "timed", "stands"),
    [
        ("Fenmark will pay 2 million.", "Fennmark will pay $2 million.", "Fennmark will pay 2 million."),
        ("I spoke to man for nearly last week.", "I spoke to manferdelli last week",
         "I spoke to Manferdelli last week."),
        ("What carbon will pay us?", "WattCarbon will pay us.", "WattCarbon will pay us?"),
        ("It is fan mark's plan.", "It is Fennmark's plan.", "It is Fennmark's plan."),
        ("It's got to be right for the learner.", "It's got to be right, Fennmark learner.",
         "It's got to be right for the learner."),
        ("Good night, don't mind.", "Manferdelli.", "Good night, don't mind."),
        ("Yes, we did.", "Yes, we did, Fennmark.", "Yes, we did."),
        ("We pay fourteen fan mark shares.", "We pay forty Fennmark shares.",
         "We pay fourteen Fennmark shares."),
        ("We signed with man for Delhi and Marsh.", "We signed with Manferdelli in March.",
         "We signed with Manferdelli and Marsh."),
        ("It cost what carbon and fan mark nine.", "It costs WattCarbon and Fennmark five.",
         "It cost WattCarbon and Fennmark nine."),
    ],
)  # fmt: skip
def test_a_name_stands_in_the_place_of_words_that_sound_like_it(plain: str, timed: str, stands: str) -> None:
    assert with_names(plain, timed, NAMES) == stands


@pytest.mark.parametrize(
    ("plain", "timed", "stands", "count"),
    [
        ("We signed it within March.", "We signed it with Fennmark in March.",
         "We signed it with Fennmark in March.", 1),
        ("Last year on the RPA thus 40,000.", "Last year WattCarbon paid us 40,000.",
         "Last year WattCarbon paid us 40,000.", 1),
        ("Last year on the RPA 14,000.", "Last year WattCarbon paid us 40,000.",
         "Last year on the RPA 14,000.", 0),
        ("Yes, we did.", "Yes, we did, Fennmark.", "Yes, we did.", 0),
        ("Fennmark will pay.", "Fennmark shall pay.", "Fennmark will pay.", 0),
        ("Good night, don't mind.", "Manferdelli and Fennmark.", "Manferdelli and Fennmark.", 2),
    ],
)  # fmt: skip
def test_a_name_brings_the_words_around_it_and_no_figure(
    plain: str, timed: str, stands: str, count: int
) -> None:
    assert with_names_around(plain, timed, NAMES) == (stands, count)


def test_where_no_words_look_like_the_name_the_sound_decides() -> None:
    plain, timed = Reading("It ends with another.", -0.2), Reading("It ends with Fennmark.", -0.3)
    asked = []

    def heard_as(names: int) -> str:
        def fits(text: str, other: str, more: int) -> bool:
            asked.append((text, other, more))
            return more <= names

        return settle(plain, timed, NAMES, seconds=3.0, fits=fits).text

    assert (heard_as(0), heard_as(1)) == (plain.text, timed.text)
    assert asked == [(plain.text, timed.text, 1)] * 2


def settled(
    plain: str, timed: str, sure: float = -0.2, seconds: float = 3.0, *, is_other_language: bool = False
) -> Settled:
    return settle(
        Reading(plain, sure),
        Reading(timed, -0.3),
        NAMES,
        seconds=seconds,
        is_other_language=is_other_language,
    )


def test_a_sentence_that_was_left_out_stands() -> None:
    whole = "We grew by 4%. The reason is the new price."
    assert settled("We grew by 4%.", whole) == Settled(whole, -0.3, None)
    assert settled("We grew by 4%.", "We grew by about 4%.") == Settled("We grew by 4%.", -0.2, None)


@pytest.mark.parametrize(
    ("plain", "timed", "stands"),
    [
        ("Did it grow? The price is new.", "Did it grow? It did not. The price is new.",
         "Did it grow? It did not. The price is new."),
        ("We grew and grew and grew by four percent.", "We grew by four percent. The price is new.",
         "We grew and grew and grew by four percent. The price is new."),
        ("", "Yes.", "Yes."),
        ("We met.", "We met. Fennmark. Manferdelli. WattCarbon.", "We met."),
    ],
)  # fmt: skip
def test_each_sentence_is_looked_for_in_its_own_place(plain: str, timed: str, stands: str) -> None:
    assert settled(plain, timed) == Settled(stands, -0.3 if len(stands) > len(plain) else -0.2, None)


def test_a_sentence_that_is_not_sure_enough_to_stand_leaves_a_doubt() -> None:
    plain = Reading("We grew by four percent over the year as a whole, they say.", -0.2)
    timed = Reading(plain.text + " The reason for that is the new price list.", -0.72)
    assert settle(plain, timed, NAMES, seconds=8.0) == Settled(plain.text, -0.2, CONFIDENCE)


def test_a_language_without_spaces_is_compared_by_its_letters() -> None:
    assert (
        settled(
            "我们的收入增长了百分之四，因为价格是新的。", "我们的收入增长了百分之四,因为价格是新的."
        ).doubt
        is None
    )
    assert settled("我们的收入增长了百分之四。", "今天天气很好大家都去了公园。").doubt == CONFIDENCE


def test_words_that_only_one_reading_has_are_doubtful() -> None:
    assert settled("So I'm walking to her.", "All in the middle of it.").doubt == CONFIDENCE
    assert settled("Yes.", "Guess.", seconds=1.0).doubt is None  # a word is soon another


def test_a_loop_in_either_reading_is_a_doubt() -> None:
    loop = "Thank you, thank you, thank you, thank you, thank you."
    assert settled("Thank you very much.", loop) == Settled("Thank you very much.", -0.2, REPETITION)


def test_another_language_is_named_where_the_model_tells_languages() -> None:
    assert settled("Das ist gut.", "Das ist gut.", is_other_language=True).doubt == LANGUAGE


def test_what_is_sure_has_no_doubt() -> None:
    assert settled("Four percent.", "Four percent.") == Settled("Four percent.", -0.2, None)
