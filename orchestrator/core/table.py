"""The table of a session's files: class, writers, size limit, and the order in which agents read them.

A `Table` is data: a home's `table.yaml`, or the table in a session's first record. With a panel in its seats
it becomes the session's `SeatedTable`. Writers, assembler, verifier and documents read the latter; nothing
else in the package knows the name of a session file's class or who may write it.

Source: DESIGN.md, sections 2 and 3; trust.md, "Bad inputs" (names).
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cached_property
from typing import Any, Final, NoReturn

from orchestrator.core.errors import (
    ConfigurationError,
    ImmutableFileError,
    UnknownFileError,
    UsageError,
)

KIB: Final = 1024
MIB: Final = 1024 * 1024

MODERATOR: Final = "moderator"
CONFIG: Final = "shared/session-config.md"
TRANSCRIPT: Final = "shared/presenter-transcript.md"
HISTORY: Final = "shared/exchange-history.md"
AGENT: Final = "<agent>"
"""The placeholder for an agent's id, in a path and among writers."""

RESERVED: Final = frozenset((
    "shared", "facts", "trace", "source", "ledger", "templates", "start", "transcript", "intel",
    "summariser", "panelist",
))  # fmt: skip
"""Names that an agent cannot have: folders of a session, and writers that are not agents."""
_OWN_FOLDERS: Final = frozenset(("facts", "trace", "source", "ledger", "templates", "panelist"))
"""Folders in which no row can have a file: the program's own, and the one for a home's blueprints of
seats."""

# A folder's name, a part of object keys and of `--panel a,b`: no case twins, no dots, nothing a shell reads.
# Matched whole: `$` would let a trailing newline through (trust.md, "The store").
AGENT_NAME: Final = re.compile(r"[a-z][a-z0-9-]{0,31}")
SESSION_ID: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}")
_FOLDER: Final = rf"(?:{AGENT}|[a-z0-9][a-z0-9-]*)"
_PATH: Final = re.compile(rf"({_FOLDER})/[a-z0-9][a-z0-9.-]*")
_TEMPLATE: Final = re.compile(rf"templates/({_FOLDER})/[a-z0-9][a-z0-9.-]*")
_SIZE: Final = re.compile(r"(\d{1,9}) (KiB|MiB)")

MAX_PATH_CHARS: Final = 128
"""Maximum characters of a path: as many as fit into the head of a ledger's record (`store/ledger.py`)
together with the longest agent's name."""
MAX_REVISIONS: Final = 5
"""Maximum revisions of a write-few file whose row states no number (DESIGN.md, section 3)."""
MAX_APPEND_BYTES: Final = 1 * MIB
"""Maximum size of one append. A spoken segment is some hundred bytes, so this is far above any real
append."""
MAX_FILE_BYTES: Final = 512 * MIB
"""Maximum size of one file: that of the ledger which contains it (`store/files.py`)."""
_DEFAULT_FILE_BYTES: Final = 16 * MIB
# A table of more is another kind of file; our own limits, which keep a forged first record small.
_MAX_ROWS: Final = 256
_MAX_SEATS: Final = 64
_MAX_NUMBER: Final = 1_000_000


class Mutability(StrEnum):
    """The changes that a file may undergo during a session."""

    IMMUTABLE = "immutable"
    WRITE_ONCE = "write-once"
    WRITE_FEW = "write-few"
    APPEND_ONLY = "append-only"
    OVERWRITE = "overwrite"


_CLASSES: Final = tuple(kind.value for kind in Mutability if kind is not Mutability.IMMUTABLE)


@dataclass(frozen=True, slots=True)
class SessionFile:
    """One row of the table: one file, one class, one set of writers."""

    path: str
    mutability: Mutability
    writers: tuple[str, ...]
    max_bytes: int
    max_revisions: int = 1
    has_blueprint: bool = False
    stream: bool = False  # a token budget shortens it, and the watermark cuts it
    marks: bool = False  # what is written here moves the watermark
    withheld: bool = False  # what is said off the record is heard here

    def plain(self) -> dict[str, Any]:
        """Return the row as JSON, without its path and without the properties that it does not have."""
        plain: dict[str, Any] = {
            "class": self.mutability.value,
            "by": list(self.writers),
            "max": self.max_bytes,
        }
        if self.mutability is Mutability.WRITE_FEW:
            plain["revisions"] = self.max_revisions
        flags = {"blueprint": self.has_blueprint, **{name: getattr(self, name) for name in _PROPERTIES}}
        return plain | {name: True for name, is_so in flags.items() if is_so}


