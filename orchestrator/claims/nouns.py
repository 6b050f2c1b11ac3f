"""What a number counts: the plural noun that follows it, told without a dictionary."""

from __future__ import annotations

import re
from typing import Final

from orchestrator.claims.words import word_set

BUSINESS_NOUNS: Final = word_set(
    "customer client user subscriber member partner supplier vendor contributor committer maintainer "
    "employee engineer developer person hire seat site store shop branch office country market city "
    "contract deal order pilot account logo lead opportunity project product feature competitor investor "
    "shareholder patient student teacher driver rider visitor download install transaction ticket "
    "incident outage complaint return claim policy loan vehicle plant factory warehouse patent trial "
    "participant respondent attendee volunteer organization organisation company donor grant licence "
    "license licensee reseller distributor manufacturer bank school hospital household application "
    "vulnerability defect bug"
)
"""Singulars of what boards count. "12 substations" describes a test; "12 customers" is a claim."""

_IRREGULAR: Final = word_set(
    "people men women children staff headcount personnel criteria media data feet mice fte ftes employees"
)
_NOT_PLURAL: Final = word_set(
    "this his has was its is as always yes thus across less plus versus vs does perhaps series news "
    "sometimes towards besides whereas access process business previous various serious continuous "
    "progress success address basis analysis status bonus focus campus virus class mass loss gross cross "
    "press express stress illness business requires adds provides includes supports allows enables offers "
    "shows means makes gives helps takes comes gets goes says brings covers contains begins remains "
    "represents reflects continues grows falls rises becomes seems requires describes defines specifies "
    "mandates applies aims expects wants"
)
_COMPOUND_FIRST: Final = word_set("sales operations systems services goods analytics communications sports")
_NO_NOUN: Final = word_set(
    "of in on at by to for from with without and or but nor so than then that which who whom whose when "
    "where while is are was were be been being am has have had do does did will would can could shall "
    "should may might must a an the this these those its our your their his her my we you they it he she "
    "i as if because since until per each every about over under into onto after before during between "
    "among through against within around near not no there here up down out off again also only just very "
    "too"
)
_WORD = re.compile(r"[ \u00a0-]([A-Za-z][\w’'&/]*(?:-[A-Za-z][\w’']*)*)")
_MOST_WORDS: Final = 4


def counted(text: str, end: int) -> tuple[str, int] | None:
    """The noun phrase right behind a number that ends at *end*, and where that phrase ends.

    At most three words may stand before the noun, none of them a preposition, article or
    verb of the common kind. None where no plural noun follows.
    """
    position = end
    words: list[str] = []
    while len(words) < _MOST_WORDS and (match := _WORD.match(text, position)):
        word = match[1]
        low = word.lower().replace("’", "'")
        if low in _NO_NOUN:
            break
        words.append(word)
        position = match.end()
        if _is_plural(low) and not (low in _COMPOUND_FIRST and _plural_follows(text, position)):
            return text[end:position].strip(" \u00a0-"), position
        if len(words) == 1 and low in BUSINESS_NOUNS and text[end:].startswith(" "):
            following = _WORD.match(text, position)
            if not following or following[1].lower() in _NO_NOUN:
                return word, position
    return None


def is_business_noun(noun: str) -> bool:
    """The noun's last word is one of BUSINESS_NOUNS, singular or plural."""
    last = noun.lower().rsplit(" ", 1)[-1]
    return any(form in BUSINESS_NOUNS for form in _singulars(last)) or last in _IRREGULAR


def _plural_follows(text: str, position: int) -> bool:
    match = _WORD.match(text, position)
    return match is not None and _is_plural(match[1].lower())


def _is_plural(word: str) -> bool:
    if word in _IRREGULAR:
        return True
    if word in _NOT_PLURAL or len(word) < 4:
        return word in ("apps", "kpis", "okrs") or (len(word) == 4 and word.endswith("s"))
    return word.endswith("s") and not word.endswith(("ss", "us", "is", "ous"))


def _singulars(word: str) -> tuple[str, ...]:
    if word.endswith("ies"):
        return (word, word.removesuffix("ies") + "y")
    return (word, word.removesuffix("s"), word.removesuffix("es"))
