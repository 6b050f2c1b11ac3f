"""What an operand of a proposal really says: its quote found in its passage, its number in that quote."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from orchestrator.checks.amount import (
    COUNT,
    DATE,
    IN_DAYS,
    IN_MONTHS,
    MONEY,
    SHARE,
    TIME,
    Amount,
    UnitError,
    in_unit,
    year_of,
)
from orchestrator.checks.interval import Interval, point
from orchestrator.checks.proposal import UNITS, Operand, Passage
from orchestrator.checks.quotes import Broken, Part, find_quote, fold
from orchestrator.claims.dates import Date, dates_in
from orchestrator.claims.model import Place
from orchestrator.claims.numbers import Number, numbers_in

_MAGNITUDES: Final = (1e3, 1e6, 1e9, 1e12)
_BARE_SCALES: Final = (1.0, 1e3, 1e6, 1e9)
"""What a cell's or a chart's number may stand for: the scale is in a heading, and no code reads that."""

_UNITS_OF_TIME: Final = frozenset((*IN_DAYS, *IN_MONTHS))
_DIGITS = re.compile(r"[0-9]+(?:[.,’'\u00a0\u202f ][0-9]+)*")
_FISCAL_SLACK: Final = 0.75
"""Years: a fiscal year is named by its first or its last calendar year, and begins in any quarter."""

_MOST_NEIGHBOURS: Final = 40


class UnreadError(ValueError):
    """An operand is not what it says; `reason` is of `proposal.REASONS`, the message tells the engine."""

    def __init__(self, reason: str, told: str) -> None:
        super().__init__(told)
        self.reason = reason


@dataclass(frozen=True, slots=True)
class Figure:
    """An operand as code reads it."""

    passage: Passage
    start: int  # of the quote in the passage
    end: int
    text: str  # the number as the source writes it; "" where the operand names none
    at: int  # where the number begins in the passage
    amount: Amount | None  # in base units; of a date in years; None where the operand names no number
    named: Interval | None = None  # the same in the magnitude that the engine named
    group: str = ""  # of a bare number in a table or chart: which one, since all of it has one scale
    is_yearless: bool = False
    is_whole: bool = False  # a whole number in running text, written out, that no word widens

    @property
    def place(self) -> Place:
        """The source's own words."""
        return Place(self.passage.slide, self.passage.said_at_s, self.passage.text[self.start : self.end])


def read_operand(operand: Operand, passages: Mapping[str, Passage]) -> Figure:
    """The quote's place and, where a number is named, the value that our reader finds there.

    Raises:
        UnreadError: The passage, the quote, the number, its value or its unit is not there.
    """
    passage = passages.get(operand.passage)
    if passage is None:
        raise UnreadError("passage", f'There is no passage "{operand.passage[:40]}".')
    part = _part(operand.quote, passage, passages)
    figure = Figure(passage, part.start, part.end, "", 0, None)
    if operand.number is None and operand.value is None:
        return figure
    if operand.value is not None and not math.isfinite(operand.value):
        raise UnreadError("value", "A value is a finite number.")
    return _with_number(operand, figure)


def _part(quote: str, passage: Passage, passages: Mapping[str, Passage]) -> Part:
    """Where in *passage* the quote stands, alone or as a part of what adjoins it."""
    found = find_quote(quote, (passage.text,))
    if not isinstance(found, Broken):
        return found.parts[0]
    beside = _neighbours(passage, passages)
    if len(beside) > 1:
        whole = find_quote(quote, [one.text for one in beside])
        if not isinstance(whole, Broken):
            for part in whole.parts:
                if beside[part.index].id == passage.id:
                    return part
            raise UnreadError(
                "passage", f"The quote does not stand in {passage.id}: name the passage it is in."
            )
    raise UnreadError("quote", f"In {passage.id}: {found.told}")


def _neighbours(passage: Passage, passages: Mapping[str, Passage]) -> list[Passage]:
    """The cells of its row, or the lines before and after it, in order."""
    match = re.fullmatch(r"(.+\.(?:r\d+\.c|[ln]))(\d+)", passage.id)
    if match is None:
        return [passage]
    prefix, number = match[1], int(match[2])
    near = range(max(1, number - _MOST_NEIGHBOURS), number + _MOST_NEIGHBOURS)
    return [passages[f"{prefix}{at}"] for at in near if f"{prefix}{at}" in passages]


