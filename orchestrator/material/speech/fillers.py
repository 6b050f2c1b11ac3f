"""Fillers and hedges in running speech: words counted whole, and only where they are one.

"Like", "so", "well" and "right" have honest work to do in most sentences. Each counts only where
its neighbours show that it does none: set off by pauses, or where grammar has no place for it
(`fillers.yaml` says where). English only.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final

from orchestrator.material.claims.language import reads_as_english
from orchestrator.material.speech.word_lists import written

FILLER: Final = "filler"
HEDGE: Final = "hedge"

WORD = re.compile(r"\w+(?:[.'’&-]\w+)*")  # "y'all", "R&D", "3.5" and "so-so" are one word each
# "um", "umm", "uh", "erm", "uhm"; "er" and "ah" are words of other languages and names.
_HESITATION = re.compile(r"u+m+|u+h+|erm+|uhm+")
# Where speech-to-text programs write down a pause, or an editor did.
_PAUSE: Final = frozenset(",.;:!?…–—-()[]{}")
_STOPS: Final = frozenset(".!?…")


@dataclass(frozen=True, slots=True)
class Mark:
    """One filler or hedge: `text[start:end]` are its words, `word` the same in lower case, but for "I"."""

    kind: str  # FILLER or HEDGE
    word: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class _Token:
    text: str  # in lower case, apostrophes straight
    start: int
    end: int
    mark_before: bool  # punctuation stands before it, or it is the first word
    mark_after: bool  # punctuation stands after it, or it is the last word
    opens: bool  # a sentence begins with it


Conditions = tuple[tuple[str, frozenset[str]], ...]
"""Each a fact of `_facts`, and the words of which one must be among it; none: the fact is enough."""


@dataclass(frozen=True, slots=True)
class _Rule:
    """Where a phrase is a filler or hedge."""

    kind: str
    words: tuple[str, ...]
    never: Conditions
    where: tuple[Conditions, ...]


def marks(text: str) -> tuple[Mark, ...]:
    """Every filler and hedge of *text*, in order; none overlaps another.

    Case and typographic apostrophes make no difference, and no part of a longer word counts.
    """
    tokens = _tokens(text)
    found: list[Mark] = []
    index = 0
    while index < len(tokens):
        if (hit := _mark_at(tokens, index)) is None:
            index += 1
            continue
        kind, after = hit
        start, end = tokens[index].start, tokens[after - 1].end
        word = " ".join("I" if token.text == "i" else token.text for token in tokens[index:after])
        found.append(Mark(kind, word, start, end))
        index = after
    return tuple(found)


def is_countable(text: str) -> bool:
    """Whether this is English, as far as can be told without the hesitations, which are words elsewhere."""
    return reads_as_english(WORD.sub(lambda word: " " if hesitates(word[0].lower()) else word[0], text))


def _tokens(text: str) -> list[_Token]:
    tokens = []
    matches = list(WORD.finditer(text))
    for number, match in enumerate(matches):
        before = text[matches[number - 1].end() : match.start()] if number else "."
        after = text[match.end() : matches[number + 1].start()] if number + 1 < len(matches) else "."
        tokens.append(
            _Token(
                match[0].lower().replace("’", "'"),
                match.start(),
                match.end(),
                mark_before=not _PAUSE.isdisjoint(before),
                mark_after=not _PAUSE.isdisjoint(after),
                opens=not _STOPS.isdisjoint(before),
            )
        )
    return tokens


def _mark_at(tokens: Sequence[_Token], index: int) -> tuple[str, int] | None:
    """The kind of what begins at *index*, and the index behind it."""
    first = tokens[index].text
    if hesitates(first):
        return FILLER, index + 1
    for rule in _rules().get(first, ()):
        after = index + len(rule.words)
        phrase = tokens[index:after]
        if tuple(token.text for token in phrase) != rule.words or any(one.mark_after for one in phrase[:-1]):
            continue
        facts = _facts(tokens, index, after)
        if not any(_holds(one, facts) for one in rule.never) and any(
            all(_holds(one, facts) for one in conditions) for conditions in rule.where
        ):
            return rule.kind, after
    return None


def _facts(tokens: Sequence[_Token], first: int, after: int) -> dict[str, frozenset[str]]:
    """Of each fact that holds for the words from *first* to *after*, the words that it is about."""
    before, following = tokens[max(0, first - 4) : first], tokens[after : after + 1]
    mark_before, mark_after = tokens[first].mark_before, tokens[after - 1].mark_after
    um_before, um_after = (any(hesitates(one.text) for one in near) for near in (before[-1:], following))
    holds = {
        "mark before": mark_before,
        "mark after": mark_after,
        "um before": um_before,
        "um after": um_after,
        "pause before": mark_before or um_before,
        "pause after": mark_after or um_after,
        "first": not before,
        "last": bool(before) and not following,
        "alone": len(tokens) == 1,
        "opens": tokens[first].opens,
    }
    neighbours = {
        "before": before[-1:],
        "after": following,
        "joined before": () if mark_before else before[-1:],
        "joined after": () if mark_after else following,
        "meant after": [one for one in following if not one.mark_after],
        "shortly before": before,
    }
    return {fact: frozenset() for fact, told in holds.items() if told} | {
        fact: frozenset(form for token in near for form in _forms(token.text))
        for fact, near in neighbours.items()
    }


def _holds(condition: tuple[str, frozenset[str]], facts: Mapping[str, frozenset[str]]) -> bool:
    fact, words = condition
    return fact in facts and (not words or not words.isdisjoint(facts[fact]))


def _forms(word: str) -> tuple[str, ...]:
    return word, "-n't" if word.endswith("n't") else word, "0" if word[:1].isdigit() else word


def hesitates(word: str) -> bool:
    """Whether the word, in lower case, is "um" or the like."""
    return _HESITATION.fullmatch(word) is not None


@lru_cache(maxsize=1)
def _rules() -> dict[str, list[_Rule]]:
    """The rules of `fillers.yaml` by the first word of the phrase, in their order."""
    rules: dict[str, list[_Rule]] = {}
    for kind, phrases in written("fillers").items():
        for phrase, rule in phrases.items():
            words = tuple(phrase.split())
            where = tuple(_conditions(one) for one in rule.get("where", [[]]))
            rules.setdefault(words[0], []).append(
                _Rule(kind, words, _conditions(rule.get("never", [])), where)
            )
    return rules


def _conditions(written: Sequence[Any]) -> Conditions:
    """Facts alone, or each with the words that it is asked for."""
    pairs = [next(iter(one.items())) if isinstance(one, dict) else (one, "") for one in written]
    return tuple((fact, frozenset(words.split())) for fact, words in pairs)
