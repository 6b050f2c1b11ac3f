"""The claims of a deck ranked by how vulnerable they are, and the few that are worth preparing for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from orchestrator.claims.model import Claim
from orchestrator.dossier.model import Weakness
from orchestrator.dossier.weaknesses import is_telling, strength
from orchestrator.engines.angles import touches
from orchestrator.intel.vocabulary import stems

MOST_ATTACKS: Final = 8
_FOCUS: Final = 0.8
_FAINT: Final = 1.6
"""A lone cell or label: it can be attacked, but it is hard to say so."""
_SAME_SLIDE: Final = 0.9
_SAME_WEAKNESS: Final = 0.5
_SAME_WORDS: Final = 0.6
"""Share of telling words from which two claims say the same."""


@dataclass(frozen=True, slots=True)
class Rated:
    """A claim with what can be held against it."""

    claim: Claim
    weaknesses: tuple[Weakness, ...]
    weight: float


def weight_of(claim: Claim, found: Sequence[Weakness], focus: Sequence[str]) -> float:
    weight = strength(found)
    if claim.origin in ("table", "chart") or len(claim.text.split()) < 3:
        weight -= _FAINT
    return weight + _FOCUS * touches(claim, focus)


def chosen_of(rated: Sequence[Rated]) -> list[Rated]:
    """The most vulnerable claims, spread over slides and weaknesses; none that only repeats another."""
    left = [one for one in rated if is_telling(one.weaknesses) and one.weight > 0]
    chosen: list[Rated] = []
    while left and len(chosen) < MOST_ATTACKS:
        best = max(left, key=lambda one: one.weight - _sameness(one, chosen))
        left.remove(best)
        if not any(_repeats(best.claim, other.claim) or _is_other_side(best, other) for other in chosen):
            chosen.append(best)
    return chosen


def _sameness(one: Rated, chosen: Sequence[Rated]) -> float:
    slide = sum(_SAME_SLIDE for other in chosen if other.claim.slide == one.claim.slide)
    first = one.weaknesses[0].kind
    return slide + sum(_SAME_WEAKNESS for other in chosen if other.weaknesses[0].kind == first)


def _is_other_side(one: Rated, other: Rated) -> bool:
    """The two claims contradict each other: one attack is enough for both."""
    own, theirs = (
        {_after(w.note) for w in rated.weaknesses if w.kind == "tension"} for rated in (one, other)
    )
    return not own.isdisjoint(theirs)


def _after(note: str) -> str:
    return note.partition(": ")[2]


def _repeats(claim: Claim, other: Claim) -> bool:
    own, theirs = stems(claim.text), stems(other.text)
    return bool(own) and len(own & theirs) > _SAME_WORDS * min(len(own), len(theirs)) and len(own) > 1
