"""When two figures speak of the same thing, and when what they say cannot both be right.

Every rule here is a reason to say nothing: another company, a range, a part or a modifier
that only one side has, another base, another time, another currency. What is left is the
same metric with two intervals that do not meet.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from datetime import date
from typing import Final

from orchestrator.checks.metrics import AVERAGED, BY_MONTH, COMPLEMENTS, FLOWS, SIGNED
from orchestrator.checks.model import GROWTH, LEVEL, SHARE, TARGET, Figure
from orchestrator.checks.numbers import BARE, COUNT, MEASURE, MONEY, TIME, kind_of
from orchestrator.checks.vocabulary import HEDGES
from orchestrator.checks.when import DIFFERENT, ONE_SIDED, compare_when, fixed
from orchestrator.claims.model import Place, Tension
from orchestrator.claims.words import word_set

_SCALES: Final = (1.0, 1e3, 1e6, 1e9)
_NO_LABELS: Final = frozenset({"label:", "label:total", "label:sum", "label:other", "label:rest"})
_LARGEST_RATIO: Final = 12
"""Values farther apart than this are of different things; nobody misstates a figure so."""
_TOUCH: Final = 1e-9
"""Bounds that differ by no more than rounding in binary meet."""


def canonical(figure: Figure) -> str | None:
    """The name under which a figure is compared: churn for churn and for retention."""
    metric = figure.metric
    if metric is None or metric in _NO_LABELS:
        return None
    return COMPLEMENTS.get(metric) or SIGNED.get(metric) or metric


def bounds(figure: Figure) -> tuple[float, float]:
    """The interval in terms of the canonical metric."""
    if figure.role in (LEVEL, TARGET) and figure.metric in COMPLEMENTS:
        return 100 - figure.high, 100 - figure.low
    if figure.role in (LEVEL, TARGET) and figure.metric in SIGNED:
        return -figure.high, -figure.low
    return figure.low, figure.high


def meet(a: Figure, b: Figure) -> bool:
    """Some value lies in both intervals, at any scale that the two leave open."""
    if a.scale_known and b.scale_known:
        return _overlap(bounds(a), bounds(b))
    one, other = bounds(a), bounds(b)
    return any(
        _overlap((one[0] * left, one[1] * left), (other[0] * right, other[1] * right))
        for left in (_SCALES if not a.scale_known else (1.0,))
        for right in (_SCALES if not b.scale_known else (1.0,))
    )


def _overlap(a: tuple[float, float], b: tuple[float, float]) -> bool:
    slack = _TOUCH * max(1.0, *(abs(x) for x in (*a, *b) if abs(x) < 1e300))
    return a[0] <= b[1] + slack and b[0] <= a[1] + slack


def near(a: Figure, b: Figure) -> bool:
    """The intervals meet, and one of the two values lies in the other's."""
    if not (a.scale_known and b.scale_known):
        return meet(a, b)
    one, other = bounds(a), bounds(b)
    middle_a, middle_b = _middle(a, one), _middle(b, other)
    return _overlap(one, (middle_b, middle_b)) or _overlap(other, (middle_a, middle_a))


def _middle(figure: Figure, limits: tuple[float, float]) -> float:
    if figure.role in (LEVEL, TARGET) and figure.metric in COMPLEMENTS:
        return 100 - figure.value
    return min(max(figure.value, limits[0]), limits[1])


def same_thing(a: Figure, b: Figure) -> bool:
    """Metric, role, unit, owner, part and modifiers agree; the time is not looked at."""
    if (
        a.role != b.role
        or not (a.is_ours and b.is_ours)
        or canonical(a) is None
        or canonical(a) != canonical(b)
    ):
        return False
    if {"range", "part"} & (a.modifiers | b.modifiers):
        return False
    return (
        a.segment == b.segment
        and _kept(a) == _kept(b)
        and _same_unit(a, b)
        and a.role in (LEVEL, GROWTH, SHARE, TARGET)
        and not (a.role == SHARE and not a.segment)
    )


def _kept(figure: Figure) -> frozenset[str]:
    """The modifiers that make another figure of it."""
    dropped = HEDGES
    if canonical(figure) in AVERAGED or kind_of(figure.unit) == TIME:
        dropped = HEDGES | {"average"}
    return figure.modifiers - dropped


def _same_unit(a: Figure, b: Figure) -> bool:
    one, other = kind_of(a.unit), kind_of(b.unit)
    if one == other:
        return one not in (MONEY, MEASURE) or a.unit == b.unit
    plain = {one, other}
    return plain in ({BARE, COUNT}, {BARE, MONEY}, {BARE, "p"}) and (BARE not in plain or _is_named(a, b))


