"""The base of every document's model, and what several documents share: quotes, contradictions, bills."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

Json = dict[str, Any]
"""An object whose keys depend on the program that wrote it."""


class Document(BaseModel):
    """A JSON object. A key that is not required is left out where there is nothing to say."""

    model_config = ConfigDict(populate_by_name=True)


class Place(Document):
    """Words, verbatim, and where they stand."""

    slide: int | None = Field(description="The slide's number; null: said, and shown on none.")
    said_at_s: float | None = Field(description="When it was said, in seconds of the session's clock.")
    quote: str
    under: str | None = Field(None, description='Of a table\'s cell its row and column: "Staff / 2026".')


class Source(Place):
    """Words of deck or presenter that something rests on."""

    origin: str = Field(description="title, line, table, chart, notes, alt, speech or answer.")
    exchange: str | None = Field(description="The exchange that an answer belongs to.")


TensionKind = Literal[
    "deck-vs-deck", "speech-vs-deck", "speech-vs-speech", "date", "dropped-promise",
    "sum", "growth", "share", "rate", "duration", "chart-vs-text",
]  # fmt: skip


class Tension(Document):
    """Two quotes that contradict each other."""

    kind: TensionKind
    a: Place
    b: Place
    note: str = Field(description="Why, in one sentence.")
    sum: str = Field(description='The arithmetic as people write it: "3.1 + 2.4 = 5.5, not 6.2"; or "".')
    subject: str = Field(description="What it is about.")
    by: str = Field(description="The engine that found it; offline: the arithmetic.")
    class_: Literal["computed", "read"] = Field(
        alias="class",
        description="computed: a sum that fails; read: an engine says so, and no figure decides.",
    )


class Gap(Document):
    """Something that a board would expect and that is not there."""

    slide: int | None = Field(description="null: in the whole deck.")
    note: str


class PersonVerdict(Document):
    """What a person says of an answer; the panel's verdict stays beside it."""

    exchange: str
    turn: int = Field(description="Whose answer it is, from 1.")
    verdict: Literal["given", "partly", "not"] | None = Field(
        description="null: what was said before is taken back."
    )
    by: str = Field(description="Who says so.")
    at: str = Field(description="RFC 3339.")
    note: str | None = None


class Turn(Document):
    """One question of an exchange and what came of it."""

    question: str
    answer: str | None
    verdict: Literal["satisfied", "follow_up", "escalate", "unjudged"] | None = Field(
        description="null: the answer is not judged yet."
    )
    reason: str | None
    quote: str | None = Field(description="The presenter's words behind the verdict, verbatim.")
    misheard: str | None = Field(None, description="The answer as it was heard, if corrected since.")
    person: PersonVerdict | None = None


Outcome = Literal["satisfied", "unresolved", "parked", "unjudged"]


class Exchange(Document):
    """One panelist's question and all that followed."""

    id: str = Field(description='"x1", "x2", … in the order of asking.')
    agent: str
    claim: str | None
    slide: int | None
    said_at_s: float | None
    quote: str | None = Field(description="The words that it is about, verbatim; null: it is general.")
    grounded: bool
    why_this_agent: str
    outcome: Outcome | None = Field(description="null: it is open.")
    comes_back_to: str | None = Field(description="The parked exchange whose question is put again.")
    written_by: str = Field(description="panel, presenter or dossier.")
    result: str | None = Field(None, description="The outcome with what a person said of it.")
    turns: list[Turn]


class NoExchange(Document):
    """An empty object: the panel was asked for a question, and puts it later."""

    model_config = ConfigDict(extra="forbid")


class Usage(Document):
    """The sum of the calls to a model."""

    engine: str | None = None
    models: list[str]
    answered_by: list[str] | None = Field(None, description="Other models that answered in their place.")
    calls: int
    input_tokens: int
    read_tokens: int = Field(description="Read from the cache.")
    written_tokens: int = Field(description="Written to the cache.")
    new_tokens: int
    output_tokens: int
    searches: int
    cost_usd: float | None = Field(description="null: a model's price is not known.")
    prices_read_at: str | None
    alarms: int = Field(description="Calls that read less from the cache than the layout promises.")
    unreported: int = Field(description="Calls on which the server said nothing about its cache.")
    repairs: int = Field(description="Replies that were sent back.")
    budget_share: float | None
