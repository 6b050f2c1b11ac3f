"""Whether what an answer gives is of what was asked: of that time, and of that part of the question.

"In the third quarter it was 40" is a number, and no answer to a question about the fourth. What stands in a
sentence of another time is left out of the search; if nothing else gives what was asked, that is said.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Final

from orchestrator.engines.asked import Asked
from orchestrator.engines.evidence import LONG_ANSWER, Evidence, Found, evidence_for
from orchestrator.engines.needs import needs_of, parts_of
from orchestrator.engines.reading import Answer, Sentence
from orchestrator.engines.topics import topic_of

_OF_ANY_TIME: Final = ("date", "period", "base", "owner")
"""Needs that a time answers, or that have one of their own: the figure before is of before."""
_OWN_WORDS: Final = 2
"""So many telling words of its own make a part of a question recognisable in an answer."""

_SEVERAL: Final = 2
"""Times that an answer names where each of several years was asked for."""

_QUARTERS: Final = {
    "first": 1,
    "second": 2,
    "third": 3,
    "fourth": 4,
    "one": 1,
    "two": 2,
    "three": 3,
    "four": 4,
}
_QUARTER = re.compile(
    r"\bq\s?([1-4])\b|\b(first|second|third|fourth) quarter\b|\bquarter (one|two|three|four)\b", re.IGNORECASE
)
_DIGITS: Final = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")
_YEAR = re.compile(rf"\b(20\d\d)\b|\btwenty[- ]twenty[- ]({'|'.join(_DIGITS[1:])})\b", re.IGNORECASE)
_MONTH = re.compile(
    r"\b(?:in|for|of|into|since|during|by|until|from|and|to|last|this|next) (january|february|march|"
    r"april|may|june|july|"
    r"august|september|october|november|december)\b",
    re.IGNORECASE,
)
_TURN = re.compile(r"\b(last|this|next) (year|quarter|month)\b", re.IGNORECASE)

_CLAUSES = re.compile(r",\s|;\s|\s(?:and|but|while|against)\s", re.IGNORECASE)
_BARE: Final = 4
"""Words of an answer that is an amount and nothing else."""
_SAME_STRETCH: Final = {
    "year": r"\b(?:years?|yearly|annual\w*|twelve months|12 months|p\.a\.)\b",
    "month": r"\b(?:months?|monthly)\b",
    "week": r"\b(?:weeks?|weekly)\b",
    "day": r"\b(?:days?|daily)\b",
}

Times = frozenset[tuple[str, str]]
"""Times that a text names, each with what it is a time by: ("quarter", "4"), ("year", "2027")."""


def times_of(text: str) -> Times:
    """The quarters, months and years that *text* names."""
    found: set[tuple[str, str]] = set()
    for match in _QUARTER.finditer(text):
        word = next(group for group in match.groups() if group)
        found.add(("quarter", word if word.isdigit() else str(_QUARTERS[word.lower()])))
    for match in _YEAR.finditer(text):
        found.add(("year", match[1] or f"202{_DIGITS.index(match[2].lower())}"))
    found |= {("month", match[1].lower()) for match in _MONTH.finditer(text)}
    found |= {(match[2].lower(), match[1].lower()) for match in _TURN.finditer(text)}
    return frozenset(found)


def bearing_evidence(need: str, answer: Answer, asked: Asked) -> Evidence:
    """What the answer gives for *need*, if it is of the time and the part of the question that were asked."""
    return replace(_bearing(need, answer, asked), called=asked.called(need))


def _bearing(need: str, answer: Answer, asked: Asked) -> Evidence:
    found = evidence_for(need, answer, asked)
    if found.found is Found.MISSING or not found.words:
        return found
    if need not in _OF_ANY_TIME and (wanted := times_of(asked.text)):
        rest = tuple(_of_time(part, wanted) for part, times in _timed(answer) if not _clash(wanted, times))
        if rest != answer.sentences:
            apart = evidence_for(need, replace(answer, sentences=rest), asked) if rest else None
            if apart is None or apart.found is not Found.GIVEN:
                return Evidence(need, Found.MISSING, found.words, "another time")
            found = apart
    if found.found is not Found.GIVEN:
        return found
    if need == "number" and asked.stretch and _of_another_stretch(found.words or "", asked.stretch, answer):
        return Evidence(need, Found.UNCLEAR, found.words)
    if (
        need == "period"
        and asked.wants_several_times
        and max(_times_given(answer), _values_given(answer)) < _SEVERAL
    ):
        return Evidence(need, Found.UNCLEAR, found.words)
    if need in ("date", "period") and not _of_its_part(need, found.words or "", answer, asked):
        return Evidence(need, Found.UNCLEAR, found.words)
    return found


def _times_given(answer: Answer) -> int:
    return len({period.text.lower() for part in answer.sentences for period in part.periods})


def _values_given(answer: Answer) -> int:
    """As many values as one sentence gives one after the other, without their years."""
    return max((len(part.numbers) for part in answer.sentences), default=0)


def _timed(answer: Answer) -> list[tuple[Sentence, Times]]:
    """The sentences with the times they speak of: their own, else those of the last that named one."""
    timed: list[tuple[Sentence, Times]] = []
    last: Times = frozenset()
    for part in answer.sentences:
        last = times_of(part.text) or last
        timed.append((part, last))
    return timed


def _of_time(part: Sentence, wanted: Times) -> Sentence:
    """The sentence without the numbers of its clauses that speak of another time than the one wanted."""
    clauses = _CLAUSES.split(part.text)
    if len(clauses) < 2 or not any(_clash(wanted, times_of(clause)) for clause in clauses):
        return part
    kept = []
    for one in part.numbers:
        before = part.text[: one.start - part.start]
        clause = _CLAUSES.split(before)[-1] + _CLAUSES.split(part.text[len(before) :])[0]
        if not _clash(wanted, times_of(clause)):
            kept.append(one)
    return replace(part, numbers=tuple(kept))


def _of_another_stretch(words: str, stretch: str, answer: Answer) -> bool:
    """An amount that its sentence gives for no such stretch of time; a bare amount is taken at its word."""
    if answer.length <= _BARE:
        return False
    said = next((part.text for part in answer.sentences if words in part.text), answer.text)
    return not re.search(_SAME_STRETCH[stretch], said, re.IGNORECASE)


def _clash(wanted: Times, given: Times) -> bool:
    """Both name times of the same sort, and none in common."""
    sorts = {sort for sort, _ in wanted} & {sort for sort, _ in given}
    return any(
        not {time for time in wanted if time[0] == sort} & {time for time in given if time[0] == sort}
        for sort in sorts
    )


def _of_its_part(need: str, words: str, answer: Answer, asked: Asked) -> bool:
    """The sentence that gives it speaks of what its part of the question asks; of a short answer, always."""
    if answer.length <= LONG_ANSWER:
        return True
    part = next((part for part in parts_of(asked.text) if need in needs_of(part)), "")
    own = topic_of(part).words
    said = next((one.topic.words for one in answer.sentences if words in one.text), frozenset())
    return len(own) < _OWN_WORDS or bool(own & said)
