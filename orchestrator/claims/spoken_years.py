"""Years as they are said: "nineteen ninety-eight", "twenty twenty-six", "two thousand and ten"."""

from __future__ import annotations

from typing import Final

from orchestrator.claims.words import ONES, TEENS, TENS

_VALUES: Final = {
    **{word: n for n, word in enumerate([*ONES, *TEENS], start=1)},
    **{word: 10 * n for n, word in enumerate(TENS, start=2)},
}
_TWO_DIGITS: Final = rf"(?:(?:{'|'.join(TENS)})(?:[ -](?:{'|'.join(ONES)}))?|{'|'.join(TEENS)})"

SPOKEN_YEAR: Final = (
    rf"(?P<spoken>(?:nineteen|twenty)[ -](?:{_TWO_DIGITS}|(?:oh|o)[ -](?:{'|'.join(ONES)}))"
    rf"|(?<=\b(?:in|by|of|to)\s)two\sthousand(?:\s(?:and\s)?(?:{_TWO_DIGITS}|{'|'.join(ONES)}))?)\b"
)
"""A pattern for lower and upper case. "Two thousand" is a year only behind a preposition."""


def spoken_year(words: str) -> int:
    """The year that a match of `SPOKEN_YEAR` says."""
    parts = words.lower().replace("-", " ").split()
    century = {"nineteen": 1900}.get(parts[0], 2000)
    return century + sum(_VALUES.get(part, 0) for part in parts[2 if parts[0] == "two" else 1 :])
