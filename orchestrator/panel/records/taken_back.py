"""Taking an answer back, or counting it as talk: a record names the withdrawn records; none is deleted."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

from orchestrator.core.store.ledger import Bearing, Record
from orchestrator.core.store.store import Store
from orchestrator.panel.records.exchanges import ExchangeClosed, ExchangeOpened, FollowedUp
from orchestrator.panel.records.projection import INTEL, TRANSCRIPT, Mark, Projection
from orchestrator.panel.records.speech import (
    AnswerGiven,
    Corrected,
    SpeechHeard,
    as_talk,
    fold_plain,
    is_spoken,
    plain_segment,
    withdraw,
)
from orchestrator.panel.records.value import NOTE, Entry, PanelValue, Step

# ---------------------------------------------------------------------- folding
# How a record is taken into the projection, and what is kept so that an answer can be taken back.
#
# When a question is put, the projection as it stands then is kept as a mark, and all records since the
# first mark in a journal. An answer that is taken back leads to the mark, and the journal is folded once
# more without what fell with the answer: so what is left is what folding the other records gives, and
# nothing has to be undone. A mark is let go of once the next question is being answered, or its exchange
# is closed.


def take(projection: Projection, record: Record, value: PanelValue | None) -> None:
    """Add a record to the projection.

    *value* is the record's value as its class, or None if it is not one of the panel's.
    """
    if record.op == "freeze":
        projection.ended = True
    if record.file == INTEL:
        projection.intel_sha256 = record.sha256
    if value is not None:
        value.fold(projection, record)
    elif record.held is None and record.op == "append" and record.file == TRANSCRIPT:
        fold_plain(projection, record)
    elif record.file != INTEL:
        return
    if is_spoken(record) or isinstance(value, Corrected):
        projection.words_seq = record.seq
    if projection.marks:
        projection.journal.append((value, record))
    _follow(projection, value)


def take_back(projection: Projection, exchange: str, turn: int) -> None:
    """Restore the projection as it was at a question, without the withdrawn records.

    If the question has no mark, do nothing.
    """
    mark = next((one for one in projection.marks if (one.exchange, one.turn) == (exchange, turn)), None)
    if mark is None:
        return
    journal = projection.journal[mark.at :]
    withdrawn, talk, last_exchange = (
        projection.withdrawn_records,
        projection.talk_records,
        projection.last_exchange,
    )
    restored = mark.before.copy()
    for name in Projection.__slots__:
        setattr(projection, name, getattr(restored, name))
    projection.withdrawn_records, projection.talk_records = withdrawn, talk
    projection.last_exchange = last_exchange
    projection.marks = [Mark(exchange, turn, 0, mark.before)]
    for value, record in journal:
        if record.seq in talk:
            value = as_talk(value, record)
        if record.seq not in withdrawn:
            take(projection, record, value)
            continue
        if isinstance(value, SpeechHeard | AnswerGiven):
            withdraw(projection, value.segment, record)
        elif value is None:
            withdraw(projection, plain_segment(record), record)
        elif isinstance(value, Corrected) and value.number in projection.withdrawn:
            projection.segments[value.number - 1] = value.segment  # the words, and nothing that came of them
        else:
            continue
        projection.journal.append((value, record))  # taken back again, it still has its place


def _follow(projection: Projection, value: PanelValue | None) -> None:
    """Mark a question that was asked, and drop marks that can no longer be restored."""
    marks = projection.marks
    if isinstance(value, ExchangeOpened | FollowedUp):
        if (now := projection.open) is not None:
            before = projection.copy()
            before.marks, before.journal = [], []
            marks.append(Mark(now.id, len(now.turns), len(projection.journal), before))
    elif len(marks) > 1 and _is_being_answered(projection, value):
        cut = marks[-1].at
        projection.journal = projection.journal[cut:]
        projection.marks = [Mark(marks[-1].exchange, marks[-1].turn, 0, marks[-1].before)]


def _is_being_answered(projection: Projection, value: PanelValue | None) -> bool:
    """Return whether the last question's answer has begun, or its exchange was closed without an answer."""
    last, now = projection.marks[-1], projection.open
    if isinstance(value, ExchangeClosed):
        return value.exchange.id == last.exchange
    return bool(projection.heard) or (
        now is not None and now.id == last.exchange and now.turns[-1].answer is not None
    )


