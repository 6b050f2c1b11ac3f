"""Text as a reader of the slide sees it: one line, ordinary spaces, nothing invisible."""

from __future__ import annotations

import re
import unicodedata

from orchestrator.core.legible import INVISIBLE

_HALVES = re.compile("[\ud800-\udfff]")  # of characters: nothing is lost with them
_SPACES = re.compile(
    r"(?:(?!(?<=\d)[\u00a0\u2009\u202f]\d{3}(?!\d))"  # "4 200": one number
    r"[\s\x00-\x1f\x7f-\x9f\u2028\u2029\u115f\u1160\u3164\uffa0"  # the last four: letters that are blank
    "\ue000-\uf8ff\U000f0000-\U0010ffff])+"  # private use: pictures of an icon font
)
_LIGATURES = {code: unicodedata.normalize("NFKC", chr(code)) for code in range(0xFB00, 0xFB07)}


def shown(text: str) -> str:
    """*text* on one line: invisible characters gone, any run of white space one space.

    A no-break, thin or narrow space for thousands stays, since it makes one number of "4 200". Line
    breaks, tabs, control characters and icons of a font's own (private use) count as white space;
    ligatures such as "ﬁ" are spelled out, so that "profit" is found whatever font the deck used.
    """
    return _SPACES.sub(" ", INVISIBLE.sub("", _HALVES.sub("", text)).translate(_LIGATURES)).strip()
