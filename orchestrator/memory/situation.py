"""What has happened lately over one presenter's sessions: read from their ledgers, bounded, masked."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, Final

from orchestrator.memory.past_sessions import Begun, is_read, sessions_of
from orchestrator.memory.record_types import SPEECH, read, type_of
from orchestrator.privacy.masking import masked
from orchestrator.privacy.off_record import HISTORY, TRANSCRIPT, OffRecord
from orchestrator.render import one_line
from orchestrator.store.history import LEDGER_NAME
from orchestrator.store.ledger import Entry, Record

WINDOW_HOURS: Final = 6
MAX_SESSIONS: Final = 5
"""The newest; more rehearsals in six hours are counted, not told."""


@dataclass(frozen=True, slots=True)
class Asked:
    """An exchange that was closed in the window."""

    session: str
    exchange: str
    agent: str
    quote: str  # masked; of a general question, the question
    outcome: str


@dataclass(slots=True)
class Lately:
    """One session as far as the window reaches."""

    begun: Begun
    last_at: str = ""
    has_begun: bool = False  # in the window
    has_ended: bool = False  # in the window
    is_frozen: bool = False
    spoken: int = 0
    asked: list[Asked] = field(default_factory=list)
    waiting: dict[str, str] = field(default_factory=dict)  # the question of each agent, masked


def recent_roots(home_root: Path, presenter: str, now: str) -> tuple[tuple[Begun, ...], int]:
    """The presenter's sessions that were written to in the window, newest first; and how many more."""
    since_ns = (datetime.fromisoformat(now) - timedelta(hours=WINDOW_HOURS)).timestamp() * 1e9
    found = [one for one in sessions_of(home_root, presenter) if _size_and_time(one)[1] >= since_ns]
    found.reverse()
    return tuple(found[:MAX_SESSIONS]), len(found[MAX_SESSIONS:])


def stamp_of(begun: Begun) -> list[Any]:
    """Something that changes whenever anything is written to a session."""
    return [begun.id, *_size_and_time(begun)]


def _size_and_time(begun: Begun) -> tuple[int, int]:
    """Of its ledger: bytes, and nanoseconds of the last write."""
    try:
        status = (begun.root / LEDGER_NAME).stat()
    except OSError:
        return 0, 0
    return status.st_size, status.st_mtime_ns


def lately(begun: Begun, now: str) -> Lately | None:
    """What happened in a session in the window; None: nothing, or its ledger cannot be read."""
    since = (datetime.fromisoformat(now) - timedelta(hours=WINDOW_HOURS)).strftime("%Y-%m-%dT%H:%M:%S")
    told, off_record = Lately(begun), OffRecord()

    def take(record: Record) -> None:
        _take(told, off_record, record, is_recent=record.at >= since)

    return told if is_read(begun.root, take, only=_tells) and told.last_at else None


def _tells(entry: Entry) -> bool:
    file = entry.file or ""
    return entry.op in ("open", "freeze") or file in (TRANSCRIPT, HISTORY) or file.endswith(_CANDIDATE)


_CANDIDATE: Final = "/candidate-question.md"


def _take(told: Lately, off_record: OffRecord, record: Record, *, is_recent: bool) -> None:
    kind = type_of(record)
    told.last_at = record.at if is_recent else told.last_at
    off_record.take(record)
    if record.op == "open":
        told.has_begun = is_recent
    elif record.op == "freeze":
        told.is_frozen, told.has_ended = True, is_recent
    elif kind in SPEECH:
        told.spoken += is_recent
    elif kind == "exchange_closed":
        done = read("exchange", record)
        back = done.get("comes_back_to")
        told.asked = [one for one in told.asked if back is None or one.exchange != back]  # it is one question
        words = done.get("quote") or done["turns"][0]["question"]
        if is_recent and not off_record.touches(words):
            quote, outcome = masked(one_line(words)), done.get("outcome") or "open"
            told.asked.append(Asked(told.begun.id, done["id"], done["agent"], quote, outcome))
    elif kind == "candidate":
        told.waiting.pop(record.by, None)
        waiting = read("waiting", record)
        question = (waiting.get("candidate") or {}).get("question") or ""
        is_ready = waiting.get("status") == "ready" and question
        if is_recent and is_ready and not off_record.touches(question):
            told.waiting[record.by] = masked(one_line(question))
