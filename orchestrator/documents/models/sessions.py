"""Documents about sessions: lists, one session whole, its proof, its context, and what is done with it."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from orchestrator.documents.models.base import Document, Exchange, Json, Tension, Usage

# ---------------------------------------------------------------------- list and show


class SessionSummary(Document):
    """What a list and a session's own document say alike."""

    session: str
    title: str | None = Field(None, description='A title of one\'s own; "": it has none.')
    crew: str | None = Field(None, description="Whose session it is; left out: it is a rehearsal.")
    state: str = Field(
        description="active, interrupted, closing, ended or degraded; in a list also damaged, unreadable "
        "(by this release, or now) and replaced (an archive that is not the one that was sent)."
    )
    deck: str | None = Field(description="The title of its deck, or the deck's file name.")
    date: str | None = Field(description="The day of the real meeting, where it was given.")
    day: str | None = Field(None, description="The day of the rehearsal, YYYY-MM-DD.")
    recorded: bool | None = Field(None, description="true: it is a demonstration, played from replies.")
    presenter: str | None
    archive: str | None = Field(description="Where it was archived last, as it is now.")


class SessionRow(SessionSummary):
    """A session as a list shows it."""

    exchanges: int = Field(description="How many questions were put.")


class SessionList(Document):
    """The sessions of a home or an archive, oldest first."""

    sessions: list[SessionRow]
    not_searched: list[str] | None = Field(None, description="Into which a search could not look.")
    may_be_old: str | None = Field(
        None, description="Why sessions of other workers may have gone on since: the cluster does not answer."
    )


class MarkedTension(Tension):
    """A contradiction of a session."""

    id: str = Field(description='"c1", "c2", …')


class SaidLine(Document):
    """A line of the moderator's. A key that is left out is as nothing was said of it."""

    occasion: str
    text: str
    at_s: float
    phrase: str
    exchange: str | None = None
    after: int | None = Field(None, description="How many exchanges had been opened.")


class SessionFile(Document):
    """A file of a session as its ledger has it."""

    path: str
    mutability: str = Field(description="The class of the file: write-once, append-only, …")
    by: list[str] | None = Field(None, description="Who writes it; of a crew's session.")
    bytes: int
    sha256: str
    revisions: int


class ProgramNote(Document):
    """A decision that a program of the crew recorded."""

    record: int
    type: str = Field(description="With a prefix of the program's own: review.finding.")
    by: str
    at: str = Field(description="RFC 3339, UTC.")
    fields: Json


class TableStamp(Document):
    """The table of files by which a session is judged."""

    name: str
    version: int
    sha256: str


class ReceiptRow(Document):
    """A context that was given."""

    receipt: str
    agent: str
    purpose: str
    seq: int = Field(description="The last record that it is made from.")


class PartWarning(Document):
    """A part that failed, and why; the session went on without it."""

    part: str
    reason: str


class TraceStep(Document):
    """One step of the loop: what was done, and what came of it."""

    step: int
    action: Json
    output: Any = None
    record: int | None = Field(None, description="Its number in the ledger.")
    at_s: float | None = None
    took_s: float | None = None
    waited: bool
    words: str


class Trace(Document):
    """Every step of the loop."""

    steps: list[TraceStep]
    errors: list[Json]
    summaries: list[str]
    state: Json


class SessionDocument(SessionSummary):
    """One session whole: its questions, files and receipts; of another crew no questions, but notes."""

    path: str
    table: TableStamp | None = Field(None, description="Of a crew's session.")
    agents: list[str] | None = Field(None, description="Who is given contexts in a crew's session.")
    notes: list[ProgramNote] | None = Field(None, description="Of a crew's session.")
    exchanges: list[Exchange]
    tensions: list[MarkedTension]
    said: list[SaidLine]
    files: list[SessionFile]
    receipts: list[ReceiptRow]
    took_over: str | None = Field(description="Why the offline panel sits in the model's place.")
    warnings: list[PartWarning]
    usage: Usage | None = Field(description="null: of a crew's session nothing is known of it.")
    records: int
    ledger_head: str
    trace: Trace | None = None


class StartedCrewDocument(Document):
    """A session of a crew that has been started."""

    session: str
    path: str
    state: str
    crew: str
    title: str
    agents: list[str]
    files: list[str] = Field(description="The paths of its table.")
    ledger_head: str


class StateDocument(Document):
    """How a session stands after a repair."""

    state: str
    repaired: list[str]


# ---------------------------------------------------------------------- proof and archive


class Finding(Document):
    """Something that is not as it must be."""

    path: str
    kind: str
    expected: str
    found: str


