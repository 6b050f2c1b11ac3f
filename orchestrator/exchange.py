"""A question with its follow-ups, the answers, and the verdict on each."""

from __future__ import annotations

from dataclasses import dataclass

VERDICTS = ("satisfied", "follow_up", "escalate", "unjudged")
OUTCOMES = ("satisfied", "unresolved", "parked", "unjudged")


@dataclass(frozen=True, slots=True)
class Target:
    """A claim that a panelist means to go after, and why."""

    claim: str  # Claim.id
    slide: int | None
    said_at_s: float | None
    quote: str
    angle: str  # the persona's pattern, red flag or benchmark, in words
    good_answer: str  # what a good answer would contain


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
    needs: tuple[str, ...]  # of claims.model.NEEDS: what the answer must give
    relevance: float  # 0 to 1
    lead_in: str  # what the moderator may say before it
    angle: str  # why this question: pattern, red flag or benchmark


@dataclass(frozen=True, slots=True)
class Judgement:
    """What an engine makes of one answer."""

    verdict: str  # of VERDICTS
    reason: str
    quote: str | None = None  # the presenter's own words behind the verdict, verbatim
    missing: tuple[str, ...] = ()  # of NEEDS: asked for and not given
    follow_up: str | None = None  # the next question, when the verdict asks for one


@dataclass(frozen=True, slots=True)
class Turn:
    """One question and what came of it."""

    question: str
    needs: tuple[str, ...] = ()
    answer: str | None = None
    verdict: str | None = None
    reason: str | None = None
    quote: str | None = None


@dataclass(frozen=True, slots=True)
class Exchange:
    """One panelist's question and all that followed."""

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


@dataclass(frozen=True, slots=True)
class Observation:
    """What an agent noticed about the presenter, with the words behind it."""

    text: str
    quote: str | None
