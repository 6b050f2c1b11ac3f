"""Restore, verify and list archives, and fetch the copy that read-only commands work on.

Source: DESIGN.md, section 10; interfaces.md, `restore`, `verify`, `list --archive`.
"""

from __future__ import annotations

import errno
import hashlib
import os
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from orchestrator.core.archive.bag import (
    COMMIT_MARK,
    DECLARATION_NAME,
    INFO_NAME,
    MANIFEST_NAME,
    TAG_NAMES,
)
from orchestrator.core.archive.freeze import seal, sync
from orchestrator.core.archive.manifest import (
    TagFileError,
    is_desktop_file,
    is_safe_name,
    read_info,
    read_manifest,
)
from orchestrator.core.archive.places import check_takes_sessions
from orchestrator.core.archive.register import against_register
from orchestrator.core.archive.stores import ArchiveStore, open_store, side_by_side
from orchestrator.core.archive.unpacked import verify_unpacked
from orchestrator.core.errors import (
    ArchiveError,
    ArchiveMissingError,
    ArchiveUnavailableError,
    SessionExistsError,
)
from orchestrator.core.home.folder import Home
from orchestrator.core.legible import ADDRESS_FORMS, text_argument
from orchestrator.core.store import files
from orchestrator.core.store.application import PLAIN, Application
from orchestrator.core.store.files import made_aside
from orchestrator.core.table import SESSION_ID, check_session_id
from orchestrator.core.verify import Verification
from orchestrator.core.verify.disk import open_folder
from orchestrator.core.verify.finding import Report, shown

_MARKED: Final = (MANIFEST_NAME, DECLARATION_NAME, INFO_NAME)
"""The tag files whose digests the commit mark lists."""
_NO_NAME: Final = frozenset(
    {errno.ENAMETOOLONG, errno.ENOTDIR, errno.EISDIR, errno.EEXIST, errno.EILSEQ, errno.EINVAL}
)
"""Error codes for a name that this file system cannot hold: too long, invalid bytes, or a file where the
name needs a folder."""


@dataclass(frozen=True, slots=True)
class ArchivedSession:
    """One row of a list of archives, as the archive's bag-info describes it; "" where the bag-info says
    nothing."""

    session: str
    state: str
    deck: str
    date: str
    presenter: str
    exchanges: int
    archive: str
    head: str = ""  # of its ledger
    title: str = ""  # of a session that has no deck
    crew: str = ""  # "": a board panel's session


def restore(
    session: str,
    url: str,
    into: str | Path,
    *,
    endpoint_url: str | None = None,
    known: Home | None = None,
    say: Callable[[str], None] = lambda line: None,
    application: Application = PLAIN,
) -> Path:
    """Restore the session's folder at *into*/*session*, read-only, and return that path.

    `Home.session` opens it by the path; so does `Session.open(None, path)` without a home.

    The folder appears there whole or not at all, and only after the bag and the session were verified.

    Args:
        known: A home with whose register the archive is compared, as `against_register` does.
        application: As at `verify_session`.
        say: Called with a line for each file beside the archive that is skipped.

    Raises:
        UsageError: *url* is not an archive address, or *session* not a session id.
        SessionExistsError: Something already exists at *into*/*session*.
        SessionStateError: *into* is, or lies in, a session, an archive, or a part of a home that does not
            take sessions.
        ArchiveUnavailableError: The archive cannot be read now.
        ArchiveError: There is no such archive, or it has a fault; the message names the first finding.
    """
    into = Path(into)
    check_takes_sessions(into)

    def finish(folder: Path) -> None:
        # Before it gets its name: neither a kill nor a power cut leaves a part of it there.
        sync(folder)
        seal(folder)
        folder.chmod(folder.stat().st_mode | 0o200)  # a folder that nobody may write cannot be moved

    path = _fetch(
        session, url, into, finish, endpoint_url=endpoint_url, known=known, say=say, application=application
    )
    try:
        seal(path)
        with open_folder(into) as fd:
            files.sync_folder(fd)
    except OSError as error:
        raise ArchiveError(f"{path}: {files.reason(error)}") from error
    return path


def fetch(
    session: str,
    url: str,
    into: Path,
    *,
    endpoint_url: str | None = None,
    known: Home | None = None,
    application: Application = PLAIN,
) -> Path:
    """Fetch a session as `restore` does, with the usual file modes, into a folder that is removed soon after.

    Raises:
        UsageError, SessionExistsError, ArchiveError: As `restore`.
    """
    return _fetch(
        session,
        url,
        into,
        lambda folder: None,
        endpoint_url=endpoint_url,
        known=known,
        application=application,
    )


