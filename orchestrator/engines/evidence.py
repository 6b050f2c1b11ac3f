"""What an answer gives: a number, a period, a source …, each with the words that give it.

Rules can see that a number or a time is there or is not. Whether an answer without any of
the usual words still names its source or its cause, they cannot tell, unless it is short.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Final

from orchestrator.claims.model import Quantity
from orchestrator.claims.numerals import Numeral, digit_numerals, spoken_numerals
from orchestrator.claims.periods import find_periods
from orchestrator.claims.quantities import measure
from orchestrator.claims.rejects import rejected
from orchestrator.engines import answer_cues as cues

SHORT_ANSWER: Final = 14
"""Words; in a shorter answer, what has none of the usual words for a thing does not give it."""

_LONGEST_WORDS: Final = 14
_SENTENCE_END = re.compile(r"[.!?](?=\s)")


class Found(Enum):
    """Whether an answer gives what was asked for."""

    GIVEN = "given"
    MISSING = "missing"
    UNCLEAR = "unclear"


@dataclass(frozen=True, slots=True)
class Evidence:
    """What was found for one need; `words` are the presenter's, verbatim, where it is given."""

    need: str
    found: Found
    words: str | None = None
    repeats: bool = False  # the number in the answer is the one that was asked about
    admits: str | None = None  # the presenter's words, verbatim, that there is nothing of the kind


def evidence_for(need: str, answer: str, known: Sequence[Quantity]) -> Evidence:
    """Whether the answer gives what *need* names, and in which words.

    Args:
        known: Quantities of the claim and the question: to say them again gives no number.
    """
    if need == "number":
        return _number(answer, known)
    if need in ("period", "date"):
        return _time(need, answer)
    words = next(_FINDERS[need](answer), None)
    if words is not None:
        return Evidence(need, Found.GIVEN, words)
    if need == "comparison" and (admission := cues.NOT_COMPARED.search(answer)):
        words = _sentence_around(answer, admission.start(), admission.end())
        return Evidence(need, Found.UNCLEAR, admits=words)
    if cues.REFUSAL.search(answer):
        return Evidence(need, Found.MISSING)
    # Two figures side by side may well be the comparison that was asked for.
    telling = need in ("base", "comparison") and sum(1 for _ in stated_numbers(answer)) > 1
    unclear = telling or len(answer.split()) >= SHORT_ANSWER
    return Evidence(need, Found.UNCLEAR if unclear else Found.MISSING)


def refusal(answer: str) -> str | None:
    """The words with which the answer puts the question off, or None."""
    match = cues.REFUSAL.search(answer)
    return _sentence_around(answer, match.start(), match.end()) if match else None


def stated_numbers(text: str) -> Iterator[Numeral]:
    """Numbers that somebody gave as an answer, also without a unit; no dates, versions or names."""
    apart = [(r.start, r.end) for r in rejected(text)] + [(p.start, p.end) for p in find_periods(text)]
    for numeral in (*digit_numerals(text), *spoken_numerals(text)):
        inside = any(start <= numeral.start < end for start, end in apart)
        year = numeral.value in range(1900, 2100) and not numeral.spoken
        if not inside and not year and not cues.UNCOUNTED_ONE.fullmatch(text[numeral.start : numeral.end]):
            yield numeral


def _number(answer: str, known: Sequence[Quantity]) -> Evidence:
    repeated = None
    measured = [
        (m.quantity.value, m.quantity.text, m.start, m.end)
        for m in measure(answer)
        if not _is_time(answer, m.start, m.end)
    ]
    covered = [(start, end) for _, _, start, end in measured]
    bare = [
        (n.value, answer[n.start : n.end], n.start, n.end)
        for n in stated_numbers(answer)
        if not any(start <= n.start < end for start, end in covered)
    ]
    for value, words, _, _ in [*measured, *bare]:
        if any(_same(value, quantity.value) for quantity in known):
            repeated = repeated or words
            continue
        return Evidence("number", Found.GIVEN, words)
    if none := cues.NONE_AT_ALL.search(answer):
        return Evidence("number", Found.GIVEN, none[0])
    return Evidence("number", Found.MISSING, repeated, repeats=repeated is not None)


def _is_time(answer: str, start: int, end: int) -> bool:
    return any(period.start <= start and end <= period.end for period in find_periods(answer))


def _same(value: float, other: float) -> bool:
    return abs(value - other) <= 1e-9 * max(abs(value), abs(other), 1.0)


def _time(need: str, answer: str) -> Evidence:
    """A period may recur ("per month"); a date may not."""
    for period in find_periods(answer):
        if need == "period" or period.kind != "recurring":
            return Evidence(need, Found.GIVEN, period.text)
    return Evidence(need, Found.MISSING)


def _cued(pattern: re.Pattern[str]) -> Callable[[str], Iterator[str]]:
    def find(answer: str) -> Iterator[str]:
        for match in pattern.finditer(answer):
            if not cues.NEGATED.search(answer[max(0, match.start() - 40) : match.start()]):
                yield _clause_from(answer, match.start(), match.end())

    return find


def _owners(answer: str) -> Iterator[str]:
    for match in cues.NAMED_OWNER.finditer(answer):
        if not cues.NO_NAMES.match(match[0]):
            yield match[0]
    yield from _cued(cues.OWNER)(answer)
    if cues.NAME_ALONE.fullmatch(answer) and not cues.NO_NAMES.match(answer.strip()):
        yield answer.strip().rstrip(".!")


def _bases(answer: str) -> Iterator[str]:
    """A cue such as "out of" or "up from" with a number close behind it."""
    numbers = [n.start for n in stated_numbers(answer)]
    for match in cues.BASE_CUE.finditer(answer):
        reach = match.end() + 30
        if stop := _SENTENCE_END.search(answer, match.end(), reach):
            reach = stop.start()
        if any(match.start() <= start <= reach for start in numbers):
            yield _clause_from(answer, match.start(), match.end())


_FINDERS: Final[dict[str, Callable[[str], Iterator[str]]]] = {
    "source": _cued(cues.SOURCE),
    "owner": _owners,
    "cause": _cued(cues.CAUSE),
    "comparison": _cued(cues.COMPARISON),
    "base": _bases,
}


def _clause_from(text: str, start: int, end: int) -> str:
    """From the cue to the end of its clause, verbatim, at most some words."""
    stop = re.search(r"[.;!?](?:\s|$)|,\s", text[end:])
    words = text[start : end + stop.start()] if stop else text[start:]
    matches = list(re.finditer(r"\S+", words))
    return words[: matches[min(len(matches), _LONGEST_WORDS) - 1].end()].rstrip(" .,;")


def _sentence_around(text: str, start: int, end: int) -> str:
    before = max((match.end() for match in re.finditer(r"[.!?]\s+", text[:start])), default=0)
    return _clause_from(text, before, end)