_PROPERTIES: Final = ("stream", "marks", "withheld")
_ROW_KEYS: Final = ("class", "by", "blueprint", "max", "revisions", *_PROPERTIES)
_TABLE_KEYS: Final = ("table", "version", "agents", "seats", "files", "order")


def check_agent_name(name: str) -> str:
    """Return *name* if an agent may have that name.

    Raises:
        UsageError: *name* is an invalid agent name, or reserved.
    """
    if not AGENT_NAME.fullmatch(name):
        raise UsageError(
            f"{name!r} is no agent name: use 1 to 32 lower-case letters, digits and hyphens, letter first"
        )
    if name in RESERVED:
        raise UsageError(f"{name!r} is reserved and cannot name an agent: choose another name")
    return name


def check_session_id(name: str) -> str:
    """Return *name* if a session may have it as its id.

    Raises:
        UsageError: *name* is not safe as a file name and an object key, or is the word `last`.
    """
    if not SESSION_ID.fullmatch(name):
        raise UsageError(
            f"{name!r} is no session id: use 1 to 64 letters, digits, hyphens and underscores, "
            "starting with a letter or digit"
        )
    if name.lower() == "last":
        raise UsageError("'last' always means the newest session: choose another id")
    return name


@dataclass(frozen=True)
class Table:
    """The table for any panel: in paths, writers and orders, `<agent>` stands for each panelist."""

    name: str
    version: int
    agents: tuple[str, ...]  # always there
    min_seats: int
    max_seats: int
    files: Mapping[str, SessionFile]
    orders: Mapping[str, tuple[str, ...]]  # of each of `agents`, and of `<agent>`

    @classmethod
    def read(cls, plain: object, place: Callable[[Keys], str]) -> Table:
        """Read a table from plain lists and mappings, and check all of it.

        Args:
            plain: The table as it is in a home's `table.yaml` or a ledger's first record.
            place: Returns in words the place of something in the table, from its keys.

        Raises:
            ConfigurationError: Something in the table cannot be meant; the message begins with its place.
        """
        return _Reader(place).table(plain)

    def plain(self) -> dict[str, Any]:
        """Return the table as JSON, in the form that a session's first record stores."""
        return {
            "table": self.name,
            "version": self.version,
            "agents": list(self.agents),
            "seats": {"least": self.min_seats, "most": self.max_seats},
            "files": {path: row.plain() for path, row in self.files.items()},
            "order": {agent: list(order) for agent, order in self.orders.items()},
        }

    @cached_property
    def sha256(self) -> str:
        """The SHA-256 of the table's plain form as compact JSON, in hex."""
        plain = json.dumps(self.plain(), ensure_ascii=False, separators=(",", ":"))
        return hashlib.sha256(plain.encode()).hexdigest()

    def companions(self, agent: str) -> tuple[str, ...]:
        """Return the names of the templates in *agent*'s own folder, in its reading order."""
        key = agent if agent in self.agents else AGENT
        own = f"templates/{key}/"
        return tuple(path.removeprefix(own) for path in self.orders.get(key, ()) if path.startswith(own))

    @cached_property
    def taken_names(self) -> frozenset[str]:
        """Names that no panelist can have: those of folders and writers of this table."""
        folders = {path.partition("/")[0] for path in self.files}
        folders |= {
            path.split("/")[1] for order in self.orders.values() for path in order if _is_template(path)
        }
        writers = {writer for row in self.files.values() for writer in row.writers}
        return frozenset((folders | writers) - {AGENT})

    def seated(self, panel: Iterable[str]) -> SeatedTable:
        """Return the table for a session with these panelists, in the order of their seats.

        Raises:
            UsageError: A name is unusable or occurs twice, or there are too few or too many panelists.
        """
        seats = tuple(check_agent_name(name) for name in panel)
        for name in seats:
            if name in self.agents:
                raise UsageError(f"{name} is always there: name only those who take the other seats")
            if name in self.taken_names:
                raise UsageError(
                    f"{name!r} is reserved: the table {self.name} {self.version} has a folder or a writer "
                    "of this name: choose another name"
                )
        if len(set(seats)) != len(seats):
            raise UsageError(f"an agent is named twice: {', '.join(seats)}")
        if not self.min_seats <= len(seats) <= self.max_seats:
            besides = f" besides the {' and the '.join(self.agents)}" if self.agents else ""
            raise UsageError(
                f"a panel has {self.min_seats} to {self.max_seats} panelists{besides}, "
                f"not {len(seats)}{' (' + ', '.join(seats) + ')' if seats else ''}: name them with --panel"
            )
        rows = [row for row in self.files.values() if not row.path.startswith(f"{AGENT}/")]
        files = {row.path: replace(row, writers=_all_of(row.writers, seats)) for row in rows}
        for agent in seats:
            for row in self.files.values():
                if row.path.startswith(f"{AGENT}/"):
                    path = row.path.replace(AGENT, agent)
                    files[path] = replace(row, path=path, writers=_all_of(row.writers, (agent,)))
        orders = {agent: self.orders[agent] for agent in self.agents}
        for agent in seats:
            orders[agent] = tuple(path.replace(AGENT, agent) for path in self.orders[AGENT])
        return SeatedTable(self, seats, files, orders)


