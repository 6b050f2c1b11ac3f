"""The words of one shape in a PowerPoint file."""

from __future__ import annotations

import re

from orchestrator.deck.ooxml import A, Element, M
from orchestrator.deck.shown import shown

_LIKE_RUNS = (f"{A}r", f"{A}fld")
_COUNTED_BY_THE_PROGRAM = "slidenum"  # a:fld type, ECMA-376 part 1, 21.1.2.2.4
_ESCAPED = re.compile("_x([0-9A-Fa-f]{4})_")  # how XML carries characters that it forbids: 22.4.2.4
_LEVELS = tuple("012345678")  # ST_TextIndentLevelType: 20.1.10.85
DEFAULT_SIZE = 1800.0
"""Hundredths of a point: the size of text where nothing says otherwise (presentation defaults)."""


def paragraphs(body: Element | None) -> list[str]:
    """The paragraphs of a text body, each on one line; a line break inside one is a space."""
    return [text for text, _ in nested_paragraphs(body)]


def nested_paragraphs(body: Element | None) -> list[tuple[str, int]]:
    """Each paragraph with its level, from 0: how far its list is indented."""
    if body is None:
        return []
    found = ((_paragraph(paragraph), _level(paragraph)) for paragraph in body.iter(f"{A}p"))
    return [(text, level) for text, level in found if text]


def _level(paragraph: Element) -> int:
    properties = paragraph.find(f"{A}pPr")
    level = "" if properties is None else properties.get("lvl", "")
    return int(level) if level in _LEVELS else 0


def _paragraph(paragraph: Element) -> str:
    parts: list[str] = []
    for child in paragraph:
        if child.tag in _LIKE_RUNS:
            if child.get("type") != _COUNTED_BY_THE_PROGRAM:
                parts.append(child.findtext(f"{A}t") or "")
        elif child.tag == f"{A}br":
            parts.append(" ")
        else:  # a formula, alone or in an alternative
            parts += [text.text or "" for text in child.iter(f"{M}t")]
    return shown(_ESCAPED.sub(_unescaped, "".join(parts)))


def _unescaped(match: re.Match[str]) -> str:
    return chr(int(match[1], 16))


def font_size(body: Element) -> float:
    """The largest size that the text itself states, in hundredths of a point; 0 if it states none."""
    stated = [
        float(properties.get("sz", ""))
        for properties in body.iter()
        if properties.tag in (f"{A}rPr", f"{A}defRPr") and properties.get("sz", "").isdigit()
    ]
    return max(stated, default=0.0)
