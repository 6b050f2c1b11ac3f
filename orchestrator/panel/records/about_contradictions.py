"""Whether a question is about a contradiction: told by the places of its quotes."""

from __future__ import annotations

from collections.abc import Sequence

from orchestrator.material.model.claim import Place, Tension
from orchestrator.panel.model.exchange import Candidate, Exchange


def is_about(asked: Candidate | Exchange, tension: Tension) -> bool:
    """Whether two of the contradiction's places stand in the question's: its own, and the one beside it.

    One is enough where the contradiction has no other: a sentence that contradicts itself.
    """
    if asked.quote is None:
        return False
    own = [Place(asked.slide, asked.said_at_s, asked.quote)]
    own += [asked.beside] if asked.beside is not None else []
    return are_of(own, tension)


def are_of(places: Sequence[Place], tension: Tension) -> bool:
    """Whether two of the contradiction's places, or its only one, are among these."""
    sides = dict.fromkeys(tension.sides)
    return sum(any(_is_one(side, place) for place in places) for side in sides) >= min(2, len(sides))


def _is_one(one: Place, other: Place) -> bool:
    """One slide, one moment, and one of the quotes holds the other."""
    if (one.slide, one.said_at_s) != (other.slide, other.said_at_s):
        return False
    return bool(one.quote and other.quote) and (one.quote in other.quote or other.quote in one.quote)
