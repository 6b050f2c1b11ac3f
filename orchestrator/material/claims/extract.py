"""Extract claims from a deck and from speech: each line, sentence or cell with a number or a date.

A claim is verbatim, with its place and its quantities. Nothing is read out of words: what a line
without figures asserts, a model says. Hidden slides, notes, alternative texts and lines that
nobody asserts (`deck.lines.asserted_lines`) give no claims, and no question does. A sentence that stands on
several slides is claimed once, where it comes first.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from orchestrator.material.claim import Claim, Quantity
from orchestrator.material.claims.dates import Date, dates_in
from orchestrator.material.claims.language import word_count
from orchestrator.material.claims.numbers import Number, cell_number, numbers_in
from orchestrator.material.claims.sentences import MAX_SENTENCE, sentences, without_final_stop
from orchestrator.material.claims.units import TIME_UNITS, is_currency
from orchestrator.material.claims.words import FUNCTION_WORDS
from orchestrator.material.deck.lines import asserted_lines
from orchestrator.material.values import Chart, Deck, Segment, Slide, Table

# ---------------------------------------------------------------------- cells
# Claims that tables and charts make: a cell with its row and column, a series with its ends.


MAX_CELLS: Final = 24
"""Maximum number of claims from one table: more would crowd out the page's others, and arithmetic reads the
table itself."""
_MAX_CELL: Final = 60  # characters; a longer cell is a sentence
_MONEY = r"[^\s\d]{0,2}[€$£¥][^\s\d]{0,2}"  # "€m", "k$"
_UNIT_PLACES = re.compile(
    r"[(\[]([^)\]]{1,20})[)\]]|\bin\s([^\s,;)]{1,12}(?:\s[^\s,;)]{1,12})?)\s*$"
    rf"|(?<!\S)({_MONEY})\s*$|(?<!\d)(?<!\d\s)(%)"  # of "EBITDA 20% lower" the % is the figure's own
)

Found = tuple[str, tuple[Quantity, ...]]
"""The text and the quantities of one claim."""


def table_assertions(table: Table) -> Iterator[Found]:
    """Yield each cell that is a number with a label or heading, at most `MAX_CELLS` of them.

    The subject is the row's label, and the period is a date in the column's heading or in the label. The unit
    is the cell's own, or the one that heading or label names: "Revenue (€m)". Otherwise it is the money that
    is alone in the table's corner, unless the label has a unit.
    """
    cells = (
        (cell, row[0].strip(), table.rows[0][column].strip() if at and column < len(table.rows[0]) else "")
        for at, row in enumerate(table.rows)
        for column, cell in enumerate(row[1:], start=1)
    )
    corner = table.rows[0][0].strip() if table.rows and table.rows[0] else ""
    money = corner if re.fullmatch(_MONEY, corner) else ""
    found = ((cell.strip(), _quantity(cell, label, heading, money)) for cell, label, heading in cells)
    return itertools.islice(((text, (one,)) for text, one in found if one is not None), MAX_CELLS)


def _quantity(cell: str, label: str, heading: str, money: str) -> Quantity | None:
    if len(cell) > _MAX_CELL or not any(char.isdigit() for char in cell) or dates_in(cell):
        return None
    number = cell_number(cell)
    if number is None or not (label or heading):
        return None
    if number.unit is None:
        corner = "" if _UNIT_PLACES.search(label) else money
        with_units = (_with_unit(number, text) for text in (heading, label, corner))
        number = next((one for one in with_units if one is not None), number)
    dates = [date.text for text in (heading, label) for date in dates_in(text)]
    unit = number.unit or number.noun
    return Quantity(number.value, unit, dates[0] if dates else None, label or heading, number.text)


def _with_unit(number: Number, heading: str) -> Number | None:
    """Return the number with the unit and magnitude of its heading ("Costs (EUR thousand)", "Share in %").

    Return None if the heading has none.
    """
    for match in _UNIT_PLACES.finditer(heading):
        words = next(group for group in match.groups() if group)
        for one in (f"1 {words}", f"1 {' '.join(reversed(words.split()))}"):
            read = numbers_in(one)
            if len(read) == 1 and read[0].text == one and read[0].unit:
                # Rounded: a third of a cent is noise of the multiplication, and would be shown.
                return number._replace(
                    value=round(number.value * read[0].value, 6), unit=read[0].unit, noun=None
                )
    return None


def chart_assertions(chart: Chart) -> Iterator[Found]:
    """Yield each series under its name, or under the chart's title if it is the only series.

    The quantities are the series' first and last value with their categories. Since a chart shows no words
    for values, `Quantity.text` is the value as the deck stores it.
    """
    for series in chart.series:
        text = chart.title if chart.title and len(chart.series) == 1 else series.name
        points = [(at, value) for at, value in enumerate(series.values) if value is not None]
        if not text.strip() or not points:
            continue
        factor, unit = (100, "%") if series.percent else (1, None)
        yield (
            text.strip(),
            tuple(
                Quantity(
                    factor * value,
                    unit,
                    chart.categories[at] if at < len(chart.categories) else None,
                    series.name or chart.title,
                    f"{value:.15g}",
                )
                for at, value in dict.fromkeys((points[0], points[-1]))
            ),
        )


# ---------------------------------------------------------------------- measured
# The quantities of a sentence: each number with the time beside it and the words that it stands with.


_RECURS = re.compile(
    r"(?:per|a|an|each|every)\s(?:second|minute|hour|day|week|month|quarter|year|annum)\b"
    r"|/\s?(?:second|sec|s|minute|min|hour|hr|h|day|week|wk|month|mo|quarter|year|yr|a)\b|p\.\s?a\."
    r"|(?:annually|yearly|quarterly|monthly|weekly|daily|hourly)\b(?!\s\w)",
    re.IGNORECASE,
)
_CLAUSE = re.compile(r"[,;:()–—]|\.(?=\s)|\s-\s")  # a full stop only before white space: 4.2 holds none
_WORD = re.compile(r"[^\W_][\w.&/'’-]*")
_MAX_SUBJECT: Final = 6
"""Maximum number of words of a subject, a phrase of half a line; the subject is shown beside the number and
never parsed."""


def quantities_of(text: str) -> tuple[tuple[Quantity, ...], tuple[Date, ...]]:
    """Return the quantities of *text*, in order, and the dates of *text*; `Quantity.text` is verbatim."""
    numbers, dates = [one for one in numbers_in(text) if _measures(one)], dates_in(text)
    return tuple(_measured_quantity(text, number, numbers, dates) for number in numbers), dates


def _measures(number: Number) -> bool:
    """Return whether the number measures something: a worded 0 or 1 without a unit does not.

    Examples are "one approach" and "Zero Trust".
    """
    return number.unit is not None or number.value not in (0, 1) or not number.text.isalpha()


def kinds_of(quantities: Sequence[Quantity], *, has_date: bool) -> tuple[str, ...]:
    """Return the kinds of claim that the quantities make, the most specific kind first."""
    found = {_kind(quantity.unit) for quantity in quantities} | ({"date"} if has_date else set())
    return tuple(kind for kind in ("money", "percent", "count", "duration", "date") if kind in found)


def _kind(unit: str | None) -> str:
    if is_currency(unit):
        return "money"
    if unit in ("%", "pp"):
        return "percent"
    return "duration" if unit in TIME_UNITS else "count"


def _measured_quantity(
    text: str, number: Number, numbers: Sequence[Number], dates: Sequence[Date]
) -> Quantity:
    return Quantity(
        value=number.value,
        unit=number.unit or number.noun,
        period=_period(text, number, numbers, dates),
        subject=_subject(text, number, numbers, dates),
        text=number.text,
    )


def _period(text: str, number: Number, numbers: Sequence[Number], dates: Sequence[Date]) -> str | None:
    """Return "per month" behind the number, else the nearest date with no other number in between."""
    behind = min((other.start for other in numbers if other.start >= number.end), default=len(text))
    if (match := _RECURS.search(text, number.end, behind)) and not _CLAUSE.search(
        text, number.end, match.start()
    ):
        return match[0]
    beside = [date for date in dates if not _between(number, date, numbers)]
    if not beside:
        return None
    return min(beside, key=lambda date: _distance(text, number, date)).text


def _distance(text: str, number: Number, date: Date) -> tuple[bool, int]:
    left, right = min(number.end, date.end), max(number.start, date.start)
    return _CLAUSE.search(text, left, right) is not None, right - left


def _between(number: Number, date: Date, numbers: Sequence[Number]) -> bool:
    left, right = min(number.end, date.end), max(number.start, date.start)
    return any(left <= other.start and other.end <= right for other in numbers if other != number)


def _subject(text: str, number: Number, numbers: Sequence[Number], dates: Sequence[Date]) -> str | None:
    """Return the noun that is counted, else the clause's words before the number, else those after it."""
    if number.noun is not None:
        return number.noun
    before = max((other.end for other in numbers if other.end <= number.start), default=0)
    behind = min((other.start for other in numbers if other.start >= number.end), default=len(text))
    cuts = [match.end() for match in _CLAUSE.finditer(text, before, number.start)]
    stop = _CLAUSE.search(text, number.end, behind)
    colon = cuts and not text[cuts[-1] : number.start].strip()  # "Gross margin: 64 %"
    left = _telling(
        text, ([before, *cuts][-2] if colon else [before, *cuts][-1]), number.start, from_end=True
    )
    found = left or _telling(text, number.end, stop.start() if stop else behind, from_end=False)
    return None if any(date.text == found for date in dates) else found


