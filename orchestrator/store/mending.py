"""Putting a session's files in order: a torn last record, views that are behind or were changed.

Only a writer that holds the session's lock mends, and nothing that it takes away is lost.

Source: DESIGN.md, section 4; trust.md, "The store".
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

from orchestrator.layout import Mutability
from orchestrator.store.history import LEDGER_NAME, History


@dataclass(frozen=True, slots=True)
class Repair:
    """Something that was mended."""

    path: str
    what: str


def keep_torn(history: History, rest: bytes) -> Repair:
    """Keep a torn last record aside, before it is cut off."""
    # The digest is in the name: a second crash at the same record leaves other bytes, and both are kept.
    name = f"torn-{history.seq + 1}-{hashlib.sha256(rest).hexdigest()[:8]}"
    kept = history.views().keep_aside("torn", name, rest)
    return Repair(LEDGER_NAME, f"cut off a torn last record ({len(rest)} bytes kept in {kept})")


def mend_all(history: History) -> list[Repair]:
    """Compare every view with the ledger, and redo those that are not what it says."""
    repairs = [repair for path in history.files if (repair := mend(history, path)) is not None]
    history.views().swapped = False
    return repairs


def mend_written_by_others(history: History) -> list[Repair]:
    """The same for the views that others wrote, who may have died before their view was written."""
    repairs = []
    for path in history.by_others:
        size = history.state(path).size_bytes
        # Of an append-only file the size tells whether its writer got that far; one that is written whole may
        # have any size, so it is compared.
        is_whole = history.files[path].row.mutability is not Mutability.APPEND_ONLY
        if is_whole or history.views().size(path) != size:
            repair = mend(history, path)
            if repair is not None:
                repairs.append(repair)
    return repairs


def mend(history: History, path: str) -> Repair | None:
    """Compare a view's digest with the ledger, and redo it if it differs.

    A view that is only behind is brought up to date; one that was changed from outside is
    first kept aside under `ledger/rejected/`.
    """
    views = history.views()
    state = history.state(path)
    if not state.seqs:
        if views.is_there(path):
            return _reject(history, path, "something was there before the first write")
        return None
    raw = views.read(path, state.row.max_bytes)  # whatever is longer was written by somebody else
    is_right = (
        raw is not None and len(raw) == state.size_bytes and hashlib.sha256(raw).hexdigest() == state.sha256
    )
    if is_right and views.is_open_to_owner(path):
        return None
    content = history.replay(state.seqs).encode()  # before anything is moved: it may raise
    if is_right:
        repair: Repair | None = Repair(path, "the rights to read and write it have been put back")
    elif raw is None and not views.is_there(path):
        repair = Repair(path, "was missing and has been put back from the ledger")
    else:
        repair = keep_changed(history, path, raw, content)
    views.replace(path, content)
    return repair or Repair(path, "brought up to date with the ledger")


def keep_changed(history: History, path: str, raw: bytes | None, content: bytes) -> Repair | None:
    """Keep aside what stands at *path* before *content* takes its place; None: the ledger has it all.

    *raw* is what was read there: None where it is no plain file, or none that may be read.
    """
    if raw is None:
        if not history.views().is_there(path):
            return None
        what = "a folder" if history.views().is_folder(path) else "something else"
        return _reject(history, path, f"{what} stood in its place, which has been put back from the ledger")
    if _is_earlier(history, raw, path, content):
        return None
    return _reject(history, path, "was changed from outside and has been put back from the ledger")


def _is_earlier(history: History, raw: bytes, path: str, content: bytes) -> bool:
    """Whether *raw* is what the file held before its last writes, or part of it."""
    if is_remainder(raw, content):
        return True
    records = (history.record(seq) for seq in reversed(history.files[path].seqs))
    return any(is_remainder(raw, (one.text or "").encode()) for one in records if one.op != "append")


def is_remainder(raw: bytes, content: bytes) -> bool:
    """Whether a crash can have left *raw* of *content*: a beginning, zeros in place of what reached no disk.

    No session file holds a zero. They begin anywhere: a block may be written before the file grows in it.
    """
    return len(raw) <= len(content) and (
        content.startswith(raw) or all(one in (0, right) for one, right in zip(raw, content, strict=False))
    )


def _reject(history: History, path: str, why: str) -> Repair:
    kept = history.views().reject(path, history.seq)
    return Repair(path, f"{why}: what stood there is kept in {kept}")