def _with_number(operand: Operand, figure: Figure) -> Figure:
    unit = _unit(operand.unit)
    found: Sequence[Number | Date] = ()
    text = figure.passage.text
    if unit in ("date", "year"):
        found = _matching(operand, figure, dates_in(text))
    if not found and unit != "date":
        found = _matching(operand, figure, numbers_in(text))
    if not found and unit is None:
        found = _matching(operand, figure, dates_in(text))
    if not found:
        raise UnreadError("number", _not_there(operand, figure))
    errors = []
    for one in found:
        try:
            if isinstance(one, Date):
                return _dated(operand, figure, one)
            return _counted(operand, figure, one, unit)
        except UnreadError as error:
            errors.append(error)
    raise errors[0]


def _unit(unit: str | None) -> str | None:
    """The unit as it is compared: "months" and "usd" are "month" and "USD"."""
    if unit is None or not unit.strip():
        return None
    plain = unit.strip().lower()
    for known in (plain, plain.removesuffix("s")):
        if known in UNITS or known in _UNITS_OF_TIME:
            return known
    if plain in ("pp", "percent", "share"):
        return "%"
    if re.fullmatch(r"[a-z]{3}", plain):
        return plain.upper()
    raise UnreadError(
        "unit", f'"{unit[:20]}" is no unit: {", ".join(UNITS)}, a currency code or a unit of time.'
    )


def _matching(
    operand: Operand, figure: Figure, found: Sequence[Number] | Sequence[Date]
) -> list[Number | Date]:
    """Those that stand whole within the quote and are written as the operand writes its number."""
    inside = [one for one in found if figure.start <= one.start and one.end <= figure.end]
    if operand.number is None:
        return [*inside]
    said = fold(operand.number)
    return sorted(
        (one for one in inside if _is_written(said, fold(one.text))), key=lambda one: fold(one.text) != said
    )


def _is_written(said: str, text: str) -> bool:
    """Both are one number: the same text, or one with the words around it ("about 4.2M", "4.2")."""
    if not said or not text:
        return False
    longer, shorter = (said, text) if len(said) >= len(text) else (text, said)
    if longer == shorter:
        return True
    if _DIGITS.findall(longer) != _DIGITS.findall(shorter):
        return False
    return not isinstance(find_quote(shorter, (longer,)), Broken) or (
        bool(_DIGITS.search(shorter)) and longer.replace(" ", "").find(shorter.replace(" ", "")) >= 0
    )


def _not_there(operand: Operand, figure: Figure) -> str:
    text = figure.passage.text
    numbers: tuple[Number | Date, ...] = (*numbers_in(text), *dates_in(text))
    there = [one.text for one in numbers if figure.start < one.end and one.start < figure.end]
    listed = ", ".join(f'"{one}"' for one in there[:6]) or "no number"
    said = (operand.number or "")[:30]
    return f'In {figure.passage.id} "{said}" is no whole number of the quote; it holds {listed}.'


# ---------------------------------------------------------------------- dates


def _dated(operand: Operand, figure: Figure, found: Date) -> Figure:
    low, high = year_of(found.first), _day_after(found)
    if found.precision == "fiscal year":
        low, high = low - _FISCAL_SLACK, high + _FISCAL_SLACK
    shift = 0.0
    if not found.has_year:
        year = math.floor(operand.value) if operand.value is not None and operand.value >= 2 else 2000
        shift = float(year - found.first.year)
    elif operand.value is not None and not low - 0.05 <= operand.value <= high + 0.05:
        raise UnreadError("value", f'"{found.text}" is {low:.2f} to {high:.2f} as a year with its fraction.')
    interval = Interval(low + shift, high + shift)
    amount = Amount(low + shift, interval, DATE)
    return replace(
        figure,
        text=found.text,
        at=found.start,
        amount=amount,
        named=interval,
        is_yearless=not found.has_year,
    )


def _day_after(found: Date) -> float:
    """The end of the last day."""
    last = found.last
    days = 31 if last.month == 12 else (last.replace(month=last.month + 1, day=1) - last.replace(day=1)).days
    return year_of(last) + 1 / days / 12


# ---------------------------------------------------------------------- numbers


def _counted(operand: Operand, figure: Figure, found: Number, unit: str | None) -> Figure:
    kind, of = _kind(found, unit)
    if kind == TIME:
        amount, named = _length(operand, found, unit)
        is_whole = _is_whole(figure, found) and amount.value == found.value
        return replace(figure, text=found.text, at=found.start, amount=amount, named=named, is_whole=is_whole)
    interval = Interval(found.low, found.high)
    factor, scale = _factors(operand, figure, found, kind)
    amount = Amount(found.value * scale, interval * point(scale), kind, of)
    is_bare = _is_bare(figure, found)
    return replace(
        figure,
        text=found.text,
        at=found.start,
        amount=amount,
        named=interval * point(factor),
        group=re.sub(r"\.[rskvt][^.]*(\..*)?$", "", figure.passage.id) if is_bare else "",
        is_whole=_is_whole(figure, found),
    )


