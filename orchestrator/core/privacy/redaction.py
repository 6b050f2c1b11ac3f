"""Redaction: the names of people who spoke, taken out of a text that goes to others.

Whoever speaks is known by a label; people who are only spoken of are not known, and stay.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable

from orchestrator.core.privacy.masking import masked, visible

SHORTEST_PART = 3
"""Letters of a part of a name that is masked alone: "Li" and "de" are words of too many texts."""
_MARKS = r"[\u0300-\u036f]*"  # the accents that NFD has parted from their letters
_BETWEEN = r"[\W_]{1,3}"  # between the parts of a name: a space, ", ", or a line break with its indent


def redacted(text: str, people: Iterable[tuple[str, str]]) -> str:
    """*text* without names, e-mail addresses, phone and card numbers.

    Every part of a name is masked wherever it stands, in any case and with or without accents: "Dana's",
    "WHITFIELD". A word that is also a name goes with it; too much is taken out rather than too little.

    Args:
        people: Name, and what stands in its place: ("Dana Whitfield", "[presenter]").
    """
    text = unicodedata.normalize("NFD", masked(visible(text)))
    wholes, parts = [], []
    for name, label in people:
        words = re.findall(r"[^\W\d_]+", unicodedata.normalize("NFC", visible(name)))
        if len(words) > 1:
            wholes.append((words, label))
        parts += [([word], label) for word in words if len(word) >= SHORTEST_PART or len(words) == 1]
    for words, label in [*wholes, *parts]:
        text = _pattern(words).sub(lambda _, label=label: label, text)  # type: ignore[misc]
    return unicodedata.normalize("NFC", text)


def _pattern(words: list[str]) -> re.Pattern[str]:
    """These words one after the other, with no letter before or behind them."""
    spelled = (_MARKS.join(map(re.escape, _bare(word))) + _MARKS for word in words)
    return re.compile(rf"(?<![^\W\d_]){_BETWEEN.join(spelled)}(?![^\W\d_])", re.IGNORECASE)


def _bare(word: str) -> str:
    return "".join(char for char in unicodedata.normalize("NFD", word) if not unicodedata.combining(char))
