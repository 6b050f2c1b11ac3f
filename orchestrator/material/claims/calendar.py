"""The names of months and weekdays, and the first and last days of months and years."""

from __future__ import annotations

from calendar import monthrange
from datetime import date
from typing import Final

MONTH_NAMES: Final = (
    "january", "february", "march", "april", "may", "june", "july", "august", "september", "october",
    "november", "december",
)  # fmt: skip
MONTHS: Final = tuple(name[:3] for name in MONTH_NAMES)
"""As they are abbreviated, in order."""
_GERMAN: Final = {
    "januar": 1, "februar": 2, "märz": 3, "mrz": 3, "mai": 5, "juni": 6, "juli": 7, "okt": 10, "oktober": 10,
    "dez": 12, "dezember": 12,
}  # fmt: skip
MONTH_NUMBERS: Final = {
    **{name: n for n, name in enumerate(MONTH_NAMES, start=1)},
    **{name: n for n, name in enumerate(MONTHS, start=1)},
    "sept": 9,
    **_GERMAN,
}
WEEKDAYS: Final = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
NO_YEAR: Final = 1
"""Stands in a `date` where no year is written."""


def month_days(year: int, first: int, last: int | None = None) -> tuple[date, date]:
    """The first and the last day of a month, or of the months *first* to *last*."""
    last = last or first
    return date(year, first, 1), date(year, last, monthrange(year, last)[1])


def year_days(first: int, last: int | None = None) -> tuple[date, date]:
    """The first day of one year and the last of another."""
    return date(first, 1, 1), date(last or first, 12, 31)


def full_year(written: str) -> int:
    """The year that "2026", "26" or "'98" means: from 1970 to 2069, since plans reach decades ahead."""
    number = int(written.lstrip("'’‘ "))
    if number >= 100:
        return number
    return 1900 + number if number >= 70 else 2000 + number
