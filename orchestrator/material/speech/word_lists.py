"""Words and rules of languages that stand beside this code, as data."""

from __future__ import annotations

from functools import cache
from typing import Any

from orchestrator.core.packaged import packaged_yaml


def written(name: str) -> Any:
    """The contents of `NAME.yaml` in this folder; every value a text as it is written, "no" too."""
    return packaged_yaml(f"material/speech/{name}.yaml", as_written=True)


@cache
def word_list(name: str) -> frozenset[str]:
    """One of the lists of `words.yaml`: of words, or of phrases."""
    words = written("words")[name]
    return frozenset(words.split() if isinstance(words, str) else words)
