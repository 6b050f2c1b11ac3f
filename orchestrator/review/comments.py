"""What reviewers wrote to a session: one line of JSON each, beside it and never in it or its archive."""

from __future__ import annotations

import fcntl
import json
import os
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final

from orchestrator.clock import utc_now
from orchestrator.errors import HomeError, UsageError
from orchestrator.home.regular import read_regular
from orchestrator.layout import check_session_id
from orchestrator.legible import one_line, page
from orchestrator.store import files

LONGEST: Final = 4_000
"""Characters of one comment: two pages; what is longer is a document of its own."""
LONGEST_NAME: Final = 80
"""As a presenter's name."""


@dataclass(frozen=True, slots=True)
class Comment:
    """One remark of a reviewer."""

    at: str  # RFC 3339
    author: str
    text: str
    about: str = ""  # an exchange, "x3"; "": the session


class Comments:
    """The comments of all sessions below one folder."""

    def __init__(self, root: Path) -> None:
        self._root = root

    def of(self, session: str) -> list[Comment]:
        """Oldest first.

        Raises:
            HomeError: A line is none of ours; the message says which.
        """
        path = self._path(session)
        try:
            lines = read_regular(path).decode().splitlines()
        except FileNotFoundError:
            return []
        found = []
        for number, line in enumerate(lines, start=1):
            try:
                found.append(Comment(**json.loads(line)))
            except (ValueError, TypeError):
                raise HomeError(
                    f"comments of {session}, line {number}: this is no comment: remove it", file=path
                ) from None
        return found

    def add(self, session: str, author: str, text: str, about: str = "") -> Comment:
        """Keep a comment; durable when it returns.

        Raises:
            UsageError: There is no name or no text, or too much of it.
            StoreWriteError: The disk is full; nothing was kept.
        """
        author, text = one_line(author), page(text).strip()
        if not author or not text:
            raise UsageError("a comment needs a name and a text")
        if len(author) > LONGEST_NAME or len(text) > LONGEST:
            raise UsageError(f"a name has up to {LONGEST_NAME} characters, and a comment up to {LONGEST}")
        comment = Comment(utc_now(), author, text, about)
        path = self._path(session)
        path.parent.mkdir(files.FOLDER_MODE, parents=True, exist_ok=True)
        line = (json.dumps(asdict(comment), ensure_ascii=False) + "\n").encode()
        fd = os.open(path, files.APPEND | os.O_CREAT, 0o600)
        try:
            fcntl.flock(fd, fcntl.LOCK_EX)  # so that nobody writes behind a line that is cut off again
            files.append_whole(fd, line, size=os.fstat(fd).st_size, name=f"comments of {session}")
            files.sync_file(fd)
        finally:
            os.close(fd)
        folder = os.open(path.parent, files.FOLDER)
        try:
            files.sync_folder(folder)  # the file may be new
        finally:
            os.close(folder)
        return comment

    def _path(self, session: str) -> Path:
        return self._root / check_session_id(session) / "comments.jsonl"
