"""Claims of a deck and of speech: each a verbatim stretch with its place, kinds and quantities.

Precision comes before recall: a sentence is a claim when it measures, ranks, promises,
compares or explains something, and not when it asks, instructs, cites or labels. What is
not shown to the audience is not claimed: hidden slides, presenter's notes and alternative
texts give no claims. A sentence that stands on several slides is claimed once, where it
comes first.

The rules are English. In a deck or segment of another language only digits are read:
amounts, percentages and multiples in its lines, and the cells of its tables.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from orchestrator.claims.boilerplate import NO_WORD, claims_nothing, is_boilerplate, lists_criteria
from orchestrator.claims.cells import chart_assertions, table_assertions
from orchestrator.claims.cues import PLAN_HEADING, THRESHOLD
from orchestrator.claims.kinds import kinds_of
from orchestrator.claims.language import reads_as_english
from orchestrator.claims.model import Claim, Quantity
from orchestrator.claims.periods import find_periods
from orchestrator.claims.quantities import measure
from orchestrator.claims.sentences import LONGEST_SENTENCE, sentences, without_final_stop
from orchestrator.deck.model import Deck, Slide
from orchestrator.speech.model import Segment

_FOOTER_SLIDES: Final = 3
"""A line that stands on this many slides is a footer or a running head."""

LONGEST_HEADING: Final = 4
"""Words of a line that may be a heading of the lines below it."""
_FEWEST_WORDS: Final = 2
_STOP = re.compile(r"[.!?…]")
_FEWEST_SPOKEN_WORDS: Final = 5
_SHORTEST_STATEMENT: Final = 5


@dataclass(frozen=True, slots=True)
class _Assertion:
    """A claim before it is known where it stands."""

    text: str
    kinds: tuple[str, ...]
    quantities: tuple[Quantity, ...]
    origin: str


def deck_claims(deck: Deck) -> tuple[Claim, ...]:
    """The claims of the slides that are shown, in reading order, with ids d<slide>.<n>."""
    words = "\n".join(line for slide in deck.slides for line in (slide.title, *slide.lines))
    english = reads_as_english(words)
    repeated = footers(deck)
    seen: set[str] = set()
    claims = []
    for slide in deck.slides:
        number = 0
        for assertion in _slide_assertions(slide, repeated, english=english):
            key = f"{assertion.origin}:{slide.number}" if assertion.origin in ("table", "chart") else ""
            key += " ".join(assertion.text.casefold().split())
            if key in seen and not key.startswith(("table", "chart")):
                continue
            seen.add(key)
            number += 1
            claims.append(
                Claim(
                    id=f"d{slide.number}.{number}",
                    kinds=assertion.kinds,
                    text=assertion.text,
                    slide=slide.number,
                    said_at_s=None,
                    quantities=assertion.quantities,
                    origin=assertion.origin,
                )
            )
    return tuple(claims)


def speech_claims(segment: Segment, index: int, *, english: bool | None = None) -> tuple[Claim, ...]:
    """The claims of the transcript's *index*-th segment (from 1), with ids s<index>.<n>.

    Args:
        english: What the language of the whole speech is; told from the segment if None.
    """
    if NO_WORD.search(segment.text):
        return ()
    if english is None:
        english = reads_as_english(segment.text)
    claims: list[Claim] = []
    for assertion in _assertions(segment.text, "speech", english=english):
        if len(assertion.text.split()) < _FEWEST_SPOKEN_WORDS:
            continue
        if not assertion.quantities and _is_fragment(segment.text, assertion.text):
            continue
        claims.append(
            Claim(
                id=f"s{index}.{len(claims) + 1}",
                kinds=assertion.kinds,
                text=assertion.text,
                slide=segment.slide,
                said_at_s=segment.start_s,
                speaker=segment.speaker,
                quantities=assertion.quantities,
                origin="speech",
            )
        )
    return tuple(claims)


def _is_fragment(text: str, sentence: str) -> bool:
    """The segment cuts the sentence off; text without capitals and stops tells nothing about that."""
    if text.islower() and not _STOP.search(text):
        return False
    start = text.find(sentence)
    stopped = _STOP.match(text[start + len(sentence) :].lstrip("\"'”’)"))
    return text[start].islower() or stopped is None


def footers(deck: Deck) -> frozenset[str]:
    """Lines that stand on so many slides that they are footers or running heads."""
    counts = Counter(line for slide in deck.slides for line in {line.strip() for line in slide.lines})
    return frozenset(line for line, count in counts.items() if count >= _FOOTER_SLIDES)


def _slide_assertions(slide: Slide, repeated: frozenset[str], *, english: bool) -> Iterator[_Assertion]:
    if slide.hidden or claims_nothing(slide.title):
        return
    headings = [slide.title, *(line for line in slide.lines if len(line.split()) <= LONGEST_HEADING)]
    criteria = any(lists_criteria(heading) for heading in headings)
    planned = english and any(PLAN_HEADING.search(heading) for heading in headings)
    for origin, line in (("title", slide.title), *(("line", line) for line in slide.lines)):
        if line.strip() in repeated or is_boilerplate(line):
            continue
        for assertion in _assertions(line, origin, english=english, planned=planned):
            if not criteria or _is_filled_in(assertion):
                yield assertion
    for table in slide.tables:
        yield from (_Assertion(*found, "table") for found in table_assertions(table, english=english))
    for chart in slide.charts:
        yield from (_Assertion(*found, "chart") for found in chart_assertions(chart))


def _is_filled_in(assertion: _Assertion) -> bool:
    """On a slide of criteria: the presenter's own figure, and not the threshold that was set."""
    return bool(assertion.quantities) and not THRESHOLD.search(assertion.text)


def _assertions(text: str, origin: str, *, english: bool, planned: bool = False) -> Iterator[_Assertion]:
    spoken = origin == "speech"
    for start, end in sentences(text):
        if end - start > LONGEST_SENTENCE or text[start:end].rstrip("\"'”’)").endswith("?"):
            continue
        sentence = without_final_stop(text[start:end])
        if len(sentence.split()) < _FEWEST_WORDS or (spoken and is_boilerplate(sentence)):
            continue
        periods = find_periods(sentence)
        quantities = tuple(found.quantity for found in measure(sentence, english=english, periods=periods))
        kinds = kinds_of(sentence, quantities, periods, english=english, spoken=spoken, planned=planned)
        if not kinds or (origin == "title" and not quantities and not _asserts(sentence, kinds)):
            continue
        yield _Assertion(sentence, kinds, quantities, origin)


def _asserts(title: str, kinds: tuple[str, ...]) -> bool:
    """A title without a number is a claim only as a whole statement, not as a heading."""
    return len(title.split()) >= _SHORTEST_STATEMENT and kinds != ("comparison",)
