"""What a sentence of a deck puts before the board: a deadline, a price, somebody's word, a cost to come.

A claim's kind says what is measured (money, a share, a date); its sort says what that is to the people who
hear it. "€1.4m" is money on five slides, and on one it is asked for, on one it was spent, on one it is hoped
for, on one it is somebody else's and on one it is a rule. A question suits one of these and is nonsense on
the others. Where no sort can be told, there is none, and the panelist has no question on the sentence.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from orchestrator.claims import cues as claim_cues
from orchestrator.claims.model import Claim
from orchestrator.claims.units import is_currency
from orchestrator.engines import holding_cues as holding
from orchestrator.engines import sort_cues as cues
from orchestrator.engines.rule_kept import BROKEN, rule_kept

FACT: Final = "fact"
"""A measured figure of which nothing more telling is known: asked about where nothing else is."""

NAMES: Final = {
    "condition": "a yes that the plan needs and does not have",
    "untested": "something that was never tried",
    "variance": "a plan that was not kept",
    "word": "somebody's word, and what binds them",
    "expiry": "something that ends, and what comes after it",
    "due": "a day that others have set",
    "dependence": "something that hangs on one party",
    "binding": "a bond of several years, and the way out of it",
    "mandate": "a decision that is handed over, and how far",
    "request": "what the board is asked for",
    "round": "money that is raised, and how far it carries",
    "interest": "somebody who gains by it, and who looked at it besides",
    "leaving": "somebody who goes, and who takes over",
    "incident": "something that went wrong",
    "guideline": "a rule beside what is done",
    "stale": "a figure that is not of today",
    "unfunded": "something that costs money and has none",
    "objection": "somebody who is against it",
    "demand": "what another party wants, and what it costs to give",
    "risk": "a risk, and what is done about it",
    "gap": "a weak spot, and what is done about it",
    "payback": "a return, and what it hangs on",
    "proposal": "what is proposed",
    "saving": "a saving, and whose budget shows it",
    "income": "income that is still to come",
    "recommendation": "a choice, and what would change it",
    "worry": "people who are worried",
    "cash": "money in hand, and how long it lasts",
    "borrowing": "a debt, and who bears it",
    "cost": "a cost still to come, and how firm it is",
    "unit-cost": "what one piece costs",
    "survey": "what people say, and how many were asked",
    "poll": "what people say, and who was not heard",
    "pledge": "a promise without an end",
    "precedent": "what somebody else did",
    "forecast": "a forecast, and what it is built on",
    "vacancy": "posts that nobody fills",
    "idle": "something that is paid for and not used",
    "funding": "money from others, and its conditions",
    "price": "a price, and how long it holds",
    "earned": "a price that others pay us",
    "assurance": "an assurance, and what it rests on",
    "reward": "pay that hangs on a figure",
    "split": "who pays which part",
    "standard": "a rule, and how far off it is",
    "trial": "a result, and what it is compared with",
    "cause": "a cause, and how that is known",
    "milestone": "a date, and what hangs on it",
    "boast": "a first place, and among whom",
    "effect": "an effect, and how it shows",
    "change": "a figure that moved, and why",
    "step": "a step, and who takes it",
    "underway": "work in hand, and what is left of it",
    FACT: "a figure, and where it comes from",
}
"""The sorts, what a board asks about first standing first, each as a presenter reads it in the notes."""

_KEPT: Final = 4096
_FEWEST_WORDS: Final = 3
_FACT_WORDS: Final = 5
"""Fewer are an entry in an account."""
_TITLE_WORDS: Final = 7
"""A title of fewer words names a slide and states nothing."""


@dataclass(frozen=True, slots=True)
class _Read:
    """A sentence with what decides about it."""

    text: str
    title: str
    counted: bool  # the slide says how many were asked
    is_money: bool
    has_figure: bool
    ours: bool  # the slide is about the presenter's own house and plan

    def says(self, cue: re.Pattern[str]) -> bool:
        return cue.search(self.text) is not None

    def under(self, cue: re.Pattern[str]) -> bool:
        return cue.search(self.title) is not None

    @property
    def is_done(self) -> bool:
        return self.says(cues.DONE_ALREADY)

    @property
    def is_plan(self) -> bool:
        """It stands where work is announced, and tells of none that was done."""
        return self.ours and not self.is_done


def sorts_of(claim: Claim, title: str, slide_text: str) -> tuple[str, ...]:
    """The sorts of `NAMES` that the claim's sentence is, what is asked about first standing first.

    Args:
        title: Of the claim's slide; "" for speech.
        slide_text: All that stands on the slide, for what it tells beside the sentence.
    """
    if claim.origin in ("table", "chart") or len(claim.text.split()) < _FEWEST_WORDS:
        return ()
    if claim.origin == "title" and len(claim.text.split()) < _TITLE_WORDS:
        return ()
    money = any(is_currency(q.unit) for q in claim.quantities) or "money" in claim.kinds
    has_figure = bool(claim.quantities) or re.search(r"\d", claim.text) is not None
    counted = _says_how_many(slide_text)
    measured = any(is_currency(q.unit) or q.unit in ("%", "points") for q in claim.quantities)
    return _sorts(claim.text, title, counted, bool(money), has_figure) or _fact(claim.text, title, measured)


@lru_cache(maxsize=_KEPT)
def _says_how_many(slide_text: str) -> bool:
    return cues.COUNTED.search(slide_text) is not None


@lru_cache(maxsize=_KEPT)
def _sorts(text: str, title: str, counted: bool, is_money: bool, has_figure: bool) -> tuple[str, ...]:
    apart = cues.TITLE_OPTIONS.search(title) or cues.TITLE_OTHERS.search(title) or is_of_others(text)
    read = _Read(text, title, counted, is_money, has_figure, not apart)
    found = set(_told(read))
    if found & _INSTEAD.keys():
        found -= {other for sort in found & _INSTEAD.keys() for other in _INSTEAD[sort]}
    return tuple(sort for sort in NAMES if sort in found)


@lru_cache(maxsize=_KEPT)
def _fact(text: str, title: str, measured: bool) -> tuple[str, ...]:
    """What can be asked of a measured figure where nothing more telling is known of its sentence."""
    apart = cues.TITLE_OPTIONS.search(title) or cues.TITLE_OTHERS.search(title) or is_of_others(text)
    ahead = any(cue.search(title) for cue in _NOT_MEASURED) or any(cue.search(text) for cue in _AGREED)
    return () if apart or ahead or not measured or len(text.split()) < _FACT_WORDS else (FACT,)


_NOT_MEASURED: Final = (
    cues.TITLE_ASK, cues.TITLE_PROPOSAL, cues.TITLE_PLAN, cues.TITLE_RISK, cues.TITLE_AHEAD,
    holding.TITLE_EXPECTED, cues.TITLE_PAST,
)  # fmt: skip
_AGREED: Final = (
    claim_cues.FUTURE,
    claim_cues.PROMISE,
    claim_cues.DELIVERABLE,
    cues.DOES,
    cues.FEES,
    cues.WE_WILL,
)
"""A figure that is decided, agreed or hoped for comes from no record."""


def is_of_others(text: str) -> bool:
    """It says what a lawmaker or a regulator is after, which the presenter need not answer for."""
    return cues.ANOTHERS_AIM.search(text) is not None and cues.OUR.search(text) is None


def _told(read: _Read) -> Iterator[str]:
    for sort, test in _TESTS.items():
        if test(read):
            yield sort


def _is_expiry(read: _Read) -> bool:
    return read.says(cues.ENDS) and not read.says(cues.NO_DEADLINE) and not read.is_done


def _is_due(read: _Read) -> bool:
    return read.says(cues.BY_THEN) and not read.is_done


def _is_request(read: _Read) -> bool:
    if read.says(cues.FAVOUR):
        return False
    return read.says(cues.ASKED_ANYWHERE) or (
        read.under(cues.TITLE_ASK) and read.is_plan and not read.says(cues.STATES) and not _is_entry(read)
    )


def _is_entry(read: _Read) -> bool:
    """A line of a timetable: "Tender: January to March"."""
    return read.says(cues.LISTS) and read.says(cues.DATED) and not read.says(cues.BOARD_ACTS)


def _is_proposal(read: _Read) -> bool:
    if not read.is_plan or read.under(cues.TITLE_ASK) or read.says(cues.STATES):
        return False
    if read.says(cues.GOES_UP):
        return True
    if not read.under(cues.TITLE_PROPOSAL) or read.says(cues.BOARDS_OWN) or _has_its_day(read):
        return False
    return read.says(cues.DOES) or read.has_figure or read.says(cues.CHANGES)


def _has_its_day(read: _Read) -> bool:
    """A day on which something opens or starts."""
    return read.says(cues.STARTS_ON) and read.says(cues.DATED)


def _is_worry(read: _Read) -> bool:
    return read.says(cues.WORRIED) or read.under(cues.TITLE_OBJECTIONS)


def _is_risk(read: _Read) -> bool:
    if not (read.under(cues.TITLE_RISK) and read.ours) or read.is_done:
        return False
    return not (read.says(cues.NOT_TRIED) or read.says(cues.PROVIDED_FOR) or _is_gap(read))


def _is_gap(read: _Read) -> bool:
    """It stands among the risks and tells what is so, and not what might come."""
    if not (read.under(cues.TITLE_RISK) and read.ours) or read.is_done or read.says(cues.PROVIDED_FOR):
        return False
    return read.says(holding.STATE) and not read.says(holding.MIGHT)


def _is_incident(read: _Read) -> bool:
    if not read.ours or read.says(cues.DEALT_WITH) or _is_request(read):
        return False
    told = read.under(cues.TITLE_WRONG) and read.says(cues.FAULTY)
    return told or read.says(cues.BROKE) or read.says(cues.LOST)


def _is_variance(read: _Read) -> bool:
    if read.says(cues.PUT_BACK):
        return read.ours
    return read.ours and read.has_figure and read.says(cues.OFF_PLAN) and not read.says(cues.LATE_SHARE)


def _is_opinion(read: _Read) -> bool:
    if not read.has_figure or read.says(cues.BELIEVES):
        return False
    return read.says(cues.SAY) or read.says(cues.ASKED_PEOPLE)


def _names_rule(read: _Read) -> bool:
    return read.has_figure and read.says(cues.OWN_RULE)


def _is_trial(read: _Read) -> bool:
    return read.under(holding.TITLE_TRIED) and read.says(holding.RESULT) and not read.says(claim_cues.PLANNED)


def _is_cause(read: _Read) -> bool:
    if not read.ours or read.says(claim_cues.FUTURE) or read.under(cues.TITLE_RISK):
        return False
    return read.says(holding.BECAUSE) and (read.is_done or read.says(cues.MOVED))


def _is_cost(read: _Read) -> bool:
    if not (read.is_money and read.ours) or read.is_done or read.under(cues.TITLE_PAST):
        return False
    return read.says(cues.COSTS) and not read.says(cues.SAVES)


def _is_income(read: _Read) -> bool:
    return read.ours and read.has_figure and read.says(cues.EARNS) and not read.is_done


def _is_forecast(read: _Read) -> bool:
    if not (read.has_figure and read.ours) or read.says(cues.SAVES) or read.is_done:
        return False
    if read.under(holding.TITLE_EXPECTED) and not read.says(holding.FINITE):
        return True
    return read.says(cues.EXPECTS) and not read.under(cues.TITLE_WHAT_OTHERS_DO)


def _is_saving(read: _Read) -> bool:
    return read.ours and read.has_figure and read.says(cues.SAVES) and not read.is_done


def _is_milestone(read: _Read) -> bool:
    if not (read.is_plan and read.says(cues.DATED)) or read.says(claim_cues.RUNS_OUT):
        return False
    if read.says(cues.BOARDS_OWN) or read.says(holding.TRIFLING):
        return False
    if read.under(cues.TITLE_ASK) and _is_entry(read):
        return True
    if read.under(cues.TITLE_PROPOSAL) and _has_its_day(read):
        return True
    return (read.under(cues.TITLE_PLAN) and (read.says(cues.DOES) or read.says(cues.LISTS))) or read.says(
        claim_cues.DELIVERABLE
    )


def _is_step(read: _Read) -> bool:
    if not read.is_plan or read.says(cues.DATED) or read.says(cues.BOARDS_OWN):
        return False
    if read.says(claim_cues.DELIVERABLE) or read.says(cues.WE_WILL):
        return True
    return read.under(cues.TITLE_PLAN) and read.says(cues.DOES)


def _is_change(read: _Read) -> bool:
    if not (read.has_figure or read.says(cues.PART_OF)) or not read.ours or read.says(cues.LIKE_US):
        return False
    return read.says(cues.MOVED) and not read.says(claim_cues.FUTURE) and not read.says(cues.EXPECTS)


def _is_precedent(read: _Read) -> bool:
    if read.says(cues.OUR):
        return False
    return read.says(cues.LIKE_US) or (
        read.under(cues.TITLE_WHAT_OTHERS_DO) and (read.says(cues.DID_IT) or read.says(cues.MOVED))
    )


def _is_boast(read: _Read) -> bool:
    return read.ours and read.says(claim_cues.SUPERLATIVE) and not read.says(cues.NO_BOAST)


def _is_effect(read: _Read) -> bool:
    if read.has_figure or not read.ours or read.under(cues.TITLE_RISK) or read.says(cues.AGAINST):
        return False
    return read.says(claim_cues.BENEFIT_VERB) and not read.says(claim_cues.BENEFIT_WANTED)


_TESTS: Final[dict[str, Callable[[_Read], bool]]] = {
    "condition": lambda read: read.says(cues.YES_WANTED),
    "untested": lambda read: read.says(cues.NOT_TRIED),
    "variance": _is_variance,
    "word": lambda read: read.says(cues.WORD_OF_OTHERS) and not read.says(cues.ASKED_PEOPLE),
    "expiry": _is_expiry,
    "due": _is_due,
    "dependence": lambda read: read.says(cues.RESTS_ON_ONE) and read.ours,
    "request": _is_request,
    "round": lambda read: read.is_money and read.says(cues.RAISES),
    "proposal": _is_proposal,
    "leaving": lambda read: read.says(cues.GOES),
    "incident": _is_incident,
    "guideline": lambda read: _names_rule(read) and rule_kept(read.text, cues.OWN_RULE) == BROKEN,
    "standard": lambda read: _names_rule(read) and rule_kept(read.text, cues.OWN_RULE) != BROKEN,
    "binding": lambda read: read.ours and read.says(holding.BINDS) and not read.is_done,
    "mandate": lambda read: read.says(holding.DELEGATES) and not read.is_done,
    "interest": lambda read: read.ours and read.says(holding.INTERESTED),
    "stale": lambda read: read.ours and read.says(holding.OLD),
    "unfunded": lambda read: read.ours and read.says(holding.UNFUNDED),
    "demand": lambda read: read.ours and read.says(holding.DEMANDS) and not read.is_done,
    "trial": _is_trial,
    "assurance": lambda read: read.ours and read.says(holding.ASSURES) and not read.says(cues.BOARDS_OWN),
    "reward": lambda read: read.ours and read.says(holding.REWARDS) and not read.is_done,
    "split": lambda read: read.ours and read.says(holding.SPLITS) and not read.is_done,
    "underway": lambda read: read.ours and read.says(holding.UNDERWAY),
    "cause": _is_cause,
    "objection": lambda read: read.says(cues.AGAINST),
    "risk": _is_risk,
    "gap": _is_gap,
    "payback": lambda read: read.ours and read.says(cues.PAYS_BACK),
    "saving": _is_saving,
    "income": _is_income,
    "recommendation": lambda read: read.says(cues.PREFERS),
    "worry": _is_worry,
    "cash": lambda read: read.has_figure and read.says(cues.HOLDS) and read.ours,
    "borrowing": lambda read: read.ours and read.says(cues.OWES) and not read.is_done,
    "cost": _is_cost,
    "unit-cost": lambda read: read.is_money and read.says(cues.PER_PIECE),
    "survey": lambda read: _is_opinion(read) and not read.counted,
    "poll": lambda read: _is_opinion(read) and read.counted,
    "pledge": lambda read: read.ours and read.says(cues.STANDS_FIRM),
    "precedent": _is_precedent,
    "forecast": _is_forecast,
    "vacancy": lambda read: read.says(cues.UNFILLED),
    "idle": lambda read: read.ours and read.says(cues.UNUSED),
    "funding": lambda read: read.has_figure and read.says(cues.GIVEN),
    "price": lambda read: read.has_figure and read.says(cues.WE_PAY) and not read.says(holding.SPLITS),
    "earned": lambda read: read.has_figure and read.ours and read.says(cues.PAYS_US),
    "milestone": _is_milestone,
    "boast": _is_boast,
    "effect": _is_effect,
    "change": _is_change,
    "step": _is_step,
}

_INSTEAD: Final = {
    "recommendation": ("proposal",),
    "condition": ("risk", "milestone", "step", "forecast", "funding", "request", "income", "word", "leaving"),
    "untested": ("risk", "incident", "forecast"),
    "variance": ("change", "incident", "cost", "risk", "milestone"),
    "word": ("income", "forecast", "step"),
    "expiry": ("milestone", "step", "funding", "cost", "risk", "request", "word", "forecast"),
    "due": ("milestone", "step", "funding", "cost", "risk", "request", "word"),
    "dependence": ("risk",),
    "leaving": ("risk", "milestone", "step", "change"),
    "incident": ("change", "risk"),
    "guideline": ("change", "risk"),
    "objection": ("survey", "poll", "worry"),
    "payback": ("forecast", "saving", "income", "request", "proposal"),
    "saving": ("risk", "forecast", "income", "change", "cost"),
    "income": ("forecast", "change"),
    "round": ("request", "proposal", "forecast", "step", "recommendation", "cost"),
    "request": (
        "variance",
        "step",
        "milestone",
        "cost",
        "recommendation",
        "forecast",
        "word",
        "saving",
        "income",
        "survey",
        "poll",
        "binding",
    ),
    "mandate": ("request", "binding"),
    "interest": ("forecast", "step", "word"),
    "stale": ("cost", "change", "forecast", "untested", "condition"),
    "unfunded": ("cost", "risk"),
    "demand": ("word", "borrowing", "condition"),
    "binding": ("price", "cost", "milestone", "step", "borrowing"),
    "assurance": ("pledge", "effect", "step", "survey", "boast", "forecast"),
    "reward": ("cost", "price", "income", "milestone"),
    "split": ("funding", "cost", "price", "earned"),
    "underway": ("step", "milestone"),
    "trial": ("survey", "poll", "change", "cause", "word"),
    "cause": ("change",),
    "proposal": ("step", "milestone"),
    "change": ("worry",),
    "unit-cost": ("cost", "price"),
    "precedent": ("risk", "change", "survey", "poll", "forecast", "recommendation"),
    "pledge": ("step", "risk", "milestone", "request", "proposal"),
    "cost": ("step", "change"),
    "borrowing": ("proposal", "forecast", "step", "milestone", "cost"),
    "survey": ("word", "change", "forecast"),
    "poll": ("word", "change", "forecast"),
    "forecast": ("milestone", "step", "change", "proposal", "standard", "guideline"),
    "vacancy": ("change", "risk"),
}
"""What a sentence is no longer where it is something more telling."""
