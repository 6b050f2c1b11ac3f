"""Levels of one measure at several years: a row of a table, a column, two bullets, a chart's series."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from orchestrator.checks.amounts import Amount, amounts
from orchestrator.checks.grid import NUMBER, cell
from orchestrator.checks.happening_words import GENERIC
from orchestrator.checks.passages import Passage, shown, slide_passages
from orchestrator.checks.thing_words import stem
from orchestrator.claims.model import Place
from orchestrator.claims.words import word_set
from orchestrator.deck.model import Chart, Deck, Slide, Table

_YEAR = re.compile(r"(?<![\d.,])((?:19|20)\d\d)(?:/\d\d)?(?!\d|[.,]\d)")
_PLAN = re.compile(
    r"\b(?:plan\w*|target\w*|goals?|forecast\w*|budget\w*|model|expect\w*|aim\w*|ambition|outlook|no more "
    r"than|at (?:least|most))\b|\dE\b",
    re.I,
)
_WORD = re.compile(r"[^\W\d_][\w’'-]+")
_STOP: Final = word_set(
    "a an the this that these those our your their its we it is are was were be been has have had of in "
    "on at to "
    "for from with by as per and or but not no number total all sum amount figure figures average year years "
    "quarter month week annual yearly change growth since until before after last previous against compared "
    "comparison than more less fewer received recorded counted made held sold used there which who what how "
    "million billion thousand eur usd gbp chf m k bn mio percent percentage value values unit units half "
    "third thirds quarters fifth fifths sixth seventh "
    "eighth tenth two three four five six seven eight nine ten hundred cut gone disappeared vanished rose "
    "risen grew "
    "grown fell fallen dropped doubled tripled halved up down higher lower increased decreased reduced "
    "roughly "
    "nearly almost near enough cagr compound mean us we've have've i'm mean paid off new now again still "
    "every "
    "single nearly close"
)
_MOST_POINTS: Final = 12


@dataclass(frozen=True, slots=True)
class Point:
    """The level of one year, and where it stands."""

    year: int
    value: float
    half: float
    place: Place
    text: str


@dataclass(frozen=True, slots=True)
class Row:
    """One measure over years."""

    label: frozenset[str]  # stems of its own name
    around: frozenset[str]  # stems of the title, the heading and the unit
    unit: str | None
    slide: int
    points: tuple[Point, ...]  # by year

    def at(self, year: int) -> Point | None:
        return next((point for point in self.points if point.year == year), None)


def timed_rows(deck: Deck) -> tuple[Row, ...]:
    """Every measure of the deck that has levels for two years and more, without plans."""
    found: list[Row] = []
    for slide in shown(deck):
        for table in slide.tables:
            found += _of_table(slide, table)
        for chart in slide.charts:
            found += _of_chart(slide, chart)
        found += _of_lines(slide)
    return tuple(found)


def roots(text: str) -> frozenset[str]:
    """The stems of the words that name what is measured."""
    return frozenset(
        stem(match[0])
        for match in _WORD.finditer(text)
        if match[0].lower() not in _STOP and match[0].lower() not in GENERIC
    )


def years_of(text: str) -> list[int]:
    return [int(match[1]) for match in _YEAR.finditer(text)]


def _of_table(slide: Slide, table: Table) -> Iterator[Row]:
    if len(table.rows) < 2:
        return
    header = table.rows[0]
    across = {
        i: years_of(text)[0] for i, text in enumerate(header) if len(years_of(text)) == 1 and _bare_year(text)
    }
    if len(across) > 1 and len(set(across.values())) == len(across):
        for row in table.rows[1:]:
            label = row[0] if 0 not in across else ""
            yield from _row(
                slide, label, [(year, row[i]) for i, year in across.items() if i < len(row)], label
            )
        return
    down = [
        (years_of(row[0])[0], row)
        for row in table.rows[1:]
        if len(years_of(row[0])) == 1 and _bare_year(row[0])
    ]
    if len(down) == len(table.rows) - 1 and len({year for year, _ in down}) == len(down) > 1:
        for i in range(1, len(header)):
            cells = [(year, row[i]) for year, row in down if i < len(row)]
            yield from _row(slide, header[i], cells, header[i])


def _bare_year(text: str) -> bool:
    return len(text.split()) <= 2 and not _PLAN.search(text)


def _row(slide: Slide, label: str, cells: Sequence[tuple[int, str]], name: str) -> Iterator[Row]:
    points = []
    for year, text in cells:
        read = cell(text)
        if read.sort != NUMBER or read.amount is None:
            continue
        points.append(Point(year, read.value, read.half, Place(slide.number, None, text.strip()), read.text))
        unit = read.amount.unit
    if 2 <= len(points) <= _MOST_POINTS and all(p.value > 0 for p in points) and not _PLAN.search(label):
        unit = "%" if "%" in name else unit
        yield Row(
            roots(label), roots(slide.title), unit, slide.number, tuple(sorted(points, key=lambda p: p.year))
        )


def _of_chart(slide: Slide, chart: Chart) -> Iterator[Row]:
    years = [
        years_of(name)[0] if len(years_of(name)) == 1 and _bare_year(name) else None
        for name in chart.categories
    ]
    if len(years) < 2 or None in years or len(set(years)) < len(years):
        return
    for series in chart.series:
        name = series.name if len(chart.series) > 1 else f"{series.name} {chart.title}"
        quote = next((text for text in (series.name, chart.title, *chart.categories) if text.strip()), "")
        points = [
            Point(year, value, 1e-3 * abs(value), Place(slide.number, None, quote), f"{value:g}")
            for year, value in zip(years, series.values, strict=False)
            if value is not None and value > 0 and year is not None
        ]
        if len(points) >= 2 and quote:
            around = roots(f"{chart.title} {slide.title}")
            unit = "%" if series.percent else None
            yield Row(roots(name), around, unit, slide.number, tuple(sorted(points, key=lambda p: p.year)))


def _of_lines(slide: Slide) -> Iterator[Row]:
    """ "2024: 310" and "2025: 248"; "96 in 2024, 72 in 2025"; "14,800 hl (2024: 12,100 hl)"."""
    groups: dict[tuple[frozenset[str], str | None], list[Point]] = defaultdict(list)
    for passage in slide_passages(slide):
        if len(passage.text.split()) > 14 or _PLAN.search(passage.text):
            continue
        for year, amount, label in _pairs(passage):
            noun = roots(amount.noun or "")
            key = (label | noun, amount.unit)
            groups[key].append(Point(year, amount.value, amount.half, passage.place, amount.text))
    title = roots(slide.title)
    for (label, unit), points in groups.items():
        years = [point.year for point in points]
        if (
            2 <= len(points) <= _MOST_POINTS
            and len(set(years)) == len(years)
            and all(p.value > 0 for p in points)
        ):
            yield Row(label, title, unit, slide.number, tuple(sorted(points, key=lambda p: p.year)))


def _pairs(passage: Passage) -> Iterator[tuple[int, Amount, frozenset[str]]]:
    """Each amount of a line that has a year of its own, with the words that are neither."""
    text = passage.text
    years = list(_YEAR.finditer(text))
    if not years:
        return
    found = [
        a
        for a in amounts(text)
        if not a.vague and not any(y.start() < a.end and a.start < y.end() for y in years)
    ]
    if len(found) != len(years) or not found:
        return
    label = roots(_YEAR.sub(" ", "".join(_outside(text, found))))
    if len(label) > 4:
        return
    pairs = list(zip(years, found, strict=True))
    behind = [0 <= y.start() - a.end <= 5 for y, a in pairs]
    ahead = [0 <= a.start - y.end() <= 5 for y, a in pairs]
    if all(behind) or all(ahead):
        for year, amount in pairs:
            yield int(year[1]), amount, label


def _outside(text: str, found: Sequence[Amount]) -> Iterator[str]:
    at = 0
    for amount in found:
        yield text[at : amount.start] + " "
        at = amount.end
    yield text[at:]
