# ruff: noqa: E501 - a pattern lists its wordings
"""Pairs of levels of one thing at two times: what a change must follow from."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import Final

from orchestrator.checks.model import When
from orchestrator.checks.reading.model import (
    ACTUAL,
    BARE,
    COUNT,
    MONEY,
    MOVED,
    OTHERS,
    PAST,
    PHYSICAL,
    PLANNED,
    RANGE,
    Measure,
)
from orchestrator.checks.reading.subject import features
from orchestrator.checks.reading.terms import Term
from orchestrator.checks.when import fixed
from orchestrator.claims.calendar import MONTHS

_OF = re.compile(r"\s*(?:\w+\s)?(?:out )?of\s(?:the |our |its |all |their |these )?", re.I)
_LEAST_FACTOR: Final = 0.15
_SMALL: Final = 12


@dataclass(frozen=True, slots=True, eq=False)
class Pair:
    """One thing before and after."""

    old: Measure
    new: Measure
    own: tuple[Term, ...]
    around: tuple[Term, ...]
    is_only: bool  # the two are all the times that are told of it
    gap_years: float | None
    series: int  # the same for all pairs of one series
    is_next: bool = True  # the two stand next to each other in their series


def pairs_of(measures: Sequence[Measure]) -> list[Pair]:
    """The pairs within one sentence, one table row or column, and one list."""
    found: list[Pair] = []
    found += _in_sentences(measures)
    found += _in_tables(measures)
    found += _in_lists(measures)
    found += _beside(measures)
    found += _across(measures)
    return [pair for pair in found if _is_sound(pair)]


def _is_sound(pair: Pair) -> bool:
    """The two are of one size, and no small numbers without a unit, which may be names."""
    old, new = pair.old.amount, pair.new.amount
    if old.value <= 0 or not _LEAST_FACTOR < new.value / old.value < 1 / _LEAST_FACTOR:
        return False
    return not (
        old.kind == new.kind == BARE
        and max(old.value, new.value) < _SMALL
        and old.value % 1 == 0
        and pair.new.row is None
    )


def _in_sentences(measures: Sequence[Measure]) -> Iterator[Pair]:
    by_piece: dict[int, list[Measure]] = defaultdict(list)
    for measure in measures:
        if measure.row is None:
            by_piece[id(measure.piece)].append(measure)
    for mine in by_piece.values():
        for position, first in enumerate(mine):
            for second in mine[position + 1 :]:
                if not _alike(first, second) or _is_part_of(first, second):
                    continue
                statuses = (first.status, second.status)
                if statuses == (ACTUAL, PAST):
                    yield _pair(second, first, True)
                    break
                if statuses == (PAST, ACTUAL):
                    yield _pair(first, second, True)
                    break
                if statuses == (ACTUAL, ACTUAL) and (order := _order(first, second)):
                    yield _pair(*((first, second) if order < 0 else (second, first)), True)
                    break
                if statuses == (ACTUAL, ACTUAL) and _is_before(second, first):
                    yield _pair(second, first, True)
                    break


def _is_part_of(first: Measure, second: Measure) -> bool:
    """ "Three of the four customers": a part and its whole, and not before and after."""
    between = first.piece.text[first.amount.end : second.amount.start]
    return bool(_OF.fullmatch(between))


def _in_tables(measures: Sequence[Measure]) -> Iterator[Pair]:
    rows: dict[tuple[int, int, int], list[Measure]] = defaultdict(list)
    columns: dict[tuple[int, int, int], list[Measure]] = defaultdict(list)
    for measure in measures:
        if measure.row is not None and measure.status not in (PLANNED, OTHERS, RANGE, MOVED):
            rows[measure.row].append(measure)
            columns[measure.row[0], measure.row[1], measure.column].append(measure)
    for group in rows.values():
        yield from _timed(group)
    for group in columns.values():
        yield from _timed(group, in_column=True)


_MONTH = re.compile(r"(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?$", re.I)
_SEASON = re.compile(r"\b(?:20)?(?P<first>\d\d)/(?:20)?(?P<last>\d\d)\b")
_RELATIVE: Final = (
    (
        re.compile(
            r"\b(?:before|previous|prior|last (?:year|season|winter|summer|quarter|month)|(?:a )?year ago|then|earlier|old|was|start)\b",
            re.I,
        ),
        0,
    ),
    (
        re.compile(
            r"\b(?:this (?:year|season|winter|summer|quarter|month)|now|today|current|after|new|latest|at present)\b",
            re.I,
        ),
        1,
    ),
)


def _key(measure: Measure, *, in_column: bool = False) -> float | None:
    """Where the measure stands in time, to be compared within one table or list only."""
    if start := _start(measure):
        return start.year + (start.month - 1) / 12
    text = (
        measure.piece.text.split("|")[0]
        if measure.row and in_column
        else measure.column_label or measure.piece.text
    )
    if measure.row and in_column and (month := _MONTH.match(text.strip())):
        return MONTHS.index(month[1].lower()) / 12
    if (season := _SEASON.search(text)) and int(season["last"]) == int(season["first"]) + 1:
        return 2000.0 + int(season["first"])
    return (
        next((float(order) for pattern, order in _RELATIVE if pattern.search(text)), None)
        if measure.row
        else None
    )


def _timed(group: Sequence[Measure], *, in_column: bool = False) -> Iterator[Pair]:
    keyed = [(key, m) for m in group if (key := _key(m, in_column=in_column)) is not None]
    if not (
        in_column and all(0 <= key < 1 for key, _ in keyed)
    ):  # months without a year stand in their order
        keyed.sort(key=lambda row: row[0])
    timed = [m for _, m in keyed]
    if len(timed) < 2 or len({key for key, _ in keyed}) != len(timed) or (keyed[0][0] < 2 <= keyed[-1][0]):
        return
    for position, old in enumerate(timed):
        for new in timed[position + 1 :]:
            if old.amount.kind == new.amount.kind and old.amount.unit == new.amount.unit:
                yield replace(
                    _pair(old, new, len(timed) == 2, id(timed[0])), is_next=timed[position + 1] is new
                )


def _in_lists(measures: Sequence[Measure]) -> Iterator[Pair]:
    """ "2023: 84" above "2025: 63": what stands in the title, or the same words with another time."""
    slides: dict[int | None, list[Measure]] = defaultdict(list)
    for measure in measures:
        if (
            measure.row is None
            and measure.piece.origin == "line"
            and measure.status in (ACTUAL, PAST)
            and _start(measure)
        ):
            slides[measure.piece.slide].append(measure)
    for group in slides.values():
        by_words: dict[tuple[str, str, frozenset[str]], list[Measure]] = defaultdict(list)
        for measure in group:
            key = (measure.amount.kind, measure.amount.unit, features(measure.own))
            if all(m.piece is not measure.piece for m in by_words[key]):
                by_words[key].append(measure)
        for mine in by_words.values():
            yield from _timed(mine)


def _beside(measures: Sequence[Measure]) -> Iterator[Pair]:
    """ "The winter before it was 12,000", behind the line that says what."""
    pieces: dict[tuple[int | None, int], list[Measure]] = defaultdict(list)
    for measure in measures:
        if measure.row is None:
            pieces[measure.piece.slide, measure.piece.order].append(measure)
    for (slide, order), mine in pieces.items():
        before = next((m for m in pieces.get((slide, order - 1), ()) if m.status == ACTUAL), None)
        for after in mine[:1]:
            told = [t for t in after.own if len(t.plain) > 2]
            if before and after.status == PAST and _alike(after, before) and len(told) <= 1:
                yield _pair(after, before, True)


def _across(measures: Sequence[Measure]) -> Iterator[Pair]:
    """ "New orders 88 million" here, "Orders in the first half of last year: 92 million" there."""
    said = [m for m in measures if m.row is None and m.own and not m.per]
    for old in said:
        if old.status != PAST or not any(w.kind == "relative" for w in old.when):
            continue
        others = [
            m
            for m in said
            if m.status == ACTUAL
            and m.piece is not old.piece
            and m.own[0].features & features(old.own)
            and (m.amount.kind, m.amount.unit, m.rate, m.names)
            == (old.amount.kind, old.amount.unit, old.rate, old.names)
            and m.amount.kind in (MONEY, PHYSICAL, COUNT)
            and features(m.own) & features(old.own) >= features(m.own[:1])
            and sum(not t.features & features((*old.own, *old.around)) for t in m.own) == 0
        ]
        if len(others) == 1 and not others[0].when:
            yield _pair(old, others[0], True)


def _alike(a: Measure, b: Measure) -> bool:
    if a.amount.kind == b.amount.kind:
        return a.amount.unit == b.amount.unit and (not a.noun or not b.noun or bool(a.noun & b.noun))
    return {a.amount.kind, b.amount.kind} in (
        {"count", "bare"},
        {"money", "bare"},
        {"physical", "bare"},
        {"share", "bare"},
    ) and 0.2 < abs(a.amount.value / (b.amount.value or 1)) < 5


def _start(measure: Measure) -> date | None:
    return next((w.first for w in fixed(measure.when) if w.first), None)


def _order(a: Measure, b: Measure) -> int:
    one, two = _start(a), _start(b)
    if one and two and one != two:
        return -1 if one < two else 1
    return 0


def _is_before(a: Measure, b: Measure) -> bool:
    """ "204 % (June: 199 %)", "41,000 in May last year": the one is told of an earlier time."""
    one, two = (frozenset(w.words for w in m.when) for m in (a, b))
    if any(words.startswith("last ") for words in one - two) and not one & two - {"last year"} - one:
        return not any(words.startswith("last ") for words in two)
    text, start = a.piece.text, b.amount.end
    return (
        bool(one)
        and not two
        and not text[start : text.find("(", start)].strip()
        and text.find("(", start) < a.amount.start
        and text.find(")", start) >= a.amount.end
    )


def _pair(old: Measure, new: Measure, is_only: bool, series: int = 0) -> Pair:
    common = features(old.own) if new.row else frozenset()
    own = tuple(t for t in new.own if not common or t.features & common) or new.own
    if common:
        own = tuple(t for t in new.own if t.features & common)
    if new.row is None:
        own = (*own, *(t for t in old.own if t not in own))
    one, two = _start(old), _start(new)
    return Pair(
        old,
        new,
        own,
        new.around,
        is_only,
        (two - one).days / 365.25 if one and two else None,
        series or id(new),
    )


def whens_of(pair: Pair) -> tuple[When, ...]:
    """The times of both ends."""
    return (*fixed(pair.old.when), *fixed(pair.new.when))
