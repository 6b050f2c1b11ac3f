"""Slides with several things against them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from orchestrator.claims.model import Gap
from orchestrator.deck.model import Slide
from orchestrator.dossier.model import WeakSlide
from orchestrator.dossier.rating import Rated
from orchestrator.dossier.weaknesses import is_telling

MOST_WEAK_SLIDES: Final = 5
_WEAK_REASONS: Final = 2


def weak_slides_of(
    rated: Sequence[Rated], gaps: Sequence[Gap], slides: Mapping[int, Slide]
) -> tuple[WeakSlide, ...]:
    """Slides with several things against them, the weakest first."""
    found = []
    for number, slide in slides.items():
        if slide.hidden:
            continue
        weak = [one for one in rated if one.claim.slide == number and is_telling(one.weaknesses)]
        own = [gap.note for gap in gaps if gap.slide == number]
        if not own and len(weak) < _WEAK_REASONS:
            continue
        reasons = [*own, *_tally(weak)]
        found.append(
            (sum(one.weight for one in weak) + len(own), WeakSlide(number, slide.title, tuple(reasons)))
        )
    found.sort(key=lambda pair: -pair[0])
    return tuple(slide for _, slide in found[:MOST_WEAK_SLIDES])


_TALLIES: Final = {
    "ask": "that ask for money",
    "tension": "contradicted inside the deck",
    "intel": "contradicted from outside",
    "red flag": "on the panel's list of red flags",
    "benchmark": "outside a published range",
    "base": "without a starting figure",
    "whole": "a share of an unknown whole",
    "number": "without a figure",
    "superlative": "ranked without a ranking",
    "absolute": "promised without a limit",
    "unsigned": "not signed",
    "comparison": "compared without a measurement",
    "cause": "explained by one cause",
    "unfinished": "not done yet",
    "deadline": "due on a date, with nothing it hangs on",
    "assumption": "forecast without an assumption",
    "date": "without a date",
    "period": "without a period",
}


def _tally(weak: Sequence[Rated]) -> list[str]:
    """ "3 claims without a figure", the commonest first."""
    counts: dict[str, int] = {}
    for one in weak:
        for kind in {weakness.kind for weakness in one.weaknesses}:
            counts[kind] = counts.get(kind, 0) + 1
    ranked = sorted((kind for kind in _TALLIES if kind in counts), key=lambda kind: -counts[kind])
    return [f"{counts[kind]} claim{'s' * (counts[kind] != 1)} {_TALLIES[kind]}" for kind in ranked[:3]]
