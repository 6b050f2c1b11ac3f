"""Whether a proposed contradiction is one, as far as code can tell: quotes, numbers, units, arithmetic.

Nothing is taken over from an engine but its choice of places and of formula, its subject and its
sentence. Whether two figures are about one thing is the engine's to know, and not checked here.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final

from orchestrator.checks.amount import COUNT, DATE, FREE, TIME, Amount, UnitError, alike, constant, in_unit
from orchestrator.checks.deciding import check_deciding
from orchestrator.checks.figures import Figure, UnreadError
from orchestrator.checks.formula import (
    MOST_OPERANDS,
    Comparison,
    Constant,
    FormulaError,
    Node,
    Variable,
    evaluate,
    parse,
)
from orchestrator.checks.interval import Interval, IntervalError, point
from orchestrator.checks.operands import read_operand
from orchestrator.checks.proposal import NOT_BOTH, Passage, Proposal, Refusal
from orchestrator.checks.same import is_known
from orchestrator.checks.written import one_line, sum_of
from orchestrator.claims.model import COMPUTED, READ, Tension

KINDS: Final = ("deck-vs-deck", "speech-vs-deck", "sum", "growth", "chart-vs-text")
LONGEST_NOTE: Final = 300
LONGEST_SUBJECT: Final = 120

_OWN_CONVERSION: Final = frozenset(
    (3, 4, 7, 10, 12, 24, 26, 30, 52, 60, 365, 366, 1000, 3600, 10_000, 1e6, 1e9)
)
"""Constants by which an engine converts units itself: then its own magnitudes are tried as well."""

_SCALES: Final = (1.0, 1e3, 1e6, 1e9)
_MOST_SCALED: Final = 3
"""Tables and charts of unknown scale in one formula; more are not tried, and the proposal is refused."""


def verify(
    proposal: Proposal, passages: Mapping[str, Passage], known: Sequence[Tension], by: str
) -> Tension | Refusal:
    """The tension that *proposal* names, with the sources' own words, or why it is none.

    Accepted is only a proposal whose every quote stands in its passage, whose every number our
    reader finds there with the value named, whose units can be compared, whose formula fails for
    all values that the wordings allow, and that is not among *known*. Milliseconds, whatever the
    proposal holds; nothing of it is executed.

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
    if not 2 <= len(proposal.operands) <= MOST_OPERANDS:
        raise UnreadError("shape", f"A contradiction has 2 to {MOST_OPERANDS} operands.")
    if proposal.kind not in KINDS:
        raise UnreadError("shape", f"The kind is one of {', '.join(KINDS)}.")
    if not proposal.why.strip():
        raise UnreadError("shape", "Say in one sentence why both cannot be right.")
    figures = [read_operand(one, passages) for one in proposal.operands]
    if proposal.relation.strip().lower() == NOT_BOTH:
        _check_apart(figures)
        tension = _tension(proposal, figures, None, by)
    else:
        comparison = _decided(proposal, figures)
        tension = _tension(proposal, figures, comparison, by)
    if is_known(tension, known):
        raise UnreadError("known", "This is known already: leave it out.")
    return tension


def _check_apart(figures: Sequence[Figure]) -> None:
    for one, other in itertools.combinations(figures, 2):
        apart = one.passage.id != other.passage.id or one.end <= other.start or other.end <= one.start
        if apart:
            return
    raise UnreadError("shape", "The operands quote the same words: name two that cannot both hold.")


def _decided(proposal: Proposal, figures: Sequence[Figure]) -> Comparison:
    """The formula, which fails for every value that the wordings allow."""
    if unnamed := [f"v{at}" for at, figure in enumerate(figures) if figure.amount is None]:
        raise UnreadError("number", f"{', '.join(unnamed)} has no number: name it as the quote writes it.")
    seen = [(figure.passage.id, figure.at) for figure in figures]
    if len(set(seen)) < len(seen):
        raise UnreadError("shape", "Two operands are the same figure: name each once.")
    try:
        comparison = parse(proposal.relation)
        check_deciding(comparison, len(figures))
        for amounts in _readings(comparison, figures):
            _check_fails(comparison, amounts)
    except (FormulaError, IntervalError) as error:
        raise UnreadError("formula", f"{error}.") from None
    except UnitError as error:
        raise UnreadError("unit", f"{error}.") from None
    return comparison


def _check_fails(comparison: Comparison, amounts: Sequence[Amount]) -> None:
    left, right = alike(*(_value(node, amounts) for node in (comparison.left, comparison.right)))
    if may_hold(comparison.sign, left.interval, right.interval):
        low, high = (f"{side.interval.low:g} to {side.interval.high:g}" for side in (left, right))
        raise UnreadError(
            "holds",
            f"The formula holds as the figures are worded or rounded: left is {low}, right is {high}.",
        )


