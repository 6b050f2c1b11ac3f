"""An engine's replies beside questions and verdicts: values that stand in ledgers, every quote verified.

An engine's own quotes are never kept: each `quote` here is the source's own stretch of text, found
again by code, and what could not be found is not there.
"""

from __future__ import annotations

from dataclasses import dataclass

from orchestrator.material.model.claim import Place


@dataclass(frozen=True, slots=True)
class Attack:
    """A question that the board is likely to ask, and how to prepare for it."""

    question: str
    asked_by: str  # a name: of a board member, or of a panelist
    why: str  # why this person asks it, one sentence
    about: Place | None  # the words of the deck that it is about; None: about the whole
    good_answer: str  # what a good answer gives
    bring: tuple[str, ...] = ()  # what to have at hand, a few words each
    have: tuple[Place, ...] = ()  # what the deck says already that an answer can stand on
    agent: str | None = None  # the panelist's id; None: a member of the real board
    is_missing: bool = False  # it asks for what `about`, the slide with its title, or the deck does not say


@dataclass(frozen=True, slots=True)
class BetterAnswer:
    """A stronger answer to one exchange, made only from what deck and presenter said."""

    exchange: str  # Exchange.id
    text: str
    rests_on: tuple[Place, ...]  # at least one; where an answer in the room said it, without a slide
    bring: tuple[str, ...] = ()  # what was said nowhere and must be brought


@dataclass(frozen=True, slots=True)
class RubricCheck:
    """One line of the rubric."""

    name: str  # as asked
    state: str  # yes, partly, no or "not judged"
    why: str
    rests_on: Place | None = None


@dataclass(frozen=True, slots=True)
class DebriefWords:
    """All that a debrief says and that no count gives."""

    fix: str = ""  # the one thing to fix first; "": nothing
    why: str = ""
    fix_exchange: str | None = None  # Exchange.id that it is about
    better: tuple[BetterAnswer, ...] = ()
    checks: tuple[RubricCheck, ...] = ()
    dismissed: tuple[int, ...] = ()  # places in `DebriefRequest.tensions`: no contradiction after all
    still_wanted: tuple[str, ...] = ()  # what the panel still wanted to ask, as questions
    promises: tuple[Place, ...] = ()  # what the presenter undertook in the speech, outside answers
    refused: tuple[tuple[str, int], ...] = ()  # how many parts were left out, by the reason


@dataclass(frozen=True, slots=True)
class Bearing:
    """How one reported finding stands to the deck."""

    reported: int  # its place in `NewsRequest.reported`
    stance: str  # of intel.STANCES
    about: Place | None  # the words of the deck that it bears on
    why: str = ""


@dataclass(frozen=True, slots=True)
class Remembered:
    """Something that the Scribe keeps: a goal, a decision or a blocker."""

    kind: str  # goal, decision or blocker
    text: str  # one plain sentence
    quote: str  # verbatim from the passage
    seq: int  # of the passage's record
