"""Digits and signs of all scripts as ASCII, sign for sign, so that places in a text stay what they are."""

from __future__ import annotations

import unicodedata
from typing import Final

# Arabic percent, decimal and thousands signs; small and no-break forms of signs; the ideographic space.
_SIGNS: Final = str.maketrans("٪٫٬﹪﹣‐‑　", "%.,%--- ")
_FULL_WIDTH: Final = {code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F)} | {0xFFE5: "¥", 0xFFE1: "£"}
_SAME: Final = {**_SIGNS, **_FULL_WIDTH}


def in_ascii(text: str) -> str:
    """*text* with full-width, Arabic, Persian, Indic … digits and signs as ASCII, of the same length."""
    if text.isascii():
        return text
    plain = text.translate(_SAME)
    return "".join(str(unicodedata.decimal(c)) if c > "\x7f" and c.isdecimal() else c for c in plain)


def word_count(text: str) -> int:
    """The words of *text*; where a script writes none apart, two letters count as one."""
    apart = len(text.split())
    return apart if text.isascii() else apart + sum(map(is_of_a_script_without_case, text)) // 2


def is_of_a_script_without_case(char: str) -> bool:
    """Whether *char* is a letter of a script that writes numbers and words without a space, as Chinese."""
    return char.isalpha() and char.lower() == char.upper() and not char.isascii()
