"""Units of quantities as dimensions: base units of time and measure, and what one is had for."""

from __future__ import annotations

from typing import Final

from orchestrator.checks.amounts import Amount
from orchestrator.checks.roots import root

COUNT: Final = "count"
TIME: Final = "time"
SHARE: Final = "share"
ANY: Final = "?"  # per one of something that is not named: "45 minutes each"

IN_MINUTES: Final = {
    "seconds": 1 / 60, "minutes": 1.0, "hours": 60.0, "days": 1_440.0, "weeks": 10_080.0,
    "months": 525_960.0 / 12, "quarters": 525_960.0 / 4, "years": 525_960.0,
}  # fmt: skip
TIMES: Final = {
    "second": "second", "minute": "minute", "min": "minute", "hour": "hour", "h": "hour", "hr": "hour",
    "day": "day", "night": "day", "morning": "day", "evening": "day", "afternoon": "day",
    "weekday": "weekday",
    "week": "week", "wk": "week", "month": "month", "mo": "month", "quarter": "quarter", "year": "year",
    "yr": "year", "annum": "year",
}  # fmt: skip
_MEASURES: Final = {
    "t": ("kg", 1_000.0), "ton": ("kg", 1_000.0), "tons": ("kg", 1_000.0), "tonne": ("kg", 1_000.0),
    "tonnes": ("kg", 1_000.0), "kg": ("kg", 1.0), "g": ("kg", 0.001), "km": ("km", 1.0), "m": ("km", 0.001),
    "litres": ("litre", 1.0), "liters": ("litre", 1.0), "l": ("litre", 1.0), "kWh": ("kWh", 1.0),
    "MWh": ("kWh", 1e3), "GWh": ("kWh", 1e6), "TWh": ("kWh", 1e9), "Wh": ("kWh", 1e-3),
    "ha": ("hectare", 1.0),
    "hectares": ("hectare", 1.0), "acres": ("acre", 1.0), "miles": ("mile", 1.0), "m³": ("m³", 1.0),
    "m²": ("m²", 1.0), "gallons": ("gallon", 1.0), "barrels": ("barrel", 1.0),
}  # fmt: skip
_ONE_OF: Final = {"kilo": "kg", "kg": "kg", "tonne": "t", "ton": "t", "hectare": "ha", "litre": "litres",
                  "liter": "liters", "km": "km", "kilometre": "km", "kWh": "kWh", "mile": "miles", "ha": "ha",
                  "acre": "acres", "gallon": "gallons", "barrel": "barrels"}  # fmt: skip


def dimension(amount: Amount) -> tuple[str, float]:
    """What the amount measures, and what makes base units of it."""
    if amount.unit == "%":
        return SHARE, 1.0
    if amount.unit in IN_MINUTES:
        return TIME, IN_MINUTES[amount.unit]
    if amount.unit in _MEASURES:
        return _MEASURES[amount.unit]
    return (COUNT, 1.0) if amount.unit is None else (amount.unit, 1.0)


def per_one_of(words: str) -> str:
    """The dimension that "per <words>" divides by: a unit of time or measure, the root of a noun, or ANY."""
    first = words.split()[0].lower()
    if first in TIMES:
        return TIMES[first]
    if first.endswith("ing") or first in ("them", "these", "one", "person"):
        return ANY
    if first in _ONE_OF:
        return _MEASURES[_ONE_OF[first]][0]
    return root(first)
