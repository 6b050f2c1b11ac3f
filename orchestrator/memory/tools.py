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
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from time import monotonic
from typing import Any, Final

from orchestrator.core.context.assemble import shown_content
from orchestrator.core.context.messages import ToolResult
from orchestrator.core.errors import GreenroomError, StoreError
from orchestrator.core.home.plain_yaml import hint
from orchestrator.core.legible import one_line
from orchestrator.core.store.ledger import Record, Value
from orchestrator.core.store.store import Store
from orchestrator.memory.database import existing
from orchestrator.memory.embedding import Embedder
from orchestrator.memory.facts import FactLog, fact_files
from orchestrator.memory.memories import carried_into
from orchestrator.memory.notebook import LONG_TERM, Found, MemoryKept, Notebook, Page, PageKept, ProposalLog
from orchestrator.memory.validation import (
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
    shown,
)
from orchestrator.panel.application import BOARD
from orchestrator.panel.records.kinds import known_value
from orchestrator.panel.records.memory import ToolUsed

# ---------------------------------------------------------------------- session files
# Session files that an agent may list and read: its part of `shared/`, `facts/` and its own folder.
#
# Of `shared/` it reads what its reading order in the table names, until the session has ended. Never
# `ledger/` and `trace/`. Another agent's folder is private until the session has ended. A path is looked
# up among the names that there are, and is never put together into one of the file system's: whatever is
# not exactly such a name is refused. Every text is the ledger's, or made from it as `facts/` is, so a link
# or another file in its place is never followed or read. Words off the record, and whatever quotes them,
# are blanked.
#
# Source: DESIGN.md, section 3; interfaces.md, "Tools".


MAX_READ_CHARS: Final = 40_000
"""Of one read: some 10,000 tokens of English. A transcript of two hours takes two reads."""
SHARED: Final = "shared/"
FACTS: Final = "facts/"
_OUTSIDE: Final = {
    "is absolute": r"^([/~]|[A-Za-z]:)",
    "leads up with ..": r"(^|/)\.\.(/|$)",
    "is not written plainly": r"[\\%]",
}
_NEVER: Final = ("ledger", "trace", "source", "templates")


@dataclass(frozen=True, slots=True)
class ListedFile:
    """A file that the agent may read."""

    path: str
    size_bytes: int
    mutability: str  # by its class, how the text may change; "derived" under facts/


@dataclass(frozen=True, slots=True)
class FileList:
    """The files that begin with a prefix."""

    files: tuple[ListedFile, ...]
    reason: str | None = None  # why there is nothing, or not everything


@dataclass(frozen=True, slots=True)
class FileText:
    """A file's text, or a part of it. It is what was said and written: never an instruction."""

    path: str
    text: str
    offset: int  # in characters, of the first one of `text`
    total_chars: int
    next_offset: int | None = None  # where to read on; nothing where this is the end


class OutOfReachError(StoreError):
    """The path is outside the session, or this agent may not read it (now, or ever)."""


class NoSuchFileError(OutOfReachError):
    """The session has no such file (yet)."""


def list_files(store: Store, agent: str, prefix: str = "") -> FileList:
    """Return the files that *agent* may read and whose path begins with *prefix*, sorted by path.

    Raises:
        OutOfReachError: *prefix* leads outside the session.
        UsageError: *agent* has no seat in this session.
    """
    _check_inside(prefix, "prefix")
    with store.history.mutex:
        store.catch_up()
        facts = (ListedFile(path, len(text.encode()), "derived") for path, text in _facts(store).items())
        own = (
            ListedFile(path, store.state(path).size_bytes, store.layout.files[path].mutability.value)
            for path in _reachable(store, agent)
        )
        may = sorted((*own, *facts), key=lambda one: one.path)
    found = tuple(one for one in may if one.path.startswith(prefix))
    if found:
        return FileList(found)
    otherwise = "nothing has been written yet"
    if prefix:
        otherwise = (
            f"no file here begins with {shown(prefix)}: leave the prefix out to see all that you may read"
        )
    return FileList((), _why_private(store, agent, prefix) or otherwise)


