"""Text as a reader of the slide sees it: one line, ordinary spaces, nothing invisible."""

from __future__ import annotations

import re
import unicodedata

_INVISIBLE = re.compile(
    "["
    "\u00ad\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff"  # hyphens, marks, joiners, overrides
    "\ud800-\udfff\ufff9-\ufffb\ufffe\uffff"  # halves of pairs, annotation marks, non-characters
    "\U000e0000-\U000e007f"  # tag characters: a way to hide instructions in plain text
    "]"
)
_SPACES = re.compile(r"[\s\x00-\x1f\x7f-\x9f\u2028\u2029]+")
_LIGATURES = {code: unicodedata.normalize("NFKC", chr(code)) for code in range(0xFB00, 0xFB07)}


def shown(text: str) -> str:
    """*text* on one line: invisible characters gone, any run of white space one space.

    Line breaks, tabs and control characters count as white space; ligatures such as
    "ﬁ" are spelled out, so that "profit" is found whatever font the deck used.
    """
    return _SPACES.sub(" ", _INVISIBLE.sub("", text).translate(_LIGATURES)).strip()
