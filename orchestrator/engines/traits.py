"""What sort of sentence a claim is, as far as questions presuppose it: a plan, a fact, an effect, a loss."""

from __future__ import annotations

import re
from typing import Final

from orchestrator.claims import cues
from orchestrator.claims.periods import find_periods

_I: Final = re.IGNORECASE

_RATIO = re.compile(
    r"\b(?:margins?|capacity|utili[sz]ation|occupancy|yield|interest|tax|discount|inflation|return on|irr|"
    r"roi|roe|wacc|ebitda|leverage|gearing|efficiency|uptime|availability|load factor|price|cost|costs|"
    r"revenue|sales|income|profit|budget|spend|spending|energy|power|moisture|humidity|gdp)\b",
    _I,
)
_OWN_REASON = re.compile(r"\bbecause\b(?! of)|\bfor (?:lack|want) of\b|\btherefore\b|\bmeans that\b", _I)
_WHO_MAY_LEAVE = re.compile(
    r"\b(?:customers?|users?|members?|subscribers?|clients?|patients?|students?|pupils?|"
    r"participants?|volunteers?|contributors?|partners?|companies|organi[sz]ations?|households?|"
    r"accounts?|donors?|passengers?|suppliers?|tenants?|visitors?|developers?|teams?|adopters?)\b",
    _I,
)
_LIMIT = re.compile(r"\b(?:limit|capacity for|up to|maximum|target|potential)\b", _I)
_WHAT_RENEWS = re.compile(
    r"\b(?:revenues?|sales|income|turnover|arr|mrr|bookings|orders|subscri\w+|member\w*|customers?|users?|"
    r"clients?|donations?|attend\w+|contribut\w+|profits?|ebitda|passengers?)\b",
    _I,
)
_NO_WORK = re.compile(
    r"\bpa(?:y|ys|id|ying)[- ]?(?:back|for)\b|\bbreaks?[- ]even\b|\bcovers? (?:its|their)\b|\breturns?\b|"
    r"\brunway\b|\blease\b|\bcontract\b|\bwarranty\b|\bsav(?:es?|ed|ing|ings)\b|\bnotice\b|"
    r"\bcontracts?\b|\bruns for\b|\bterm\b|\bvalid for\b",
    _I,
)
_INCOME = re.compile(
    r"\b(?:revenues?|sales|income|turnover|arr|mrr|orders?|bookings|backlog|pipeline|contracts?|grants?|"
    r"funding|donations?|sponsor\w*|raised|committed|pledged)\b",
    _I,
)
_TERMS = re.compile(
    r"\b(?:we|they|you) (?:take|charge|keep|offer|ask|pay)\b|\bcommissions?\b|\bfees?\b|\bequity\b|"
    r"\bof the company\b|\basking\b|\btimes (?:ebitda|sales|revenue|earnings)\b|\braising\b|\bper month\b|"
    r"\bshare price\b",
    _I,
)
_WAITING = re.compile(r"\b(?:waits?|waiting|median|average|mean|down from|up from|response time)\b", _I)
_LOST = re.compile(
    r"\bturned (?:away|down)\b|\brejected\b|\blost\b|\bcancel\w+|\bcomplain\w+|\bincidents?\b|\boutages?\b|"
    r"\bdefects?\b|\bbugs?\b|\bvulnerabilit\w+|\baccidents?\b|\bclosed\b",
    _I,
)
_EFFECT = re.compile(
    r"\b(?:more|less|fewer|better|easier|faster|cheaper|safer|simpler|stronger|higher|lower|greater|"
    r"improv\w+|increas\w+|reduc\w+|enhanc\w+|accelerat\w+|simplif\w+|streamlin\w+|eliminat\w+|"
    r"sav(?:e|es|ing|ings)|avoid\w*|prevent\w*|boost\w*|benefit\w*|help\w*|grow\w*|double\w*|triple\w*|"
    r"halve\w*|reach\w*|lower\w*|win|always|never|every|all|no)\b",
    _I,
)
_STATED = re.compile(cues.BENEFIT_VERB.pattern + r"|\b(?:has|have) become\b")
_NOT_YET = re.compile(r"\b(?:will|would|should|could|may|might|expect\w*|aims?)\b", _I)
_METHOD = re.compile(
    r"\b(?:improvement|baseline|faster|slower|speed[- ]?up|accuracy|algorithm|solver|model)\b", _I
)
_ASIDE = re.compile(r"\([^()]*\)")
_AHEAD: Final = (cues.DELIVERABLE, cues.PLANNED, cues.FUTURE, cues.PROMISE, cues.UNFINISHED)
_ALREADY = re.compile(
    r"^\W*(?:added|completed|finished|released|published|received|submitted|launched|held|signed|agreed|"
    r"created|established|achieved|started|delivered|introduced|featured|updated|approved)\b",
    _I,
)


