"""What a number is about, as far as the words next to it say: "gross margin" in "64% gross margin"."""

from __future__ import annotations

import re
from typing import Final

from orchestrator.claims.periods import Period
from orchestrator.claims.words import word_set

_STOP: Final = word_set(
    "a an the this that these those our your their its his her my we you they it he she i and or but nor "
    "so if as at by to for from with without in on of into over under about around than then when where "
    "while which who what how is are was were be been being am has have had do does did will would can "
    "could shall should may might must not no also only just very too still already now again there here "
    "up down out off all each every per plus both more most approximately nearly almost roughly some any "
    "other such currently today achieve achieved deliver delivered vs versus compared comes come came "
    "guaranteed growing reached faster slower higher lower better worse larger bigger cheaper smaller "
    "longer shorter fewer"
)
_VERBS: Final = (
    r"(?:(?:will|would|should|could)\s+)?(?:reach|fall|rise|grow|be|"
    r"grew|grows|grow|has grown|have grown|rose|rises|increased|increases|improved|expanded|climbed|"
    r"jumped|"
    r"fell|falls|declined|declines|decreased|dropped|shrank|reduced|cut|doubled|tripled|reached|reaches|hit|"
    r"exceeded|"
    r"exceeds|totalled|totaled|totals|averaged|averages|peaked|stands|stood|came in|comes in|amounted|"
    r"amounts|"
    r"was|were|is|are|remains|remained|finished|ended|costs|cost)"
)
_ADVERB: Final = (
    r"(?:\s+(?:also|by|to|at|about|around|over|nearly|almost|only|just|still|now|up|down|approximately|"
    r"roughly|more than|less than|a|an|of|in|from))"
)
_VERB_BEHIND = re.compile(rf"\s{_VERBS}{_ADVERB}{{0,4}}\s*$", re.IGNORECASE)
_LABEL_BEHIND = re.compile(r"\s*[:=]\s*(?:(?:up|down|about|around|over|nearly)\s+)?$", re.IGNORECASE)
_OF_BEHIND = re.compile(r"\sof\s+(?:(?:about|around|over|nearly|more than|up to)\s+)?$", re.IGNORECASE)
_BEHIND = re.compile(
    r"\s+(?P<of>(?:of|in)\s+(?:our |the |its |all |total )*)?(?P<words>[A-Za-z][^.;:,!?•|()\n]{1,60})",
)
_WORD = re.compile(r"[\w’'&/%-]+")
_MOST_WORDS: Final = 4
_LONGEST_LABEL: Final = 6  # words
_REACH: Final = 100  # characters on either side that are looked at
_CLAUSE_END = re.compile(r"[.;:!?•|()\n]")


def subject_of(text: str, start: int, end: int, periods: tuple[Period, ...]) -> str | None:
    """A few words of *text* that name what the number at *start*..*end* measures, or None.

    Tried in this order: a label with a colon; the subject of the verb in front; the noun
    behind; the noun in front of "of". Words of a time expression are never part of it.
    """
    blanked = _blank(text, periods)
    before, after = blanked[max(0, start - _REACH) : start], blanked[end : end + _REACH]
    if label := _LABEL_BEHIND.search(before):
        words = _CLAUSE_END.split(before[: label.start()])[-1].strip()
        if 0 < len(words.split()) <= _LONGEST_LABEL:
            return _named(words) or None
    if (verb := _VERB_BEHIND.search(before)) and (words := _last_words(before[: verb.start()])):
        return words
    if (match := _BEHIND.match(after)) and (words := _first_words(match["words"])):
        return words
    if (of := _OF_BEHIND.search(before)) and (words := _last_words(before[: of.start()])):
        return words
    return None


def _blank(text: str, periods: tuple[Period, ...]) -> str:
    """The text with every time expression replaced by as many line ends, which no subject crosses."""
    for period in periods:
        text = text[: period.start] + "\n" * (period.end - period.start) + text[period.end :]
    return text


def _last_words(words: str) -> str:
    """The noun phrase at the end: back to a function word, number or punctuation, at most four words."""
    words = _CLAUSE_END.split(words)[-1]
    found: list[re.Match[str]] = []
    for match in reversed(list(_WORD.finditer(words))):
        if match[0].lower() in _STOP or match[0][0].isdigit() or len(found) == _MOST_WORDS:
            break
        if found and words[match.end() : found[-1].start()] != " ":
            break
        found.append(match)
    return _named(words[found[-1].start() : found[0].end()]) if found else ""


def _first_words(words: str) -> str:
    found: list[re.Match[str]] = []
    for match in _WORD.finditer(words):
        if match[0].lower() in _STOP or match[0][0].isdigit() or len(found) == _MOST_WORDS:
            break
        if found and words[found[-1].end() : match.start()] != " ":
            break
        found.append(match)
    if not found or found[0].start() != 0:
        return ""
    return _named(words[: found[-1].end()])


def _named(words: str) -> str:
    """The words, or nothing where they name nothing."""
    words = words.strip(" -/&'’%")
    return words if len(words) > 1 and any(char.isalpha() for char in words) else ""