class VerificationDocument(Document):
    """Whether every write kept the rules, and nothing was changed since."""

    valid: bool
    findings: list[Finding]
    notes: list[str]
    ended: bool
    ledger_head: str
    records: int
    table: TableStamp | None


class ArchivedDocument(Document):
    """A session as it was archived."""

    session: str
    archive: str
    objects: int
    sent: int


class ErasureDocument(Document):
    """What erasing a session would remove, and where its words would still stand."""

    session: str
    files: int
    bytes: int
    comments: int
    memories: int
    memories_that_stay: int
    archives: list[str]
    archives_here: list[str] = Field(description="Those that go with the home as its sessions do.")


class ScratchpadName(Document):
    """Whose scratchpad page it is, and whom the page is about."""

    presenter: str
    agent: str


class StillThere(Document):
    """Where words of an erased session still stand; a key that is left out has none."""

    sessions: list[str] | None = None
    scratchpads: list[ScratchpadName] | None = None
    memories: list[str] | None = None
    goals: list[str] | None = None


class ErasedDocument(Document):
    """What was removed, what is left in archives, and what stays."""

    removed: list[str]
    archives: list[str]
    stays: StillThere


# ---------------------------------------------------------------------- contexts


class TextBlock(Document):
    """A part of a message."""

    type: str
    text: str
    cache_control: dict[str, str] | None = None


class Message(Document):
    """A message of the Messages API."""

    role: str
    content: list[TextBlock]


class ContextMessages(Document):
    """What an agent is given, as messages."""

    system: list[TextBlock]
    messages: list[Message]


class ContextFile(Document):
    """A file of a context."""

    index: int
    path: str
    mutability: str
    bytes: int
    sha256: str


class ContextReceipt(Document):
    """Which bytes of which files an agent is given."""

    receipt: str | None = Field(description="null: none is in the ledger.")
    agent: str
    seq: int
    sha256: str = Field(description="Of the whole text.")
    bytes: int
    left_out: int = Field(description="Of the transcript's oldest entries.")
    files: list[ContextFile]


# ---------------------------------------------------------------------- intel and recap


class IntelItem(Document):
    """One finding from outside, and how it stands to the deck."""

    id: str
    finding: str
    topic: str
    source: str
    date: str | None
    stance: str = Field(description="supports, contradicts, neutral, …")
    why: str
    claim: str | None
    slide: int | None
    quote: str | None
    file: str
    revision: int = Field(description="In which it came in.")
    is_read: bool = Field(description="A model has read it beside the deck.")


class IntelDocument(Document):
    """What is known from outside."""

    revision: int
    of: int | None = Field(description="How many revisions there may be; null: any number.")
    items: list[IntelItem]
    left_out: int
    failed: str | None


class SearchedIntelDocument(IntelDocument):
    """The same after a search of the web."""

    queries: list[str] | None = Field(None, description="As they were sent.")
    search_failed: list[str] | None = Field(None, description="Why some brought less.")


class RecapEntry(Document):
    """Something that happened."""

    timestamp: str
    type: str
    content: str
    metadata: Json = Field(description="seq; where known clock_s, speaker, agent, exchange, slide.")
    tool_name: str | None
    tool_result: str | None
    confidence: float | None


class RecapSources(Document):
    """The records that say it."""

    entities: dict[str, int]
    goals: list[int]
    decisions: list[int]
    blockers: list[int]
    open_questions: list[int]


class RecapDocument(Document):
    """What a session came to."""

    recent_entries: list[RecapEntry]
    entities: dict[str, str]
    goals: list[str]
    decisions: list[str]
    blockers: list[str]
    open_questions: list[str]
    sources: RecapSources
    summary: str
    turn_count: int


# ---------------------------------------------------------------------- records


class LedgerRecord(Document):
    """A line of the ledger. Its hash is over the line as it stands, so check that, and not these fields."""

    seq: int = Field(description="From 1, without a gap.")
    op: str = Field(description="open, create, write, revise, append, replace, note, receipt or freeze.")
    by: str = Field(description="Who wrote it.")
    clock_s: float = Field(description="The session's clock.")
    at: str = Field(description="RFC 3339, UTC.")
    file: str | None = None
    text: str | None = Field(None, description="What was written to the file.")
    bytes: int | None = None
    sha256: str | None = None
    value: Json | None = Field(None, description="What the record says; its `type` names its kind.")
    more: bool | None = Field(None, description="true: a further record of the same write follows.")
    hash: str = Field(description="Of this line and of the record before it.")
