"""Reviewing of sessions: the catalogue, which is kept up to date, and single sessions, live or archived."""

from __future__ import annotations

import os
import shutil
import tempfile
import time
from collections import OrderedDict
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cached_property
from pathlib import Path
from threading import Lock, Thread
from typing import Final

from orchestrator.core.archive.download import fetch, verify_archive
from orchestrator.core.archive.register import KeptArchive, kept_archives, verify_at_home
from orchestrator.core.archive.stores import is_same_store, open_store
from orchestrator.core.clock import utc_now
from orchestrator.core.errors import (
    ArchiveError,
    ArchiveUnavailableError,
    GreenroomError,
    HomeError,
    LedgerCorruptError,
    SessionNotFoundError,
)
from orchestrator.core.store import files
from orchestrator.core.store.store import LEDGER_NAME
from orchestrator.core.table import SESSION_ID
from orchestrator.core.verify import Finding, Verification
from orchestrator.core.verify.disk import open_folder, opened
from orchestrator.documents.opening import AnySession, is_rehearsal, open_any, rehearsal_of
from orchestrator.panel.application import BOARD
from orchestrator.panel.comments import Comments, Verdicts
from orchestrator.panel.home import Home
from orchestrator.panel.loop.resolving import judge_as_person, persons_of
from orchestrator.panel.model.exchange import Persons, PersonVerdict
from orchestrator.rehearsal.rehearsal import Rehearsal
from orchestrator.review.catalogue import (
    Catalogue,
    Row,
    comments_beside,
    of_archives,
    of_home,
    update,
)
from orchestrator.review.progress import AskedBefore, asked_before, outcomes_of
from orchestrator.review.reading import END_BYTES, head_of
from orchestrator.review.shared import Place, Shared, Verified
from orchestrator.review.titles import Titles
from orchestrator.web.open_sessions import OpenSessions

MAX_FETCHED: Final = 8
"""Maximum number of archived sessions that are unpacked at once; one takes some 1 MB, and a reviewer reads
one or two."""
FRESH_S: Final = 2.0
"""Seconds for which the catalogue is shown without another update."""
TIMEOUT_S: Final = 0.05
"""Seconds that a list waits for an update; checking 1,000 archives takes half of it. A longer update goes
on in the background, and the page says so if anything is being read."""
LONG_TIMEOUT_S: Final = 2.0
"""Seconds to wait if there would be nothing to show: no session at all, or not the one that was asked for."""


@dataclass(frozen=True, slots=True)
class Reading:
    """The state of an update of the catalogue."""

    done: int = 0
    of: int = 0
    is_running: bool = False
    failed: str | None = None  # why the archives could not be listed
    old: str | None = None  # why what is known of other workers' sessions may be old


@dataclass(frozen=True, slots=True)
class Checked:
    """The outcome of verifying a session at one place."""

    archive: str  # its address; "": the session's own folder was looked at
    is_valid: bool | None  # None: it cannot be read now, which is no verdict
    at: str  # RFC 3339
    head: str  # of the ledger, that it was held against
    findings: tuple[str, ...] = ()
    why: str = ""  # it cannot be read
    is_shown: bool = True  # False: what lies there is not what was archived, or not whole


@dataclass(frozen=True, slots=True)
class Standing:
    """Whether and where a session is archived, by the home's register, or without a home by the list of
    archives."""

    kind: str  # live, archived, not-archived, otherwise, replaced, gone, unknown
    told: str = ""  # the archive, or what to know of it


@dataclass(frozen=True, slots=True)
class Seal:
    """The result of the last verification of a session, over all its places together."""

    is_valid: bool
    at: str  # RFC 3339


