"""Years as they are said: "nineteen ninety-eight", "twenty twenty-six", "two thousand and ten"."""

from __future__ import annotations

from typing import Final

_ONES: Final = "one two three four five six seven eight nine".split()
_TEENS: Final = "ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen".split()
_TENS: Final = "twenty thirty forty fifty sixty seventy eighty ninety".split()
_VALUES: Final = {
    **{word: n for n, word in enumerate([*_ONES, *_TEENS], start=1)},
    **{word: 10 * n for n, word in enumerate(_TENS, start=2)},
}
_TWO_DIGITS: Final = rf"(?:(?:{'|'.join(_TENS)})(?:[ -](?:{'|'.join(_ONES)}))?|{'|'.join(_TEENS)})"

SPOKEN_YEAR: Final = (
    rf"(?P<spoken>(?:nineteen|twenty)[ -](?:{_TWO_DIGITS}|(?:oh|o)[ -](?:{'|'.join(_ONES)}))"
    rf"|(?<=\b(?:in|by|of|to)\s)two\sthousand(?:\s(?:and\s)?(?:{_TWO_DIGITS}|{'|'.join(_ONES)}))?)\b"
)
"""A pattern for lower and upper case. "Two thousand" is a year only behind a preposition."""


def spoken_year(words: str) -> int:
    """The year that a match of `SPOKEN_YEAR` says."""
    parts = words.lower().replace("-", " ").split()
    century = {"nineteen": 1900}.get(parts[0], 2000)
    return century + sum(_VALUES.get(part, 0) for part in parts[2 if parts[0] == "two" else 1 :])