# ---------------------------------------------------------------------- taken back


@dataclass(frozen=True, slots=True)
class AnswerTakenBack(PanelValue):
    """A line appended to the transcript: an answer is taken back, and what resulted from it does not
    count.
    """

    TYPE: ClassVar = "answer_taken_back"

    exchange: str
    turn: int  # whose question is open again
    withdraws: tuple[int, ...] = field(default_factory=tuple)  # numbers of the records that fall with it
    at_s: float | None = None  # session clock: when the presenter said so; None: when it was written
    talk: tuple[int, ...] | None = None
    """Numbers of the records whose words are talk; the question then waits for a pause of the talk.

    A typed answer is withdrawn, and follows as speech. If None, the words do not count, and the question is
    open.
    """

    @property
    def bearing(self) -> Bearing:
        return Bearing(self.exchange, "", opens=True)

    def fold(self, projection: Projection, record: Record) -> None:
        # Else a later one leads back, and folds the records between without any of what was withdrawn.
        withdrawn, talk = set(self.withdraws), set(self.talk or ())
        if not (projection.withdrawn_records >= withdrawn and projection.talk_records >= talk):
            projection.withdrawn_records |= withdrawn
            projection.talk_records |= talk
            take_back(projection, self.exchange, self.turn)
        at_s = record.clock_s if self.at_s is None else self.at_s
        projection.put(at_s)
        if self.talk is not None:
            projection.give_way(at_s)
        projection.refresh_due = True  # the others' questions may have come of the answer

    def entry(self, record: Record) -> Entry:
        return Entry(NOTE, self._told, quoting="", metadata={"exchange": self.exchange})

    def step(self, record: Record) -> Step:
        return Step(
            "take_back",
            self._told,
            "none",
            action={"exchange": self.exchange, "turn": self.turn},
            output={"withdraws": len(self.withdraws)},
            state={"exchange": self.exchange, "current_goal": f"have the question {self.exchange} answered"},
        )

    @property
    def _told(self) -> str:
        if self.talk is None:
            return f"the answer to {self.exchange} is taken back"
        return f"the answer to {self.exchange} was the talk, and the question waits"


@dataclass(frozen=True, slots=True)
class ExchangeReopened(PanelValue):
    """A line appended to the exchange history: an exchange in it does not count, since it is open again."""

    TYPE: ClassVar = "exchange_reopened"

    exchange: str

    @property
    def bearing(self) -> Bearing:
        return Bearing(closes=True)

    def fold(self, projection: Projection, record: Record) -> None:
        """Do nothing: the record that takes the answer back, in the same transaction, reopens the
        exchange.
        """

    def step(self, record: Record) -> Step:
        return Step(None)


def withdrawn_in(store: Store) -> frozenset[int]:
    """Return the numbers of a session's records that were withdrawn with answers taken back.

    Raises:
        LedgerCorruptError: A record cannot be read.
    """
    found: set[int] = set()
    for entry in store.entries():
        if entry.file == TRANSCRIPT and entry.op == "append":
            record = store.record(entry.seq)
            if record.type == AnswerTakenBack.TYPE and record.held is not None:
                found |= withdrawn_by(record.held.read(AnswerTakenBack))
    return frozenset(found)


def withdrawn_by(value: object) -> frozenset[int]:
    """Return the numbers of the records that a record withdraws, none unless it takes an answer back."""
    return frozenset(value.withdraws) if isinstance(value, AnswerTakenBack) else frozenset()
