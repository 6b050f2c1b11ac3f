# ruff: noqa: E501 - a table of names lists many in a line
"""Figures that stand beside each other under names: what may be ranked, and what makes up a whole."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Final

from orchestrator.checks.reading.model import ACTUAL, BARE, COUNT, MONEY, PHYSICAL, SHARE, Measure
from orchestrator.checks.reading.subject import features
from orchestrator.checks.reading.terms import Term, plain, terms_of
from orchestrator.claims.periods import find_periods

_RANKED: Final = (COUNT, BARE, MONEY, PHYSICAL, SHARE)
_ADDED: Final = (COUNT, BARE, MONEY, PHYSICAL)
_TOTAL: Final = re.compile(
    r"\b(?:total|sum|all|overall|altogether|together|result|average|mean|median|net|gross|balance|surplus|deficit|costs?|profit|loss)\b",
    re.I,
)
_REST: Final = re.compile(
    r"\b(?:others?|rest|remaining|remainder|everything|everyone|miscellaneous|various)\b", re.I
)
_NOT_ADDED: Final = re.compile(
    r"\b(?:price|rate|ratio|index|score|per|age|rating|points|margin|wait\w*|length|duration)\b|%|/",
    re.I,
)
_AVERAGE: Final = re.compile(r"\b(?:average|avg|mean|median|typical)\b", re.I)
_CHANGES: Final = re.compile(
    r"\b(?:change|growth|change[ds]?|delta|vs|versus|against|variance|difference|yoy|rank)\b|\+|±|Δ", re.I
)
_WEEKDAY: Final = re.compile(r"(?:mon|tues|wednes|thurs|fri|satur|sun)days?", re.I)


@dataclass(frozen=True, slots=True, eq=False)
class Item:
    """One figure and the name that it stands under."""

    name: str
    words: tuple[str, ...]  # of the name, in plain form
    measure: Measure
    is_rest: bool = False  # "others": neither largest nor smallest of anything


@dataclass(frozen=True, slots=True, eq=False)
class Board:
    """Figures of one kind for several names, at one time."""

    slide: int | None
    items: tuple[Item, ...]
    terms: tuple[Term, ...]  # of what is measured: column, title, the head of the names
    label: str
    is_added: bool  # the figures may be added
    is_whole: bool  # what they add up to is a whole: they are no averages
    total: Measure | None = None
    deck: frozenset[str] = frozenset()  # features of the deck's title: what everything in it is of

    def value(self, item: Item) -> float:
        """The figure of an item."""
        return item.measure.amount.value


def boards_of(measures: Sequence[Measure], title: str) -> list[Board]:
    """Every column and row of a table, and every run of short lines, with a name beside each figure."""
    deck = features(terms_of(title))
    return [replace(board, deck=deck) for board in _boards(measures)]


def _boards(measures: Sequence[Measure]) -> list[Board]:
    columns: dict[tuple[int, int, int], list[Measure]] = defaultdict(list)
    lines: dict[int | None, list[Measure]] = defaultdict(list)
    for measure in measures:
        if measure.row is not None:
            columns[measure.row[0], measure.row[1], measure.column].append(measure)
        elif measure.piece.origin == "line":
            lines[measure.piece.slide].append(measure)
    found = [board for column in columns.values() for board in _of_column(column)]
    rows: dict[tuple[int, int, int], list[Measure]] = defaultdict(list)
    for column in columns.values():
        for measure in column:
            rows[measure.row or (0, 0, 0)].append(measure)
    found += _of_rows(rows)
    found += [board for slide in lines.values() for board in _of_lines(slide)]
    return found


def _of_column(column: Sequence[Measure]) -> Iterator[Board]:
    """Names down the side; a column of changes or plans is none."""
    label = column[0].column_label
    if _CHANGES.search(label) or any(m.status != ACTUAL for m in column):
        return
    items, total = [], None
    for measure in column:
        name = _clean(measure.piece.text.split("|")[0])
        if _TOTAL.search(name) and not _REST.search(name):
            total = (
                measure
                if re.match(r"\W*(?:grand )?(?:total|sum|all|overall|together|altogether)\b", name, re.I)
                else total
            )
            continue
        items.append(_item(name, measure))
    yield from _board(items, label, (*terms_of(label), *column[0].around), total)


def _of_rows(rows: dict[tuple[int, int, int], list[Measure]]) -> Iterator[Board]:
    """Names along the top, of the last row where the rows are times."""
    by_table: dict[tuple[int, int], list[tuple[int, list[Measure]]]] = defaultdict(list)
    for (slide, table, row), mine in rows.items():
        by_table[slide, table].append((row, sorted(mine, key=lambda m: m.column)))
    for told in by_table.values():
        told.sort(key=lambda entry: entry[0])
        side = [_clean(entry[1][0].piece.text.split("|")[0]) for entry in told]
        if not all(_is_time(name) for name in side) or len(told) < 2 or not _rises(told):
            continue
        last = [m for m in told[-1][1] if m.status == ACTUAL and not _TOTAL.search(m.column_label)]
        if not any(_is_time(m.column_label) or _CHANGES.search(m.column_label) for m in last):
            items = [_item(_clean(m.column_label), m) for m in last]
            yield from _board(items, "", last[0].around if last else (), None)


def _rises(mine: Sequence[tuple[int, list[Measure]]]) -> bool:
    firsts = [next((w.first for w in row[0].when if w.first), None) for _, row in mine]
    return all(a is not None and b is not None and a < b for a, b in pairwise(firsts))


def _of_lines(slide: Sequence[Measure]) -> Iterator[Board]:
    """ "Germany: 610" below "France: 480"."""
    run: list[Measure] = []
    for measure in [*slide, None]:
        if (
            measure is not None
            and _is_entry(measure)
            and (not run or (measure.piece.order == run[-1].piece.order + 1 and _same(run[0], measure)))
        ):
            run.append(measure)
            continue
        if len(run) >= 3:
            items = [_item(_clean(m.piece.text[: m.amount.start]), m) for m in run]
            yield from _board(items, "", run[0].around, None)
        run = [measure] if measure is not None and _is_entry(measure) else []


def _is_entry(measure: Measure) -> bool:
    before = _clean(measure.piece.text[: measure.amount.start])
    return (
        measure.status == ACTUAL
        and 0 < len(before.split()) <= 4
        and not _TOTAL.search(before)
        and not any(char.isdigit() for char in before)
        and len(measure.piece.text[measure.amount.end :].split()) <= 4
        and not any(char.isdigit() for char in measure.piece.text[measure.amount.end :])
    )


def _board(
    items: Sequence[Item], label: str, terms: tuple[Term, ...], total: Measure | None
) -> Iterator[Board]:
    items = [item for item in items if item.words or item.is_rest]
    if len(items) < 2 or len({item.name.lower() for item in items}) < len(items):
        return
    if not all(_same(items[0].measure, item.measure) for item in items):
        return
    if any(_is_time(item.name) for item in items):
        return
    first = items[0].measure
    whole = first.amount.kind in _ADDED and not _NOT_ADDED.search(label) and not first.rate and not first.per
    yield Board(
        first.piece.slide,
        tuple(items),
        terms,
        label,
        whole,
        whole and len(items) >= 3 and not _AVERAGE.search(label),
        total,
    )


def _item(name: str, measure: Measure) -> Item:
    rest = bool(_REST.search(name))
    return Item(name, () if rest else name_words(name), measure, rest)


_NAMES: Final = {
    "dutch": "netherlands", "german": "germany", "french": "france", "swiss": "switzerland", "italian": "italy",
    "spanish": "spain", "spaniard": "spain", "austrian": "austria", "british": "britain", "belgian": "belgium",
    "danish": "denmark", "dane": "denmark", "swedish": "sweden", "swed": "sweden", "norwegian": "norway", "polish": "poland",
    "pol": "poland", "czech": "czechia", "chinese": "china", "chines": "china", "japanes": "japan", "american": "america",
    "canadian": "canada", "indian": "india", "irish": "ireland", "scottish": "scotland", "welsh": "wales", "finnish": "finland",
    "portugues": "portugal", "hungarian": "hungary", "turkish": "turkey", "greek": "greece", "korean": "korea", "brazilian": "brazil",
    "mexican": "mexico", "australian": "australia", "european": "europe", "northern": "north", "southern": "south",
    "eastern": "east", "western": "west", "central": "centre",
}  # fmt: skip
"""What belongs to a place, and the place."""


def name_words(text: str) -> tuple[str, ...]:
    """The words of a name in plain form; "the Dutch" and "the Netherlands" are one."""
    words = (plain(w) for w in re.findall(r"[A-Za-z][\w'’&]*", text))
    return tuple(plain(_NAMES.get(w, w)) for w in words if w not in _LITTLE)


_LITTLE: Final = frozenset({"the", "of", "and", "our", "a", "an", "in", "at", "for", "to"})


def _same(a: Measure, b: Measure) -> bool:
    return (
        a.amount.kind in _RANKED
        and (a.amount.kind, a.amount.unit, a.rate) == (b.amount.kind, b.amount.unit, b.rate)
        and a.scale_known == b.scale_known
        and (not a.noun or not b.noun or bool(a.noun & b.noun) or a.row is not None)
    )


def _is_time(name: str) -> bool:
    if _WEEKDAY.fullmatch(name):
        return False
    rest = name
    for period in reversed(find_periods(name)):
        rest = rest[: period.start] + rest[period.end :]
    return (rest != name and not terms_of(rest)) or bool(re.fullmatch(r"\W*(?:19|20)\d\d(?:/\d\d)?\W*", name))


def _clean(name: str) -> str:
    return " ".join(re.sub(r"[*_`:()–—-]", " ", name).split())
