"""Bringing the catalogue up to date: what is new is read, and what is gone is taken out."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable, Collection, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from functools import partial
from itertools import chain
from multiprocessing import get_context
from pathlib import Path
from time import time
from typing import Final

from orchestrator.core.archive.bag import COMMIT_MARK
from orchestrator.core.archive.download import is_commit_mark
from orchestrator.core.archive.stores import ArchiveStore, FolderStore
from orchestrator.core.archive.streams import side_by_side
from orchestrator.core.errors import ArchiveError, ArchiveUnavailableError
from orchestrator.core.store import files
from orchestrator.core.store.store import LEDGER_NAME
from orchestrator.core.table import SESSION_ID
from orchestrator.core.verify.disk import open_folder, read_file
from orchestrator.review.catalogue import Catalogue, Known
from orchestrator.review.reading import Entry, Passage, read

BATCH: Final = 100
"""Sessions of one transaction: it ends within half a second, so that nobody waits long to write."""

MANY: Final = 1_000
"""New sessions from which on other processors help; to start them takes about as long as to read 300."""
MOST_PROCESSES: Final = 4
"""With more the one that writes is what is waited for."""

RETRY_S: Final = 60.0
"""After which an archive that could not be read is asked for again: each try is a request, or several."""

Read = tuple[Entry, list[Passage]]


def update(
    catalogue: Catalogue,
    sessions: Path | None,
    store: ArchiveStore,
    on_read: Callable[[int, int], None] = lambda done, of: None,
) -> None:
    """Take in what is new in a home's folder of *sessions* and in the archives of *store*.

    An archive that is known is not read again: nothing in it ever changes. One that is also in the home
    is read there.

    Args:
        on_read: Told how many of the new sessions have been read, and how many there are.

    Raises:
        ArchiveError: The archives cannot be listed; the home's own sessions are up to date.
    """
    here = dict(_here(sessions)) if sessions is not None else {}
    erasures, known = catalogue.erasures(), catalogue.known()
    failed: ArchiveError | None = None
    try:
        there = {name for name in store.folders() if SESSION_ID.fullmatch(name)}
    except ArchiveError as error:
        failed = error
        there = {name for name, of in known.items() if of[1:3] == (f"{store.url}/{name}", store.endpoint)}
    gone = [name for name in known if name not in here and name not in there]
    if gone:
        catalogue.forget(*gone)
        erasures = catalogue.erasures()

    def place_of(name: str) -> Known:
        size_bytes, stamp = here.get(name, (None, ""))
        archive, endpoint = (f"{store.url}/{name}", store.endpoint) if name in there else (None, "")
        return Known(size_bytes, archive, endpoint, stamp)

    new, moved = [], {}
    for name in sorted(here.keys() | there):
        was, now = known.get(name), place_of(name)
        if was is None or _is_other(was, now) or 0 < was.tried_at < time() - RETRY_S:
            new.append(name)
        elif was[:4] != now[:4]:
            moved[name] = now
    if moved:
        catalogue.note(moved)

    with _reading(sessions, store, here, new) as read_in_order:
        for start in range(0, len(new), BATCH):
            names = new[start : start + BATCH]
            found = [
                (*one, place_of(name)._replace(tried_at=time() if one[0].unread else 0.0))
                for name, one in zip(names, read_in_order, strict=False)  # which goes on with the next
                if one is not None
            ]
            if not catalogue.put(found, erasures=erasures):
                return update(catalogue, sessions, store, on_read)  # somebody erased a session meanwhile
            on_read(start + len(names), len(new))
    if failed is not None:
        raise failed
    return None


def _is_other(was: Known, now: Known) -> bool:
    """Whether a session is to be read anew: from another file, or from another archive than it was."""
    if now.size_bytes is not None:
        return (was.size_bytes, was.stamp) != (now.size_bytes, now.stamp)
    return was.size_bytes is not None or was[1:3] != now[1:3]


@contextmanager
def _reading(
    sessions: Path | None, store: ArchiveStore, here: Collection[str], names: Sequence[str]
) -> Iterator[Iterator[Read | None]]:
    """What is read of each: one by one, many from a disk in processes, and from S3 side by side."""
    reading = partial(_read_one, sessions, store, frozenset(here))
    if not isinstance(store, FolderStore):
        starts = range(0, len(names), BATCH)
        yield chain.from_iterable(side_by_side(reading, names[at : at + BATCH]) for at in starts)
    elif len(names) < MANY:
        yield map(reading, names)
    else:
        workers = min(MOST_PROCESSES, os.cpu_count() or 1)
        with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool:
            try:
                yield pool.map(reading, names, chunksize=BATCH // 2)
            finally:
                pool.shutdown(cancel_futures=True)


def _read_one(sessions: Path | None, store: ArchiveStore, here: Collection[str], name: str) -> Read | None:
    """One session as it lies there now; None: it was erased just now, or its archive is not complete yet."""
    try:
        found = _read_folder(sessions / name) if sessions is not None and name in here else _read(store, name)
    except _DamagedError:
        return Entry(name), []
    except (ArchiveUnavailableError, OSError) as error:
        why = files.reason(error) if isinstance(error, OSError) else str(error)
        return Entry(name, unread=why), []
    return None if found is None else read(name, *found)


class _DamagedError(Exception):
    """What lies there is no session whose records could be read; stays within this module."""


def _here(sessions: Path) -> Iterator[tuple[str, tuple[int, str]]]:
    """What has a session's name in a home, each with the bytes of its ledger and which file that is."""
    try:
        folders = os.scandir(sessions)
    except OSError:
        return
    with folders:
        for folder in folders:
            if SESSION_ID.fullmatch(folder.name):
                try:
                    status = os.stat(f"{folder.path}/{LEDGER_NAME}")
                    yield folder.name, (status.st_size, f"{status.st_mtime_ns}-{status.st_ino}")
                except OSError as error:
                    yield folder.name, (0, files.reason(error))


def _read_folder(session: Path) -> tuple[bytes, bytes | None] | None:
    """Ledger and debrief of a session in the home; None: it was erased just now.

    Raises:
        _DamagedError: It has no ledger, or something else as one.
        OSError: It cannot be read now.
    """
    try:
        with open_folder(session) as fd:
            ledger = read_file(fd, LEDGER_NAME)
            try:
                return ledger, read_file(fd, "debrief.json")
            except OSError:
                return ledger, None
    except OSError as error:
        if not os.path.lexists(session):
            return None
        if error.errno in files.MACHINE_FAULTS | {errno.EACCES, errno.EPERM}:
            raise
        raise _DamagedError from error


def _read(store: ArchiveStore, session: str) -> tuple[bytes, bytes | None] | None:
    """What is read of an archive; None where it has no mark, and so is not complete yet.

    Raises:
        _DamagedError: Its mark is none, or it has no ledger.
        ArchiveUnavailableError: It cannot be read now.
    """
    try:
        mark = store.get(f"{session}/{COMMIT_MARK}")
    except ArchiveUnavailableError:
        raise
    except ArchiveError:
        return None
    if not is_commit_mark(mark):
        raise _DamagedError
    try:
        ledger = store.get(f"{session}/data/{session}/{LEDGER_NAME}")
    except ArchiveUnavailableError:
        raise
    except ArchiveError as error:
        raise _DamagedError from error
    try:
        return ledger, store.get(f"{session}/data/{session}/debrief.json")
    except ArchiveUnavailableError:
        raise
    except ArchiveError:  # it ended without one
        return ledger, None
