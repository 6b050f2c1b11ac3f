"""What never leaves a session: what is marked sensitive, e-mail addresses, phone and card numbers.

Whatever is carried into another session or written to long-term memory goes through here first.
What is marked is left out whole; addresses and numbers are masked where they stand. Spoken ones
("jane dot doe at example dot com", "oh seven nine …") count like written ones, in English.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

E_MAIL: Final = "[e-mail address]"
PHONE: Final = "[phone number]"
CARD: Final = "[card number]"

FEWEST_PHONE_DIGITS: Final = 7
MOST_PHONE_DIGITS: Final = 15
"""E.164 numbers have at most 15 digits; local ones are rarely shorter than 7 (ITU-T E.164)."""
CARD_DIGITS: Final = range(13, 20)
"""Primary account numbers in use have 13 to 19 digits (ISO/IEC 7812-1)."""

_I: Final = re.IGNORECASE
_SOME_DIGITS = re.compile(r"\d(?:\D{0,3}\d){6}")
_E_MAIL = re.compile(r"[^\s@<>()\[\]\",;:]+@[^\s@<>()\[\]\",;:]+\.[^\W\d_]{2,}")
_SPOKEN_E_MAIL = re.compile(
    r"\b[\w-]+(?: (?:dot|underscore|hyphen|dash) [\w-]+)* at [\w-]+(?: (?:dot|hyphen|dash) [\w-]+)* dot "
    r"(?:com|org|net|edu|gov|io|eu|uk|de|fr|nl|es|it|ch|at|be|ie|se|no|dk|fi|pl|pt|us|ca|au|info|biz)\b",
    _I,
)
_CARD = re.compile(r"(?<![\d.,])\d(?:[ \u00a0-]{0,2}\d){12,18}(?![\d])")
_GAP: Final = r"[ \u00a0./()‐‑–-]{0,3}"
_PHONE = re.compile(
    rf"(?<![\w+])\+{_GAP}\d(?:{_GAP}\d){{6,14}}(?!\d)|"  # international
    rf"(?<![\w.,])\(?00\d(?:{_GAP}\d){{6,12}}(?!\d)|"  # the same, dialled
    r"(?<![\w.,])\(?\d{3}\)?[ .\u00a0-]\d{3}[ .-]\d{4}(?![\d])|"  # North American
    r"(?<![\w.,])\(?0\d{2,4}\)?[ \u00a0/-]{1,3}\d(?:[ \u00a0-]?\d){4,9}(?!\d)|"  # national, with its 0
    r"(?<![\w.,])0\d{9,10}(?!\d)"
)
_CALLED = re.compile(
    r"\b(?:tel(?:ephone)?|phone|mobile|cell|fax|whatsapp|(?:call|ring|text|reach|dial) (?:me|us|him|her|them)"
    r"(?: back)?(?: on| at)?)\b[^\d\n]{0,20}(?P<number>\d(?:[ \u00a0./()-]{0,2}\d){6,14})(?!\d)",
    _I,
)
_DIGIT_WORDS: Final = (
    "zero",
    "oh",
    "nought",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
)
_DIGIT: Final = rf"(?:{'|'.join(_DIGIT_WORDS)})"
_SPOKEN_NUMBER = re.compile(
    rf"\b(?:(?:double|triple) )?{_DIGIT}(?:[ ,-]+(?:(?:double|triple) )?{_DIGIT}){{6,18}}\b", _I
)
_TAGS: Final = ("sensitive", "confidential", "private")
_TAGGED = re.compile(
    r"\[(?:sensitive|confidential|private|off the record)\]|(?<!\w)#(?:sensitive|confidential|private)\b", _I
)
_SAID = re.compile(
    r"\b(?:this is|that is|that['’]s|this['’]s|it['’]s|strictly|keep (?:this|that|it)|"
    r"stays|speaking|going|we are|we['’]re|i am|i['’]m) (?:\w+ )?off the record\b|"
    r"(?:^|[.!?,;:…–—(-]\s*|^\W*(?:well|so|and|but|now|okay|ok),? )\W*off the record\b|"
    r"\bkeep (?:this|that|it) (?:strictly |absolutely |completely |entirely |please )?"
    r"(?:confidential|private|secret|to (?:yourself|yourselves))"
    r"(?=\W*(?:$|[.,;:!?)]|please\b|until\b|for now\b))|"
    r"\b(?:do not|don['’]t|please don['’]t|please do not|never) (?:write (?:this|that|it) down|"
    r"(?:note|record|minute|quote|repeat|keep|remember|store) (?:this|that|me on (?:this|that)))\b|"
    r"\b(?:not for|keep (?:this|that|it) out of) the (?:minutes|record|notes)\b|"
    r"\b(?:strictly|just|only|keep (?:this|that|it)) between (?:us|ourselves|you and me|these walls)\b|"
    r"\b(?:this|that) (?:must|should|may|can) ?not leave (?:this|the) (?:room|call|session)\b",
    _I,
)
_HINTS: Final = (
    "record",
    "between",
    " not leave",
    "cannot leave",
    "n't ",
    "n’t ",
    "do not",
    "never",
    "minutes",
    "notes",
    "keep ",
)
"""One of these stands in every text that `_SAID` fits; looking for them is quicker."""
_BACK = re.compile(r"\b(?:back )?on the record\b(?! (?:for|as)\b)", _I)

RUN_WORDS: Final = 4
"""So many words in a row are a quotation, and fewer are how people speak; our own measure."""
QUOTED_WORDS: Final = range(2, RUN_WORDS)
"""So many are one between quotation marks, where nobody speaks by chance."""
MOST_RUNS: Final = 20_000
_WORD = re.compile(r"[^\W_]+")
_QUOTED = re.compile(r'"([^"\n]{3,80})"|“([^”\n]{3,80})”|«([^»\n]{3,80})»')


@dataclass(slots=True)
class Withheld:
    """What was said and is to stay in the session, so that no later quotation of it leaves either.

    Off the record lasts until somebody says "on the record", or `over`. Only digests are kept, of
    four words in a row; past 20,000 of them everything is withheld, rather than any of it forgotten.
    """

    is_off: bool = False
    _runs: set[int] = field(default_factory=set)
    _short: set[int] = field(default_factory=set)  # of two and three words

    @property
    def holds_anything(self) -> bool:
        """Whether anything is withheld, so that a quotation of it is worth looking for, or may come."""
        return self.is_off or bool(self._runs or self._short)

    def takes(self, text: str, value: Mapping[str, Any] | None = None, *, is_speech: bool = False) -> bool:
        """Whether this has to stay here; what is said is remembered, so that its quotations do too."""
        if is_speech and self.is_off and _BACK.search(text):
            self.is_off = False
        stays = self.is_off if is_speech else False
        if is_marked(text, value):
            stays = True
            self.is_off = self.is_off or (is_speech and _is_said(text))
        if stays:
            self._runs.update(_runs(text))
            if len(self._runs) <= MOST_RUNS:  # beyond, everything is withheld
                self._short.update(run for count in QUOTED_WORDS for run in _runs(text, count))
            return True
        return self.touches(text)

    def touches(self, text: str) -> bool:
        """Whether it quotes what is withheld: four words of it, or two between quotation marks."""
        if not self.holds_anything:
            return False
        if len(self._runs) > MOST_RUNS or not self._runs.isdisjoint(_runs(text)):
            return True
        return any(self._is_quoted("".join(found)) for found in _QUOTED.findall(text))

    def _is_quoted(self, phrase: str) -> bool:
        count = len(_WORD.findall(phrase))
        return count in QUOTED_WORDS and not self._short.isdisjoint(_runs(phrase, count))

    def over(self) -> None:
        """The talk has moved on, so nobody is off the record any more."""
        self.is_off = False


def _runs(text: str, count: int = RUN_WORDS) -> set[int]:
    """Digests of so many words in a row, where more than one of them tells anything."""
    words = [word.casefold() for word in _WORD.findall(text)]
    runs = (words[at : at + count] for at in range(len(words) - count + 1))
    return {hash(tuple(run)) for run in runs if sum(len(word) > 3 or word.isdigit() for word in run) > 1}


def is_marked(text: str, value: Mapping[str, Any] | None = None) -> bool:
    """Whether somebody said, or a program noted (`"sensitive": true`), that this is to stay here."""
    return (
        bool(value and value.get("sensitive"))
        or (("[" in text or "#" in text) and _TAGGED.search(text) is not None)
        or _is_said(text)
    )


def may_hold_marked(transcript: str) -> bool:
    """Whether a transcript of many lines may hold what is marked; a quick look, which errs on that side."""
    low = transcript.casefold()
    if "off the record" in low or any(f"{mark}{tag}" in low for tag in _TAGS for mark in "[#"):
        return True
    hints = [hint for hint in _HINTS if hint in low]
    return any(
        any(hint in line for hint in hints) and _SAID.search(line) is not None for line in low.splitlines()
    )


def _is_said(text: str) -> bool:
    low = text.casefold()
    return any(hint in low for hint in _HINTS) and _SAID.search(text) is not None


def masked(text: str) -> str:
    """*text* with every e-mail address, phone number and card number replaced by what it was."""
    text = _visible(text)
    if "@" in text:
        text = _E_MAIL.sub(E_MAIL, text)
    if _SOME_DIGITS.search(text):
        text = _CARD.sub(_card, text)
        text = _PHONE.sub(_phone, text)
        text = _CALLED.sub(_called, text)
    if " dot " in text.casefold():
        text = _SPOKEN_E_MAIL.sub(E_MAIL, text)
    spoken = sum(word.strip(",.") in _DIGIT_WORDS for word in text.casefold().replace("-", " ").split())
    return _SPOKEN_NUMBER.sub(PHONE, text) if spoken >= FEWEST_PHONE_DIGITS else text


def is_clean(text: str) -> bool:
    """Whether nothing in *text* has to stay in its session."""
    return not is_marked(text) and masked(text) == _visible(text)


def _visible(text: str) -> str:
    """Without characters that nobody sees, which would split an address in two; full-width as plain."""
    if text.isascii():
        return text
    shown = "".join(char for char in text if unicodedata.category(char) != "Cf")
    return "".join(
        unicodedata.normalize("NFKC", char) if "\uff01" <= char <= "\uff5e" else char for char in shown
    )


def _digits(text: str) -> list[int]:
    return [int(char) for char in text if char.isdecimal()]


def _card(match: re.Match[str]) -> str:
    digits = _digits(match[0])
    return CARD if len(digits) in CARD_DIGITS and has_luhn_check(digits) else match[0]


def has_luhn_check(digits: list[int]) -> bool:
    """Whether the last digit is the check digit of the others (ISO/IEC 7812-1, annex B)."""
    total = 0
    for place, digit in enumerate(reversed(digits)):
        doubled = digit * 2 if place % 2 else digit
        total += doubled - 9 if doubled > 9 else doubled
    return len(set(digits)) > 1 and total % 10 == 0


def _phone(match: re.Match[str]) -> str:
    return PHONE if FEWEST_PHONE_DIGITS <= len(_digits(match[0])) <= MOST_PHONE_DIGITS else match[0]


def _called(match: re.Match[str]) -> str:
    before = match[0][: match.start("number") - match.start()]
    return f"{before}{PHONE}"