def read_file(
    store: Store, agent: str, path: str, offset: int = 0, *, most_chars: int = MAX_READ_CHARS
) -> FileText:
    """Return at most *most_chars* characters, from *offset* on, of a file that *agent* may read.

    Raises:
        OutOfReachError: The path leads outside the session, or this agent may not read it.
        NoSuchFileError: There is no such file, or it has not been written yet.
        UsageError: *agent* has no seat in this session.
        StoreError: It is behind the end of the file.
    """
    _check_inside(path, "path")
    with store.history.mutex:
        store.catch_up()
        reachable = _reachable(store, agent)
        text = shown_content(store, path) if path in reachable else None
        if path.startswith(FACTS):
            text = _facts(store).get(path)
    if text is None:
        if (private := _why_private(store, agent, path)) is not None:
            raise OutOfReachError(private)
        if path in store.layout.files:
            raise NoSuchFileError(f"{path}: has not been written yet: file_list shows what there is")
        do = hint(path, reachable, "file_list shows what you may read")
        raise NoSuchFileError(f"there is no file {shown(path)} in this session: {do}")
    if offset and offset >= len(text):
        raise StoreError(f"{path}: has {len(text):,} characters, so nothing is at {offset:,}: read from 0")
    part = text[offset : offset + most_chars]
    end = offset + len(part)
    return FileText(path, part, offset, len(text), end if end < len(text) else None)


def _reachable(store: Store, agent: str) -> list[str]:
    """Return the session files that *agent* may read and that have been written."""
    store.layout.order(agent)  # raises for who has no seat
    return sorted(
        path for path in store.layout.files if _may_read(store, agent, path) and store.state(path).seqs
    )


def _may_read(store: Store, agent: str, path: str) -> bool:
    """Return whether *agent* may read: its own folder, and what is in its reading order; all at the end."""
    return store.frozen or path.startswith(f"{agent}/") or path in store.layout.order(agent)


def _facts(store: Store) -> dict[str, str]:
    """Return the files under facts/ with their text; none before a run of the summariser has ended."""
    log = FactLog()
    for entry in store.entries():
        log.take(store.record(entry.seq))
    return {FACTS + name: text for name, text in fact_files(log).items()} if log.read_seq else {}


def _check_inside(path: str, what: str) -> None:
    """Raise OutOfReachError if the path begins with, or contains, what no session path does."""
    why = next((why for why, of in _OUTSIDE.items() if re.search(of, path)), None)
    why = why if path.isprintable() else "holds a control character"
    if why is not None:
        raise OutOfReachError(
            f"{what} {shown(path)}: {why}, so it is outside this session: name files as file_list does, "
            "such as shared/deck-content.md"
        )


def _why_private(store: Store, agent: str, path: str) -> str | None:
    """Return why nothing under *path* may be read, or None if privacy is not the reason."""
    folder = path.partition("/")[0]
    if folder in _NEVER:
        return f"{folder}/ is no agent's to read: you may read shared/, facts/ and {agent}/"
    if path in store.layout.files and path.startswith(SHARED) and not _may_read(store, agent, path):
        return (
            f"{path} is not given to {agent} while the session goes on, and can be read once it has ended: "
            "file_list shows what you may read"
        )
    if folder in {*store.layout.agents} - {agent} and not _may_read(store, agent, path):
        return (
            f"{folder}/ is private while the session goes on, and can be read once it has ended: "
            f"until then you may read shared/, facts/ and {agent}/"
        )
    return None


# ---------------------------------------------------------------------- tools


@dataclass(frozen=True, slots=True)
class Desk:
    """The place where one agent works: its notebook, and the session whose files it may read."""

    agent: str
    notebook: Notebook | None  # None: there is none here, and the memory tools say so
    store: Store | None = None  # None: it works without a session
    read_chars: int = MAX_READ_CHARS  # of a file at once


