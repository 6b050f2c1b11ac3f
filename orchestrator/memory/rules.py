"""Rules: every value is checked, and cleaned, before it comes near the database.

Each check gives back the value as it is kept, or raises `MemoryRefusedError`. Messages are written for a
person and for a model alike: what is wrong, and what would be right.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from datetime import UTC, datetime

from orchestrator.home.user_list import one_line
from orchestrator.layout import AGENT_NAME
from orchestrator.loop.state import UNNAMED
from orchestrator.memory.errors import MemoryRefusedError, ScratchpadTooLongError
from orchestrator.memory.model import (
    MAX_CONFIDENCE,
    MAX_CONTENT_CHARS,
    MAX_GOAL_CHARS,
    MAX_PRESENTER_CHARS,
    MAX_SCRATCHPAD_CHARS,
    MAX_SOURCE_CHARS,
    MAX_TAG_CHARS,
    MAX_TAGS,
    MIN_CONFIDENCE,
    TYPES,
)


def checked_agent(agent: str) -> str:
    """An agent's id."""
    if not AGENT_NAME.fullmatch(agent):
        raise MemoryRefusedError(
            f"agent {one_line(agent)[:40]!r}: is no agent's id: use lower-case letters, digits and hyphens"
        )
    return agent


def checked_presenter(presenter: str) -> str:
    """Who presents, as their rows name them: one line, single spaces, case kept."""
    name = unicodedata.normalize("NFC", one_line(presenter))
    if not name or name == UNNAMED:
        raise MemoryRefusedError("nobody is named as the presenter, so nothing can be kept: use --presenter")
    return _within(name, "the presenter's name", MAX_PRESENTER_CHARS, "shorten it")


def checked_type(type_: str) -> str:
    """One of the five types."""
    if type_ not in TYPES:
        raise MemoryRefusedError(f"type {one_line(str(type_))[:40]!r}: use one of {', '.join(TYPES)}")
    return type_


def checked_confidence(confidence: float) -> float:
    """A number from 0.4 to 1."""
    is_number = isinstance(confidence, int | float) and not isinstance(confidence, bool)
    if not is_number or not MIN_CONFIDENCE <= confidence <= MAX_CONFIDENCE:
        raise MemoryRefusedError(
            f"confidence {str(confidence)[:20]}: must be a number from {MIN_CONFIDENCE:g} to "
            f"{MAX_CONFIDENCE:g}; what is less certain is not kept"
        )
    return float(confidence)


def checked_content(content: str) -> str:
    """What a memory says: one line."""
    return _sentence(content, "content", MAX_CONTENT_CHARS)


def checked_goal(text: str) -> str:
    """What a goal says: one line."""
    return _sentence(text, "the goal", MAX_GOAL_CHARS)


def _sentence(text: str, what: str, limit: int) -> str:
    line = one_line(text)
    if not line:
        raise MemoryRefusedError(f"{what} is empty: write one sentence")
    return _within(line, what, limit, "say it in fewer")


def _within(line: str, what: str, limit: int, do: str) -> str:
    if len(line) > limit:
        raise MemoryRefusedError(f"{what} has {len(line)} characters (limit {limit}): {do}")
    return line


def checked_tags(tags: Iterable[str]) -> tuple[str, ...]:
    """Tags in lower case, each once, in the order given."""
    if isinstance(tags, str):
        raise TypeError("tags is one text: give a list of them")
    found = tuple(dict.fromkeys(tag for tag in (one_line(one).lower() for one in tags) if tag))
    if len(found) > MAX_TAGS:
        raise MemoryRefusedError(f"{len(found)} tags (limit {MAX_TAGS}): keep those that matter")
    for tag in found:
        if len(tag) > MAX_TAG_CHARS:
            raise MemoryRefusedError(f"tag {tag[:20]}… has {len(tag)} characters (limit {MAX_TAG_CHARS})")
    return found


def checked_source(source: str | None) -> str | None:
    """The stable id of where something comes from, or None."""
    return _within(one_line(source or ""), "the source id", MAX_SOURCE_CHARS, "shorten it") or None


def checked_page(content: str) -> str:
    """A scratchpad's text, with its lines as they are.

    Raises:
        ScratchpadTooLongError: It is over 2,000 characters; nothing is ever cut.
        MemoryRefusedError: It holds NUL, or what is no Unicode text.
    """
    if "\0" in content or any("\ud800" <= char <= "\udfff" for char in content):
        raise MemoryRefusedError("the scratchpad holds NUL or half a character: write plain text")
    if len(content) > MAX_SCRATCHPAD_CHARS:
        raise ScratchpadTooLongError(
            f"the scratchpad would have {len(content):,} characters (limit {MAX_SCRATCHPAD_CHARS:,}): "
            f"leave out {len(content) - MAX_SCRATCHPAD_CHARS:,}; nothing was changed"
        )
    return content


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
