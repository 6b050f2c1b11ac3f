"""An operand of a proposal, looked up: its quote in its passage, its number in that quote."""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Mapping, Sequence
from typing import Final

from orchestrator.material.checks.amount import UNITS_OF_TIME
from orchestrator.material.checks.figures import (
    DIGITS,
    Figure,
    UnreadError,
    counted,
    dated,
)
from orchestrator.material.checks.quotes import (
    Broken,
    Part,
    find_quote,
    fold,
)
from orchestrator.material.claims.dates import Date, dates_in
from orchestrator.material.claims.neighbours import share_of
from orchestrator.material.claims.numbers import Number, numbers_in
from orchestrator.material.claims.units import CODES
from orchestrator.material.model.proposal import UNITS, Operand, Passage

_OUT_OF = re.compile(r"\s+(?:in|of|out of)\s+", re.IGNORECASE)  # "9 out of 10", "12 of 14"
_MOST_NEIGHBOURS: Final = 40
"""Lines or cells on either side that a quote may run through; it bounds a search in vain."""


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
    text = figure.passage.text
    dates = _matching(operand, figure, dates_in(text))
    numbers = _matching(operand, figure, _with_shares(numbers_in(text), text))
    by_unit = {"date": dates, "year": dates or numbers, None: numbers or dates}
    found = by_unit.get(unit, numbers)
    if not found:
        raise UnreadError("number", _not_there(operand, figure))
    errors = []
    for one in found:
        try:
            if isinstance(one, Date):
                return dated(operand, figure, one)
            return counted(operand, figure, one, unit)
        except UnreadError as error:
            errors.append(error)
    raise errors[0]


def _unit(unit: str | None) -> str | None:
    """The unit as it is compared: "months" is "month", "EUR m" is "EUR"; None: the text alone decides."""
    plain = (unit or "").strip().lower()
    for known in (plain, plain.removesuffix("s")):
        if known in UNITS or known in UNITS_OF_TIME:
            return known
    if plain in ("pp", "percent", "share"):
        return "%"
    codes = [word for word in re.findall(r"[A-Z]{3}", plain.upper()) if word in CODES]
    return codes[0] if codes else None


def _matching(
    operand: Operand, figure: Figure, found: Sequence[Number] | Sequence[Date]
) -> list[Number | Date]:
    """Those that stand whole within the quote and are written as the operand writes its number."""
    inside = [one for one in found if _is_inside(one, figure)]
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
    if DIGITS.findall(longer) != DIGITS.findall(shorter):
        return False
    return not isinstance(find_quote(shorter, (longer,)), Broken) or (
        bool(DIGITS.search(shorter)) and longer.replace(" ", "").find(shorter.replace(" ", "")) >= 0
    )


def _with_shares(numbers: Sequence[Number], text: str) -> list[Number]:
    """The numbers, and beside its parts each share that two counts make: "9 out of 10", "12 of 14"."""
    made = [*numbers]
    for part, whole in itertools.pairwise(numbers):
        is_share = _OUT_OF.fullmatch(text[part.end : whole.start]) and not part.unit
        if is_share and (share := share_of(text, part.start, part.value, whole)):
            made.append(share._replace(noun=None))
    return made


def _not_there(operand: Operand, figure: Figure) -> str:
    """One sentence for the engine: the numbers that the quote does hold, or where the one named stands."""
    text = figure.passage.text
    numbers: tuple[Number | Date, ...] = (*_with_shares(numbers_in(text), text), *dates_in(text))
    there = [one for one in numbers if figure.start < one.end and one.start < figure.end]
    whole = list(dict.fromkeys(one.text for one in there if _is_inside(one, figure)))
    said = (operand.number or "")[:30]
    told = f'In {figure.passage.id} "{said}" is no whole number of the quote' if said else "The quote"
    if cut := [one.text for one in there if not _is_inside(one, figure)]:
        return f'{told}, which cuts "{cut[0]}" in two: quote all of it.'
    same = [one.text for one in numbers if _is_written(fold(said), fold(one.text))]
    if set(same) & set(whole):
        return f'In {figure.passage.id} "{said}" is no date: give it the unit that it has, or null.'
    if same:
        return f'{told}, and stands elsewhere in the passage: quote as far as "{same[0]}".'
    if not whole:
        it = ", which holds" if said else " holds"
        return f"{told}{it} no number: quote a figure, or give null where words alone are meant."
    listed = ", ".join(f'"{one}"' for one in whole[:6])
    return f"{told}; it holds {listed}: name one of them as it is written."


def _is_inside(one: Number | Date, figure: Figure) -> bool:
    return figure.start <= one.start and one.end <= figure.end
