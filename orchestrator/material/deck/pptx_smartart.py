"""SmartArt: the texts of a diagram, in the order of its model."""

from __future__ import annotations

from orchestrator.material.deck.ooxml import DGM, Element
from orchestrator.material.deck.pptx_text import paragraphs

_WRITTEN_IN = ("node", "asst")
"""Kinds of points that a person writes in; the others are links and drawing: ECMA-376 part 1, 21.4.7.51."""


def smartart_lines(data: Element) -> list[tuple[str, int]]:
    """The paragraphs of every node with its depth: parents before children, children as numbered."""
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
