"""The register of a session after its end: its archives, complete or begun, and dismissed contradictions.

The register lies beside the session, in `sessions/.records/<id>/`, since nothing is written into a frozen
session. Source: DESIGN.md, section 2.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from orchestrator.core.archive.stores import ArchiveStore, is_same_store, open_store
from orchestrator.core.clock import utc_now
from orchestrator.core.errors import HomeError, SessionStateError, UsageError
from orchestrator.core.home.folder import Home
from orchestrator.core.home.regular import read_regular
from orchestrator.core.store import files
from orchestrator.core.store.application import PLAIN, Application
from orchestrator.core.store.lines import alone
from orchestrator.core.store.store import LEDGER_NAME
from orchestrator.core.verify import Finding, Verification, verify_session

# ---------------------------------------------------------------------- register


ARCHIVES: Final = "archives.jsonl"
BEGUN: Final = "begun.jsonl"
DISMISSED: Final = "dismissed.jsonl"


@dataclass(frozen=True, slots=True)
class KeptArchive:
    """One archive of a session, as an entry of the session's register names it."""

    url: str  # of its store
    archive: str  # its own address, within the store
    endpoint: str | None  # as `s3.endpoint_of`; None: an earlier release did not note it
    head: str | None  # of the ledger in it; None: an earlier release did not note it, or it was only begun
    at: str = ""  # when it was noted, RFC 3339


def note_begun(home: Home, session_id: str, url: str, archive: str, *, endpoint: str | None = None) -> None:
    """Record that objects of a session may lie at *archive*, within *url*; called before anything is sent."""
    _append(home, session_id, BEGUN, {"url": url, "archive": archive, **_at(endpoint), "at": utc_now()})


def note_archive(
    home: Home, session_id: str, url: str, archive: str, *, head: str, endpoint: str | None = None
) -> None:
    """Record that the session, whose ledger's head is *head*, is archived completely at *archive*, within
    *url*."""
    place = {"url": url, "archive": archive, **_at(endpoint)}
    _append(home, session_id, ARCHIVES, {**place, "head": head, "at": utc_now()})


def _at(endpoint: str | None) -> dict[str, str]:
    return {} if endpoint is None else {"endpoint": endpoint}


def kept_archives(home: Home, session_id: str) -> tuple[KeptArchive, ...]:
    """Return every archive of the session, oldest first.

    Raises:
        HomeError: A line of the register is not one that we write; the message says which.
    """
    return tuple(map(_kept, _archive_lines(home, session_id)))


def _kept(line: dict[str, str]) -> KeptArchive:
    url, at = _one_spelling(line["url"]), line.get("at", "")
    return KeptArchive(url, line["archive"], line.get("endpoint"), line.get("head"), at)


def _one_spelling(url: str) -> str:
    """Return the address as `open_store` spells it; an earlier release recorded the spelling of the user."""
    try:
        return open_store(url).url
    except UsageError:
        return url


def archives_of(home: Home, session_id: str, *, head: str | None = None) -> dict[str, str]:
    """Return where the session was archived: each archive's address, by the address of its store, oldest
    first.

    If *head* is given, only archives of the ledger with this head are returned, and those for which an
    earlier release recorded no head.

    Raises:
        HomeError: A line of the register is not one that we write; the message says which.
    """
    lines = _archive_lines(home, session_id)
    return {one["url"]: one["archive"] for one in lines if head in (None, one.get("head", head))}


def archived_heads(home: Home, session_id: str) -> tuple[str, ...]:
    """Return the ledger heads with which the session was archived, oldest first.

    There is one head, unless somebody tampered with the session.

    Raises:
        HomeError: A line of the register is not one that we write; the message says which.
    """
    return tuple(one["head"] for one in _archive_lines(home, session_id) if "head" in one)


def _archive_lines(home: Home, session_id: str) -> Iterator[dict[str, str]]:
    mend = "remove it, and archive the session again"
    return _lines(home, session_id, ARCHIVES, ("url", "archive"), mend)


def uploads_of(home: Home, session_id: str) -> tuple[KeptArchive, ...]:
    """Return each place where objects of the session may lie: its archives, and uploads that were only begun.

    Raises:
        HomeError: A line of the register is not one that we write; the message says which.
    """
    mend = "remove it, and look where you archived to yourself"
    begun = map(_kept, _lines(home, session_id, BEGUN, ("url", "archive"), mend))
    places = {(one.url, one.endpoint): one for one in (*begun, *kept_archives(home, session_id))}
    return tuple(places.values())


