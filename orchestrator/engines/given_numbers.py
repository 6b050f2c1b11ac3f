"""Whether an answer gives the number, or the whole or starting figure, that was asked for.

A number counts where it is about what was asked: in a sentence that shares a telling word
or a measure with the question or its claim, or in one that points back ("It is forty.").
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from orchestrator.claims.quantities import measure
from orchestrator.engines import answer_cues as cues
from orchestrator.engines import number_cues
from orchestrator.engines.asked import Asked
from orchestrator.engines.evasions import puts_off, refusal
from orchestrator.engines.found import (
    LONG_ANSWER,
    SHORT_ANSWER,
    Evidence,
    Found,
    hedged_words,
    not_cued,
    same,
)
from orchestrator.engines.reading import (
    BARE,
    COUNT,
    MONEY,
    SHARE,
    TIME,
    Answer,
    Sentence,
    Stated,
    clause_from,
    sort_of,
)
from orchestrator.engines.topics import topic_of

_OPENING: Final = 2  # sentences
_MOST_NUMBERS: Final = 20
"""Numbers of one answer whose hedges are looked at: it bounds the time, and nobody gives more."""
_ONE_SPAN = re.compile(
    r"\W*(?:about |some |roughly |nearly |perhaps )?((?:an?|one|half an?) (?:full |whole |"
    r"good )?(?:year|month|week|"
    r"quarter|day|hour))\b(?! (?:ago|later|before))",
    re.IGNORECASE,
)
"""A stretch of time that opens an answer: "A year, if they go to court." """
_LARGE = re.compile(r"illion|thousand|\d{4}", re.IGNORECASE)
_MEASURED: Final = 20
"""A count from which it may be the figure that is to be watched: "six sets of rules" is none."""
_OUT_OF = re.compile(r"\b(?:out )?of\b", re.IGNORECASE)
_SUMS_UP = re.compile(
    r"\b(?:so|in (?:all|total)|altogether|makes?|comes? to|adds? up to|totals?|a total of)"
    r"(?: (?:that is|it is|about|roughly|some|nearly))?\W*$",
    re.IGNORECASE,
)
"""What stands before the number to which the others lead."""
_WHETHER = re.compile(r"\bwhether\b|\bdepending on\b", re.IGNORECASE)
_CLAUSE = re.compile(r"[,;:]\s|\s(?:and|but|while|whereas)\s")


def number(answer: Answer, asked: Asked) -> Evidence:
    """The first number about what was asked that is not hedged; of a long answer, the nearest to it."""
    judged = [
        (_bearing(one, part, asked, direct=answer.length <= LONG_ANSWER or place < _OPENING), one, part)
        for place, part in enumerate(answer.sentences)
        for one in part.numbers
    ]
    about = [(one, part) for bearing, one, part in judged if bearing == "about"]
    about = sorted(about, key=lambda pair: _rank(pair[0], pair[1], answer, asked))[:_MOST_NUMBERS]
    hedged = None
    for one, part in about:
        taken_back = hedged_words(answer, part, one.start, one.end)
        if taken_back is None:
            return Evidence("number", Found.GIVEN, one.words)
        hedged = hedged or taken_back
    if TIME in asked.sorts and (span := _span(answer)):
        return Evidence("number", Found.GIVEN, span)
    if asked.leaves_measure_open and (measure_named := _names_measure(answer, asked)):
        return Evidence("number", Found.GIVEN, measure_named)
    if none := _none(answer, asked):
        return Evidence("number", Found.GIVEN, none)
    if hedged:
        return Evidence("number", Found.MISSING, hedged, "hedged")
    return _no_number(answer, asked, {bearing: one.words for bearing, one, _ in reversed(judged)})


def _no_number(answer: Answer, asked: Asked, by_bearing: Mapping[str, str]) -> Evidence:
    """What stands in the place of a number that was asked for."""
    put_off = refusal(answer.text) is not None
    if "unsure" in by_bearing and not put_off:
        return Evidence("number", Found.UNCLEAR, by_bearing["unsure"])
    if asked.is_choice and cues.CHOOSES.search(answer.text):
        return Evidence("number", Found.UNCLEAR)
    for because in ("repeats", "elsewhere"):
        if because in by_bearing:
            return Evidence("number", Found.MISSING, by_bearing[because], because)
    size = number_cues.SIZE_IN_WORDS.search(answer.text)
    if size and answer.length <= LONG_ANSWER and not put_off:
        words = clause_from(answer.text, size.start(), size.end())
        return Evidence("number", Found.MISSING, words, "in words")
    return Evidence("number", Found.MISSING)


def _bearing(one: Stated, part: Sentence, asked: Asked, *, direct: bool) -> str:
    """How a number bears on the question: "about", "repeats", "elsewhere" or "unsure".

    Args:
        direct: The sentence comes soon after the question, so "it" is what was asked about.
    """
    if any(same(one, quantity) for quantity in asked.known):
        return "about" if asked.is_choice else "repeats"
    if _is_no_money(one, part, asked):
        return "elsewhere"
    if asked.wants_share and one.sort == COUNT and not _has_whole(part):
        return "unsure"
    own = topic_of(one.noun)
    fits = not asked.sorts or one.sort in asked.sorts
    no_time = asked.sorts == {TIME, BARE} and (not fits or _LARGE.search(one.words) is not None)
    clause = topic_of(_CLAUSE.split(part.text[: one.start - part.start])[-1])
    if (own | clause).clashes(asked.topic) or no_time:
        return "elsewhere"
    if one.sort == TIME and TIME not in asked.sorts:
        if asked.sorts:
            return "elsewhere"
        fits = any(sort_of(quantity.unit) == TIME for quantity in asked.known)
    if asked.leaves_measure_open and fits and (one.sort != COUNT or abs(one.value) >= _MEASURED):
        return "about"
    if _WHETHER.search(part.text, 0, one.start - part.start):
        return "unsure"
    if fits and own.meets(asked.topic):
        return "about"
    if fits and direct and _points_back(one, part, asked):
        # "How many have signed?" "900 applications": counted, and it may be something else.
        return "unsure" if one.sort == COUNT and own.words and asked.sorts else "about"
    if fits and asked.sorts and one.sort in (TIME, MONEY, SHARE) and direct:
        return "elsewhere" if part.topic.clashes(asked.topic) else "about"
    if part.topic.meets(asked.topic):
        named = one.sort == COUNT and own.words and not asked.counts_unnamed
        return "about" if fits and not named else "unsure"
    return "elsewhere" if part.topic.clashes(asked.topic) else "unsure"


def _is_no_money(one: Stated, part: Sentence, asked: Asked) -> bool:
    """Money is asked for, and it counts something else: "seven hundred seats", "118,000 TEU"."""
    if MONEY not in asked.sorts or COUNT in asked.sorts or TIME in asked.sorts:
        return False
    after = part.text[one.end - part.start :]
    if one.sort == BARE:
        return _ABBREVIATED.match(after) is not None
    return one.sort == COUNT and not (_PEOPLE.search(one.noun) and abs(one.value) < _MEASURED)


_ABBREVIATED = re.compile(r" (?!EUR|USD|GBP|CHF|NOK|SEK|DKK|PLN|CAD|AUD|JPY|INR|CNY|[MK]\b)[A-Z]{2,5}\b")
"""What a bare number counts, where it stands right behind it."""
_PEOPLE = re.compile(r"\b(?:people|persons?|posts?|staff|hours?|days?|jobs?|ftes?|roles?)\b", re.IGNORECASE)
"""Effort, which may stand for money."""


def _names_measure(answer: Answer, asked: Asked) -> str | None:
    """What will be measured, where that was asked and its value cannot be there yet."""
    first = answer.sentences[0]
    is_name = len(first.text.split()) <= SHORT_ANSWER and not _SAYS.search(first.text)
    if not is_name or puts_off(first.text) or not first.topic.words - asked.topic.words:
        return None
    return first.text.rstrip(". ")


_SAYS = re.compile(
    r"\b(?:is|are|was|were|will|would|can|could|have|has|had|do|does|did|i|we|it|they|that|this|there|nothing|"
    r"none|yes|no|not)\b|['’](?:s|ll|re|ve|m)\b",
    re.IGNORECASE,
)
"""A sentence, and not the mere name of a thing."""


def _has_whole(part: Sentence) -> bool:
    """Its count comes with the whole that it is a part of, or as a share: "12 of the 40"."""
    return len(part.numbers) > 1 and (
        any(one.sort == SHARE for one in part.numbers) or _OUT_OF.search(part.text) is not None
    )


def _rank(one: Stated, part: Sentence, answer: Answer, asked: Asked) -> tuple[bool, bool, int]:
    """What comes first of several numbers about the thing: no stray one, a total before its parts."""
    total = MONEY in asked.sorts and _SUMS_UP.search(part.text[: one.start - part.start]) is not None
    return _is_stray(one, asked), not total, -_shared(part, answer, asked)


def _is_stray(one: Stated, asked: Asked) -> bool:
    """A small bare number where money is asked for: "instead of 11"."""
    return MONEY in asked.sorts and one.sort == BARE and not _LARGE.search(one.words)


def _shared(part: Sentence, answer: Answer, asked: Asked) -> int:
    """How much a sentence has in common with the question; of a short answer the first number counts."""
    return len(part.topic.words & asked.topic.words) if answer.length > LONG_ANSWER else 0


def _points_back(one: Stated, part: Sentence, asked: Asked) -> bool:
    """Nothing that leads up to the number speaks of anything new: "It is 40", "Of those, twelve"."""
    lead = topic_of(part.text[: one.start - part.start])
    return not (lead.words - asked.topic.words)


def _span(answer: Answer) -> str | None:
    """A stretch of time said as a period: "in twelve months"."""
    for part in answer.sentences:
        for period in part.periods:
            if period.kind == "relative" and not puts_off(part.text) and measure(period.text):
                return period.text
        if (one := _ONE_SPAN.match(part.text)) and not puts_off(part.text):
            return one[1]
    return None


def _none(answer: Answer, asked: Asked) -> str | None:
    for part in answer.sentences:
        if (none := number_cues.NONE_AT_ALL.search(part.text)) and not part.topic.clashes(asked.topic):
            word = re.search(r"(?:not (?:a single )?one|not a single|no one|\w+)$", none[0])
            return word[0] if word else none[0]
    return None


def base(answer: Answer, asked: Asked) -> Evidence:
    """A cue such as "out of" or "up from" with a number close behind it."""
    for part in answer.sentences:
        for match in cues.BASE_CUE.finditer(part.text):
            start, reach = part.start + match.start(), part.start + match.end() + 30
            for one in part.numbers:
                near = start <= one.start <= reach
                if near and one.sort != TIME and not any(same(one, q) for q in asked.known):
                    return Evidence("base", Found.GIVEN, answer.text[start : one.end])
    first = next(answer.numbers, None)
    if first and answer.length <= SHORT_ANSWER and not any(same(first, q) for q in asked.known):
        opens = not answer.text[: first.start].split() and asked.asks_base
        return Evidence("base", Found.GIVEN if opens else Found.UNCLEAR, first.words if opens else None)
    return not_cued("base", answer, asked)
