"""The home folder: templates, blueprints, where sessions live, and how a session is found by name.

Source: DESIGN.md, section 2; interfaces.md, "Command line".
"""

from __future__ import annotations

import hashlib
import os
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from typing import Final, Self

from orchestrator.core.errors import (
    HomeError,
    SessionNotFoundError,
    UsageError,
)
from orchestrator.core.home.regular import open_regular, read_regular
from orchestrator.core.home.table_file import TABLE_NAME, packaged_table_file, read_table_file
from orchestrator.core.table import (
    AGENT,
    SESSION_ID,
    SeatedTable,
    Table,
)

LIST_CACHE: Final = "cache/list.json"
"""The file of a home in which `list` caches what it has read from the sessions' ledgers."""
RECORDS: Final = ".records"
UNFINISHED: Final = ".new-"
"""Prefix of the folder in which a session is made before the folder gets the session's name."""

MAX_FIRST_BYTES: Final = 64 << 20
"""Maximum size of a session's first record, which contains the panel's templates: the maximum of a
ledger's line."""
_PERSONA: Final = "persona.md"
DRAFT: Final = "DRAFT:"
"""The mark of lines that `greenroom panel add` wrote for somebody to rewrite. A seat with such a line
takes no part in sessions."""


@dataclass(frozen=True)
class Home:
    """One home folder. Creating the object reads nothing; each part is read when it is used."""

    root: Path

    @classmethod
    def open(cls, root: str | Path) -> Self:
        """Open the home at *root*.

        Raises:
            HomeError: The folder has no `templates/` or no `session-templates/`.
        """
        home = cls(Path(root).absolute())
        missing = [folder.name for folder in (home.templates, home.blueprints) if not folder.is_dir()]
        if missing:
            names = " and ".join(f"{name}/" for name in missing)
            raise HomeError(
                f"{home.root} is no Greenroom home: it has no {names}; {_how_to_make(root, missing)}"
            )
        return home

    @property
    def templates(self) -> Path:
        return self.root / "templates"

    @property
    def blueprints(self) -> Path:
        return self.root / "session-templates"

    @property
    def sessions(self) -> Path:
        return self.root / "sessions"

    @property
    def records(self) -> Path:
        """The folder that stores what belongs to each session but is not in it: registers, comments,
        verdicts."""
        return self.sessions / RECORDS

    @property
    def archives(self) -> Path:
        return self.root / "archives"

    @cached_property
    def table(self) -> Table:
        """The home's `table.yaml`, checked, or the packaged table if this home has none.

        Raises:
            ConfigurationError: Something in the table cannot be meant; the message names the line.
        """
        return read_table_file(self.root / TABLE_NAME) if self.has_own_table else packaged_table()

    @property
    def has_own_table(self) -> bool:
        """Whether this home has something named `table.yaml`."""
        return os.path.lexists(self.root / TABLE_NAME)

    def panelists(self) -> tuple[str, ...]:
        """Return every agent that can take a seat, by name: it has a folder here with the file that every
        seat needs.

        That file is the persona or, in a table whose seats have no persona, the first template in a seat's
        folder.
        """
        companions = self.table.companions(AGENT)
        first = companions[0] if companions and _PERSONA not in companions else _PERSONA
        found = (
            folder.name
            for folder in (sorted(self.templates.iterdir()) if self.templates.is_dir() else ())
            # A seat that is being made has a dot, and gets its persona last.
            if not folder.name.startswith(".") and (folder / first).is_file()
        )
        return tuple(name for name in found if name not in self.table.agents)

    def drafts(self) -> tuple[str, ...]:
        """Return the panelists of this home that are still drafts and so take no seat."""
        companions = self.table.companions(AGENT)
        return tuple(name for name in self.panelists() if _is_draft(self.templates / name, companions))

    def layout(self, panel: tuple[str, ...] | None) -> SeatedTable:
        """Return the table of a session with these panelists. If None, with all of this home's.

        If *panel* is None, seats that are still drafts are left out; `drafts` names them.

        Raises:
            UsageError: A named panelist has no folder here or is a draft, or there are too few or too many.
        """
        known, drafts, table = self.panelists(), self.drafts(), self.table
        if panel is None:
            panel = tuple(name for name in known if name not in drafts)
            if not table.min_seats <= len(panel) <= table.max_seats:
                named = f" ({', '.join(panel)})" if panel else ""
                unwritten = f" besides drafts ({', '.join(drafts)})" if drafts else ""
                raise UsageError(
                    f"this home has {len(panel)} panelists{named}{unwritten} and a panel has "
                    f"{table.min_seats} to {table.max_seats}: name those that sit with --panel"
                )
        for name in panel:
            if name not in known:
                raise UsageError(
                    f"there is no panelist {name!r} here: this home has {', '.join(known)}", value=name
                )
            if name in drafts:
                raise UsageError(
                    f"{name!r} is still a draft: rewrite the lines marked {DRAFT!r} in "
                    f"{self.templates / name}; `greenroom panel check {name}` lists them"
                )
        return table.seated(panel)

    def read_templates(self, layout: SeatedTable) -> dict[str, str]:
        """Return the texts of the templates with which a session of this layout is started.

        Raises:
            HomeError: A template is missing or is not UTF-8.
        """
        return {path: self.read_template(path) for path in layout.templates}

    def read_template(self, path: str) -> str:
        """Return the text of the template *path*, as an order names it.

        Raises:
            HomeError: It is missing or is not UTF-8.
        """
        try:
            return read_regular(self.root / path).decode()
        except (OSError, UnicodeDecodeError) as error:
            why = getattr(error, "strerror", None) or error
            raise HomeError(
                f"{self.root / path}: this template cannot be read ({why}), and an order in {TABLE_NAME} "
                "names it: put it there, as UTF-8"
            ) from error

    def find(self, name: str) -> Path:
        """Return the folder of the session that *name* names: its id, a unique prefix of it, `last`, or a
        path.

        `last` is the last session that somebody rehearsed; it is a demonstration only if there is nothing
        else.

        Raises:
            SessionNotFoundError: No session or several sessions fit; the message lists those that exist.
        """
        if os.sep in name or name in (".", ".."):
            named = Path(os.path.abspath(name))
            is_strange = named.parent == self.sessions and named.name in self.other_names()
            return named if is_strange else session_folder(Path(name))
        if name != "last" and self._holds(name):
            return self.sessions / name
        ids = self.session_ids()
        if name == "last":
            if not ids:
                raise SessionNotFoundError(
                    f"there is no session in {self.sessions} yet: start one with `greenroom run DECK`"
                )
            own = (name for name in reversed(ids) if not _is_recorded(self.sessions / name))
            return self.sessions / next(own, ids[-1])
        if name in self.other_names():
            return self.sessions / name
        # An empty name would be the beginning of all.
        fitting = [one for one in ids if name and one.startswith(name)]
        if len(fitting) == 1:
            return self.sessions / fitting[0]
        if fitting:
            newest = ", ".join(fitting[-5:])
            raise SessionNotFoundError(
                f"{name!r} is the beginning of {len(fitting)} sessions; the newest are {newest}: "
                "name one of them, or `last`",
                value=name,
            )
        if name and Path(name).is_dir():
            return session_folder(Path(name))
        raise SessionNotFoundError(
            f"there is no session {name!r} in {self.sessions}: see `greenroom list`", value=name
        )

    def _holds(self, name: str) -> bool:
        """Return whether a session of this home has exactly the id *name*; no other session is read."""
        is_one = bool(name) and not name.startswith(".")
        if not is_one or not (self.sessions / name / "ledger" / "ledger.jsonl").is_file():
            return False
        return name in os.listdir(self.sessions)  # some disks find a name in other letters, too

    def session_ids(self) -> tuple[str, ...]:
        """Return every session of this home, in the order in which they were begun."""
        return tuple(sorted(self.session_names(), key=lambda name: _begun(self.sessions / name)))

    def session_names(self) -> frozenset[str]:
        """Return every session of this home, in no order and without reading a ledger."""
        if not self.sessions.is_dir():
            return frozenset()
        return frozenset(
            folder.name
            for folder in self.sessions.iterdir()
            if not folder.name.startswith(".") and _has_ledger(folder)
        )

    def other_names(self) -> tuple[str, ...]:
        """Return the names in `sessions/` that a session may have, but that are not sessions; sorted.

        Such a name is not a folder, or a link that leads nowhere, or a folder without a proper ledger.
        """
        if not self.sessions.is_dir():
            return ()
        names = (folder.name for folder in self.sessions.iterdir() if not _has_ledger(folder))
        return tuple(sorted(name for name in names if SESSION_ID.fullmatch(name)))

    def new_id(self) -> str:
        """Make a session id that sorts by time and is safe as a file name and an object key."""
        import secrets  # it loads random, which few commands need

        # Six random digits: two sessions begun in one second, here or on another machine with the same
        # archive.
        return f"{datetime.now(UTC):%Y%m%d-%H%M%S}-{secrets.token_hex(3)}"


