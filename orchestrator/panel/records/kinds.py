"""The union of the panel's record classes, and functions that read a record's value as its class."""

from __future__ import annotations

from dataclasses import replace
from typing import Final, TypeVar, cast, get_args

from orchestrator.core.errors import LedgerCorruptError
from orchestrator.core.store.ledger import Kinds, Record, Unread, kinds_of
from orchestrator.core.store.requests import Counted, Replied
from orchestrator.panel.model.reply import SPOKEN, Passage
from orchestrator.panel.records.exchanges import (
    AnswerJudged,
    CallTaken,
    CandidateWritten,
    Dismissed,
    ExchangeClosed,
    ExchangeOpened,
    FindingNoted,
    FollowedUp,
    LeftOut,
    Looked,
    NobodyAsked,
    NoteAdded,
    Observed,
    ProfileAdded,
    PutAgain,
    RoundMade,
    VerdictGiven,
    VerdictNoted,
)
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
    AnswerCorrected,
    AnswerEnds,
    AnswerGiven,
    AnswerHeard,
    AnswerUsed,
    Corrected,
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
from orchestrator.panel.records.taken_back import AnswerTakenBack, ExchangeReopened, take
from orchestrator.panel.records.value import (
    Entry,
    PanelValue,
    Step,
    bare_entry,
    bare_passage,
    hearing,
    is_speech,
)

# ---------------------------------------------------------------------- kinds


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
"""The union of all record classes, so that a `match` with `assert_never` is checked to have a case for
each.
"""

KINDS: Final[Kinds] = kinds_of(*cast("tuple[type[PanelValue], ...]", get_args(PanelRecord)))


_PASSED_OVER: Final = frozenset(
    kind.TYPE for kind in KINDS.values() if issubclass(kind, PanelValue) and not kind.NEEDED
)


def value_of(record: Record) -> PanelRecord | Unread | None:
    """Return a record's value as its class, or None if the record has no value.

    A value of the wrong shape is returned as `Unread` unless its class is `NEEDED`, so that another program's
    record stops no session.

    Raises:
        LedgerCorruptError: The value is `NEEDED` and has the wrong shape for its class, although its hash is
            right.
    """
    try:
        return checked_value(record)
    except LedgerCorruptError:
        if record.held is None or record.type not in _PASSED_OVER:
            raise
        return Unread(record.held.fields)


def checked_value(record: Record) -> PanelRecord | Unread | None:
    """Return a record's value as its class, memory's classes included, or None if it has no value.

    Raises:
        LedgerCorruptError: The value has the wrong shape for its class, although its hash is right.
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
    """Return a record's value if it is a *kind*, or None; values of other types are not read.

    Raises:
        LedgerCorruptError: The value has this type but the wrong shape.
    """
    if record.type != kind.TYPE:
        return None
    value = checked_value(record)
    return value if isinstance(value, kind) else None  # of a later version it is unread


def fold(projection: Projection, record: Record) -> None:
    """Apply the next record to the projection; call this once for every record, in order.

    Raises:
        LedgerCorruptError: The value has the wrong shape for its type, although its hash is right.
    """
    value = value_of(record)
    take(projection, record, value if isinstance(value, PanelValue) else None)


# ---------------------------------------------------------------------- tellers
# How memory reads any record: by what the class of its value tells, and for text without a value as
# speech.
#
# A value of a later release, or of another program, is a step of the trace by its type, and no more. What
# the store writes for itself (receipts, a client's own ids) tells nothing.


_OF_THE_STORE: Final = frozenset({"receipt", Counted.TYPE, Replied.TYPE})
"""Types without a step of their own in the trace: they belong to the records beside them, or add nothing to
those.
"""


def known_value(record: Record) -> PanelRecord | None:
    """Return a record's value if its class is one of the panel's, or None.

    Raises:
        LedgerCorruptError: The value has the wrong shape for its class.
    """
    value = checked_value(record)
    return None if isinstance(value, Unread) else value


def entry_of(record: Record) -> Entry | None:
    """Return the Scribe's entry of a record, or None if it has nothing to report.

    Raises:
        LedgerCorruptError: The value has the wrong shape for its class.
    """
    if record.held is None:
        return bare_entry(record) if is_speech(record) else None
    value = known_value(record)
    return value.entry(record) if value is not None else None


def passage_of(record: Record, date: str | None = None) -> Passage | None:
    """Return a passage from which facts are taken: speech, an answer or a closed exchange.

    Return None for other records.

    Args:
        date: The rehearsal's date. If None, the day on which the record was written.

    Raises:
        LedgerCorruptError: The value has the wrong shape for its class.
    """
    if record.held is None:
        found = bare_passage(record) if is_speech(record) else None
    else:
        value = known_value(record)
        found = value.passage(record) if value is not None else None
    if found is None or (found.kind in SPOKEN and not (found.text and is_speech(record))):
        return None
    return replace(found, day=date) if date is not None else found


def step_of(record: Record) -> Step | None:
    """Return the step of the trace for a record, or None if the record changes nothing in the trace.

    Raises:
        LedgerCorruptError: The value has the wrong shape for its class.
    """
    if record.held is None:
        return hearing(record.text or "") if is_speech(record) else None
    value = checked_value(record)
    if isinstance(value, Unread):
        return Step(value.type) if value.type not in _OF_THE_STORE else None
    return value.step(record) if value is not None else None


def is_spoken(record: Record) -> bool:
    """Return whether a record contains speech, by the type of its value or as text without a value."""
    return is_speech(record) if record.held is None else record.type in (SpeechHeard.TYPE, AnswerGiven.TYPE)
