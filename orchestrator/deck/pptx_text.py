"""The words of one shape in a PowerPoint file."""

from __future__ import annotations

import re

from orchestrator.deck.ooxml import A, Element, M
from orchestrator.deck.shown import shown

_LIKE_RUNS = (f"{A}r", f"{A}fld")
_COUNTED_BY_THE_PROGRAM = "slidenum"  # a:fld type, ECMA-376 part 1, 21.1.2.2.4
_ESCAPED = re.compile("_x([0-9A-Fa-f]{4})_")  # how XML carries characters that it forbids: 22.4.2.4
_DEFAULT_SIZE = 1800.0
"""Hundredths of a point: the size of text where nothing says otherwise (presentation defaults)."""


def paragraphs(body: Element | None) -> list[str]:
    """The paragraphs of a text body, each on one line; a line break inside one is a space."""
    if body is None:
        return []
    texts = (_paragraph(paragraph) for paragraph in body.iter(f"{A}p"))
    return [text for text in texts if text]


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
    """The largest size that the text itself states, in hundredths of a point."""
    stated = [
        float(properties.get("sz", ""))
        for properties in body.iter()
        if properties.tag in (f"{A}rPr", f"{A}defRPr") and properties.get("sz", "").isdigit()
    ]
    return max(stated, default=_DEFAULT_SIZE)
