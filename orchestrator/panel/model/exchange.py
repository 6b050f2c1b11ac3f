"""A question with its follow-ups, the answers, and the verdict on each answer."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import takewhile, zip_longest

from orchestrator.material.claim import Place, Tension
from orchestrator.material.values import PANEL

VERDICTS = ("satisfied", "follow_up", "escalate", "unjudged")
"""The verdicts on one answer.

A failed call, a timeout and silence are `unjudged`: a failure never counts as a success.
"""
OUTCOMES = ("satisfied", "unresolved", "parked", "unjudged")
"""The outcomes of a whole exchange, in the words of `interfaces.md`.

Its last verdict decides, unless it was parked.
"""
PUT_AGAIN = "the question of an earlier rehearsal is put again"
"""The reason recorded for a panelist's question in a drill."""
YOURS = "yours to judge"
"""The reason of an `unjudged` verdict on an answer that only a person or a model could judge."""
GIVEN, PARTLY, NOT = "given", "partly", "not"
PERSON_VERDICTS = (GIVEN, PARTLY, NOT)
"""The verdicts that a person can give on an answer. Given counts as satisfied, partly and not as
unresolved.
"""
NO_ANSWER = "no answer was given"
NO_JUDGEMENT = "the engine gave no judgement"
"""The beginning of a verdict's reason if the engine failed; the failure follows it."""


@dataclass(frozen=True, slots=True)
class Target:
    """A part of the deck that a panelist means to attack, and why."""

    claim: str | None  # Claim.id; None where the line holds no extracted claim
    slide: int | None
    said_at_s: float | None
    quote: str  # verbatim from the slide; of something missing the title of its slide, "" without one
    angle: str  # why this panelist goes after it
    good_answer: str  # what a good answer would contain
    is_missing: bool = False  # the slide leaves it out; the quote only says which slide


@dataclass(frozen=True, slots=True)
class Candidate:
    """The question that a panelist would ask if called on now."""

    agent: str
    question: str
    claim: str | None  # Claim.id; None when nothing specific was found
    slide: int | None
    said_at_s: float | None
    quote: str | None  # verbatim from the slide or the segment
    grounded: bool
    needs: tuple[str, ...]  # of claim.NEEDS: what the answer must give
    relevance: float  # 0 to 1
    lead_in: str  # words before it, of a scripted engine and of records up to 0.2: no model makes any
    angle: str  # why this question
    beside: Place | None = None  # of a contradiction, the other of the two quotes
    good_answer: str = ""  # what a good answer would contain
    is_missing: bool = False  # about what the slide leaves out; the quote only says which slide
    under: str = ""  # as Place.under, of the quote
    bare: str | None = field(default=None, compare=False)  # as Turn.bare; None: the engine does not say it
    written_by: str = PANEL  # of model.brought
    brought: int | None = None  # its number among the questions that the presenter brought, from 1


@dataclass(frozen=True, slots=True)
class Observation:
    """Something that an agent noticed about the presenter, with the words on which it is based."""

    text: str
    quote: str | None
    matter: str | None = None  # what of the delivery it is about: said once in a session


@dataclass(frozen=True, slots=True)
class Judgement:
    """An engine's verdict on one answer, and what follows from it."""

    verdict: str  # of VERDICTS
    reason: str
    quote: str | None = None  # the presenter's own words behind the verdict, verbatim
    missing: tuple[str, ...] = ()  # of NEEDS: asked for and not given
    follow_up: str | None = None  # the next question, when the verdict asks for one
    promises: tuple[str, ...] = ()  # what the presenter undertook in this answer, verbatim
    contradicts: Tension | None = None  # the slide or earlier words that cannot be right beside it
    still_open: tuple[str, ...] = ()  # what is left open, also where the panelist is satisfied
    remark: str = ""  # what the panelist says to the answer before anything else: "That answers it."
    is_new_question: bool = False  # the follow-up asks something that the question did not
    note: str = ""  # what the panelist notes for itself, Markdown; "": nothing
    noticed: Observation | None = None  # about the presenter, with the words behind it


@dataclass(frozen=True, slots=True)
class PersonVerdict:
    """A person's verdict on an answer; the panel's verdict stays beside it."""

    exchange: str
    turn: int  # whose answer it is, from 1
    verdict: str | None  # of PERSON_VERDICTS; None: what was said before is taken back
    by: str  # who says so
    at: str  # RFC 3339
    note: str = ""


Persons = Mapping[tuple[str, int], PersonVerdict]
"""People's verdicts on answers, by exchange and turn number, from 1."""


