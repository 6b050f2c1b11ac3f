"""A session's folder made from its log, on the worker that takes the session over.

The claim comes first, so that whoever had the session writes it no more. Then the ledger is what the log
holds, byte for byte, and the rest of the folder follows from it and from the base. What a folder that is
already there has beyond the log is never played over: it goes on if it is this worker's own, and is kept
aside, and told, if it is not.

Source: cluster.md, "Promises".
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from orchestrator.cluster.base import Base
from orchestrator.cluster.log import Kept, Log, alone, ends, restored
from orchestrator.core.archive.freeze import is_sealed, seal
from orchestrator.core.errors import ReplicaBehindError, SessionNotFoundError, StoreError, StoreWriteError
from orchestrator.core.home.folder import UNFINISHED
from orchestrator.core.starting import sync_folder
from orchestrator.core.store import files, ledger, materialised
from orchestrator.core.store.history import LEDGER_NAME
from orchestrator.core.store.store import Store

ASIDE: Final = "ledger/rejected"
"""Where a longer ledger than the log's is kept, beside what was changed by hand."""


@dataclass(frozen=True, slots=True)
class Taken:
    """A session that this worker has taken over; its folder is there and whole."""

    folder: Path
    kept: Kept
    told: str | None = None
    """What was kept aside, and why, in one line; None: nothing was."""


def take_over(
    log: Log,
    base: Base,
    sessions: Path,
    session: str,
    *,
    acknowledged: int | None = None,
) -> Taken:
    """Claim a session and make its folder in *sessions*, or bring the one that is there up to the log.

    Args:
        acknowledged: Bytes of which this process knows that the log had them; None: it never wrote it.

    Raises:
        SessionNotFoundError: There is no log of it.
        SupersededError: Another worker claims it at this moment.
        ReplicaBehindError: The log or the base is not whole, or lacks what this worker had acknowledged.
        ReplicaAwayError
        StoreWriteError: This worker's disk refuses.
    """
    kept = log.claim(session)
    if kept is None or not kept.content:
        raise SessionNotFoundError(f"{session}: the cluster has no log of it", value=session)
    folder = sessions / session
    try:
        if not (folder / LEDGER_NAME).is_file():
            _make(base, sessions, session, kept)
            return Taken(folder, kept)
        with alone(folder / LEDGER_NAME):
            taken = _bring_up(log, folder, session, kept, acknowledged)
        if ends(kept.content) and not is_sealed(folder):
            base.get(session, folder)
        _show(folder)
        return taken
    except OSError as error:
        why = f"{folder}: {files.reason(error)} while it was made from the log: check the disk of this worker"
        raise StoreWriteError(files.explain(error, session, why)) from error


def _make(base: Base, sessions: Path, session: str, kept: Kept) -> None:
    """Make the folder under another name, whole and on the disk, and then give it its own."""
    sessions.mkdir(files.FOLDER_MODE, parents=True, exist_ok=True)
    with files.made_aside(sessions, UNFINISHED) as made:
        aside = made / session
        (aside / "ledger").mkdir(files.FOLDER_MODE, parents=True)
        base.get(session, aside)
        _write(aside / LEDGER_NAME, kept.content)
        _show(aside)
        for below in (*(one for one in aside.rglob("*") if one.is_dir()), aside):
            sync_folder(below)
        os.rename(aside, sessions / session)
        sync_folder(sessions)


def _show(folder: Path) -> None:
    """Bring the files of a folder up to its ledger; of a session that has ended, make it read-only as well,
    as whoever had it did: only then it is archived."""
    store = Store(folder, on_repair=lambda _: None)  # that files differ is no news here
    try:
        if not store.frozen:
            store.mend()
        elif not is_sealed(folder):
            materialised.mend_all(store.history)
            seal(folder)
    finally:
        store.close_files()


