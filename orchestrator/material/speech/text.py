"""Clean the text of speech for storage: one line, single spaces, no characters that cannot be written."""

from __future__ import annotations

import re
from functools import cache
from typing import Any

from orchestrator.core.legible import one_line
from orchestrator.core.packaged import packaged_yaml

# ---------------------------------------------------------------------- word lists
# Words and rules of languages that stand beside this code, as data.


def written(name: str) -> Any:
    """Load `NAME.yaml` of this folder with every value as the text that is written, even "no"."""
    return packaged_yaml(f"material/speech/{name}.yaml", as_written=True)


@cache
def word_list(name: str) -> frozenset[str]:
    """Return the list *name* of `words.yaml`, which has words or phrases."""
    words = written("words")[name]
    return frozenset(words.split() if isinstance(words, str) else words)


# ---------------------------------------------------------------------- text


LINE_END = re.compile(r"\r\n|\r|\n")
"""The end of a line in a recording; U+2028 and form feeds are white space within one."""

MAX_LABEL_CHARS = 80
"""Maximum number of characters of a speaker label; a longer one is cut. Our own limit, far above any name
with a title."""


def label(text: str) -> str | None:
    """Return a speaker's label as stored, or None if it names nobody ("-", "Unknown speaker")."""
    name = one_line(text)[:MAX_LABEL_CHARS].rstrip()
    is_nobody = name.casefold().replace("_", " ") in word_list("nobody")
    return name if name.strip("-–—_?.* ") and not is_nobody else None
