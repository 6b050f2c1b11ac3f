"""Words of other languages beside a figure, stored as data: magnitudes, totals, function words."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from math import inf
from typing import Any, Final

from orchestrator.core.packaged import packaged_yaml
from orchestrator.material.claims.language import language_of

# ---------------------------------------------------------------------- word classes
# The closed classes of English words needed to read numbers and to tell where a noun is.


def word_set(words: str) -> frozenset[str]:
    """Split a string into a set of words; a string is easier to read and extend than a list in quotes."""
    return frozenset(words.split())


ONES: Final = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine")
TEENS: Final = (
    "ten", "eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen",
    "nineteen",
)  # fmt: skip
TENS: Final = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
SMALL_NUMBERS: Final = {
    "nought": 0, **{word: n for n, word in enumerate(("zero", *ONES, *TEENS))},
    **{word: 10 * n for n, word in enumerate(TENS, start=2)},
}  # fmt: skip
"""Every single word for a number below a hundred."""

FUNCTION_WORDS: Final = word_set(
    "a about above after all an and any are as at be because been before below between both but by can could "
    "did do does down during each either every for from had has have he her his how i if in into is it its "
    "less may might more most must my no nor not of off on one or other our out over own per plus said say "
    "shall she should since so some such than that the their them then there these they this those through "
    "till to today under until up was we were what when where which while who will with within without would "
    "you your"
)
"""Articles, pronouns, prepositions, conjunctions and auxiliaries, which are never the noun that a number
counts."""

# By which a number in words is told from a pronoun or an ordinal.
NEXT_WORD: Final = re.compile(r"\s([^\W\d_]+)")


# ---------------------------------------------------------------------- hedges
# The words beside a number that widen its interval: one closed table.


ABOUT, NEARLY, MORE, LESS, BARELY_MORE = "about", "nearly", "more", "less", "barely_more"

SLACK: Final = 0.1
"""Share of the value by which "about 40" may be off; the bench's findings are the same from 0.03 to 0.2."""
SHARE_SLACK: Final = 0.05
"""Share of the value by which "a third" may be off: people say "a third" for 32 to 35 per cent."""

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
"""The last word of each hedge, without its full stop: text that ends in none of them need not be searched."""
_SIGNS: Final = frozenset("~≈±<>≥≤=.")  # last characters of hedges that are no letters
_MAX_CHARS: Final = 24  # characters before a number: "slightly more than", the longest hedge, with its spaces
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
    """How the words beside a number widen the number's interval."""

    kind: str

    def widen(self, value: float, low: float, high: float) -> tuple[float, float]:
        """Return the widened interval of *value*; rounding alone gives *low* to *high*."""
        slack = SLACK * abs(value)
        return {
            ABOUT: (min(low, value - slack), max(high, value + slack)),
            NEARLY: (min(low, value - slack), value),
            BARELY_MORE: (value, max(high, value + slack)),
            MORE: (value, inf),
            LESS: (-inf, value),
        }[self.kind]


def hedge_beside(text: str, start: int, end: int, *, is_time: bool) -> Hedge | None:
    """Return the hedge of the number from *start* to *end*, or None; with *is_time*, "over" is not a hedge.

    "over three years" is a duration.
    """
    if (behind := _BEHIND.match(text, end)) and behind.lastgroup:
        return Hedge(behind.lastgroup)
    window = text[max(0, start - _MAX_CHARS) : start]
    if not (last := window.rstrip()[-1:]).isalpha() and last not in _SIGNS:
        return None
    if not window.rstrip().rstrip(".").lower().endswith(_LAST_WORDS):
        return None
    if is_time and _OVER_A_TIME.search(window) and not _NO_PREPOSITION.search(window):
        return None
    match = _BEFORE.search(window)
    return Hedge(match.lastgroup) if match and match.lastgroup else None


# ---------------------------------------------------------------------- foreign


_HAN: Final = {
    "十": 10, "百": 100, "千": 1e3, "천": 1e3, "万": 1e4, "萬": 1e4, "만": 1e4,
    "億": 1e8, "亿": 1e8, "억": 1e8, "兆": 1e12, "조": 1e12,
}  # fmt: skip
HAN: Final = "".join(_HAN)
"""The signs of magnitude in Chinese, Japanese and Korean, which multiply: 百万 is a million."""


def _words() -> dict[str, Any]:
    words: dict[str, Any] = packaged_yaml("material/claims/words.yaml", as_written=True)
    return words


@cache
def _magnitudes() -> dict[str, float]:
    words = {word: float(factor) for factor, one in _words()["magnitudes"].items() for word in one.split()}
    return words | {word: float(factor) for word, factor in _words()["two_words"].items()}


def magnitude_of(word: str, *, is_indian: bool) -> float | None:
    """Return the factor of a magnitude, or None if *word* is not a magnitude or has two meanings."""
    word = word.lower().rstrip(".")
    if is_indian and word in _words()["indian"]:
        return float(_words()["indian"][word])
    return _magnitudes().get(word)


def han_magnitude(signs: str) -> float:
    """Return the factor of a run of `HAN` signs."""
    factor = 1.0
    for sign in signs:
        factor *= _HAN[sign]
    return factor


@cache
def percent_words() -> re.Pattern[str]:
    """Return a pattern for "per cent" in other languages, including the space before it."""
    return re.compile(
        rf"[ \u00a0\u202f]?(?:{'|'.join(_words()['percent'].split())})(?![A-Za-z])", re.IGNORECASE
    )


@cache
def total_label() -> re.Pattern[str]:
    """Return a pattern for a label that begins with a word for "total" in one of our languages."""
    return re.compile(rf"\W*(?:grand )?(?:{'|'.join(_words()['totals'].split())})(?!\w)", re.IGNORECASE)


def is_function_word(word: str, text: str) -> bool:
    """Return whether *word* is a function word of English or of the language of *text*, and so no size."""
    lists, word = _words()["function_words"], word.lower()
    return word in FUNCTION_WORDS or any(
        word in lists.get(code, "").split() for code in ("en", language_of(text))
    )
