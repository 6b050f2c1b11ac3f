"""What each of the six tools takes: the words that a model reads, and the limits, in one place."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from orchestrator.memory.arguments import argument
from orchestrator.memory.model import (
    MAX_CONFIDENCE,
    MAX_CONTENT_CHARS,
    MAX_SCRATCHPAD_CHARS,
    MAX_SOURCE_CHARS,
    MAX_TAG_CHARS,
    MAX_TAGS,
    MIN_CONFIDENCE,
    TYPES,
)

DEFAULT_FOUND: Final = 5
MAX_FOUND: Final = 20
MAX_QUERY_CHARS: Final = 2_000
MAX_PATH_CHARS: Final = 256
"""The last four are our own limits: no honest call needs more."""


@dataclass(frozen=True, slots=True)
class ScratchpadRead:
    """`scratchpad_read` takes nothing."""


@dataclass(frozen=True, slots=True)
class ScratchpadUpdate:
    """The arguments of `scratchpad_update`."""

    content: str = argument(
        f"The whole page, as Markdown, at most {MAX_SCRATCHPAD_CHARS:,} characters; it replaces the old one.",
        max_chars=MAX_SCRATCHPAD_CHARS,
    )
    revision: int | None = argument(
        "The revision that you read. If the page was changed since, nothing is written.", default=None, low=0
    )


@dataclass(frozen=True, slots=True)
class MemoryWrite:
    """The arguments of `memory_write`."""

    type: str = argument(
        "insight: what you understood; pattern: what recurs; strategy: what works with this presenter; "
        "preference: what they like; lesson: what to do differently.",
        choices=TYPES,
    )
    content: str = argument(
        f"One sentence that will make sense by itself later, at most {MAX_CONTENT_CHARS} characters.",
        max_chars=MAX_CONTENT_CHARS,
        is_line=True,
    )
    confidence: float = argument(
        f"How sure you are, from {MIN_CONFIDENCE:g} to {MAX_CONFIDENCE:g}; what is less sure is not kept.",
        low=MIN_CONFIDENCE,
        high=MAX_CONFIDENCE,
    )
    tags: tuple[str, ...] = argument(
        "Words to find it by.", default=(), max_items=MAX_TAGS, max_chars=MAX_TAG_CHARS, is_line=True
    )
    source_trace_id: str | None = argument(
        "A stable id of the one thing that this memory comes from. The same id is never written twice, so "
        "leave it out where several memories come from one thing.",
        default=None,
        max_chars=MAX_SOURCE_CHARS,
        is_line=True,
    )


@dataclass(frozen=True, slots=True)
class MemorySearch:
    """The arguments of `memory_search`."""

    query: str = argument(
        "What you want to know about, in plain words; empty for the newest.",
        max_chars=MAX_QUERY_CHARS,
        is_line=True,
    )
    limit: int = argument("How many to give at most.", default=DEFAULT_FOUND, low=1, high=MAX_FOUND)


@dataclass(frozen=True, slots=True)
class FilesListed:
    """The arguments of `file_list`."""

    prefix: str = argument(
        "How the paths begin, such as facts/ or shared/; everything where it is left out.",
        default="",
        max_chars=MAX_PATH_CHARS,
    )


@dataclass(frozen=True, slots=True)
class FileRead:
    """The arguments of `file_read`."""

    path: str = argument("The file's path, as file_list gives it.", max_chars=MAX_PATH_CHARS)
    offset: int = argument("The character at which to begin; see next_offset.", default=0, low=0)
