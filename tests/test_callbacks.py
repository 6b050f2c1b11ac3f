"""When a question comes back to what the presenter has answered before."""

from __future__ import annotations

from dataclasses import replace

import pytest

from orchestrator.engines.offline import OfflineEngine
from orchestrator.engines.protocol import CandidateRequest
from orchestrator.exchange import Candidate, Exchange, Turn
from tests.test_offline_engine import SEAT, deck_of, scene_of

ENGINE = OfflineEngine()
DECK = deck_of(["Spoilage claims in the cold store fall below EUR 150k"])


def answered(words: str | None, claim: str | None = "d9.1") -> Exchange:
    turn = Turn("Question?", ("number",), words, "satisfied")
    return Exchange("x1", "other", claim, 9, None, "q", True, "", 0.0, (turn,), "satisfied")


def ask(*exchanges: Exchange) -> Candidate:
    found = ENGINE.reply(CandidateRequest(SEAT, scene_of(DECK, exchanges=exchanges)))
    assert found is not None
    return found


def test_an_answer_about_the_same_thing_is_put_before_the_question() -> None:
    said = "Well, that depends. Last year we paid 240,000 euros of spoilage claims. It was a hot summer."
    found = ask(answered(said))
    plain = ask()
    assert found.question == (
        f'Earlier you said "Last year we paid 240,000 euros of spoilage claims". {plain.question}'
    )
    assert (found.lead_in, found.needs, found.claim) == ("", plain.needs, plain.claim)


@pytest.mark.parametrize(
    "words",
    [
        None,
        "",
        "We have 240 trucks on the road today.",  # about something else
        "The claims were high last year, at 240,000 euros.",  # one word shared is a coincidence
        "I would like to thank the people in spoilage and claims for all of their work on every single day.",
        "Do you mean the 240,000 euros of spoilage claims?",
        "Spoilage claims, yes.",
    ],
)
def test_no_connection_is_made_up(words: str | None) -> None:
    assert not ask(answered(words)).question.startswith("Earlier")


def test_words_are_brought_back_once() -> None:
    said = "Last year we paid 240,000 euros of spoilage claims."
    first = answered(said)
    quoted = Turn(f'Earlier you said "{said.rstrip(".")}". On slide 3 you say "x". Why?', ())
    second = replace(answered(None), id="x2", turns=(quoted,))
    assert not ask(first, second).question.startswith("Earlier")


def test_an_answer_about_the_very_claim_is_no_callback() -> None:
    said = "Last year we paid 240,000 euros of spoilage claims."
    assert not ask(answered(said, claim="d1.1")).question.startswith("Earlier")
