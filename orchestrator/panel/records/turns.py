"""An exchange with what has just happened in it: an answer, a verdict, another question."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from orchestrator.material.model.segment import Segment
from orchestrator.panel.model.exchange import (
    Exchange,
    Judgement,
    Persons,
    PersonVerdict,
    Turn,
)


def with_answer(exchange: Exchange, words: str, lasts_s: float = 0.0) -> Exchange:
    """The exchange with the answer to its last question, and the seconds that it took."""
    spent_s = round(exchange.spent_s + lasts_s, 3)
    return replace(_with_last(exchange, answer=words), spent_s=spent_s)


def words_of(pieces: Iterable[Segment]) -> str:
    """The words of an answer, of its pieces in their order."""
    return " ".join(one.text for one in pieces if one.text)


def with_words(exchange: Exchange, number: int, words: str) -> Exchange:
    """The exchange with other words for the answer to a question of it, from 1, which was misheard.

    A verdict on what was heard stays, beside those words; the words that it quotes go unless they were said.
    """
    turn = exchange.turns[number - 1]
    changed = replace(turn, answer=words)
    if turn.verdict is not None:
        heard = turn.answer if turn.misheard is None else turn.misheard
        quote = turn.quote if turn.quote and _plain(turn.quote) in _plain(words) else None
        changed = replace(changed, quote=quote, misheard=heard if heard != words else None)
    return replace(exchange, turns=(*exchange.turns[: number - 1], changed, *exchange.turns[number:]))


def with_verdict(exchange: Exchange, judgement: Judgement) -> Exchange:
    """The exchange with the verdict on its last answer."""
    return _with_last(
        exchange,
        verdict=judgement.verdict,
        reason=judgement.reason,
        quote=judgement.quote,
        still_open=judgement.still_open,
        remark=judgement.remark,
    )


def by_answer(said: Iterable[PersonVerdict]) -> Persons:
    """The last that was said of each answer; *said* is oldest first."""
    return {(one.exchange, one.turn): one for one in said}


def that_stand(noted: Persons, later: Iterable[PersonVerdict] = ()) -> Persons:
    """What people say of answers: *later* before what was *noted*, without what was taken back."""
    said = {**noted, **by_answer(later)}
    return {place: one for place, one in said.items() if one.verdict is not None}


def with_persons(exchange: Exchange, said: Persons) -> Exchange:
    """The exchange with what people say of its answers; they are in no record of it."""
    if not said:
        return exchange
    turns = tuple(
        replace(turn, person=said.get((exchange.id, number)) if turn.answer else None)
        for number, turn in enumerate(exchange.turns, start=1)
    )
    return replace(exchange, turns=turns)


def with_wish(exchange: Exchange, reason: str, wish: str | None) -> Exchange:
    """The exchange with the presenter's wish to come back to it, and no verdict: parking is no failing."""
    return _with_last(exchange, reason=reason, quote=wish)


def with_question(exchange: Exchange, turn: Turn) -> Exchange:
    """The exchange with one more question."""
    return replace(exchange, turns=(*exchange.turns, turn))


def bare_first(exchange: Exchange) -> str:
    """The first question as its panelist had it, without what was said before it."""
    first = exchange.turns[0]
    return first.question.removeprefix(first.lead_in).strip()


def _plain(words: str) -> str:
    return " ".join(words.split())


def _with_last(exchange: Exchange, **changes: Any) -> Exchange:
    return replace(exchange, turns=(*exchange.turns[:-1], replace(exchange.turns[-1], **changes)))
