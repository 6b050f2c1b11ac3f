"""An archive as a folder: the bag and the session in it, verified against each other.

Only bags that Greenroom wrote are read. A bag of another program contains no session, and is refused with a
message of one line.

Source: DESIGN.md, section 10; trust.md, "One changed byte"; RFC 8493, sections 2 and 3.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Mapping, Sequence, Set
from dataclasses import replace
from pathlib import Path

from orchestrator.core.archive.bag import (
    COMMIT_MARK,
    DECLARATION_NAME,
    EXCHANGES,
    INFO_NAME,
    MANIFEST_NAME,
    SOFTWARE_AGENTS,
    TAG_NAMES,
    facts_of,
    payload_of,
    tag_files,
)
from orchestrator.core.archive.manifest import DECLARATION, TagFileError, read_info, read_manifest
from orchestrator.core.archive.register import against_register, verify_at_home
from orchestrator.core.archive.stores import FolderStore
from orchestrator.core.errors import ArchiveError
from orchestrator.core.home.folder import Home, home_of
from orchestrator.core.store import files
from orchestrator.core.store.application import PLAIN, Application
from orchestrator.core.store.store import LEDGER_NAME
from orchestrator.core.table import SESSION_ID
from orchestrator.core.verify import Verification, verify_session
from orchestrator.core.verify.disk import Name, digest_file, open_folder, read_file, walk
from orchestrator.core.verify.finding import Finding, Report, shown


def verify_path(path: Path, *, known: Home | None = None, application: Application = PLAIN) -> Verification:
    """Verify the session's folder, or the unpacked archive of a session, at *path*.

    In a home the folder's name must be the session's id; elsewhere it may have any name. Findings about an
    archive name files by their paths in the bag. An archive is also compared with the register of its home,
    or else of the home *known*.

    Raises:
        HomeError: As `verify_at_home`.
    """
    path = Path(os.path.abspath(path))
    home = home_of(path)
    if not (path / LEDGER_NAME).exists() and ((path / "data").is_dir() or (path / "bagit.txt").exists()):
        session = path.name if home is not None else None
        found = verify_unpacked(path, session=session, application=application)
        keeper = home or known
        return (
            found if keeper is None else against_register(keeper, FolderStore(path.parent), path.name, found)
        )
    return (
        verify_session(path, application=application)
        if home is None
        else verify_at_home(home, path, application)
    )


def verify_unpacked(
    bag: Path, *, session: str | None = None, application: Application = PLAIN
) -> Verification:
    """Verify that the folder *bag* is a complete and valid archive of one ended session.

    This checks more than BagIt asks: the bag contains nothing that the session does not account for, the tag
    files are those that this session gives, and the session itself is valid. If the only fault is a wrong tag
    file, only that file is named, and not the files that it describes wrongly.

    Args:
        session: The id that the session must have. If None, the bag's folder may have any name, and another
            name is noted.
    """
    report = Report()
    if _is_foreign(bag):
        report.add(
            "data",
            "bag",
            "a session that Greenroom archived",
            "none: check another program's bag with a BagIt tool",
        )
        return report.result(head="", seq=0, ended=False)
    inside = _session_of(bag, report)
    if session is not None and inside != session and not report.findings:
        report.add("data", "misplaced", session, inside)
    elif session is None and inside != bag.name:
        report.note(f"this is an archive of {inside}, in a folder of another name")
    root = bag / "data" / inside
    result = verify_session(root, session=inside, application=application)
    found: Sequence[Finding] = check_bag(bag)
    differing = None
    if not _is_of_another_version(bag, clean=not found):
        differing = _differing(bag, root, inside, application, report)
    if result.valid and result.ended and differing is not None and len(differing) == 1:
        # One tag file is wrong and the session is right: what it says of the payload is then its fault alone.
        found = [one for one in found if one.kind in ("not-plain", "unreadable")]
    elif found:
        differing = {}
    for finding in [*found, *(differing or {}).values()]:
        report.add(finding.path, finding.kind, finding.expected, finding.found)
    _check_names(bag, inside, report)
    if differing is None:
        owner = _told(bag).get("External-Identifier", inside)
        if owner != inside:
            report.add(INFO_NAME, "misplaced", inside, shown(owner[:64]))
        report.note("the bag was made by another version of Greenroom: its tag files were not made again")
    reported = {(finding.path, finding.kind) for finding in report.findings}
    for finding in result.findings:
        path = f"data/{inside}/{finding.path}"
        if (path, finding.kind) not in reported:
            report.add(path, finding.kind, finding.expected, finding.found)
    if not result.ended and not report.findings:
        report.add(f"data/{inside}/{LEDGER_NAME}", "freeze", "the record of the end", "none")
    report.notes.extend(result.notes)
    return report.result(head=result.head, seq=result.seq, ended=result.ended, table=result.table)


def check_bag(path: Path) -> tuple[Finding, ...]:
    """Return every fault of the bag at *path*: whatever its two manifests and its declaration do not account
    for.

    Only plain files are read; no link is followed and nothing is fetched. This never raises, whatever is at
    *path*.
    """
    report = Report()
    try:
        with open_folder(path) as fd:
            names = {name.path: name for name in walk(fd, report)}
            for name in names.values():
                if name.kind != "file":
                    report.add(name.path, "not-plain", "a file of its own", name.kind)
            payload = {name for name in names if name.startswith("data/")}
            _check_manifest(fd, MANIFEST_NAME, payload, names, report)
            _check_manifest(fd, COMMIT_MARK, set(TAG_NAMES) - {COMMIT_MARK}, names, report)
    except OSError as error:
        report.add(".", "unreadable", "a bag's folder", files.reason(error))
        return report.listed()
    if _read(path, DECLARATION_NAME) not in (None, DECLARATION):
        report.add(DECLARATION_NAME, "bag", "BagIt 1.0 in UTF-8, as Greenroom writes it", "another form")
    if not report.findings:
        found = f"{sum(names[name].size_bytes for name in payload)}.{len(payload)}"
        told = _told(path).get("Payload-Oxum", found)
        if told != found:
            report.add(INFO_NAME, "bag", f"Payload-Oxum: {found}", told)
    return report.listed()


def _check_manifest(fd: int, file: str, covered: Set[str], names: Mapping[str, Name], report: Report) -> None:
    """Compare the manifest *file* with the files that it must list, *covered*: no more, no fewer, equal
    digests."""
    if file not in names:
        report.add(file, "missing", "a manifest with SHA-256", "nothing")
    if file not in names or names[file].kind != "file":
        return
    try:
        listed = read_manifest(read_file(fd, file))
    except OSError as error:
        report.add(file, "unreadable", "a file", files.reason(error))
        return
    except TagFileError as error:
        report.add(file, "bag", "lines of SHA-256 and name, sorted", str(error))
        return
    for name in sorted(listed.keys() | covered):
        if name not in names:
            report.add(name, "missing", "a file of the bag", "nothing")
        elif name not in covered:
            report.add(file, "bag", "payload and tag files each in the manifest of its kind", name)
        elif name not in listed:
            report.add(name, "extra", f"no file that {file} does not list", "a file")
        elif names[name].kind == "file":
            try:
                found = digest_file(fd, name)
            except OSError as error:
                report.add(name, "unreadable", "a file", files.reason(error))
                continue
            if found != listed[name]:
                report.add(name, "changed", f"SHA-256 {listed[name]}, as {file} says", f"SHA-256 {found}")


def _is_foreign(bag: Path) -> bool:
    """Return whether neither a session nor its bag-info shows that Greenroom wrote this bag."""
    if any((bag / "data").glob(f"*/{LEDGER_NAME}")):
        return False
    return not _told(bag).get("Bag-Software-Agent", "").startswith("greenroom")


def _session_of(bag: Path, report: Report) -> str:
    """Return the id of the only session in the bag; "" and a finding if there is not exactly one."""
    try:
        ids = sorted(entry.name for entry in (bag / "data").iterdir())
    except OSError:
        ids = []
    fitting = [name for name in ids if SESSION_ID.fullmatch(name)]
    if len(ids) != 1 or not fitting:
        report.add("data", "bag", "the folder of one session", f"{len(ids)} names")
    return fitting[0] if fitting else "none"


def _is_of_another_version(bag: Path, *, clean: bool) -> bool:
    """Return whether a bag without other faults says that it was made by the rules of another version."""
    return clean and _told(bag).get("Bag-Software-Agent", SOFTWARE_AGENTS[-1]) not in SOFTWARE_AGENTS


def _told(bag: Path) -> dict[str, str]:
    """Return the values of the bag's bag-info file; an empty dict if it cannot be read."""
    try:
        return read_info(_read(bag, INFO_NAME) or b"")
    except TagFileError:
        return {}


