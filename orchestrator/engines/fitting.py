"""Questions that fit a claim's kind and not its sentence: what they presuppose, and when it is not there."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

from orchestrator.claims.model import Claim, Quantity
from orchestrator.claims.units import TIME_UNITS
from orchestrator.engines import traits
from orchestrator.engines.traits import is_ratio as is_ratio  # asked for here by the dossier

_FEW: Final = 20
_FEW_TO_COUNT: Final = 1000
"""So many can be counted by looking: no system, period or duplicates to ask about."""
_MERE_FIGURES: Final = frozenset({"count", "money", "date", "duration", "share"})


def _says(*phrases: str) -> re.Pattern[str]:
    return re.compile(rf"\b(?:{'|'.join(phrases)})\b", re.IGNORECASE)


_OF_A_COUNT = _says("counted by which", "did you count", "live and paid for", "one more of those cost us",
                    "ones who stayed")  # fmt: skip
_OF_HOW_MANY = _says("of how many(?!,? or how much)")
_OF_COUNTING = _says("counted by which", "did you count")
_OF_A_BELIEF = _says("drop that claim", "group disagreed", "who measured that", "no longer true",
                     "is the figure today")  # fmt: skip
_OF_A_SENTENCE = _says("no longer true", "disagreed", "drop that claim", "be us", "because we do",
                       "in six months")  # fmt: skip

_PRESUMES: Final[tuple[tuple[re.Pattern[str], Callable[[str], bool]], ...]] = (
    (_says("ones who stayed", "still active in"), traits.is_of_people),
    (_says("people who renewed"), traits.renews),
    (_says("signed or already in the bank"), traits.is_income),
    # work that may be late or left undone
    (_says("slips by", "goes into that", "why then and", "put aside so that", "finished before that",
           "that it is done", "last finished", "cheapest version", "does not come about", "did not happen",
           "go right for that", "decide in six months", "because we do this", "have to be us",
           "if we back this"), traits.is_ahead),
    (_says("slips by", "why then and"), traits.has_day_ahead),
    # something that is meant to become better, and can be measured or tried
    (_says("plans of this kind", "takes the measurement", "know whether that holds",
           "people who would use it", "tell us that this has happened", "put up with it"),
     traits.is_hoped_for),
)  # fmt: skip
"""Words of a question, and what its sentence must be."""

_RULED_OUT: Final[tuple[tuple[re.Pattern[str], Callable[[str], bool]], ...]] = (
    (_says(r"of how many(?!,? or how much)", "left out of that", "in users or in units"), traits.is_ratio),
    (_says("run the other way"), traits.gives_reason),
    (_says("longest that any one part", "last finished in that time", "a best case", "slowest tenth"),
     traits.is_no_work),
    (_says("longest that any one part", "last finished in that time"), traits.is_of_waiting),
    (_says("in the denominator", "of how many", "against what total", "left out of that", "extrapolated or",
           "both sides of that", "compared with what exactly",
           "in users or in units", "who drew its boundary"), traits.is_terms),
    (_says("record behind", "auditor ask"), traits.runs_out),
    (_says("who drew its boundary"), traits.is_ratio),
    (_says("paid for (?:itself|today)", "still active", "one more of those", "tried it and left"),
     traits.is_loss),
    (_OF_A_COUNT, traits.is_limit),
    (_OF_A_BELIEF, traits.is_done),
    (_OF_A_BELIEF, traits.is_ahead),
    # what happened in some weeks, and not what is so in general
    (_says("changed in (?:that time|the same)", "over the same weeks"), traits.is_stated),
    # growth over time
    (_says("ordinary quarter", "which two dates", "starts? where it does", "year earlier", "which months",
           "weak comparison year", "no spending at all"), traits.is_of_method),
)  # fmt: skip
"""Words of a question, and what its sentence must not be."""


def suits(question: str, text: str) -> bool:
    """Whether a question (or a pattern's text) makes sense about the sentence *text*."""
    return all(trait(text) for words, trait in _PRESUMES if words.search(question)) and not any(
        trait(text) for words, trait in _RULED_OUT if words.search(question)
    )


def suits_claim(question: str, claim: Claim) -> bool:
    """`suits`, and besides whether what the claim measures can be asked about like this."""
    is_cell = claim.origin in ("table", "chart")
    if not suits(question, claim.text) or (is_cell and _OF_A_SENTENCE.search(question)):
        return False
    if _OF_HOW_MANY.search(question) and any(is_count(quantity) for quantity in claim.quantities):
        return False
    if _OF_A_COUNT.search(question):
        counts = [quantity for quantity in claim.quantities if is_count(quantity)]
        if is_cell and all(quantity.unit is None for quantity in counts):
            return False
        least = _FEW_TO_COUNT if _OF_COUNTING.search(question) else _FEW
        if max((abs(quantity.value) for quantity in counts), default=0) < least:
            return False
    return not _OF_A_BELIEF.search(question) or not _MERE_FIGURES.issuperset(claim.kinds)


_OF_WHAT_EXISTS = _says("keep that going", "use it in an ordinary month", "in use today", "got it running",
                        "went through it", "reach, and what was the last fault")  # fmt: skip


def presumes_it_exists(question: str) -> bool:
    """A question about something that is there and used: nothing to ask of what is only planned."""
    return _OF_WHAT_EXISTS.search(question) is not None


def is_slight(claim: Claim) -> bool:
    """A handful of something, and nothing else claimed: not worth a question that any claim could get."""
    counts = [abs(quantity.value) for quantity in claim.quantities if is_count(quantity)]
    return claim.kinds == ("count",) and max(counts, default=0) < _FEW


def is_count(quantity: Quantity) -> bool:
    return quantity.unit not in ("%", "points", "x") and quantity.unit not in TIME_UNITS
