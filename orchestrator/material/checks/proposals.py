"""Check a proposed contradiction as far as code can: quotes, numbers, units, arithmetic.

Only an engine's choice of places and of formula, its subject and its sentence are accepted from it. Whether
two figures are about the same thing is for the engine to know, and is not checked here.
"""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final

from orchestrator.material.checks.amount import (
    COUNT,
    DATE,
    FREE,
    TIME,
    UNITS_OF_TIME,
    Amount,
    Interval,
    IntervalError,
    UnitError,
    alike,
    constant,
    in_unit,
    point,
)
from orchestrator.material.checks.comparison import likely_difference
from orchestrator.material.checks.figures import DIGITS, SCALES, Figure, UnreadError, counted, dated
from orchestrator.material.checks.formula import (
    CONVERSIONS,
    MAX_OPERANDS,
    Comparison,
    FormulaError,
    check_deciding,
    evaluate,
    parse,
    renumbered,
)
from orchestrator.material.checks.grounding import Broken, Part, find_quote, fold
from orchestrator.material.checks.written import one_line, sum_of
from orchestrator.material.claim import (
    COMPUTED,
    NOT_BOTH,
    READ,
    UNITS,
    Operand,
    Passage,
    Place,
    Proposal,
    Refusal,
    Tension,
)
from orchestrator.material.claims.dates import Date, dates_in
from orchestrator.material.claims.numbers import Number, numbers_in, share_of
from orchestrator.material.claims.units import CODES

# ---------------------------------------------------------------------- readings
# The ways in which the figures of a formula can be taken: their scales, units of time and years.


_MAX_SCALED: Final = 3
"""Maximum number of tables and charts of unknown scale in one formula, each read in four scales; a proposal
with more is refused. No finding of the bench's corpora needs more than two; with one, a true finding is
refused."""


def readings_of(comparison: Comparison, figures: Sequence[Figure]) -> Iterator[list[Amount]]:
    """Yield each reading of the figures that text and layout allow; the formula must fail in all of them.

    The first is the plain one: base units, and units of time converted where they meet.
    """
    plain = _counted(figures)
    yield plain
    for shift in (-1, 1) if 0 < sum(figure.is_yearless for figure in figures) < _dates(plain) else ():
        yield [
            amount + Amount(shift, point(shift), TIME, "year") if figure.is_yearless else amount
            for amount, figure in zip(plain, figures, strict=True)
        ]
    if {one.kind for one in plain} >= {TIME} and not _dates(plain) and set("*/") & set(comparison.signs):
        yield from _by_units_of_time(plain)
    groups = sorted({figure.group for figure in figures if figure.group})
    if groups and len({figure.group for figure in figures}) > 1:
        if len(groups) > _MAX_SCALED:
            raise UnreadError(
                "shape", f"A formula takes bare numbers of at most {_MAX_SCALED} tables and charts."
            )
        for scales in itertools.product(SCALES, repeat=len(groups)):
            by_group = dict(zip(groups, scales, strict=True))
            yield [
                _scaled(amount, by_group.get(figure.group, 1.0))
                for amount, figure in zip(plain, figures, strict=True)
            ]
    if comparison.constants & CONVERSIONS:
        yield [
            Amount(amount.value, figure.named or amount.interval, FREE)
            for amount, figure in zip(plain, figures, strict=True)
        ]


def _counted(figures: Sequence[Figure]) -> list[Amount]:
    """Return the amounts, with whole counts in running text as exact: nobody rounds three sites.

    Nobody rounds four weeks either, but lengths of time are exact only if all are in one unit: nine weeks may
    well be called two months.
    """
    amounts = [figure.amount for figure in figures if figure.amount is not None]
    timed = {(amount.kind, amount.of) for amount in amounts if amount.kind in (TIME, DATE)}
    exact = (COUNT, TIME) if len(timed) == 1 else (COUNT,)
    return [
        replace(amount, interval=point(amount.value)) if figure.is_whole and amount.kind in exact else amount
        for amount, figure in zip(amounts, figures, strict=True)
    ]


