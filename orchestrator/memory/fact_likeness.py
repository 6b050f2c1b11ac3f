"""Whether two facts say the same in other words: by embeddings, where the home has them on.

Vectors tell what a sentence is about, and hardly what it says of it: with a small model "churn fell in
the second quarter" lies closer to "in the third quarter" than to most of its own paraphrases. So only
facts are compared that agree in all that can be read: figures, times, order, names, and a "not". And two
sentences of which one has other words in the very places of the other's are told apart by those words.
In doubt both are kept: a fact twice does less harm than a fact that is missing.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from functools import lru_cache
from typing import Final

from orchestrator.checks.grounding import figures
from orchestrator.claims.dates import dates_in
from orchestrator.claims.numbers import numbers_in
from orchestrator.memory.embedding import Embedder, similarity
from orchestrator.memory.errors import EmbeddingError
from orchestrator.memory.fact_grounding import is_negated
from orchestrator.memory.names import large
from orchestrator.memory.telling_words import english

AS_GOOD_AS_SAME: Final = 0.9
"""Cosine above which two sentences that agree count as one fact; our own measure, on the careful side."""
MOST_READ: Final = 1_000
"""Facts whose figures, times and names are remembered: several sessions'."""

_WORD = re.compile(r"[\w’'-]+")
_CODE = re.compile(r"\b(?=\w*\d)(?=\w*[^\W\d_])\w+")
"""Letters and digits in one word: Q3, FY2027, 3rd, T4."""


@dataclass(frozen=True, slots=True)
class Read:
    """What of a sentence must be equal, and its words."""

    words: tuple[str, ...]
    exact: tuple[object, ...]  # figures, quantities, times, order and codes, and whether there is a "not"
    names: frozenset[str]

    def agrees_with(self, other: Read) -> bool:
        """Whether nothing that can be read sets them apart."""
        return (
            self.exact == other.exact
            and self.names <= frozenset(other.words)
            and other.names <= frozenset(self.words)
            and not _in_the_same_places(self.words, other.words)
        )


@dataclass(slots=True)
class AlikeByMeaning:
    """Compares a fact with those of its type that are known."""

    embed: Embedder
    _vectors: dict[str, array[float]] = field(default_factory=dict)

    def __call__(self, content: str, known: Sequence[str]) -> bool:
        """Whether one of *known* says what *content* says; False where no vectors can be made."""
        own = read(content)
        others = [one for one in known if own.agrees_with(read(one))]
        if not others:
            return False
        missing = [one for one in (content, *others) if one not in self._vectors]
        try:
            if missing:
                self._vectors.update(zip(missing, self.embed.embed(missing), strict=True))
        except EmbeddingError:
            return False
        vector = self._vectors[content]
        return any(similarity(vector, self._vectors[one]) >= AS_GOOD_AS_SAME for one in others)


@lru_cache(maxsize=MOST_READ)
def read(content: str) -> Read:
    """What a sentence says, as far as it can be read."""
    words = tuple(word.casefold() for word in _WORD.findall(content))
    exact = (
        frozenset(figures(content)),
        frozenset((one.value, one.unit) for one in numbers_in(content)),
        frozenset((one.first, one.last) for one in dates_in(content)),
        frozenset(words) & english("order"),
        frozenset(code.casefold() for code in _CODE.findall(content)),
        is_negated(content),
    )
    return Read(words, exact, large(content))


def _in_the_same_places(one: Sequence[str], other: Sequence[str]) -> bool:
    """Whether they are one sentence with other words in the places of some: "gross margin", "net margin"."""
    if len(one) != len(other):
        return False
    steps = SequenceMatcher(None, one, other, autojunk=False).get_opcodes()
    return any(step[0] != "equal" for step in steps) and all(
        kind == "equal" or (kind == "replace" and to - start == end - begin)
        for kind, start, to, begin, end in steps
    )
