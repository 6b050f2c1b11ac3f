"""A column without a total row against a total that the deck states elsewhere for the same thing."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from orchestrator.checks.amounts import Amount, amounts
from orchestrator.checks.grid import NUMBER, Cell, grid, one_unit
from orchestrator.checks.passages import Passage, hypothetical, shown, slide_passages
from orchestrator.checks.rounding import rounding
from orchestrator.checks.table_sums import is_no_sum_column, is_total
from orchestrator.checks.thing_words import stem
from orchestrator.claims.model import Place, Tension
from orchestrator.deck.model import Deck, Slide, Table

_IN_ALL = re.compile(
    r"\b(?:in all|in total|altogether|all told|overall|total(?:s|led|ling)?|a total of|combined|together|"
    r"sum)\b",
    re.I,
)
_ALL_LISTED = re.compile(
    r"\b(?:(?:these|those|that|this|here|the table|the list|above|below) (?:are|is|were|was|shows?|lists?|"
    r"has|have|covers?|contains?) "
    r"(?:all|every|everything|the (?:full|complete|whole|entire)|complete)|nothing else|no others?|"
    r"complete list|full list|"
    r"nobody is missing|none (?:is|are) missing|there are no others?|we have no others?|all (?:of "
    r")?(?:our|the) \w+ (?:are )?(?:listed|shown))\b",
    re.I,
)
_NOT_ALL = re.compile(
    r"\b(?:top|largest|biggest|main|major|selected|selection|examples?|including|among|excluding|excl|"
    r"except|without|"
    r"others?|rest|remaining|some of|key|extract|most important|double counting|overlap\w*|more than once|"
    r"several)\b|…|\.\.\.",
    re.I,
)
_OTHER = re.compile(
    r"\b(?:last year|previous|prior|year before|a year (?:ago|earlier)|plan(?:ned)?|target|goal|forecast|"
    r"budget|expect\w*|"
    r"capacity|can hold|holds?|room for|space for|up to|per|each|average|on the busiest|record|competitor|"
    r"next year|will|"
    r"aim|former|since \w+|instead|every|a (?:day|week|month|year)|daily|weekly|monthly|of (?:them|which|"
    r"whom)|until|"
    r"grew|growth|more than|less than|fewer|than|from)\b",
    re.I,
)
_OF_N = re.compile(
    r"\b(?:all |over |in |on |at |from |the |our |its )*(?P<n>two|three|four|five|six|seven|eight|nine|"
    r"ten|\d{1,2}) (?P<noun>[a-z]+s)\b",
    re.I,
)
_COUNTS: Final = {
    "two": 2,
    "three": 3,
    "four": 4,
    "five": 5,
    "six": 6,
    "seven": 7,
    "eight": 8,
    "nine": 9,
    "ten": 10,
}
_UNITS: Final = {
    "t": ("tonne", "ton", "t"), "tonnes": ("tonne", "ton", "t"),
    "kg": ("kilogram", "kg", "kilo"), "km": ("kilometre", "km", "kilometer"),
    "ha": ("hectare", "ha"), "MWh": ("mwh",), "kWh": ("kwh",), "GWh": ("gwh",),
    "m²": ("m²", "square"), "l": ("litre", "liter", "l"),
    "hl": ("hl", "hectolitre"), "hours": ("hour", "hr"), "days": ("day",), "nights": ("night",),
}  # fmt: skip
_SHORT_UNIT = re.compile(rf"\s?({'|'.join(map(re.escape, _UNITS))})(?![\w/])")
_WORD = re.compile(r"[^\W\d_][\w²’'-]*")
_YEAR = re.compile(r"(?:19|20)\d\d")
_FARTHEST: Final = 0.3  # of the total: what is further off is a total of something else
_FEWEST_ROWS: Final = 2
_MOST_ROWS: Final = 40


@dataclass(frozen=True, slots=True)
class _Column:
    slide: Slide
    head: str
    cells: tuple[Cell, ...]
    labels: tuple[str, ...]
    corner: str

    @property
    def sum(self) -> float:
        return sum(cell.value for cell in self.cells)


def stated_totals(deck: Deck) -> Iterator[Tension]:
    """Each total that is stated in words and that the one column of its thing does not add up to.

    Only where the total says that it is one ("in all", "over the three days" for three rows), or
    where the slide says that its table lists everything.
    """
    columns = [column for slide in shown(deck) for table in slide.tables for column in _columns(slide, table)]
    if not columns:
        return
    stated = [
        (passage, amount)
        for slide in shown(deck)
        for passage in slide_passages(slide)
        if not hypothetical(passage.text) and not _NOT_ALL.search(passage.text)
        for amount in _levels(passage)
    ]
    for passage, amount in stated:
        meant = [column for column in columns if _about(column, passage, amount)]
        if len(meant) == 1 and (found := _against(meant[0], passage, amount, stated)):
            yield found


def _levels(passage: Passage) -> list[Amount]:
    found = [a for a in amounts(passage.text) if not a.vague and a.unit not in ("%", "x", "points")]
    big = [a for a in found if a.value >= 10]
    return big if len(big) == 1 else []


def _columns(slide: Slide, table: Table) -> Iterator[_Column]:
    rows = grid(table)
    if not _FEWEST_ROWS <= len(rows) <= _MOST_ROWS or any(is_total(row[0].text) for row in rows):
        return
    labels = tuple(row[0].text for row in rows)
    text = " ".join((slide.title, *labels))
    if (
        _NOT_ALL.search(text)
        or any(_YEAR.search(label) for label in labels)
        or is_total(" ".join(table.rows[0][1:2]))
    ):
        return
    for at in range(1, len(table.rows[0])):
        head = table.rows[0][at]
        cells = [row[at] for row in rows]
        if is_no_sum_column(head) or "/" in head or (_YEAR.search(head) and len(table.rows[0]) > 2):
            continue
        if all(cell.sort == NUMBER and cell.value > 0 for cell in cells) and one_unit(cells):
            yield _Column(slide, head, tuple(cells), labels, table.rows[0][0])


def _about(column: _Column, passage: Passage, amount: Amount) -> bool:
    """The total counts or measures what the column does."""
    text = re.sub(r"\bmore than (?:ever|usual|before)\b", " ", passage.text, flags=re.I).ljust(
        len(passage.text)
    )
    if _OTHER.search(text[: amount.start] + " " + text[amount.end :]):
        return False
    unit = next((c.amount.unit for c in column.cells if c.amount), None)
    heads = {_plain(word) for word in _WORD.findall(column.head)}
    years = _YEAR.findall(text)
    around = f"{column.head} {column.slide.title}"
    if years and (others := _YEAR.findall(around)) and set(years) - set(others):
        return False
    if amount.unit is None and (short := _SHORT_UNIT.match(text[amount.end :])):
        return unit is None and bool(set(_UNITS[short[1]]) & heads)
    if amount.unit is None:
        noun = {_plain(word) for word in _WORD.findall(amount.noun or "")}
        return bool(noun & heads) and unit is None
    if amount.is_money:
        return unit == amount.unit and bool({_plain(w) for w in _WORD.findall(text)} & heads)
    if unit is not None:
        return unit == amount.unit
    return bool(set(_UNITS.get(amount.unit, (amount.unit,))) & heads)


def _plain(word: str) -> str:
    low = word.lower()
    return low[:-1] if low.endswith("s") and len(low) > 3 else low


def _against(
    column: _Column, passage: Passage, amount: Amount, stated: Sequence[tuple[Passage, Amount]]
) -> Tension | None:
    whole, text = column.sum, passage.text
    if any(part.value >= amount.value for part in column.cells):
        return None
    halves = [amount.half, *(part.half for part in column.cells)]
    digits = re.sub(r"[^\d]", "", amount.text)
    zeros = len(digits) - len(digits.rstrip("0"))
    halves[0] = max(
        amount.half, 0.5 * 10**zeros if zeros >= len(digits) - 1 else amount.half
    )  # "4,000": a round figure
    if abs(whole - amount.value) <= rounding(halves) or abs(whole - amount.value) > _FARTHEST * amount.value:
        return None
    if any(abs(other.value - whole) <= rounding(halves) and other.unit == amount.unit for _, other in stated):
        return None  # both are stated: they are totals of different things
    if not _is_whole(column, passage, text):
        return None
    written = " + ".join(part.text for part in column.cells)
    note = (
        f"{amount.text} is stated, but the column {column.head.strip()} ({written}) adds up to {_as(whole)}."
    )
    return Tension("sum", passage.place, Place(column.slide.number, None, column.cells[-1].text), note)


def _as(value: float) -> str:
    return f"{round(value, 6):,.10g}"


def _is_whole(column: _Column, passage: Passage, text: str) -> bool:
    """The words or the structure say that the rows are all the parts there are."""
    if _IN_ALL.search(text):
        return True
    for match in _OF_N.finditer(text):
        count = _COUNTS.get(match["n"].lower()) or (int(match["n"]) if match["n"].isdigit() else 0)
        named = _plain(match["noun"]) in {
            _plain(w) for w in _WORD.findall(f"{column.corner} {column.slide.title}")
        }
        days = _plain(match["noun"]) == "day" and all(stem(label) in _DAYS for label in column.labels)
        if count == len(column.cells) and (named or days):
            return True
    return any(_ALL_LISTED.search(line) for line in column.slide.lines)


_DAYS: Final = frozenset(
    stem(day) for day in ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
)
