"""The text of speech as it is stored: one line, single spaces, nothing that cannot be written."""

from __future__ import annotations

import re
from functools import cache
from typing import Any

from orchestrator.core.legible import one_line
from orchestrator.core.packaged import packaged_yaml

# ---------------------------------------------------------------------- word lists
# Words and rules of languages that stand beside this code, as data.


def written(name: str) -> Any:
    """The contents of `NAME.yaml` in this folder; every value a text as it is written, "no" too."""
    return packaged_yaml(f"material/speech/{name}.yaml", as_written=True)


@cache
def word_list(name: str) -> frozenset[str]:
    """One of the lists of `words.yaml`: of words, or of phrases."""
    words = written("words")[name]
    return frozenset(words.split() if isinstance(words, str) else words)


# ---------------------------------------------------------------------- text


LINE_END = re.compile(r"\r\n|\r|\n")
"""The end of a line in a recording; U+2028 and form feeds are white space within one."""

MAX_LABEL_CHARS = 80
"""A longer speaker label is cut; our own limit, far above any name with a title."""


def label(text: str) -> str | None:
    """A speaker's label as it is stored; None where it names nobody ("-", "Unknown speaker")."""
    name = one_line(text)[:MAX_LABEL_CHARS].rstrip()
    is_nobody = name.casefold().replace("_", " ") in word_list("nobody")
    return name if name.strip("-–—_?.* ") and not is_nobody else None
