"""An embedder that may fail: it is not asked again for a while, and what failed is told once."""

from __future__ import annotations

import logging
from array import array
from collections.abc import Callable, Sequence
from time import monotonic
from typing import Final

from orchestrator.memory.embedding import Embedder
from orchestrator.memory.errors import EmbeddingError

log = logging.getLogger(__name__)

REST_S: Final = 60.0
"""Wall clock. A server that hangs costs its timeout once a minute, and not once for every text."""


class CarefulEmbedder:
    """Another embedder. A failure is one warning; until it has rested, asking fails at once."""

    def __init__(self, embed: Embedder, *, now_s: Callable[[], float] = monotonic) -> None:
        self._embed = embed
        self._now_s = now_s
        self._rests_until_s: float | None = None
        self._failure = ""
        self._untold: str | None = None

    @property
    def model(self) -> str:
        return self._embed.model

    def embed(self, texts: Sequence[str]) -> list[array[float]]:
        """As the other's.

        Raises:
            EmbeddingError: It failed, or it failed less than a minute ago.
        """
        if self._rests_until_s is not None and self._now_s() < self._rests_until_s:
            raise EmbeddingError(self._failure)
        try:
            found = self._embed.embed(texts)
        except EmbeddingError as error:
            self._fails(str(error))
            raise
        self._rests_until_s = None
        return found

    def take_failure(self) -> str | None:
        """Why it failed, for whoever asks first; None: it has not, or that was told."""
        told, self._untold = self._untold, None
        return told

    def _fails(self, why: str) -> None:
        self._rests_until_s = self._now_s() + REST_S
        if not self._failure:
            log.warning("%s; until it works, texts are compared by their words", why)
            self._untold = why
        self._failure = why


def careful(embed: Embedder | None) -> CarefulEmbedder | None:
    """*embed* with that care taken; None where there is none."""
    return embed if embed is None or isinstance(embed, CarefulEmbedder) else CarefulEmbedder(embed)
