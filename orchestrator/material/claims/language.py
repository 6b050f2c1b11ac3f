"""Detect the language of a text by its script and its commonest words.

The detection is good enough to decide whether English rules apply, and is not meant for more.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from typing import Final

from orchestrator.material.values import Deck

# ---------------------------------------------------------------------- scripts
# Digits and signs of all scripts as ASCII, sign for sign, so that places in a text stay what they are.


# Arabic percent, decimal and thousands signs; small and no-break forms of signs; the ideographic space.
_SIGNS: Final = str.maketrans("٪٫٬﹪﹣‐‑　", "%.,%--- ")
_FULL_WIDTH: Final = {code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F)} | {0xFFE5: "¥", 0xFFE1: "£"}
_SAME: Final = {**_SIGNS, **_FULL_WIDTH}


def in_ascii(text: str) -> str:
    """Replace full-width, Arabic, Persian, Indic … digits and signs with ASCII; the length stays the same."""
    if text.isascii():
        return text
    plain = text.translate(_SAME)
    return "".join(str(unicodedata.decimal(c)) if c > "\x7f" and c.isdecimal() else c for c in plain)


def word_count(text: str) -> int:
    """Count the words of *text*; in a script without spaces, two letters count as one word."""
    apart = len(text.split())
    return apart if text.isascii() else apart + sum(map(is_of_a_script_without_case, text)) // 2


def is_of_a_script_without_case(char: str) -> bool:
    """Return whether *char* is of a script that puts no spaces between numbers and words, such as Chinese."""
    return char.isalpha() and char.lower() == char.upper() and not char.isascii()


# ---------------------------------------------------------------------- language


ENGLISH: Final = "en"
UNKNOWN: Final = "und"
"""ISO 639-2 "undetermined": the text is too short, or in a language that the lists do not have."""

# Function words that no other list here holds, so that one word never counts for two languages.
_STOP_WORDS: Final = {
    "en": "the and of to for with that this are was from by on we our is be it have has will not which their "
    "can you at as an or more but they were been its",
    "de": "der die das und ist mit für von auf den dem ein eine nicht werden wird sich auch bei zur zum im "
    "sind wir als durch über oder einer eines",
    "fr": "le les des est une pour dans qui sur avec pas par plus sont nous vous cette aux ont et du",
    "es": "el los las una es con por para que del como más se su sus pero este esta son y",
    "pt": "os uma não com para que dos das ao pelo pela são mais você nós isso ele ela em um",
    "it": "il gli della delle che per con sono una nel non più questo anche alla dei degli",
    "nl": "het een van en voor niet zijn met aan door wordt ook naar deze wij dat",
    "sv": "och att det som för inte med av till är på ett har vi kan",
    "pl": "się nie jest na oraz dla przez które są jak ale lub",
}
_WORD = re.compile(r"[^\W\d_]+")
_KANA = re.compile("[\u3040-\u30ff]")
_HANGUL = re.compile("[\uac00-\ud7af]")
_HAN = re.compile("[\u4e00-\u9fff]")
_CYRILLIC = re.compile("[\u0400-\u04ff]")
_UKRAINIAN = re.compile("[іїєґІЇЄҐ]")  # letters that Russian has not
_OTHER_SCRIPTS = re.compile("[\u0370-\u03ff\u0590-\u08ff\u0900-\u0dff\u0e00-\u0e7f]")
_LATIN = re.compile("[A-Za-z]")

_SAMPLE_CHARS: Final = 20_000  # ten pages tell as well as a hundred
_MIN_HITS: Final = 2  # one "die" or "on" is a name or a typo


def language_of(text: str) -> str:
    """Return a two-letter code (ISO 639-1), or "und" if the language is not clear.

    Text in Latin letters needs at least two common words of one language, and more of
    them than of any other.
    """
    sample = text[:_SAMPLE_CHARS]
    if script := _by_script(sample):
        return script
    found = Counter(_WORD.findall(sample.lower()))
    hits = ((sum(found[word] for word in words.split()), code) for code, words in _STOP_WORDS.items())
    (most, code), (second, _), *_ = sorted(hits, reverse=True)
    return code if most >= _MIN_HITS and most > second else UNKNOWN


def language_of_deck(deck: Deck) -> str:
    """Return the language of a deck's titles and lines, as `language_of` does."""
    return language_of(" ".join(line for slide in deck.slides for line in (slide.title, *slide.lines)))


def reads_as_english(text: str) -> bool:
    """Return whether to try English rules: the text is English, or Latin and too short to tell."""
    code = language_of(text)
    return code == ENGLISH or (code == UNKNOWN and not _OTHER_SCRIPTS.search(text))


def _by_script(text: str) -> str | None:
    """Return the language of a non-Latin script that has at least a third of the letters, or None.

    Names in such a text may be in Latin letters.
    """
    latin = len(_LATIN.findall(text))
    for pattern, code in ((_KANA, "ja"), (_HANGUL, "ko"), (_HAN, "zh")):
        # One such sign is a syllable or a word, so a few of them weigh as much as many letters.
        if 4 * len(pattern.findall(text)) > latin:
            return code
    if 2 * len(_CYRILLIC.findall(text)) > latin:
        return "uk" if _UKRAINIAN.search(text) else "ru"
    if 2 * len(_OTHER_SCRIPTS.findall(text)) > latin:
        return UNKNOWN
    return None
