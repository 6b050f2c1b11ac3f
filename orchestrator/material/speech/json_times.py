"""Times in the JSON of speech-to-text programs, and the unit in which they can be times of the words."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from itertools import pairwise
from math import log
from typing import Any, Final

from orchestrator.material.model.segment import LiveSegment
from orchestrator.material.speech.pace import words_in
from orchestrator.material.speech.stamps import seconds
from orchestrator.material.speech.times import on_clock

UNITS_S: Final = {"seconds": 1.0, "milliseconds": 0.001, "hundredths of a second": 0.01, "ticks": 1e-7}
"""Whisper and most write seconds, AssemblyAI and Rev's kin milliseconds, whisper.cpp's own times hundredths,
Azure 100 nanoseconds."""
MIN_WORDS_A_SECOND: Final = 0.1
MAX_WORDS_A_SECOND: Final = 5.0
"""Over a whole file; the fastest speakers reach 4, and a file of many pauses half a word."""
_USUAL: Final = 2.5  # words a second, 150 a minute
_IS_A_DATE_S: Final = 1e8  # a time beyond it is counted from 1970
_TELLS_UNIT: Final = re.compile(r"(?:PT)?(\d{1,12}(?:\.\d{1,12})?)[sS]")
_LONG_FRACTION: Final = re.compile(r"(\d+:\d+:\d+[.,]\d{3})\d+")


def json_time(value: Any, unit_s: float) -> float | None:
    """The seconds of a JSON value; None where it is no time.

    A number is in *unit_s*; "1.4s", "PT1.4S", "1:02.5" and dates say their unit themselves.
    """
    if isinstance(value, str):
        if match := _TELLS_UNIT.fullmatch(value):
            return float(match[1])
        found = seconds(_LONG_FRACTION.sub(r"\1", value))
        if found is not None:
            return found if ":" in value else found * unit_s
        try:
            return datetime.fromisoformat(value).timestamp()
        except (ValueError, OverflowError):
            return None
    if isinstance(value, dict) and value.keys() <= {"seconds", "nanos"}:  # Google's durations
        try:
            return int(value.get("seconds", 0)) + int(value.get("nanos", 0)) / 1e9
        except (ValueError, TypeError):
            return None
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        return float(value) * unit_s
    except OverflowError:  # a whole number of hundreds of digits; `possible` then drops it
        return float("inf")


def on_a_possible_clock(
    pieces: Sequence[LiveSegment], *, is_assumed: bool
) -> tuple[list[LiveSegment], list[str]]:
    """The pieces with times that can be of their words, and what a user should know.

    Args:
        is_assumed: No key told the unit; where they cannot be seconds, another one is looked for.
    """
    starts_s = [one.start_s for one in pieces if one.start_s is not None and one.start_s > _IS_A_DATE_S]
    if starts_s and len(starts_s) == sum(one.start_s is not None for one in pieces):
        pieces = [on_clock(one, from_s=min(starts_s)) for one in pieces]
    rate = _words_a_second(pieces)
    if not is_assumed or rate is None or MIN_WORDS_A_SECOND <= rate <= MAX_WORDS_A_SECOND:
        return list(pieces), []
    by_unit = {unit: rate / factor for unit, factor in UNITS_S.items()}
    fitting = [unit for unit, one in by_unit.items() if MIN_WORDS_A_SECOND <= one <= MAX_WORDS_A_SECOND]
    if not fitting:
        told = f"{rate:.3g} words a second"
        return [replace(one, start_s=None, end_s=None) for one in pieces], [
            f"its times cannot be right ({told} in seconds); counted from the words instead"
        ]
    unit = min(fitting, key=lambda one: abs(log(by_unit[one] / _USUAL)))
    return [on_clock(one, factor=UNITS_S[unit]) for one in pieces], [
        f"its times are read as {unit}, for as seconds they cannot be right"
    ]


def _words_a_second(pieces: Sequence[LiveSegment]) -> float | None:
    """How fast all that has times is spoken; None where nothing tells."""
    lengths = [
        (words_in(one.text), one.end_s - one.start_s)
        for one in pieces
        if one.start_s is not None and one.end_s is not None and 0 <= one.start_s < one.end_s < float("inf")
    ] or [
        (words_in(one.text), after.start_s - one.start_s)
        for one, after in pairwise([one for one in pieces if one.start_s is not None])
        if one.start_s is not None and after.start_s is not None and 0 <= one.start_s < after.start_s
    ]
    spoken_s = sum(length_s for _, length_s in lengths)
    return sum(words for words, _ in lengths) / spoken_s if spoken_s else None
