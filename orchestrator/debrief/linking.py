"""Which question was about which contradiction: told by the places that both name, and by no wording."""

from __future__ import annotations

from collections.abc import Sequence

from orchestrator.debrief.model import Review
from orchestrator.model.claim import Place, Tension
from orchestrator.model.exchange import Exchange


def asked_about(reviews: Sequence[Review], tension: Tension) -> Review | None:
    """The last exchange whose quotes are the contradiction's, both of them; None: nobody asked."""
    return next((one for one in reversed(reviews) if _is_about(one.exchange, tension)), None)


def _is_about(exchange: Exchange, tension: Tension) -> bool:
    """Both sides stand in the question's places: its own, and the one beside it."""
    if exchange.quote is None:
        return False
    own = [Place(exchange.slide, exchange.said_at_s, exchange.quote)]
    own += [exchange.beside] if exchange.beside is not None else []
    return all(any(_is_one(side, place) for place in own) for side in (tension.a, tension.b))


def _is_one(one: Place, other: Place) -> bool:
    """One slide, one moment, and one of the quotes holds the other."""
    if (one.slide, one.said_at_s) != (other.slide, other.said_at_s):
        return False
    return bool(one.quote and other.quote) and (one.quote in other.quote or other.quote in one.quote)
