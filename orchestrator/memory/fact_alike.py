"""Whether two facts say the same in other words: by embeddings, where the home has them on."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from typing import Final

from orchestrator.memory.embedding import Embedder, similarity
from orchestrator.memory.errors import EmbeddingError
from orchestrator.memory.fact_grounding import figures

AS_GOOD_AS_SAME: Final = 0.9
"""Cosine above which two sentences count as one fact; our own measure, on the careful side."""


class AlikeByMeaning:
    """Compares a fact with those that are known. Facts that give other figures are never alike."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self._vectors: dict[str, array[float]] = {}

    def __call__(self, content: str, known: Sequence[str]) -> bool:
        """Whether one of *known* says what *content* says; False where no vectors can be made."""
        numbers = figures(content)
        others = [one for one in known if figures(one) == numbers]
        missing = [one for one in (content, *others) if one not in self._vectors]
        if not others:
            return False
        try:
            if missing:
                self._vectors.update(zip(missing, self._embedder.embed(missing), strict=True))
        except EmbeddingError:
            return False
        own = self._vectors[content]
        return any(similarity(own, self._vectors[one]) >= AS_GOOD_AS_SAME for one in others)
