"""What a tagged PDF says about its structure: which pieces of text are one paragraph, and alt texts.

Source: ISO 32000-1, 14.7 (structure tree, parent tree) and 14.8.4 (structure types).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from orchestrator.deck.pdf_objects import entry, resolved

_INSIDE_A_PARAGRAPH = ("Span", "Link", "Em", "Strong", "Sub", "Quote", "Reference", "Code", "Annot")
_AROUND_PARAGRAPHS = (
    *("Document", "Part", "Art", "Sect", "Div", "BlockQuote", "L", "LI", "Table", "TR"),
    *("THead", "TBody", "TFoot", "TOC", "NonStruct", "Private"),
)
_DEEPEST = 40


@dataclass(frozen=True, slots=True)
class Tags:
    """Of one page: the paragraph of each marked-content id, and the alt texts of its figures."""

    paragraphs: dict[int, int] = field(default_factory=dict)
    alt_texts: tuple[str, ...] = ()


class StructureTree:
    """The structure tree of a PDF; empty where the file is not tagged."""

    def __init__(self, root: Any) -> None:
        tree = entry(root, "/StructTreeRoot")
        self._roles = entry(tree, "/RoleMap")
        self._by_page: dict[int, Any] = {}
        self._collect(entry(tree, "/ParentTree"), 0)

    def tags(self, page: Any) -> Tags:
        """The tags of *page*."""
        number = entry(page, "/StructParents")
        elements = resolved(self._by_page.get(number)) if isinstance(number, int) else None
        if not isinstance(elements, list):
            return Tags()
        paragraphs: dict[int, int] = {}
        alt_texts: dict[str, None] = {}
        for identity, reference in enumerate(elements):
            element = resolved(reference)
            if isinstance(element, dict):
                paragraph = self._paragraph(element)
                if paragraph is not None:
                    paragraphs[identity] = id(paragraph)
                if self._role(element) == "Figure" and isinstance(alt := entry(element, "/Alt"), str):
                    alt_texts[alt] = None
        return Tags(paragraphs, tuple(alt_texts))

    def _paragraph(self, element: Any) -> Any | None:
        for _ in range(_DEEPEST):
            role = self._role(element)
            if role in _AROUND_PARAGRAPHS:
                return None
            if role not in _INSIDE_A_PARAGRAPH:
                return element
            element = entry(element, "/P")
            if not isinstance(element, dict):
                return None
        return None

    def _role(self, element: Any) -> str:
        role = entry(element, "/S")
        mapped = entry(self._roles, role)
        return str(mapped if isinstance(mapped, str) else role).removeprefix("/")

    def _collect(self, node: Any, depth: int) -> None:
        """The leaves of a number tree: 7.9.7."""
        if not isinstance(node, dict) or depth > _DEEPEST:
            return
        numbers = entry(node, "/Nums")
        if isinstance(numbers, list):
            for key, value in zip(numbers[::2], numbers[1::2], strict=False):
                if isinstance(key, int):
                    self._by_page[int(key)] = value
        kids = entry(node, "/Kids")
        for kid in kids if isinstance(kids, list) else ():
            self._collect(resolved(kid), depth + 1)
