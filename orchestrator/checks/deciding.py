"""Whether a formula decides anything about its operands, or holds or fails whatever they are."""

from __future__ import annotations

import random
from collections.abc import Collection, Sequence
from typing import Final

from orchestrator.checks.formula import Comparison, Constant, FormulaError, Variable, evaluate

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
    differences = [difference(comparison, sample) for sample in _samples(operands, 48)]
    if not _can_hold(comparison.sign, [one for one in differences if one is not None]):
        raise FormulaError("the formula cannot hold whatever the operands are")
    for index in named:
        if not _matters(comparison, index, operands):
            raise FormulaError(f"v{index} changes nothing in the formula")


def _can_hold(sign: str, differences: Sequence[float]) -> bool:
    if sign == "!=":
        return any(one != 0 for one in differences)
    below = any(one < 0 for one in differences)
    above = any(one > 0 for one in differences)
    equal = any(one == 0 for one in differences)
    if sign == "==":
        return equal or (below and above)
    return {"<": below, "<=": below or equal, ">": above, ">=": above or equal}[sign]


def _matters(comparison: Comparison, index: int, operands: int) -> bool:
    for sample in _samples(operands, 3):
        changed = [3 * value if place == index else value for place, value in enumerate(sample)]
        if difference(comparison, sample) != difference(comparison, changed):
            return True
    return False


def _samples(operands: int, count: int) -> list[list[float]]:
    """Values of every size, the same each time: alike in size at first, then each of its own."""
    chance = random.Random(operands)  # noqa: S311  # no secret: points to try a formula at
    found = []
    for number in range(count):
        alike = 10 ** chance.uniform(-3, 6)
        found.append(
            [
                alike * chance.uniform(0.5, 2) if number % 2 else 10 ** chance.uniform(-3, 6)
                for _ in range(operands)
            ]
        )
    return found


def difference(comparison: Comparison, values: Sequence[float]) -> float | None:
    """Left less right, with noise of the sixteenth digit taken for nought; None: not to be had."""

    def leaf(node: Constant | Variable) -> float:
        return node.value if isinstance(node, Constant) else values[node.index]

    try:
        left, right = evaluate(comparison.left, leaf), evaluate(comparison.right, leaf)
    except (ZeroDivisionError, OverflowError):
        return None
    difference = left - right
    scale = max(abs(left), abs(right), *values)
    return 0.0 if abs(difference) <= 1e-12 * scale else difference
