"""The sessions whose logs this worker writes: begun here, or taken over.

Each store of such a session gets its log as its replica. A log that lapsed (superseded, away, behind) is kept
with its reason, so that whoever writes is told, until the session is taken again or let go.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from contextlib import nullcontext, suppress
from pathlib import Path
from threading import Lock
from typing import Final

from orchestrator.cluster.base import Base
from orchestrator.cluster.log import Kept, Log, SessionLog, handed_over
from orchestrator.cluster.takeover import Taken, more_than_log, take_over
from orchestrator.core.errors import (
    ReplicaAwayError,
    ReplicaBehindError,
    SessionExistsError,
    SupersededError,
)
from orchestrator.core.store import files
from orchestrator.core.store.store import Store


class NotHere:
    """The replica of a session whose log this worker does not write: it refuses every write.

    Who was let in while this worker had the session may open it again after it has gone.
    """

    size: Final = 0

    def __init__(self, session: str) -> None:
        self._session = session

    def keep(self, content: bytes, after: int) -> int:
        """Refuse.

        Raises:
            SupersededError: Always.
        """
        raise SupersededError(
            f"{self._session}: this worker does not have it; nothing was written: ask again"
        )

    def note_refusal(self) -> None:
        """Do nothing: there is nothing to hand over."""


AWAY: Final = "elsewhere"


class Custody:
    """The logs of this worker's sessions. Safe to use from many threads."""

    def __init__(self, log: Log, base: Base, sessions: Path) -> None:
        """Prepare to keep the sessions in the folder *sessions*."""
        self.log = log
        self.base = base
        self._sessions = sessions
        self.away = sessions.with_name(AWAY)
        """The folders of sessions that other workers have."""
        self._lock = Lock()
        self._logs: dict[str, SessionLog] = {}

    @property
    def logs(self) -> tuple[SessionLog, ...]:
        """The logs of all sessions that this worker has."""
        with self._lock:
            return tuple(self._logs.values())

    def folder(self, session: str) -> Path:
        """Return where this worker has a session, or had it."""
        return self._sessions / session

    def log_of(self, session: str) -> SessionLog | None:
        """Return the log of a session, or None if this worker does not have the session."""
        with self._lock:
            return self._logs.get(session)

    def begin(self, session: str) -> SessionLog:
        """Put a session that was just started here into the log, with its base.

        Raises:
            SessionExistsError: The cluster has a session of this name already.
            ReplicaAwayError: The servers do not take it; nobody was told of the session yet.
        """
        folder = self._sessions / session
        self.base.put(session, folder)
        kept = self.log.claim(session, is_new=True)
        if kept is None:
            raise SessionExistsError(
                f"{session}: the cluster has a session with this id already: choose another id", value=session
            )
        made = self._made(session, folder, kept)
        try:
            made.send_rest()
        except BaseException:
            self.log.forget(session)
            raise
        return self._add(made)

    def take(self, session: str) -> Taken:
        """Take a session over, or take it again after its log had lapsed.

        Raises:
            SessionNotFoundError, SupersededError, ReplicaBehindError, ReplicaAwayError, StoreWriteError:
                As `takeover.take_over`.
        """
        self.bring_back(session)
        before = self.log_of(session)
        acknowledged = before.size if before is not None else None
        taken = take_over(self.log, self.base, self._sessions, session, acknowledged=acknowledged)
        made = self._made(session, taken.folder, taken.kept)
        made.send_rest()
        self._add(made)
        return taken

    def put_away(self, session: str) -> None:
        """Put the folder of a session that another worker has where no command takes it for the session.

        Raises:
            OSError: The disk refused.
        """
        folder, away = self._sessions / session, self.away / session
        if folder.is_dir():
            self.away.mkdir(files.FOLDER_MODE, exist_ok=True)
            if away.exists():  # of an earlier time: it may hold what was kept aside
                number = sum(1 for _ in self.away.glob(f"{session}.*")) + 1
                os.rename(away, away.with_name(f"{session}.{number}"))
            os.rename(folder, away)

    def bring_back(self, session: str) -> None:
        """Put a folder that was put away back under its name, to be brought up to the log.

        Raises:
            OSError: The disk refused.
        """
        folder, away = self._sessions / session, self.away / session
        if away.is_dir() and not folder.exists():
            os.rename(away, folder)

    def attach(self, store: Store) -> None:
        """Give a store that was just opened the log of its session; without one it takes no write."""
        store.replica = self.log_of(store.root.name) or NotHere(store.root.name)

    def let_go(self, session: str) -> None:
        """Write the session no more: another worker has it, or will."""
        with self._lock:
            found = self._logs.pop(session, None)
        if found is not None:
            found.release(handed_over(session))

    def drop(self, session: str) -> None:
        """Write the session no more, and remove the folder of it that was put away."""
        self.let_go(session)
        for folder in (self.away / session, *self.away.glob(f"{session}.*")):
            shutil.rmtree(folder, ignore_errors=True)

    def forget(self, session: str) -> None:
        """Remove the log and the base of a session that is archived, or erased.

        Raises:
            ReplicaAwayError
        """
        found = self.log_of(session)
        self.let_go(session)
        try:
            self.log.forget(session)
            self.base.forget(session)
            self.drop(session)
        except BaseException:
            with self._lock:
                if found is not None:  # nobody would ever take it again
                    self._logs.setdefault(session, found)
            raise

    def put_back(self, session: str, close: Callable[[], None] = lambda: None) -> int:
        """Make the log anew from this worker's folder, and return the number of records that were put back; a
        log that lacks nothing stays as it is.

        Args:
            close: Closes the session here; called once something is to be put back.

        Raises:
            StoreError: The folder's ledger is damaged, or the log has gone on without it.
            ReplicaAwayError
        """
        self.bring_back(session)
        folder = self._sessions / session
        more = more_than_log(self.log, folder, session)
        self.base.put(session, folder)
        if not more and self._is_whole(session):
            return 0  # it may go on at this moment, so its log is not touched
        close()
        with suppress(ReplicaBehindError):
            self.log.claim(session)  # from here on nobody else writes, and what was written until now is seen
        more = more_than_log(self.log, folder, session)
        self.log.forget(session)
        kept = self.log.claim(session, is_new=True)
        if kept is None:
            raise SupersededError(f"{session}: another worker begins it at this moment: look at the status")
        made = self._made(session, folder, kept)
        made.send_rest()
        self._add(made)
        return more

    def _is_whole(self, session: str) -> bool:
        try:
            return self.log.read(session) is not None
        except ReplicaBehindError:
            return False

    def _made(self, session: str, folder: Path, kept: Kept) -> SessionLog:
        is_local = self.log.connection.cluster.durability == "local"
        made = SessionLog(self.log, session, folder, kept, is_local=is_local)

        def keep_beside() -> None:
            with suppress(ReplicaAwayError) if is_local else nullcontext():
                self.base.put(session, folder)

        made.before_end = keep_beside
        return made

    def _add(self, log: SessionLog) -> SessionLog:
        with self._lock:
            self._logs[log.session] = log
        return log