def _kind(found: Number, unit: str | None) -> tuple[str, str]:
    """The kind of amount, and its currency; the text's own unit goes before the one that is named."""
    written = found.unit
    is_code = unit is not None and unit.isupper()
    if written in ("%", "pp", "x"):
        fits, kind, of = unit in (None, "%", "x", "count"), SHARE, ""
    elif written in _UNITS_OF_TIME:
        fits, kind, of = unit in (None, "time") or unit in _UNITS_OF_TIME, TIME, written or ""
    elif written is not None:
        fits, kind, of = unit in (None, "money", written), MONEY, written
    elif unit == "money" or is_code:
        fits, kind, of = True, MONEY, unit if is_code and unit else ""
    elif unit in ("%", "x") or (unit in (None, "count") and _is_fraction(found)):
        fits, kind, of = True, SHARE, ""
    elif unit == "time" or unit in _UNITS_OF_TIME:
        fits, kind, of = True, TIME, ""
    else:
        fits, kind, of = unit in (None, "count"), COUNT, ""
    if not fits:
        raise UnreadError(
            "unit", f'"{found.text}" is written as {written or "a plain number"}, not as {unit}.'
        )
    return kind, of


def _is_whole(figure: Figure, found: Number) -> bool:
    is_unit = found.value == int(found.value) and (found.low, found.high) == (
        found.value - 0.5,
        found.value + 0.5,
    )
    return is_unit and figure.passage.origin not in ("table", "chart")


def _is_fraction(found: Number) -> bool:
    return 0 < abs(found.value) < 1 and not re.search(r"[0-9]", found.text)


def _is_bare(figure: Figure, found: Number) -> bool:
    """A number of a cell or a chart whose unit and magnitude, if any, stand in a heading."""
    return (
        figure.passage.origin in ("table", "chart") and found.unit is None and _written(found) == found.value
    )


def _written(found: Number) -> float | None:
    """The digits alone: 4.2 of "4.2M"; None where there are none or they are read in another way."""
    match = _DIGITS.search(found.text)
    if match is None:
        return None
    digits = re.sub(r"[,’'\u00a0\u202f ](?=[0-9]{3}(?![0-9]))", "", match[0])
    try:
        value = float(digits.replace(",", "."))
    except ValueError:
        return None
    return -value if found.value < 0 else value


def _factors(operand: Operand, figure: Figure, found: Number, kind: str) -> tuple[float, float]:
    """Of the value named the part of the base value, and the scale that a bare number is read in."""
    if operand.value is None:
        return 1.0, 1.0
    value = operand.value
    if _same(value, found.value, found):
        return 1.0, 1.0
    if _is_bare(figure, found):
        for scale in _BARE_SCALES:
            if _same(value, found.value * scale, found):
                return scale, scale
    if kind == SHARE:
        for scale in (0.01, 100.0):
            if _same(value, found.value * scale, found):
                return scale, scale
    else:
        written = _written(found)
        for magnitude in _MAGNITUDES:
            in_digits = written is None or _same(written * magnitude, found.value, found)
            if in_digits and _same(value * magnitude, found.value, found):
                return 1 / magnitude, 1.0
    raise UnreadError("value", f'"{found.text}" in {figure.passage.id} is {found.value:g}, not {value:g}.')


def _length(operand: Operand, found: Number, unit: str | None) -> tuple[Amount, Interval]:
    """A length of time in the unit that the engine named, or in the one that its value shows."""
    written = Amount(found.value, Interval(found.low, found.high), TIME, found.unit or "")
    named = unit if unit in _UNITS_OF_TIME else ""
    if not written.of:
        written = replace(written, of=named)
    if operand.value is None:
        length = in_unit(written, named) if named else written
        return length, length.interval
    if not written.of and _same(operand.value, found.value, found):
        return written, written.interval
    for one in (named,) if named else (written.of, *sorted(_UNITS_OF_TIME - {written.of})):
        try:
            length = in_unit(written, one)
        except UnitError:
            continue
        is_own = one == written.of
        if (
            _same(operand.value, length.value, found)
            if is_own
            else math.isclose(operand.value, length.value, rel_tol=0.02)
        ):
            return length, length.interval
    raise UnreadError(
        "value", f'"{found.text}" is {found.value:g} {found.unit or named}, not {operand.value:g}.'
    )


def _same(one: float, other: float, found: Number) -> bool:
    """Equal but for noise; of a fraction in words or signs ("a third") but for its rounding."""
    is_decimal = re.search(r"[0-9]", found.text) and "/" not in found.text
    return math.isclose(one, other, rel_tol=1e-9 if is_decimal else 0.01, abs_tol=1e-12)
