"""How memory reads any record: by what the class of its value tells, and for text without a value as speech.

A value of a later release, or of another program, is a step of the trace by its type, and no more. What the
store writes for itself (receipts, a client's own ids) tells nothing.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from orchestrator.core.store.ledger import Record
from orchestrator.core.store.requests import Counted, Replied
from orchestrator.core.store.value import Unread
from orchestrator.panel.model.fact import SPOKEN, Passage
from orchestrator.panel.records.kinds import PanelRecord, checked_value
from orchestrator.panel.records.speech import AnswerGiven, SpeechHeard
from orchestrator.panel.records.telling import (
    Entry,
    Step,
    bare_entry,
    bare_passage,
    hearing,
    is_speech,
)

_OF_THE_STORE: Final = frozenset({"receipt", Counted.TYPE, Replied.TYPE})
"""Types that belong to the records beside them, or show nothing that those do not."""


def known_value(record: Record) -> PanelRecord | None:
    """Return a record's value where it is one of the panel's.

    Raises:
        LedgerCorruptError: It is not of the shape that its class has.
    """
    value = checked_value(record)
    return None if isinstance(value, Unread) else value


def entry_of(record: Record) -> Entry | None:
    """Return the Scribe's entry of a record; None: there is nothing that anybody would tell.

    Raises:
        LedgerCorruptError: Its value is not of the shape that its class has.
    """
    if record.held is None:
        return bare_entry(record) if is_speech(record) else None
    value = known_value(record)
    return value.entry(record) if value is not None else None


def passage_of(record: Record, date: str | None = None) -> Passage | None:
    """Return speech, an answer or an exchange that closed, for facts; None: the record is none of them.

    Args:
        date: The rehearsal's, where one was given; else the day on which the record was written.

    Raises:
        LedgerCorruptError: Its value is not of the shape that its class has.
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
    """Return the step of the trace that a record is; None: it is none, and changes nothing there.

    Raises:
        LedgerCorruptError: Its value is not of the shape that its class has.
    """
    if record.held is None:
        return hearing(record.text or "") if is_speech(record) else None
    value = checked_value(record)
    if isinstance(value, Unread):
        return Step(value.type) if value.type not in _OF_THE_STORE else None
    return value.step(record) if value is not None else None


def is_spoken(record: Record) -> bool:
    """Return whether a record holds speech, by the type of its value or as text without one."""
    return is_speech(record) if record.held is None else record.type in (SpeechHeard.TYPE, AnswerGiven.TYPE)
