"""Whether a contradiction is one that is known: the same two stretches, or the same numbers in them."""

from __future__ import annotations

from collections.abc import Sequence

from orchestrator.checks.quotes import fold
from orchestrator.claims.model import Place, Tension
from orchestrator.claims.numbers import numbers_in


def is_known(tension: Tension, known: Sequence[Tension]) -> bool:
    """Whether *known* holds it already, in whatever order and however far its quotes reach."""
    return any(_are_same(tension, one) for one in known)


def _are_same(one: Tension, other: Tension) -> bool:
    ways = ((other.a, other.b), (other.b, other.a))
    if any(_stands_in(one.a, a) and _stands_in(one.b, b) for a, b in ways):
        return True
    mine, theirs = one.sides, other.sides
    return all(any(_stands_in(place, there) for there in theirs) for place in mine) and all(
        any(_stands_in(place, there) for there in mine) for place in theirs
    )


def _stands_in(one: Place, other: Place) -> bool:
    """One of them is a part of the other, or both name the same numbers at one place."""
    if (one.slide, one.said_at_s) != (other.slide, other.said_at_s):
        return False
    mine, theirs = fold(one.quote), fold(other.quote)
    return mine in theirs or theirs in mine or _shared(one.quote, other.quote)


def _shared(one: str, other: str) -> bool:
    mine, theirs = ({(n.value, n.unit) for n in numbers_in(text)} for text in (one, other))
    return bool(mine) and mine == theirs
