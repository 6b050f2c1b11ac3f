"""What lies beside sessions (comments, verdicts, titles, registers of archives), the same on all workers.

Each line goes to a stream of the servers, whose order is the order on all disks. A line is written to this
worker's disk first and sent before its writer is answered; while the servers are away it stays on this disk
alone, behind the others, and is sent when they are back. Lines that other programs write into this home are
found and sent as well.

A line that was sent again counts once, and so does one that was written twice to the byte: each line has its
time in it.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from queue import Empty, SimpleQueue
from threading import RLock
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from orchestrator.cluster.connection import Connection
from orchestrator.cluster.following import SEND_WITHIN_S, Following, sent
from orchestrator.cluster.log import ID, made_when_ready
from orchestrator.core.archive.register import ARCHIVES, BEGUN, DISMISSED
from orchestrator.core.errors import HomeError, ReplicaAwayError, UsageError
from orchestrator.core.home.regular import read_regular
from orchestrator.core.store import files
from orchestrator.core.store.lines import arrange
from orchestrator.core.table import check_session_id
from orchestrator.panel.comments import COMMENTS, PRIVATE, VERDICTS
from orchestrator.panel.home import Home
from orchestrator.review.catalogue import of_home
from orchestrator.review.shared import Verified
from orchestrator.review.titles import NAME as TITLE
from orchestrator.review.titles import titles_of

if TYPE_CHECKING:
    from nats.aio.msg import Msg

STREAM: Final = "g_records"
SUBJECT: Final = "g.records"
FILES: Final = {
    COMMENTS: PRIVATE,
    VERDICTS: PRIVATE,
    DISMISSED: files.FILE_MODE,
    BEGUN: files.FILE_MODE,
    ARCHIVES: files.FILE_MODE,
}
"""The files of lines that are shared, with their permissions. In this order they are sent: where a session
was archived comes last."""
VERIFIED: Final = "verified"
"""The kind of a message that is no file's: that a session was verified, and where."""
MAX_LINE_BYTES: Final = 64 * 1024
"""Longest line that is shared: a comment of 4,000 characters takes some 16 kB."""
_VERSION: Final = 1

Stamp = tuple[int, int, int]


class Line(NamedTuple):
    """One message of the stream."""

    session: str
    file: str
    text: str
    seq: int


def merged(here: Sequence[bytes], told: Sequence[bytes]) -> list[bytes]:
    """Return the lines of one file: those *told*, in the order of the stream, then those that are only
    *here*."""
    known = set(told)
    return [*told, *(line for line in here if line not in known)]


