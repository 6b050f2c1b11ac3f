"""Sums that fail, found without a model: in tables by structure, and in single sentences.

Every rule here takes figures that layout or one sentence ties together. None decides which figure
belongs to which words, and none reaches over two sentences or two slides.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

from orchestrator.material.checks.charts import chart_tensions
from orchestrator.material.checks.growth import growth_tensions
from orchestrator.material.checks.lists import list_tensions
from orchestrator.material.checks.percentages import share_tensions
from orchestrator.material.checks.rates import rate_tensions
from orchestrator.material.checks.sentence import Sentence, sentences_of
from orchestrator.material.checks.tables import table_tensions
from orchestrator.material.checks.times import time_tensions
from orchestrator.material.model.claim import Place, Tension
from orchestrator.material.model.segment import Segment
from orchestrator.material.model.slide import Deck

_ON_SENTENCES: Final[tuple[Callable[[Sentence], Iterator[Tension]], ...]] = (
    list_tensions,
    share_tensions,
    growth_tensions,
    rate_tensions,
    time_tensions,
)


def deck_tensions(deck: Deck) -> tuple[Tension, ...]:
    """Where the arithmetic of a slide that is shown, or of its notes, is certainly wrong."""
    found: list[Tension] = []
    for slide in deck.slides:
        if slide.hidden:
            continue
        for table in slide.tables:
            found += table_tensions(table, slide.number)
        for chart in slide.charts:
            found += chart_tensions(chart, slide)
        lines = (line for at, line in enumerate(slide.lines) if at not in slide.furniture)
        for text in (slide.title, *lines, *slide.notes.split("\n")):
            found += _of_text(text, slide.number, None)
    return tuple(dict.fromkeys(found))


def speech_tensions(segment: Segment) -> tuple[Tension, ...]:
    """Where the arithmetic of one sentence of *segment* is certainly wrong."""
    return tuple(dict.fromkeys(_of_text(segment.text, segment.slide, segment.start_s)))


def _of_text(text: str, slide: int | None, said_at_s: float | None) -> Iterator[Tension]:
    for sentence in sentences_of(text, lambda quote: Place(slide, said_at_s, quote)):
        for rule in _ON_SENTENCES:
            yield from rule(sentence)
