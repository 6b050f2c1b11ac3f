"""The words of one shape in a PowerPoint file."""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import groupby
from typing import Final

from orchestrator.material.deck.formulas import formula, lowered, raised
from orchestrator.material.deck.lines import BREAK, broken_lines
from orchestrator.material.deck.ooxml import DGM, MC, A, Element, M
from orchestrator.material.deck.shown import shown

# ---------------------------------------------------------------------- pptx text


_LIKE_RUNS = (f"{A}r", f"{A}fld")
_COUNTED_BY_THE_PROGRAM = "slidenum"  # a:fld type, ECMA-376 part 1, 21.1.2.2.4; those of charts are capitals
_STRUCK = ("sngStrike", "dblStrike")  # ST_TextStrikeType: 20.1.10.79
_ESCAPED = re.compile("_x([0-9A-Fa-f]{4})_")  # how XML carries characters that it forbids: 22.4.2.4
_LEVELS = tuple("012345678")  # ST_TextIndentLevelType: 20.1.10.85
_SET: Final[dict[int, Callable[[str], str]]] = {0: str, 1: raised, -1: lowered}
DEFAULT_SIZE = 1800.0
"""The size of text where nothing says otherwise (presentation defaults), in hundredths of a point."""


def paragraphs(body: Element | None) -> list[str]:
    """Return the lines of a text body that have words."""
    return [text for text, _ in nested_paragraphs(body)]


def nested_paragraphs(body: Element | None) -> list[tuple[str, int]]:
    """Return each line of a text body with the level of its paragraph (its indentation in lists), from 0."""
    found = ((shown(line), level) for line, level in typed_lines(body))
    return [(text, level) for text, level in found if text]


def typed_lines(body: Element | None) -> list[tuple[str, int]]:
    """Return each line of a text body as typed, including tabs, with the level of its paragraph."""
    if body is None:
        return []
    return [(line, _level(one)) for one in body.iter(f"{A}p") for line in broken_lines(_typed(one))]


def is_withdrawn(run: Element) -> bool:
    """Return whether the words of *run* are struck out or invisible (neither fill nor outline)."""
    properties = run.find(f"{A}rPr")
    if properties is None or not shown(run.findtext(f"{A}t") or ""):
        return False
    unfilled = properties.find(f"{A}noFill") is not None and properties.find(f"{A}ln") is None
    return unfilled or properties.get("strike") in _STRUCK


def _level(paragraph: Element) -> int:
    properties = paragraph.find(f"{A}pPr")
    level = "" if properties is None else properties.get("lvl", "")
    return int(level) if level in _LEVELS else 0


def _typed(paragraph: Element) -> str:
    """Return the words of a paragraph as typed, with breaks and tabs.

    Raised words become marks, and struck-out words are left out.
    """
    pieces: list[tuple[int, str]] = []
    for child in paragraph:
        if child.tag in _LIKE_RUNS:
            kind = child.get("type", "")
            if kind != _COUNTED_BY_THE_PROGRAM and not kind.isupper() and not is_withdrawn(child):
                pieces.append((_baseline(child), child.findtext(f"{A}t") or ""))
        elif child.tag == f"{A}br":
            pieces.append((0, BREAK))
        else:  # a formula, alone or in an alternative, of which the first says it
            choice = child.find(f"{MC}Choice")
            found = (child if choice is None else choice).iter(f"{M}oMath")
            pieces.append((0, " ".join(map(formula, found))))
    # Where all is raised alike, as some set a lone large figure, nothing is a mark.
    base = min((line for line, text in pieces if shown(text)), key=abs, default=0)
    by_place = groupby(pieces, lambda piece: (piece[0] > base) - (piece[0] < base))
    text = "".join(_SET[place]("".join(text for _, text in group)) for place, group in by_place)
    return _ESCAPED.sub(lambda match: chr(int(match[1], 16)), text)


def _baseline(run: Element) -> int:
    properties = run.find(f"{A}rPr")
    stated = "" if properties is None else properties.get("baseline", "").removesuffix("%")
    return int(stated) if re.fullmatch(r"-?\d{1,9}", stated) else 0


def font_size(body: Element) -> float:
    """Return the largest size that the text itself states, in hundredths of a point, or 0 without any."""
    stated = [
        float(properties.get("sz", ""))
        for properties in body.iter()
        if properties.tag in (f"{A}rPr", f"{A}defRPr") and properties.get("sz", "").isdigit()
    ]
    return max(stated, default=0.0)


# ---------------------------------------------------------------------- pptx smartart
# SmartArt: the texts of a diagram, in the order of its model.


_WRITTEN_IN = ("node", "asst")
"""Kinds of points of a diagram in which a person writes; the others are links and drawing: ECMA-376 part 1,
21.4.7.51."""


def smartart_lines(data: Element) -> list[tuple[str, int]]:
    """Return the lines of every node of a diagram with the node's depth.

    Parents come before their children, and children in the order of their numbers.
    """
    points = {point.get("modelId", ""): point for point in data.iter(f"{DGM}pt")}
    children: dict[str, list[tuple[int, str]]] = {}
    for connection in data.iter(f"{DGM}cxn"):
        if connection.get("type", "parOf") == "parOf":
            order = connection.get("srcOrd", "0")
            children.setdefault(connection.get("srcId", ""), []).append(
                (int(order) if order.isdigit() else 0, connection.get("destId", ""))
            )
    lines: list[tuple[str, int]] = []
    seen: set[str] = set()
    documents = [key for key, point in points.items() if point.get("type") == "doc"]
    # A stack: the document first, then whatever hangs on nothing.
    waiting = [(key, 0) for key in (*reversed(points), *documents)]
    while waiting:
        key, depth = waiting.pop()
        if key in seen or key not in points:
            continue
        seen.add(key)
        if points[key].get("type", "node") in _WRITTEN_IN:
            lines += [(text, depth) for text in paragraphs(points[key].find(f"{DGM}t"))]
            depth += 1
        waiting += [(child, depth) for _, child in sorted(children.get(key, []), reverse=True)]
    return lines
