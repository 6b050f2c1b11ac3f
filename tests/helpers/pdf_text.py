"""Text of a PDF page, drawn by hand."""

from __future__ import annotations

_NARROW = 'fijlt.,:;!|I()[]/-" '  # 0.278 em and less; exact for digits, and near enough for letters


def text(words: str, left: float, up: float, size: float = 16, font: str = "F1") -> bytes:
    """A line of text *up* points above the lower edge of a page 405 points high."""
    shown = words.replace("\\", "\\\\").replace("(", "\\(").replace(")", "\\)").encode("cp1252")
    return b"BT /%s %g Tf %g %g Td (%s) Tj ET\n" % (font.encode(), size, left, up, shown)


def width(words: str, size: float, font: str = "F1") -> float:
    """How wide figures are in Helvetica or, as F2, in Courier."""
    if font == "F2":
        return 0.6 * size * len(words)
    return size * sum(0.278 if letter in _NARROW else 0.556 for letter in words)
