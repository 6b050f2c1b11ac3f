"""Fonts of a PDF: what the bytes that a page shows mean, and how wide they are."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from orchestrator.deck.pdf_objects import entry

if TYPE_CHECKING:
    from pypdf.generic._font import Font

_FIXED_PITCH = 1
"""Of a font descriptor's flags: ISO 32000-1, 9.8.2."""
_MANY_LETTERS = 10
"""A font with at least so many letters of one width is one of fixed pitch, whatever its flags say."""


_BOLD = re.compile("bold|black|heavy", re.IGNORECASE)
"""In the names of fonts: their weights, as OpenType names them (OS/2 table, usWeightClass)."""

_MOST_KNOWN = 10_000

Decoded = tuple[str, float, int, int]


@dataclass(frozen=True, slots=True)
class Typeface:
    """A font whose letters are known."""

    font: Font
    fixed_pitch: bool
    bold: bool
    unit: float  # one unit of its widths, in em
    known: dict[bytes, Decoded] = field(default_factory=dict)  # letters come again and again

    def decoded(self, raw: bytes) -> Decoded:
        """What *raw* says, its width in em, how many codes it holds, and how many of them are spaces.

        Only single-byte spaces are counted: word space is for them alone (ISO 32000-1, 9.3.3).
        """
        if raw not in self.known:
            if len(self.known) >= _MOST_KNOWN:
                self.known.clear()
            self.known[raw] = self._decode(raw)
        return self.known[raw]

    def _decode(self, raw: bytes) -> Decoded:
        font = self.font
        if isinstance(font.encoding, str):
            codes = raw.decode(font.encoding, "replace")
            characters = list(codes)
            spaces = 0
        else:
            codes = raw.decode("latin-1")
            characters = [font.encoding.get(byte, chr(byte)) for byte in raw]
            spaces = codes.count(" ")
        text = "".join(str(font.character_map.get(character, character)) for character in characters)
        usual = font.character_widths.get("default", 500)
        width = sum(float(font.character_widths.get(code, usual)) for code in codes) * self.unit
        return text, width, len(codes), spaces


def typefaces() -> Callable[[Any], Typeface | None]:
    """A reader of font resources that reads each font once; it gives None for one without letters."""
    from pypdf.generic import DictionaryObject
    from pypdf.generic._font import Font  # private, but the one place that knows encodings and widths

    known: dict[int, Typeface | None] = {}
    kept: list[Any] = []  # so that no id is given to another font

    def typeface_of(resource: Any) -> Typeface | None:
        if id(resource) not in known:
            kept.append(resource)
            font = Font.from_font_resource(resource) if isinstance(resource, DictionaryObject) else None
            if font is None or not _says_its_letters(font, resource):
                known[id(resource)] = None
            else:
                known[id(resource)] = Typeface(
                    font, _is_fixed(font), bool(_BOLD.search(font.name)), _unit(font, resource)
                )
        return known[id(resource)]

    return typeface_of


def _unit(font: Font, resource: Any) -> float:
    """A thousandth, but in Type 3 fonts what their matrix says: ISO 32000-1, 9.6.5."""
    matrix = entry(resource, "/FontMatrix") if font.sub_type == "Type3" else None
    if isinstance(matrix, list) and matrix and isinstance(matrix[0], int | float):
        return float(matrix[0])
    return 0.001


def _says_its_letters(font: Font, resource: Any) -> bool:
    """False for fonts that number their glyphs and do not say what they mean: ISO 32000-1, 9.10.2."""
    if not font.interpretable:
        return False
    by_glyph = str(resource.get("/Encoding")).startswith("/Identity")
    return bool(font.character_map) or font.sub_type != "Type0" or not by_glyph


def _is_fixed(font: Font) -> bool:
    if font.font_descriptor.flags & _FIXED_PITCH:
        return True
    widths = [width for code, width in font.character_widths.items() if code != "default" and width]
    return len(widths) >= _MANY_LETTERS and len(set(widths)) == 1