def _has_ledger(folder: Path) -> bool:
    # Not `Path.is_file`, which raises where a folder may not be read.
    return os.path.isfile(folder / "ledger" / "ledger.jsonl")


def _begun(folder: Path) -> tuple[str, str]:
    """Return when a session was begun, read from its first record, and its name to break ties."""
    try:
        with open_regular(folder / "ledger" / "ledger.jsonl") as lines:
            # Bounded, and not parsed: a home of a thousand sessions is listed by this, and a damaged one
            # holds no newline.
            first = lines.readline(64 * 1024)
    except OSError:  # one that cannot be read stands first, and does not keep the others from being listed
        return "", folder.name
    marker = b'"at":"'
    start = first.find(marker) + len(marker)
    return first[start : first.find(b'"', start)].decode("ascii", "replace"), folder.name


def _is_recorded(folder: Path) -> bool:
    """Return whether a session is a demonstration: its first record says that recorded replies are played."""
    try:
        with open_regular(folder / "ledger" / "ledger.jsonl") as lines:
            # Not parsed: within a text that the record holds the quotation marks would be escaped.
            return b'"engine":"recorded"' in lines.readline(MAX_FIRST_BYTES)
    except OSError:
        return False


def session_folder(path: Path) -> Path:
    """Return the session at *path*: the folder itself, or the one inside an unpacked archive.

    Raises:
        SessionNotFoundError: There is no session at *path*.
    """
    # A bag keeps its payload, here the one session, under `data/` (RFC 8493, 2.1.2).
    candidates = [path, *sorted(path.glob("data/*"))] if path.is_dir() else []
    for candidate in candidates:
        if _has_ledger(candidate):
            return candidate.absolute()
    raise SessionNotFoundError(
        f"{path}: no session and no unpacked archive here: name the folder that holds ledger/ or bagit.txt"
    )


