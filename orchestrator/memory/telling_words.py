"""The words of a text that tell something, and the memories that share them with a topic.

The full-text index finds them, by stem. The weights are those of BM25, taken over the agent's own
memories about this presenter and no others: FTS5's own `bm25` weighs a word by all rows of the table,
so what one presenter's panel recalls would change with what is kept about another.

Source: Robertson and Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond", 2009.
"""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Iterable
from functools import cache
from math import log
from typing import Final

from orchestrator.packaged import packaged_yaml

MAX_WORDS: Final = 64
"""Of a topic; each costs one look into the index, some 20 microseconds."""
TOLD_WORDS: Final = 6
"""Of those in common, the rarest: as many as a reason names."""
_K1: Final = 1.2
_B: Final = 0.75
"""In the middle of what the source names as good for most texts: how soon a word that is repeated counts
no more, and how much a long text is held to say by its length alone."""
_WORD: Final = re.compile(r"[^\W_]+")
_LONG_WORD: Final = re.compile(r"[^\W\d_]{4,}")
_STEM: Final = 5
"""Letters by which two forms of a word are told to be one: "postponed", "postponing". Fewer mix up other
words; more tell forms of short ones apart."""


@cache
def english(name: str) -> frozenset[str]:
    """A list of `english.yaml`."""
    return frozenset(packaged_yaml("memory/english.yaml")[name].split())


def words_of(text: str) -> tuple[str, ...]:
    """The words of a topic that may tell something, each once, as first met."""
    found = (word.casefold() for word in _WORD.findall(text))
    common = english("common")
    telling = (word for word in found if word not in common and (len(word) > 1 or word.isdigit()))
    return tuple(dict.fromkeys(telling))[:MAX_WORDS]


def stems(text: str) -> set[str]:
    """Of the longer words that tell what a sentence is about, the first letters."""
    words = (word.casefold() for word in _LONG_WORD.findall(text))
    return {word[:_STEM] for word in words if word not in english("common") | english("talk")}


def scored_by_words(connection: sqlite3.Connection, scope: int, topic: str) -> list[tuple[int, float, str]]:
    """Row number, weight and reason of each memory that shares words with *topic*, best first.

    Any text is a topic: nothing in it is read as a query. Of equals the newer comes first.
    """
    hits: dict[int, list[tuple[str, float]]] = {}
    (total,) = connection.execute("SELECT count(*) FROM recallable WHERE scope = ?", (scope,)).fetchone()
    for word in words_of(topic):
        query = f'scope : "{scope}" AND {{content tags}} : "{word}"'
        rows = connection.execute("SELECT rowid FROM words WHERE words MATCH ?", (query,)).fetchall()
        weight = log(1 + (total - len(rows) + 0.5) / (len(rows) + 0.5))
        for (number,) in rows:
            hits.setdefault(number, []).append((word, weight))
    if not hits:
        return []
    lengths = _lengths(connection, hits)
    mean = sum(lengths.values()) / len(lengths)
    scored = []
    for number, found in hits.items():
        share = (_K1 + 1) / (1 + _K1 * (1 - _B + _B * lengths[number] / mean))
        words = [word for word, _ in sorted(found, key=lambda one: -one[1])][:TOLD_WORDS]
        reason = f"words in common: {', '.join(words)}"
        scored.append((number, share * sum(weight for _, weight in found), reason))
    return sorted(scored, key=lambda one: (-one[1], -one[0]))


def _lengths(connection: sqlite3.Connection, numbers: Iterable[int]) -> dict[int, int]:
    """Characters of each of these memories."""
    rows = connection.execute(
        "SELECT n, length(content) FROM memories JOIN json_each(?) ON n = value", (json.dumps(list(numbers)),)
    )
    return {int(number): int(length) for number, length in rows}