def _all_of(writers: Iterable[str], agents: tuple[str, ...]) -> tuple[str, ...]:
    """Return *writers* with *agents* in place of `<agent>`, each once."""
    return tuple(
        dict.fromkeys(one for writer in writers for one in (agents if writer == AGENT else (writer,)))
    )


@dataclass(frozen=True)
class SeatedTable:
    """The table for one session: its agents, its files, and each agent's reading order."""

    table: Table
    panel: tuple[str, ...]
    files: Mapping[str, SessionFile]
    orders: Mapping[str, tuple[str, ...]]

    @property
    def agents(self) -> tuple[str, ...]:
        return tuple(self.orders)

    @cached_property
    def templates(self) -> tuple[str, ...]:
        """Paths of the immutable files with which this session is started."""
        named = (path for agent in self.agents for path in self.orders[agent] if _is_template(path))
        return tuple(dict.fromkeys(named))

    @cached_property
    def streams(self) -> tuple[str, ...]:
        """Paths of the files that a token budget shortens and the watermark cuts; at most one."""
        return tuple(path for path, row in self.files.items() if row.stream)

    @cached_property
    def marks(self) -> tuple[str, ...]:
        """Paths of the files to which a write moves the watermark; at most one."""
        return tuple(path for path, row in self.files.items() if row.marks)

    @cached_property
    def withheld(self) -> tuple[str, ...]:
        """Paths of the files in which words spoken off the record are heard."""
        return tuple(path for path, row in self.files.items() if row.withheld)

    def file(self, path: str) -> SessionFile:
        """Return the row of *path*.

        Raises:
            ImmutableFileError: The path lies under `templates/`.
            UnknownFileError: No row has this path.
        """
        if not isinstance(path, str):
            raise TypeError(f"path is {type(path).__name__}, not str: give a session file's path")
        row = self.files.get(path)
        if row is not None:
            return row
        if _is_template(path):
            raise ImmutableFileError(
                f"{path!r} is immutable: a template never changes in a session; "
                "edit the template in the home and start a new session"
            )
        raise UnknownFileError(
            f"{path!r} is no file of this session: the names are {', '.join(sorted(self.files))}"
        )

    def order(self, agent: str) -> tuple[str, ...]:
        """Return the paths of the files that *agent* is given, in order.

        Raises:
            UsageError: *agent* has no seat in this session.
        """
        order = self.orders.get(agent)
        if order is None:
            raise UsageError(
                f"{agent!r} has no seat in this session: its agents are {', '.join(self.agents)}"
            )
        return order


def _is_template(path: str) -> bool:
    return path.startswith("templates/")


# ---------------------------------------------------------------------- reading

Keys = tuple[str, ...]
"""A place in a table: the keys from the outermost on, with an entry of a list named by its text."""


