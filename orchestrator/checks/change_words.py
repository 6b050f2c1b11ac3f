"""How much a sentence says that something changed: "a third fewer", "four in ten are gone"."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from orchestrator.checks.amounts import amounts

_PARTS: Final = {
    "half": 0.5, "third": 1 / 3, "quarter": 0.25, "fifth": 0.2, "sixth": 1 / 6, "seventh": 1 / 7,
    "eighth": 0.125, "tenth": 0.1, "thirds": 1 / 3, "quarters": 0.25, "fifths": 0.2, "tenths": 0.1,
    "sixths": 1 / 6, "sevenths": 1 / 7, "eighths": 0.125,
}  # fmt: skip
_COUNTS: Final = {
    "a": 1, "an": 1, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8,
    "nine": 9, "ten": 10, "twelve": 12, "twenty": 20, "a hundred": 100, "every": 1,
}  # fmt: skip
_COUNT: Final = r"(?:a|an|one|two|three|four|five|six|seven|eight|nine|ten|twelve|twenty|\d{1,2})"
_PART: Final = (
    rf"(?:(?P<n>{_COUNT})[ -])?(?P<part>half|thirds?|quarters?|fifths?|sixths?|sevenths?|eighths?|tenths?)"
    rf"|(?P<of>{_COUNT}) (?:in|out of) (?:every )?(?P<whole>{_COUNT}|100|a hundred)|"
    rf"(?P<percent>\d{{1,3}}(?:[.,]\d)?) ?(?:%|per ?cent)"
)
_GONE: Final = (
    r"(?:are|is|have|has|were|was)?\s*(?:now |simply |just )?(?:disappeared|gone|vanished|been "
    r"(?:avoided|eliminated|cut|saved)|no longer|eliminated|avoided)"
)
_DOWN: Final = (
    r"fell|fallen|falls?|dropp?ed|drops?|declined|decreased|down|cut|reduced|shr(?:a|u)nk|lower(?:ed)?|"
    r"slashed|"
    r"trimmed|lost|went down|gone down|come down|came down|reduction|decrease|drop|decline|saved|shed"
)
_UP: Final = (
    r"rose|risen|rises?|grew|grown|grows?|growth|increased?|up|climbed|gained|jumped|went up|gone up|"
    r"expanded|"
    r"increase|rise|raised|boosted|surged|higher"
)
_FILL: Final = r"(?:\s+(?:[\w’'-]+\s+){0,3}?|\s+)"
_HEDGE: Final = (
    r"(?:(?:about|around|roughly|nearly|almost|some|close to|not quite|just under|just over|"
    r"over|more than|well over|less than|under|a good|a full|by|in|as much as) )*"
)
_RULES: Final = (
    ("less", re.compile(rf"(?P<hedge>{_HEDGE})(?:{_PART}) (?:fewer|less|lower|smaller|shorter|below|"
                        r"down)\b", re.I)),
    ("more", re.compile(rf"(?P<hedge>{_HEDGE})(?:{_PART}) (?:more|higher|greater|larger|bigger|longer|"
                        rf"above|up)\b", re.I)),
    ("less", re.compile(rf"(?P<hedge>{_HEDGE})(?:{_PART})(?: of)?(?: \w+){{0,6}}? {_GONE}", re.I)),
    ("again", re.compile(r"\b(?P<part>half) as (?:many|much) again\b", re.I)),
    ("times", re.compile(r"\b(?P<part>half) as (?:many|much|high|long|big|large)\b(?! again)", re.I)),
    ("times", re.compile(rf"\b(?:{_DOWN}|cuts|cutting|reduce)\b (?:\w+ ){{0,4}}?(?P<hedge>{_HEDGE})(?:in|"
                         rf"to) (?P<part>half)\b", re.I)),
    ("less", re.compile(rf"\b(?:{_DOWN})\b (?:\w+ ){{0,4}}?by (?P<hedge>{_HEDGE})(?:{_PART})", re.I)),
    ("less", re.compile(rf"\b(?:{_DOWN})\b (?P<hedge>{_HEDGE})(?:{_PART})\b", re.I)),
    ("more", re.compile(rf"\b(?:{_UP})\b (?:\w+ ){{0,4}}?by (?P<hedge>{_HEDGE})(?:{_PART})", re.I)),
    ("more", re.compile(rf"\b(?:{_UP})\b (?P<hedge>{_HEDGE})(?:{_PART})\b", re.I)),
)  # fmt: skip
_FACTORS: Final = (
    (re.compile(r"\bhalv(?:ed|es|ing)\b", re.I), 0.5),
    (re.compile(r"\bdoubl(?:ed|es|ing)\b|\btwo-?fold\b|\btwice (?:as|the)\b", re.I), 2.0),
    (re.compile(r"\btripl(?:ed|es|ing)\b|\btrebl(?:ed|es|ing)\b|\bthree-?fold\b|"
                r"\bthree times (?:as|the)\b", re.I), 3.0),
    (re.compile(r"\bquadrupl(?:ed|es|ing)\b|\bfour-?fold\b|\bfour times (?:as|the)\b", re.I), 4.0),
    (re.compile(r"\bquintupl(?:ed|es|ing)\b|\bfive-?fold\b|\bfive times (?:as|the)\b", re.I), 5.0),
)  # fmt: skip
_YEARLY = re.compile(
    r"\bcagr\b|\bcompound\w*\b|\b(?:a|per|each) (?:year|annum)(?: on average)?\b|\bp\.\s?a\.|\b(?:yearly|"
    r"annual) (?:average|growth)|"
    r"\baverage(?:d)? (?:annual|yearly)\b|\bannually\b|\bon average\b.*\byear\b",
    re.I,
)  # fmt: skip
_EVERY = re.compile(
    rf"\b(?P<up>{_UP}|more)\b(?:\W+\w+){{0,4}}?\W+(?:(?:in )?(?:every|each) (?:single )?year|year "
    rf"(?:after|by|on) year|without (?:a )?(?:break|exception|interruption)|steadily|continuously)\b"
    rf"|\b(?P<down>{_DOWN}|fewer)\b(?:\W+\w+){{0,4}}?\W+(?:(?:in )?(?:every|each) (?:single )?year|year "
    rf"(?:after|by|on) year|without (?:a )?(?:break|exception|interruption)|steadily|continuously)\b"
    rf"|\b(?:every|each) (?:single )?year\b(?:\W+\w+){{0,3}}?\W+(?P<more>more|higher|{_UP})\b",
    re.I,
)  # fmt: skip
_LOOSE = re.compile(
    r"\b(?:near enough|give or take|more or less|or so|about|around|roughly|nearly|almost|close to|not quite|"
    r"approximately|practically|virtually|pretty much|kind of|sort of|well over|over|more than|under|less "
    r"than|good)\b|~|≈",
    re.I,
)
_ABOVE = re.compile(r"\b(?:more than|over|well over|a good|at least)\s*$", re.I)
_BELOW = re.compile(r"\b(?:nearly|almost|not quite|just under|close to|less than|under|up to)\s*$", re.I)
_TIGHT: Final = 0.2  # of the change: what words like "a third" leave open to either side
_WIDE: Final = 0.32  # the same with a hedge
_LEAST: Final = 0.04  # of the level


@dataclass(frozen=True, slots=True)
class Change:
    """The ratios of the end to the start that the words leave open."""

    low: float
    high: float
    text: str
    start: int
    end: int
    yearly: bool = False  # a mean per year
    compound: bool = False
    always: int = 0  # +1: up in every year, -1: down in every year


def change_of(text: str) -> Change | None:
    """The one change that a sentence claims in words, as percent a year, or "every year"; else None."""
    if match := _EVERY.search(text):
        return Change(0, 0, match[0], match.start(), match.end(), always=-1 if match["down"] else 1)
    if _YEARLY.search(text) and (mean := _yearly(text)):
        return mean
    found = [
        change
        for kind, pattern in _RULES
        for m in pattern.finditer(text)
        if (change := _fraction(kind, m, text))
    ]
    for pattern, factor in _FACTORS:
        for match in pattern.finditer(text):
            found.append(_ratio(factor, text, match))
    if not found or len({(round(c.low, 2), round(c.high, 2)) for c in found}) > 1:
        return None
    return found[0]


def _ratio(factor: float, text: str, match: re.Match[str]) -> Change:
    lead = text[max(0, match.start() - 14) : match.start()]
    change = abs(factor - 1)
    slack = max(
        _LEAST, (_WIDE if _LOOSE.search(text) else _TIGHT) * min(change, 1.0) * (1 if factor > 1 else 0.9)
    )
    low, high = factor - slack, factor + slack
    if _ABOVE.search(lead):
        low, high = (factor - 0.02, factor * 1.6) if factor > 1 else (factor * 0.5, factor + 0.02)
    elif _BELOW.search(lead):
        low, high = (
            (factor - 1.4 * slack, factor + 0.03) if factor > 1 else (factor - 0.03, factor + 1.4 * slack)
        )
    return Change(low, high, match[0], match.start(), match.end())


def _fraction(kind: str, match: re.Match[str], text: str) -> Change | None:
    groups = match.groupdict()
    if groups.get("percent"):
        return None  # figures in digits are read with their metrics
    if groups.get("of"):
        of, whole = _count(groups["of"]), _count(groups["whole"])
        part = of / whole if whole else 0.0
    else:
        part = _PARTS[groups["part"].lower()] * _count(groups.get("n") or "a")
    if not 0.04 < part < 1:
        return None
    factor = {"less": 1 - part, "more": 1 + part, "again": 1 + part, "times": part}[kind]
    slack = max(_LEAST, (_WIDE if _LOOSE.search(text) else _TIGHT) * part)
    low, high = factor - slack, factor + slack
    hedge = (groups.get("hedge") or "") or text[max(0, match.start() - 14) : match.start()]
    above = re.search(r"\b(?:more than|over|well over|a good)\b", hedge, re.I)
    if above and kind in ("more", "again"):
        low, high = factor - 0.02, factor + part
    elif above and kind == "less":
        low, high = factor - part, factor + 0.02
    return Change(low, high, match[0].strip(), match.start(), match.end())


def _count(words: str) -> int:
    low = words.lower()
    return int(low) if low.isdigit() else _COUNTS.get(low, 1)


def _yearly(text: str) -> Change | None:
    found = [a for a in amounts(text) if a.unit == "%"]
    if len(found) != 1:
        return None
    amount = found[0]
    down = re.search(rf"\b(?:{_DOWN}|fewer|less)\b", text, re.I) is not None
    slack = amount.half + (2.5 if amount.vague else 0.6)
    low, high = (amount.value - slack) / 100, (amount.value + slack) / 100
    compound = re.search(r"\bcagr\b|\bcompound", text, re.I) is not None
    low, high = (1 - high, 1 - low) if down else (1 + low, 1 + high)
    return Change(low, high, amount.text, amount.start, amount.end, yearly=True, compound=compound)
