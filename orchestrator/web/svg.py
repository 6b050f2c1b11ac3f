"""Shapes of a drawing as SVG text, and an axis of values between two round ends.

No `style` attributes: the policy of the pages forbids them. Colours come from the page by class.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape
from typing import Final

COLOURS: Final = 6
"""Classes `s1` to `s6` of the style sheet; a seventh part of a drawing begins again."""
LETTER: Final = 24
"""Height of a letter in units of a drawing 960 wide: on a sheet 900 px wide, that of the page around it."""
LEAST_SPAN: Final = 1e-9
"""Of the largest value: what lies closer together has no ticks of its own that a float can tell apart."""
MIN_SIZE, MAX_SIZE = 1e-280, 1e300
"""Of all values together: beyond these the steps of an axis, or the sums of its values, are 0 or infinite."""
TICKS: Final = 5
"""Steps of an axis, or one or two more: what fits beside each other at a third of a screen's height."""
_WIDE: Final = 0.56
"""Width of a letter as a share of its height: the mean of common sans-serif faces, figures included."""


def colour(number: int) -> str:
    """Return the class of the part *number*, from 0."""
    return f"s{number % COLOURS + 1}"


def rect(number: int, x: float, y: float, width: float, height: float) -> str:
    """Draw a bar of the part *number*."""
    return (
        f'<rect class="c-fill {colour(number)}" x="{x:.1f}" y="{y:.1f}" width="{max(width, 0.5):.1f}" '
        f'height="{max(height, 0.5):.1f}"/>'
    )


def dot(number: int, x: float, y: float) -> str:
    """Draw a point of the part *number*."""
    return f'<circle class="c-fill {colour(number)}" cx="{x:.1f}" cy="{y:.1f}" r="6"/>'


def line(name: str, x1: float, y1: float, x2: float, y2: float) -> str:
    """Draw a straight line of the class *name*."""
    return f'<line class="{name}" x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}"/>'


def path_through(number: int, points: Sequence[tuple[float, float]]) -> str:
    """Draw a line of the part *number* through *points*."""
    through = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    return f'<polyline class="c-line {colour(number)}" points="{through}"/>'


def wedge(number: int, x: float, y: float, radius: float, start: float, end: float) -> str:
    """Draw the part *number* of a circle, from *start* to *end* of a turn that begins at the top."""
    if end - start > 1 - 1e-9:
        return f'<circle class="c-fill c-part {colour(number)}" cx="{x:g}" cy="{y:g}" r="{radius:g}"/>'

    def at(turned: float) -> str:
        angle = 2 * math.pi * turned
        return f"{x + radius * math.sin(angle):.1f} {y - radius * math.cos(angle):.1f}"

    is_large = int(end - start > 0.5)
    arc = f"M{x:g} {y:g}L{at(start)}A{radius:g} {radius:g} 0 {is_large} 1 {at(end)}Z"
    return f'<path class="c-fill c-part {colour(number)}" d="{arc}"/>'


def text(
    x: float, y: float, words: str, anchor: str = "start", name: str = "c-soft", room: float | None = None
) -> str:
    """Write *words* from, around or up to *x*; what is wider than *room* units ends in "…"."""
    if room is not None:
        most = max(1, int(room / (LETTER * _WIDE)))
        words = words if len(words) <= most else words[: max(1, most - 1)].rstrip() + "…"
    return f'<text class="{name}" x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{escape(words)}</text>'


@dataclass(frozen=True, slots=True)
class Axis:
    """An axis of values, and the places of a drawing that its ends stand at."""

    low: float
    high: float
    ticks: tuple[float, ...]
    begin: float  # where `low` stands, in units
    end: float  # where `high` stands

    @classmethod
    def over(cls, values: Sequence[float], begin: float, end: float) -> Axis:
        """Return the shortest axis with round ends that holds *values*, which `can_hold`."""
        low, high = min(values), max(values)
        most = max(abs(low), abs(high))
        if high - low <= most * LEAST_SPAN:
            low, high = (low - most / TICKS, high + most / TICKS) if most else (0.0, 1.0)
        step = round_up((high - low) / TICKS)
        first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
        ticks = tuple(number * step for number in range(first, last + 1))
        return cls(ticks[0], ticks[-1], ticks, begin, end)

    def place(self, value: float) -> float:
        """Return where *value* stands, in units."""
        return self.begin + (self.end - self.begin) * (value - self.low) / (self.high - self.low)


def can_hold(values: Iterable[float]) -> bool:
    """Whether an axis can hold *values*, and any sum of them."""
    size = sum(map(abs, values))
    return size == 0 or MIN_SIZE < size < MAX_SIZE


def round_up(value: float) -> float:
    """Return the next of 1, 2, 2.5, 5, 10 times a power of ten that is no smaller."""
    size = 10.0 ** math.floor(math.log10(value))
    return next(factor * size for factor in (1, 2, 2.5, 5, 10) if value <= factor * size * (1 + 1e-9))
