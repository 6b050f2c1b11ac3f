"""Every class of the panel's records, and how a record is read as its own."""

from __future__ import annotations

from typing import Final, TypeVar, cast, get_args

from orchestrator.core.errors import LedgerCorruptError
from orchestrator.core.store.ledger import Record
from orchestrator.core.store.value import Kinds, Unread, kinds_of
from orchestrator.panel.records.base import PanelValue
from orchestrator.panel.records.candidates import CallTaken, CandidateWritten, RoundMade
from orchestrator.panel.records.contradictions import Dismissed, FindingNoted, Looked
from orchestrator.panel.records.corrections import AnswerCorrected, Corrected
from orchestrator.panel.records.exchanges import (
    AnswerJudged,
    ExchangeClosed,
    ExchangeOpened,
    FollowedUp,
    LeftOut,
    NobodyAsked,
    NoteAdded,
    Observed,
    ProfileAdded,
    PutAgain,
    VerdictGiven,
    VerdictNoted,
)
from orchestrator.panel.records.folding import take
from orchestrator.panel.records.memory import (
    FactRun,
    FactsKept,
    GoalsKept,
    MemoriesSettled,
    MemoryProposed,
    ScratchpadProposed,
    ScratchpadsAsked,
    SessionFlushed,
    ToolUsed,
)
from orchestrator.panel.records.moderator import (
    Called,
    ClockSet,
    DebriefAnswered,
    Driving,
    Frozen,
    LineSaid,
    Monologue,
    NoQuestion,
    PartFailed,
    QuestionsWanted,
    StateShown,
    TimeWarned,
    TookOver,
)
from orchestrator.panel.records.projection import Projection
from orchestrator.panel.records.speech import (
    AnswerEnds,
    AnswerGiven,
    AnswerHeard,
    AnswerUsed,
    NoAnswer,
    PlayedOut,
    SectionEnded,
    SlideShown,
    SpeechHeard,
)
from orchestrator.panel.records.start import (
    DeckRead,
    DossierWritten,
    FocusBriefWritten,
    IntelTaken,
    PhrasesChosen,
    PlaybackLoaded,
    SessionStarted,
    SpeakerFound,
)
from orchestrator.panel.records.taken_back import AnswerTakenBack, ExchangeReopened

P = TypeVar("P", bound=PanelValue)

PanelRecord = (
    SessionStarted | DeckRead | DossierWritten | IntelTaken | FocusBriefWritten | PhrasesChosen
    | PlaybackLoaded | SpeakerFound
    | SpeechHeard | SlideShown | SectionEnded | PlayedOut | AnswerGiven | AnswerEnds | AnswerHeard | NoAnswer
    | AnswerUsed
    | Corrected | AnswerCorrected
    | CandidateWritten | RoundMade | CallTaken
    | ExchangeOpened | VerdictGiven | AnswerJudged | VerdictNoted | FollowedUp | ExchangeClosed
    | Observed | ProfileAdded
    | NoteAdded | LeftOut | NobodyAsked | PutAgain | AnswerTakenBack | ExchangeReopened
    | Looked | FindingNoted | Dismissed
    | StateShown | LineSaid | TimeWarned | NoQuestion | QuestionsWanted | Monologue | ClockSet | Driving
    | Called | TookOver | PartFailed | DebriefAnswered | Frozen
    | FactRun | FactsKept | GoalsKept | MemoryProposed | ScratchpadProposed | ScratchpadsAsked | ToolUsed
    | MemoriesSettled | SessionFlushed
)  # fmt: skip
"""The union of them, so that a `match` with `assert_never` is checked to have a case for each."""

KINDS: Final[Kinds] = kinds_of(*cast("tuple[type[PanelValue], ...]", get_args(PanelRecord)))


_PASSED_OVER: Final = frozenset(
    kind.TYPE for kind in KINDS.values() if issubclass(kind, PanelValue) and not kind.NEEDED
)


def value_of(record: Record) -> PanelRecord | Unread | None:
    """Return a record's value as its class; None: it has none.

    One that is not `NEEDED` and not of its shape is unread: another program's, which stops no session.

    Raises:
        LedgerCorruptError: It is not of the shape that its class has, though it is hashed right.
    """
    try:
        return checked_value(record)
    except LedgerCorruptError:
        if record.held is None or record.type not in _PASSED_OVER:
            raise
        return Unread(record.held.fields)


def checked_value(record: Record) -> PanelRecord | Unread | None:
    """Return a record's value as its class, also of memory's; None: it has none.

    Raises:
        LedgerCorruptError: It is not of the shape that its class has, though it is hashed right.
    """
    if record.held is None:
        return None
    try:
        if not record.held.type:
            raise ValueError("a value has no type")
        return cast("PanelRecord | Unread", record.held.among(KINDS))
    except ValueError as error:
        raise LedgerCorruptError(
            f"ledger record {record.seq} is hashed right but is not in this format: "
            "was it written by a later release, or by another program?"
        ) from error


def value_as(record: Record, kind: type[P]) -> P | None:
    """Return a record's value where it is a *kind*; values of other types are not looked at.

    Raises:
        LedgerCorruptError: It is of that type and not of its shape.
    """
    if record.type != kind.TYPE:
        return None
    value = checked_value(record)
    return value if isinstance(value, kind) else None  # of a later version it is unread


def fold(projection: Projection, record: Record) -> None:
    """Take the next record into the projection; every one is given once, in order.

    Raises:
        LedgerCorruptError: Its value is not what one of its type holds, though it is hashed right.
    """
    value = value_of(record)
    take(projection, record, value if isinstance(value, PanelValue) else None)
