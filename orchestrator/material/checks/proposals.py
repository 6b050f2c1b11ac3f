"""Whether a proposed contradiction is one, as far as code can tell: quotes, numbers, units, arithmetic.

Nothing is taken over from an engine but its choice of places and of formula, its subject and its
sentence. Whether two figures are about one thing is the engine's to know, and not checked here.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from typing import Final

from orchestrator.material.checks.amount import (
    Amount,
    UnitError,
    alike,
    constant,
)
from orchestrator.material.checks.deciding import CONVERSIONS, check_deciding
from orchestrator.material.checks.figures import Figure, UnreadError
from orchestrator.material.checks.formula import (
    MOST_OPERANDS,
    Comparison,
    FormulaError,
    evaluate,
    parse,
    renumbered,
)
from orchestrator.material.checks.interval import Interval, IntervalError, point
from orchestrator.material.checks.operands import read_operand
from orchestrator.material.checks.quotes import fold
from orchestrator.material.checks.readings import readings_of
from orchestrator.material.checks.rounding import likely_difference
from orchestrator.material.checks.written import one_line, sum_of
from orchestrator.material.claims.numbers import numbers_in
from orchestrator.material.model.claim import (
    COMPUTED,
    READ,
    Place,
    Tension,
)
from orchestrator.material.model.proposal import (
    NOT_BOTH,
    Passage,
    Proposal,
    Refusal,
)

KINDS: Final = ("deck-vs-deck", "speech-vs-deck", "sum", "growth", "chart-vs-text")
"""The five of interfaces.md, `check`; `_kind` corrects an engine's choice where the places show another."""
LONGEST_NOTE: Final = 300  # characters: three lines of a terminal
LONGEST_SUBJECT: Final = 120  # characters: a phrase, shown above


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
    """The formula, which fails for every value that the wordings allow, and the figures it is over.

    Quotes without a number go along: they say what the figures alone do not, as "has fallen".
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
    """Sums of figures that are rounded and no more fail by more than chance explains."""
    if not all(
        figure.is_rounded or amount.interval.is_point for amount, figure in zip(amounts, figures, strict=True)
    ):
        return False
    difference = likely_difference(comparison, amounts)
    return difference is not None and not may_hold(comparison.sign, difference, point(0))


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


# ---------------------------------------------------------------------- what is known


def _are_same(one: Tension, other: Tension) -> bool:
    """The same two stretches or all the same, in whatever order and however far the quotes reach."""
    if any(_is_at(one.a, a) and _is_at(one.b, b) for a, b in ((other.a, other.b), (other.b, other.a))):
        return True
    pairs = ((one.sides, other.sides), (other.sides, one.sides))
    return all(any(_is_at(place, there) for there in theirs) for mine, theirs in pairs for place in mine)


def _is_at(one: Place, other: Place) -> bool:
    """One of them is a part of the other, or both name the same numbers at one place.

    The same words said again are no second place.
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
        one_line(proposal.why, LONGEST_NOTE),
        class_=READ if decided is None else COMPUTED,
        by=by,
        subject=one_line(proposal.subject, LONGEST_SUBJECT),
        sum="" if decided is None else _sum(*decided),
        places=places if len(places) > 2 else (),
    )


def _sum(comparison: Comparison, figures: Sequence[Figure]) -> str:
    texts = [" ".join(figure.text.split()) for figure in figures]
    readings = [*readings_of(comparison, figures)]
    amounts = readings[-1 if comparison.constants & CONVERSIONS else 0]
    return one_line(sum_of(comparison, texts, lambda node: evaluate(node, amounts, constant)), LONGEST_NOTE)


def _kind(proposal: Proposal, figures: Sequence[Figure], comparison: Comparison | None) -> str:
    """Where the figures stand decides, then the formula; only then the engine's own word.

    Where a quote is there for its words, the kind is one of two places, which are always doubted.
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
