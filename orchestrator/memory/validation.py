"""Rules: every value is checked, and cleaned, before it comes near the database.

Each check gives back the value as it is kept, or raises `MemoryRefusedError`. Messages are written for a
person and for a model alike: what is wrong, and what would be right. The rules for a memory stand in
`MemoryWrite`, the arguments of the tool, and are the check of every other way.
"""

from __future__ import annotations

import unicodedata
from dataclasses import replace
from datetime import UTC, datetime

from orchestrator.core.legible import one_line, page
from orchestrator.core.privacy.off_record import is_clean
from orchestrator.core.table import AGENT_NAME
from orchestrator.memory.arguments import ArgumentsRefusedError, MemoryWrite, parsed
from orchestrator.memory.errors import MemoryRefusedError, ScratchpadTooLongError
from orchestrator.memory.model import (
    MAX_GOAL_CHARS,
    MAX_PRESENTER_CHARS,
    MAX_SCRATCHPAD_CHARS,
    MAX_SOURCE_CHARS,
    Memory,
)
from orchestrator.panel.records.options import UNNAMED


def checked_memory(memory: Memory) -> Memory:
    """A memory with its words as they are kept."""
    given = {name: getattr(memory, name) for name in ("type", "content", "confidence")}
    try:
        said = parsed(MemoryWrite, {**given, "tags": tuple(memory.tags), "source_trace_id": memory.source})
    except ArgumentsRefusedError as error:
        raise MemoryRefusedError(str(error)) from None
    _check_said(said.content, "content")
    return replace(
        memory,
        type=said.type,
        content=said.content,
        confidence=float(said.confidence),
        tags=said.tags,
        source=said.source_trace_id or None,
    )


def check_clean(text: str, what: str) -> None:
    """Raises MemoryRefusedError for what may not leave a session: addresses, numbers, confidences."""
    if not is_clean(text):
        raise MemoryRefusedError(
            f"{what} holds an e-mail address, a phone or card number, or what is off the record: leave that "
            "out; nothing was changed"
        )


def checked_agent(agent: str) -> str:
    """An agent's id."""
    if not AGENT_NAME.fullmatch(agent):
        raise MemoryRefusedError(
            f"agent {one_line(agent)[:40]!r}: is no agent's id: use lower-case letters, digits and hyphens"
        )
    return agent


def checked_presenter(presenter: str) -> str:
    """A presenter's name as rows have it: one line, single spaces, case kept."""
    name = unicodedata.normalize("NFC", one_line(presenter))
    if not name or name == UNNAMED:
        raise MemoryRefusedError(
            "nobody is named as the presenter, so nothing is remembered: name one with --presenter"
        )
    return _within(name, "the presenter's name", MAX_PRESENTER_CHARS)


def checked_goal(text: str) -> str:
    """A goal's text on one line."""
    text = one_line(text)
    _check_said(text, "the goal")
    return _within(text, "the goal", MAX_GOAL_CHARS)


def checked_source(source: str | None) -> str | None:
    """The stable id of where something comes from, or None."""
    return _within(one_line(source or ""), "the source id", MAX_SOURCE_CHARS) or None


def checked_page(content: str) -> str:
    """A scratchpad's text, with its lines as they are and nothing that no reader sees.

    Raises:
        ScratchpadTooLongError: It is over 2,000 characters; nothing is ever cut.
        MemoryRefusedError: It holds NUL, or what is no Unicode text.
    """
    if "\0" in content or any("\ud800" <= char <= "\udfff" for char in content):
        raise MemoryRefusedError("the scratchpad holds NUL or half a character: write plain text")
    return _within(page(content), "the scratchpad", MAX_SCRATCHPAD_CHARS, ScratchpadTooLongError)


def checked_time(now: str) -> str:
    """A time as every row has it: UTC with microseconds, so that rows sort by it as text.

    Raises:
        ValueError: It is no RFC 3339 time with a zone.
    """
    moment = datetime.fromisoformat(now)
    if moment.tzinfo is None:
        raise ValueError(f"{now!r} names no time zone: times are UTC and end in Z")
    return f"{moment.astimezone(UTC):%Y-%m-%dT%H:%M:%S.%f}Z"


def normalised(text: str) -> str:
    """The text by which two contents are the same: letter case, spacing, marks and a last stop aside."""
    folded = unicodedata.normalize("NFKC", text).casefold()
    return one_line(folded).strip(" .,;:!?…\"'“”‘’")


def _check_said(line: str, what: str) -> None:
    if not line:
        raise MemoryRefusedError(f"{what} is empty: write one sentence")


def _within(text: str, what: str, limit: int, error: type[MemoryRefusedError] = MemoryRefusedError) -> str:
    """*text*, if it is within its limit; else the words that a tool's argument would be refused with."""
    if len(text) > limit:
        over = f"(limit {limit:,}): shorten it by {len(text) - limit:,}"
        raise error(f"{what} has {len(text):,} characters {over}. Nothing was done")
    return text
