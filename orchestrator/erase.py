"""Erasing a session: its folder goes for good; its archives are listed, or go as well."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path

from orchestrator.archive.freeze import thaw
from orchestrator.archive.upload import delete_archive, list_archives
from orchestrator.driver import is_driven
from orchestrator.errors import ArchiveError, SessionStateError
from orchestrator.home import Home
from orchestrator.store import Store


@dataclass(frozen=True, slots=True)
class Erased:
    """What was removed, and what is left elsewhere."""

    removed: tuple[str, ...]
    archives: tuple[str, ...]


def erase_session(home: Home, root: Path, *, archives: bool, endpoint_url: str | None = None) -> Erased:
    """Remove the session at *root*.

    Raises:
        SessionStateError: A process drives it.
        ArchiveError: An archive could not be removed; the folder is then still there.
    """
    if is_driven(root):
        raise SessionStateError(f"{root.name} is being driven by another process: stop that first")
    removed, kept = [], []
    for url in _archives_of(home, root):
        found = [one for one in list_archives(url, endpoint_url=endpoint_url) if one.session == root.name]
        for one in found:
            if archives:
                delete_archive(url, one.session, endpoint_url=endpoint_url)
                removed.append(one.archive)
            else:
                kept.append(one.archive)
    thaw(root)
    shutil.rmtree(root)
    records = home.sessions / ".records" / root.name
    if records.exists():
        shutil.rmtree(records)
    return Erased((*removed, str(root)), tuple(kept))


def _archives_of(home: Home, root: Path) -> list[str]:
    """Where this session may have been archived: the home's archive, and the one its run named."""
    urls = [home.config.archive or str(home.archives)]
    try:
        store = Store(root)
    except (ArchiveError, OSError):
        return urls
    try:
        for entry in store.entries():
            if entry.op == "note":
                value = store.record(entry.seq).value or {}
                if value.get("type") == "playback" and value["playback"].get("archive"):
                    urls.append(value["playback"]["archive"])
    finally:
        store.close_files()
    return list(dict.fromkeys(urls))
