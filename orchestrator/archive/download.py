"""From an archive: restore, verify, list, and the copy that read-only commands work on.

Source: DESIGN.md, section 10; interfaces.md, `restore`, `verify`, `list --archive`.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from orchestrator.archive.bag import COMMIT_MARK, INFO_NAME, TAG_NAMES
from orchestrator.archive.freeze import seal, sync
from orchestrator.archive.manifest import TagFileError, is_safe_name, read_info
from orchestrator.archive.stores import ArchiveStore, open_store
from orchestrator.archive.streams import side_by_side
from orchestrator.archive.unpacked import verify_unpacked
from orchestrator.errors import ArchiveError, SessionExistsError
from orchestrator.layout import SESSION_ID, check_session_id
from orchestrator.store import files
from orchestrator.store.aside import made_aside
from orchestrator.verify import Verification
from orchestrator.verify.disk import open_folder
from orchestrator.verify.finding import Report


@dataclass(frozen=True, slots=True)
class ArchivedSession:
    """One archive of a list, as its bag-info tells it. "" where it says nothing."""

    session: str
    state: str
    deck: str
    date: str
    presenter: str
    exchanges: int
    archive: str


def restore(session: str, url: str, into: Path, *, endpoint_url: str | None = None) -> Path:
    """Put the session's folder as it was at *into*/*session*, read-only; returns that path.

    It appears there whole or not at all, and only after the bag and the session were verified.

    Raises:
        UsageError: *url* is no archive address, or *session* no session id.
        SessionExistsError: Something stands there already.
        ArchiveError: There is no such archive, or it is not right; names the first finding.
    """

    def finish(folder: Path) -> None:
        # Before it gets its name: neither a kill nor a power cut leaves a part of it there.
        sync(folder)
        seal(folder)
        folder.chmod(folder.stat().st_mode | 0o200)  # a folder that nobody may write cannot be moved

    path = _fetch(session, url, into, finish, endpoint_url=endpoint_url)
    try:
        seal(path)
        with open_folder(into) as fd:
            files.sync_folder(fd)
    except OSError as error:
        raise ArchiveError(f"{path}: {files.reason(error)}") from error
    return path


def fetch(session: str, url: str, into: Path, *, endpoint_url: str | None = None) -> Path:
    """As `restore`, for reading from a folder that is soon removed: modes stay as usual.

    Raises:
        UsageError, SessionExistsError, ArchiveError: As `restore`.
    """
    return _fetch(session, url, into, lambda folder: None, endpoint_url=endpoint_url)


def _fetch(
    session: str, url: str, into: Path, finish: Callable[[Path], None], *, endpoint_url: str | None
) -> Path:
    """Put the session at its place once it is right and *finish* is done with it."""
    store = open_store(url, endpoint_url=endpoint_url)
    target = into / check_session_id(session)
    try:
        with _made(into), made_aside(into, f".restore-{session}-") as bag:
            _check_free(target)
            report = _download(store, session, bag)
            findings = report.findings or list(verify_unpacked(bag, session=session).findings)
            if findings:
                first = findings[0]
                raise ArchiveError(
                    f"{store.url}/{session}: nothing was restored, since {first.path} is {first.kind} "
                    f"(found {first.found}): run `greenroom verify` on the archive"
                )
            finish(bag / "data" / session)
            os.rename(bag / "data" / session, target)
    except OSError as error:
        _check_free(target)  # somebody else has just put one there
        raise ArchiveError(
            f"{target}: {files.told(error)}; nothing was restored: make room or check the rights, then try "
            "again"
        ) from error
    return target


def verify_archive(url: str, session: str, *, endpoint_url: str | None = None) -> Verification:
    """Whether the archive of *session* is complete and right: every object is read.

    Findings name objects as they lie below the session's id.

    Raises:
        UsageError: *url* is no archive address, or *session* no session id.
        ArchiveError: There is nothing of this session, or the store cannot be read at all.
    """
    store = open_store(url, endpoint_url=endpoint_url)
    with tempfile.TemporaryDirectory(prefix="greenroom-") as folder:
        report = _download(store, check_session_id(session), Path(folder))
        result = verify_unpacked(Path(folder), session=session)
        # What could not be fetched is missing in the folder as well, and is said once.
        told = {finding.path for finding in report.findings}
        for finding in result.findings:
            if finding.path not in told:
                report.add(finding.path, finding.kind, finding.expected, finding.found)
        report.notes.extend(result.notes)
        return report.result(head=result.head, seq=result.seq, ended=result.ended)


def list_archives(url: str, *, endpoint_url: str | None = None) -> tuple[ArchivedSession, ...]:
    """Every archive at *url*, by session id. A bag without its commit mark is none.

    Raises:
        UsageError: *url* is no archive address.
        ArchiveError: The store cannot be read.
    """
    store = open_store(url, endpoint_url=endpoint_url)
    ids = [
        session
        for session, _, name in (name.partition("/") for name in store.list())
        if name == COMMIT_MARK and SESSION_ID.fullmatch(session)
    ]
    return tuple(side_by_side(lambda session: _summary(store, session), ids))


def _summary(store: ArchiveStore, session: str) -> ArchivedSession:
    try:
        told = dict(read_info(store.get(f"{session}/{INFO_NAME}"), "utf-8"))
    except (ArchiveError, TagFileError):  # `verify` names it; the list goes on
        told = {}
    count = told.get("Greenroom-Exchanges", "")
    is_other = told.get("External-Identifier", session) != session
    return ArchivedSession(
        session=session,
        state="damaged" if is_other else told.get("Greenroom-State", "ended"),
        deck=told.get("Greenroom-Deck-Title") or told.get("Greenroom-Deck", ""),
        date=told.get("Greenroom-Date", ""),
        presenter=told.get("Greenroom-Presenter", ""),
        # The label comes from a store that anybody may have written to: `int` alone takes other scripts'
        # digits, and a million of them.
        exchanges=int(count) if count.isascii() and count.isdigit() and len(count) < 10 else 0,
        archive=f"{store.url}/{session}",
    )


@contextmanager
def _made(folder: Path) -> Iterator[None]:
    """*folder*, which goes away again, with those above it that were made for it, if nothing comes of it."""
    made = [one for one in (folder, *folder.parents) if not os.path.lexists(one)]
    folder.mkdir(parents=True, exist_ok=True)
    try:
        yield
    except BaseException:
        with suppress(OSError):  # one that is not empty is somebody else's by now
            for one in made:
                one.rmdir()
        raise


def _check_free(target: Path) -> None:
    """Nothing stands at *target* but, at most, an empty folder.

    Raises:
        SessionExistsError: Something does.
    """
    if os.path.lexists(target) and (target.is_symlink() or not target.is_dir() or any(target.iterdir())):
        raise SessionExistsError(
            f"{target}: is there already, and nothing is overwritten: choose another folder"
        )


def _download(store: ArchiveStore, session: str, to: Path) -> Report:
    """Write an archive's objects into the folder *to*; what has no place there is only reported.

    Raises:
        ArchiveError: There is nothing of this session, or the store cannot be read.
    """
    report = Report()
    prefix = f"{session}/"
    names = [name.removeprefix(prefix) for name in store.list(prefix)]
    if not names:
        raise ArchiveError(f"{store.url}: there is no archive of {session}: see `greenroom list --archive`")
    if COMMIT_MARK not in names:
        report.add(COMMIT_MARK, "missing", "the mark of a complete archive", "nothing")
    wanted = []
    for name in names:
        if _has_place(name, session):
            wanted.append(name)
        else:
            report.add(name, "extra", "tag files and one session", "an object")
    for finding in side_by_side(lambda name: _write(store, prefix, name, to), wanted):
        if finding is not None:
            report.add(*finding)
    return report


def _has_place(name: str, session: str) -> bool:
    """Whether this is a name in a session's bag, and stays in the folder that it is written to."""
    if name in TAG_NAMES:
        return True
    parts = name.split("/")
    return (
        is_safe_name(name)
        and parts[:2] == ["data", session]
        and len(parts) > 2
        and all(part not in ("", ".", "..") for part in parts)
    )


def _write(store: ArchiveStore, prefix: str, name: str, to: Path) -> tuple[str, str, str, str] | None:
    """One object as a file; a finding where that cannot be."""
    try:
        content = store.get(prefix + name)
        path = to / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    except ArchiveError as error:
        return name, "unreadable", "an object", str(error).rpartition(": ")[2]
    except (OSError, ValueError) as error:  # too long a name, a file where a folder must be
        return name, "unreadable", "a name that a file can have", type(error).__name__
    return None
