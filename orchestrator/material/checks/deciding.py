"""Whether a formula decides anything about its operands, or holds or fails whatever they are."""

from __future__ import annotations

import operator
import random
from collections.abc import Collection, Iterator, Sequence
from typing import Final

from orchestrator.material.checks.formula import Comparison, FormulaError, evaluate

CONVERSIONS: Final = frozenset((3, 4, 7, 10, 12, 24, 26, 30, 52, 60, 365, 366, 1000, 3600, 10_000, 1e6, 1e9))
"""Constants by which an engine converts units itself: then its own magnitudes are tried as well."""

CONSTANTS: Final = CONVERSIONS | {0, 1, 2, 100}
"""Numbers that convert and nobody has to say: percent, units of time, thousands, twice, half, nought.

Any other number in a formula would be one that stands in no quote.
"""


def check_deciding(comparison: Comparison, operands: int, wordy: Collection[int] = ()) -> None:
    """Refuse a formula that says nothing about its *operands*.

    Each of them is named, but those in *wordy* that are words and no numbers; each that is named
    changes the outcome, no number but those of CONSTANTS is brought in, and there are values for
    which the comparison would hold.

    Raises:
        FormulaError: One of these is not so; says which.
    """
    named = comparison.variables
    if missing := [f"v{index}" for index in range(operands) if index not in named and index not in wordy]:
        raise FormulaError(f"the formula does not use {', '.join(missing)}")
    if beyond := sorted(index for index in named if index >= operands):
        raise FormulaError(f"the formula names v{beyond[0]}, and there are only {operands} operands")
    if foreign := sorted(comparison.constants - CONSTANTS):
        raise FormulaError(f"{foreign[0]:g} is said nowhere: a number of the formula must be an operand")
    if not _can_hold(comparison, operands):
        raise FormulaError("the formula cannot hold whatever the operands are")
    for index in named:
        if not _matters(comparison, index, operands):
            raise FormulaError(f"v{index} changes nothing in the formula")


def _can_hold(comparison: Comparison, operands: int) -> bool:
    # With few samples a formula that seldom holds would be refused as one that never does.
    found = [difference(comparison, sample) for sample in _samples(operands, 48)]
    below, equal, above = (
        any(one is not None and is_so(one, 0) for one in found)
        for is_so in (operator.lt, operator.eq, operator.gt)
    )
    return {
        "==": equal or (below and above),
        "!=": below or above,
        "<": below,
        "<=": below or equal,
        ">": above,
        ">=": above or equal,
    }[comparison.sign]


def _matters(comparison: Comparison, index: int, operands: int) -> bool:
    return any(
        difference(comparison, sample)
        != difference(comparison, [*sample[:index], 3 * sample[index], *sample[index + 1 :]])
        for sample in _samples(operands, 3)
    )


def _samples(operands: int, count: int) -> Iterator[list[float]]:
    """Values from a thousandth to a million, the same each time: by turns each of its own size, by which
    products show that an operand matters, and alike in size, by which sums do."""
    chance = random.Random(operands)  # noqa: S311  # no secret: points to try a formula at
    for number in range(count):
        alike = 10 ** chance.uniform(-3, 6)
        yield [
            alike * chance.uniform(0.5, 2) if number % 2 else 10 ** chance.uniform(-3, 6)
            for _ in range(operands)
        ]


def difference(comparison: Comparison, values: Sequence[float]) -> float | None:
    """Left less right, with noise of the sixteenth digit taken for nought; None: not to be had."""
    try:
        left, right = (evaluate(side, values, float) for side in (comparison.left, comparison.right))
    except (ZeroDivisionError, OverflowError):
        return None
    difference = left - right
    scale = max(abs(left), abs(right), *values)
    return 0.0 if abs(difference) <= 1e-12 * scale else difference