class Records:
    """The files beside all sessions of this worker. Safe to use from many threads."""

    def __init__(self, connection: Connection, home: Home, is_erased: Callable[[str], bool]) -> None:
        """Prepare to share the files of *home*.

        Args:
            is_erased: Returns whether a session was erased; nothing of such a session is sent or written.
        """
        self._connection, self._home, self._is_erased = connection, home, is_erased
        self._catalogue = of_home(home)
        self._lock = RLock()  # of all below, and of looking at the files
        self._told: dict[tuple[str, str], dict[bytes, None]] = {}  # by session and file, in order
        self._sent: set[tuple[str, str, bytes]] = set()  # which will come back by the stream
        self._titles: dict[str, list[str]] = {}  # of a session, oldest first
        self._shown: dict[str, str] = {}  # the title that was last the same here and there
        self._unwritten: dict[tuple[str, str], None] = {}  # files that lack what came
        self._verified: dict[str, list[str]] = {}  # what is not in the catalogue yet
        self._seqs: dict[str, list[int]] = {}
        self._stamps: dict[Path, Stamp | None] = {}  # of files that are whole in the stream
        self._come: SimpleQueue[Line | None] = SimpleQueue()
        self.following = Following(
            connection, STREAM, f"{SUBJECT}.*", self._take, lambda: self._come.put(None)
        )

    def set_up(self) -> None:
        """Make the stream if it is missing.

        Raises:
            ReplicaAwayError
        """
        from nats.js.api import StreamConfig

        stream = StreamConfig(
            name=STREAM, subjects=[f"{SUBJECT}.*"], num_replicas=self._connection.cluster.copies
        )
        self._connection.run(made_when_ready(self._connection, stream), timeout_s=60)

    def look(self) -> None:
        """Send what is new here, beside any session.

        Raises:
            ReplicaAwayError: The servers do not answer; the rest is sent at the next look.
        """
        for folder in self._folders():
            self.send(folder.name)

    def send(self, session: str) -> None:
        """Send what is new beside a session.

        Raises:
            ReplicaAwayError: The servers do not answer; the rest is sent later.
        """
        with self._lock:
            if self._is_erased(session):
                return
            for file in FILES:
                self._send_lines(session, file)
            self._send_title(session)

    def erase(self, session: str) -> None:
        """Overwrite on the servers what was sent of a session.

        Raises:
            ReplicaAwayError
        """
        with self._lock:
            seqs = self._seqs.get(session, [])
        self._connection.run(self._erase(session, tuple(seqs)), timeout_s=60)
        self.forget(session)

    def forget(self, session: str) -> None:
        """Know nothing more of a session that was erased."""
        with self._lock:
            for file in (*FILES, TITLE, VERIFIED):
                self._unwritten.pop((session, file), None)
                self._told.pop((session, file), None)
                self._stamps.pop(self._home.records / session / file, None)
            self._sent = {one for one in self._sent if one[0] != session}
            for known in (self._titles, self._shown, self._seqs, self._verified):
                known.pop(session, None)

    # ------------------------------------------------------------------ hearing

    def _take(self, message: Msg) -> None:
        """Read one message; what is none of ours is passed over."""
        session = message.subject.removeprefix(f"{SUBJECT}.")
        try:
            check_session_id(session)
            told = json.loads(message.data)
            file, text = told["file"], str(told["text"])
            content = text.encode()
            is_known = told["version"] == _VERSION and file in (*FILES, TITLE, VERIFIED)
        except (ValueError, KeyError, TypeError, UsageError, RecursionError):
            return
        if is_known and _is_line(content):
            self._come.put(Line(session, file, text, message.metadata.sequence.stream))

    def receive(self, timeout_s: float = 0) -> None:
        """Take in all that has come, waiting up to *timeout_s* for something; write each file that it changes
        once.

        Raises:
            OSError: The disk refused; what came is written the next time.
        """
        lines = list(self._waiting(timeout_s))
        with self._lock:
            for line in lines:
                if line is None:  # the stream was made anew: all is sent again
                    for known in (self._told, self._titles, self._shown, self._seqs, self._stamps):
                        known.clear()
                    self._sent.clear()
                    self._unwritten.clear()
                elif not self._is_erased(line.session):
                    self._note(line)
                    self._unwritten[line.session, line.file] = None
            failed: OSError | None = None
            for session, file in tuple(self._unwritten):
                try:
                    self._write(session, file)
                    del self._unwritten[session, file]
                except OSError as error:  # one file does not keep the others from being written
                    failed = error
            if failed is not None:
                raise failed

    def _waiting(self, timeout_s: float) -> Iterator[Line | None]:
        with suppress(Empty):
            if timeout_s:
                yield self._come.get(timeout=timeout_s)
            while True:
                yield self._come.get_nowait()

    def _note(self, line: Line) -> None:
        self._seqs.setdefault(line.session, []).append(line.seq)
        if line.file == TITLE:
            self._titles.setdefault(line.session, []).append(line.text)
            return
        if line.file == VERIFIED:
            self._verified.setdefault(line.session, []).append(line.text)
            return
        content = line.text.encode()
        self._told.setdefault((line.session, line.file), {})[content] = None
        self._sent.discard((line.session, line.file, content))

    def _write(self, session: str, file: str) -> None:
        if file == TITLE:
            self._write_title(session)
            return
        if file == VERIFIED:
            self._write_verified(session)
            return
        told = tuple(self._told[session, file])

        def made(before: bytes) -> bytes:
            lines, torn = split(before)
            return b"".join(line + b"\n" for line in merged(lines, told)) + torn

        arrange(self._home.records / session / file, made, FILES[file])

    def _write_title(self, session: str) -> None:
        """Show the last title that was told, unless somebody has given another one here meanwhile."""
        told, titles = self._titles[session], titles_of(self._home)
        here, last = titles.of(session), told[-1]
        if here != last and self._is_own(session, here):
            return
        with suppress(UsageError):  # of a release that takes longer ones
            if here != last:
                titles.give(session, last)
            self._shown[session] = last

    def _is_own(self, session: str, here: str) -> bool:
        """Return whether the title that stands here was given here, and was not told of."""
        told = self._titles.get(session, ())
        return here != self._shown[session] if session in self._shown else here not in ("", *told)

    def _write_verified(self, session: str) -> None:
        for text in self._verified.pop(session, ()):
            with suppress(ValueError, KeyError, TypeError, HomeError):  # the catalogue is a cache
                told = json.loads(text)
                place, head, at = str(told["place"]), str(told["head"]), str(told["at"])
                is_valid = bool(told["is_valid"])
                self._catalogue.note_verified(session, place, head, is_valid=is_valid, at=at)

    # ------------------------------------------------------------------ telling

    def tell_verified(self, session: str, place: str, found: Verified) -> None:
        """See `Shared.tell_verified`.

        Raises:
            ReplicaAwayError
        """
        self._publish(session, VERIFIED, json.dumps({"place": place, **asdict(found)}))

    def _folders(self) -> list[Path]:
        try:
            return sorted(one for one in self._home.records.iterdir() if _is_session(one.name))
        except OSError:
            return []

    def _send_lines(self, session: str, file: str) -> None:
        path = self._home.records / session / file
        stamp = _stamp(path)
        if stamp is None or self._stamps.get(path) == stamp:
            return
        try:
            content = read_regular(path)
        except OSError:
            return  # whoever reads it is told
        told = self._told.get((session, file), {})
        for line in split(content)[0]:
            key = (session, file, line)
            if line not in told and key not in self._sent and _is_line(line) and _is_json(line):
                self._publish(session, file, line.decode())
                self._sent.add(key)
        self._stamps[path] = stamp

    def _send_title(self, session: str) -> None:
        path = self._home.records / session / TITLE
        stamp = _stamp(path)
        if self._stamps.get(path, ()) == stamp:
            return
        here = titles_of(self._home).of(session)
        if self._is_own(session, here):
            self._publish(session, TITLE, here)
            self._shown[session] = here
        self._stamps[path] = stamp

    def _publish(self, session: str, file: str, text: str) -> None:
        content = json.dumps({"version": _VERSION, "file": file, "text": text}, ensure_ascii=False).encode()
        headers = {}
        if file in FILES:  # but a title that is given back counts again
            name = b"\0".join((session.encode(), file.encode(), text.encode()))
            headers[ID] = hashlib.sha256(name).hexdigest()
        self._connection.run(
            sent(self._connection, STREAM, f"{SUBJECT}.{session}", content, headers),
            timeout_s=SEND_WITHIN_S + 1,
        )

    async def _erase(self, session: str, seqs: Sequence[int]) -> None:
        from nats.errors import Error
        from nats.js.errors import APIError, NotFoundError

        js = self._connection.js
        try:
            for seq in seqs:
                with suppress(NotFoundError, APIError):  # it is gone already
                    await js.delete_msg(STREAM, seq)  # overwritten on the servers' disks, as a purge is not
            await js.purge_stream(STREAM, subject=f"{SUBJECT}.{session}")
        except (Error, OSError, TimeoutError) as error:
            raise ReplicaAwayError(
                f"{session}: the cluster's servers do not answer, and still have what was said beside it: "
                "erase it again when they are back"
            ) from error


def split(content: bytes) -> tuple[list[bytes], bytes]:
    """Return the whole lines of a file, and the torn end of a write that was cut short."""
    *lines, torn = content.split(b"\n")
    return lines, torn


def _is_line(line: bytes) -> bool:
    return len(line) <= MAX_LINE_BYTES and b"\n" not in line


def _is_json(line: bytes) -> bool:
    """Return whether a line is one that we write; another one stays where it is, and its reader names it."""
    try:
        found: Any = json.loads(line)
    except (ValueError, RecursionError):
        return False
    return isinstance(found, dict)


def _is_session(name: str) -> bool:
    with suppress(UsageError):
        check_session_id(name)
        return True
    return False


def _stamp(path: Path) -> Stamp | None:
    try:
        found = os.lstat(path)
    except OSError:
        return None
    return found.st_ino, found.st_size, found.st_mtime_ns
