"""The files of a session: class, writers, size limit, and the order in which agents read them.

This table is the authority. Writers, assembler, verifier and documents read it; nothing
else in the package knows the name of a session file's class or who may write it.

Source: DESIGN.md, sections 2 and 3; trust.md, "Bad inputs" (names).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Final

from orchestrator.errors import ImmutableFileError, UnknownFileError, UsageError

KIB: Final = 1024
MIB: Final = 1024 * 1024

MODERATOR: Final = "moderator"
TRANSCRIPT: Final = "shared/presenter-transcript.md"
HISTORY: Final = "shared/exchange-history.md"
AGENT: Final = "<agent>"
"""Stands for an agent's id, in a path and among writers."""

RESERVED: Final = frozenset((
    "shared", "facts", "trace", "source", "ledger", "templates", "start", "transcript", "intel",
    "summariser", "panelist",
))  # fmt: skip
"""Names that an agent cannot have: folders of a session, and writers that are no agents."""

# A folder's name, a part of object keys and of `--panel a,b`: no case twins, no dots, nothing a shell reads.
# Matched whole: `$` would let a trailing newline through (trust.md, "The store").
AGENT_NAME: Final = re.compile(r"[a-z][a-z0-9-]{0,31}")
SESSION_ID: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}")

# Three to six seats with the moderator's: DESIGN.md, section 2.
MIN_PANELISTS: Final = 2
MAX_PANELISTS: Final = 5
MAX_REVISIONS: Final = 5  # DESIGN.md, section 3; external-intel alone has revisions
MAX_APPEND_BYTES: Final = 1 * MIB
"""One append; a spoken segment is some hundred bytes, so this is far above any real one."""


class Mutability(StrEnum):
    """The changes that a file may undergo during a session."""

    IMMUTABLE = "immutable"
    WRITE_ONCE = "write-once"
    WRITE_FEW = "write-few"
    APPEND_ONLY = "append-only"
    OVERWRITE = "overwrite"


@dataclass(frozen=True, slots=True)
class SessionFile:
    """One row of the table: one file, one class, one set of writers."""

    path: str
    mutability: Mutability
    writers: tuple[str, ...]
    max_bytes: int
    max_revisions: int = 1
    has_blueprint: bool = False


_W1, _WF = Mutability.WRITE_ONCE, Mutability.WRITE_FEW
_AO, _OV = Mutability.APPEND_ONLY, Mutability.OVERWRITE

# A limit is far above what two hours fill, and keeps a program that has gone wrong from filling the disk.
SHARED_ROWS: Final = (
    SessionFile("shared/session-config.md", _W1, ("start",), 256 * KIB, has_blueprint=True),
    SessionFile("shared/deck-content.md", _W1, ("start",), 16 * MIB),
    SessionFile("shared/external-intel.md", _WF, ("start", "intel"), 4 * MIB, max_revisions=MAX_REVISIONS),
    SessionFile("shared/board-dossier.md", _W1, ("start",), 4 * MIB),
    SessionFile(TRANSCRIPT, _AO, ("transcript",), 64 * MIB, has_blueprint=True),
    SessionFile(HISTORY, _AO, (MODERATOR,), 64 * MIB, has_blueprint=True),
)
MODERATOR_ROWS: Final = (
    SessionFile("moderator/generated-phrases.md", _AO, (MODERATOR,), 4 * MIB),
    SessionFile("moderator/debrief-notes.md", _AO, (MODERATOR,), 16 * MIB, has_blueprint=True),
    SessionFile("moderator/session-state.md", _OV, (MODERATOR,), 1 * MIB, has_blueprint=True),
)
PANELIST_ROWS: Final = (
    SessionFile(f"{AGENT}/focus-brief.md", _W1, (AGENT,), 1 * MIB, has_blueprint=True),
    SessionFile(f"{AGENT}/exchange-notes.md", _AO, (AGENT,), 16 * MIB, has_blueprint=True),
    SessionFile(f"{AGENT}/presenter-profile.md", _AO, (AGENT,), 16 * MIB, has_blueprint=True),
    SessionFile(f"{AGENT}/candidate-question.md", _OV, (AGENT,), 1 * MIB, has_blueprint=True),
)

PANELIST_TEMPLATES: Final = ("persona.md", "domain-knowledge.md")
MODERATOR_TEMPLATES: Final = ("persona.md", "orchestration.md", "phrase-library.md")

