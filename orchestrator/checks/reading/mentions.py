# ruff: noqa: E501 - a pattern lists its wordings
"""Where a sentence names one of several figures that stand beside each other, and whether it speaks of them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from orchestrator.checks.reading.boards import Board, Item, name_words
from orchestrator.checks.reading.model import Piece
from orchestrator.checks.reading.subject import features
from orchestrator.checks.reading.terms import terms_of
from orchestrator.claims.periods import find_periods

OTHER_SENSE = re.compile(
    r"\b(?:one of|among|not|no longer|never|nor|neither|used to|was once|were once|until|will|would|could|should|might|soon|becom(?:e|ing)|if|next|(?<!^)after|behind|except|apart from|excluding|aim|target|plan|want|hope|once|(?<!^)before|growing|grow\w*|growth|gain\w*|increas\w+|rise|rose|drop\w*|fall|fell|jump\w*|change[ds]?|improve\w*|risk|challenge|worry|problem|concern|reason|single|per|average|margin|surprise|step|lever|potential|opportunit\w+|ever|history|record|than (?:a|last|in|the) (?:year|quarter|month|winter|summer|season))\b|n['’]t\b",
    re.I,
)
_CLAUSE_END = re.compile(
    r"[;:.]\s|\s[–—-]\s|,\s(?:and|but|while|whereas)\b|\b(?:but|while|whereas|because)\b", re.I
)
_NARROWED = re.compile(
    r"\b(?:in|for|among|at|within|by|from)\s+(?:the |our |all |its |this )*(?P<what>[A-Za-z][\w-]*(?:\s[a-z][\w-]*)?)"
)
_COMMA = re.compile(r",\s")
_SAYS_SO = re.compile(
    r"\b(?:overtaken|covers?|accounts? for|accounted for|makes? up|made up|stands? for|contribut\w+|com(?:es?|ing) from|came from|brings? in|brought in|depends? on|goes? to|spent on|belongs? to|represents?|earns?|earned|everything|everyone|else|largest|biggest|highest|greatest|top|leading|strongest|busiest|longest|heaviest|main|smallest|lowest|shortest|weakest|quietest|cheapest|lightest)\b",
    re.I,
)
_VAGUE: Final = features(
    terms_of(
        "group source part share segment line category item kind type area field place position block piece contributor single biggest"
    )
)
_FOREIGN: Final = 2
"""So many words that the figures know nothing of; with more, they are about something else."""


@dataclass(frozen=True, slots=True)
class Mention:
    """A name of a board in a sentence."""

    item: Item
    start: int
    end: int


def mentions(board: Board, text: str, start: int, end: int) -> list[Mention]:
    """Where the stretch names items of the board: all words of a name, side by side."""
    words = [
        (match.start(), match.end(), found[0])
        for match in re.compile(r"[A-Za-z][\w'’&]*").finditer(text, start, end)
        if (found := name_words(match[0]))
    ]
    told = []
    for item in board.items:
        size = len(item.words)
        for at in range(len(words) - size + 1 if size else 0):
            if tuple(word for _, _, word in words[at : at + size]) == item.words:
                told.append(Mention(item, words[at][0], words[at + size - 1][1]))
                break
    return [m for m in told if not any(o is not m and o.start <= m.start and m.end <= o.end for o in told)]


def clause_of(text: str, first: int, last: int) -> tuple[int, int]:
    """The clause around a stretch."""
    start = max((m.end() for m in _CLAUSE_END.finditer(text, 0, first)), default=0)
    return start, min((m.start() for m in _CLAUSE_END.finditer(text, last)), default=len(text))


def is_about(board: Board, piece: Piece, start: int, end: int, taken: tuple[int, int]) -> bool:
    """The clause speaks of what the board measures, of all of it, and of its time."""
    text = piece.text
    ends = [taken, *((m.start, m.end) for m in mentions(board, text, start, end))]
    start = max((m.end() for m in _COMMA.finditer(text, start, min(s for s, _ in ends))), default=start)
    end = min((m.start() for m in _COMMA.finditer(text, max(e for _, e in ends), end)), default=end)
    rest = _SAYS_SO.sub(" ", f"{text[start : taken[0]]} {text[taken[1] : end]}")
    if OTHER_SENSE.search(rest):
        return False
    years = {w.first.year for item in board.items for w in item.measure.when if w.first}
    if any(
        not {int(y) for y in re.findall(r"\b(?:19|20)\d\d\b", p.text)} & years and p.kind == "calendar"
        for p in find_periods(rest)
    ):
        return False
    known = features(board.terms) | board.deck | {w for item in board.items for w in item.words} | _VAGUE
    if any(
        not features(terms_of(m["what"])) & known and terms_of(m["what"]) for m in _NARROWED.finditer(rest)
    ):
        return False
    told = [t for t in terms_of(rest) if not set(t.plain.split()) & {w for i in board.items for w in i.words}]
    foreign = [t for t in told if not t.features & known]
    here = piece.slide == board.slide
    if told and len(told) == len(foreign) and (len(foreign) > 1 or piece.origin == "speech") and not here:
        return False
    return len(foreign) <= _FOREIGN + (piece.origin == "speech")
