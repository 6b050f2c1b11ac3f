"""What a model answers: one schema for every task, so that all of an agent's calls share one cache.

A reply is an object with a `kind` and one part for each task; the part of that kind is filled
and the others are null. The same models validate what a server without output schemas writes.

Source: caching.md, "One agent, one cache".
"""

from __future__ import annotations

from functools import cache
from typing import Annotated, Any, Final, Literal, Self, get_args

from pydantic import BaseModel, ConfigDict, Field, model_validator

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
KINDS: Final[tuple[str, ...]] = get_args(Kind)
Need = Literal["number", "period", "source", "base", "owner", "date", "cause", "comparison"]

# A model that runs on must not fill a session file: nothing a person says or reads here is longer.
Line = Annotated[str, Field(max_length=600)]
Paragraph = Annotated[str, Field(max_length=2_000)]


class Part(BaseModel):
    """A part of a reply: no other keys than its own, and text that a file can hold."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    @model_validator(mode="after")
    def _is_text(self) -> Self:
        for value in dict(self).values():
            for text in value if isinstance(value, list) else [value]:
                if isinstance(text, str) and not is_text(text):
                    raise ValueError("a text holds NUL or half a character")
        return self


def is_text(text: str) -> bool:
    """Whether a session file can hold *text*: JSON can name characters that UTF-8 cannot write."""
    try:
        return "\0" not in text and bool(text.encode() or True)
    except UnicodeEncodeError:
        return False


class TargetPart(Part):
    """A claim to go after."""

    claim: Line
    quote: Line
    angle: Line
    good_answer: Line


class FocusBriefPart(Part):
    """What the panelist means to go after, the most wanted first."""

    targets: Annotated[list[TargetPart], Field(max_length=12)]


class CandidatePart(Part):
    """The question to ask now; `question` is null where nothing is left to ask."""

    question: Line | None
    slide: int | None
    quote: Line | None
    needs: list[Need]
    relevance: Annotated[float, Field(ge=0, le=1)]
    lead_in: Line
    angle: Line


class JudgementPart(Part):
    """What the last answer was worth."""

    verdict: Literal["satisfied", "follow_up", "escalate", "unjudged"]
    reason: Line
    quote: Line | None
    missing: list[Need]
    follow_up: Line | None


class NotesPart(Part):
    """One or two lines for the panelist's own log."""

    text: Paragraph


class ObservationPart(Part):
    """What was noticed about the presenter; `text` is null where nothing was."""

    text: Line | None
    quote: Line | None


class PhrasesPart(Part):
    """The moderator's phrases for this session."""

    phrases: Annotated[list[Line], Field(max_length=80)]


class FactPart(Part):
    """One fact that was said, never an inference."""

    type: Line
    content: Line
    confidence: Literal["high", "medium", "low"]
    source: int  # the passage's record
    quote: Line


class FactsPart(Part):
    """What is new since the last run."""

    facts: Annotated[list[FactPart], Field(max_length=40)]


class DebriefPart(Part):
    """The one thing to fix first ("": nothing), and better answers made of what was said."""

    fix_first: Paragraph
    stronger_answers: Annotated[list[Paragraph], Field(max_length=40)]


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

    def part(self, kind: str) -> Part:
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