def home_of(folder: Path) -> Home | None:
    """Return the home in whose `sessions/` or `archives/` *folder* lies, or None if it lies elsewhere."""
    parent = Path(os.path.abspath(folder)).parent
    if parent.name not in ("sessions", "archives"):
        return None
    try:
        return Home.open(parent.parent)
    except HomeError:
        return None


def _is_draft(folder: Path, names: Sequence[str]) -> bool:
    """Return whether a line in this seat's files is marked as a draft; unreadable files are skipped."""
    for name in names:
        try:
            if DRAFT.encode() in read_regular(folder / name):
                return True
        except OSError:
            continue
    return False


def digests(texts: Mapping[str, str]) -> dict[str, str]:
    """Return the SHA-256 of each text, in hex."""
    return {path: hashlib.sha256(text.encode()).hexdigest() for path, text in texts.items()}


def packaged_files() -> Path | None:
    """Return the folder of templates and blueprints that comes with this installation, or None if there is
    none."""
    from importlib import resources

    packaged = Path(str(resources.files("orchestrator"))) / "home_files"
    # In a checkout nothing has been copied into the package: `agents/` stands beside it.
    if not packaged.is_dir():
        packaged = Path(__file__).resolve().parents[3] / "agents"
    return packaged if (packaged / "templates").is_dir() else None


def packaged_table() -> Table:
    """Return the table of files that comes with this installation.

    Raises:
        InstallationError: The table is missing or differs from the one that was shipped.
    """
    return packaged_table_file((packaged_files() or Path()) / TABLE_NAME)


def _how_to_make(root: str | Path, missing: Sequence[str]) -> str:
    """Return a shell command that turns *root* into a home; without files to copy, other advice."""
    packaged = packaged_files()
    if packaged is None:
        return "name one with --home or GREENROOM_HOME"
    place = shlex.quote(str(root))
    sources = " ".join(shlex.quote(str(packaged / name)) for name in missing)
    return (
        f"to make it one, run `mkdir -p {place} && cp -R {sources} {place}`; "
        "without --home and GREENROOM_HOME your own home is set up by itself"
    )
