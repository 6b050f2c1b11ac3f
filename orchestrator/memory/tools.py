"""The six tools of an agent, each defined once: for a Claude tool loop and for the MCP server.

`call` runs one at a desk: one agent's notebook, and the session of which it may read files. It never
raises for what a model or the disk did wrong; the outcome then is an error that says what is wrong, the
measured value, the limit, and what to do instead.

Source: interfaces.md, "Tools"; the seeds 001 (scratchpad, memory) and 002 (files).
"""

from __future__ import annotations

import dataclasses
import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, Final

from orchestrator.core.errors import GreenroomError
from orchestrator.core.legible import one_line
from orchestrator.core.store.store import Store
from orchestrator.memory.arguments import (
    Arguments,
    ArgumentsRefusedError,
    FileRead,
    FilesListed,
    MemorySearch,
    MemoryWrite,
    ScratchpadRead,
    ScratchpadUpdate,
    parsed,
    schema_of,
)
from orchestrator.memory.notebook import Found, MemoryKept, Notebook, Page, PageKept
from orchestrator.memory.session_files import MAX_READ_CHARS, FileList, FileText, list_files, read_file


@dataclass(frozen=True, slots=True)
class Desk:
    """Where one agent works: its notebook, and the session whose files it may read."""

    agent: str
    notebook: Notebook | None  # None: there is none here, and the memory tools say so
    store: Store | None = None  # None: it works without a session
    read_chars: int = MAX_READ_CHARS  # of a file at once


@dataclass(frozen=True, slots=True)
class Tool:
    """One tool: all that there is to know about it."""

    name: str
    title: str
    arguments: type[Arguments]  # its docstring is for the model that uses the tool
    result: type
    run: Callable[[Any, Any], Any]  # from a desk that has what it needs, and `arguments`, to `result`
    writes: bool = False
    needs_session: bool = False  # else a notebook

    @property
    def description(self) -> str:
        """The words for the model that uses it."""
        return one_line(self.arguments.__doc__ or "")

    def schema(self) -> dict[str, Any]:
        """The JSON schema of its arguments."""
        return schema_of(self.arguments)

    def result_schema(self) -> dict[str, Any]:
        """The JSON schema of its result."""
        return schema_of(self.result)


def _read_file(at: Desk, given: FileRead) -> FileText:
    assert at.store is not None  # noqa: S101 (`call` looked)
    return read_file(at.store, at.agent, given.path, given.offset, most_chars=at.read_chars)


TOOLS: Final = (
    Tool(
        "scratchpad_read", "Read your scratchpad", ScratchpadRead, Page, lambda at, _: at.notebook.read_page()
    ),
    Tool(
        "scratchpad_update",
        "Replace your scratchpad",
        ScratchpadUpdate,
        PageKept,
        lambda at, given: at.notebook.update_page(given.content, given.revision),
        writes=True,
    ),
    Tool(
        "memory_write",
        "Remember one thing",
        MemoryWrite,
        MemoryKept,
        lambda at, given: at.notebook.write(given),
        writes=True,
    ),
    Tool(
        "memory_search",
        "Search your memories",
        MemorySearch,
        Found,
        lambda at, given: at.notebook.search(given.query, given.limit),
    ),
    Tool(
        "file_list",
        "List files",
        FilesListed,
        FileList,
        lambda at, given: list_files(at.store, at.agent, given.prefix),
        needs_session=True,
    ),
    Tool("file_read", "Read a file", FileRead, FileText, _read_file, needs_session=True),
)
"""In the order in which they are offered; it never changes, so that a prompt that holds it is cached."""

BY_NAME: Final[Mapping[str, Tool]] = {tool.name: tool for tool in TOOLS}


@dataclass(frozen=True, slots=True)
class Outcome:
    """The result of a call, or an error that a model can act on; plain JSON."""

    value: Mapping[str, Any]
    is_error: bool = False

    @property
    def text(self) -> str:
        """As one line of JSON; nothing that it holds can end it."""
        return json.dumps(self.value, ensure_ascii=False)


@cache
def anthropic_tools() -> tuple[Mapping[str, Any], ...]:
    """The six definitions as the Messages API's `tools` takes them, always the same bytes."""
    return tuple(
        {"name": tool.name, "description": tool.description, "input_schema": tool.schema()} for tool in TOOLS
    )


def call(desk: Desk, name: str, arguments: Mapping[str, Any] | None) -> Outcome:
    """Run one tool. A mistake of the model's, or a failure of the disk, is an error outcome."""
    tool = BY_NAME.get(name)
    if tool is None:
        return failed("unknown-tool", f"there is no tool {name[:60]!r}: there are {', '.join(BY_NAME)}")
    try:
        given = parsed(tool.arguments, arguments or {})
        if tool.needs_session and desk.store is None:
            return failed("not-here", "there is no session here, so there are no files: go on without them")
        if not tool.needs_session and desk.notebook is None:
            return failed("not-here", "memory is switched off here: go on without it")
        return Outcome(_plain(tool.run(desk, given)))
    except (GreenroomError, OSError) as error:
        return refused(error)


def failed(kind: str, message: str, **more: Any) -> Outcome:
    """An error as a model is told it: its kind, then what is wrong and what to do."""
    return Outcome({"error": kind, "message": message, **more}, is_error=True)


def refused(error: GreenroomError | OSError) -> Outcome:
    """An error of ours or of the disk's, as a model is told it."""
    if isinstance(error, OSError):
        return failed("disk", f"{(error.strerror or str(error)).lower()}: try again, or go on without")
    kind = re.sub(r"(?<=[a-z])(?=[A-Z])", "-", type(error).__name__.removesuffix("Error")).lower()
    problems = error.problems if isinstance(error, ArgumentsRefusedError) else ()
    return failed(kind, str(error), **({"problems": list(map(_plain, problems))} if problems else {}))


def _plain(value: Any) -> dict[str, Any]:
    """A typed result as JSON, without what it has no value for."""

    def without_none(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        return {key: list(one) if isinstance(one, tuple) else one for key, one in pairs if one is not None}

    return dataclasses.asdict(value, dict_factory=without_none)