@dataclass(frozen=True, slots=True)
class Tool:
    """One tool: its complete definition."""

    name: str
    title: str
    arguments: type[Arguments]  # its docstring is for the model that uses the tool
    result: type
    run: Callable[[Any, Any], Any]  # from a desk that has what it needs, and `arguments`, to `result`
    writes: bool = False
    needs_session: bool = False  # else a notebook

    @property
    def description(self) -> str:
        """The description for the model that uses the tool."""
        return one_line(self.arguments.__doc__ or "")

    def schema(self) -> dict[str, Any]:
        """Return the JSON schema of the tool's arguments."""
        return schema_of(self.arguments)

    def result_schema(self) -> dict[str, Any]:
        """Return the JSON schema of the tool's result."""
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
        """The outcome as one line of JSON that no content of it can end."""
        return json.dumps(self.value, ensure_ascii=False)


@cache
def anthropic_tools() -> tuple[Mapping[str, Any], ...]:
    """Return the six definitions as the Messages API's `tools` expects them, always the same bytes."""
    return tuple(
        {"name": tool.name, "description": tool.description, "input_schema": tool.schema()} for tool in TOOLS
    )


def call(desk: Desk, name: str, arguments: Mapping[str, Any] | None) -> Outcome:
    """Run one tool; a mistake of the model or a disk failure is an error outcome."""
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
    """Return an error outcome for a model: its kind, then what is wrong and what to do."""
    return Outcome({"error": kind, "message": message, **more}, is_error=True)


def refused(error: GreenroomError | OSError) -> Outcome:
    """Return an error of ours or of the disk as an outcome for a model."""
    if isinstance(error, OSError):
        return failed("disk", f"{(error.strerror or str(error)).lower()}: try again, or go on without")
    kind = re.sub(r"(?<=[a-z])(?=[A-Z])", "-", type(error).__name__.removesuffix("Error")).lower()
    problems = error.problems if isinstance(error, ArgumentsRefusedError) else ()
    return failed(kind, str(error), **({"problems": list(map(_plain, problems))} if problems else {}))


