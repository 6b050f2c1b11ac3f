"""Verdicts without a model: certain ones only, and "yours to judge" for all others."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orchestrator.material.checks.arithmetic import deck_tensions
from orchestrator.material.deck.read import read_deck_text
from orchestrator.panel.engines.offline import OfflineEngine
from orchestrator.panel.engines.protocol import JudgementRequest, Scene
from orchestrator.panel.model.exchange import (
    NO_ANSWER,
    YOURS,
    Exchange,
    Judgement,
    Turn,
)
from orchestrator.panel.personas.persona import DomainKnowledge, Persona, Seat

SEAT = Seat(Persona(id="a", name="A", title="", role="", color="#000000", voice=""), DomainKnowledge())
DECK = read_deck_text("# Ferries\n\n- We sail\n")
OPEN = "What do you do if we say no?"
RESERVE = "How much of the sum that you ask for is set aside for what goes wrong?"
PAYBACK = "In which year has the plan earned back what was put in?"
DOWNTIME = "For how long does the old way stand still before the new one works?"


def judged(question: str, *answers: str | None, is_last: bool = False) -> Judgement:
    turns = tuple(
        Turn(question if number == 0 else "And?", (), answer) for number, answer in enumerate(answers)
    )
    exchange = Exchange("x1", "a", None, None, None, None, False, "", 0.0, turns)
    scene = Scene(DECK, (), (), (), (exchange,), None, 0.0, "moderate", ())
    return OfflineEngine().reply(JudgementRequest(SEAT, scene, exchange, is_last))


@pytest.mark.parametrize(
    ("question", "answer", "verdict"),
    [
        (OPEN, "I don't know.", "follow_up"),
        (OPEN, "Well, honestly, I do not know that yet.", "follow_up"),
        (OPEN, "Sorry. We don’t have that figure here.", "unjudged"),  # "sorry" is a filler, the rest unknown
        (OPEN, "Can we come back to that at the end?", "follow_up"),
        (OPEN, "Good question. I'll get back to you on that.", "follow_up"),
        (OPEN, "No idea. I would have to look that up.", "follow_up"),
        # More than that is said: nobody but the reader can tell what it is worth.
        (OPEN, "I don't know yet. Ilse is putting it together and shows it by 12 December.", "unjudged"),
        (OPEN, "We don't know that better than anybody else: the ferry stops.", "unjudged"),
        (OPEN, "I would rather talk about what the ferry does.", "unjudged"),
        (OPEN, "Then the old boat sails for two more years.", "unjudged"),
        (OPEN, "", "unjudged"),
        (OPEN, "No.", "unjudged"),
        # One figure was asked for, and the answer is that figure.
        (RESERVE, "€240,000.", "satisfied"),
        (RESERVE, "It is about 240,000 euros.", "satisfied"),
        (PAYBACK, "In 2029.", "satisfied"),
        (PAYBACK, "By March 2029.", "satisfied"),
        # Another unit, another figure beside it, a condition, a past amount: not certain.
        (RESERVE, "Ten percent.", "unjudged"),
        (RESERVE, "Between 100,000 and 240,000 euros.", "unjudged"),
        (RESERVE, "The last time it was €240,000.", "unjudged"),
        (RESERVE, "€240,000, if the bank agrees.", "unjudged"),
        (RESERVE, "Not €240,000.", "unjudged"),
        (RESERVE, "€240,000. But that is only for the hull.", "unjudged"),
        (PAYBACK, "In 2029 we will tell you.", "unjudged"),
        (PAYBACK, "Since 2019.", "unjudged"),
        (RESERVE, "We need €240,000.", "unjudged"),
        (RESERVE, "€240,000 a ferry.", "unjudged"),
        (OPEN, "We have not looked at that yet.", "unjudged"),
        (PAYBACK, "Three years.", "unjudged"),
        (OPEN, "€240,000.", "unjudged"),
        (DOWNTIME, "Four hours.", "satisfied"),
        (DOWNTIME, "Four people.", "unjudged"),
        (DOWNTIME, "We told everybody.", "follow_up"),  # no fact, where one was asked for
        (DOWNTIME, "Ask Ilse Brandt.", "unjudged"),
        (DOWNTIME, "No.", "unjudged"),
        (DOWNTIME, "Q", "follow_up"),
        (OPEN, "Fine.", "unjudged"),
    ],
)
def test_a_verdict_is_certain_or_none(question: str, answer: str, verdict: str) -> None:
    assert judged(question, answer).verdict == verdict


def test_no_answer_is_said_to_be_none() -> None:
    assert judged(OPEN, "  ") == judged(OPEN, None) == Judgement("unjudged", NO_ANSWER)


def test_what_rules_cannot_read_is_nobodys_fault_and_nobodys_homework() -> None:
    got = judged(OPEN, "Then the old boat sails for two more years. It is paid for.")
    assert (got.verdict, got.reason, got.follow_up, got.missing, got.still_open) == (
        "unjudged",
        YOURS,
        None,
        (),
        (),
    )
    assert got.note == '- Not judged: "Then the old boat sails for two more years."'


@pytest.mark.parametrize("answer", ["I don't know.", "Next question, please."])
def test_a_refusal_is_asked_again_while_there_is_a_turn(answer: str) -> None:
    once, last = judged(OPEN, answer), judged(OPEN, answer, answer, answer, is_last=True)
    assert once.follow_up is not None
    assert once.quote == answer
    assert once.still_open == (answer,)
    assert (last.verdict, last.follow_up) == ("follow_up", None)


VAGUE = "There are many reasons, and I think we are in a good position."


@pytest.mark.parametrize(
    ("question", "answer", "is_asked_again"),
    [
        (
            "Which condition for the next stage is the hardest for you, and when do you mean to apply?",
            VAGUE,
            True,
        ),
        (
            "Which condition for the next stage is the hardest for you, and when do you mean to apply?",
            "In May.",
            False,
        ),
        ("Why are you still at this stage?", VAGUE, False),
        ("How many customers have left you?", VAGUE, True),
        ("What could we give you that would help at once?", VAGUE, False),
    ],
)
def test_a_vague_answer_is_asked_again_where_the_wording_asks_for_a_fact(
    question: str, answer: str, is_asked_again: bool
) -> None:
    got = judged(question, answer)
    assert (got.follow_up is not None) == is_asked_again
    assert got.verdict == ("follow_up" if is_asked_again else "unjudged")


TABLE = "| Use | EUR |\n|---|---|\n| Boats | 100 |\n| Piers | 200 |\n| Total | 350 |\n"
CLASH = read_deck_text(f"# Fleet\n\n{TABLE}")
[FOUND] = deck_tensions(CLASH)


def pressed(question: str, answers: Sequence[str], limit: int) -> list[tuple[str, Judgement]]:
    """The questions of one exchange with the verdicts on their answers, as the loop puts them."""
    turns: tuple[Turn, ...] = (Turn(question),)
    found = []
    for answer in answers:
        turns = (*turns[:-1], replace(turns[-1], answer=answer))
        quote = FOUND.a.quote if question == TOTAL else None
        is_quoted, beside = quote is not None, FOUND.b
        exchange = Exchange("x1", "a", None, 1, None, quote, is_quoted, "", 0.0, turns, beside=beside)
        scene = Scene(CLASH, (), (), (), (exchange,), None, 0.0, "moderate", (), (FOUND,))
        got = OfflineEngine().reply(JudgementRequest(SEAT, scene, exchange, len(turns) >= limit))
        found.append((turns[-1].question, got))
        if got.follow_up is None:
            break
        turns = (*turns, Turn(got.follow_up))
    return found


TOTAL = "100 + 200 is not 350. Which figure is wrong?"
REFUSALS = ("I don't know.", "Next question, please.")
ANSWERS = (*REFUSALS, "Later.", "Q", "Fine.", "It is 350.", "It is 340.", "No.")


@given(
    st.sampled_from([TOTAL, OPEN, DOWNTIME]),
    st.lists(st.sampled_from(ANSWERS), min_size=4, max_size=4),
    st.sampled_from([2, 3, 4]),
)
def test_what_is_certainly_no_answer_is_asked_again_up_to_the_limit_and_never_the_same(
    question: str, answers: list[str], limit: int
) -> None:
    turns = pressed(question, answers, limit)
    asked = [words for words, _ in turns]
    assert len(asked) == len(set(asked)) <= limit
    *before, (_, last) = turns
    assert {one.verdict for _, one in before} <= {"follow_up"}
    for number, (_, got) in enumerate(turns, start=1):
        answer = answers[number - 1]
        is_refusal = answer in REFUSALS
        is_neither = question == TOTAL and answer not in (*REFUSALS, "It is 350.")
        has_no_fact = question == DOWNTIME and number == 1 and answer in ("Q", "Fine.", "Later.")
        may_ask = number < limit
        assert (got.follow_up is not None) == (may_ask and (is_refusal or is_neither or has_no_fact))
    is_own_figure = question == TOTAL and answers[len(turns) - 1] == "It is 340."
    assert not (is_own_figure and len(turns) == limit) or last.verdict == "unjudged"


@pytest.mark.parametrize("limit", [2, 3, 4])
def test_an_open_contradiction_is_asked_about_until_a_figure_of_it_is_named(limit: int) -> None:
    evaded = pressed(TOTAL, ["Fine."] * 4, limit)
    assert [got.verdict for _, got in evaded] == ["follow_up"] * limit
    assert evaded[-1][1].still_open == (FOUND.note,)
    for named in ("It is 350.", "300 thousand, as the ledger has it.", "Three hundred and fifty million."):
        assert [got.verdict for _, got in pressed(TOTAL, [named], limit)] == ["unjudged"], named
    assert [got.verdict for _, got in pressed(TOTAL, ["Fine.", "350 is right."], limit)] == [
        "follow_up",
        "unjudged",
    ]


def test_a_promise_is_kept_word_for_word_where_it_has_a_date() -> None:
    answer = "The boat is old. We will show the offers by 12 December 2026. We will do our best."
    assert judged(OPEN, answer).promises == ("We will show the offers by 12 December 2026.",)


def test_the_verdict_is_the_same_each_time() -> None:
    answers: list[Any] = ["I don't know.", "€3 million.", "Well, that depends."]
    assert [judged(RESERVE, one) for one in answers] == [judged(RESERVE, one) for one in answers]
