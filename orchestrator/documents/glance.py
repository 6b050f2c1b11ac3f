"""What a list shows of a session and only its whole ledger tells, kept in the home's cache between two lists.

To open a session takes milliseconds, and a home may hold thousands that nobody has ended. The cache holds
numbers and no words. It counts for a ledger that stands as it did when it was read: the same file, of the
same size, untouched since. One that is damaged, or cannot be written, costs time alone.
"""

from __future__ import annotations

import json
import os
import time
from contextlib import suppress
from dataclasses import astuple, dataclass
from pathlib import Path
from typing import Any, Final

from orchestrator.core.home.folder import LIST_CACHE
from orchestrator.core.store import files
from orchestrator.core.store.store import DEGRADED_NAME, LEDGER_NAME
from orchestrator.panel.home import Home
from orchestrator.panel.loop.driver_lock import is_driven
from orchestrator.panel.model.exchange import each_once
from orchestrator.rehearsal.session import Session

MIN_NEW: Final = 20
"""Ledgers read anew from which on the cache is written: to read fewer takes less than a tenth of a second."""
SETTLED_NS: Final = 50_000_000
"""A ledger touched more lately may be touched again within one tick of the file system's clock."""
_VERSION: Final = 2

Stamp = tuple[int, int, int, int]


@dataclass(frozen=True, slots=True)
class Glance:
    """A session as its ledger has it."""

    exchanges: int
    has_deck: bool
    has_driver: bool  # the last record of a driver says that it began
    is_closing: bool
    is_ended: bool
    head: str

    def state(self, root: Path) -> str | None:
        """Return the session's state, as `state_of`; None where a drive has just ended: look again."""
        if self.is_ended:
            return "ended"
        if os.access(root / DEGRADED_NAME, os.F_OK):
            return "degraded"
        if self.is_closing:
            return "closing"
        return None if self.has_driver and not is_driven(root) else "active"


class Glances:
    """The sessions of one home at a glance; `keep` writes down what was read anew."""

    def __init__(self, home: Home) -> None:
        """Read what was kept."""
        self._home = home
        self._path = home.root / LIST_CACHE
        self._kept = _read(self._path)
        self._seen: dict[str, tuple[Stamp, Glance]] = {}
        self._read_anew = 0

    def of(self, root: Path) -> tuple[Glance, str]:
        """Return the session at *root* and its state.

        Raises:
            GreenroomError, OSError: As `Session.open`.
        """
        stamp = _stamp(root)
        kept = self._kept.get(root.name)
        if kept is not None and kept[0] == stamp:
            state = kept[1].state(root)
            if state is None and _stamp(root) == stamp:  # a drive that died left no record of its end
                state = "interrupted"
            if state is not None:
                self._seen[root.name] = kept
                return kept[1], state
        # Without the home: a list needs no setting, and a wrong one keeps none from being listed.
        with Session.open(None, root) as session:
            projection = session.projection
            glance = Glance(
                exchanges=len(each_once(projection.exchanges)),
                has_deck=projection.deck is not None,
                has_driver=projection.driver is not None,
                is_closing=projection.state == "closing",
                is_ended=projection.ended,
                head=session.ledger_head,
            )
            state = session.state
        if stamp is not None and stamp == _stamp(root):
            self._read_anew += 1
            self._seen[root.name] = stamp, glance
        return glance, state

    def keep(self) -> None:
        """Write the cache anew, if enough was read that it did not hold."""
        if self._read_anew < MIN_NEW:
            return
        there = {
            name: one for name, one in self._seen.items() if _stamp(self._home.sessions / name) == one[0]
        }
        plain = {name: [*stamp, *astuple(glance)] for name, (stamp, glance) in there.items()}
        aside = self._path.with_name(f".{self._path.name}-{os.getpid()}")
        with suppress(OSError):  # a full disk, or a home that may only be read
            self._path.parent.mkdir(files.FOLDER_MODE, exist_ok=True)
            aside.write_text(json.dumps({"version": _VERSION, "sessions": plain}), "utf-8")
            os.replace(aside, self._path)


def _stamp(root: Path) -> Stamp | None:
    """Return what changes whenever the ledger does, or None of one that changes just now."""
    try:
        status = os.lstat(root / LEDGER_NAME)
    except OSError:
        return None
    if abs(time.time_ns() - status.st_ctime_ns) < SETTLED_NS:
        return None
    return status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns


def _read(path: Path) -> dict[str, tuple[Stamp, Glance]]:
    try:
        plain: Any = json.loads(path.read_text("utf-8"))
        if plain["version"] != _VERSION:
            return {}
        return {name: _entry(*one) for name, one in plain["sessions"].items()}
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return {}


def _entry(
    inode: int,
    size: int,
    mtime_ns: int,
    ctime_ns: int,
    exchanges: int,
    has_deck: bool,
    has_driver: bool,
    is_closing: bool,
    is_ended: bool,
    head: str,
) -> tuple[Stamp, Glance]:
    if type(exchanges) is not int:
        raise TypeError(f"{exchanges!r} is no count")
    glance = Glance(exchanges, has_deck, has_driver, is_closing, is_ended, head)
    return (inode, size, mtime_ns, ctime_ns), glance
