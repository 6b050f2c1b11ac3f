"""Facts: what was said that will still matter, each with the very words that it rests on.

A fact names the ledger record that it was taken from and quotes it. Nothing else is a fact:
whoever proposes one, rules or a model, has it checked by `fact_grounding` before it is kept.

Source: the seed of the summariser (002), "Fact schema"; DESIGN.md, section 9.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import ClassVar, Final

FACT_TYPES: Final = (
    "decision", "commitment", "task_completed", "preference", "number", "open_thread", "person",
)  # fmt: skip
"""The seed's five, and the two that a board asks about most: what was promised, and figures."""

CONFIDENCES: Final = ("high", "medium", "low")
"""The seed's three, the surest first."""
MAX_CONTENT_CHARS: Final = 400
"""Our own limit: a plain spoken sentence has 100 to 200, and a model that writes more retells the passage."""

SPEECH: Final = "speech"
ANSWER: Final = "answer"
EXCHANGE: Final = "exchange"
SPOKEN: Final = (SPEECH, ANSWER)
"""The kinds of passage that somebody in the room said; the text of an exchange is what panelists asked."""

_NO_WORD = re.compile(r"[\W_]+")  # case and punctuation make no other fact


@dataclass(frozen=True, slots=True)
class Passage:
    """One record that facts may be taken from: a piece of speech, an answer, or an exchange that closed."""

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
    """A fact as an engine proposes it, and as a record holds it."""

    type: str  # of FACT_TYPES
    content: str  # in plain language
    confidence: str  # of CONFIDENCES
    source: int  # Passage.seq
    quote: str  # words of that passage, verbatim


@dataclass(frozen=True, slots=True)
class Fact:
    """A fact that is kept, with what its source says of when and where."""

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
    """The letters and digits of a fact's text, which two facts that say the same have in common."""
    return _NO_WORD.sub(" ", content.casefold()).strip()
