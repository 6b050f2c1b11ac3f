"""What an answer gives: a number, a period, a source …, each with the words that give it.

Where it cannot be told whether the words are about what was asked, the evidence is unclear,
and so it is where a longer answer may give its source or its cause in words that the rules
do not know.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from orchestrator.engines.asked import Asked
from orchestrator.engines.evasions import refusal
from orchestrator.engines.found import BECAUSE, LONG_ANSWER, SHORT_ANSWER, Evidence, Found
from orchestrator.engines.given_numbers import base, number
from orchestrator.engines.given_times import date, period
from orchestrator.engines.given_words import cause, comparison, owner, source
from orchestrator.engines.reading import Answer

__all__ = ["BECAUSE", "LONG_ANSWER", "SHORT_ANSWER", "Evidence", "Found", "evidence_for", "refusal"]

_FINDERS: Final[dict[str, Callable[[Answer, Asked], Evidence]]] = {
    "number": number,
    "period": period,
    "source": source,
    "base": base,
    "owner": owner,
    "date": date,
    "cause": cause,
    "comparison": comparison,
}


def evidence_for(need: str, answer: Answer, asked: Asked) -> Evidence:
    """Whether the answer gives what *need*, of `claims.model.NEEDS`, names, and in which words."""
    return _FINDERS[need](answer, asked)
