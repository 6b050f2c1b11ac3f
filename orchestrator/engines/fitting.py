"""Questions that fit a claim's kind and not its sentence: what they presuppose, and when it is not there."""

from __future__ import annotations

import re
from typing import Final

from orchestrator.claims.cues import RUNS_OUT

_I: Final = re.IGNORECASE

_OF_HEADS = re.compile(r"\bof how many\b(?!,? or how much)|\bleft out of that\b|\bin users or in units\b", _I)
_RATIO = re.compile(
    r"\b(?:margins?|capacity|utili[sz]ation|occupancy|yield|interest|tax|discount|inflation|return on|irr|"
    r"roi|roe|wacc|ebitda|leverage|gearing|efficiency|uptime|availability|load factor|price|cost|"
    r"costs|revenue|"
    r"sales|income|profit|budget|spend|spending|energy|power|moisture|humidity|gdp)\b",
    _I,
)
"""A percentage of an amount, which has no heads to count."""

_OTHER_WAY = re.compile(r"\brun the other way\b", _I)
_OWN_REASON = re.compile(r"\bbecause\b(?! of)|\bfor (?:lack|want) of\b|\btherefore\b|\bmeans that\b", _I)
"""A reason that somebody gives for what happened; only an observed effect may run the other way."""

_WHO_STAYED = re.compile(r"\bones who stayed\b", _I)
_WHO_MAY_LEAVE = re.compile(
    r"\b(?:customers?|users?|members?|subscribers?|clients?|patients?|students?|pupils?|employees?|"
    r"staff|people|"
    r"participants?|volunteers?|contributors?|partners?|companies|organi[sz]ations?|households?|accounts?|"
    r"donors?|passengers?|suppliers?|tenants?|visitors?|developers?|teams?|adopters?)\b",
    _I,
)
_LIMIT = re.compile(r"\b(?:limit|capacity for|up to|maximum)\b", _I)
_WHO_RENEWED = re.compile(r"\bpeople who renewed\b", _I)
_WHAT_RENEWS = re.compile(
    r"\b(?:revenues?|sales|income|turnover|arr|mrr|bookings|orders|subscri\w+|member\w*|customers?|users?|"
    r"clients?|donations?|attend\w+|contribut\w+|profits?|ebitda|passengers?)\b",
    _I,
)
_OF_STAGES = re.compile(r"\blongest that any one part\b|\blast finished in that time\b", _I)
_NO_WORK = re.compile(
    r"\bpa(?:y|ys|id|ying)[- ]?(?:back|for)\b|\bbreaks?[- ]even\b|\bcovers? (?:its|their)\b|\breturns?\b|"
    r"\brunway\b|\blease\b|\bcontract\b|\bwarranty\b|\bsav(?:es?|ed|ing|ings)\b|\bnotice\b",
    _I,
)
"""A stretch of time in which nothing is built that could be late."""

_OF_THE_LIVING = re.compile(
    r"\bpaid for (?:itself|today)\b|\bstill active\b|\bone more of those\b|\btried it and left\b", _I
)
_LOST = re.compile(
    r"\bturned (?:away|down)\b|\brejected\b|\blost\b|\bcancel\w+|\bcomplain\w+|\bincidents?\b|\boutages?\b|"
    r"\bdefects?\b|\bbugs?\b|\bvulnerabilit\w+|\baccidents?\b|\bclosed\b",
    _I,
)
_OF_A_DEED = re.compile(
    r"\bslips by\b|\bgoes into that\b|\bWhy then and\b|\bwaits so that\b|\bfinished before that\b|"
    r"\bthat it is done\b|\bplans of this kind\b|\blast finished\b",
    _I,
)


def is_ratio(text: str) -> bool:
    """The percentage in *text* is a part of an amount and not of a number of people or things."""
    return _RATIO.search(text) is not None


def suits(question: str, text: str) -> bool:
    """Whether a question (or a pattern's text) makes sense about the sentence *text*."""
    return not (
        (_OF_HEADS.search(question) and is_ratio(text))
        or (_OTHER_WAY.search(question) and _OWN_REASON.search(text))
        or (_WHO_STAYED.search(question) and (not _WHO_MAY_LEAVE.search(text) or _LIMIT.search(text)))
        or (_WHO_RENEWED.search(question) and not _WHAT_RENEWS.search(text))
        or (_OF_STAGES.search(question) and _NO_WORK.search(text))
        or (_OF_THE_LIVING.search(question) and _LOST.search(text))
        or (_OF_A_DEED.search(question) and RUNS_OUT.search(text))
    )
