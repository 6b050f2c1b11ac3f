"""Whether two measures hold for one stretch of time, and when a deck's present is."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import date

from orchestrator.checks.model import When
from orchestrator.checks.reading.model import ACTUAL, MONEY, Measure
from orchestrator.checks.when import fixed

SAME = "same"
OPEN = "open"  # one side names no time, and the other may be the present
APART = "apart"

_AHEAD = ("next", "until", "before", "coming")
_BEHIND = ("last", "previous", "prior", "year ago", "before")


def present_of(measures: Iterable[Measure], year: int | None) -> int | None:
    """The latest year that the deck has figures for; *year* is the one on its front page."""
    known = [
        when.last.year
        for measure in measures
        if measure.status == ACTUAL
        for when in fixed(measure.when)
        if when.last
        and when.first
        and when.last.year == when.first.year
        and (year is None or when.last.year <= year)
    ]
    return max([*known, *([year - 1] if year else [])], default=None)


def compare_times(a: Measure, b: Measure, year: int | None, present: int | None) -> str:
    """SAME, OPEN or APART."""
    left, right = _resolved(a.when, year), _resolved(b.when, year)
    if not left and not right:
        return OPEN
    if not left or not right:
        flows = a.amount.kind == MONEY
        ok = all(
            _may_be_now(w, present) and not (flows and w.kind in ("quarter", "half")) for w in (*left, *right)
        )
        return OPEN if ok else APART
    if any(_one(x, y) for x in left for y in right):
        return SAME
    if all(_is_vague(w) for w in left) or all(_is_vague(w) for w in right):
        return OPEN
    return APART


def _resolved(whens: Sequence[When], year: int | None) -> list[When]:
    found = []
    for when in fixed(whens):
        offset = {"last year": -1, "this year": 0}.get(when.words) if year is not None else None
        if when.kind == "relative" and offset is not None and year is not None:
            when = When("year", date(year + offset, 1, 1), date(year + offset, 12, 31), str(year + offset))
        if not (when.kind == "relative" and when.words in ("now", "moment", "period")):
            found.append(when)
    return found


def _is_vague(when: When) -> bool:
    return (
        when.kind == "relative"
        and not when.words.startswith((*_AHEAD, *_BEHIND))
        and not when.words.endswith(("ago", "before", "earlier"))
    )


def _may_be_now(when: When, present: int | None) -> bool:
    words = when.words
    if (
        words.startswith(_AHEAD)
        or words.startswith(("since", "after", "before", "previous", "prior"))
        or words.endswith(("ago", "before", "earlier"))
    ):
        return False
    if (
        when.last is None
        and words.startswith("last ")
        and words.split()[-1]
        in ("year", "quarter", "month", "week", "season", "winter", "summer", "spring", "autumn", "time")
    ):
        return False
    return when.last is None or present is None or when.last.year >= present


def _one(a: When, b: When) -> bool:
    if a.words == b.words:
        return True
    if a.first and a.last and b.first and b.last:
        shorter, longer = sorted((a, b), key=lambda w: (w.last or date.max) - (w.first or date.min))
        inside = (longer.first or date.max) <= (shorter.first or date.min) and (shorter.last or date.max) <= (
            longer.last or date.min
        )
        return inside and {a.kind, b.kind} in (
            {"day", "month"},
            {"day", "year"},
            {"year"},
            {"day"},
            {"month"},
        )
    short, long = sorted((a.words, b.words), key=len)
    return f" {short} " in f" {long} "