def _fetch(
    session: str,
    url: str,
    into: Path,
    finish: Callable[[Path], None],
    *,
    endpoint_url: str | None,
    known: Home | None,
    say: Callable[[str], None] = lambda line: None,
    application: Application,
) -> Path:
    """Download and verify the session, call *finish* on its folder, and move the folder to
    *into*/*session*."""
    store = open_store(text_argument("url", url, do=ADDRESS_FORMS), endpoint_url=endpoint_url)
    target = into / check_session_id(text_argument("session", session, do="a session's id"))
    try:
        with _made(into), made_aside(into, f".restore-{session}-") as bag:
            _check_free(target)
            came = _download(store, session, bag)
            findings = came.report.findings
            if not findings:
                found = verify_unpacked(bag, session=session, application=application)
                if known is not None:
                    found = against_register(known, store, session, found)
                findings = list(found.findings)
            if findings:
                first = findings[0]
                raise ArchiveError(
                    f"{store.url}/{session}: nothing was restored, since {first.path} is {first.kind} "
                    f"(found {first.found}): run `greenroom verify` on the archive"
                )
            for name in came.passed_over:
                say(f"{store.url}/{session}/{shown(name)}: extra: a desktop's file, which is passed over")
            finish(bag / "data" / session)
            os.rename(bag / "data" / session, target)
    except OSError as error:
        _check_free(target)  # somebody else has just put one there
        raise ArchiveUnavailableError(
            f"{target}: {files.told(error)}; nothing was restored: make room or check the rights, then try "
            "again"
        ) from error
    return target


def verify_archive(
    url: str,
    session: str,
    *,
    endpoint_url: str | None = None,
    known: Home | None = None,
    application: Application = PLAIN,
) -> Verification:
    """Verify that the archive of *session* is complete and correct, by reading every object now.

    Findings name each object by its path below the session's id.

    Args:
        known: A home with whose register the archive is compared, as `against_register` does.

    Raises:
        UsageError: *url* is not an archive address, or *session* is not a session id.
        ArchiveUnavailableError: The archive cannot be read or checked now, which says nothing about its
            state.
        ArchiveError: The store contains nothing of this session.
    """
    store = open_store(text_argument("url", url, do=ADDRESS_FORMS), endpoint_url=endpoint_url)
    text_argument("session", session, do="a session's id")
    try:
        with tempfile.TemporaryDirectory(prefix="greenroom-") as folder:
            result = _verified(store, check_session_id(session), Path(folder), application)
    except OSError as error:
        raise ArchiveUnavailableError(
            f"{store.url}/{session}: cannot be verified now: {tempfile.gettempdir()}: {files.reason(error)}: "
            "make room there, or set TMPDIR to a folder that takes a copy of the archive"
        ) from error
    return result if known is None else against_register(known, store, session, result)


def _verified(store: ArchiveStore, session: str, folder: Path, application: Application) -> Verification:
    """Verify the archive that the store contains now, by downloading it into the empty *folder*."""
    came = _download(store, session, folder)
    report = came.report
    for name in came.passed_over:
        report.add(name, "extra", "nothing of this name; `restore` passes it over", "a desktop's file")
    result = verify_unpacked(folder, session=session, application=application)
    # What could not be fetched is missing in the folder as well, and is said once.
    told = {finding.path for finding in report.findings}
    for finding in result.findings:
        if finding.path not in told:
            report.add(finding.path, finding.kind, finding.expected, finding.found)
    report.notes.extend(result.notes)
    return report.result(head=result.head, seq=result.seq, ended=result.ended, table=result.table)


def list_archives(
    url: str,
    *,
    endpoint_url: str | None = None,
    say: Callable[[str, str], object] = lambda session, why: None,
) -> tuple[ArchivedSession, ...]:
    """Return every archive at *url*, by session id. A bag without its commit mark is left out.

    The state of an archive with wrong tag files is `damaged`; of one that cannot be read now, `unreadable`.

    Args:
        say: Called with the session and the reason for each damaged or unreadable archive.

    Raises:
        UsageError: *url* is not an archive address.
        ArchiveUnavailableError: The store cannot be read now.
    """
    store = open_store(url, endpoint_url=endpoint_url)
    ids = [
        session
        for session, _, name in (name.partition("/") for name in store.list())
        if name == COMMIT_MARK and SESSION_ID.fullmatch(session)
    ]
    found = side_by_side(lambda session: _summary(store, session), ids)
    for one, why in found:  # in order, whichever answered first
        if why:
            say(one.session, why)
    return tuple(one for one, _ in found)


def _summary(store: ArchiveStore, session: str) -> tuple[ArchivedSession, str]:
    """Return the archive's row of the list, and why it is damaged or cannot be read now ("" if it is
    neither)."""
    told: dict[str, str] = {}
    state, why = "ended", ""
    try:
        told = read_info(_checked_info(store, session))
        state = told.get("Greenroom-State", "ended")
        if (owner := told.get("External-Identifier", session)) != session:
            state, why = "damaged", f"is an archive of {shown(owner[:64])}"
    except ArchiveUnavailableError as error:
        state, why = "unreadable", str(error)
    except (ArchiveError, TagFileError) as error:  # the list goes on
        state, why = "damaged", f"{error}: run `greenroom verify {store.url}/{session}`"
    count = told.get("Greenroom-Exchanges", "")
    row = ArchivedSession(
        session=session,
        state=state,
        deck=told.get("Greenroom-Deck-Title") or told.get("Greenroom-Deck", ""),
        date=told.get("Greenroom-Date", ""),
        presenter=told.get("Greenroom-Presenter", ""),
        # The label comes from a store that anybody may have written to: `int` alone takes other scripts'
        # digits, and a million of them.
        exchanges=int(count) if count.isascii() and count.isdigit() and len(count) < 10 else 0,
        archive=f"{store.url}/{session}",
        head=told.get("Greenroom-Ledger-Head", ""),
        title=told.get("Greenroom-Title", ""),
        crew=told.get("Greenroom-Crew", ""),
    )
    return row, why


