"""Text as a reader of the slide sees it: one line, ordinary spaces, nothing invisible."""

from __future__ import annotations

import re
import unicodedata

_INVISIBLE = re.compile(
    "["
    "\u00ad\u034f\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff"  # hyphens, marks, overrides
    "\ufe00-\ufe0f\U000e0100-\U000e01ef"  # which form of a letter or emoji is meant
    "\ud800-\udfff\ufff9-\ufffb\ufffe\uffff"  # halves of pairs, annotation marks, non-characters
    "\U000e0000-\U000e007f"  # tag characters: a way to hide instructions in plain text
    "]"
    "|(?<![\u0590-\u1fff])[\u200c\u200d]"  # joiners, but where scripts need them (Arabic, Indic)
)
_SPACES = re.compile(
    r"[\s\x00-\x1f\x7f-\x9f\u2028\u2029\u115f\u1160\u3164\uffa0"  # the last four: letters that are blank
    "\ue000-\uf8ff\U000f0000-\U0010ffff]+"  # private use: pictures of an icon font
)
_LIGATURES = {code: unicodedata.normalize("NFKC", chr(code)) for code in range(0xFB00, 0xFB07)}


def shown(text: str) -> str:
    """*text* on one line: invisible characters gone, any run of white space one space.

    Line breaks, tabs, control characters and icons of a font's own (private use) count as
    white space; ligatures such as "ﬁ" are spelled out, so that "profit" is found whatever font the deck used.
    """
    return _SPACES.sub(" ", _INVISIBLE.sub("", text).translate(_LIGATURES)).strip()
