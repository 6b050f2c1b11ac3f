"""Stretches of time in months, as durations and as start and end."""

from __future__ import annotations

from typing import Final

from orchestrator.checks.amounts import Amount

IN_MONTHS: Final = {
    "days": 1 / 30.44,
    "weeks": 7 / 30.44,
    "months": 1.0,
    "quarters": 3.0,
    "years": 12.0,
    "decades": 120.0,
}
"""Units of time that a plan is written in; 30.44 days are a mean month."""


def months_of(amount: Amount) -> tuple[float, float] | None:
    """Fewest and most months that the duration can mean; None for hours and the like.

    "Six months" is five and a half to six and a half; "about" widens it by a quarter.
    """
    factor = IN_MONTHS.get(amount.unit or "")
    if factor is None:
        return None
    loose = 0.25 * amount.value if amount.vague else 0.0
    return (amount.value - amount.half - loose) * factor, (amount.value + amount.half + loose) * factor