def _is_named(a: Figure, b: Figure) -> bool:
    return not (a.metric or "").startswith("label:")


def same_time(a: Figure, b: Figure, members: Iterable[Figure], present: date | None) -> bool:
    """The times agree, or one side names none and the other the latest that the deck knows.

    What is said without a time is about the present. Silent where it equals what is said of
    another time, and where the deck mixes quarters and years.
    """
    metric = canonical(a)
    relation = compare_when(a.when, b.when, default_rate="month" if metric in BY_MONTH else "year")
    if relation == DIFFERENT:
        return False
    if a.role == TARGET:
        return relation != ONE_SIDED and bool(fixed(a.when))
    if relation == ONE_SIDED:
        return _is_latest(a, b, list(members), present)
    return True


def _is_latest(a: Figure, b: Figure, members: Sequence[Figure], present: date | None) -> bool:
    dated, undated = (a, b) if fixed(a.when) else (b, a)
    times = fixed(dated.when)
    if any(time.kind == "relative" for time in times) or len(times) != 1:
        return False
    if canonical(a) in FLOWS and times[0].kind != "year":
        return False
    if present and times[0].last and times[0].last < present:
        return False
    known = {
        time
        for other in members
        if other.role == LEVEL
        for time in fixed(other.when)
        if time.kind != "relative"
    }
    if not {time.words for time in known} - {times[0].words}:
        return True
    if {time.kind for time in known} != {times[0].kind} or any(time.first is None for time in known):
        return False
    if any(other is not dated and fixed(other.when) and meet(undated, other) for other in members):
        return False
    return times[0].first == max(time.first for time in known if time.first)


def plausible(a: Figure, b: Figure) -> bool:
    """The two are of a size; a hundred times as much is another thing, or another scale."""
    values = sorted(abs(_middle(figure, bounds(figure))) for figure in (a, b))
    if not (a.scale_known and b.scale_known):
        return True
    return (
        values[0] == values[1] or (values[0] > 0 and values[1] / values[0] < _LARGEST_RATIO) or values[1] < 25
    )


def place_words(place: Place) -> str:
    """ "on slide 4", "at 3:20"."""
    if place.said_at_s is None:
        return f"on slide {place.slide}"
    minutes, seconds = divmod(int(place.said_at_s), 60)
    return f"at {minutes}:{seconds:02d}"


def metric_words(figure: Figure) -> str:
    """What the figure measures, to begin a sentence with."""
    metric = (figure.metric or "").removeprefix("label:").removeprefix("share of ").removeprefix("label:")
    if metric and (figure.metric or "").startswith("label:") and figure.subject:
        metric = figure.subject
    words = metric or figure.subject or "the figure"
    words = words.upper() if words in _ACRONYMS else words[0].upper() + words[1:]
    if figure.role == GROWTH:
        words += " growth"
    if figure.role == SHARE:
        words = "The share of " + words[0].lower() + words[1:]
    return words


_ACRONYMS: Final = word_set(
    "arr mrr ebitda cac ltv nps enps csat irr npv roi roe roce tam eps gmv aum dso oee arpu"
)


def level_tension(a: Figure, b: Figure) -> Tension:
    """What is said of two figures that cannot both be right."""
    kind = (
        "speech-vs-deck" if a.place.said_at_s is not None or b.place.said_at_s is not None else "deck-vs-deck"
    )
    if kind == "deck-vs-deck" and (a.origin == "chart") != (b.origin == "chart"):
        kind = "chart-vs-text"
    note = f'{metric_words(a)} is "{shown(a)}" {place_words(a.place)} and "{shown(b)}" {place_words(b.place)}'
    names = ""
    if (a.metric != b.metric and a.metric in COMPLEMENTS) or (
        b.metric in COMPLEMENTS and a.metric != b.metric
    ):
        names = f" ({a.metric} and {b.metric} add up to 100%)"
    time = next((w.words for figure in (a, b) for w in fixed(figure.when)), "")
    about = f" for {time.upper() if re.match(r'[qh]', time) else time}" if time else ""
    return Tension(kind, a.place, b.place, f"{note}{names}: only one can be right{about}.")


def shown(figure: Figure) -> str:
    """The number as it is written, with its unit where a cell leaves it to the header."""
    return " ".join(figure.text.split())


def clusters(figures: Sequence[Figure]) -> int:
    """How many different values there are among the figures."""
    distinct: list[Figure] = []
    for figure in figures:
        if not any(meet(figure, other) for other in distinct):
            distinct.append(figure)
    return len(distinct)