class Review:
    """The review of the sessions that one server shows. Safe to use from many threads."""

    def __init__(
        self,
        home: Home | None,
        archives: str,
        endpoint_url: str | None,
        live: OpenSessions,
        *,
        known: Home | None = None,
        shelf: Shared | None = None,
    ) -> None:
        """Prepare the review without reading anything.

        Args:
            shelf: The sessions of all workers of a cluster; None: this server is on its own.

        Raises:
            UsageError: *archives* is not an archive address.
        """
        self._home, self._archives, self._endpoint_url, self._live = home, archives, endpoint_url, live
        self._register = home or known  # the home whose register is asked
        self._shelf = shelf
        self._store = open_store(archives, endpoint_url=endpoint_url)
        self._place = f"{self._store.endpoint} {self._store.url}".strip()
        if home is not None:
            self.catalogue, kept = of_home(home), home.records
        else:
            self.catalogue = of_archives(archives, self._store.endpoint)
            kept = _comments_of(archives, self.catalogue)
        self.comments, self.titles, self.verdicts = Comments(kept), Titles(kept), Verdicts(kept)
        self._lock = Lock()
        self._reading = Reading()
        self._running: Thread | None = None
        self._ended = 0.0
        self._listed_at = ""  # when the last update began that saw all archives
        self._fetched: OrderedDict[str, AnySession] = OrderedDict()
        self._fetching = Lock()
        if shelf is not None:
            live.elsewhere = self._read_elsewhere
            shelf.on_erased += [live.forget, self.forget]

    @cached_property
    def _folder(self) -> tempfile.TemporaryDirectory[str]:
        return tempfile.TemporaryDirectory(prefix="greenroom-review-", ignore_cleanup_errors=True)

    # ------------------------------------------------------------------ the catalogue

    def refresh(self, *, is_needed: bool = False) -> Reading:
        """Bring the catalogue up to date as far as that is quick; the rest goes on in the background.

        If *is_needed* is true, update even if that was done just now, and wait longer.
        """
        with self._lock:
            running = self._running
            if running is None and (is_needed or time.monotonic() - self._ended > FRESH_S):
                running = self._running = Thread(target=self._update, name="catalogue", daemon=True)
                running.start()
        if running is not None:
            # At first, what is there may be of the archives that another server looked at.
            is_empty = is_needed or not self._ended or not self.catalogue.page(most=1)
            running.join(LONG_TIMEOUT_S if is_empty else TIMEOUT_S)
        why_old = self._shelf.why_old if self._shelf is not None else None
        return replace(self._reading, old=why_old) if why_old is not None else self._reading

    def _update(self) -> None:
        def on_read(done: int, of: int) -> None:
            self._reading = Reading(done, of, is_running=True)

        failed: str | None = None
        began = utc_now()
        try:
            self._reading = Reading(is_running=True)
            sessions = self._home.sessions if self._home is not None else None
            update(self.catalogue, sessions, self._store, on_read, self._shelf)
            self._listed_at = began
        except (GreenroomError, OSError) as error:
            failed = str(error)
        finally:
            self._reading = Reading(failed=failed)
            with self._lock:
                self._running, self._ended = None, time.monotonic()

    def row(self, session: str) -> Row:
        """Return a session's current row of the catalogue.

        Raises:
            SessionNotFoundError: There is no such session.
            ArchiveUnavailableError: The home has no such session, and the archives could not be read.
        """
        row = self.catalogue.get(session)
        # One that was begun or has gone on since, or lay in an archive that another server looked at.
        if row is None or not row.entry.is_ended or not (row.is_here or self._is_of_our_store(row)):
            reading = self.refresh(is_needed=True)
            row = self.catalogue.get(session)
            if row is None and (reading.failed is not None or reading.is_running):
                why = reading.failed or "the archives are still being read: ask again in a moment"
                raise ArchiveUnavailableError(why)
        if row is None:
            raise SessionNotFoundError(f"there is no session {session!r} here", value=session)
        return row

    def _is_of_our_store(self, row: Row) -> bool:
        archive = f"{self._store.url}/{row.entry.session}"
        return (row.archive, row.endpoint) == (archive, self._store.endpoint)

    # ------------------------------------------------------------------ one session

    def session(self, row: Row) -> Rehearsal:
        """Return the rehearsal itself, as `session_any` does.

        Raises:
            OtherCrewError: The session belongs to another crew.
            SessionNotFoundError, ArchiveError: As `session_any`.
        """
        return rehearsal_of(self.session_any(row))

    def session_any(self, row: Row) -> AnySession:
        """Return the session itself, for reading: from the home, or else from its archive, fetched and
        verified.

        Raises:
            SessionNotFoundError: The session was just erased.
            ArchiveError: The archive has a fault or cannot be read.
        """
        if row.is_here:
            return self._live.get_any(row.entry.session)
        return self._from_archive(row)

    def _from_archive(self, row: Row) -> AnySession:
        """Return a session from its archive, for reading.

        Raises:
            ArchiveError: The archive has a fault or cannot be read.
            ArchiveUnavailableError: It is on another worker's disk and in no archive yet.
        """
        name = row.entry.session
        self._check_is_archived(name)
        with self._fetching:
            if name in self._fetched:
                self._fetched.move_to_end(name)
                return self._fetched[name]
            into = Path(self._folder.name)
            root = fetch(
                name,
                self._archives,
                into,
                endpoint_url=self._endpoint_url,
                known=self._register,
                application=BOARD,
            )
            opened = self._fetched[name] = open_any(self._home if self._shelf is not None else None, root)
            if self._shelf is not None and is_rehearsal(opened):
                opened.is_fetched = True
            if (head := opened.ledger_head) != row.entry.head:
                self._drop(name)
                raise ArchiveError(
                    f"{self._store.url}/{name}: was replaced: its ledger ends with {head}, but the one "
                    f"that was read here before ended with {row.entry.head}"
                )
            if len(self._fetched) > MAX_FETCHED:
                self._drop(next(iter(self._fetched)))
        # It was whole and right, or it would not have been fetched; what a desktop left is passed over.
        if (name, self._place) not in self.catalogue.verified([name]):
            self._note_verified(name, self._place, row.entry.head, is_valid=True)
        return opened

    def _check_is_archived(self, session: str) -> None:
        shelf = self._shelf
        if shelf is None or shelf.place(session) is not Place.ELSEWHERE:
            return
        raise ArchiveUnavailableError(
            f"{session}: lies on the disk of the worker {shelf.rows[session].worker} and in no archive yet: "
            "ask again in a moment, which asks that worker"
        )

    def _read_elsewhere(self, session: str) -> AnySession | None:
        """Return a session that this worker reads from its archive, or None if it is read in the home.

        Raises:
            ArchiveError, ArchiveUnavailableError: As `_from_archive`.
        """
        shelf = self._shelf
        if shelf is None or (row := shelf.rows.get(session)) is None:
            return None
        if shelf.place(session) is Place.HERE:
            return None
        return self._from_archive(Row(0, row.entry, False, row.archive or None))

    def is_in_home(self, session: str) -> bool:
        """Return whether whatever has this name in the home is read there."""
        if self._home is None or not os.path.lexists(self._home.sessions / session):
            return False
        return self._shelf is None or self._shelf.place(session) is Place.HERE

    def is_ours(self, row: Row) -> bool:
        """Return whether a session is one of this home, or of the cluster whose worker this is."""
        return row.is_here or (self._shelf is not None and row.entry.session in self._shelf.rows)

    def persons(self, found: Rehearsal) -> Persons:
        """Return the verdicts of people on the answers of a session."""
        return persons_of(found.rehearsal, self.verdicts)

    def outcomes(self, row: Row) -> dict[str, int]:
        """Return the number of questions by their result, as the session's debrief counts them, whoever
        judged."""
        said: list[PersonVerdict] = []
        if row.entry.is_ended:
            with suppress(HomeError):  # the session's own page says which line is wrong
                said = self.verdicts.of(row.entry.session)
        return outcomes_of(row.entry, said)

    def asked_before(self, deck_sha256: str, catalogue: Catalogue) -> tuple[AskedBefore, ...]:
        """Return the questions of the home's own rehearsals on a deck, without those of demonstrations.

        Args:
            catalogue: Ours, with the sessions that whoever asks may see.
        """
        self.refresh(is_needed=True)
        runs = catalogue.runs_of(deck_sha256)
        return asked_before(
            [row for row in runs if self.is_ours(row) and not row.entry.is_recorded], self.verdicts.of
        )

    def judge(
        self,
        session: str,
        exchange: str,
        verdict: str | None,
        *,
        turn: int | None = None,
        note: str = "",
        by: str | None = None,
    ) -> PersonVerdict:
        """Record a person's verdict on an answer, as `Rehearsal.judge_as_person` does; also for an archived
        session.

        Raises:
            SessionNotFoundError: There is no such session.
            ArchiveError: The archive has a fault or cannot be read.
        """
        if self.is_in_home(session):
            found = self._live.get(session)
            return found.judge_as_person(exchange, verdict, turn=turn, note=note, by=by)
        rehearsal = self.session(self.row(session)).rehearsal
        return judge_as_person(rehearsal, self.verdicts, exchange, verdict, turn=turn, note=note, by=by)

    def checked(self, row: Row, *, again: bool = False) -> list[Checked]:
        """Verify that an ended session is what its ledger says, at each place where it may be.

        The places are its folder in the home, and the archive that this server reviews, if the home archived
        the session there or has no folder of it. A result that is stored for this head is used; without one,
        the place is verified now. An archive besides the folder is only included if it was verified before or
        *again* is true.

        Args:
            again: Whether to verify all places now.
        """
        found = []
        if row.is_here and (row.entry.is_ended or self.standing(row).kind == "otherwise"):
            found.append(self._checked(row, "", again=again))
        if not row.is_here or self._is_archived_here(row):
            seen = self.catalogue.verified([row.entry.session])
            if not row.is_here or again or (row.entry.session, self._place) in seen:
                found.append(self._checked(row, self._place, again=again))
        return found

    def _checked(self, row: Row, place: str, *, again: bool) -> Checked:
        """Verify the session at one place; *place* is as in `Catalogue.note_verified`."""
        name = row.entry.session
        # Of the folder as it is now: the row may be of a ledger that was exchanged since.
        head = row.entry.head if place else self._head_now(name)
        archive = f"{self._store.url}/{name}" if place else ""
        known = self.catalogue.verified([name]).get((name, place))
        is_known = known is not None and known.is_valid and known.head == head
        if known is not None and is_known and not again and (place or not self._is_touched(name, known.at)):
            return Checked(archive, True, known.at, head)
        try:
            result = self.verify(name, archive=bool(place))
        except ArchiveUnavailableError as error:
            return Checked(archive, None, utc_now(), head, why=str(error), is_shown=False)
        except ArchiveError as error:  # nothing of it is there
            at = self._note_verified(name, place, head, is_valid=False)
            return Checked(archive, False, at, head, (str(error),), is_shown=False)
        at = self._note_verified(name, place, head, is_valid=result.valid)
        is_shown = all(one.kind == "extra" for one in result.findings)
        if place and not is_shown:
            self.forget(name)  # what was fetched before lies there no more
        return Checked(archive, result.valid, at, head, tuple(map(_told, result.findings)), is_shown=is_shown)

    def _note_verified(self, session: str, place: str, head: str, *, is_valid: bool) -> str:
        """Record a verification, for the other workers as well if they can see the place; return its time."""
        at = self.catalogue.note_verified(session, place, head, is_valid=is_valid)
        if place and self._shelf is not None:
            self._shelf.tell_verified(session, place, Verified(head, is_valid, at))
        return at

    def verify(self, session: str, *, archive: bool = False) -> Verification:
        """Verify what is there now: the session's folder in the home, or else its archive.

        The archive is compared with the home's register. If the home has no folder of the session, it is also
        compared with what was read here before; a different archive is `replaced`.

        Args:
            session: The session's id, or the name of its folder.
            archive: Whether to verify the archive even if there is a folder.

        Raises:
            SessionNotFoundError: Neither the home nor the archives have a session of this name.
            ArchiveUnavailableError: The archive cannot be read now.
            ArchiveError: There is no such archive.
        """
        if not SESSION_ID.fullmatch(session):
            raise SessionNotFoundError(f"there is no session {session[:64]!r} here", value=session[:64])
        if not archive and self._home is not None and self.is_in_home(session):
            try:
                return self._live.get_any(session).verify()
            except (SessionNotFoundError, LedgerCorruptError):  # whatever lies there
                return verify_at_home(self._home, self._home.sessions / session, BOARD)
        row = self.catalogue.get(session) if archive else self.row(session)
        found = verify_archive(
            self._archives, session, endpoint_url=self._endpoint_url, known=self._register, application=BOARD
        )
        if any(one.kind != "extra" for one in found.findings) or row is None or row.is_here:
            return found
        head = row.entry.head if self._is_of_our_store(row) else ""
        if head in ("", found.head):
            return found
        before = f"{head}, as it was read here before"
        replaced = Finding(f"data/{session}/{LEDGER_NAME}", "replaced", before, found.head)
        return replace(found, valid=False, findings=(*found.findings, replaced))

    # ------------------------------------------------------------------ where it stands

    def standing(self, row: Row) -> Standing:
        """Return whether and where a session is archived; the home's register decides, and not the list of
        archives."""
        name = row.entry.session
        listed = Standing("archived", row.archive) if row.archive else Standing("not-archived")
        if self._register is None:
            return listed
        try:
            kept = kept_archives(self._register, name)
        except HomeError as error:
            return Standing("unknown", str(error))
        # As it is now: a row may be of the moment before the session ended and was archived.
        head = self._head_now(name) if row.is_here and kept else row.entry.head
        others = [one for one in kept if one.head not in (None, head) and head]
        if not self.is_ours(row):
            others = [one for one in others if self._is_ours(one)]
            return Standing("replaced", others[-1].archive) if others else listed
        if others:
            return Standing("otherwise", others[-1].archive)
        if not kept:
            is_live = not (row.entry.is_ended or row.entry.is_damaged or row.entry.unread)
            return Standing("live") if is_live else Standing("not-archived", row.archive or "")
        is_listed = row.archive is not None or self._listed_at < kept[-1].at
        is_gone = not is_listed and any(map(self._is_ours, kept))
        return Standing("gone" if is_gone else "archived", kept[-1].archive)

    def _head_now(self, session: str) -> str:
        """Return the hash of the last record of a session in the home, or "" if there is no ledger."""
        root = self._home.sessions / session if self._home is not None else Path()
        try:
            with open_folder(root) as folder, opened(folder, LEDGER_NAME) as fd:
                size = os.fstat(fd).st_size
                return head_of(files.read_range(fd, max(0, size - END_BYTES), END_BYTES))
        except OSError:
            return ""

    def _is_touched(self, session: str, since: str) -> bool:
        """Return whether a file of a session changed after it was verified at *since*, which the ledger
        does not show."""
        root = self._home.sessions / session if self._home is not None else Path()
        until = datetime.fromisoformat(since).timestamp()
        try:
            return any(one.lstat().st_ctime > until for one in (root, *root.rglob("*")))
        except OSError:
            return True

    def seals(self, rows: Sequence[Row]) -> dict[str, Seal]:
        """Return the last verification of each of these sessions, by session; those never verified are
        left out."""
        seen = self.catalogue.verified([row.entry.session for row in rows])
        found = {}
        for row in rows:
            name = row.entry.session
            places = [seen.get((name, "")), seen.get((name, self._place))]
            # Of the sessions of a cluster only archives count, which every worker can verify.
            own = places[0] if row.is_here and self._shelf is None else places[1]
            looks = [one for one in places if one is not None and one.head == row.entry.head]
            wrong = [one for one in looks if not one.is_valid]
            if wrong:
                found[name] = Seal(False, wrong[-1].at)
            elif own is not None and own in looks:
                found[name] = Seal(True, own.at)
        return found

    def _is_archived_here(self, row: Row) -> bool:
        """Return whether the home archived the session in the store that this server reviews."""
        if self._home is None:
            return False
        try:
            return any(map(self._is_ours, kept_archives(self._home, row.entry.session)))
        except HomeError:
            return False

    def _is_ours(self, kept: KeptArchive) -> bool:
        """Return whether an archive of the register is in the store that this server reviews."""
        if is_same_store(self._store, kept.url, kept.endpoint):
            return True
        # A home may have been moved since, with its own folder of archives; a store elsewhere was not.
        home = self._register
        if home is None or kept.url.startswith("s3://"):
            return False
        return is_same_store(self._store, str(home.archives), "")

    def forget(self, session: str) -> None:
        """Remove the unpacked files of a session that was erased."""
        with self._fetching:
            if session in self._fetched:
                self._drop(session)

    def close(self) -> None:
        """Remove all unpacked files."""
        with self._fetching:
            for name in list(self._fetched):
                self._drop(name)
        if "_folder" in self.__dict__:
            self._folder.cleanup()

    def _drop(self, name: str) -> None:
        session = self._fetched.pop(name)
        session.close()
        shutil.rmtree(session.path, ignore_errors=True)


def _told(finding: Finding) -> str:
    """Return a finding in one line; for a wrong head, with the expected and the found one."""
    line = f"{finding.path} is {finding.kind}"
    is_head = finding.kind in ("head", "replaced")
    return f"{line}: expected {finding.expected}, found {finding.found}" if is_head else line


def _comments_of(archives: str, catalogue: Catalogue) -> Path:
    """Return the folder for comments of a server without a home; comments of an earlier release are moved
    there."""
    kept, before = comments_beside(catalogue), comments_beside(of_archives(archives))
    if before.is_dir() and not kept.exists():
        with suppress(OSError):  # another server has just moved them, or they stay where they are
            before.rename(kept)
    return kept
