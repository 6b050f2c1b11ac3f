"""What a model answers on a task that stands by itself: a small schema for each.

Quotes and reasons come first in each, and what is decided by them last, as in `replies`.
"""

from __future__ import annotations

from typing import Annotated, Final, Literal

from pydantic import Field, WithJsonSchema

from orchestrator.panel.engines.model.schemas import (
    Few,
    Line,
    Listed,
    Optional,
    Paragraph,
    Part,
)


class OperandPart(Part):  # one thing that is said
    passage: Line
    quote: Line
    number: Line | None = None
    value: float | None = None
    unit: Line | None = None


class ProposalPart(Part):  # two or more things that are said, and the formula that ought to hold
    operands: Annotated[list[OperandPart], Field(min_length=2, max_length=12)]
    subject: Line
    why: Line
    kind: Literal["deck-vs-deck", "speech-vs-deck", "sum", "growth", "chart-vs-text"]
    relation: Line


class TensionsPart(Part):  # what contradicts what
    proposals: Listed[ProposalPart]


class DoubtOnePart(Part):  # one finding, looked at once more
    finding: int
    about: Line
    reading: Line | None


class DoubtPart(Part):  # a reading under which both places hold, for each finding
    doubts: Listed[DoubtOnePart]


class AttackPart(Part):  # a question that the board is likely to ask
    quote: Optional = ""
    is_missing: bool = False
    slide: int | None = None
    asked_by: Line
    why: Line
    have: Few[Line]
    bring: Few[Line]
    good_answer: Paragraph
    question: Line


class DossierPart(Part):  # what the board will ask, the likeliest first
    attacks: Listed[AttackPart]


class BearingPart(Part):  # how one finding from outside stands to the deck
    reported: int
    quote: Optional = ""
    why: Line
    stance: Literal["contradicts", "supports", "neutral"]


class NewsPart(Part):  # which finding bears on which words
    bearings: Listed[BearingPart]


class FactPart(Part):  # one fact that was said, never an inference
    source: int  # the passage's record
    quote: Line
    content: Line
    type: Line
    confidence: Literal["high", "medium", "low"]


class FactsPart(Part):  # what is new since the last run
    facts: Listed[FactPart]


class RememberedPart(Part):  # a goal, a decision or a blocker
    source: int
    quote: Line
    text: Line
    kind: Literal["goal", "decision", "blocker"]


class ScribePart(Part):  # what the Scribe keeps
    found: Listed[RememberedPart]


MARK: Final = "kestrel"
"""Nothing in the question asks for it, so a reply holds it only where the schema is enforced."""


class ReadyPart(Part):  # the answer to the small question of the check at the start
    quote: Line
    question: Line
    mark: Annotated[str | None, WithJsonSchema({"type": "string", "enum": [MARK]})] = None
