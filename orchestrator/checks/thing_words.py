"""What a sentence's event happens to: the stems that name it, and the marks that tell it from its like."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from orchestrator.checks.happening_words import GENERIC, KINDS, QUALIFIERS, RECIPIENTS, RECURRING, STOP

_WORD = re.compile(r"[^\W_][\w’'&/+-]*[^\W_]|[^\W_]")
_DIGIT_WORDS: Final = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")
_ORDINALS: Final = {
    "first": "1", "second": "2", "third": "3", "fourth": "4", "fifth": "5", "sixth": "6",
    "1st": "1", "2nd": "2", "3rd": "3", "4th": "4", "5th": "5", "6th": "6",
    "i": "1", "ii": "2", "iii": "3", "iv": "4", "vi": "6",
}  # fmt: skip
_SPOKEN_DIGITS = re.compile(
    rf"\b(?:(?:{'|'.join(_DIGIT_WORDS)}|oh)[ -]){{2,}}(?:{'|'.join(_DIGIT_WORDS)}|oh)\b", re.IGNORECASE
)
_NUMBERED = re.compile(
    r"\b(?P<noun>[a-z]+)\s+(?:no\.?\s?|nr\.?\s?|number\s|#\s?)?(?P<number>\d{1,4}|[A-F]|I{1,3}|IV|V|"
    r"one|two|three|four|five|six|seven|eight|nine|ten)\b(?!\s*(?:[%€$£]|[:./,]\d|\w*(?:am|pm)\b|"
    r"(?:days?|weeks?|months?|years?|hours?|people|million|k|m)\b))",
    re.IGNORECASE,
)
_PLURAL_NEXT = re.compile(r"\s*[a-z]{3,}s\b")
_NUMBERED_NOUNS: Final = frozenset(
    [
        "phase",
        "stage",
        "step",
        "wave",
        "lot",
        "hull",
        "model",
        "unit",
        "batch",
        "line",
        "building",
        "block",
        "section",
        "tranche",
        "round",
        "series",
        "hall",
        "terminal",
        "platform",
        "tower",
        "turbine",
        "reactor",
        "plant",
        "site",
        "store",
        "shop",
        "branch",
        "kitchen",
        "module",
        "level",
        "grade",
        "class",
        "version",
        "release",
        "part",
        "chapter",
        "volume",
        "issue",
        "mission",
        "flight",
        "area",
        "zone",
        "sector",
        "ward",
        "room",
        "gate",
        "pier",
        "dock",
        "berth",
        "track",
        "lane",
        "bridge",
        "tunnel",
        "shaft",
        "well",
        "mine",
        "pit",
        "field",
        "parcel",
        "plot",
        "house",
        "home",
        "school",
        "clinic",
        "ship",
        "vessel",
        "boat",
        "train",
        "tram",
        "bus",
        "locomotive",
        "car",
        "aircraft",
        "satellite",
        "study",
        "trial",
        "cohort",
        "arm",
        "tender",
        "contract",
        "package",
        "workstream",
        "milestone",
        "sprint",
        "instalment",
        "installment",
        "payment",
        "call",
        "group",
        "team",
        "league",
        "division",
        "year",
        "quarter",
        "number",
        "no",
        "furnace",
        "boiler",
        "engine",
        "machine",
        "press",
        "silo",
        "tank",
        "depot",
        "warehouse",
        "store",
        "boat",
        "craft",
    ]
)
_ALIKE: Final = (
    ({"agm"}, {"annual", "general", "meeting"}),
    ({"hq"}, {"headquarter"}),
    ({"dc"}, {"distribution", "centre"}),
    ({"app"}, {"application"}),
)
_SAME: Final = {
    "center": "centre", "theater": "theatre", "programme": "program", "shop": "store", "lorry": "truck",
    "licence": "licens", "license": "licens", "vessel": "ship", "boat": "ship", "lift": "elevator",
    "plant": "factory", "works": "factory", "tenancy": "leas", "lease": "leas", "rental": "leas",
    "boss": "head", "ceo": "ceo", "flat": "apartment", "film": "movie",
    "pupil": "student", "staff": "employe",
    "headquarters": "headquarter", "car": "vehicle", "underground": "metro", "subway": "metro",
    "chairwoman": "chair", "chairman": "chair", "chairperson": "chair", "director": "director",
}  # fmt: skip
_ENDINGS: Final = (
    "ations",
    "ation",
    "ings",
    "ing",
    "ments",
    "ment",
    "ers",
    "ies",
    "ied",
    "ed",
    "es",
    "al",
    "er",
    "s",
    "y",
    "e",
)
_SHORTEST_STEM: Final = 4


@dataclass(frozen=True, slots=True)
class Thing:
    """The stems of a thing, those of them that are names, and its marks."""

    words: frozenset[str] = frozenset()
    proper: frozenset[str] = frozenset()
    marks: frozenset[str] = frozenset()
    led_by: frozenset[tuple[str, str]] = frozenset()  # each stem with the one right in front of it

    @property
    def all(self) -> frozenset[str]:
        return self.words | self.marks


def thing_of(
    text: str, *, without: tuple[str, frozenset[str]] | None = None, title: bool = False, moved: bool = False
) -> Thing:
    """The words of *text* that name things, without those of any kind of event."""
    text = _SPOKEN_DIGITS.sub(_as_digits, text)
    marks = set()
    for match in _NUMBERED.finditer(text):
        noun = match["noun"].lower()
        number = match["number"].lower()
        counted = _PLURAL_NEXT.match(text, match.end()) or noun in STOP
        if (
            re.search(r"\bnumber\b", match[0])
            or _singular(noun) in _NUMBERED_NOUNS
            or (number.isdigit() and len(number) >= 3 and not counted)
        ):
            marks.add(_number(number))
    text = re.sub(r"\bthis (?:\w+)\b", " ", text)
    blanked = text
    for name, pattern in KINDS:
        if name != "held":
            blanked = pattern.sub(_without_verb, blanked)
    words: list[str] = []
    proper: set[str] = set()
    leads: set[tuple[str, str]] = set()
    last = (-9, "")
    opening = True
    for match in _WORD.finditer(blanked):
        word, low = match[0], match[0].lower().removesuffix("'s").removesuffix("’s")
        first, opening = opening, False
        if low in _ORDINALS and low not in ("i",):
            marks.add(_ORDINALS[low])
            continue
        if low in QUALIFIERS and (low not in ("us", "uk") or word.isupper()):
            marks.add(low)
            last = (match.end(), low)
            continue
        if any(c.isdigit() for c in low):
            if low[0].isalpha():
                marks.add(low)
            continue
        if low in STOP or (len(low) < 3 and not word.isupper()):
            continue
        root = stem(low)
        words.append(root)
        if word[0].isupper() and not title and (not first or any(c.isupper() for c in word[1:])):
            proper.add(root)
        if match.start() - last[0] <= 1:
            leads.add((root, last[1]))
        last = (match.end(), root)
    found = frozenset(words)
    for short, long in _ALIKE:
        if short <= found:
            found = (found - short) | {stem(w) for w in long}
    return Thing(found, frozenset(proper) & found, frozenset(marks), frozenset(leads))


def _without_verb(match: re.Match[str]) -> str:
    """ "Takes the main warehouse back": what stands within the words of a kind is left."""
    parts = re.split(r"(\s+)", match[0])
    if len(parts) < 5:
        return " " * len(match[0])
    return "".join(" " * len(part) if at in (0, len(parts) - 1) else part for at, part in enumerate(parts))


def _as_digits(match: re.Match[str]) -> str:
    words = re.split(r"[ -]", match[0].lower())
    return "number " + "".join("0" if w == "oh" else str(_DIGIT_WORDS.index(w)) for w in words)


def _number(words: str) -> str:
    if words in _DIGIT_WORDS:
        return str(_DIGIT_WORDS.index(words))
    return _ORDINALS.get(words, words)


def _singular(noun: str) -> str:
    return noun[:-1] if noun.endswith("s") and len(noun) > 3 else noun


def stem(word: str) -> str:
    """The word without the endings that make a verb, a noun or a plural of it."""
    low = word.lower().replace("’", "'").removesuffix("'s").removesuffix("'").replace("-", "")
    low = _SAME.get(low, _SAME.get(_singular(low), low))
    if low.endswith("ship") and len(low) > 2 * _SHORTEST_STEM:
        low = low[:-4]
    for ending in _ENDINGS:
        if low.endswith(ending) and len(low) - len(ending) >= _SHORTEST_STEM:
            return low[: -len(ending)].removesuffix("at")
    return low


RECIPIENT_WORDS: Final = frozenset(stem(word) for word in RECIPIENTS)
GENERIC_WORDS: Final = frozenset(stem(word) for word in (*GENERIC, *RECURRING))
RECURRING_WORDS: Final = frozenset(stem(word) for word in RECURRING)
"""Stems that say nothing when they are all that two texts share."""
