"""Fillers and hedges in running speech: words counted whole, and only where they are one.

"Like", "so", "well" and "right" have honest work to do in most sentences. Each counts only where
its neighbours show that it does none: set off by pauses, or where grammar has no place for it.
When that cannot be told, it is not counted. English only.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from orchestrator.claims.language import reads_as_english
from orchestrator.speech.filler_rules import FILLER, HEDGE, RULES, Token, hesitates

__all__ = ["FILLER", "HEDGE", "Mark", "is_countable", "marks"]


@dataclass(frozen=True, slots=True)
class Mark:
    """One filler or hedge: `text[start:end]` are its words, `word` the same in lower case, but for "I"."""

    kind: str  # FILLER or HEDGE
    word: str
    start: int
    end: int


_WORD = re.compile(r"\w+(?:[.'’&-]\w+)*")
_PAUSE: Final = frozenset(",.;:!?…–—-()[]{}")
_STOPS: Final = frozenset(".!?…")


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
    return reads_as_english(_WORD.sub(lambda word: " " if hesitates(word[0].lower()) else word[0], text))


def _tokens(text: str) -> list[Token]:
    tokens = []
    matches = list(_WORD.finditer(text))
    for number, match in enumerate(matches):
        before = text[matches[number - 1].end() : match.start()] if number else None
        after = text[match.end() : matches[number + 1].start()] if number + 1 < len(matches) else None
        tokens.append(
            Token(
                match[0].lower().replace("’", "'"),
                match.start(),
                match.end(),
                opens=before is None or not _STOPS.isdisjoint(before),
                pause_before=before is None or not _PAUSE.isdisjoint(before),
                pause_after=after is None or not _PAUSE.isdisjoint(after),
            )
        )
    return tokens


def _mark_at(tokens: Sequence[Token], index: int) -> tuple[str, int] | None:
    """The kind of what begins at *index*, and the index behind it."""
    first = tokens[index].text
    if hesitates(first):
        return FILLER, index + 1
    for kind, words, is_meant in RULES.get(first, ()):
        after = index + len(words)
        if after > len(tokens) or tuple(token.text for token in tokens[index:after]) != words:
            continue
        together = not any(token.pause_after for token in tokens[index : after - 1])
        if together and is_meant(tokens, index, after):
            return kind, after
    return None