def _differing(
    bag: Path, root: Path, session: str, application: Application, report: Report
) -> dict[str, Finding]:
    """Return a finding for each tag file that differs from the one that the session gives, by file name."""
    try:
        facts = facts_of(root, application)
        if facts.exchanges is None and re.fullmatch(r"\d{1,9}", told := _told(bag).get(EXCHANGES, "")):
            facts = replace(facts, exchanges=int(told))
            if facts.exchanges:
                report.note(
                    f"{INFO_NAME}: {EXCHANGES} ({told}) can be counted by the session's own program alone"
                )
        expected = tag_files(payload_of(root, session), facts)
    # What is wrong with the payload, such as a name that is not UTF-8, is found by other means.
    except (ArchiveError, OSError, UnicodeEncodeError):
        return {}
    differing: dict[str, Finding] = {}
    for name in TAG_NAMES:
        raw = _read(bag, name)
        if raw is None:
            differing[name] = Finding(name, "missing", f"SHA-256 {_sha256(expected[name])}", "nothing")
        elif raw != expected[name]:
            differing[name] = Finding(
                name, "changed", f"SHA-256 {_sha256(expected[name])}", f"SHA-256 {_sha256(raw)}"
            )
    return differing


def _check_names(bag: Path, session: str, report: Report) -> None:
    """Check that the bag contains only tag files and the session's own folder."""
    try:
        with open_folder(bag) as fd:
            names = [name.path for name in walk(fd, Report())]
    except OSError as error:
        report.add(".", "unreadable", "a bag's folder", files.reason(error))
        return
    for name in names:
        if name not in TAG_NAMES and not name.startswith(f"data/{session}/"):
            report.add(name, "extra", "tag files and one session", "a file")


def _read(bag: Path, name: str) -> bytes | None:
    try:
        with open_folder(bag) as fd:
            return read_file(fd, name)
    except OSError:
        return None


def _sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