def note_dismissed(home: Home, session_id: str, finding: str, digest: str) -> None:
    """Record that the presenter dismissed a contradiction of an ended session."""
    _append(home, session_id, DISMISSED, {"finding": finding, "digest": digest, "at": utc_now()})


def dismissed_of(home: Home, session_id: str) -> frozenset[str]:
    """Return the digests of the contradictions that were dismissed after the session's end.

    Raises:
        HomeError: A line of the register is not one that we write; the message says which.
    """
    mend = "remove it, and dismiss the contradiction again"
    return frozenset(one["digest"] for one in _lines(home, session_id, DISMISSED, ("digest",), mend))


def _path(home: Home, session_id: str, name: str) -> Path:
    return home.records / session_id / name


def _append(home: Home, session_id: str, name: str, value: dict[str, Any]) -> None:
    path = _path(home, session_id, name)
    path.parent.mkdir(files.FOLDER_MODE, parents=True, exist_ok=True)
    line = json.dumps(value, ensure_ascii=False) + "\n"
    # One append of one line: two processes that note something at once lose neither.
    with alone(path) as fd:
        try:
            if not files.is_plain(os.fstat(fd)):
                raise HomeError(f"{path}: is no plain file: remove it, and do this again", file=path)
            os.write(fd, line.encode())
            os.fsync(fd)
        except OSError as error:
            error.filename = str(path)
            raise


def _lines(
    home: Home, session_id: str, name: str, keys: tuple[str, ...], mend: str
) -> Iterator[dict[str, str]]:
    """Yield the entries of the register *name*, each of which has at least these *keys*."""
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
            told = {key: str(one[key]) for key in (*keys, *one)}
        except (ValueError, KeyError, TypeError, RecursionError):
            raise HomeError(
                f"{path}, line {number}: this is no line of the register of {path.stem}: {mend}", file=path
            ) from None
        yield told


# ---------------------------------------------------------------------- at home
# A session beside what its home knows of it: its name, and the ledger heads that it was archived with.


def check_name(root: Path, session: str) -> None:
    """Raise SessionStateError if the session's folder in a home, *root*, is not named by the session's id."""
    if root.name != session:
        raise SessionStateError(
            f"{root}: holds the session {session}: give the folder that name, or move it out of {root.parent}"
        )


def verify_at_home(home: Home, root: Path, application: Application = PLAIN) -> Verification:
    """Verify a session in *home*, where its folder is named by its id, as `verify_session` does.

    Raises:
        HomeError: The register of its archives cannot be read; the message says which line.
    """
    found = verify_session(root, home_templates=home.templates, session=root.name, application=application)
    for head in archived_heads(home, root.name):
        if head != found.head:  # a session ends once, so it is archived with one head only
            rolled = Finding(LEDGER_NAME, "head", f"{head}, as it was archived", found.head)
            return replace(found, valid=False, findings=(*found.findings, rolled))
    return found


def against_register(home: Home, store: ArchiveStore, session: str, found: Verification) -> Verification:
    """Compare *found*, the verification of an archive, with the ledger heads that the register in *home* has
    for it.

    An archive that was exchanged for another one is reported as `replaced`, however valid the other one is.
    In the home's own archives this holds even if the home lay elsewhere when it archived. The same id at an
    address to which this home archived nothing may belong to another session, so that is only a note.

    Raises:
        HomeError: The register cannot be read; the message says which line.
    """
    if any(one.kind != "extra" for one in found.findings) or not found.ended:
        return found  # damage has a name already, and a head that it changed tells nothing more
    heads = replaced_heads(home, store, session, found.head)
    path = f"data/{session}/{LEDGER_NAME}"
    replaced = [Finding(path, "replaced", f"{head}, as it was archived", found.head) for head in heads]
    findings = (*found.findings, *replaced)
    elsewhere = dict.fromkeys(
        f"{home.root} archived a session of this name at {kept.archive}, with the ledger head {kept.head}: "
        "this is another one"
        for kept in kept_archives(home, session)
        if kept.head not in (None, found.head, *heads)
    )
    return replace(found, valid=not findings, findings=findings, notes=(*found.notes, *elsewhere))


def replaced_heads(home: Home, store: ArchiveStore, session: str, head: str) -> tuple[str, ...]:
    """Return the ledger heads, except *head*, with which *home* archived the session in *store*, oldest
    first.

    Raises:
        HomeError: The register cannot be read; the message says which line.
    """
    is_own = is_same_store(store, str(home.archives), "")
    others = [
        kept.head
        for kept in kept_archives(home, session)
        if kept.head not in (None, head) and (is_own or is_same_store(store, kept.url, kept.endpoint))
    ]
    return tuple(dict.fromkeys(one for one in others if one is not None))
