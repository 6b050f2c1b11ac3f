"""Every class of the panel's records, and how a record is read as its own."""

from __future__ import annotations

from typing import Final, cast, get_args

from orchestrator.errors import LedgerCorruptError
from orchestrator.records.base import PanelValue
from orchestrator.records.candidates import CallTaken, CandidateWritten, RoundMade
from orchestrator.records.contradictions import Dismissed, FindingNoted, Looked
from orchestrator.records.exchanges import (
    ExchangeClosed,
    ExchangeOpened,
    FollowedUp,
    LeftOut,
    NobodyAsked,
    NoteAdded,
    Observed,
    ProfileAdded,
    VerdictGiven,
)
from orchestrator.records.memory import (
    FactRun,
    FactsKept,
    GoalsKept,
    MemoriesSettled,
    MemoryProposed,
    MemoryValue,
    ScratchpadProposed,
    ScratchpadsAsked,
    SessionFlushed,
    ToolUsed,
)
from orchestrator.records.moderator import (
    Called,
    ClockSet,
    DebriefAnswered,
    Driving,
    Frozen,
    LineSaid,
    Monologue,
    NoQuestion,
    PartFailed,
    StateShown,
    TimeWarned,
    TookOver,
)
from orchestrator.records.projection import INTEL, TRANSCRIPT, Projection
from orchestrator.records.speech import (
    AnswerGiven,
    AnswerHeard,
    AnswerUsed,
    NoAnswer,
    PlayedOut,
    SectionEnded,
    SlideShown,
    SpeechHeard,
    fold_plain,
)
from orchestrator.records.start import (
    DeckRead,
    DossierWritten,
    FocusBriefWritten,
    IntelTaken,
    PhrasesChosen,
    PlaybackLoaded,
    SessionStarted,
    SpeakerFound,
)
from orchestrator.store.ledger import Record
from orchestrator.store.value import Kinds, Unread, kinds_of

PanelRecord = (
    SessionStarted | DeckRead | DossierWritten | IntelTaken | FocusBriefWritten | PhrasesChosen
    | PlaybackLoaded | SpeakerFound
    | SpeechHeard | SlideShown | SectionEnded | PlayedOut | AnswerGiven | AnswerHeard | NoAnswer | AnswerUsed
    | CandidateWritten | RoundMade | CallTaken
    | ExchangeOpened | VerdictGiven | FollowedUp | ExchangeClosed | Observed | ProfileAdded | NoteAdded
    | LeftOut | NobodyAsked
    | Looked | FindingNoted | Dismissed
    | StateShown | LineSaid | TimeWarned | NoQuestion | Monologue | ClockSet | Driving | Called | TookOver
    | PartFailed | DebriefAnswered | Frozen
    | FactRun | FactsKept | GoalsKept | MemoryProposed | ScratchpadProposed | ScratchpadsAsked | ToolUsed
    | MemoriesSettled | SessionFlushed
)  # fmt: skip
"""The union of them, so that a `match` with `assert_never` is checked to have a case for each."""

KINDS: Final[Kinds] = kinds_of(*cast("tuple[type[PanelValue], ...]", get_args(PanelRecord)))


REHEARSAL_KINDS: Final[Kinds] = {
    key: kind for key, kind in KINDS.items() if not issubclass(kind, MemoryValue)
}
"""Those without memory's, which folds its own: what another program wrote in its name stops no rehearsal."""


def value_of(record: Record, kinds: Kinds = KINDS) -> PanelRecord | Unread | None:
    """Return a record's value as its class of *kinds*, else unread; None: it has none.

    Raises:
        LedgerCorruptError: It is not of the shape that its class has, though it is hashed right.
    """
    if record.held is None:
        return None
    try:
        if not record.held.type:
            raise ValueError("a value has no type")
        return cast("PanelRecord | Unread", record.held.among(kinds))
    except ValueError as error:
        raise LedgerCorruptError(
            f"ledger record {record.seq} is hashed right but is not in this format: "
            "was it written by a later release, or by another program?"
        ) from error


def fold(projection: Projection, record: Record) -> None:
    """Take the next record into the projection; every one is given once, in order.

    Raises:
        LedgerCorruptError: Its value is not what one of its type holds, though it is hashed right.
    """
    if record.op == "freeze":
        projection.ended = True
    if record.file == INTEL:
        projection.intel_sha256 = record.sha256
    value = value_of(record, REHEARSAL_KINDS)
    if value is None:
        if record.op == "append" and record.file == TRANSCRIPT:
            fold_plain(projection, record)
    elif not isinstance(value, Unread):
        value.fold(projection, record)
