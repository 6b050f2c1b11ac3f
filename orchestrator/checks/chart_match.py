"""Which series of a chart a sentence speaks of."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from orchestrator.checks.events import stem
from orchestrator.checks.moments import moments
from orchestrator.checks.passages import Passage
from orchestrator.claims.words import word_set
from orchestrator.deck.model import Chart, Series, Slide

_GENERIC = re.compile(
    r"^\W*(?:series|column|data|chart|values?|datenreihe|reihe|total|actual|figures?|sales)?\s*\d*\W*$",
    re.IGNORECASE,
)
_STOP: Final = word_set(
    "a an the this that these our your their its we it is are was were be been has have had and or but of "
    "in on at to for from "
    "with by as per than up down over under more most less least every each all no not now still again "
    "already also only just "
    "grew grow grown growth rose risen fell fallen increase increased increasing decrease decreased "
    "declined dropped doubled "
    "tripled halved peaked peak highest lowest record steady steadily consistently continue continued year "
    "years quarter "
    "quarters month months week weeks annual monthly quarterly yearly million billion thousand percent eur "
    "usd gbp k m bn "
    "number total average share development trend chart figure data by million since last first second "
    "third fourth row "
    "largest biggest leading leader reached reach stood stands came went"
)
_WORD = re.compile(r"[^\W\d_][^\W_’'-]+")
_SYNONYMS: Final = (
    frozenset({"revenue", "sale", "turnover", "income", "turned", "sold", "earned"}),
    frozenset({"customer", "client", "account"}),
    frozenset({"employee", "staff", "headcount", "people", "workforce", "team", "fte"}),
    frozenset({"cost", "expense", "spend", "spending"}),
    frozenset({"user", "active"}),
    frozenset({"capital", "expenditure", "capex", "investment", "invested", "invest"}),
    frozenset({"order", "booking"}),
    frozenset({"member", "subscriber", "subscription"}),
    frozenset({"profit", "ebitda", "earning"}),
    frozenset({"churn", "attrition"}),
    frozenset({"complaint", "ticket"}),
    frozenset({"passenger", "rider", "ridership"}),
    frozenset({"visitor", "attendance", "admission"}),
)


@dataclass(frozen=True, slots=True)
class Line:
    """A series as it is read: its categories with values in order, percentages as 35 and not 0.35."""

    name: str
    categories: tuple[str, ...]
    values: tuple[float, ...]
    percent: bool
    over_time: bool


def series_meant(slide: Slide, chart: Chart, passage: Passage) -> Iterator[Line]:
    """The series that the sentence can only be about; none where that is not plain.

    A series is meant where the sentence shares a word with its name, or with the chart's title
    if it is the only one. A headline without any subject of its own is about the only series
    of the slide's only chart.
    """
    lines = [line for series in chart.series if (line := read(chart, series)) is not None]
    said = words(passage.text) - words(" ".join(chart.categories))
    if len(lines) == 1:
        own = words(f"{chart.title} {chart.series[0].name}")
        shared = _share(said, own)
        headline = passage.origin == "title" and len(slide.charts) == 1
        nameless = _GENERIC.match(chart.series[0].name) and not words(chart.title)
        if shared or (headline and (nameless or not said)) or (len(slide.charts) == 1 and not said):
            yield lines[0]
        return
    named = [line for line in lines if words(line.name) and _share(said, words(line.name))]
    if len(named) == 1:
        yield named[0]


def read(chart: Chart, series: Series) -> Line | None:
    """The series with its gaps left out; None where fewer than two values are left."""
    points = [
        (category, value)
        for category, value in zip(chart.categories, series.values, strict=False)
        if value is not None
    ]
    if len(points) < 2:
        return None
    written = re.search(r"%|\bper ?cent\b", f"{chart.title} {series.name}") is not None
    factor = 100.0 if series.percent else 1.0
    categories = tuple(category for category, _ in points)
    timed = sum(bool(is_time(category)) for category in categories) == len(categories)
    values = tuple(round(factor * value, 9) for _, value in points)
    return Line(series.name or chart.title, categories, values, series.percent or written, timed)


def is_time(category: str) -> bool:
    """The category is a year, a quarter, a month or a week."""
    bare = category.strip()
    return bool(moments(bare)) or bool(
        re.fullmatch(
            r"(?:19|20)\d\d[EFPAB]?|['’]\d\d|[QH]\d.*|(?:week|wk|w|kw|month|day|y|year)\s?\d+|"
            r"[A-Z][a-z]{2}\.?(?:[ -]['’]?\d\d)?|FY.*",
            bare,
            re.I,
        )
    )


def words(text: str) -> frozenset[str]:
    """The words of *text* that name something."""
    found = {stem(match[0]) for match in _WORD.finditer(text)}
    low = {match[0].lower() for match in _WORD.finditer(text) if match[0].lower() in _STOP}
    times = {stem(w[0]) for m in moments(text) for w in _WORD.finditer(m.text)}
    return frozenset(found - {stem(w) for w in low} - low - times)


def _share(a: frozenset[str], b: frozenset[str]) -> bool:
    if a & b:
        return True
    return any(a & group and b & group for group in _SYNONYMS)