def _by_units_of_time(amounts: Sequence[Amount]) -> Iterator[list[Amount]]:
    """Yield the lengths of time as plain numbers, in each unit, since a rate's unit is unknown here."""
    for unit in ("day", "week", "month", "quarter", "year"):
        yield [
            replace(in_unit(one, unit), kind=FREE) if one.kind == TIME and one.of else replace(one, kind=FREE)
            for one in amounts
        ]


def _dates(amounts: Sequence[Amount]) -> int:
    return sum(amount.kind == DATE for amount in amounts)


def _scaled(amount: Amount, scale: float) -> Amount:
    return replace(amount, value=amount.value * scale, interval=amount.interval * point(scale))


# ---------------------------------------------------------------------- operands
# An operand of a proposal, looked up: its quote in its passage, its number in that quote.


_OUT_OF = re.compile(r"\s+(?:in|of|out of)\s+", re.IGNORECASE)  # "9 out of 10", "12 of 14"
_MAX_NEIGHBOURS: Final = 40
"""Maximum number of lines or cells on either side through which a quote may run; it bounds a search in
vain."""


def read_operand(operand: Operand, passages: Mapping[str, Passage]) -> Figure:
    """Return the place of the quote and, if a number is named, the value that our reader reads there.

    Raises:
        UnreadError: The passage, the quote, the number, its value or its unit is missing in the source.
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
    """Find the quote in *passage*, alone or as a part of the passages that adjoin it."""
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
    """Return the cells of the passage's row, or the lines before and after the passage, in order."""
    match = re.fullmatch(r"(.+\.(?:r\d+\.c|[ln]))(\d+)", passage.id)
    if match is None:
        return [passage]
    prefix, number = match[1], int(match[2])
    near = range(max(1, number - _MAX_NEIGHBOURS), number + _MAX_NEIGHBOURS)
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
    """Normalise the unit: "months" to "month", "EUR m" to "EUR"; None means that only the text decides."""
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
    """Return those of *found* that are wholly within the quote and match the operand's written number."""
    inside = [one for one in found if _is_inside(one, figure)]
    if operand.number is None:
        return [*inside]
    said = fold(operand.number)
    return sorted(
        (one for one in inside if _is_written(said, fold(one.text))), key=lambda one: fold(one.text) != said
    )


def _is_written(said: str, text: str) -> bool:
    """Return whether both texts are one number, with or without words around it ("about 4.2M", "4.2")."""
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
    """Return *numbers*, adding each share of two counts beside its parts: "9 out of 10", "12 of 14"."""
    made = [*numbers]
    for part, whole in itertools.pairwise(numbers):
        is_share = _OUT_OF.fullmatch(text[part.end : whole.start]) and not part.unit
        if is_share and (share := share_of(text, part.start, part.value, whole)):
            made.append(share._replace(noun=None))
    return made


def _not_there(operand: Operand, figure: Figure) -> str:
    """Say in one sentence, for the engine, which numbers the quote has, or where the named number is."""
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


# ---------------------------------------------------------------------- proposals


KINDS: Final = ("deck-vs-deck", "speech-vs-deck", "sum", "growth", "chart-vs-text")
"""The five kinds of interfaces.md, `check`; `_kind` corrects an engine's choice if the places show another
kind."""
MAX_NOTE: Final = 300  # characters: three lines of a terminal
MAX_SUBJECT: Final = 120  # characters: a phrase, shown above


def verify(
    proposal: Proposal, passages: Mapping[str, Passage], known: Sequence[Tension], by: str
) -> Tension | Refusal:
    """Return the tension that *proposal* names, with the sources' own words, or the reason to refuse it.

    A proposal is accepted only if every quote is in its passage, our reader reads every number there with the
    value named, the units can be compared, the formula fails for all values that the wordings allow, and the
    tension is not among *known*. The check takes milliseconds, whatever the proposal contains; nothing of the
    proposal is executed.

    Args:
        by: The name of the engine that proposed it.
    """
    try:
        return _verified(proposal, passages, known, by)
    except UnreadError as error:
        return Refusal(proposal, error.reason, str(error))


