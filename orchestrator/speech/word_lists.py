"""Words and rules of languages that stand beside this code, as data."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import Any


@lru_cache
def written(name: str) -> Any:
    """The contents of `NAME.yaml` in this folder; every value a text as it is written, "no" too."""
    import yaml

    return yaml.BaseLoader((Path(__file__).parent / f"{name}.yaml").read_text("utf-8")).get_single_data()


@lru_cache
def word_list(name: str) -> frozenset[str]:
    """One of the lists of `words.yaml`."""
    return frozenset(written("words")[name].split())
