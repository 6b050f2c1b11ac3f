"""Why a verdict was given, in one sentence with the presenter's own words."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from orchestrator.engines.asked import Asked
from orchestrator.engines.evasions import Evasion
from orchestrator.engines.evidence import BECAUSE, Evidence, Found
from orchestrator.engines.reading import Answer, clause_around, clause_from
from orchestrator.engines.wording import LONGEST_ANSWER_QUOTE

_FEWEST: Final = 4  # words that are worth saying back
_NONE = re.compile(r"\b(?:no|not|none|nobody|no one|never|nothing|without)\b|n['’]t\b", re.I)
_AN: Final = {"owner": "an owner"}


def nearest_to(answer: Answer, asked: Asked) -> str:
    """The beginning of the sentence that has most in common with the question."""
    best = max(answer.sentences, key=lambda part: len(part.topic.words & asked.topic.words))
    return clause_from(answer.text, best.start, best.start + 1)


def gap_reason(evidence: Sequence[Evidence], ways: Sequence[Evasion], nearest: str) -> tuple[str, str | None]:
    """What is missing, what is there, and the words for it."""
    gaps = [e for e in evidence if e.found is Found.MISSING]
    given = [e for e in evidence if e.found is Found.GIVEN]
    absent = [e.what for e in gaps if e.because != "hedged"]
    hedged = any(e.because == "hedged" for e in gaps)
    way = next((way for way in ways if not (hedged and way.how in ("unknown", "later", "open"))), None)
    parts = [way.reason if gaps else f'puts part of the question off ("{way.words}")'] if way else []
    quote = way.words if way else None
    if absent:
        parts.append(f"no {' and no '.join(absent)} in the answer")
    for gap in gaps:
        if gap.because and not (way and gap.because == "repeats" and way.how == "restates"):
            parts.append(BECAUSE[gap.because].format(need=gap.what, words=gap.words))
            quote = quote or gap.words
    if given:
        parts.append(f"it {listed(given)}")
        quote = quote or given[0].words
    if quote is None:
        parts[-1] += f' ("{nearest}")'
        quote = nearest
    return "; ".join(parts), quote


def said_back(
    answer: Answer, asked: Asked, evidence: Sequence[Evidence], ways: Sequence[Evasion]
) -> str | None:
    """The presenter's words that a follow-up may say back: those that fell short, else those that gave.

    None after "I don't know" or "there is none", which nobody says back.
    """
    gaps = [e for e in evidence if e.found is Found.MISSING]
    given = [e for e in evidence if e.found is Found.GIVEN]
    put_off = any(way.how in ("unknown", "later", "open", "declines", "thanks") for way in ways)
    if put_off and gaps and not gaps[0].because:
        return None
    for one in (*gaps[:1], *given):
        if one.words and one.words in answer.text:
            start = answer.text.index(one.words)
            words = _shorter(clause_around(answer.text, start, start + len(one.words)))
            return None if _NONE.search(words) else words
    words = _shorter(nearest_to(answer, asked))
    return None if _NONE.search(words) else words


def _shorter(words: str) -> str:
    """Without a second half that would be cut in its middle when it is said back."""
    if len(words.split()) <= LONGEST_ANSWER_QUOTE:
        return words
    halves = [match.start() for match in re.finditer(r"\s(?:and|but|so|because)\s", words)]
    fits = [end for end in halves if _FEWEST <= len(words[:end].split()) <= LONGEST_ANSWER_QUOTE]
    return words[: fits[-1]] if fits else words


def listed(given: Sequence[Evidence]) -> str:
    return "gives " + " and ".join(f'{name(e.what)} ("{e.words}")' for e in given)


def names(needs: Sequence[str]) -> str:
    return " or ".join(name(need) for need in needs)


def name(need: str) -> str:
    return _AN.get(need, f"a {need}")
