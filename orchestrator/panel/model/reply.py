"""An engine's replies other than questions and verdicts: values stored in ledgers, with every quote verified.

An engine's own quotes are never stored: each `quote` here is the source's own stretch of text, which code has
found. Quotes that could not be found are left out.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import ClassVar, Final

from orchestrator.material.claim import Gap, Place, Tension
from orchestrator.material.values import IntelItem

# ---------------------------------------------------------------------- fact
# Facts: what was said that will still matter, each with the very words that it rests on.
#
# A fact names the ledger record that it was taken from and quotes it. Nothing else is a fact: whoever
# proposes one, rules or a model, has it checked by `memory.summariser` before it is kept.
#
# Source: the seed of the summariser (002), "Fact schema"; DESIGN.md, section 9.


FACT_TYPES: Final = (
    "decision", "commitment", "task_completed", "preference", "number", "open_thread", "person",
)  # fmt: skip
"""The seed's five types of facts, and the two about which a board asks most: promises and figures."""

CONFIDENCES: Final = ("high", "medium", "low")
"""The seed's three levels of confidence, the surest first."""
MAX_CONTENT_CHARS: Final = 400
"""Maximum number of characters of a fact; our own limit.

A plain spoken sentence has 100 to 200, and a model that writes more retells the passage.
"""

SPEECH: Final = "speech"
ANSWER: Final = "answer"
EXCHANGE: Final = "exchange"
SPOKEN: Final = (SPEECH, ANSWER)
"""The kinds of passage that somebody in the room said; the text of an exchange is what panelists asked."""

_NO_WORD = re.compile(r"[\W_]+")  # case and punctuation make no other fact


@dataclass(frozen=True, slots=True)
class Passage:
    """One record from which facts are taken: a segment of speech, an answer, or an exchange that closed."""

    __pydantic_config__: ClassVar = {"allow_inf_nan": False}  # a ledger may hold numbers that are none

    seq: int  # of the record
    kind: str  # SPEECH, ANSWER or EXCHANGE
    text: str  # what was said, as the record has it, masked; of an exchange, its questions, one a line
    day: str  # YYYY-MM-DD on which it was said
    speaker: str | None = None
    said_at_s: float | None = None
    slide: int | None = None
    exchange: str | None = None  # Exchange.id, of an answer or an exchange
    outcome: str | None = None  # of an exchange
    comes_back_to: str | None = None  # of an exchange: the parked one whose question was put again
    heard: float | None = None  # 0 to 1: how sure the speech-to-text program was


@dataclass(frozen=True, slots=True)
class FactDraft:
    """A fact as an engine proposes it, and as a record stores it."""

    type: str  # of FACT_TYPES
    content: str  # in plain language
    confidence: str  # of CONFIDENCES
    source: int  # Passage.seq
    quote: str  # words of that passage, verbatim


@dataclass(frozen=True, slots=True)
class Fact:
    """A fact that is stored, with its source's date and place."""

    id: str  # "f1", "f2", … in the order of finding
    type: str
    content: str
    confidence: str
    source_date: str  # YYYY-MM-DD: when it was said
    extracted_at: str  # RFC 3339, UTC: when the summariser kept it
    source: int  # the ledger record's number
    quote: str
    speaker: str | None = None
    said_at_s: float | None = None
    slide: int | None = None
    exchange: str | None = None
    settled_by: str | None = None  # the exchange that closed this open thread


def key_of(content: str) -> str:
    """Return the letters and digits of a fact's text, which are equal for facts that say the same."""
    return _NO_WORD.sub(" ", content.casefold()).strip()


# ---------------------------------------------------------------------- reply


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
    """One line of the rubric, as an engine judged it."""

    name: str  # as asked
    state: str  # yes, partly, no or "not judged"
    why: str
    rests_on: Place | None = None


@dataclass(frozen=True, slots=True)
class DebriefWords:
    """Everything in a debrief that cannot be counted."""

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
    """The bearing of one reported finding on the deck."""

    reported: int  # its place in `NewsRequest.reported`
    stance: str  # of intel.STANCES
    about: Place | None  # the words of the deck that it bears on
    why: str = ""


@dataclass(frozen=True, slots=True)
class Remembered:
    """Something that the Scribe stores: a goal, a decision or a blocker."""

    kind: str  # goal, decision or blocker
    text: str  # one plain sentence
    quote: str  # verbatim from the passage
    seq: int  # of the passage's record


# ---------------------------------------------------------------------- dossier
# A dossier as typed values; the page, the terminal and the JSON are made from these alone.


BOARD = "board"
PANEL = "panel"


@dataclass(frozen=True, slots=True)
class BoardMember:
    """One person on the board, as the user describes them, with the rules for the whole body."""

    name: str
    role: str = ""
    background: str = ""
    interests: tuple[str, ...] = ()
    uses: tuple[str, ...] = ()  # what this person's house makes and uses
    rules: tuple[str, ...] = ()  # the body's own rules and stages: the same for every member


@dataclass(frozen=True, slots=True)
class Profile:
    """One person at the table, with their questions in the dossier."""

    kind: str  # BOARD or PANEL
    name: str
    role: str
    asks: tuple[int, ...] = ()  # places in `Dossier.attacks`, counted from 1 as on the page
    agent: str | None = None  # the panelist's id


@dataclass(frozen=True, slots=True)
class Dossier:
    """Everything that a presenter should know about the board's view of the deck before facing the board."""

    deck: str  # its title, or its file's name
    slides: int
    claims: int
    language: str  # as claims.language says
    attacks: tuple[Attack, ...] = ()  # the likeliest first; every quote stands in the deck
    profiles: tuple[Profile, ...] = ()
    tensions: tuple[Tension, ...] = ()
    gaps: tuple[Gap, ...] = ()  # of the whole deck
    intel: tuple[IntelItem, ...] = ()  # that bears on words of the deck
    has_board: bool = False
    kind: str | None = None  # of deck, where the presenter said so
    engine: str = "offline"  # which engine wrote it
    failed: str | None = None  # why the engine that was asked first did not
    left_out: int = 0  # questions whose quotes stand nowhere in the deck