@dataclass(frozen=True, slots=True)
class Turn:
    """One question, with its answer and the verdict on it."""

    question: str
    needs: tuple[str, ...] = ()
    answer: str | None = None
    verdict: str | None = None
    reason: str | None = None
    quote: str | None = None
    lead_in: str = ""  # the beginning of the question, which is not said again when it comes back
    bare: str | None = field(default=None, compare=False)
    """The question without the quote that is shown above it.

    If "", the question itself; if None, the record is older than 0.2.
    """
    still_open: tuple[str, ...] = ()  # as Judgement.still_open
    remark: str = ""  # as Judgement.remark
    is_new_question: bool = False  # this question was not asked, or implied, by the one before it
    misheard: str | None = None  # the answer as it was heard and judged, where it was corrected since
    person: PersonVerdict | None = None  # on the answer; laid over what the records say, and in none of them


@dataclass(frozen=True, slots=True)
class Exchange:
    """One panelist's question and everything that followed it."""

    id: str  # "x1", "x2", … in the order of asking
    agent: str
    claim: str | None
    slide: int | None
    said_at_s: float | None
    quote: str | None
    grounded: bool
    why_this_agent: str
    asked_at_s: float  # session clock
    turns: tuple[Turn, ...]
    outcome: str | None = None  # None while it is open
    spent_s: float = 0.0  # seconds that its answers took
    angle: str | None = None  # why it was asked, as the candidate had it
    comes_back_to: str | None = None  # the parked exchange whose question is put again
    beside: Place | None = None  # as Candidate.beside
    good_answer: str = ""  # as Candidate.good_answer
    is_missing: bool = False  # as Candidate.is_missing
    under: str = ""  # as Candidate.under
    written_by: str = PANEL  # as Candidate.written_by
    brought: int | None = None  # as Candidate.brought

    @property
    def answered(self) -> tuple[Turn, ...]:
        """Return the turns whose question got an answer."""
        return tuple(turn for turn in self.turns if turn.answer)

    @property
    def left_open(self) -> tuple[str, ...]:
        """Return the points left open by the last answer, and by the last answer before each new question."""
        turns = self.answered
        last = (one for one, after in zip_longest(turns, turns[1:]) if after is None or after.is_new_question)
        return tuple(dict.fromkeys(point for turn in last for point in turn.still_open))

    @property
    def was_left_open(self) -> tuple[str, ...]:
        """Return the points that earlier answers left open and the last ones do not, because they were asked
        on or ignored.
        """
        named = dict.fromkeys(point for turn in self.answered for point in turn.still_open)
        return tuple(point for point in named if point not in self.left_open)

    @property
    def person(self) -> PersonVerdict | None:
        """Return a person's verdict on the last answer, which decides the result, or None."""
        return self.answered[-1].person if self.answered else None

    @property
    def result(self) -> str | None:
        """Return the result, of OUTCOMES: a person's verdict on the last answer, else the panel's outcome."""
        return self.outcome if self.person is None else result_of(self.person)

    @property
    def is_follow_up_silent(self) -> bool:
        """Return whether the last question, asked after an answer to an earlier one, got no answer."""
        return bool(self.answered) and not self.turns[-1].answer


def result_of(said: PersonVerdict) -> str:
    """Return the result, of OUTCOMES, of an answer that a person judged."""
    return "satisfied" if said.verdict == GIVEN else "unresolved"


def each_once(exchanges: Sequence[Exchange]) -> tuple[Exchange, ...]:
    """Return every question once; if one was parked and asked again, only the later exchange."""
    taken_up = {exchange.comes_back_to for exchange in exchanges}
    return tuple(one for one in exchanges if one.id not in taken_up)


def not_taken_up(exchanges: Sequence[Exchange]) -> tuple[Exchange, ...]:
    """Return the parked exchanges whose question was not asked again, as homework for the presenter."""
    return tuple(one for one in each_once(exchanges) if one.outcome == "parked")


def still_to_come_back(exchanges: Sequence[Exchange]) -> tuple[Exchange, ...]:
    """Return the parked exchanges whose question can still come back, which every question does at most
    once.
    """
    return tuple(one for one in not_taken_up(exchanges) if one.comes_back_to is None)


def answered_with(quote: str, exchanges: Iterable[Exchange]) -> str | None:
    """Return the id of the first exchange whose answers contain the quote, or None."""
    words = " ".join(quote.split())
    for one in exchanges:
        if any(words in " ".join((turn.answer or "").split()) for turn in one.turns):
            return one.id
    return None


def answer_quoted(asked: Exchange, exchanges: Sequence[Exchange]) -> str | None:
    """Return the exchange before *asked* whose answers contain the words that it is about, or None.

    Answers are speech as well, so such words have a time; but the time of an answer is not a place in the
    talk.
    """
    if asked.quote is None or asked.said_at_s is None:
        return None
    return answered_with(asked.quote, takewhile(lambda one: one.id != asked.id, exchanges))
