# ruff: noqa: E501 - a pattern lists its wordings
"""Parts of a whole in words: "three quarters of", "one in four", "nine times out of ten", "every second"."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

WORDS: Final = {
    "a": 1, "an": 1, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9,
    "ten": 10, "eleven": 11, "twelve": 12, "thirteen": 13, "fourteen": 14, "fifteen": 15, "sixteen": 16, "seventeen": 17,
    "eighteen": 18, "nineteen": 19, "twenty": 20, "thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "seventy": 70,
    "eighty": 80, "ninety": 90, "hundred": 100, "a hundred": 100, "one hundred": 100, "thousand": 1000, "a thousand": 1000,
}  # fmt: skip
TENS: Final = r"(?:twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety)"
ONES: Final = r"(?:one|two|three|four|five|six|seven|eight|nine)"
TEENS: Final = r"(?:ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|seventeen|eighteen|nineteen)"
NUMBER: Final = rf"(?:\d{{1,3}}(?:\.\d)?|{TENS}(?:[- ]{ONES})?|{TEENS}|{ONES})"
WHOLE: Final = rf"(?:{NUMBER}|(?:a |one )?hundred|(?:a |one )?thousand|1,?000)"
_ROUND: Final = frozenset(
    {2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0, 12.0, 15.0, 16.0, 20.0, 25.0, 50.0, 100.0, 1000.0}
)
_IN = re.compile(
    rf"\b(?P<part>{NUMBER}|a|an)\s+(?:[a-z]+\s+){{0,2}}?(?P<link>out of|in|of)\s+(?P<every>every\s+|each\s+|any\s+)?(?P<whole>{WHOLE})\b"
    r"(?!\s?(?:%|percent|per\s?cent|million|billion|thousand|years?|months?|weeks?|days?|hours?|minutes?|countries|cities|regions|sites|languages|[€$£]))",
    re.I,
)
_OF_EVERY = re.compile(
    rf"\b(?:out of|of|in)\s+(?:every|each|any)\s+(?P<whole>{WHOLE})\b[^.;:]{{0,60}}?,?\s(?P<part>{NUMBER})\b(?!\s?(?:%|percent))",
    re.I,
)
_NTH: Final = {
    "second": 2,
    "other": 2,
    "third": 3,
    "fourth": 4,
    "fifth": 5,
    "sixth": 6,
    "seventh": 7,
    "eighth": 8,
    "ninth": 9,
    "tenth": 10,
    "twentieth": 20,
}
_EVERY = re.compile(
    rf"\bevery\s+(?P<nth>{'|'.join(_NTH)})(?=\s+(?!year|month|week|day|time|hour|quarter|monday|tuesday|wednesday|thursday|friday|saturday|sunday|winter|summer|season)[a-z]+|\s*$)",
    re.I,
)
_OF: Final = {
    "half": 2,
    "hal": 2,
    "third": 3,
    "quarter": 4,
    "fifth": 5,
    "sixth": 6,
    "seventh": 7,
    "eighth": 8,
    "ninth": 9,
    "tenth": 10,
    "twentieth": 20,
}
_FRACTION = re.compile(
    r"\b(?:(?P<n>a|an|one|two|three|four|five|six|seven|eight|nine)[- ](?:good |full |small |mere |little over a |)?)(?P<of>thirds?|quarters?|fifths?|sixths?|sevenths?|eighths?|ninths?|tenths?|twentieths?)\b"
    r"(?!\s+(?:quarter|time|year|day|month|week|of (?:an?|the) (?:year|hour|million|billion|century|century|month|day)|of an?\s|hour|place|party|part(?:y|ies)|floor|birthday|edition|row|successive|consecutive|(?:comes?|came|follows?|followed|opens?|opened|joins?|joined|will|is (?:due|to|under)|(?:in|from|by|due in) (?:20\d\d|Q[1-4]|spring|summer|autumn|winter|january|february|march|april|may|june|july|august|september|october|november|december))\b)|[- ]of[- ]an)",
    re.I,
)
_HALF = re.compile(
    r"(?<!and a )\bhalf(?=\s+(?:of\b|our\b|the\b|its\b|their\b|all\b|your\b|my\b|this\b|that\b|these\b|those\b|[a-z]+s\b))(?!\s+(?:of\s+)?(?:the\s+)?(?:an?\b|hour|million|thousand|dozen|hundred|billion|year|price|time|day|century|decade|size|number|as\b|of (?:20|the year|fy)|last|first|second|past))",
    re.I,
)
_MAJORITY = re.compile(
    r"(?:^|(?<=[a-z:,;] )|(?<=[.] ))(?:the |a )?(?:most|majority)(?= (?:of (?:the|our|all|its|their|these|those|them) )?(?!of\b)[a-z]+s\b)(?! (?:of (?:the|our|its) (?:year|time|work|day|growth|rest)|cost|years|times|days|weeks|months|expens))",
    re.I,
)


_IS: Final = r"(?:is|are|was|were|has|have|had|gets?|got|pass(?:ed|es)?|fail(?:ed|s)?|stands?|stood|runs?|ran|remains?|remained|arrived?|left|met|missed|came|holds?|held|need(?:s|ed)?|\w+ed)"
_PER_THOUSAND = re.compile(
    rf"\b(?P<n>\d+(?:\.\d+)?|{NUMBER})\s?(?:‰|(?:(?:[a-z]+ )?(?:per|in (?:a|every)) (?:thousand|1,?000|mille)\b))",
    re.I,
)
_EVERY_ONE = re.compile(
    rf"\b(?:every(?: single)?|each and every|all(?: of)?(?: the| our| its| their| these)?)(?= (?:\d+ )?(?:[a-z-]+ ){{1,2}}(?:{_IS})\b)"
    r"(?! (?:\w+ )?(?:one|body|thing|else|time|year|month|week|day|quarter|hour|sorts?|kinds?|in all|that|this|these|those|who|we|you|of)\b)",
    re.I,
)
_NOT_ONE = re.compile(
    rf"\b(?:not (?:a single|one|a)(?= (?:[a-z-]+ ){{1,2}}(?:{_IS})\b)|none of (?:the|our|its|their|these)\b)",
    re.I,
)


def fractions(text: str) -> Iterator[tuple[int, int, float, float]]:
    """Start, end, percent and slack of each part of a whole that *text* tells in words."""
    taken: list[tuple[int, int]] = []
    for start, end, value, slack in (
        *_ins(text),
        *_ofs(text),
        *_most(text),
        *_whole(text),
        *_per_thousand(text),
    ):
        if not any(s < end and start < e for s, e in taken):
            taken.append((start, end))
            yield start, end, value, slack


def number_in_words(word: str | None) -> float | None:
    """The value of a small number in digits or words; None for anything else."""
    low = (word or "").strip().lower().replace(",", "")
    if re.fullmatch(r"\d+(?:\.\d+)?", low):
        return float(low)
    if low in WORDS:
        return float(WORDS[low])
    parts = re.split(r"[- ]", low)
    return (
        float(sum(WORDS[part] for part in parts)) if parts and all(part in WORDS for part in parts) else None
    )


def _ins(text: str) -> Iterator[tuple[int, int, float, float]]:
    for match in _OF_EVERY.finditer(text):
        part, whole = number_in_words(match["part"]), number_in_words(match["whole"])
        if part is not None and whole and part < whole:
            yield match.start(), match.end(), 100 * part / whole, _slack(part, whole)
    for match in _IN.finditer(text):
        part, whole = number_in_words(match["part"]), number_in_words(match["whole"])
        if part is None or not whole or part >= whole or (whole not in _ROUND and not match["every"]):
            continue
        link = match["link"].lower()
        digits = match["part"].isdigit() and match["whole"].isdigit()
        if (
            link == "of"
            and not match["every"]
            and (
                (digits and whole > 10) or re.match(r"\s*(?:our|the|its|their)?\s*[a-z]", text[match.end() :])
            )
        ):
            continue  # "12 of 20 shops": a part and its whole, both counted
        if link == "in" and len(match[0].split()) > 3 and not match["every"]:
            continue
        yield match.start(), match.end(), 100 * part / whole, _slack(part, whole)
    for match in _EVERY.finditer(text):
        whole = _NTH[match["nth"].lower()]
        yield match.start(), match.end(), 100 / whole, 100 / whole * 0.14


_IN_PERCENT = re.compile(r"%|\bper ?cent\b", re.I)
"""Of a part told in percent, "most" says only that no other is larger."""


def _most(text: str) -> Iterator[tuple[int, int, float, float]]:
    """ "Most exhibitors": more than half of them."""
    for match in _MAJORITY.finditer(text):
        if not re.search(
            r"\b(?:the|are|is|at|our|his|its|second|third|their)\s*$", text[: match.start()], re.I
        ) and not _IN_PERCENT.search(text[match.end() :].partition(";")[0]):
            yield match.start(), match.end(), 75.0, 25.0


def _whole(text: str) -> Iterator[tuple[int, int, float, float]]:
    """ "Every single post is filled", "not a seat was left empty"."""
    for match in _EVERY_ONE.finditer(text):
        if not re.search(
            r"\b(?:not|nearly|almost|virtually|practically|hardly|if|when|once|until|after)\s+(?:for )?$",
            text[: match.start()],
            re.I,
        ):
            yield match.start(), match.end(), 100.0, 0.4
    for match in _NOT_ONE.finditer(text):
        yield match.start(), match.end(), 0.0, 0.4


def _per_thousand(text: str) -> Iterator[tuple[int, int, float, float]]:
    """ "3 per thousand" is 0.3 percent."""
    for match in _PER_THOUSAND.finditer(text):
        part = number_in_words(match["n"])
        if part is not None:
            places = len(match["n"].partition(".")[2])
            yield match.start(), match.end(), part / 10, 0.05 * 10.0**-places


def _slack(part: float, whole: float) -> float:
    if whole >= 100:
        return 50 / whole
    return min(100 * part / whole * 0.14, 4.5)


def _ofs(text: str) -> Iterator[tuple[int, int, float, float]]:
    for match in _FRACTION.finditer(text):
        whole = _OF[match["of"].lower().rstrip("s")]
        part = WORDS[match["n"].lower()]
        plural = match["of"].lower().endswith("s")
        if part < whole and (part > 1) == plural:
            yield match.start(), match.end(), 100 * part / whole, min(100 * part / whole * 0.12, 3.5)
    for match in _HALF.finditer(text):
        yield match.start(), match.end(), 50.0, 3.0
