"""Claims of a deck and of speech: each line, sentence or cell that holds a number or a date.

A claim is verbatim, with its place and its quantities. Nothing is read out of words: what a line
without figures asserts, a model says. Hidden slides, notes, alternative texts and lines that
nobody asserts (`deck.asserted`) give no claims, and no question does. A sentence that stands on
several slides is claimed once, where it comes first.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from orchestrator.material.claims.cells import chart_assertions, table_assertions
from orchestrator.material.claims.measured import kinds_of, quantities_of
from orchestrator.material.claims.scripts import word_count
from orchestrator.material.claims.sentences import LONGEST_SENTENCE, sentences, without_final_stop
from orchestrator.material.deck.asserted import asserted_lines
from orchestrator.material.model.claim import Claim, Quantity
from orchestrator.material.model.segment import Segment
from orchestrator.material.model.slide import Deck, Slide

_FEWEST_WORDS: Final = 2  # one word asserts nothing
_FEWEST_WORDS_OF_A_DATE: Final = 5
"""A date in fewer words is a heading or a caption: "Annual report 2025", "Board meeting, May 2026"."""
_FEWEST_SPOKEN_WORDS: Final = 5
""" "Twenty nine percent." repeats or corrects, and nobody could say what it is about."""


@dataclass(frozen=True, slots=True)
class _Assertion:
    """A claim before it is known where it stands."""

    text: str
    quantities: tuple[Quantity, ...]
    origin: str
    has_date: bool = False

    def claim(self, id_: str, slide: int | None, segment: Segment | None = None) -> Claim:
        kinds = kinds_of(self.quantities, has_date=self.has_date)
        said_at_s, speaker = (segment.start_s, segment.speaker) if segment else (None, None)
        return Claim(id_, kinds, self.text, slide, said_at_s, speaker, self.quantities, self.origin)


def deck_claims(deck: Deck) -> tuple[Claim, ...]:
    """The claims of the slides that are shown, in reading order, with ids d<slide>.<n>."""
    seen: set[str] = set()
    claims: list[Claim] = []
    for slide in deck.slides:
        number = 0
        for found in _of_slide(slide):
            if found.origin in ("title", "line"):
                words = " ".join(found.text.casefold().split())
                if words in seen:
                    continue
                seen.add(words)
            number += 1
            claims.append(found.claim(f"d{slide.number}.{number}", slide.number))
    return tuple(claims)


def speech_claims(segment: Segment, index: int) -> tuple[Claim, ...]:
    """The claims of the transcript's *index*-th segment (from 1), with ids s<index>.<n>."""
    found = [one for one in _of_text(segment.text, "speech") if len(one.text.split()) >= _FEWEST_SPOKEN_WORDS]
    return tuple(
        one.claim(f"s{index}.{number}", segment.slide, segment) for number, one in enumerate(found, start=1)
    )


def _of_slide(slide: Slide) -> Iterator[_Assertion]:
    if slide.hidden:
        return
    for origin, line, _ in asserted_lines(slide):
        yield from _of_text(line, origin)
    for table in slide.tables:
        yield from (_Assertion(*found, "table") for found in table_assertions(table))
    for chart in slide.charts:
        yield from (_Assertion(*found, "chart") for found in chart_assertions(chart))


def _of_text(text: str, origin: str) -> Iterator[_Assertion]:
    for start, end in sentences(text):
        if end - start > LONGEST_SENTENCE or text[start:end].rstrip("\"'”’)").endswith("?"):
            continue
        sentence = without_final_stop(text[start:end])
        words = word_count(sentence)
        if words < _FEWEST_WORDS:
            continue
        quantities, dates = quantities_of(sentence)
        if not any(one.unit for one in quantities) and words < _FEWEST_WORDS_OF_A_DATE:
            continue
        if quantities or dates:
            yield _Assertion(sentence, quantities, origin, bool(dates))
