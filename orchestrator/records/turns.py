"""An exchange with what has just happened in it: an answer, a verdict, another question."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from orchestrator.model.exchange import Exchange, Judgement, Turn


def with_answer(exchange: Exchange, words: str, lasts_s: float = 0.0) -> Exchange:
    """The exchange with the answer to its last question, and the seconds that it took."""
    spent_s = round(exchange.spent_s + lasts_s, 3)
    return replace(_with_last(exchange, answer=words), spent_s=spent_s)


def with_words(exchange: Exchange, words: str) -> Exchange:
    """The exchange with other words for its last answer, which was misheard."""
    return _with_last(exchange, answer=words)


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


def _with_last(exchange: Exchange, **changes: Any) -> Exchange:
    return replace(exchange, turns=(*exchange.turns[:-1], replace(exchange.turns[-1], **changes)))
