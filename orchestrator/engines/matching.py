"""Whether a text holds the words of a template: whole words, in any case."""

from __future__ import annotations

import re
from functools import cache, lru_cache
from typing import Final

from orchestrator.persona import Alternatives

_LONGEST_SENTENCE: Final = 1000
"""Characters up to which a text is one that comes back with every refresh."""


def normal(text: str) -> str:
    """Lower case, plain apostrophes, single spaces: how phrases of a template are compared."""
    return _normal_sentence(text) if len(text) < _LONGEST_SENTENCE else _normal(text)


def _normal(text: str) -> str:
    return " ".join(text.lower().replace("’", "'").split())


_normal_sentence = lru_cache(maxsize=4096)(_normal)


def holds(text: str, phrase: str) -> bool:
    """The normalised *text* holds the phrase as whole words."""
    return phrase in text and _phrase(phrase).search(text) is not None


@cache
def _phrase(phrase: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![\w-]){re.escape(phrase)}(?![\w-])")


def found(text: str, alternatives: Alternatives) -> tuple[str, ...] | None:
    """The phrases of the first alternative of which all occur in the text as whole words."""
    for phrases in alternatives:
        for phrase in phrases:
            if phrase not in text:  # some thousand times in a refresh, so the plain test comes first
                break
        else:
            if phrases and all(holds(text, phrase) for phrase in phrases):
                return phrases
    return None