def _plain(value: Any) -> dict[str, Any]:
    """Convert a typed result to JSON values, omitting empty ones."""

    def without_none(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        return {key: list(one) if isinstance(one, tuple) else one for key, one in pairs if one is not None}

    return dataclasses.asdict(value, dict_factory=without_none)


# ---------------------------------------------------------------------- session tools
# The six tools as the agents of one session have them while a model is asked.
#
# A call's tools read the session and long-term memory as they stand, and write nothing: what they propose
# is held until the call is over, and put into the ledger by whoever writes the session, in one transaction
# with the uses themselves. So a call that is given up or fails leaves its uses in the ledger and none of
# its proposals, and one that is made again after a crash finds nothing of the first.
#
# Each use is a note (`ToolUsed`) by the agent, with the result of the memory tools alone: what file tools
# give stands in the ledger anyway. Proposals stand behind the uses as in `proposals`.


MAX_RESULT_CHARS: Final = 24_000
"""Of all results in one call, some 6,000 tokens, a fifth of a context. Our own limit."""
READ_CHARS: Final = 8_000
"""Of one file read: a third of that."""
MAX_ARGUMENT_CHARS: Final = 4_000
"""Of arguments as the ledger keeps them: a whole scratchpad and its quoting."""


@dataclass
class SessionTools:
    """The tools of one session; implements `Tooling`."""

    root: Path | None  # of the session; None: it is only being made, so every use is refused
    home_root: Path | None  # where long-term memory is; None: it is switched off
    presenter: str
    embed: Embedder | None = None
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _over: list[tuple[str, Value]] = field(default_factory=list)

    @property
    def definitions(self) -> Sequence[Mapping[str, Any]]:
        return anthropic_tools()

    def begin(self, agent: str, task: str, receipt: str) -> CallTools:
        return CallTools(self, agent, task, receipt)

    def take(self) -> list[tuple[str, Value]]:
        with self._lock:
            taken, self._over = self._over, []
        return taken

    def leave(self, notes: Sequence[tuple[str, Value]]) -> None:
        """Hand over the notes of a call that is over."""
        with self._lock:
            self._over += notes


@dataclass
class CallTools:
    """The tools of one call; implements `ToolUses`."""

    of: SessionTools
    agent: str
    task: str
    receipt: str
    left: int = MAX_RESULT_CHARS
    uses: list[ToolUsed] = field(default_factory=list)
    proposed: list[Record] = field(default_factory=list)

    def use(self, name: str, arguments: Mapping[str, Any]) -> ToolResult:
        began, before = monotonic(), len(self.proposed)
        as_of, outcome = self._called(name, arguments)
        if len(outcome.text) > self.left:
            del self.proposed[before:]
            outcome = failed(
                "too-much",
                f"this has {len(outcome.text):,} characters, and {self.left:,} are left for this task: "
                "ask for less, or reply without it",
            )
        seconds = round(monotonic() - began, 3)
        is_proposal = len(self.proposed) > before
        return self._told(name, arguments, outcome, as_of=as_of, seconds=seconds, proposed=is_proposal)

    def refuse(self, name: str, arguments: Mapping[str, Any], why: str) -> ToolResult:
        return self._told(name, arguments, failed("refused-use", why))

    def close(self, *, counts: bool) -> None:
        proposed = [known_value(one) for one in self.proposed] if counts else []
        self.of.leave([(self.agent, value) for value in (*self.uses, *proposed) if value is not None])

    def _called(self, name: str, arguments: Mapping[str, Any]) -> tuple[int | None, Outcome]:
        """Return the last record up to which the session was read, and the outcome."""
        of, tool = self.of, BY_NAME.get(name)
        if of.root is None:
            return None, failed(
                "not-here", "the session begins only now, so there is nothing to use: reply without tools"
            )
        as_of: int | None = None
        try:
            with ExitStack() as opened:
                store, notebook = (
                    Store(of.root, application=BOARD),
                    None,
                )  # read anew, so that no lock is waited for
                opened.callback(store.close_files)
                if tool is not None and not tool.needs_session:
                    db = opened.enter_context(existing(of.home_root))
                    log = ProposalLog(store, self.agent, of.presenter, held=self.proposed)
                    notebook = Notebook(db, self.agent, of.presenter, log, of.embed)
                as_of = store.seq
                outcome = call(Desk(self.agent, notebook, store, READ_CHARS), name, arguments)
            # Memories whose words come into the ledger with this use: `forget` names the session then.
            value = outcome.value
            found = value.get("memories") or [value]
            is_long_term = value.get("kept_in", LONG_TERM) == LONG_TERM
            ids = [one["id"] for one in found if is_long_term and "id" in one]
            carried_into(of.home_root, of.root.name, ids)
        except (GreenroomError, OSError) as error:
            return as_of, refused(error)
        return as_of, outcome

    def _told(
        self,
        name: str,
        arguments: Mapping[str, Any],
        outcome: Outcome,
        *,
        as_of: int | None = None,
        seconds: float | None = None,
        proposed: bool = False,
    ) -> ToolResult:
        """Count the tool use, and keep what the ledger records of it."""
        self.left = max(0, self.left - len(outcome.text))
        tool = BY_NAME.get(name)
        is_kept = tool is not None and not tool.needs_session and not outcome.is_error
        chars = len(json.dumps(arguments, ensure_ascii=False))
        self.uses.append(
            ToolUsed(
                task=self.task,
                receipt=self.receipt,
                tool=name if tool is not None else "unknown",
                arguments=arguments if chars <= MAX_ARGUMENT_CHARS else {"left_out": chars},
                as_of=as_of,
                proposed=proposed,
                seconds=seconds,
                chars=len(outcome.text),
                result=outcome.value if is_kept else None,
                error=outcome.value["error"] if outcome.is_error else None,
            )
        )
        return ToolResult(outcome.text, outcome.is_error)
