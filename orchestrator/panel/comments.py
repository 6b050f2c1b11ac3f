"""People's remarks on a session, one line of JSON each, stored beside the session and never in it or its
archive.

The remarks are reviewers' comments, and verdicts on answers that were given after the session's end.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final, TypeVar

from orchestrator.core.clock import utc_now
from orchestrator.core.errors import HomeError, UsageError
from orchestrator.core.home.folder import RECORDS
from orchestrator.core.home.regular import read_regular
from orchestrator.core.legible import one_line, page
from orchestrator.core.store import files
from orchestrator.core.store.lines import alone
from orchestrator.core.table import check_session_id
from orchestrator.core.values import from_json, to_json
from orchestrator.panel.home import Home
from orchestrator.panel.model.exchange import PERSON_VERDICTS, PersonVerdict

MAX_CHARS: Final = 4_000
"""Maximum number of characters of one comment: two pages; a longer text is a document of its own."""
MAX_NAME: Final = 80
"""Maximum number of characters of an author's name, as for a presenter's name."""
COMMENTS: Final = "comments.jsonl"
VERDICTS: Final = "verdicts.jsonl"
PRIVATE: Final = 0o600
"""Permissions of these files: their writer's alone."""
_VERSION: Final = 1
"""The version of the lines in which verdicts are stored."""

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Comment:
    """One comment of a reviewer."""

    at: str  # RFC 3339
    author: str
    text: str
    about: str = ""  # an exchange, "x3"; "": the session


class Comments:
    """The comments of all sessions below one folder."""

    def __init__(self, root: Path) -> None:
        self._root = root

    def of(self, session: str) -> list[Comment]:
        """Return a session's comments, oldest first.

        Raises:
            HomeError: A line is not one that Greenroom writes; the message says which.
        """
        return _lines(self._root, session, COMMENTS, "comment", lambda told: Comment(**told))

    def add(self, session: str, author: str, text: str, about: str = "") -> Comment:
        """Store a comment; it is durable when this returns.

        Raises:
            UsageError: The name or the text is missing or too long.
            StoreWriteError: The disk is full; nothing was written.
        """
        author, text = one_line(author), page(text).strip()
        if not author or not text:
            raise UsageError("a comment needs a name and a text")
        if len(author) > MAX_NAME or len(text) > MAX_CHARS:
            raise UsageError(f"a name has up to {MAX_NAME} characters, and a comment up to {MAX_CHARS}")
        comment = Comment(utc_now(), author, text, about)
        _add(self._root, session, COMMENTS, asdict(comment))
        return comment


class Verdicts:
    """People's verdicts on answers, given after the end, of all sessions below one folder."""

    def __init__(self, root: Path) -> None:
        self._root = root

    @classmethod
    def of_session(cls, home: Home, path: Path) -> Verdicts | None:
        """Return a home's verdicts if the session at *path* is in that home, else None.

        A copy of a session elsewhere is not in it.
        """
        return cls(home.records) if path.parent == home.sessions else None

    @classmethod
    def beside(cls, path: Path) -> Verdicts:
        """Return the verdicts of the home in whose folder of sessions *path* is."""
        return cls(path.parent / RECORDS)

    def of(self, session: str) -> list[PersonVerdict]:
        """Return a session's verdicts, oldest first, including those that were taken back.

        Raises:
            HomeError: A line is not one that Greenroom writes; the message says which.
        """
        return _lines(self._root, session, VERDICTS, "verdict", _verdict)

    def file(self, session: str) -> Path:
        """Return the path of the file with a session's verdicts, which the first verdict creates."""
        return self._root / check_session_id(session) / VERDICTS

    def add(self, session: str, said: PersonVerdict) -> None:
        """Store a person's verdict on an answer; it is durable when this returns.

        Raises:
            StoreWriteError: The disk is full; nothing was written.
        """
        _add(self._root, session, VERDICTS, {"version": _VERSION, **to_json(said)})


def _verdict(told: Mapping[str, Any]) -> PersonVerdict:
    said = from_json(PersonVerdict, told)
    if told["version"] != _VERSION or said.verdict not in (None, *PERSON_VERDICTS):
        raise ValueError("a later release wrote it")
    return said


def _lines(root: Path, session: str, name: str, kind: str, read: Callable[[Any], T]) -> list[T]:
    path = root / check_session_id(session) / name
    try:
        lines = read_regular(path).decode().splitlines()
    except FileNotFoundError:
        return []
    except UnicodeDecodeError:
        raise HomeError(f"{name} of {session}: is not UTF-8: remove it", file=path) from None
    found = []
    for number, line in enumerate(lines, start=1):
        try:
            found.append(read(json.loads(line)))
        except (ValueError, TypeError, KeyError, RecursionError):
            where = f"{path.stem} of {session}, line {number}"
            raise HomeError(f"{where}: this is no {kind}: remove it", file=path) from None
    return found


def _add(root: Path, session: str, name: str, told: Mapping[str, Any]) -> None:
    path = root / check_session_id(session) / name
    path.parent.mkdir(files.FOLDER_MODE, parents=True, exist_ok=True)
    line = (json.dumps(told, ensure_ascii=False) + "\n").encode()
    with alone(path, PRIVATE) as fd:  # so that nobody writes behind a line that is cut off again
        files.append_whole(fd, line, size=os.fstat(fd).st_size, name=f"{path.stem} of {session}")
        files.sync_file(fd)
    folder = os.open(path.parent, files.FOLDER)
    try:
        files.sync_folder(folder)  # the file may be new
    finally:
        os.close(folder)