def _verified(
    proposal: Proposal, passages: Mapping[str, Passage], known: Sequence[Tension], by: str
) -> Tension:
    if not 2 <= len(proposal.operands) <= MAX_OPERANDS:
        raise UnreadError("shape", f"A contradiction has 2 to {MAX_OPERANDS} operands.")
    if proposal.kind not in KINDS:
        raise UnreadError("shape", f"The kind is one of {', '.join(KINDS)}.")
    if not proposal.why.strip():
        raise UnreadError("shape", "Say in one sentence why both cannot be right.")
    figures = [read_operand(one, passages) for one in proposal.operands]
    if proposal.relation.strip().lower() == NOT_BOTH:
        _check_apart(figures)
        tension = _tension(proposal, figures, None, by)
    else:
        tension = _tension(proposal, figures, _decided(proposal, figures), by)
    if any(_are_same(tension, one) for one in known):
        raise UnreadError("known", "This is known already: leave it out.")
    return tension


def _check_apart(figures: Sequence[Figure]) -> None:
    if not any(
        one.passage.id != other.passage.id or one.end <= other.start or other.end <= one.start
        for one, other in itertools.combinations(figures, 2)
    ):
        raise UnreadError("shape", "The operands quote the same words: name two that cannot both hold.")


def _decided(proposal: Proposal, figures: Sequence[Figure]) -> tuple[Comparison, list[Figure]]:
    """Return the formula, which fails for every value that the wordings allow, and the formula's figures.

    Quotes without a number are included: they say what the figures alone do not, such as "has fallen".
    """
    wordy = [at for at, figure in enumerate(figures) if figure.amount is None]
    numbered = [figure for figure in figures if figure.amount is not None]
    if not numbered:
        raise UnreadError(
            "number", f'No operand has a number: name them as the quotes write them, or say "{NOT_BOTH}".'
        )
    seen = [(figure.passage.id, figure.at) for figure in numbered]
    if len(set(seen)) < len(seen):
        raise UnreadError("shape", "Two operands are the same figure: name each once.")
    try:
        comparison = parse(proposal.relation)
        if nameless := [f"v{at}" for at in wordy if at in comparison.variables]:
            raise UnreadError(
                "number", f"{', '.join(nameless)} has no number: name it as the quote writes it."
            )
        check_deciding(comparison, len(figures), wordy)
        places = (at for at in range(len(figures)) if at not in wordy)
        comparison = renumbered(comparison, {at: place for place, at in enumerate(places)})
        for amounts in readings_of(comparison, numbered):
            _check_fails(comparison, amounts, numbered)
    except (FormulaError, IntervalError) as error:
        raise UnreadError("formula", f"{error}.") from None
    except UnitError as error:
        raise UnreadError("unit", f"{error}.") from None
    return comparison, numbered


def _check_fails(comparison: Comparison, amounts: Sequence[Amount], figures: Sequence[Figure]) -> None:
    left, right = alike(*(evaluate(side, amounts, constant) for side in (comparison.left, comparison.right)))
    if may_hold(comparison.sign, left.interval, right.interval):
        if _is_beyond_rounding(comparison, amounts, figures):
            return
        low, high = (f"{side.interval.low:g} to {side.interval.high:g}" for side in (left, right))
        raise UnreadError(
            "holds",
            f"The formula holds as the figures are worded or rounded: left is {low}, right is {high}.",
        )


def _is_beyond_rounding(comparison: Comparison, amounts: Sequence[Amount], figures: Sequence[Figure]) -> bool:
    """Return whether a sum of figures that are only rounded fails by more than chance explains."""
    if not all(
        figure.is_rounded or amount.interval.is_point for amount, figure in zip(amounts, figures, strict=True)
    ):
        return False
    difference = likely_difference(comparison, amounts)
    return difference is not None and not may_hold(comparison.sign, difference, point(0))


