"""Placeholders: shapes that take their place and size from the slide's layout and master."""

from __future__ import annotations

from orchestrator.core.errors import DeckError
from orchestrator.material.deck.ooxml import A, Element, P
from orchestrator.material.deck.package import HostileDeckError, Package
from orchestrator.material.deck.reading_order import Box

TITLES = ("title", "ctrTitle")
FURNITURE = ("sldNum", "dt", "ftr", "hdr")
"""Placeholders that a deck prints on every slide: number, date, footer, header."""

_ON_THE_MASTER = {"title": "title", "ctrTitle": "title"} | {kind: kind for kind in FURNITURE}
"""The master's placeholder that a layout's stands for; all others stand for its body."""


def placeholder(shape: Element) -> Element | None:
    """The `p:ph` of *shape*, if it is a placeholder."""
    for properties in shape:
        if properties.tag.startswith(f"{P}nv"):
            return properties.find(f"{P}nvPr/{P}ph")
    return None


def placeholder_type(shape: Element) -> str | None:
    """The type of the placeholder that *shape* is: "title", "body", "obj", …"""
    found = placeholder(shape)
    return None if found is None else found.get("type", "obj")


def own_box(shape: Element) -> Box | None:
    """Where *shape* itself says that it lies, in the units of its parent."""
    for path in (f"{P}spPr/{A}xfrm", f"{P}xfrm", f"{P}grpSpPr/{A}xfrm"):
        place = shape.find(path)
        if place is not None:
            return box_of(place.find(f"{A}off"), place.find(f"{A}ext"))
    return None


def box_of(offset: Element | None, extent: Element | None) -> Box | None:
    """The box of an `a:off` and an `a:ext`."""
    if offset is None or extent is None:
        return None
    try:
        left, top = float(offset.get("x", "")), float(offset.get("y", ""))
        return Box(left, top, float(extent.get("cx", "")), float(extent.get("cy", "")))
    except ValueError:
        return None


class Layouts:
    """The placeholders of a deck's layouts and masters, each read once, when it is asked for."""

    def __init__(self, package: Package) -> None:
        self._package = package
        self._known: dict[str, list[Element]] = {}

    def box(self, slide_part: str, shape: Element) -> Box | None:
        """Where a placeholder on the slide lies that does not say so itself."""
        kind = placeholder_type(shape)
        if kind is None:
            return None
        layout = self._package.related(slide_part, "slideLayout")
        on_layout = _counterpart(self._placeholders(layout), shape, kind)
        if on_layout is not None:
            if (box := own_box(on_layout)) is not None:
                return box
            kind = placeholder_type(on_layout) or kind
        master = self._package.related(layout, "slideMaster") if layout else None
        wanted = _ON_THE_MASTER.get(kind, "body")
        for candidate in self._placeholders(master):
            if placeholder_type(candidate) == wanted:
                return own_box(candidate)
        return None

    def _placeholders(self, part: str | None) -> list[Element]:
        if part is None:
            return []
        if part not in self._known:
            try:
                shapes = self._package.xml(part).iter(f"{P}sp")
                self._known[part] = [shape for shape in shapes if placeholder(shape) is not None]
            except HostileDeckError:
                raise
            except DeckError:
                self._known[part] = []  # a layout that is broken says nothing about places, and costs no text
        return self._known[part]


def _counterpart(layout: list[Element], shape: Element, kind: str) -> Element | None:
    """The placeholder of *layout* that *shape* stands for: of its index, else of its type."""
    index = _index(shape)
    for candidate in layout:
        if _index(candidate) == index and (index != "0" or _same(placeholder_type(candidate), kind)):
            return candidate
    return next((candidate for candidate in layout if _same(placeholder_type(candidate), kind)), None)


def _index(shape: Element) -> str:
    found = placeholder(shape)
    return "0" if found is None else found.get("idx", "0")


def _same(kind: str | None, other: str) -> bool:
    return kind == other or (kind in TITLES and other in TITLES)