def is_ratio(text: str) -> bool:
    """The percentage in *text* is a part of an amount and not of a number of people or things."""
    return _RATIO.search(text) is not None


def gives_reason(text: str) -> bool:
    """Somebody gives the reason for what happened; only an observed effect may run the other way."""
    return _OWN_REASON.search(text) is not None


def is_of_people(text: str) -> bool:
    """It counts those who may come and leave, and is no limit to their number."""
    return _WHO_MAY_LEAVE.search(text) is not None and not is_limit(text)


def is_limit(text: str) -> bool:
    """A number is an upper end, which nobody has counted."""
    return _LIMIT.search(text) is not None


def renews(text: str) -> bool:
    """It is about what comes back when people come back."""
    return _WHAT_RENEWS.search(text) is not None


def is_no_work(text: str) -> bool:
    """A stretch of time in which nothing is built that could be late."""
    return _NO_WORK.search(text) is not None


def is_income(text: str) -> bool:
    """Money that comes in, of which some may be signed for and some not."""
    return _INCOME.search(text) is not None


def is_terms(text: str) -> bool:
    """What somebody asks, charges or offers: it is agreed on, and not measured."""
    return _TERMS.search(text) is not None


def is_of_waiting(text: str) -> bool:
    """A time that was measured over many cases, and not the time that a piece of work takes."""
    return _WAITING.search(text) is not None


def is_loss(text: str) -> bool:
    """What is counted is gone, or ought to be."""
    return _LOST.search(text) is not None


def runs_out(text: str) -> bool:
    """A right or a contract stops on a date."""
    return cues.RUNS_OUT.search(text) is not None


def is_done(text: str) -> bool:
    """A line that says what was done, or where work stands."""
    return bool(_ALREADY.search(text) or cues.STANDS.search(text))


def is_ahead(text: str) -> bool:
    """Work that is still to be done, or a day that is still to come; what stands in brackets apart."""
    text = _ASIDE.sub("", text)
    if is_done(text) or cues.RUNS_OUT.search(text):
        return False
    return any(cue.search(text) for cue in _AHEAD) or (has_date(text) and not cues.DONE.search(text))


def has_date(text: str) -> bool:
    """A day, month, quarter or year of the calendar stands in it."""
    return any(period.kind == "calendar" for period in find_periods(text))


def has_day_ahead(text: str) -> bool:
    """A date that something is aimed at, rather than an entry in a list of dates."""
    return has_date(text) and not cues.DATED_ENTRY.search(text)


def is_stated(text: str) -> bool:
    """An effect is told as a fact of today."""
    return _STATED.search(text) is not None and not _NOT_YET.search(text)


def is_hoped_for(text: str) -> bool:
    """Something is meant to become better, or to be always so, and can be measured or tried."""
    return _EFFECT.search(text) is not None and not is_stated(text)


def is_of_method(text: str) -> bool:
    """What one way of doing something does better than another, which is no growth over time."""
    return _METHOD.search(text) is not None
