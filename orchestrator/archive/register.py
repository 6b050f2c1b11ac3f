"""The register of a session after its end: its archives, finished or begun, and the contradictions that its
presenter dismissed.

It lies beside the session, in `sessions/.records/<id>/`, since nothing is written into a frozen
session. Source: DESIGN.md, section 2.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from orchestrator.clock import utc_now
from orchestrator.errors import HomeError
from orchestrator.home.folder import Home
from orchestrator.home.regular import read_regular
from orchestrator.store import files

ARCHIVES: Final = "archives.jsonl"
BEGUN: Final = "begun.jsonl"
DISMISSED: Final = "dismissed.jsonl"


def note_begun(home: Home, session_id: str, url: str, archive: str) -> None:
    """Remember, before anything is sent, that objects of a session may lie at *archive*, within *url*."""
    _append(home, session_id, BEGUN, {"url": url, "archive": archive, "at": utc_now()})


def note_archive(home: Home, session_id: str, url: str, archive: str) -> None:
    """Remember that a session stands complete at *archive*, within the store at *url*."""
    _append(home, session_id, ARCHIVES, {"url": url, "archive": archive, "at": utc_now()})


def archives_of(home: Home, session_id: str) -> dict[str, str]:
    """Where the session was archived: store → the archive in it, oldest first.

    Raises:
        HomeError: A line of the register is none of ours; the message says which.
    """
    mend = "remove it, and archive the session again"
    found = _lines(home, session_id, ARCHIVES, ("url", "archive"), mend)
    return dict(found)


def uploads_of(home: Home, session_id: str) -> dict[str, str]:
    """As `archives_of`, with those that were begun and perhaps not finished.

    Raises:
        HomeError: A line of the register is none of ours; the message says which.
    """
    mend = "remove it, and look where you archived to yourself"
    begun = _lines(home, session_id, BEGUN, ("url", "archive"), mend)
    return dict(begun) | archives_of(home, session_id)


def note_dismissed(home: Home, session_id: str, finding: str, digest: str) -> None:
    """Remember that the presenter says that a contradiction of an ended session is none."""
    _append(home, session_id, DISMISSED, {"finding": finding, "digest": digest, "at": utc_now()})


def dismissed_of(home: Home, session_id: str) -> frozenset[str]:
    """Digests of the contradictions that were dismissed after the session's end.

    Raises:
        HomeError: A line of the register is none of ours; the message says which.
    """
    mend = "remove it, and dismiss the contradiction again"
    return frozenset(digest for (digest,) in _lines(home, session_id, DISMISSED, ("digest",), mend))


def _path(home: Home, session_id: str, name: str) -> Path:
    return home.sessions / ".records" / session_id / name


def _append(home: Home, session_id: str, name: str, value: dict[str, Any]) -> None:
    path = _path(home, session_id, name)
    path.parent.mkdir(files.FOLDER_MODE, parents=True, exist_ok=True)
    line = json.dumps(value, ensure_ascii=False) + "\n"
    # One append of one line: two processes that note something at once lose neither.
    fd = os.open(path, files.APPEND | os.O_CREAT, files.FILE_MODE)
    try:
        if not files.is_plain(os.fstat(fd)):
            raise HomeError(f"{path}: is no plain file: remove it, and do this again", file=path)
        os.write(fd, line.encode())
        os.fsync(fd)
    except OSError as error:
        error.filename = str(path)
        raise
    finally:
        os.close(fd)


def _lines(home: Home, session_id: str, name: str, keys: tuple[str, ...], mend: str) -> Iterator[list[str]]:
    path = _path(home, session_id, name)
    try:
        # A damaged line is named below, by its number.
        lines = read_regular(path).decode("utf-8", "replace").splitlines()
    except OSError:
        return
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            one = json.loads(line)
            yield [str(one[key]) for key in keys]
        except (ValueError, KeyError, TypeError, RecursionError):
            raise HomeError(
                f"{path}, line {number}: this is no line of the register of {path.stem}: {mend}", file=path
            ) from None
