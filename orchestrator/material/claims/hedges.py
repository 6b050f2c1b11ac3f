"""The words beside a number that widen its interval: one closed table."""

from __future__ import annotations

import re
from dataclasses import dataclass
from math import inf
from typing import Final

ABOUT, NEARLY, MORE, LESS, BARELY_MORE = "about", "nearly", "more", "less", "barely_more"

SLACK: Final = 0.1
"""Share of the value by which "about 40" may miss it; the bench's findings are the same from 0.03 to 0.2."""
SHARE_SLACK: Final = 0.05
"""Share of the value by which "a third" may miss it: a third is said of 32 to 35 per cent."""

_TABLE: Final = {
    ABOUT: "about|around|approximately|approx\\.?|roughly|circa|ca\\.?|c\\.|some|an estimated|estimated|"
    "est\\.|in the region of|of the order of|something like|say|~|≈|±|rund|etwa",
    NEARLY: "nearly|almost|close to|just under|just below|slightly under|slightly less than|a little under|"
    "not quite|approaching|virtually",
    BARELY_MORE: "just over|just above|slightly more than|slightly over|slightly above|a little over|"
    "a little more than",
    MORE: "more than|over|above|greater than|higher than|longer than|larger than|exceeding|in excess of|"
    "upwards of|upward of|north of|at least|no less than|no fewer than|not less than|a minimum of|minimum|"
    "(?<!\\d)(?<!\\d\\s)min\\.?|well over|>=|≥|>|mehr als|über|mindestens",
    LESS: "less than|fewer than|under|below|lower than|shorter than|smaller than|up to|at most|no more than|"
    "not more than|a maximum of|maximum|max\\.?|as little as|as few as|south of|well under|<=|≤|<|"
    "weniger als|unter|bis zu|maximal|höchstens",
}
_BEFORE = re.compile(
    rf"(?<![^\W_])(?:{'|'.join(f'(?P<{kind}>{words})' for kind, words in _TABLE.items())})\s{{0,2}}$",
    re.IGNORECASE,
)
_LAST_WORDS: Final = tuple(
    {
        re.sub(r"\(.*?\)|[\\.?]", "", words).split()[-1]
        for kind in _TABLE.values()
        for words in kind.split("|")
    }
)
"""Of each hedge, without its full stop: a window that ends in none of them need not be searched."""
_SIGNS: Final = frozenset("~≈±<>≥≤=.")  # last characters of hedges that are no letters
_LONGEST: Final = 24  # characters before a number: "slightly more than", the longest hedge, with its spaces
_BEHIND = re.compile(
    r"(?P<about>\s?(?:or so|or thereabouts|-ish|ish)\b)"
    r"|(?P<more>\s(?:or|and) (?:more|above|over|higher|longer)\b|\+(?!\s?\d))"
    r"|(?P<less>\s(?:or|and) (?:less|fewer|below|under|lower|shorter)\b)",
    re.IGNORECASE,
)
_OVER_A_TIME = re.compile(r"\bover\s$", re.IGNORECASE)
_NO_PREPOSITION = re.compile(r"\b(?:for|in|after|of|well|just|by|with)\sover\s$", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Hedge:
    """How far the words beside a number let it stray."""

    kind: str

    def widen(self, value: float, low: float, high: float) -> tuple[float, float]:
        """The interval of *value*, whose rounding alone allows *low* to *high*."""
        slack = SLACK * abs(value)
        return {
            ABOUT: (min(low, value - slack), max(high, value + slack)),
            NEARLY: (min(low, value - slack), value),
            BARELY_MORE: (value, max(high, value + slack)),
            MORE: (value, inf),
            LESS: (-inf, value),
        }[self.kind]


def hedge_beside(text: str, start: int, end: int, *, is_time: bool) -> Hedge | None:
    """The hedge of the number at *start* to *end*; "over three years" says how long, and hedges nothing."""
    if (behind := _BEHIND.match(text, end)) and behind.lastgroup:
        return Hedge(behind.lastgroup)
    window = text[max(0, start - _LONGEST) : start]
    if not (last := window.rstrip()[-1:]).isalpha() and last not in _SIGNS:
        return None
    if not window.rstrip().rstrip(".").lower().endswith(_LAST_WORDS):
        return None
    if is_time and _OVER_A_TIME.search(window) and not _NO_PREPOSITION.search(window):
        return None
    match = _BEFORE.search(window)
    return Hedge(match.lastgroup) if match and match.lastgroup else None
