"""Embeddings from a server that speaks OpenAI's `/v1/embeddings`.

Source: https://platform.openai.com/docs/api-reference/embeddings/create; Ollama and others follow it.
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from typing import Any, Final

from orchestrator.memory.embedding import unit
from orchestrator.memory.errors import EmbeddingError

TIMEOUT_S: Final = 10.0
"""For one request. A loaded small model takes milliseconds; a cold one some seconds."""
MOST_TEXTS: Final = 64
"""In one request; servers take more, but not all."""


class HttpEmbedder:
    """Asks one server. What is remembered is sent there: it is the presenter's or the user's own choice."""

    def __init__(
        self, address: str, model: str, key: str | None = None, *, timeout_s: float = TIMEOUT_S
    ) -> None:
        base = address.rstrip("/").removesuffix("/embeddings").removesuffix("/v1")
        self.url = f"{base}/v1/embeddings"
        self._model = model
        self._key = key
        self._timeout_s = timeout_s

    @property
    def model(self) -> str:
        return self._model

    def embed(self, texts: Sequence[str]) -> list[array[float]]:
        """One vector of length 1 for each text.

        Raises:
            EmbeddingError: The server cannot be reached, refuses, or gives something else.
        """
        import httpx2

        headers = {} if self._key is None else {"Authorization": f"Bearer {self._key}"}
        found: list[array[float]] = []
        try:
            with httpx2.Client(timeout=self._timeout_s, headers=headers) as client:
                for start in range(0, len(texts), MOST_TEXTS):
                    part = list(texts[start : start + MOST_TEXTS])
                    answer = client.post(self.url, json={"model": self._model, "input": part})
                    if answer.status_code != 200:
                        raise EmbeddingError(
                            f"{self.url}: answered {answer.status_code}: has it the model {self._model!r}?"
                        )
                    found += self._vectors(answer.json(), len(part))
        except (httpx2.HTTPError, httpx2.InvalidURL, ValueError) as error:
            why = type(error).__name__
            raise EmbeddingError(f"{self.url}: gave no vectors ({why}): is it running?") from error
        if len({len(vector) for vector in found}) > 1:
            raise EmbeddingError(f"{self.url}: gave vectors of different lengths: is this one model?")
        return found

    def _vectors(self, plain: Any, count: int) -> list[array[float]]:
        try:
            items = sorted(plain["data"], key=lambda item: item["index"])
            if [item["index"] for item in items] != list(range(count)):
                raise EmbeddingError(f"{self.url}: gave {len(items)} vectors for {count} texts")
            return [unit([float(number) for number in item["embedding"]]) for item in items]
        except (KeyError, TypeError, ValueError, OverflowError) as error:
            raise EmbeddingError(f"{self.url}: answered in another form than /v1/embeddings has") from error