def _bring_up(log: Log, folder: Path, session: str, kept: Kept, acknowledged: int | None) -> Taken:
    """Bring the ledger of a folder that is there up to the log's."""
    path = folder / LEDGER_NAME
    with files.descriptors() as fds:
        fd = fds.open(path, files.READ)
        here = files.read_range(fd, 0, files.size_of(fd))
    if here == kept.content:
        return Taken(folder, kept)
    if kept.content.startswith(here):
        _replace(path, kept.content)
        return Taken(folder, kept)
    found = ledger.scan(here)
    if here.startswith(kept.content) and found.damage is None:
        more = here[len(kept.content) : found.end]
        if not more:  # the torn end of a write that nobody was told of
            _replace(path, kept.content)
            return Taken(folder, kept)
        if kept.before == log.worker:
            has_all = acknowledged is not None and len(kept.content) >= acknowledged
            if log.connection.cluster.durability != "local" and _transactions(more) > 1 and not has_all:
                raise ReplicaBehindError(
                    f"{session}: the cluster's log lacks {_records(more)} records that this worker had "
                    f"acknowledged; nothing is played over them: {restored(session)}"
                )
            return Taken(folder, kept)  # the log gets it with the next write
    aside = _keep_aside(folder, kept.epoch, here)
    _replace(path, kept.content)
    return Taken(folder, kept, _told(folder, here, kept, aside, kept.before))


def keep_aside_if_longer(folder: Path, kept: Kept) -> str | None:
    """Keep aside what a folder of a session that another worker has holds beyond the log.

    Returns:
        What was kept aside, in one line, or None if the log has everything.

    Raises:
        OSError: The disk refused.
    """
    path = folder / LEDGER_NAME
    here = path.read_bytes()
    if kept.content.startswith(here[: ledger.scan(here).end]):
        return None
    aside = _keep_aside(folder, kept.epoch, here)
    return _told(folder, here, kept, aside, kept.claimed_by)


def _told(folder: Path, here: bytes, kept: Kept, aside: Path, by: str) -> str:
    more = _records(here[_common(here, kept.content) :])
    return (
        f"{folder.name}: {more} records that only this worker's disk has are kept in "
        f"{aside.relative_to(folder)}: {by} went on without them"
    )


def more_than_log(log: Log, folder: Path, session: str) -> int:
    """Return how many records the ledger in *folder* has beyond what is left of the log.

    Raises:
        SessionNotFoundError: There is no such folder on this worker.
        StoreError: The ledger is damaged, or the log has gone on in another way.
        ReplicaAwayError
    """
    path = folder / LEDGER_NAME
    if not path.is_file():
        raise SessionNotFoundError(f"{session}: this worker has no folder of it", value=session)
    here = path.read_bytes()
    found = ledger.scan(here)
    if found.damage is not None or found.rest:
        raise StoreError(f"{path}: {found.damage or 'its end is torn'}: nothing is put back from it")
    left = log.whole_part(session)
    if not here.startswith(left):
        at = _records(here[: _common(here, left)])
        raise StoreError(
            f"{session}: the log has gone on without the records behind {at} of this disk, so they cannot be "
            f"put back: they stay in {path}"
        )
    return _records(here[len(left) :])


def _keep_aside(folder: Path, epoch: int, content: bytes) -> Path:
    """Keep a whole ledger under a name of its own, and return that."""
    place = folder / ASIDE
    place.mkdir(files.FOLDER_MODE, exist_ok=True)
    number = 1
    while (path := place / f"ledger-{epoch}{f'-{number}' if number > 1 else ''}.jsonl").exists():
        if path.read_bytes() == content:
            return path
        number += 1
    _write(path, content)
    sync_folder(place)
    return path


def _replace(path: Path, content: bytes) -> None:
    """Put a ledger in the place of another one in one step; it is on the disk then."""
    with files.descriptors() as fds:
        folder = fds.open(path.parent, files.FOLDER)
        files.replace_file(folder, path.name, content, is_synced=True)
        files.sync_folder(folder)


def _write(path: Path, content: bytes) -> None:
    with files.descriptors() as fds:
        fd = fds.open(path, files.NEW)
        files.write_all(fd, content)
        files.sync_file(fd)


def _common(one: bytes, other: bytes) -> int:
    """Return how many bytes of whole lines both begin with."""
    same = 0
    for mine, theirs in zip(one.splitlines(keepends=True), other.splitlines(keepends=True), strict=False):
        if mine != theirs:
            break
        same += len(mine)
    return same


def _records(content: bytes) -> int:
    return content.count(b"\n")


def _transactions(content: bytes) -> int:
    return sum(not ledger.says_more(line) for line in content.split(b"\n")[:-1])
