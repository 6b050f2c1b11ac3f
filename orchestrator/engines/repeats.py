"""Whether two claims say the same: a spoken sentence that reads a slide out is no second claim."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Final

from orchestrator.claims.model import Claim
from orchestrator.claims.units import TIME_UNITS, is_currency
from orchestrator.claims.words import word_set

_SAME_NUMBER: Final = 0.005
"""Relative difference up to which a spoken figure is the written one, rounded: 98 for 97.8 percent."""
_SAME_WORDS: Final = 0.6
"""Share of the shorter sentence's telling words that the other must hold."""
_FEWEST_WORDS: Final = 3
_KEPT: Final = 4096
_TELLING = re.compile(r"[a-z]{4,}")
_COMMON: Final = word_set(
    "about after also because been before between both from have into more most much only over than that "
    "their them then there these they this those very well were what when which while will with would your "
    "year years percent euros dollars pounds million thousand hundred grew grown "
    "growth rose fallen fell increased decreased reduced reached today nearly almost"
)


@dataclass(frozen=True, slots=True)
class Gist:
    """What a claim comes down to, for telling whether another says it too."""

    words: frozenset[str]
    amounts: tuple[tuple[str, float], ...]


@lru_cache(maxsize=_KEPT)
def gist(claim: Claim) -> Gist:
    """The claim's telling words, and its numbers with the sort of unit that they have."""
    return Gist(telling(claim.text), tuple((_sort(q.unit), q.value) for q in claim.quantities))


def telling(text: str) -> frozenset[str]:
    """The words of some length that say what the text is about, without the s of a plural."""
    words = (word for word in _TELLING.findall(text.lower()) if word not in _COMMON)
    return frozenset(word.rstrip("s") for word in words)


def same(one: Gist, other: Gist) -> bool:
    """The claims repeat each other: the same numbers about the same thing, or the same words.

    Where both give numbers and those differ, they are two claims, however alike the words
    are: that is a contradiction to ask about.
    """
    if one.words.isdisjoint(other.words):
        return False
    shared = len(one.words & other.words)
    if one.amounts and other.amounts:
        few, many = sorted((one.amounts, other.amounts), key=len)
        return shared > 0 and all(any(_equal(amount, known) for known in many) for amount in few)
    shorter = min(len(one.words), len(other.words))
    return shorter >= _FEWEST_WORDS and shared >= _SAME_WORDS * shorter


@dataclass(frozen=True, slots=True, eq=False)
class Settled:
    """What has been asked about, and which claims were found to say it again, by their ids."""

    gists: tuple[Gist, ...]
    known: dict[str, tuple[Claim, bool]] = field(default_factory=dict)

    def is_repeated_by(self, claim: Claim) -> bool:
        """The claim says again, aloud or on a slide, what somebody has asked about already."""
        if not self.gists or claim.origin in ("table", "chart"):
            return False
        known = self.known.get(claim.id)
        if known is None or (known[0] is not claim and known[0] != claim):
            if len(self.known) >= _KEPT:
                self.known.clear()
            own = gist(claim)
            known = self.known[claim.id] = claim, any(same(own, other) for other in self.gists)
        return known[1]


def _sort(unit: str | None) -> str:
    if is_currency(unit):
        return "money"
    return unit if unit in ("%", "points", "x") or unit in TIME_UNITS else "count"


def _equal(amount: tuple[str, float], known: tuple[str, float]) -> bool:
    return amount[0] == known[0] and abs(amount[1] - known[1]) <= _SAME_NUMBER * max(abs(amount[1]), 1.0)