def is_commit_mark(mark: bytes) -> bool:
    """Return whether *mark* is a bag's tag manifest in its exact form.

    Whether the files match it, `verify` checks.
    """
    try:
        return read_manifest(mark).keys() >= set(_MARKED)
    except TagFileError:
        return False


def _checked_info(store: ArchiveStore, session: str) -> bytes:
    """Return an archive's bag-info, after checking its commit mark and all tag files against it.

    Raises:
        ArchiveUnavailableError: The commit mark or a tag file cannot be read now.
        ArchiveError: The commit mark or a tag file is missing.
        TagFileError: The commit mark is damaged, or a tag file differs from it; the message names it.
    """
    mark = store.get(f"{session}/{COMMIT_MARK}")
    if not is_commit_mark(mark):
        raise TagFileError(f"its commit mark, {COMMIT_MARK}, is damaged")
    listed = read_manifest(mark)
    tags = {name: store.get(f"{session}/{name}") for name in _MARKED}
    for name, content in tags.items():
        if hashlib.sha256(content).hexdigest() != listed[name]:
            raise TagFileError(f"{name} is not what its commit mark, {COMMIT_MARK}, says")
    return tags[INFO_NAME]


@contextmanager
def _made(folder: Path) -> Iterator[None]:
    """Create *folder* with its parents, and remove those that were created here if the block raises."""
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
    """Check that *target* does not exist or is an empty folder.

    Raises:
        SessionExistsError: Something else is at *target*.
    """
    if os.path.lexists(target) and (target.is_symlink() or not target.is_dir() or any(target.iterdir())):
        raise SessionExistsError(
            f"{target}: is there already, and nothing is overwritten: choose another folder"
        )


@dataclass(frozen=True, slots=True)
class _Download:
    """The outcome of a download: faults of the archive's objects, and names that are not part of an
    archive."""

    report: Report
    passed_over: tuple[str, ...]


def _download(store: ArchiveStore, session: str, to: Path) -> _Download:
    """Write an archive's objects into the folder *to*.

    An object that does not belong to an archive is only reported.

    Raises:
        ArchiveUnavailableError: The store, or one of the objects, cannot be read now.
        ArchiveError: The store contains nothing of this session.
        OSError: The disk of *to* takes no more bytes.
    """
    report = Report()
    prefix = f"{session}/"
    names = [name.removeprefix(prefix) for name in store.list(prefix)]
    if not names:
        raise ArchiveMissingError(
            f"{store.url}: there is no archive of {session}: see `greenroom list --archive`"
        )
    if COMMIT_MARK not in names:
        report.add(COMMIT_MARK, "missing", "the mark of a complete archive", "nothing")
    passed_over = desktop_files(store, session, names)
    wanted = []
    for name in names:
        if _has_place(name, session) and name not in passed_over:
            wanted.append(name)
        elif name not in passed_over:
            report.add(name, "extra", "tag files and one session", "an object")
    for finding in side_by_side(lambda name: _write(store, prefix, name, to), wanted):
        if finding is not None:
            report.add(*finding)
    return _Download(report, passed_over)


def desktop_files(store: ArchiveStore, session: str, names: Sequence[str]) -> tuple[str, ...]:
    """Return the *names*, relative to the session's id, that a desktop left and that the manifest does not
    list.

    Raises:
        ArchiveUnavailableError: The manifest cannot be read now.
    """
    found = tuple(name for name in names if is_desktop_file(name) and is_safe_name(name))
    if not any(name.startswith("data/") for name in found):
        return found
    try:
        listed = read_manifest(store.get(f"{session}/{MANIFEST_NAME}"))
    except ArchiveUnavailableError:
        raise
    except (ArchiveError, TagFileError):  # damaged: what belongs to the payload is not known
        return tuple(name for name in found if not name.startswith("data/"))
    return tuple(name for name in found if name not in listed)


def _has_place(name: str, session: str) -> bool:
    """Return whether *name* belongs to a session's bag and stays within the folder to which it is written."""
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
    """Write one object to a file; return a finding if that is impossible, or None on success.

    Raises:
        ArchiveUnavailableError: The object cannot be read now.
        OSError: The disk does not take the bytes, which says nothing about the object.
    """
    try:
        content = store.get(prefix + name)
        path = to / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    except ArchiveUnavailableError:
        raise
    except ArchiveError as error:
        return name, "unreadable", "an object", str(error).rpartition(": ")[2]
    except ValueError as error:
        return name, "unreadable", "a name that a file can have", type(error).__name__
    except OSError as error:
        if error.errno not in _NO_NAME:
            raise
        return name, "unreadable", "a name that a file can have", type(error).__name__
    return None
