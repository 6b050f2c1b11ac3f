"""Number against number: the same metric with two values in the deck, or in deck and speech."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Final

from orchestrator.checks.compare import (
    canonical,
    clusters,
    level_tension,
    meet,
    near,
    plausible,
    same_thing,
    same_time,
)
from orchestrator.checks.metrics import FLOWS
from orchestrator.checks.model import GROWTH, LEVEL, Figure
from orchestrator.checks.numbers import MONEY, kind_of
from orchestrator.checks.vocabulary import HEDGES
from orchestrator.checks.when import fixed
from orchestrator.claims.model import Tension

_MOST_VALUES: Final = 3
"""So many different values of one metric, with nothing to tell them apart, are several metrics."""
_FAR_APART: Final = 2.2
"""A year is four quarters and a group several divisions; a slip of a presenter is seldom as large."""
_MOST_COMPARED: Final = 60


@dataclass(frozen=True, slots=True)
class Groups:
    """The deck's figures by what they measure."""

    figures: dict[str, tuple[Figure, ...]]
    present: date | None = None  # the first day of the latest year that the deck gives levels for


def group(figures: Sequence[Figure], year: int | None = None) -> Groups:
    """Figures by canonical metric; those without a metric are left out."""
    found: dict[str, list[Figure]] = defaultdict(list)
    for figure in figures:
        if name := canonical(figure):
            found[name].append(figure)
    return Groups({name: tuple(members) for name, members in found.items()}, present_of(figures, year))


def present_of(figures: Iterable[Figure], year: int | None) -> date | None:
    """The year that a deck speaks of when it names none: the latest one with a level of our own.

    Args:
        year: When the deck was made; it speaks of that year or the one before.
    """
    years = [
        when.first.year
        for figure in figures
        if figure.role in (LEVEL, GROWTH) and figure.is_ours
        for when in fixed(figure.when)
        if when.first is not None
        and (year is None or when.first.year <= year)
        and when.kind in ("year", "quarter", "half", "month", "day")
    ]
    latest = max([*years, *([year - 1] if year else [])], default=None)
    return date(latest, 1, 1) if latest else None


def deck_levels(groups: Groups) -> Iterator[Tension]:
    """The same metric, part and time with two values that cannot both be right, once a pair."""
    for members in groups.figures.values():
        yield from _within(members[:_MOST_COMPARED], groups.present)


def _within(members: Sequence[Figure], present: date | None) -> Iterator[Tension]:
    told: set[tuple[float, float]] = set()
    ranked = sorted(members, key=lambda figure: bool(figure.modifiers & HEDGES))  # the exact ones speak first
    for position, a in enumerate(ranked):
        for b in ranked[position + 1 :]:
            if not _clash(a, b, members, present) or _side_by_side(a, b) or _says_both(a, b, members):
                continue
            alike = [
                figure
                for figure in members
                if same_thing(a, figure) and same_time(a, figure, members, present)
            ]
            if _is_noisy(a, b, members):
                continue
            key = (a.value, b.value)
            if key in told or key[::-1] in told or clusters(alike) > _MOST_VALUES:
                continue
            told.add(key)
            yield level_tension(*sorted((a, b), key=members.index))


def _is_noisy(a: Figure, b: Figure, members: Sequence[Figure]) -> bool:
    """Without a time on either side, where the deck gives the metric many values: text tells them apart."""
    if fixed(a.when) and fixed(b.when):
        return False
    adds_up = canonical(a) in FLOWS or (is_money(a) and (a.metric or "").startswith("label:"))
    if (adds_up and _apart(a, b)) or (a.role == GROWTH and _of_other_levels(a, b, members)):
        return True
    undated = [
        f
        for f in members
        if f.role == a.role
        and f.is_ours
        and f.segment == a.segment
        and not fixed(f.when)
        and "range" not in f.modifiers
    ]
    return clusters(undated) > _MOST_VALUES


def is_money(figure: Figure) -> bool:
    """The figure is an amount of money."""
    return kind_of(figure.unit) == MONEY


def _of_other_levels(a: Figure, b: Figure, members: Sequence[Figure]) -> bool:
    """Each growth stands beside its own level, and the levels differ: two parts or two stretches."""
    first, second = ([f for f in members if f.place == one.place and f.role == LEVEL] for one in (a, b))
    return any(not meet(f, g) for f in first for g in second)


def _apart(a: Figure, b: Figure) -> bool:
    """What adds up over time, undated and so far apart, is more likely of two stretches or parts."""
    if a.role == GROWTH:
        return a.value * b.value < 0 or max(abs(a.value), abs(b.value)) > 2 * min(abs(a.value), abs(b.value))
    return max(abs(a.value), abs(b.value)) > _FAR_APART * min(abs(a.value), abs(b.value))


def _clash(a: Figure, b: Figure, members: Sequence[Figure], present: date | None) -> bool:
    return same_thing(a, b) and not meet(a, b) and plausible(a, b) and same_time(a, b, members, present)


def _side_by_side(a: Figure, b: Figure) -> bool:
    """In one sentence, or in one table or chart: whoever wrote them saw both."""
    if a.place == b.place and a.origin != "table":
        return True
    return a.place.slide == b.place.slide and a.origin == b.origin and a.origin in ("table", "chart")


def _says_both(a: Figure, b: Figure, members: Sequence[Figure]) -> bool:
    """A sentence that gives the one value gives the other, too: whoever wrote it tells them apart."""
    return any(
        other is not one and other.place == one.place and other.origin != "table" and near(other, against)
        for one, against in ((a, b), (b, a))
        for other in members
    )


def speech_levels(groups: Groups, spoken: Sequence[Figure]) -> Iterator[Tension]:
    """Spoken figures that no value of the deck allows; the work depends on the deck alone."""
    for figure in spoken:
        name = canonical(figure)
        members = groups.figures.get(name or "", ())[:_MOST_COMPARED]
        if is_excused(groups, figure):
            continue
        against = [other for other in members if _clash(figure, other, members, groups.present)]
        if against and clusters(against) == 1:
            yield level_tension(figure, _best(figure, against))


def is_excused(groups: Groups, figure: Figure) -> bool:
    """The deck gives this very value for the spoken figure's metric, wherever and for whatever part."""
    members = groups.figures.get(canonical(figure) or "", ())[:_MOST_COMPARED]
    return any(_excuses(figure, other) for other in members)


def _excuses(figure: Figure, other: Figure) -> bool:
    """The deck holds the spoken value for this metric, if for another part or at an unsaid time."""
    if not near(figure, other) or not (other.is_ours and figure.role in (other.role, LEVEL)):
        return False
    one, two = {w.words for w in fixed(figure.when)}, {w.words for w in fixed(other.when)}
    return not (one and two and one != two and other.role != figure.role) and "range" not in other.modifiers


def _width(figure: Figure) -> float:
    return (figure.high - figure.low) / max(abs(figure.value), 1e-9)


def _best(figure: Figure, against: Sequence[Figure]) -> Figure:
    """The one whose time is said as well, else a line rather than a cell or a point."""
    return min(
        against,
        key=lambda other: (
            not (fixed(other.when) and fixed(figure.when)),
            _width(other),
            other.origin == "chart",
        ),
    )
