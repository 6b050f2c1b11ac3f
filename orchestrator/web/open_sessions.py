"""Sessions that a server holds open, so that a request need not fold a whole ledger anew."""

from __future__ import annotations

from collections import OrderedDict
from threading import Lock
from typing import Final

from orchestrator.errors import SessionNotFoundError
from orchestrator.home.folder import Home
from orchestrator.session import Session

MOST_OPEN: Final = 128
"""A live session takes about 0.8 MB and five descriptors; the load that is promised is 100 of them."""


class OpenSessions:
    """The sessions of one home, opened when they are first asked for. Safe to use from many threads.

    A session is safe to use from many threads itself, so all requests for one share it.
    """

    def __init__(self, home: Home | None) -> None:
        self._home = home
        self._lock = Lock()
        self._open: OrderedDict[str, Session] = OrderedDict()
        self._held: set[str] = set()  # driven by this server, so never closed behind its back

    def get(self, session_id: str) -> Session:
        """The session with exactly this id.

        Raises:
            SessionNotFoundError: There is none; prefixes, `last` and paths are for the command line.
            LedgerCorruptError
        """
        with self._lock:
            found = self._open.get(session_id)
            if found is not None and found.path.is_dir():
                self._open.move_to_end(session_id)
                return found
            self._open.pop(session_id, None)
            opened = Session.open(self._home, self._id(session_id))
            self._open[session_id] = opened
            closed = self._surplus()
        for one in closed:
            one.close()
        return opened

    def add(self, session: Session) -> None:
        """Keep a session that was just started."""
        with self._lock:
            self._open[session.id] = session

    def hold(self, session_id: str) -> None:
        """Keep a session open until it is let go of: this server drives it."""
        with self._lock:
            self._held.add(session_id)

    def let_go(self, session_id: str) -> None:
        """A session that this server no longer drives may be closed when others come."""
        with self._lock:
            self._held.discard(session_id)

    def forget(self, session_id: str) -> None:
        """Close a session, before its folder is removed."""
        with self._lock:
            found = self._open.pop(session_id, None)
            self._held.discard(session_id)
        if found is not None:
            found.close()

    def close(self) -> None:
        """Close all of them."""
        with self._lock:
            closed, self._open = list(self._open.values()), OrderedDict()
        for one in closed:
            one.close()

    def _id(self, name: str) -> str:
        folder = self._home.sessions / name if self._home is not None else None
        if folder is None or "/" in name or name.startswith(".") or not (folder / "ledger").is_dir():
            raise SessionNotFoundError(f"there is no session {name!r} here", value=name)
        return name

    def _surplus(self) -> list[Session]:
        idle = [name for name in self._open if name not in self._held]
        return [self._open.pop(name) for name in idle[: max(0, len(self._open) - MOST_OPEN)]]
