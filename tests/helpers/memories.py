"""What tests of long-term memory share: a database with somebody who agreed, times, and many memories."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

from orchestrator.memory import memories
from orchestrator.memory.database import MemoryDatabase
from orchestrator.memory.model import Memory, Written
from orchestrator.memory.presenter import set_consent

INES = "Ines"
NOW = "2026-11-22T08:00:00.000000Z"


def at(day: int) -> str:
    """A time so many days after `NOW`; before it, where *day* is negative."""
    moment = datetime(2026, 11, 22, 8, tzinfo=UTC) + timedelta(days=day)
    return f"{moment:%Y-%m-%dT%H:%M:%S.%f}Z"


@contextmanager
def opened(folder: Path, *presenters: str) -> Iterator[MemoryDatabase]:
    """The database of *folder*, in which Ines and these others agreed to be remembered."""
    with MemoryDatabase.open(folder) as db:
        for name in (INES, *presenters):
            set_consent(db, name, True, NOW)
        yield db


def write_memory(
    db: MemoryDatabase,
    *,
    agent: str,
    presenter: str,
    type: str,
    content: str,
    confidence: float,
    tags: Iterable[str] = (),
    source: str | None = None,
    now: str,
    supersedes: str | None = None,
    confirms: bool = False,
) -> Written:
    """Keep a memory of these values; what came of it."""
    memory = Memory("", agent, presenter, type, content, confidence, tuple(tags), source, now)
    return memories.keep(db, memory, supersedes=supersedes, confirms=confirms)


def keep(
    db: MemoryDatabase,
    content: str,
    *,
    agent: str = "skeptic",
    presenter: str = INES,
    confidence: float = 0.8,
    source: str | None = None,
    now: str = NOW,
    tags: tuple[str, ...] = (),
) -> Memory:
    """Write one lesson that is new; the memory."""
    written = write_memory(
        db,
        agent=agent,
        presenter=presenter,
        type="lesson",
        content=content,
        confidence=confidence,
        source=source,
        tags=tags,
        now=now,
    )
    assert written.is_new
    return written.memory
