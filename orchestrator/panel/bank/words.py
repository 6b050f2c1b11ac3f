"""Words of the bank and the texts that they stand in: whole words, capitals folded, nothing cleverer.

A text is made `plain` once; a pattern is a word, several in a row, or the beginning of one
("migrat*"). Tags such as "#money" stand among a text's words, so they are patterns too.
"""

from __future__ import annotations

import re
from functools import lru_cache

_WORD = re.compile(r"[^\W_]+(?:'[^\W_]+)*|%")


@lru_cache(maxsize=8192)
def plain(text: str) -> str:
    """The text's words, each between single spaces, with one space at either end."""
    return f" {' '.join(_WORD.findall(text.casefold().replace('’', chr(39))))} "


@lru_cache(maxsize=8192)
def _needle(pattern: str) -> str:
    if pattern.startswith("#"):
        return f" {pattern} "
    words = plain(pattern.rstrip("*"))
    return words.rstrip() if pattern.endswith("*") else words


def holds(text: str, pattern: str) -> bool:
    """Whether the pattern stands in a text that is `plain`."""
    return _needle(pattern) in text


@lru_cache(maxsize=8192)
def _needles(patterns: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(map(_needle, patterns))


def holds_all(text: str, patterns: tuple[str, ...]) -> bool:
    """Whether every pattern stands in a text that is `plain`."""
    for needle in _needles(patterns):  # noqa: SIM110 (a generator takes twice as long, and a deck asks often)
        if needle not in text:
            return False
    return True
