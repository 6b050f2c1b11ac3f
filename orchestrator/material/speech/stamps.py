"""Times as people and programs write them: 3:20, 1:02:03.5, 12.4."""

from __future__ import annotations

import re

STAMP = r"(?:\d{1,2}:)?\d{1,3}:\d{2}(?:[.,]\d{1,3})?"
"""A clock time within a recording: minutes and seconds, with hours and a fraction if need be."""

_CLOCK = re.compile(r"(?:(\d{1,2}):)?(\d{1,3}):([0-5]\d)(?:[.,](\d{1,3}))?")
# Bounded; "1e9", "nan" and "1_000", which float() takes, are no times.
_NUMBER = re.compile(r"[-+]?\d{1,12}(?:\.\d{1,12})?")


def clock_s(stamp: str) -> float | None:
    """The seconds of a stamp such as `1:02:03.5`, or None where it is no time."""
    match = _CLOCK.fullmatch(stamp.strip())
    if match is None:
        return None
    hours, minutes, seconds, fraction = match.groups()
    if hours is not None and int(minutes) > 59:
        return None
    whole = int(hours or 0) * 3600 + int(minutes) * 60 + int(seconds)
    return round(whole + int((fraction or "0").ljust(3, "0")) / 1000, 3)


def seconds(written: str) -> float | None:
    """The seconds of a stamp or of a plain number in a string, or None."""
    if _NUMBER.fullmatch(written.strip()):
        return float(written)
    return clock_s(written)
