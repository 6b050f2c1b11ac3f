"""Whether an answer gives the period or the date that was asked for."""

from __future__ import annotations

import re
from collections.abc import Iterator

from orchestrator.engines import number_cues
from orchestrator.engines.asked import Asked
from orchestrator.engines.evasions import puts_off
from orchestrator.engines.found import LONG_ANSWER, Evidence, Found, hedged_words
from orchestrator.engines.promises import promises_in
from orchestrator.engines.reading import BARE, Answer, Sentence

_NOW = frozenset(
    {"moment", "the moment", "at the moment", "now", "today", "currently", "at present", "right now"}
)
_BESIDE = 6
"""Characters between an occasion and its date: ", on "."""
_SHORTEST = 2
"""Words of "Today." and "Right now.", which answer "as of which date?" and fix nothing elsewhere."""


_SEVERAL = 3
"""Values that stand for as many years, where each of several was asked for."""


def period(answer: Answer, asked: Asked) -> Evidence:
    found = _time("period", answer, asked)
    if found.found is Found.MISSING and not found.because and asked.wants_several_times:
        for part in answer.sentences:
            if len(part.numbers) >= _SEVERAL and len({one.sort for one in part.numbers} - {BARE}) <= 1:
                return Evidence("period", Found.GIVEN, part.text.rstrip("."))
    return found


def date(answer: Answer, asked: Asked) -> Evidence:
    return _time("date", answer, asked)


def _time(need: str, answer: Answer, asked: Asked) -> Evidence:
    """A time that fixes something, in a sentence that does not put the question off."""
    worse: dict[str, str] = {}
    rambles = answer.length > LONG_ANSWER
    parts = (
        sorted(answer.sentences, key=lambda part: -part.topic.shares(asked.topic))
        if rambles
        else answer.sentences
    )
    for part in parts:
        if puts_off(part.text) or (need == "period" and promises_in(part.text)):
            continue
        for words, start, end in _times(need, part):
            problem = _wrong_time(need, words, part, start, asked)
            hedge = hedged_words(answer, part, part.start + start, part.start + end)
            if problem is None and hedge is None:
                return Evidence(need, Found.GIVEN, words)
            worse.setdefault(problem or "hedged", words if problem else hedge or words)
    for because in ("hedged", "repeats", "wrong way", "vague"):
        if because in worse and not (rambles and because == "vague"):
            return Evidence(need, Found.MISSING, worse[because], because)
    return Evidence(need, Found.MISSING)


def _times(need: str, part: Sentence) -> Iterator[tuple[str, int, int]]:
    events = list(number_cues.DAY_OR_EVENT.finditer(part.text)) if need == "date" else []
    for event in events:
        # "At the board meeting on 30 June": the day says more than the occasion.
        for day in part.periods:
            if event.end() <= day.start <= event.end() + _BESIDE and re.search(r"\d", day.text):
                yield day.text, day.start, day.end
        yield event[0].strip(), event.start(), event.end()
    for period in part.periods:
        if not any(event.start() < period.end and period.start < event.end() for event in events):
            yield period.text, period.start, period.end


def _wrong_time(need: str, words: str, part: Sentence, start: int, asked: Asked) -> str | None:
    before = part.text[:start]
    low = words.lower()
    if asked.is_deadline and low in _NOW:
        return "vague"
    if re.fullmatch(
        r"(?:per|an?|each|every)\b.*|/.*|annually|yearly|monthly|quarterly|weekly|daily|hourly|"
        r"annuali[sz]ed|p\.a\.|\w+[- ](?:over|on)[- ]\w+|yoy|qoq|mom|wow|y/y|q/q|m/m",
        low,
    ):
        return "vague"
    if number_cues.NOT_A_TIME.match(words) and not (
        need == "date" and number_cues.DATED_TODAY.search(before)
    ):
        if need == "date" and asked.is_as_of and len(part.text.split()) <= _SHORTEST:
            return None
        counted = need == "period" and re.search(r"\d|two|three|four|six|nine|twelve|eighteen", low)
        return None if counted else "vague"
    if low in asked.known_periods:
        return "repeats"
    if need == "period" or re.search(r"\bend\b", low):
        return None
    past = bool(number_cues.PAST.search(words)) or "ago" in low
    ahead = bool(number_cues.AHEAD.search(words)) and not past
    if (asked.is_deadline and past) or (asked.is_as_of and ahead):
        return "wrong way"
    return None


# -- sources, owners, causes, comparisons, bases
