"""How far rounded numbers may be from adding up."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

_SIGMAS: Final = 3.0
"""Rounding errors are uniform over half a unit to either side, so their sum is nearly normal with
σ = half / √3 each; three σ hold 99.7 % of all sums that are right."""


def rounding(halves: Sequence[float]) -> float:
    """The largest gap between a total and its parts that rounding explains.

    Args:
        halves: Half a unit of the last digit as written, of the total and of each part.

    Up to three numbers: the worst case. More: what 99.7 % of right sums keep to, since that
    all of them are rounded to their very edge in one direction does not happen.
    """
    worst = sum(halves)
    likely = _SIGMAS * math.sqrt(sum(half * half for half in halves) / 3.0)
    return min(worst, max(likely, 2.0 * max(halves, default=0.0))) * (1 + 1e-6) + 1e-12
