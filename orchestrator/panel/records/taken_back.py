"""An answer that was taken back, or that was the talk: what fell with it is named, and nothing is deleted."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

from orchestrator.core.store.ledger import Record
from orchestrator.core.store.store import Store
from orchestrator.core.store.value import Bearing
from orchestrator.panel.records.base import PanelValue
from orchestrator.panel.records.folding import take_back
from orchestrator.panel.records.projection import TRANSCRIPT, Projection
from orchestrator.panel.records.telling import NOTE, Entry, Step


@dataclass(frozen=True, slots=True)
class AnswerTakenBack(PanelValue):
    """Append to the transcript: the answer to a question is none, and what came of it does not count."""

    TYPE: ClassVar = "answer_taken_back"

    exchange: str
    turn: int  # whose question is open again
    withdraws: tuple[int, ...] = field(default_factory=tuple)  # numbers of the records that fall with it
    at_s: float | None = None  # session clock: when the presenter said so; None: when it was written
    talk: tuple[int, ...] | None = None
    """Numbers of the records whose words are the talk's, and the question waits for a pause of it; a typed
    answer is withdrawn, and follows as speech. None: the words do not count, and the question is open."""

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
    """Append to the exchange history: what stands there of an exchange does not count: it is open again."""

    TYPE: ClassVar = "exchange_reopened"

    exchange: str

    @property
    def bearing(self) -> Bearing:
        return Bearing(closes=True)

    def fold(self, projection: Projection, record: Record) -> None:
        """Nothing: the answer that is taken back says it, in the same transaction."""

    def step(self, record: Record) -> Step:
        return Step(None)


def withdrawn_in(store: Store) -> frozenset[int]:
    """Return the numbers of the records of a session that fell with answers taken back.

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
    """Return the numbers of the records that a record withdraws: none, where it is no answer taken back."""
    return frozenset(value.withdraws) if isinstance(value, AnswerTakenBack) else frozenset()
