"""The closed classes of English words needed to read numbers and to tell where a noun is."""

from __future__ import annotations

import re
from typing import Final


def word_set(words: str) -> frozenset[str]:
    """The words of a text, which is easier to read and to add to than a list in quotes."""
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
"""Every word for a number below a hundred, but for those of two words."""

FUNCTION_WORDS: Final = word_set(
    "a about above after all an and any are as at be because been before below between both but by can could "
    "did do does down during each either every for from had has have he her his how i if in into is it its "
    "less may might more most must my no nor not of off on one or other our out over own per plus said say "
    "shall she should since so some such than that the their them then there these they this those through "
    "till to today under until up was we were what when where which while who will with within without would "
    "you your"
)
"""Articles, pronouns, prepositions, conjunctions, auxiliaries: no noun that a number counts."""

# By which a number in words is told from a pronoun or an ordinal.
NEXT_WORD: Final = re.compile(r"\s([^\W\d_]+)")
