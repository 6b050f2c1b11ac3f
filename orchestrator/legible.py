"""Text as its reader sees it: no controls, no signs of direction, no zero-width or tag characters.

A terminal obeys controls, and what no person can see may hold orders for a model. So text from outside is
cleaned where it comes in (`one_line`, `page`). What came into older sessions was not: in what is printed a
sign stands in the place of each such character (`printable`).
"""

from __future__ import annotations

import re
from typing import Final

INVISIBLE: Final = re.compile(
    "["
    "\u00ad\u034f\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff"  # hyphens, marks, overrides
    "\ufe00-\ufe0f\U000e0100-\U000e01ef"  # which form of a letter or emoji is meant
    "\ufff9-\ufffb\ufffe\uffff"  # annotation marks, non-characters
    "\U000e0000-\U000e007f"  # tag characters: a way to hide instructions in plain text
    "]"
    "|(?<![\u0590-\u1fff])[\u200c\u200d]"  # joiners, but where scripts need them (Arabic, Indic)
)
"""What takes no room on a page."""
_CONTROL: Final = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]|\r(?!\n)")  # a bare CR overwrites
UNSEEN: Final = re.compile(f"{_CONTROL.pattern}|{INVISIBLE.pattern}")
"""All that no printed line holds."""
_HALF: Final = re.compile("[\ud800-\udfff]")  # of a character; JSON can spell one, and UTF-8 has none


def one_line(text: str) -> str:
    """Text from outside as one line, so that it cannot begin a line of ours; single spaces."""
    return " ".join(page(text).split())


def page(text: str) -> str:
    """Text from outside with its lines and tabs as they are; a control is a space."""
    if not text.isascii():
        text = INVISIBLE.sub("", _HALF.sub("\ufffd", text))
    return _CONTROL.sub(" ", text)


def printable(text: str) -> str:
    """*text* with its lines, as a terminal shows and does not obey it: "�" for each sign that is not seen."""
    return UNSEEN.sub("�", text)