PANELIST_ORDER: Final = (
    f"templates/{AGENT}/persona.md",
    f"templates/{AGENT}/domain-knowledge.md",
    "shared/session-config.md",
    "shared/deck-content.md",
    "shared/external-intel.md",
    TRANSCRIPT,
    HISTORY,
    f"{AGENT}/focus-brief.md",
    f"{AGENT}/exchange-notes.md",
    f"{AGENT}/presenter-profile.md",
    f"{AGENT}/candidate-question.md",
)
"""The eleven files of a panelist's context, in the order of the seed."""

MODERATOR_ORDER: Final = (
    "templates/moderator/persona.md",
    "templates/moderator/orchestration.md",
    "templates/moderator/phrase-library.md",
    "shared/session-config.md",
    "shared/deck-content.md",
    "shared/external-intel.md",
    "shared/board-dossier.md",
    TRANSCRIPT,
    HISTORY,
    "moderator/generated-phrases.md",
    "moderator/debrief-notes.md",
    "moderator/session-state.md",
)


def check_agent_name(name: str) -> str:
    """*name* itself, if an agent may have it.

    Raises:
        UsageError: It is no agent name, or a reserved one.
    """
    if not AGENT_NAME.fullmatch(name):
        raise UsageError(
            f"{name!r} is no agent name: use 1 to 32 lower-case letters, digits and hyphens, letter first"
        )
    if name in RESERVED:
        raise UsageError(f"{name!r} is reserved and cannot name an agent: choose another name")
    return name


def check_session_id(name: str) -> str:
    """*name* itself, if a session may have it as its id.

    Raises:
        UsageError: It is not safe as a file name and an object key, or is the word `last`.
    """
    if not SESSION_ID.fullmatch(name):
        raise UsageError(
            f"{name!r} is no session id: use 1 to 64 letters, digits, hyphens and underscores, "
            "starting with a letter or digit"
        )
    if name.lower() == "last":
        raise UsageError("'last' always means the newest session: choose another id")
    return name


@dataclass(frozen=True, slots=True)
class Layout:
    """The table for one session: its agents, its files, and each agent's reading order."""

    panel: tuple[str, ...]
    files: Mapping[str, SessionFile]

    @property
    def agents(self) -> tuple[str, ...]:
        return (MODERATOR, *self.panel)

    @property
    def templates(self) -> tuple[str, ...]:
        """Paths of the immutable files that this session is started with."""
        own = tuple(f"templates/{MODERATOR}/{name}" for name in MODERATOR_TEMPLATES)
        return own + tuple(f"templates/{agent}/{name}" for agent in self.panel for name in PANELIST_TEMPLATES)

    def file(self, path: str) -> SessionFile:
        """The row of *path*.

        Raises:
            ImmutableFileError: The path lies under `templates/`.
            UnknownFileError: No row has this path.
        """
        if not isinstance(path, str):
            raise TypeError(f"a session file's name is {type(path).__name__}, not str")
        row = self.files.get(path)
        if row is not None:
            return row
        if path.startswith("templates/"):
            raise ImmutableFileError(
                f"{path!r} is immutable: a persona never changes at run time; "
                "edit the template in the home and start a new session"
            )
        raise UnknownFileError(
            f"{path!r} is no file of this session: the names are {', '.join(sorted(self.files))}"
        )

    def order(self, agent: str) -> tuple[str, ...]:
        """Paths of the files that *agent* is given, in order.

        Raises:
            UsageError: *agent* has no seat in this session.
        """
        if agent == MODERATOR:
            return MODERATOR_ORDER
        if agent not in self.panel:
            raise UsageError(
                f"{agent!r} has no seat in this session: its agents are {', '.join(self.agents)}"
            )
        return tuple(path.replace(AGENT, agent) for path in PANELIST_ORDER)


def layout_of(panel: Iterable[str]) -> Layout:
    """The table for a session with these panelists, in the order of their seats.

    Raises:
        UsageError: A name is unusable or occurs twice, or there are not 2 to 5 panelists.
    """
    seats = tuple(check_agent_name(name) for name in panel)
    if MODERATOR in seats:
        raise UsageError("the moderator always sits: name only the panelists")
    if len(set(seats)) != len(seats):
        raise UsageError(f"a panelist is named twice: {', '.join(seats)}")
    if not MIN_PANELISTS <= len(seats) <= MAX_PANELISTS:
        raise UsageError(
            f"a panel has {MIN_PANELISTS} to {MAX_PANELISTS} panelists besides the moderator, "
            f"not {len(seats)}{' (' + ', '.join(seats) + ')' if seats else ''}: name them with --panel"
        )
    rows = [*SHARED_ROWS, *MODERATOR_ROWS]
    for agent in seats:
        rows.extend(
            replace(row, path=row.path.replace(AGENT, agent), writers=(agent,)) for row in PANELIST_ROWS
        )
    return Layout(seats, {row.path: row for row in rows})
