"""A model's reply to an agent's task: one schema for all tasks, so that an agent's calls share a cache.

A reply is an object with a `kind` and one part for each task; the part of that kind is filled and the others
are null. The same models validate what a server without output schemas writes. In every part quotes and
reasons precede the decision: a model writes in that order.

Source: caching.md, "One agent, one cache".
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Annotated, Any, Final, Literal, Self, TypeVar, get_args

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, WithJsonSchema, model_validator

from orchestrator.panel.engines.replies import is_text as is_text

# ---------------------------------------------------------------------- schemas


Kind = Literal["focus_brief", "candidate_question", "judgement", "notes", "debrief"]
KINDS: Final[tuple[str, ...]] = get_args(Kind)
Need = Literal["number", "period", "source", "base", "owner", "date", "cause", "comparison"]
T = TypeVar("T")

# A model that runs on must not fill a session file: nothing a person says or reads here is longer.
Line = Annotated[str, Field(max_length=600)]
Paragraph = Annotated[str, Field(max_length=2_000)]


def _or(default: object) -> BeforeValidator:
    """Read null as *default*. The schema itself allows no null, because it may have only few unions."""
    return BeforeValidator(lambda value: default if value is None else value)


Optional = Annotated[Line, _or("")]
Listed = Annotated[list[T], Field(max_length=60)]
Few = Annotated[list[T], Field(max_length=12, default_factory=list), _or([])]
Many = Annotated[list[T], Field(max_length=60, default_factory=list), _or([])]


class Part(BaseModel):
    """A part of a reply; its texts can be held by a file and are no longer than a person reads."""

    # Keys that nobody asked for do no harm, and servers without output schemas get them.
    model_config = ConfigDict(extra="ignore", frozen=True)

    @model_validator(mode="after")
    def _is_text(self) -> Self:
        for value in dict(self).values():
            for text in value if isinstance(value, list) else [value]:
                if isinstance(text, str) and not is_text(text):
                    raise ValueError("a text holds NUL or half a character")
        return self


class TargetPart(Part):  # something to go after
    quote: Optional
    slide: int | None = None
    claim: Optional = ""
    is_missing: bool = False
    angle: Line
    good_answer: Optional = ""


class FocusBriefPart(Part):  # what the panelist means to go after, the most wanted first
    targets: Listed[TargetPart]


class CandidatePart(Part):  # the question to ask now; `question` is null where nothing is left to ask
    quote: Line | None = None
    beside: Optional = ""  # of a contradiction, the other place's words
    slide: int | None = None
    is_missing: bool = False
    angle: Optional = ""
    question: Line | None
    good_answer: Optional = ""
    needs: Few[Need]
    relevance: Annotated[float, Field(ge=0, le=1)] = 0.5


class ContradictionPart(Part):  # what the answer says, and other words that cannot be right beside it
    quote: Line
    beside: Line
    why: Line


class NoticedPart(Part):  # something about how the presenter answers, and the words that show it
    quote: Line
    text: Line


class JudgementPart(Part):  # what the last answer was worth
    quote: Line | None = None
    reason: Line
    still_open: Few[Line]
    contradicts: ContradictionPart | None = None
    promises: Few[Line]
    remark: Optional = ""
    verdict: Literal["satisfied", "follow_up", "escalate", "unjudged"]
    missing: Few[Need]
    follow_up: Line | None = None
    is_new_question: bool = False
    note: Annotated[Paragraph, _or("")] = ""
    noticed: NoticedPart | None = None


class NotesPart(Part):  # the panelist's own page
    text: Paragraph


class SentencePart(Part):  # one sentence of a stronger answer, behind the words that say it
    quote: Line
    slide: int | None = None  # where the quote stands; null: it was said
    text: Line


class BetterPart(Part):  # a stronger answer to one exchange
    exchange: Line
    sentences: Few[SentencePart]
    bring: Few[Line]


class CheckPart(Part):  # one line of the rubric
    name: Line
    quote: Optional = ""
    why: Line
    state: Literal["yes", "partly", "no", "not judged"]


class DebriefPart(Part):  # all that a debrief says and that no count gives
    better: Many[BetterPart]
    checks: Many[CheckPart]
    promises: Many[Line]  # what was undertaken in the speech, verbatim
    dismissed: Many[int]
    still_wanted: Many[int]
    why: Optional = ""
    fix_exchange: Optional = ""
    fix: Annotated[Paragraph, _or("")]


class Reply(Part):
    """One answer of the model."""

    kind: Kind
    focus_brief: FocusBriefPart | None
    candidate_question: CandidatePart | None
    judgement: JudgementPart | None
    notes: NotesPart | None
    debrief: DebriefPart | None

    def part(self, kind: str) -> Part:
        """Return the part of the kind that was asked for.

        Raises:
            ValueError: Another part is filled, or none is.
        """
        part: Part | None = dict(self)[kind]
        if self.kind != kind or part is None:
            raise ValueError(f"the reply's kind is {self.kind!r}, and {kind!r} was asked for")
        return part


def part_type(kind: str) -> type[Part]:
    """Return the type of the part of a `Reply` for this kind."""
    part: type[Part] = get_args(Reply.model_fields[kind].annotation)[0]
    return part


@cache
def schema_of(model: type[Part]) -> dict[str, Any]:
    """Return the JSON schema of *model* for every wire; it lists each property, in the order written.

    It constrains a value's type and choices. Few servers enforce lengths, ranges and patterns, and some
    refuse them, so these are checked after the reply has come.
    """
    return _strict(model.model_json_schema())


_KEPT: Final = ("$ref", "type", "enum", "const", "items", "anyOf", "$defs")
"""The keywords of JSON Schema that every server accepts which enforces schemas."""


def _strict(node: Mapping[str, Any]) -> dict[str, Any]:
    kept = {name: node[name] for name in _KEPT if name in node}
    if "items" in kept:
        kept["items"] = _strict(kept["items"])
    if "anyOf" in kept:
        kept["anyOf"] = [*map(_strict, kept["anyOf"])]
    if "$defs" in kept:
        kept["$defs"] = {name: _strict(one) for name, one in kept["$defs"].items()}
    if "properties" in node:
        kept["properties"] = {name: _strict(one) for name, one in node["properties"].items()}
        kept |= {"required": [*node["properties"]], "additionalProperties": False}
    return kept


# ---------------------------------------------------------------------- standalone schemas
# What a model answers on a task that stands by itself: a small schema for each.
#
# Quotes and reasons come first in each, and what is decided by them last, as in `replies`.


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
"""A constant of the schema that the question does not ask for, so a reply contains it only if the schema is
enforced.
"""


class ReadyPart(Part):  # the answer to the small question of the check at the start
    quote: Line
    question: Line
    mark: Annotated[str | None, WithJsonSchema({"type": "string", "enum": [MARK]})] = None
