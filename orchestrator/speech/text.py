"""The text of speech as it is stored: one line, single spaces, nothing that cannot be written."""

from __future__ import annotations

import re

from orchestrator.legible import one_line

LINE_END = re.compile(r"\r\n|\r|\n")
"""The end of a line in a recording; U+2028 and form feeds are white space within one."""

MAX_LABEL_CHARS = 80
"""A longer speaker label is cut; our own limit, far above any name with a title."""


def label(text: str) -> str | None:
    """A speaker's label as it is stored, or None where nothing is left of it."""
    return one_line(text)[:MAX_LABEL_CHARS].rstrip() or None
