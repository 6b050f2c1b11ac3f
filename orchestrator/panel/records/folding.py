"""How a record is taken into the projection, and what is kept so that an answer can be taken back.

When a question is put, the projection as it stands then is kept as a mark, and all records since the first
mark in a journal. An answer that is taken back leads to the mark, and the journal is folded once more without
what fell with the answer: so what is left is what folding the other records gives, and nothing has to be
undone. A mark is let go of once the next question is being answered, or its exchange is closed.
"""

from __future__ import annotations

from orchestrator.core.store.ledger import Record
from orchestrator.panel.records.base import PanelValue
from orchestrator.panel.records.corrections import Corrected
from orchestrator.panel.records.exchanges import ExchangeClosed, ExchangeOpened, FollowedUp
from orchestrator.panel.records.projection import (
    INTEL,
    TRANSCRIPT,
    Mark,
    Projection,
)
from orchestrator.panel.records.speech import (
    AnswerGiven,
    SpeechHeard,
    as_talk,
    fold_plain,
    is_spoken,
    plain_segment,
    withdraw,
)


def take(projection: Projection, record: Record, value: PanelValue | None) -> None:
    """Take a record into the projection; *value*: as its class, None: it has none that is the panel's."""
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
    """Lead back to a question, without the records that are withdrawn; nothing where it has no mark."""
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
    """Mark a question that was put, and let go of marks that nobody can be led back to any more."""
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
    """Whether an answer to the question that was put last has begun, or its exchange closed without one."""
    last, now = projection.marks[-1], projection.open
    if isinstance(value, ExchangeClosed):
        return value.exchange.id == last.exchange
    return bool(projection.heard) or (
        now is not None and now.id == last.exchange and now.turns[-1].answer is not None
    )
