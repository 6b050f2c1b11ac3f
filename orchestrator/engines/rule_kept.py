"""Whether a sentence that names a rule and a figure says that the rule is kept, broken, or neither."""

from __future__ import annotations

import re
from typing import Final

BROKEN: Final = "broken"
KEPT: Final = "kept"
UNCLEAR: Final = "unclear"

_COUNTING: Final = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
    "seventeen eighteen nineteen twenty"
)
_WORDS: Final = {word: number for number, word in enumerate(_COUNTING.split())}
_FIGURE = re.compile(
    r"(?P<sign>[€$£]?)\s?(?P<number>\d[\d,]*(?:\.\d+)?)\s?(?P<scale>m\b|k\b|bn\b|million\b|thousand\b|"
    rf"billion\b)?\s?(?P<unit>%|percent\b|per cent\b)?|\b(?P<word>{'|'.join(_WORDS)})\b",
    re.IGNORECASE,
)
_SCALE: Final = {"m": 1e6, "million": 1e6, "k": 1e3, "thousand": 1e3, "bn": 1e9, "billion": 1e9}
_FLOOR = re.compile(
    r"\b(?:no|not) (?:less|fewer|lower) than\b|\bat least\b|\bminimum\b|\bnot (?:fall |go |drop )?below\b|"
    r"\bor more\b",
    re.IGNORECASE,
)
_CAP = re.compile(
    r"\b(?:no|not) (?:more|higher|longer|later) than\b|\bat most\b|\bmaximum\b|\bnot (?:to )?exceed\b|"
    r"\blimit\b|\bcap\b|\bup to\b|\bor less\b|\bnot (?:go |rise )?above\b",
    re.IGNORECASE,
)
_BREACH = re.compile(
    r"\b(?:above|below|short of|exceed\w*|breach\w*|violat\w*|missed|more than|less than|fewer than|under|"
    r"over|beyond|not (?:yet )?(?:kept|met|followed|done)|do(?:es)? not (?:meet|keep|follow))\b",
    re.IGNORECASE,
)
_HELD = re.compile(r"\b(?:hold|holds|keep|keeps|have|has|stock|reserves?|staffed)\b", re.IGNORECASE)
"""Of what is held in store, a rule without a direction is a floor."""
_YEAR: Final = range(1900, 2101)


def rule_kept(text: str, rule: re.Pattern[str]) -> str:
    """BROKEN where the sentence says so or its two figures do; KEPT where they show it; else UNCLEAR.

    Args:
        rule: What finds the words that name the rule in *text*.
    """
    bound = _FLOOR.search(text) or _CAP.search(text)
    rest = _CAP.sub(" ", _FLOOR.sub(" ", text))
    if _BREACH.search(rest):
        return BROKEN
    named = rule.search(text)
    figures = [(match.start(), found) for match in _FIGURE.finditer(text) if (found := _value(match))]
    if named is None or len(figures) != 2:
        return UNCLEAR
    (first_at, first), (_, second) = figures
    if first[1] != second[1] and "" not in (first[1], second[1]):
        return UNCLEAR
    ours, theirs = (first[0], second[0]) if first_at < named.start() else (second[0], first[0])
    is_floor = _FLOOR.search(text) is not None
    if bound is None:
        if ours > theirs or _HELD.search(text) is None:
            return UNCLEAR
        is_floor = True
    return KEPT if (ours >= theirs if is_floor else ours <= theirs) else BROKEN


def _value(match: re.Match[str]) -> tuple[float, str] | None:
    """The number and the sort of thing it counts; None for a year."""
    if match["word"]:
        return float(_WORDS[match["word"].lower()]), ""
    number = float(match["number"].replace(",", ""))
    if not match["sign"] and not match["unit"] and number in _YEAR:
        return None
    unit = match["sign"] or ("%" if match["unit"] else "")
    return number * _SCALE.get((match["scale"] or "").lower(), 1.0), unit
