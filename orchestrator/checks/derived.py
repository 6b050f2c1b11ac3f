"""What a deck's figures give when they are multiplied and divided, against what the deck says."""

from __future__ import annotations

from collections.abc import Iterator

from orchestrator.checks.capacity import capacity_tensions
from orchestrator.checks.moments import moments
from orchestrator.checks.passages import shown
from orchestrator.checks.products import product_tensions
from orchestrator.checks.ratios import ratio_tensions
from orchestrator.checks.said import said_of, without_other_years
from orchestrator.claims.model import Tension
from orchestrator.deck.model import Deck


def derived_tensions(deck: Deck) -> Iterator[Tension]:
    """Products and ratios of quantities that a slide, or two, tie together."""
    slides = list(shown(deck))
    year = _year(deck)
    said = {slide.number: without_other_years(said_of(slide), year) for slide in slides}
    for slide in slides:
        others = [one for other in slides if other is not slide for one in said[other.number]]
        yield from product_tensions(slide.title, slide.lines, said[slide.number], others)
    yield from capacity_tensions([(s.title, s.lines, said[s.number]) for s in slides])
    yield from ratio_tensions([said[s.number] for s in slides])


def _year(deck: Deck) -> int | None:
    """The year that the deck is about: the last that a title names."""
    years = [m.last.year for slide in deck.slides for m in moments(slide.title) if not m.yearless]
    return max(years, default=None)