@dataclass(frozen=True, slots=True)
class _Reader:
    """A reader that checks a table part by part, and refuses it at the first invalid thing."""

    place: Callable[[Keys], str]

    def refuse(self, keys: Keys, message: str) -> NoReturn:
        raise ConfigurationError(f"{self.place(keys)}: {message}")

    def table(self, plain: object) -> Table:
        whole = self._mapping(plain, (), _TABLE_KEYS)
        for key in _TABLE_KEYS:
            if key not in whole:
                self.refuse((), f"lacks `{key}`: a table has {', '.join(_TABLE_KEYS)}")
        name = whole["table"]
        if not isinstance(name, str) or not AGENT_NAME.fullmatch(name):
            self.refuse(("table",), "must be a name of 1 to 32 lower-case letters, digits and hyphens")
        version = self._number(whole["version"], ("version",), 1, _MAX_NUMBER)
        agents = self._names(whole["agents"], ("agents",))
        for agent in agents:
            if agent in RESERVED or not AGENT_NAME.fullmatch(agent):
                self.refuse(("agents", agent), f"{agent!r} cannot name an agent: choose another name")
        seats = self._mapping(whole["seats"], ("seats",), ("least", "most"))
        least = self._number(seats.get("least"), ("seats", "least"), 0, _MAX_SEATS)
        most = self._number(seats.get("most"), ("seats", "most"), least, _MAX_SEATS)
        if not agents and not least:
            self.refuse(("seats",), "allows a session without any agent: name one, or raise `least`")
        files = self._files(whole["files"], agents)
        orders = self._orders(whole["order"], agents, most, files)
        return Table(name, version, agents, least, most, files, orders)

    # ------------------------------------------------------------------ rows

    def _files(self, plain: object, agents: tuple[str, ...]) -> dict[str, SessionFile]:
        rows = self._mapping(plain, ("files",))
        if not 1 <= len(rows) <= _MAX_ROWS:
            self.refuse(("files",), f"has {len(rows)} rows: a table has 1 to {_MAX_ROWS}")
        files = {path: self._row(path, row) for path, row in rows.items()}
        for name in ("stream", "marks"):
            having = [path for path, row in files.items() if getattr(row, name)]
            if len(having) > 1:
                self.refuse(("files", having[1]), f"`{name}` is true of {having[0]} already: one file has it")
        return files

    def _row(self, path: str, plain: object) -> SessionFile:
        keys = ("files", path)
        self._check_path(path, keys)
        row = self._mapping(plain, keys, _ROW_KEYS)
        for key in ("class", "by"):
            if key not in row:
                self.refuse(keys, f"lacks `{key}`")
        kind = row["class"]
        if kind not in _CLASSES:
            why = ", since what never changes is a template" if kind == Mutability.IMMUTABLE else ""
            near = _near(kind, _CLASSES) or f"choose one of {', '.join(_CLASSES)}"
            self.refuse((*keys, "class"), f"is {_shown(kind)}, no class of a session file{why}: {near}")
        mutability = Mutability(kind)
        writers = self._names(row["by"], (*keys, "by"))
        for writer in writers:
            if writer != AGENT and not AGENT_NAME.fullmatch(writer):
                self.refuse((*keys, "by", writer), f"{_shown(writer)} is no writer: use a name, or {AGENT}")
        if not writers:
            self.refuse((*keys, "by"), "names no writer: name one")
        flags = {name: self._flag(row, name, keys) for name in ("blueprint", *_PROPERTIES)}
        for name in _PROPERTIES:
            if flags[name] and (mutability is not Mutability.APPEND_ONLY or path.startswith(AGENT)):
                self.refuse((*keys, name), f"only an append-only file of all agents can be `{name}`")
        return SessionFile(
            path,
            mutability,
            writers,
            self._size(row.get("max", _DEFAULT_FILE_BYTES), (*keys, "max")),
            self._revisions(row, mutability, keys),
            flags["blueprint"],
            flags["stream"],
            flags["marks"],
            flags["withheld"],
        )

    def _check_path(self, path: str, keys: Keys) -> None:
        found = _PATH.fullmatch(path)
        if found is None:
            self.refuse(
                keys,
                "is no path of a session file: write FOLDER/NAME in lower-case letters, digits, `-` and `.`",
            )
        if found[1] in _OWN_FOLDERS:
            self.refuse(keys, f"{found[1]}/ is the program's own folder: choose another one")
        if len(path.replace(AGENT, "x" * 32)) > MAX_PATH_CHARS:
            self.refuse(keys, f"is longer than {MAX_PATH_CHARS} characters: shorten it")

    def _revisions(self, row: Mapping[str, Any], mutability: Mutability, keys: Keys) -> int:
        is_few = mutability is Mutability.WRITE_FEW
        revisions = self._number(
            row.get("revisions", MAX_REVISIONS if is_few else 1), (*keys, "revisions"), 1, 1_000
        )
        if "revisions" in row and not is_few:
            self.refuse((*keys, "revisions"), f"only a write-few file has revisions, this is {mutability}")
        return revisions

    def _size(self, value: object, keys: Keys) -> int:
        size = value if isinstance(value, int) and not isinstance(value, bool) else 0
        if isinstance(value, str) and (found := _SIZE.fullmatch(value)):
            size = int(found[1]) * (KIB if found[2] == "KiB" else MIB)
        if not 1 <= size <= MAX_FILE_BYTES:
            self.refuse(
                keys, f"is {_shown(value)}: write a size up to {MAX_FILE_BYTES // MIB} MiB, as in 16 MiB"
            )
        return size

    def _flag(self, row: Mapping[str, Any], name: str, keys: Keys) -> bool:
        value = row.get(name, False)
        if not isinstance(value, bool):
            self.refuse((*keys, name), f"is {_shown(value)}: write true or false")
        return value

    # ------------------------------------------------------------------ orders

    def _orders(
        self, plain: object, agents: tuple[str, ...], most: int, files: Mapping[str, SessionFile]
    ) -> dict[str, tuple[str, ...]]:
        wanted = (*((AGENT,) if most else ()), *agents)
        orders = self._mapping(plain, ("order",), wanted)
        for agent in wanted:
            if agent not in orders:
                self.refuse(("order",), f"lacks the order of {agent}: add it")
        return {agent: self._order(agent, entries, files) for agent, entries in orders.items()}

    def _order(self, agent: str, plain: object, files: Mapping[str, SessionFile]) -> tuple[str, ...]:
        entries = self._names(plain, ("order", agent), _MAX_ROWS)
        if not entries:
            self.refuse(("order", agent), "names no file: name one")
        for path in entries:
            keys = ("order", agent, path)
            if AGENT in path and agent != AGENT:
                self.refuse(
                    keys,
                    f"the order of {agent}, who is always there, cannot name files of seats, which differ "
                    f"from session to session: take it out, or make those whose files {agent} reads "
                    f"fixed agents too, with a row each in place of {AGENT}",
                )
            if path in files or (_TEMPLATE.fullmatch(path) and len(path) <= MAX_PATH_CHARS):
                continue
            near = _near(path, [one for one in files if one not in entries])
            near = near or "add a row for it under `files`, or take it out"
            self.refuse(
                keys, f"{_shown(path)} is neither a row of `files` nor a path under templates/: {near}"
            )
        return entries

    # ------------------------------------------------------------------ values

    def _mapping(self, value: object, keys: Keys, known: Iterable[str] = ()) -> Mapping[str, Any]:
        """Return *value* if it is a mapping; if *known* is not empty, only with keys that are in *known*."""
        if not isinstance(value, Mapping):
            self.refuse(keys, "must be lines of `key: value`")
        known = tuple(known)
        for key in value:
            if not isinstance(key, str):
                self.refuse(keys, f"has the key {_shown(key)}, which is no text: write it in quotes")
            if known and key not in known:
                do = _near(key, known) or f"take it out; keys are {', '.join(known)}"
                self.refuse((*keys, key), f"{_shown(key)} is not a key here: {do}")
        return value

    def _names(self, value: object, keys: Keys, most: int = _MAX_SEATS) -> tuple[str, ...]:
        """Return a list of texts, each once; a single text stands for a list of one."""
        items = [value] if isinstance(value, str) else value
        if not isinstance(items, list | tuple) or not all(isinstance(item, str) for item in items):
            self.refuse(keys, "must be a list of texts, as in [a, b]")
        if len(items) > most:
            self.refuse(keys, f"names {len(items)}, more than the {most} that there can be")
        for item, doubled in _doubles(items):
            if doubled:
                self.refuse((*keys, item), f"{_shown(item)} stands here a second time: keep one")
        return tuple(items)

    def _number(self, value: object, keys: Keys, least: int, most: int) -> int:
        if not isinstance(value, int) or isinstance(value, bool) or not least <= value <= most:
            self.refuse(keys, f"is {_shown(value)}: write a whole number from {least} to {most}")
        return value


def _doubles(items: Iterable[str]) -> Iterator[tuple[str, bool]]:
    """Yield each item, and whether an equal item came before it."""
    seen: set[str] = set()
    for item in items:
        yield item, item in seen
        seen.add(item)


def _near(name: object, known: Iterable[str]) -> str:
    """Return a question for the known name of which *name* is a misspelling, or ""."""
    import difflib  # only where something is wrong

    near = difflib.get_close_matches(name, list(known), 1) if isinstance(name, str) else []
    return f"did you mean {near[0]}?" if near else ""


def _shown(value: object) -> str:
    """Return a value on one short line, whatever it contains."""
    return ascii(value)[:60] if value is not None else "missing"
