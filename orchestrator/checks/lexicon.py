"""Where a text speaks of a metric, by any of its names."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from typing import Final

from orchestrator.checks.metrics import METRICS
from orchestrator.checks.vocabulary import FUNCTION, GENERIC, LINKS, MODIFIERS
from orchestrator.claims.words import word_set

_TOKEN = re.compile(r"[^\W_]+(?:[’'&/](?=\w)[^\W_]+)*|[^\s\w]")
_KEEP: Final = word_set(
    "gross net less business process access progress loss series news analysis basis plus bus us dss "
    "capex opex nps always as is was has its this sales cogs irs dais mrs arrears status previous "
    "various address express press mass glass class always perhaps yes virus"
)


@dataclass(frozen=True, slots=True)
class Token:
    """A word or sign of a text: in lower case and singular, and where it stands."""

    word: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Mention:
    """A metric's name in a text."""

    metric: str
    units: str  # the letters of metrics.METRICS
    start: int
    end: int
    first: int  # index of its first token
    last: int  # index of its last token


def singular(word: str) -> str:
    """The word in lower case without a plural's ending, as the lexicon writes it."""
    low = word.lower().replace("’", "'")
    low = low.removesuffix("'s").removesuffix("'") or low
    if low in _KEEP or (len(low) < 4 and low not in ("ftes", "kpis")):
        return low
    if low.endswith("ies") and len(low) > 4:
        return low[:-3] + "y"
    if low.endswith(("sses", "xes", "ches", "shes")):
        return low[:-2]
    if low.endswith("s") and not low.endswith(("ss", "us", "is", "ous")):
        return low[:-1]
    return low


def stem(word: str) -> str:
    """The word without its commonest endings, so that "served", "serves" and "serving" are one."""
    word = singular(word)
    for ending in ("ations", "ation", "ings", "ing", "ers", "ed", "er", "al", "ly", "e"):
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            word = word[: -len(ending)]
            break
    return word[:-1] if len(word) > 4 and word[-1] == word[-2] else word


def tokens(text: str) -> list[Token]:
    """The words and signs of *text*; a hyphen is a word break and no token."""
    return [
        Token(singular(match[0]), match.start(), match.end())
        for match in _TOKEN.finditer(text)
        if match[0] not in "-–"
    ]


def stems(words: Iterable[str]) -> frozenset[str]:
    """The stems of those words that mean something."""
    return frozenset(
        stem(word)
        for word in words
        if word not in FUNCTION
        and word not in GENERIC
        and word not in LINKS
        and word not in MODIFIERS
        and len(word) > 1
        and not word.endswith("ly")
    )


@cache
def units_of() -> dict[str, str]:
    """Every metric with the letters of the units that fit it."""
    return {name: units for name, units, _ in _rows()}


def _rows() -> list[tuple[str, str, list[str]]]:
    rows = []
    for line in METRICS.strip().replace("\n    ", " ").splitlines():
        name, units, phrases = (part.strip() for part in line.split("|"))
        rows.append((name, units, [phrase.strip() for phrase in phrases.split(";")]))
    return rows


@cache
def metric_phrases() -> dict[str, list[tuple[tuple[str, ...], str, str]]]:
    """Phrases by their first word, the longest first."""
    found: dict[str, dict[tuple[str, ...], tuple[str, str]]] = defaultdict(dict)
    for name, units, phrases in _rows():
        for phrase in phrases:
            words = tuple(token.word for token in tokens(phrase))
            found[words[0]].setdefault(words, (name, units))
    return {
        first: sorted(((words, *metric) for words, metric in table.items()), key=lambda row: -len(row[0]))
        for first, table in found.items()
    }


def mentions(text_tokens: list[Token]) -> list[Mention]:
    """The metrics that are named, left to right, without overlaps; the longest name wins."""
    table, found, position = metric_phrases(), [], 0
    while position < len(text_tokens):
        for words, metric, units in table.get(text_tokens[position].word, ()):
            stop = position + len(words)
            if stop <= len(text_tokens) and all(
                text_tokens[position + offset].word == word for offset, word in enumerate(words)
            ):
                first, last = text_tokens[position], text_tokens[stop - 1]
                found.append(Mention(metric, units, first.start, last.end, position, stop - 1))
                position = stop
                break
        else:
            position += 1
    return found
