"""Masking: e-mail addresses, phone numbers and card numbers never leave a session.

All text that is carried into another session or written to long-term memory is masked here first. Spoken
addresses and numbers in English ("jane dot doe at example dot com", "oh seven nine …") are masked like
written ones.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from typing import Final

# ---------------------------------------------------------------------- masking


E_MAIL: Final = "[e-mail address]"
PHONE: Final = "[phone number]"
CARD: Final = "[card number]"

MIN_PHONE_DIGITS: Final = 7
MAX_PHONE_DIGITS: Final = 15
"""Maximum digits of a phone number: E.164 allows 15. Local numbers are rarely shorter than 7 (ITU-T
E.164)."""
CARD_DIGITS: Final = range(13, 20)
"""Numbers of digits in a card number: primary account numbers in use have 13 to 19 (ISO/IEC 7812-1). One
in ten other numbers of that length passes the check digit and is masked too, which does no harm."""

_I: Final = re.IGNORECASE
# Seven digits close together: most texts have none, and then three slower patterns need not be tried.
_SOME_DIGITS = re.compile(r"\d(?:\D{0,3}\d){6}")
# As `Home.new_id` makes it: one in nine would pass for a card or a telephone.
_SESSION = re.compile(r"(?<![\w-])(\d{8}-\d{6}-[0-9a-f]{6})(?![\w-])")
_E_MAIL = re.compile(r"[^\s@<>()\[\]\",;:]+@[^\s@<>()\[\]\",;:]+\.[^\W\d_]{2,}")
# The last part is of a closed list: "dot" and "at" stand in plain sentences too.
_SPOKEN_E_MAIL = re.compile(
    r"\b[\w-]+(?: (?:dot|underscore|hyphen|dash) [\w-]+)* at [\w-]+(?: (?:dot|hyphen|dash) [\w-]+)* dot "
    r"(?:com|org|net|edu|gov|io|eu|uk|de|fr|nl|es|it|ch|at|be|ie|se|no|dk|fi|pl|pt|us|ca|au|info|biz)\b",
    _I,
)
# Two separators at most: "4111  1111 …" as people copy it.
_CARD = re.compile(r"(?<![\d.,])\d(?:[ \u00a0-]{0,2}\d){12,18}(?![\d])")
_GAP: Final = r"[ \u00a0./()‐‑–-]{0,3}"
_PHONE = re.compile(
    rf"(?<![\w+])\+{_GAP}\d(?:{_GAP}\d){{6,14}}(?!\d)|"  # international
    rf"(?<![\w.,])\(?00\d(?:{_GAP}\d){{6,12}}(?!\d)|"  # the same, dialled
    r"(?<![\w.,])\(?\d{3}\)?[ .\u00a0-]\d{3}[ .-]\d{4}(?![\d])|"  # North American
    r"(?<![\w.,])\(?0\d{2,4}\)?[ \u00a0/-]{1,3}\d(?:[ \u00a0-]?\d){4,9}(?!\d)|"  # national, with its 0
    r"(?<![\w.,])0\d{9,10}(?!\d)"
)
# A bare number of seven digits is a sum of money as often; the word before it tells.
_CALLED = re.compile(
    r"\b(?:tel(?:ephone)?|phone|mobile|cell|fax|whatsapp|(?:call|ring|text|reach|dial) (?:me|us|him|her|them)"
    r"(?: back)?(?: on| at)?)\b[^\d\n]{0,20}(?P<number>\d(?:[ \u00a0./()-]{0,2}\d){6,14})(?!\d)",
    _I,
)
_DIGIT: Final = "(?:zero|oh|nought|one|two|three|four|five|six|seven|eight|nine)"
_SPOKEN_NUMBER = re.compile(
    # Seven digits at least, as MIN_PHONE_DIGITS; 19 at most, since card numbers are read out as well.
    rf"\b(?:(?:double|triple) )?{_DIGIT}(?:[ ,-]+(?:(?:double|triple) )?{_DIGIT}){{6,18}}\b",
    _I,
)


def masked(text: str) -> str:
    """Replace every e-mail address, phone number and card number in *text* by the name of its kind."""
    text = visible(text)
    if "@" in text:
        text = _E_MAIL.sub(E_MAIL, text)
    if _SOME_DIGITS.search(text):
        parts = enumerate(_SESSION.split(text))  # every other one is the id of a session
        text = "".join(part if count % 2 else _without_numbers(part) for count, part in parts)
    if " dot " in text.casefold():
        text = _SPOKEN_E_MAIL.sub(E_MAIL, text)
    return _SPOKEN_NUMBER.sub(PHONE, text)


def _without_numbers(text: str) -> str:
    # Cards before phones: four groups of four would be taken for a phone number otherwise.
    for pattern, shown in ((_CARD, _card), (_PHONE, _phone), (_CALLED, _called)):
        text = pattern.sub(shown, text)
    return text


def visible(text: str) -> str:
    """Return *text* without invisible characters, which would split an address in two, and with full-width
    characters made plain."""
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
    """Return whether the last digit is the check digit of the others (ISO/IEC 7812-1, annex B)."""
    total = 0
    for place, digit in enumerate(reversed(digits)):
        doubled = digit * 2 if place % 2 else digit
        total += doubled - 9 if doubled > 9 else doubled
    return len(set(digits)) > 1 and total % 10 == 0  # sixteen noughts pass the check and are no card


def _phone(match: re.Match[str]) -> str:
    return PHONE if MIN_PHONE_DIGITS <= len(_digits(match[0])) <= MAX_PHONE_DIGITS else match[0]


def _called(match: re.Match[str]) -> str:
    before = match[0][: match.start("number") - match.start()]
    return f"{before}{PHONE}"


# ---------------------------------------------------------------------- redaction
# Redaction: the names of people who spoke, taken out of a text that goes to others.
#
# Whoever speaks is known by a label; people who are only spoken of are not known, and stay.


MIN_PART = 3
"""Minimum letters of a part of a name that is masked by itself: "Li" and "de" are words in too many texts."""
_MARKS = r"[\u0300-\u036f]*"  # the accents that NFD has parted from their letters
_BETWEEN = r"[\W_]{1,3}"  # between the parts of a name: a space, ", ", or a line break with its indent


def redacted(text: str, people: Iterable[tuple[str, str]]) -> str:
    """Return *text* without names, e-mail addresses, phone and card numbers.

    Every part of a name is masked wherever it occurs, in any case and with or without accents: "Dana's",
    "WHITFIELD". A word that is also a name is masked as well: too much is removed rather than too little.

    Args:
        people: Pairs of a name and its replacement: ("Dana Whitfield", "[presenter]").
    """
    text = unicodedata.normalize("NFD", masked(visible(text)))
    wholes, parts = [], []
    for name, label in people:
        words = re.findall(r"[^\W\d_]+", unicodedata.normalize("NFC", visible(name)))
        if len(words) > 1:
            wholes.append((words, label))
        parts += [([word], label) for word in words if len(word) >= MIN_PART or len(words) == 1]
    for words, label in [*wholes, *parts]:
        text = _pattern(words).sub(lambda _, label=label: label, text)  # type: ignore[misc]
    return unicodedata.normalize("NFC", text)


def _pattern(words: list[str]) -> re.Pattern[str]:
    """Return a pattern for these words in sequence, with no letter directly before or after them."""
    spelled = (_MARKS.join(map(re.escape, _bare(word))) + _MARKS for word in words)
    return re.compile(rf"(?<![^\W\d_]){_BETWEEN.join(spelled)}(?![^\W\d_])", re.IGNORECASE)


def _bare(word: str) -> str:
    return "".join(char for char in unicodedata.normalize("NFD", word) if not unicodedata.combining(char))
