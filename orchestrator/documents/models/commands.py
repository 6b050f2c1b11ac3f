"""What commands print with `--json` that the API tells in another way: steps of a rehearsal, a whole run."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from orchestrator.documents.models.base import Document, Exchange, Json, Outcome, Usage
from orchestrator.documents.models.sessions import PartWarning, SaidLine


class StartedDocument(Document):
    """`start`: a session that has begun."""

    session: str
    path: str
    state: str
    slides: int
    claims: int
    focus: dict[str, int] = Field(description="How many points each panelist means to go after.")
    warnings: list[PartWarning]


class FedDocument(Document):
    """`feed`: what was taken in."""

    segments: int
    from_s: float | None
    to_s: float | None


class SlideDocument(Document):
    """`slide`: which is shown."""

    slide: int


class StateOnlyDocument(Document):
    """`pause`: how the session stands."""

    state: str


class AskedDocument(Document):
    """The document that `ask` returns: the question that is open."""

    exchange: str
    agent: str
    question: str
    quote: str | None
    claim: str | None
    slide: int | None
    said_at_s: float | None
    why_this_agent: str
    comes_back_to: str | None
    written_by: str


class AnsweredDocument(Document):
    """`answer`: the verdict, and what follows."""

    exchange: str
    verdict: Literal["satisfied", "follow_up", "escalate", "unjudged"]
    reason: str
    quote: str | None
    follow_up: str | None
    outcome: Outcome | None


class ParkedDocument(Document):
    """`park`: the question that comes back later."""

    exchange: str
    outcome: Outcome


class EndedDocument(Document):
    """`end`: the debrief, the proof, and where the archive is."""

    state: str
    debrief: str | None = Field(description="The path of its page; null: there is none.")
    ledger_head: str
    archive: str | None
    valid: bool
    warnings: list[PartWarning]


class RunDocument(Document):
    """`run`: a whole rehearsal."""

    session: str
    path: str
    state: str
    slides: int
    segments: int
    claims: int
    speaker: str | None
    speaker_how: str | None = Field(description="How it is known who presents.")
    exchanges: list[Exchange]
    said: list[SaidLine]
    grounded_share: float | None
    debrief: str | None
    receipts: int
    ledger_head: str
    archive: str | None
    valid: bool
    usage: Usage
    seconds: float
    sync_s: float = Field(description="Of these, waiting for the disk.")
    repaired: list[str]
    took_over: str | None
    warnings: list[PartWarning]


class TitledDocument(Document):
    """`title`: what a session is called."""

    session: str
    title: str


class RestoredDocument(Document):
    """`restore`: where the session lies now."""

    session: str
    path: str


class ProgressRun(Document):
    """One rehearsal of a deck; what nobody judged has no figure."""

    session: str
    started_at: str
    day: str
    questions: int
    answered: int
    judged: int
    gave_it: int | None
    judged_by: dict[str, int]
    closed: list[str]
    used_s: float
    minutes: int
    words_per_minute: int | None


class ProgressDeck(Document):
    """A deck and its rehearsals."""

    deck: str
    sentence: str
    runs: list[ProgressRun]
    open: list[str]


class ProgressDocument(Document):
    """`progress`: how a presenter comes on, by deck."""

    presenter: str
    decks: list[ProgressDeck]


class DoctorCheck(Document):
    """One thing that was looked at."""

    name: str
    state: str
    detail: str


class DoctorDocument(Document):
    """`doctor`: what is in force on this machine."""

    checks: list[DoctorCheck]


class PanelDocument(Document):
    """`panel check`: whether the personas are whole."""

    valid: bool
    findings: list[Json]
