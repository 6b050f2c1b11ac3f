"""Embeddings: texts as vectors whose nearness is nearness in meaning. Optional everywhere.

Two ways to make them: a server that speaks OpenAI's `/v1/embeddings` (Ollama, llama.cpp, vLLM and
others do), named by its address; or on this machine's processor, with the extra `embed`. Vectors of
two models say nothing about each other, so each is kept with its model's name.
"""

from __future__ import annotations

import sys
from array import array
from collections.abc import Sequence
from math import isfinite, sqrt
from operator import mul
from typing import Final, Protocol

from orchestrator.errors import ConfigurationError
from orchestrator.memory.errors import EmbeddingError

LOCAL: Final = "local"
"""What stands in the configuration in place of an address, for the extra `embed`."""
DEFAULT_MODEL: Final = "all-minilm"
"""As Ollama calls the small model that the extra `embed` also has: https://ollama.com/library/all-minilm"""
MAX_DIMENSIONS: Final = 16_384
"""Four times what the largest models in use give; more is no vector of ours."""


class Embedder(Protocol):
    """Makes vectors; *model* names what made them."""

    @property
    def model(self) -> str: ...

    def embed(self, texts: Sequence[str]) -> list[array[float]]:
        """One vector of length 1 for each text, all with as many numbers.

        Raises:
            EmbeddingError: None can be made now.
        """
        ...


def embedder(address: str | None, *, model: str | None = None, key: str | None = None) -> Embedder | None:
    """What the configuration asks for; None where it asks for nothing.

    Nothing is loaded or asked before the first vector is. Where none can be made then (a server that is
    down, an extra that is not installed), texts go by their words, and one warning says why.

    Args:
        address: `local`, or a server's http(s) address, with or without `/v1` or `/v1/embeddings`.
        model: The model's name at that server.
        key: Sent as a bearer token, if the server wants one.

    Raises:
        ConfigurationError: It is neither `local` nor an address.
    """
    if not address:
        return None
    from orchestrator.memory.embedding_careful import CarefulEmbedder

    if address == LOCAL:
        from orchestrator.memory.embedding_local import LocalEmbedder

        return CarefulEmbedder(LocalEmbedder())
    if not address.startswith(("http://", "https://")):
        raise ConfigurationError(
            f"embeddings is {address!r}, but must be {LOCAL!r} or an address that begins with http:// or https://"
        )
    from orchestrator.memory.embedding_http import HttpEmbedder

    return CarefulEmbedder(HttpEmbedder(address, model or DEFAULT_MODEL, key))


def unit(numbers: Sequence[float]) -> array[float]:
    """The vector in this direction with length 1.

    Raises:
        EmbeddingError: It has no direction: nothing in it, zeros only, or numbers that are none.
    """
    length = sqrt(sum(number * number for number in numbers))
    if not numbers or len(numbers) > MAX_DIMENSIONS or not isfinite(length) or length == 0:
        raise EmbeddingError("the embedder gave a vector without direction: is this an embedding model?")
    return array("f", (number / length for number in numbers))


def similarity(one: array[float], other: array[float]) -> float:
    """The cosine of the angle between two vectors of length 1."""
    cosine: float = sum(map(mul, one, other))
    return cosine


def to_blob(vector: array[float]) -> bytes:
    """A vector as it stands in the database: float32, little-endian."""
    if sys.byteorder == "big":
        vector = array("f", vector)
        vector.byteswap()
    return vector.tobytes()


def from_blob(blob: bytes) -> array[float]:
    """The vector that `to_blob` wrote."""
    vector = array("f")
    vector.frombytes(blob)
    if sys.byteorder == "big":
        vector.byteswap()
    return vector
