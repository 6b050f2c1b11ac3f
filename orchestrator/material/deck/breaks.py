"""The lines of a paragraph that holds breaks."""

from __future__ import annotations

from collections.abc import Iterable

from orchestrator.material.deck.furniture import is_lone_figure
from orchestrator.material.deck.nesting import introduces
from orchestrator.material.deck.shown import shown

BREAK = "\v"
"""What slide programs write for a line break where XML has no element for it."""


def joined(texts: Iterable[str]) -> str:
    """*texts* on one line, those without words left out; two figures that meet are kept apart.

    Of "4" above "500" in a cell a space would make 4 500, as many countries write four and a half thousand.
    """
    line = ""
    for text in filter(None, map(shown, texts)):
        between = " / " if line[-1:].isdigit() and text[0].isdigit() else " " if line else ""
        line += between + text
    return line


def broken_lines(paragraph: str) -> list[str]:
    """The lines of *paragraph* as they are typed; none where it has no words.

    A break is the end of a line, so that no figure takes a word of the next line for its unit ("8 million",
    "Costs:"). Two lines are one where the break only wraps a sentence (no figure before it, a small letter
    behind it), and where a figure stands alone behind its name or with nothing but its name.
    """
    lines: list[list[str]] = []
    has_figure = False  # in the line that is open
    parts = [part for part in paragraph.split(BREAK) if shown(part)]
    alone = [is_lone_figure(shown(part)) for part in parts]
    for part, is_alone in zip(parts, alone, strict=True):
        figures = any(map(str.isdigit, part))
        wraps = part.lstrip()[:1].islower() and not has_figure
        # Of two, the one that is no figure is the name, if it holds no other figure.
        is_pair = len(parts) == 2 and sum(alone) == 1 and not (figures and has_figure)
        if lines and (wraps or is_pair or (is_alone and introduces(lines[-1][-1].rstrip()))):
            lines[-1].append(part)
            has_figure |= figures
        else:
            lines.append([part])
            has_figure = figures
    return [" ".join(line) for line in lines]