def may_hold(sign: str, left: Interval, right: Interval) -> bool:
    """Return whether the comparison holds for some values of the two sides."""
    if sign == "==":
        return left.may_equal(right)
    if sign == "!=":
        return not (left.is_point and right.is_point and left.may_equal(right))
    if sign == "<=":
        return left.may_be_at_most(right)
    if sign == ">=":
        return right.may_be_at_most(left)
    return left.may_be_below(right) if sign == "<" else right.may_be_below(left)


# ---------------------------------------------------------------------- what is known


def _are_same(one: Tension, other: Tension) -> bool:
    """Return whether both tensions name the same two places, in any order and however far quotes extend."""
    if any(_is_at(one.a, a) and _is_at(one.b, b) for a, b in ((other.a, other.b), (other.b, other.a))):
        return True
    pairs = ((one.sides, other.sides), (other.sides, one.sides))
    return all(any(_is_at(place, there) for there in theirs) for mine, theirs in pairs for place in mine)


def _is_at(one: Place, other: Place) -> bool:
    """Return whether one place is a part of the other, or both name the same numbers in one place.

    The same words said again do not count as a second place.
    """
    if one.said_at_s is not None and other.said_at_s is not None and fold(one.quote) == fold(other.quote):
        return True
    if (one.slide, one.said_at_s) != (other.slide, other.said_at_s):
        return False
    mine, theirs = fold(one.quote), fold(other.quote)
    if mine in theirs or theirs in mine:
        return True
    numbers, others = ({(n.value, n.unit) for n in numbers_in(place.quote)} for place in (one, other))
    return bool(numbers) and numbers == others


# ---------------------------------------------------------------------- what comes out


def _tension(
    proposal: Proposal, figures: Sequence[Figure], decided: tuple[Comparison, list[Figure]] | None, by: str
) -> Tension:
    deck_first = sorted(figures, key=lambda figure: figure.passage.said_at_s is not None)
    places = tuple(dict.fromkeys(figure.place for figure in deck_first))
    return Tension(
        _kind(proposal, figures, None if decided is None else decided[0]),
        places[0],
        places[-1],
        one_line(proposal.why, MAX_NOTE),
        class_=READ if decided is None else COMPUTED,
        by=by,
        subject=one_line(proposal.subject, MAX_SUBJECT),
        sum="" if decided is None else _sum(*decided),
        places=places if len(places) > 2 else (),
    )


def _sum(comparison: Comparison, figures: Sequence[Figure]) -> str:
    texts = [" ".join(figure.text.split()) for figure in figures]
    readings = [*readings_of(comparison, figures)]
    amounts = readings[-1 if comparison.constants & CONVERSIONS else 0]
    return one_line(sum_of(comparison, texts, lambda node: evaluate(node, amounts, constant)), MAX_NOTE)


def _kind(proposal: Proposal, figures: Sequence[Figure], comparison: Comparison | None) -> str:
    """Return the kind by the figures' places, else by the formula, else by the engine's own word.

    If a quote is included for its words, the kind is one for two places; contradictions of such kinds are
    always doubted.
    """
    spoken = [figure.passage.said_at_s is not None for figure in figures]
    charted = [figure.passage.origin == "chart" for figure in figures]
    adds = comparison is not None and "+" in comparison.signs and len(figures) > 2
    if any(spoken) and not all(spoken):
        return "speech-vs-deck"
    if comparison is not None and any(figure.amount is None for figure in figures):
        return "speech-vs-speech" if all(spoken) else "deck-vs-deck"  # words against figures: to be doubted
    if any(charted) and not all(charted):
        return "chart-vs-text"
    if proposal.kind == "growth" and comparison is not None:
        return "growth"
    if adds or (proposal.kind == "sum" and comparison is not None):
        return "sum"
    return "speech-vs-speech" if all(spoken) else "deck-vs-deck"