def _telling(text: str, start: int, end: int, *, from_end: bool) -> str | None:
    """Return the words of *text* from *start* to *end* without function words at either end, or None.

    If they are more than `_MAX_SUBJECT` words, the first are returned, or with *from_end* the last.
    """
    words = list(_WORD.finditer(text, start, end))
    while words and words[-1][0].lower() in FUNCTION_WORDS:
        words.pop()
    while words and words[0][0].lower() in FUNCTION_WORDS:
        words.pop(0)
    kept = words[-_MAX_SUBJECT:] if from_end else words[:_MAX_SUBJECT]
    return text[kept[0].start() : kept[-1].end()] if kept else None


# ---------------------------------------------------------------------- extract


_MIN_WORDS: Final = 2  # one word asserts nothing
_MIN_WORDS_OF_A_DATE: Final = 5
"""Minimum number of words of a claim in which no figure has a unit. A date in fewer words is a heading or a
caption: "Annual report 2025", "Board meeting, May 2026"."""
_MIN_SPOKEN_WORDS: Final = 5
"""Minimum number of words of a spoken claim: "Twenty nine percent." repeats or corrects, and nobody could say
what it is about."""


@dataclass(frozen=True, slots=True)
class _Assertion:
    """A claim whose place is not known yet."""

    text: str
    quantities: tuple[Quantity, ...]
    origin: str
    has_date: bool = False

    def claim(self, id_: str, slide: int | None, segment: Segment | None = None) -> Claim:
        kinds = kinds_of(self.quantities, has_date=self.has_date)
        said_at_s, speaker = (segment.start_s, segment.speaker) if segment else (None, None)
        return Claim(id_, kinds, self.text, slide, said_at_s, speaker, self.quantities, self.origin)


def deck_claims(deck: Deck) -> tuple[Claim, ...]:
    """Return the claims of the visible slides, in reading order, with ids d<slide>.<n>."""
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
    """Return the claims of the transcript's *index*-th segment (from 1), with ids s<index>.<n>."""
    found = [one for one in _of_text(segment.text, "speech") if len(one.text.split()) >= _MIN_SPOKEN_WORDS]
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
        if end - start > MAX_SENTENCE or text[start:end].rstrip("\"'”’)").endswith("?"):
            continue
        sentence = without_final_stop(text[start:end])
        words = word_count(sentence)
        if words < _MIN_WORDS:
            continue
        quantities, dates = quantities_of(sentence)
        if not any(one.unit for one in quantities) and words < _MIN_WORDS_OF_A_DATE:
            continue
        if quantities or dates:
            yield _Assertion(sentence, quantities, origin, bool(dates))
