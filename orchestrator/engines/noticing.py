"""What a panelist writes down: a note after each turn, an observation after an exchange."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from orchestrator.engines.evidence import refusal
from orchestrator.engines.hearing import around, delivery, often
from orchestrator.engines.protocol import NotesRequest, ObservationRequest
from orchestrator.engines.wording import answer_words, clock
from orchestrator.exchange import Exchange, Observation
from orchestrator.speech.fillers import FILLER, HEDGE, is_countable, marks

_FEWEST: Final = 2
"""One "maybe" is a manner of speaking; two in one exchange are worth a line."""


def note(request: NotesRequest) -> str:
    """Two lines of Markdown: what was asked and where, what came, what stays open."""
    exchange = request.exchange
    turn = exchange.turns[-1]
    about = f'"{exchange.quote}"' if exchange.quote else "the deck as a whole"
    asked = f"asked for {_listed(turn.needs)}" if turn.needs else "asked openly"
    first = f"- {_place(exchange)}, about {about}: {asked}."
    if turn.answer is None or not turn.answer.strip():
        return f"{first}\n- No answer was given; the point stays open."
    verdict = turn.verdict.replace("_", " ") if turn.verdict else "not judged yet"
    reason = f": {turn.reason}" if turn.reason else ""
    return f'{first}\n- Answer: "{answer_words(turn.answer)}". Verdict: {verdict}{reason}.'


def observe(request: ObservationRequest) -> Observation | None:
    """What stood out in how the presenter answered, with the words behind it; None where nothing did."""
    answers = [turn.answer for turn in request.exchange.turns if turn.answer]
    for turn in request.exchange.turns:
        if turn.verdict != "satisfied" and (put_off := refusal(turn.answer or "")):
            answered = request.exchange.turns[-1].verdict == "satisfied"
            how = "at first, and answers when pressed" if answered else "instead of answering it"
            return Observation(f"puts the question of {request.exchange.id} off {how}", put_off)
    for kind in (HEDGE, FILLER):
        if found := _counted(kind, answers):
            return found
    if heard := delivery(request.scene):
        return heard
    first = request.exchange.turns[0]
    plain = first.verdict == "satisfied" and not refusal(first.answer or "")
    if plain and first.quote and first.needs:
        needs = _listed(first.needs)
        return Observation(f"gives what was asked for at the first asking ({needs})", first.quote)
    return None


def _counted(kind: str, answers: list[str]) -> Observation | None:
    if not is_countable(" ".join(answers)):
        return None
    found = [(answer, mark) for answer in answers for mark in marks(answer) if mark.kind == kind]
    if len(found) < _FEWEST:
        return None
    words = sum(len(answer.split()) for answer in answers)
    listed = often([mark.word for _, mark in found])
    answer, mark = found[0]
    return Observation(f"{len(found)} {kind}s in {words} words of answer: {listed}", around(answer, mark))


def _place(exchange: Exchange) -> str:
    if exchange.said_at_s is not None:
        return f"Said at {clock(exchange.said_at_s)}"
    return f"Slide {exchange.slide}" if exchange.slide is not None else "No slide"


def _listed(needs: Sequence[str]) -> str:
    return ", ".join(needs[:-1]) + " and " + needs[-1] if len(needs) > 1 else needs[0]
