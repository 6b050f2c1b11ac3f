"""Drawings of the delivery in SVG, made from values and returned as text.

Horizontal lengths are shares of the width and text keeps its size, so a drawing fits a phone and a sheet of
paper alike. Colours come from the page by class, and no meaning depends on colour alone: values out of range
also have stripes, another shape or another position. There are no `style` attributes, because the policy of a
web page forbids them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from html import escape
from typing import Final

from orchestrator.core import legible
from orchestrator.material.speech.delivery import FILLER, HEDGE, Said
from orchestrator.material.speech.times import FAST_WPM, SLOW_WPM, Stretch

LEFT, RIGHT = 9.0, 98.0
"""Per cent of the width between which the time axis is: figures are left of it, and the last point is not cut
off.
"""
MAX_LABELLED: Final = 10
"""Maximum number of points that are all labelled: on a phone, about 30 px are left for a label of three
digits.
"""
MAX_TICKS: Final = 6
STEPS_MIN: Final = (1, 2, 5, 10, 15, 30, 60, 120, 240)
"""Minutes that may lie between two ticks."""


def pace(minutes: Sequence[Stretch], *, has_band: bool = True) -> str:
    """Draw the words a minute, minute by minute, over the band of a pace that is easy to follow.

    A minute outside of the band is a diamond with its figure, the others are dots. Between minutes without
    enough speech to measure there is no line.

    Args:
        has_band: Whether to draw the band, which is known only for English speech.
    """
    end_s = max(one.end_s for one in minutes)
    top = max(FAST_WPM + 40, *(one.words_per_minute + 20 for one in minutes))
    across = _across(end_s)

    def down(words: float) -> float:
        return round(18 + 120 * (1 - words / top), 1)

    drawn = []
    if has_band:
        high, low = down(FAST_WPM), down(SLOW_WPM)
        drawn.append(_rect("p-band", LEFT, high, RIGHT - LEFT, low - high))
        for limit, y in ((FAST_WPM, high), (SLOW_WPM, low)):
            drawn += [_line("p-limit", LEFT, y, RIGHT, y), _text(LEFT - 1, y + 4, str(limit), "end")]
    drawn.append(_line("p-axis", LEFT, 138, RIGHT, 138))
    drawn += _ticks(end_s, 138)
    points = [(across((one.start_s + one.end_s) / 2), down(one.words_per_minute)) for one in minutes]
    for number, one in enumerate(minutes[1:], start=1):
        if minutes[number - 1].end_s == one.start_s:
            drawn.append(_line("p-line", *points[number - 1], *points[number]))
    for one, (x, y) in zip(minutes, points, strict=True):
        is_off = has_band and not SLOW_WPM <= one.words_per_minute <= FAST_WPM
        drawn.append(_diamond(x, y) if is_off else f'<circle class="p-dot" cx="{x}%" cy="{y}" r="3.5"/>')
        if is_off or len(minutes) <= MAX_LABELLED:
            drawn.append(_text(x, y - 9, str(one.words_per_minute), "middle"))
    usual = f"; {SLOW_WPM} to {FAST_WPM} is easy to follow" if has_band else ""
    figures = [one.words_per_minute for one in minutes]
    told = f"Words a minute over the talk: {min(figures)} to {max(figures)}{usual}"
    return _drawing(told, 160, drawn)


def slide_bar(seconds: float, budget_s: float, longest_s: float) -> str:
    """Draw one slide's time in the outline of its share; time beyond the share is striped, outside of the
    outline.

    Args:
        longest_s: The seconds that correspond to the whole width, the same for every slide of a page.
    """
    whole_s = longest_s or 1.0
    within, over = min(seconds, budget_s or seconds), max(0.0, seconds - budget_s) if budget_s else 0.0
    drawn = [_rect("p-bar", 0, 2, 100 * within / whole_s, 8)]
    told = legible.clock(seconds)
    if budget_s:
        drawn.append(_rect("p-outline", 0, 1, 100 * budget_s / whole_s, 10))
        told += f" of {legible.clock(budget_s)}"
    if over:
        drawn.append(_stripes(100 * within / whole_s, 2, 100 * over / whole_s, 8))
        told += ", over its share"
    return _drawing(told, 12, drawn, is_beside_its_words=True)


def marks(said: Sequence[Said], end_s: float) -> str:
    """Draw when fillers and hedges were said, with a stroke for each, in separate lanes.

    Args:
        end_s: When the talk ended, on the session clock.
    """
    across, drawn, counts = _across(end_s), [], []
    for y, kind, name in ((34, FILLER, "Fillers"), (84, HEDGE, "Hedges")):
        times = [one.segment.start_s for one in said if one.mark.kind == kind]
        counts.append(f"{len(times)} {name.lower()}")
        drawn += [_text(LEFT, y - 18, name), _text(RIGHT, y - 18, str(len(times)), "end", is_strong=True)]
        drawn.append(_line("p-axis", LEFT, y, RIGHT, y))
        drawn += [_line("p-mark", across(at_s), y - 12, across(at_s), y) for at_s in times]
    drawn += _ticks(end_s, 84)
    return _drawing(f"When fillers and hedges were said: {' and '.join(counts)}", 106, drawn)


def talk(presenting_s: float, answering_s: float, others_s: float) -> str:
    """Draw how long the presenter presented and answered, and how long others spoke, with a bar for each."""
    rows: tuple[tuple[str, float, Callable[[float, float, float, float], str]], ...] = (
        ("Presenting", presenting_s, partial(_rect, "p-bar")),
        ("Answering", answering_s, _stripes),
        ("Other voices", others_s, partial(_rect, "p-outline")),
    )
    longest_s = max(seconds for _, seconds, _ in rows) or 1.0
    drawn = []
    for number, (name, seconds, bar) in enumerate(rows):
        y = 14 + 36 * number
        drawn += [_text(0, y, name), _text(100, y, legible.clock(seconds), "end", is_strong=True)]
        drawn.append(bar(0, y + 6, 100 * seconds / longest_s, 10))
    told = ", ".join(f"{name.lower()} {legible.clock(seconds)}" for name, seconds, _ in rows)
    return _drawing(f"Who spoke: {told}", 108, drawn)


def _across(end_s: float) -> Callable[[float], float]:
    """Return a function that maps a time of the session clock to per cent of the width."""
    return lambda at_s: round(LEFT + (RIGHT - LEFT) * min(at_s / (end_s or 1.0), 1.0), 2)


def _ticks(end_s: float, y: float) -> list[str]:
    """Draw the minutes under a time axis."""
    across, whole = _across(end_s), end_s / 60
    step = next((one for one in STEPS_MIN if whole / one <= MAX_TICKS), STEPS_MIN[-1])
    drawn = []
    for minute in range(0, int(whole) + 1, step):
        x = across(minute * 60)
        drawn.append(_line("p-axis", x, y, x, y + 4))
        drawn.append(_text(x, y + 17, legible.clock(minute * 60), "middle"))
    return drawn


def _drawing(title: str, height_px: int, drawn: Sequence[str], *, is_beside_its_words: bool = False) -> str:
    """Wrap a drawing in its SVG element.

    If *is_beside_its_words*, it gets no title, since the cells of its row say the same.
    """
    label = f' aria-label="{escape(title)}"' if is_beside_its_words else ""
    head = "" if is_beside_its_words else f"<title>{escape(title)}</title>"
    size = f'width="100%" height="{height_px}"'
    return f'<svg class="plot" role="img" {size} focusable="false"{label}>{head}{"".join(drawn)}</svg>'


def _rect(shape: str, x: float, y: float, width: float, height: float) -> str:
    size = f'width="{round(width, 2)}%" height="{round(height, 1)}"'
    return f'<rect class="{shape}" x="{round(x, 2)}%" y="{y}" {size}/>'


def _stripes(x: float, y: float, width: float, height: float) -> str:
    """Draw a striped bar as one broad dashed line, because a pattern would need a reference."""
    ends = f'x1="{round(x, 2)}%" x2="{round(x + width, 2)}%"'
    across = f'y1="{y + height / 2}" y2="{y + height / 2}" stroke-width="{height}" stroke-dasharray="3 2"'
    return f'<line class="p-stripes" {ends} {across}/>'


def _line(shape: str, x1: float, y1: float, x2: float, y2: float) -> str:
    return f'<line class="{shape}" x1="{x1}%" y1="{y1}" x2="{x2}%" y2="{y2}"/>'


def _text(x: float, y: float, text: str, anchor: str = "start", *, is_strong: bool = False) -> str:
    strong = ' class="p-strong"' if is_strong else ""
    return f'<text x="{round(x, 2)}%" y="{y}" text-anchor="{anchor}"{strong}>{escape(text)}</text>'


def _diamond(x: float, y: float) -> str:
    """Draw a diamond, in a nested drawing placed by share of the width, since a path has no shares."""
    return f'<svg x="{x}%" y="{y}" overflow="visible"><path class="p-off" d="M0-6 6 0 0 6-6 0z"/></svg>'
