"""Titles that people give to sessions, stored beside a session and never in it or its archive."""

from __future__ import annotations

import json
import os
from pathlib import Path
from threading import Lock
from typing import Final

from orchestrator.core.errors import UsageError
from orchestrator.core.home.regular import read_regular
from orchestrator.core.legible import one_line
from orchestrator.core.store import files
from orchestrator.core.table import check_session_id
from orchestrator.panel.home import Home

MAX_CHARS: Final = 120
"""Maximum characters of a title: two lines of a list. Anything longer is a comment."""
NAME: Final = "title.json"
_VERSION: Final = 1


class Titles:
    """The titles of all sessions below one folder, one file for each; erasing a session removes its title."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._lock = Lock()  # two threads would write one temporary file

    def of(self, session: str) -> str:
        """Return the session's title, or "" if nobody gave one or its file is not one that we wrote."""
        try:
            kept = json.loads(read_regular(self._path(session)))
            return one_line(kept["title"]) if kept["version"] == _VERSION else ""
        except (OSError, ValueError, TypeError, KeyError):  # a list is not kept from being shown by a name
            return ""

    def give(self, session: str, title: str) -> str:
        """Replace the session's title, so that it is on the disk, and return it in the form in which it is
        shown.

        Args:
            title: The title on one line; a blank one removes the title.

        Raises:
            UsageError: The title is too long.
            OSError: The disk refused; the earlier title stays.
        """
        shown = one_line(title)
        if len(shown) > MAX_CHARS:
            raise UsageError(
                f"the title has {len(shown):,} characters; at most {MAX_CHARS} are taken: shorten it"
            )
        parent = self._path(session).parent
        if not shown and not parent.is_dir():
            return ""
        parent.mkdir(files.FOLDER_MODE, parents=True, exist_ok=True)
        with self._lock:
            folder = os.open(parent, files.FOLDER)
            try:
                if shown:
                    kept = json.dumps({"version": _VERSION, "title": shown}, ensure_ascii=False)
                    files.replace_file(folder, NAME, f"{kept}\n".encode(), is_synced=True)
                else:
                    files.unlink_if_there(folder, NAME)
                files.sync_folder(folder)
            finally:
                os.close(folder)
        return shown

    def _path(self, session: str) -> Path:
        return self._root / check_session_id(session) / NAME


def titles_of(home: Home) -> Titles:
    """Return the titles of a home's sessions."""
    return Titles(home.records)
