"""One sentence taken apart: its words, times, numbers and the metrics that it names."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from orchestrator.checks.lexicon import Mention, Token, mentions, tokens
from orchestrator.checks.numbers import Number, numbers
from orchestrator.checks.vocabulary import FUNCTION, LINKS
from orchestrator.claims.periods import KEPT, Period, find_periods

_HARD: Final = re.compile(
    r"[;|•!?]|:(?=\s)|\s[–—-]\s|—|[()]|\.\s|,?\s\b(?:but|while|whereas|although|though|because|since|"
    r"which|compared|versus|vs|"
    r"against|thanks|due|driven|helped|even as|as well as|despite|unlike)\b",
    re.I,
)
_HEADED: Final = re.compile(r"\s*(?::\s*|\s[–—-]\s)$")
_SOFT: Final = re.compile(
    r",(?!\s*(?:um|uh|er|you know|I mean|well|so)\b,?)|\s\b(?:and|or|plus|with)\b", re.I
)


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence with everything found in it, in order."""

    text: str
    tokens: tuple[Token, ...]
    mentions: tuple[Mention, ...]
    periods: tuple[Period, ...]
    numbers: tuple[Number, ...]
    breaks: tuple[tuple[int, int], ...] = ()  # where one clause ends and the next begins

    def hard_left(self, position: int) -> int:
        """Where the clause that holds *position* begins."""
        return max((end for _, end in self.breaks if end <= position), default=0)

    def before_colon(self, position: int) -> tuple[int, int] | None:
        """The words that head the clause at *position*: "The Westhill site:", "Worst case –"."""
        left = self.hard_left(position)
        match = _HEADED.search(self.text, 0, left) if left else None
        return (self.hard_left(match.start()), match.start()) if match else None

    def hard_right(self, position: int) -> int:
        """Where the clause that holds *position* ends."""
        return min((start for start, _ in self.breaks if start >= position), default=len(self.text))

    def words(self, start: int, end: int) -> list[Token]:
        """The words between two positions that are no numbers and no part of a time expression."""
        return [
            token
            for token in self.tokens
            if start <= token.start
            and token.end <= end
            and token.word[0].isalpha()
            and not any(p.start <= token.start < p.end for p in self.periods)
            and not any(n.start <= token.start < n.end - len(n.noun) for n in self.numbers)
        ]


@lru_cache(maxsize=KEPT)
def take_apart(text: str, *, english: bool = True, spoken: bool = False) -> Sentence:
    """The sentence *text* with its words, times, numbers and metrics."""
    periods = find_periods(text)
    found = tuple(numbers(text, periods, english=english, spoken=spoken))
    if not found:
        return Sentence(text, (), (), periods, ())
    text_tokens = tuple(tokens(text))
    breaks = tuple(match.span() for match in _HARD.finditer(text))
    return Sentence(text, text_tokens, tuple(mentions(list(text_tokens))), periods, found, breaks)


def is_link(token: Token) -> bool:
    """The word may stand between a metric and its number and adds nothing."""
    return token.word in FUNCTION or token.word in LINKS or token.word.endswith("ly")


def soft_break(text: str) -> bool:
    """A comma or "and" stands in *text*: what follows may be about something else."""
    return _SOFT.search(text) is not None
