"""What a model answers: one schema for every task, so that all of an agent's calls share one cache.

A reply is an object with a `kind` and one part for each task; the part of that kind is filled
and the others are null. The same models validate what a server without output schemas writes.

Source: caching.md, "One agent, one cache".
"""

from __future__ import annotations

from functools import cache
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

Kind = Literal[
    "focus_brief",
    "candidate_question",
    "judgement",
    "notes",
    "observation",
    "phrases",
    "facts",
    "debrief",
]
Need = Literal["number", "period", "source", "base", "owner", "date", "cause", "comparison"]


class Part(BaseModel):
    """A part of a reply: no other keys than its own."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class TargetPart(Part):
    """A claim to go after."""

    claim: str
    quote: str
    angle: str
    good_answer: str


class FocusBriefPart(Part):
    """What the panelist means to go after, the most wanted first."""

    targets: list[TargetPart]


class CandidatePart(Part):
    """The question to ask now; `question` is null where nothing is left to ask."""

    question: str | None
    claim: str | None
    quote: str | None
    needs: list[Need]
    relevance: Annotated[float, Field(ge=0, le=1)]
    lead_in: str
    angle: str


class JudgementPart(Part):
    """What the last answer was worth."""

    verdict: Literal["satisfied", "follow_up", "escalate", "unjudged"]
    reason: str
    quote: str | None
    missing: list[Need]
    follow_up: str | None


class NotesPart(Part):
    """One or two lines for the panelist's own log."""

    text: str


class ObservationPart(Part):
    """What was noticed about the presenter; `text` is null where nothing was."""

    text: str | None
    quote: str | None


class PhrasesPart(Part):
    """The moderator's phrases for this session."""

    phrases: list[str]


class FactPart(Part):
    """One fact that was said, never an inference."""

    type: str
    content: str
    confidence: Literal["high", "medium", "low"]
    source: str


class FactsPart(Part):
    """What is new since the last run."""

    facts: list[FactPart]


class DebriefPart(Part):
    """The one thing to fix first, and better answers made of what was said."""

    fix_first: str | None
    stronger_answers: list[str]


class Reply(Part):
    """One answer of the model."""

    kind: Kind
    focus_brief: FocusBriefPart | None
    candidate_question: CandidatePart | None
    judgement: JudgementPart | None
    notes: NotesPart | None
    observation: ObservationPart | None
    phrases: PhrasesPart | None
    facts: FactsPart | None
    debrief: DebriefPart | None

    def part(self, kind: Kind) -> Part:
        """The part that was asked for.

        Raises:
            ValueError: Another one is filled, or none.
        """
        found = getattr(self, kind)
        if self.kind != kind or found is None:
            raise ValueError(f"the reply's kind is {self.kind!r}, and {kind!r} was asked for")
        part: Part = found
        return part


@cache
def schema() -> dict[str, Any]:
    """The JSON schema of a reply, as the API takes it."""
    from anthropic import transform_schema

    return dict(transform_schema(Reply))
