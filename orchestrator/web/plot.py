"""A small plot of one figure over several runs: points of an inline SVG, and nothing that needs a script."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

WIDTH, HEIGHT = 640, 150
"""Units of the drawing; the page scales it."""
LEFT, RIGHT, TOP, BOTTOM = 48, 16, 14, 24


@dataclass(frozen=True, slots=True)
class Point:
    """One run in the plot."""

    x: float
    y: float
    value: str
    label: str


@dataclass(frozen=True, slots=True)
class Plot:
    """One figure over all runs that have it."""

    title: str
    hint: str
    points: tuple[Point, ...]
    lines: tuple[tuple[float, str], ...]  # height and label of each line of the grid

    @property
    def path(self) -> str:
        """The line through the points, as SVG has it."""
        return " ".join(
            f"{'L' if number else 'M'}{one.x:.1f} {one.y:.1f}" for number, one in enumerate(self.points)
        )


def plot(title: str, hint: str, runs: Sequence[tuple[float | None, str]], unit: str = "") -> Plot | None:
    """A plot of runs, oldest first, each a value and a label; None: no run has the figure.

    The scale begins at 0, so that a small change looks small.
    """
    known = [(place, value, label) for place, (value, label) in enumerate(runs) if value is not None]
    if not known:
        return None
    most = max(value for _, value, _ in known)
    top = _round_up(max(most, 2) if isinstance(most, int) else most)  # there is no half of a contradiction
    step = (WIDTH - LEFT - RIGHT) / max(1, len(runs) - 1)
    start = LEFT if len(runs) > 1 else WIDTH / 2

    def height(value: float) -> float:
        return HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * value / top

    points = tuple(
        Point(start + step * place, height(value), f"{value:g}{unit}", label) for place, value, label in known
    )
    grid = tuple((height(value), f"{value:g}{unit}") for value in (0, top / 2, top))
    return Plot(title, hint, points, grid)


def _round_up(value: float) -> float:
    """The next of 1, 2, 5, 10, 20, 50, … that is no smaller, so that the half of it is short to write."""
    size = 1.0
    while True:
        for factor in (1, 2, 5):
            if value <= factor * size:
                return factor * size
        size *= 10
