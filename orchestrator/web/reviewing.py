"""What a review looks at: the catalogue, kept up to date, and one session at a time, live or archived."""

from __future__ import annotations

import shutil
import tempfile
import time
from collections import OrderedDict
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from threading import Lock, Thread
from typing import Final

from orchestrator.archive.download import fetch, verify_archive
from orchestrator.archive.stores import open_store
from orchestrator.errors import GreenroomError, SessionNotFoundError
from orchestrator.home.folder import Home
from orchestrator.review.catalogue import Row, comments_beside, of_archives, of_home
from orchestrator.review.comments import Comments
from orchestrator.review.update import update
from orchestrator.session import Session
from orchestrator.web.open_sessions import OpenSessions

MOST_FETCHED: Final = 8
"""Archived sessions that lie unpacked at once; one takes some 1 MB, and a reviewer reads one or two."""
FRESH_S: Final = 2.0
"""A catalogue that was brought up to date this lately is shown as it is."""
PATIENCE_S: Final = 0.05
"""A list waits so long for what is new: to look at 1,000 archives takes half of it. A longer update goes on
behind the page, and the page says so where anything is read."""
LONG_PATIENCE_S: Final = 2.0
"""So long where there would be nothing to show: no session at all, or not the one that is asked for."""


@dataclass(frozen=True, slots=True)
class Reading:
    """How far the catalogue is up to date."""

    done: int = 0
    of: int = 0
    is_running: bool = False
    failed: str | None = None  # why the archives could not be listed


@dataclass(frozen=True, slots=True)
class Checked:
    """What a verification found."""

    is_valid: bool
    at: str  # RFC 3339
    findings: tuple[str, ...] = ()


class Review:
    """The sessions that one server lets review. Safe to use from many threads."""

    def __init__(
        self, home: Home | None, archives: str, endpoint_url: str | None, live: OpenSessions
    ) -> None:
        """Nothing is read yet.

        Raises:
            UsageError: *archives* is no archive address.
        """
        self._home, self._archives, self._endpoint_url, self._live = home, archives, endpoint_url, live
        self._store = open_store(archives, endpoint_url=endpoint_url)
        self.catalogue = of_home(home) if home is not None else of_archives(archives)
        kept = home.sessions / ".records" if home is not None else comments_beside(self.catalogue)
        self.comments = Comments(kept)
        self._lock = Lock()
        self._reading = Reading()
        self._running: Thread | None = None
        self._ended = 0.0
        self._fetched: OrderedDict[str, Session] = OrderedDict()
        self._fetching = Lock()

    @cached_property
    def _folder(self) -> tempfile.TemporaryDirectory[str]:
        return tempfile.TemporaryDirectory(prefix="greenroom-review-", ignore_cleanup_errors=True)

    # ------------------------------------------------------------------ the catalogue

    def refresh(self, *, is_needed: bool = False) -> Reading:
        """Bring the catalogue up to date, as far as that is quick; the rest goes on behind the page.

        *is_needed*: look also where that was done just now, and wait longer.
        """
        with self._lock:
            running = self._running
            if running is None and (is_needed or time.monotonic() - self._ended > FRESH_S):
                running = self._running = Thread(target=self._update, name="catalogue", daemon=True)
                running.start()
        if running is not None:
            is_empty = is_needed or not self.catalogue.page(most=1)
            running.join(LONG_PATIENCE_S if is_empty else PATIENCE_S)
        return self._reading

    def _update(self) -> None:
        def on_read(done: int, of: int) -> None:
            self._reading = Reading(done, of, is_running=True)

        failed: str | None = None
        try:
            self._reading = Reading(is_running=True)
            update(
                self.catalogue, self._home.sessions if self._home is not None else None, self._store, on_read
            )
        except (GreenroomError, OSError) as error:
            failed = str(error)
        finally:
            self._reading = Reading(failed=failed)
            with self._lock:
                self._running, self._ended = None, time.monotonic()

    def row(self, session: str) -> Row:
        """A session of the catalogue, as of now.

        Raises:
            SessionNotFoundError: There is none.
        """
        row = self.catalogue.get(session)
        if row is None or not row.entry.is_ended:  # one that was begun or has gone on since
            self.refresh(is_needed=True)
            row = self.catalogue.get(session)
        if row is None:
            raise SessionNotFoundError(f"there is no session {session!r} here", value=session)
        return row

    # ------------------------------------------------------------------ one session

    def session(self, row: Row) -> Session:
        """The session itself, for reading: the home's own, else its archive, fetched and verified.

        Raises:
            SessionNotFoundError: It was erased just now.
            ArchiveError: The archive is not right or cannot be read.
        """
        name = row.entry.session
        if row.is_here:
            return self._live.get(name)
        with self._fetching:
            if name in self._fetched:
                self._fetched.move_to_end(name)
                return self._fetched[name]
            root = fetch(name, self._archives, Path(self._folder.name), endpoint_url=self._endpoint_url)
            opened = self._fetched[name] = Session.open(None, root)
            if len(self._fetched) > MOST_FETCHED:
                self._drop(next(iter(self._fetched)))
        self.catalogue.note_verified(opened.ledger_head, is_valid=True)  # nothing else is ever fetched
        return opened

    def checked(self, row: Row, *, again: bool = False) -> Checked | None:
        """Whether an ended session is what its ledger says: as remembered of this head, else looked at now.

        None: it has not ended. *again*: look now in any case.
        """
        if not row.entry.is_ended:
            return None
        known = self.catalogue.verified([row.entry.head]).get(row.entry.head)
        if known is not None and not again and known[0]:
            return Checked(*known)
        if row.is_here:
            result = self._live.get(row.entry.session).verify()
        else:
            result = verify_archive(self._archives, row.entry.session, endpoint_url=self._endpoint_url)
        at = self.catalogue.note_verified(row.entry.head, is_valid=result.valid)
        return Checked(result.valid, at, tuple(f"{one.path} is {one.kind}" for one in result.findings))

    def forget(self, session: str) -> None:
        """Remove what lies unpacked of a session that was erased."""
        with self._fetching:
            if session in self._fetched:
                self._drop(session)

    def close(self) -> None:
        """Remove all that lies unpacked."""
        with self._fetching:
            for name in list(self._fetched):
                self._drop(name)
        if "_folder" in self.__dict__:
            self._folder.cleanup()

    def _drop(self, name: str) -> None:
        session = self._fetched.pop(name)
        session.close()
        shutil.rmtree(session.path, ignore_errors=True)
