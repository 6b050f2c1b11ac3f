"""Bringing the catalogue up to date: what is new is read, and what is gone is taken out."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from functools import partial
from itertools import chain
from multiprocessing import get_context
from pathlib import Path
from typing import Final

from orchestrator.archive.bag import COMMIT_MARK
from orchestrator.archive.stores import ArchiveStore, FolderStore
from orchestrator.archive.streams import side_by_side
from orchestrator.errors import ArchiveError
from orchestrator.layout import SESSION_ID
from orchestrator.review.catalogue import Catalogue, Known
from orchestrator.review.reading import Entry, Passage, read

BATCH: Final = 100
"""Sessions of one transaction: it ends within half a second, so that nobody waits long to write."""

MANY: Final = 1_000
"""New sessions from which on other processors help; to start them takes about as long as to read 300."""
MOST_PROCESSES: Final = 4
"""With more the one that writes is what is waited for."""

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
        failed, there = error, {name for name, of in known.items() if of.archive is not None}
    gone = [name for name in known if name not in here and name not in there]
    if gone:
        catalogue.forget(*gone)
        erasures = catalogue.erasures()

    def archive_of(name: str) -> str | None:
        return f"{store.url}/{name}" if name in there else None

    new, moved = [], {}
    for name in sorted(here.keys() | there):
        was, now = known.get(name), Known(here.get(name), archive_of(name))
        if was is None or (now.size_bytes is not None and now.size_bytes != was.size_bytes):
            new.append(name)
        elif was != now:
            moved[name] = now
    if moved:
        catalogue.note(moved)

    with _reading(sessions, store, here, new) as read_in_order:
        for start in range(0, len(new), BATCH):
            names = new[start : start + BATCH]
            found = [
                (*one, Known(here.get(name), archive_of(name)))
                for name, one in zip(names, read_in_order, strict=False)  # which goes on with the next
                if one is not None
            ]
            if not catalogue.put(found, erasures=erasures):
                return update(catalogue, sessions, store, on_read)  # somebody erased a session meanwhile
            on_read(start + len(names), len(new))
    if failed is not None:
        raise failed
    return None


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
    found = _read_folder(sessions / name) if sessions is not None and name in here else _read(store, name)
    return None if found is None else read(name, *found)


def _here(sessions: Path) -> Iterator[tuple[str, int]]:
    """The sessions of a home, each with the bytes of its ledger."""
    try:
        folders = os.scandir(sessions)
    except OSError:
        return
    with folders:
        for folder in folders:
            if SESSION_ID.fullmatch(folder.name):
                try:
                    yield folder.name, os.stat(f"{folder.path}/ledger/ledger.jsonl").st_size
                except OSError:
                    continue


def _read_folder(session: Path) -> tuple[bytes, bytes | None] | None:
    try:
        ledger = (session / "ledger" / "ledger.jsonl").read_bytes()
    except OSError:  # it was erased just now
        return None
    debrief = session / "debrief.json"
    return ledger, debrief.read_bytes() if debrief.is_file() else None


def _read(store: ArchiveStore, session: str) -> tuple[bytes, bytes | None] | None:
    """What is read of an archive; None where its mark says that it is not complete yet."""
    try:
        store.get(f"{session}/{COMMIT_MARK}")
        ledger = store.get(f"{session}/data/{session}/ledger/ledger.jsonl")
    except ArchiveError:
        return None
    try:
        return ledger, store.get(f"{session}/data/{session}/debrief.json")
    except ArchiveError:  # it ended without one
        return ledger, None
