"""What is known of a session after its end: where it was archived.

It lies beside the session, in `sessions/.records/<id>/`, since nothing is written into a frozen
session. Source: DESIGN.md, section 2.
"""

from __future__ import annotations

import json
import os
from pathlib import Path

from orchestrator.clock import utc_now
from orchestrator.errors import HomeError
from orchestrator.home.folder import Home


def _path(home: Home, session_id: str) -> Path:
    return home.sessions / ".records" / session_id / "archives.jsonl"


def note_archive(home: Home, session_id: str, url: str, archive: str) -> None:
    """Remember that a session stands complete at *archive*, within the store at *url*."""
    path = _path(home, session_id)
    path.parent.mkdir(parents=True, exist_ok=True)
    line = json.dumps({"url": url, "archive": archive, "at": utc_now()}, ensure_ascii=False) + "\n"
    fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o644)
    try:
        os.write(fd, line.encode())
        os.fsync(fd)
    finally:
        os.close(fd)


def archives_of(home: Home, session_id: str) -> dict[str, str]:
    """Where the session was archived: store → the archive in it, oldest first.

    Raises:
        HomeError: A line of the register is none of ours; the message says which.
    """
    path = _path(home, session_id)
    try:
        lines = path.read_text("utf-8", errors="replace").splitlines()
    except OSError:
        return {}
    known = {}
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            one = json.loads(line)
            known[str(one["url"])] = str(one["archive"])
        except (ValueError, KeyError, TypeError):
            raise HomeError(
                f"{path}, line {number}: this is no line of the register of archives: remove it, "
                f"and archive the session again",
                file=path,
            ) from None
    return known
