"""A verified contradiction as a question, with both quotes."""

from __future__ import annotations

from collections.abc import Sequence

from orchestrator.material.model.claim import (
    COMPUTED,
    OF_FIGURES,
    Place,
    Tension,
)
from orchestrator.panel.bank.bank import bank
from orchestrator.panel.engines.offline.wording import (
    Wording,
    in_quotes,
    is_whole,
    pick,
    shortened,
    without,
)

LONGEST_QUOTE = 100
"""Characters of each of the two quotes: both have to be heard, so each is shorter than a lone one (160)."""


def sort_of(tension: Tension) -> str:
    """Which of the bank's wordings it is put in: read, sum or two."""
    if tension.class_ != COMPUTED:
        return "read"
    is_sum = tension.kind in OF_FIGURES or tension.a.quote == tension.b.quote
    return "sum" if is_sum and tension.sum else "two"


def question(tension: Tension, key: str) -> Wording:
    """The question that puts a contradiction to the presenter; one that is only read stays a question."""
    text = pick(bank().phrases.contradictions[sort_of(tension)], key, tension.a.quote, tension.b.quote)
    is_shown_above = is_whole(in_quotes(shortened(tension.a.quote, LONGEST_QUOTE)), tension.a.quote)
    return Wording(_filled(text, tension), _filled(without(text, "{a}"), tension) if is_shown_above else "")


def _filled(text: str, tension: Tension) -> str:
    values = {"a": _quoted(tension.a), "b": _quoted(tension.b, tension.a), "sum": tension.sum.rstrip(".")}
    for slot, value in values.items():
        text = text.replace(f"{{{slot}}}", value)
    return text[:1].upper() + text[1:]


def in_order(tensions: Sequence[Tension]) -> tuple[Tension, ...]:
    """The computed ones before those that are only read, else as found."""
    return tuple(sorted(tensions, key=lambda one: one.class_ != COMPUTED))


def _quoted(place: Place, before: Place | None = None) -> str:
    words = in_quotes(shortened(place.quote, LONGEST_QUOTE))
    where = "you said" if place.said_at_s is not None else f"slide {place.slide} says"
    if before is not None and before.said_at_s is None is place.said_at_s and before.slide == place.slide:
        where = "it also says"
    return f"{where} {words}"
