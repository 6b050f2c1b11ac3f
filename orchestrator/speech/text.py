"""The text of speech as it is stored: one line, single spaces, nothing that cannot be written."""

from __future__ import annotations

import re

# Not tab, line ends and U+0085, which are white space and go below.
_CONTROL = re.compile(r"[\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f]")
_SURROGATE = re.compile("[\ud800-\udfff]")  # lone halves come out of JSON escapes; UTF-8 has none
LINE_END = re.compile(r"\r\n|\r|\n")
"""The end of a line in a recording; U+2028 and form feeds are white space within one."""

MAX_LABEL_CHARS = 80
"""A longer speaker label is cut; our own limit, far above any name with a title."""


def clean(text: str) -> str:
    """*text* as one line: runs of white space are one space, control characters are gone.

    Nothing else changes, so what is quoted from a segment is what was said.
    """
    text = _CONTROL.sub(" ", text).replace("\ufeff", "")
    return " ".join(_SURROGATE.sub("\ufffd", text).split())


def label(text: str) -> str | None:
    """A speaker's label as it is stored, or None where nothing is left of it."""
    return clean(text)[:MAX_LABEL_CHARS].rstrip() or None
