"""Checks that no archive or restored session is put where it would become part of something else."""

from __future__ import annotations

import os
from collections.abc import Container, Iterator
from pathlib import Path
from typing import Final

from orchestrator.core.archive.bag import COMMIT_MARK, DECLARATION_NAME
from orchestrator.core.archive.stores import ArchiveStore, FolderStore
from orchestrator.core.errors import ArchiveError
from orchestrator.core.home.folder import Home
from orchestrator.core.store.store import LEDGER_NAME

_OF_A_HOME: Final = {
    "templates": "holds the templates",
    "session-templates": "holds the blueprints",
    "sessions": "holds the sessions",
    "archives": "holds the archives",
}


def check_takes_sessions(folder: Path) -> None:
    """Raise ArchiveError if a session restored into *folder* would spoil what is already there.

    A home's own `sessions/` takes a restored session; folders below it do not.
    """
    for place in _spellings(folder):
        _check_apart(place, folder)
        _check_outside(place, folder, {"templates", "session-templates", "archives"})
        _check_outside(place.parent, folder, {"sessions"})


def check_takes_archives(store: ArchiveStore, session: str = "") -> None:
    """Raise ArchiveError if the archive of *session* in *store* would spoil what is already there.

    A home's own `archives/` takes archives; the other parts of a home do not.

    Args:
        session: The session's id, or "" if it has none yet.
    """
    if not isinstance(store, FolderStore):
        return
    for place in _spellings(store.root):
        if (place / session / LEDGER_NAME).exists():
            _refuse(store.root, place / session, "is a session")
        _check_apart(place, store.root)
        _check_outside(place, store.root, {"templates", "session-templates", "sessions"})
        _check_outside(place.parent, store.root, {"archives"})


def _spellings(folder: Path) -> Iterator[Path]:
    """Yield the path of *folder* with its links resolved, if it has any, then as it was given.

    A part of a home may be a link, so both are checked.
    """
    named = Path(os.path.abspath(folder))
    if (real := named.resolve()) != named:
        yield real
    yield named


def _check_apart(place: Path, named: Path) -> None:
    for folder in (place, *place.parents):
        if (folder / LEDGER_NAME).exists():
            _refuse(named, folder, "is a session")
        if (folder / DECLARATION_NAME).exists() or (folder / COMMIT_MARK).exists():
            _refuse(named, folder, "is an archive")


def _check_outside(place: Path, named: Path, parts: Container[str]) -> None:
    for folder in (place, *place.parents):
        home = Home(folder.parent)
        if folder.name in parts and home.templates.is_dir() and home.blueprints.is_dir():
            _refuse(named, folder, f"{_OF_A_HOME[folder.name]} of a home")


def _refuse(named: Path, folder: Path, what: str) -> None:
    """Raise ArchiveError for the folder that the user *named*; *what* says what the folder in the way is."""
    raise ArchiveError(f"{named}: {folder} {what}, and nothing is put into one: name another")
