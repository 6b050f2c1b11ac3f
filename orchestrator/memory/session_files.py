"""Session files that an agent may list and read: its part of `shared/`, `facts/` and its own folder.

Of `shared/` it reads what its reading order in `layout` names, until the session has ended. Never
`ledger/` and `trace/`. Another agent's folder is private until the session has ended. A path is
looked up among the names that there are, and is never put together into one of the file system's:
whatever is not exactly such a name is refused. Every text is the ledger's, or made from it as
`facts/` is, so a link or another file in its place is never followed or read. Words off the record,
and whatever quotes them, are blanked.

Source: DESIGN.md, section 3; interfaces.md, "Tools".
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from orchestrator.core.context.shown import shown_content
from orchestrator.core.errors import StoreError
from orchestrator.core.home.user_list import hint
from orchestrator.core.store.store import Store
from orchestrator.core.table import MODERATOR
from orchestrator.memory.arguments import shown
from orchestrator.memory.facts import FactLog, fact_files

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
    """A path outside the session, or one that this agent may not read (now, or ever)."""


class NoSuchFileError(OutOfReachError):
    """The session has no such file (yet)."""


def list_files(store: Store, agent: str, prefix: str = "") -> FileList:
    """The files that *agent* may read and whose path begins with *prefix*, by path.

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
    """The text of a file that *agent* may read, from character *offset* on, at most *most_chars* of them.

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
    """The session files that *agent* may read and that have been written."""
    store.layout.order(agent)  # raises for who has no seat
    return sorted(
        path for path in store.layout.files if _may_read(store, agent, path) and store.state(path).seqs
    )


def _may_read(store: Store, agent: str, path: str) -> bool:
    """Its own folder, and of the shared files those that its reading order names; all once it is over."""
    if store.frozen or path.startswith(f"{agent}/"):
        return True
    return path.startswith(SHARED) and path in store.layout.order(agent)


def _facts(store: Store) -> dict[str, str]:
    """The files under facts/ with their text; none before a run of the summariser has ended."""
    log = FactLog()
    for entry in store.entries():
        log.take(store.record(entry.seq))
    return {FACTS + name: text for name, text in fact_files(log).items()} if log.read_seq else {}


def _check_inside(path: str, what: str) -> None:
    """Raises OutOfReachError for what no path of a session begins like, or contains."""
    why = next((why for why, of in _OUTSIDE.items() if re.search(of, path)), None)
    why = why if path.isprintable() else "holds a control character"
    if why is not None:
        raise OutOfReachError(
            f"{what} {shown(path)}: {why}, so it is outside this session: name files as file_list does, "
            "such as shared/deck-content.md"
        )


def _why_private(store: Store, agent: str, path: str) -> str | None:
    """Why nothing under *path* may be read; None where that is not the reason."""
    folder = path.partition("/")[0]
    if folder in _NEVER:
        return f"{folder}/ is no agent's to read: you may read shared/, facts/ and {agent}/"
    if path in store.layout.files and path.startswith(SHARED) and not _may_read(store, agent, path):
        return (
            f"{path} is not given to {agent} while the session goes on, and can be read once it has ended: "
            "file_list shows what you may read"
        )
    if folder in {MODERATOR, *store.layout.panel} - {agent} and not store.frozen:
        return (
            f"{folder}/ is private while the session goes on, and can be read once it has ended: "
            f"until then you may read shared/, facts/ and {agent}/"
        )
    return None