def may_hold(sign: str, left: Interval, right: Interval) -> bool:
    """Whether the comparison holds for some values of the two sides."""
    if sign == "==":
        return left.may_equal(right)
    if sign == "!=":
        return not (left.is_point and right.is_point and left.may_equal(right))
    if sign == "<=":
        return left.may_be_at_most(right)
    if sign == ">=":
        return right.may_be_at_most(left)
    return left.may_be_below(right) if sign == "<" else right.may_be_below(left)


def _value(node: Node, amounts: Sequence[Amount]) -> Amount:
    def leaf(one: Constant | Variable) -> Amount:
        return constant(one.value) if isinstance(one, Constant) else amounts[one.index]

    return evaluate(node, leaf)


def _readings(comparison: Comparison, figures: Sequence[Figure]) -> Iterator[list[Amount]]:
    """Every way to take the figures that neither text nor layout rules out; the formula must fail in each.

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
        if len(groups) > _MOST_SCALED:
            raise UnreadError(
                "shape", f"A formula takes bare numbers of at most {_MOST_SCALED} tables and charts."
            )
        for scales in itertools.product(_SCALES, repeat=len(groups)):
            by_group = dict(zip(groups, scales, strict=True))
            yield [
                _scaled(amount, by_group.get(figure.group, 1.0))
                for amount, figure in zip(plain, figures, strict=True)
            ]
    if comparison.constants & _OWN_CONVERSION:
        yield [
            Amount(amount.value, figure.named or amount.interval, FREE)
            for amount, figure in zip(plain, figures, strict=True)
        ]


def _counted(figures: Sequence[Figure]) -> list[Amount]:
    """The amounts, of which whole things in running text are exact: nobody rounds three sites or four weeks.

    Lengths of time are so only where all are in one unit: nine weeks may well be called two months.
    """
    amounts = [figure.amount for figure in figures if figure.amount is not None]
    timed = {(amount.kind, amount.of) for amount in amounts if amount.kind in (TIME, DATE)}
    exact = (COUNT, TIME) if len(timed) == 1 else (COUNT,)
    return [
        replace(amount, interval=point(amount.value)) if figure.is_whole and amount.kind in exact else amount
        for amount, figure in zip(amounts, figures, strict=True)
    ]


def _by_units_of_time(amounts: Sequence[Amount]) -> Iterator[list[Amount]]:
    """Lengths as plain numbers in each unit: of a rate nobody sees whether it is by the month or the year."""
    for unit in ("day", "week", "month", "quarter", "year"):
        yield [
            replace(in_unit(one, unit), kind=FREE) if one.kind == TIME and one.of else replace(one, kind=FREE)
            for one in amounts
        ]


def _dates(amounts: Sequence[Amount]) -> int:
    return sum(amount.kind == DATE for amount in amounts)


def _scaled(amount: Amount, scale: float) -> Amount:
    return replace(amount, value=amount.value * scale, interval=amount.interval * point(scale))


# ---------------------------------------------------------------------- what comes out


def _tension(
    proposal: Proposal, figures: Sequence[Figure], comparison: Comparison | None, by: str
) -> Tension:
    places = tuple(dict.fromkeys(figure.place for figure in _deck_first(figures)))
    return Tension(
        _kind(proposal, figures, comparison),
        places[0],
        places[-1],
        one_line(proposal.why, LONGEST_NOTE),
        class_=READ if comparison is None else COMPUTED,
        by=by,
        subject=one_line(proposal.subject, LONGEST_SUBJECT),
        sum="" if comparison is None else _sum(comparison, figures),
        places=places if len(places) > 2 else (),
    )


def _sum(comparison: Comparison, figures: Sequence[Figure]) -> str:
    texts = [" ".join(figure.text.split()) for figure in figures]
    readings = [*_readings(comparison, figures)]
    amounts = readings[-1 if comparison.constants & _OWN_CONVERSION else 0]
    return one_line(sum_of(comparison, texts, lambda node: _value(node, amounts)), LONGEST_NOTE)


def _deck_first(figures: Sequence[Figure]) -> list[Figure]:
    return sorted(figures, key=lambda figure: figure.passage.said_at_s is not None)


def _kind(proposal: Proposal, figures: Sequence[Figure], comparison: Comparison | None) -> str:
    """Where the figures stand decides, then the formula; only then the engine's own word."""
    spoken = [figure.passage.said_at_s is not None for figure in figures]
    charted = [figure.passage.origin == "chart" for figure in figures]
    adds = comparison is not None and "+" in comparison.signs and len(figures) > 2
    if any(spoken) and not all(spoken):
        return "speech-vs-deck"
    if any(charted) and not all(charted):
        return "chart-vs-text"
    if proposal.kind == "growth" and comparison is not None:
        return "growth"
    if adds or (proposal.kind == "sum" and comparison is not None):
        return "sum"
    return "speech-vs-speech" if all(spoken) else "deck-vs-deck"
