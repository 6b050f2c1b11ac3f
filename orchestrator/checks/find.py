"""Every check in one call: where a deck, and speech beside it, contradict themselves."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from orchestrator.checks.alike import Alike, alike_of, deck_alike, said_of, speech_alike, unsaid
from orchestrator.checks.chart_text import chart_tensions
from orchestrator.checks.dates import DeckDates, date_tensions, date_tensions_of_segment, deck_dates
from orchestrator.checks.durations import duration_tensions
from orchestrator.checks.echoes import Wording, deck_echoes, speech_echoes, wordings_of
from orchestrator.checks.explained import unexplained
from orchestrator.checks.figures import DeckWords, figures_of, figures_of_segment, words_of
from orchestrator.checks.growth import deck_growth, speech_growth
from orchestrator.checks.growth_words import growth_in_words, spoken_growth_in_words
from orchestrator.checks.levels import Groups, deck_levels, group, speech_levels
from orchestrator.checks.model import Figure
from orchestrator.checks.parts import part_tensions
from orchestrator.checks.promises import promise_tensions
from orchestrator.checks.rates import rate_tensions
from orchestrator.checks.reading.find import Reading, deck_tensions, reading_of, segment_tensions
from orchestrator.checks.reading.measures import measures_of_segment
from orchestrator.checks.reading.model import Measure
from orchestrator.checks.sums import sum_tensions
from orchestrator.checks.timed_rows import Row, timed_rows
from orchestrator.checks.vetoes import let_stand, levels_stand, of_ours, without_parts
from orchestrator.claims.model import Claim, Tension
from orchestrator.deck.model import Deck
from orchestrator.speech.model import Segment

Check = Callable[[Deck, Sequence[Figure], Sequence[Segment]], Iterator[Tension]]

_ON_DECKS: Final[tuple[Check, ...]] = (
    sum_tensions,
    chart_tensions,
    duration_tensions,
    rate_tensions,
    part_tensions,
    promise_tensions,
)
"""The checks that read slides and sentences by themselves."""


@dataclass(frozen=True, slots=True)
class Index:
    """A deck's figures, made once, for speech to be held against as it comes."""

    words: DeckWords
    figures: tuple[Figure, ...]
    groups: Groups
    dates: DeckDates
    rows: tuple[Row, ...]
    alike: Alike
    wordings: tuple[Wording, ...]
    reading: Reading


def index_of(deck: Deck, deck_claims: Sequence[Claim]) -> Index:
    """The index that `tensions_of_segment` compares with; remembered for the last decks asked about."""
    return _index_of(deck, tuple(deck_claims))


@lru_cache(maxsize=2)
def _index_of(deck: Deck, deck_claims: tuple[Claim, ...]) -> Index:
    words = words_of(deck)
    figures = figures_of(deck, deck_claims, words=words)
    alike = alike_of(deck, words)
    return Index(
        words,
        figures,
        group(figures, words.year),
        deck_dates(deck),
        timed_rows(deck),
        alike,
        wordings_of(alike.sayings, alike.crowded),
        reading_of(deck, words),
    )


def tensions(
    deck: Deck,
    deck_claims: Sequence[Claim],
    speech: Sequence[Segment] = (),
    speech_claims: Sequence[Claim] = (),
) -> tuple[Tension, ...]:
    """Every place where the deck contradicts itself, and where speech contradicts the deck.

    No two tensions name the same two quotes. Reads nothing but its arguments, and gives the
    same answer for the same arguments.
    """
    index = index_of(deck, deck_claims)
    found = [tension for check in _ON_DECKS for tension in check(deck, index.figures, speech)]
    found += date_tensions(deck, index.figures, speech, index=index.dates)
    found += growth_in_words(deck, index.rows)
    found += deck_growth(index.groups, index.figures)
    told = index.reading.measures
    setting = index.reading.setting
    found += levels_stand(deck_levels(index.groups), told, setting)
    found += unsaid(found, let_stand(deck_alike(index.alike), told, setting))
    found += unsaid(found, of_ours(deck_echoes(index.wordings), told))
    found += beside(found, without_parts(unexplained(deck_tensions(index.reading), told), told))
    for segment in speech:
        found += tensions_of_segment(
            index, segment, [c for c in speech_claims if c.said_at_s == segment.start_s]
        )
    return _without_repetition(found)


def tensions_of_segment(index: Index, segment: Segment, claims: Sequence[Claim] = ()) -> tuple[Tension, ...]:
    """Where one piece of speech contradicts the deck; the cost does not depend on what was said before."""
    found = [
        *date_tensions_of_segment(index.dates, segment),
        *spoken_growth_in_words(index.rows, segment),
    ]
    spoken = figures_of_segment(segment, claims, words=index.words)
    found += speech_growth(index.groups, spoken)
    sayings = said_of(index.alike, segment)
    levels = [*speech_levels(index.groups, spoken)]
    alike = [*speech_alike(index.alike, sayings)]
    echoes = [*speech_echoes(sayings, index.wordings)]
    read = [*segment_tensions(index.reading, segment)]
    told: tuple[Measure, ...] = ()
    if levels or alike or echoes or read:
        told = (*index.reading.measures, *measures_of_segment(segment, index.words))
        setting = index.reading.setting
        found += levels_stand(levels, told, setting)
        found += unsaid(found, let_stand(alike, told, setting))
        found += unsaid(found, of_ours(echoes, told))
    found += beside(found, without_parts(unexplained(read, told), told))
    return _without_repetition(found)


def beside(found: Sequence[Tension], new: Iterator[Tension]) -> list[Tension]:
    """Those of *new* of which neither place stands in a tension already."""
    told = {(p.slide, p.said_at_s, p.quote) for t in found for p in (t.a, t.b)}
    return [t for t in new if not {(p.slide, p.said_at_s, p.quote) for p in (t.a, t.b)} & told]


def _without_repetition(found: Sequence[Tension]) -> tuple[Tension, ...]:
    seen: set[frozenset[tuple[int | None, float | None, str]]] = set()
    kept = []
    for tension in found:
        key = frozenset((place.slide, place.said_at_s, place.quote) for place in (tension.a, tension.b))
        if key not in seen:
            seen.add(key)
            kept.append(tension)
    return tuple(kept)
