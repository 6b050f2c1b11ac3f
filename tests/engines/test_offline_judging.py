"""Verdicts without a model: certain ones only, and "yours to judge" for all others."""

from __future__ import annotations

from typing import Any

import pytest

from orchestrator.deck.read import read_deck_text
from orchestrator.engines.offline import OfflineEngine
from orchestrator.engines.protocol import JudgementRequest, Scene
from orchestrator.model.exchange import NO_ANSWER, YOURS, Exchange, Judgement, Turn
from orchestrator.templates.persona import DomainKnowledge, Persona, Seat

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
        (DOWNTIME, "We told everybody.", "unjudged"),
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
    assert got.note == '- Answered: "Then the old boat sails for two more years."'


@pytest.mark.parametrize("answer", ["I don't know.", "Next question."])
def test_a_follow_up_follows_once_and_then_the_question_stays_unresolved(answer: str) -> None:
    once, twice, last = judged(OPEN, answer), judged(OPEN, answer, answer), judged(OPEN, answer, is_last=True)
    assert once.follow_up is not None
    assert once.quote == answer
    assert once.still_open == (answer,)
    assert [(one.verdict, one.follow_up) for one in (twice, last)] == [("follow_up", None)] * 2


def test_a_promise_is_kept_word_for_word_where_it_has_a_date() -> None:
    answer = "The boat is old. We will show the offers by 12 December 2026. We will do our best."
    assert judged(OPEN, answer).promises == ("We will show the offers by 12 December 2026.",)


def test_the_verdict_is_the_same_each_time() -> None:
    answers: list[Any] = ["I don't know.", "€3 million.", "Well, that depends."]
    assert [judged(RESERVE, one) for one in answers] == [judged(RESERVE, one) for one in answers]
