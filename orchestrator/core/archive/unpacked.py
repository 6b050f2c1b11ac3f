"""An archive as a folder: the bag and the session in it, checked against each other.

Source: DESIGN.md, section 10; trust.md, "One changed byte".
"""

from __future__ import annotations

import hashlib
import os
import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final

from orchestrator.core.archive.bag import (
    COMMIT_MARK,
    EXCHANGES,
    INFO_NAME,
    SOFTWARE_AGENTS,
    TAG_NAMES,
    facts_of,
    payload_of,
    tag_files,
)
from orchestrator.core.archive.manifest import (
    Declaration,
    Manifest,
    TagFileError,
    is_safe_name,
    lines_of,
    read_declaration,
    read_info,
    read_manifest,
    render_manifest,
)
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

# ---------------------------------------------------------------------- bagcheck
# Whether a folder is a BagIt bag that is complete and valid: every fault, not only the first.
#
# Reads only plain files, follows no link, fetches nothing. The `bagit` library is not used here: it stops
# at its first fault, follows links, waits for ever on a pipe, and judges four bags of the Library of
# Congress suite differently (tests/verify/test_bagit_suite.py names them).
#
# Source: RFC 8493, sections 2 and 3.


_MANIFEST: Final = re.compile(r"(tag)?manifest-([a-z0-9_]+)\.txt")
# The shakes have no length of their own, and so no digest that a manifest could hold.
_ALGORITHMS: Final = hashlib.algorithms_guaranteed - {"shake_128", "shake_256"}
_SYSTEM_FILES: Final = frozenset({".DS_Store", "Thumbs.db", "desktop.ini"})
"""Names that a desktop puts into folders and takes out again, as the suite's warning has them."""


_UNDECLARED: Final = Declaration((1, 0), "utf-8")
"""How a bag is read that does not say how."""


@dataclass(frozen=True, slots=True)
class BagCheck:
    """The faults that make the bag invalid, and those that are only worth a warning."""

    findings: tuple[Finding, ...]
    warnings: tuple[Finding, ...]


def check_bag(path: Path) -> BagCheck:
    """Findings and warnings for the folder at *path*. Never raises, whatever it holds."""
    bag = _Bag()
    try:
        with open_folder(path) as fd:
            bag.read(fd)
            if not (path / "data").is_dir() or (path / "data").is_symlink():
                bag.faults.add("data", "missing", "a folder for the payload", "none")
    except OSError as error:
        bag.faults.add(".", "missing", "a bag's folder", files.reason(error))
    return BagCheck(bag.faults.listed(), bag.oddities.listed())


@dataclass(slots=True)
class _Bag:
    """One bag while it is read."""

    faults: Report = field(default_factory=Report)
    oddities: Report = field(default_factory=Report)
    names: dict[str, Name] = field(default_factory=dict)
    declared: Declaration = _UNDECLARED
    fd: int = -1

    def read(self, fd: int) -> None:
        self.fd = fd
        self.names = {name.path: name for name in walk(fd, self.faults)}
        for name in self.names.values():
            if name.kind != "file":
                self.faults.add(name.path, "not-plain", "a file of its own", name.kind)
        raw = self._tag("bagit.txt")
        if raw is None:
            self.faults.add("bagit.txt", "missing", "the bag's declaration", "nothing")
        else:
            try:
                self.declared = read_declaration(raw)
            except TagFileError as error:
                self.faults.add("bagit.txt", "bag", "a declaration", str(error))
        payload, tags = self._manifests()
        tolerated = self._check_payload(payload)
        for file, (algorithm, manifest) in tags.items():
            self._check_digests(file, algorithm, manifest)
            for listed in manifest.digests:
                if listed not in self.names:
                    self.faults.add(listed, "missing", f"a file, as {file} lists it", "nothing")
        self._check_fetch(payload)
        self._check_oxum(tolerated)

    def _tag(self, name: str) -> bytes | None:
        """A tag file's bytes; None where there is no plain file."""
        if name not in self.names or self.names[name].kind != "file":
            return None
        try:
            return read_file(self.fd, name)
        except OSError as error:
            self.faults.add(name, "unreadable", "a file", files.reason(error))
            return None

    def _manifests(self) -> tuple[dict[str, tuple[str, Manifest]], dict[str, tuple[str, Manifest]]]:
        """Payload manifests and tag manifests, by file name, with their algorithms."""
        payload: dict[str, tuple[str, Manifest]] = {}
        tags: dict[str, tuple[str, Manifest]] = {}
        for file in self.names:
            match = _MANIFEST.fullmatch(file)
            raw = self._tag(file) if match else None
            if match is None or raw is None:
                continue
            if match[2] not in _ALGORITHMS:
                self.faults.add(file, "bag", "a digest that this release can compute", match[2])
                continue
            try:
                manifest = read_manifest(raw, self.declared)
            except TagFileError as error:
                self.faults.add(file, "bag", "a manifest", str(error))
                continue
            for fault in manifest.faults:
                self.faults.add(file, "bag", "lines of digest and name, each name once", fault)
            for oddity in manifest.oddities:
                self.oddities.add(file, "bag", "plain names, each once", oddity)
            (tags if match[1] else payload)[file] = (match[2], manifest)
        if not payload:
            self.faults.add("manifest-sha256.txt", "missing", "a manifest of the payload", "none")
        return payload, tags

    def _check_payload(self, manifests: Mapping[str, tuple[str, Manifest]]) -> int:
        """Compare the payload with its manifests; returns how many missing names are tolerated."""
        there = [name for name in self.names if name.startswith("data/")]
        listed: set[str] = set()
        tolerated: set[str] = set()
        for file, (algorithm, manifest) in manifests.items():
            listed |= manifest.digests.keys()
            self._check_digests(file, algorithm, manifest)
            for name in manifest.digests:
                if not name.startswith("data/"):
                    self.faults.add(file, "bag", "names below data/", name)
                elif name not in self.names and self._is_tolerated(name, manifest):
                    tolerated.add(name)
                    self.oddities.add(
                        name, "missing", f"a file, as {file} lists it", "one that some systems hide"
                    )
                elif name not in self.names:
                    self.faults.add(name, "missing", f"a file, as {file} lists it", "nothing")
            if self.declared.version >= (1, 0):  # each manifest lists every file
                for name in there:
                    if name not in manifest.digests:
                        self.faults.add(name, "extra", f"no file that {file} does not list", "a file")
        for name in there:
            if name not in listed and self.declared.version < (1, 0):  # before 1.0 it is enough that one does
                self.faults.add(name, "extra", "no file that no manifest lists", "a file")
        return len(tolerated)

    def _is_tolerated(self, name: str, manifest: Manifest) -> bool:
        """Whether a missing file is one that systems drop, or stands here with the same content under
        a name that differs only in case or in the form of its accents."""
        if name.rpartition("/")[2] in _SYSTEM_FILES:
            return True
        folded = _folded(name)
        return any(
            other != name
            and other in self.names
            and _folded(other) == folded
            and digest == manifest.digests[name]
            for other, digest in manifest.digests.items()
        )

    def _check_digests(self, file: str, algorithm: str, manifest: Manifest) -> None:
        for name, expected in manifest.digests.items():
            there = self.names.get(name)
            if there is None or there.kind != "file":
                continue
            try:
                found = digest_file(self.fd, name, algorithm)
            except OSError as error:
                self.faults.add(name, "unreadable", "a file", files.reason(error))
                continue
            if found != expected:
                self.faults.add(
                    name, "changed", f"{algorithm} {expected}, as {file} says", f"{algorithm} {found}"
                )

    def _check_fetch(self, manifests: Mapping[str, tuple[str, Manifest]]) -> None:
        raw = self._tag("fetch.txt")
        if raw is None:
            return
        try:
            lines = lines_of(raw, self.declared.encoding)
        except TagFileError as error:
            self.faults.add("fetch.txt", "bag", "a list of what to fetch", str(error))
            return
        for line in lines:
            _, _, rest = line.strip().partition(" ")
            name = rest.strip().partition(" ")[2].strip()
            if not is_safe_name(name) or not name.startswith("data/"):
                self.faults.add("fetch.txt", "bag", "names below data/", name)
            elif not any(name in manifest.digests for _, manifest in manifests.values()):
                self.faults.add("fetch.txt", "bag", "names that a manifest lists", name)

    def _check_oxum(self, tolerated: int) -> None:
        """Compare count and bytes of the payload with what bag-info says, if it says any."""
        raw = self._tag("bag-info.txt")
        if raw is None:
            return
        try:
            values = [
                value for label, value in read_info(raw, self.declared.encoding) if label == "Payload-Oxum"
            ]
        except TagFileError as error:
            self.faults.add("bag-info.txt", "bag", "labels and values", str(error))
            return
        payload = [name for name in self.names.values() if name.path.startswith("data/")]
        found = f"{sum(name.size_bytes for name in payload)}.{len(payload)}"
        if values and values[0] != found:
            # The sum was made when the dropped file was there.
            where = self.oddities if tolerated else self.faults
            where.add("bag-info.txt", "bag", f"Payload-Oxum: {values[0]}", found)


def _folded(name: str) -> str:
    return unicodedata.normalize("NFC", name).casefold()


# ---------------------------------------------------------------------- unpacked


def verify_path(path: Path, *, known: Home | None = None, application: Application = PLAIN) -> Verification:
    """Verify what lies at *path*: a session's folder, or an unpacked archive of one.

    In a home it must be the session that it is named for; elsewhere a folder may have any name. An
    archive's findings name files as they lie in the bag; it is held against what its home, or else the home
    *known*, archived here.

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
    """Whether the folder *bag* is a complete and valid archive of one ended session.

    Beyond what BagIt asks: nothing stands in it that the session does not account for, the tag
    files are those that this session gives, and the session itself is verified. Where all is
    right but one tag file, that file is named and not those that it tells wrong things of.

    Args:
        session: The id that it must be of; None: its folder may have any name, which is noted.
        application: As at `verify_session`.
    """
    report = Report()
    inside = _session_of(bag, report)
    if session is not None and inside != session and not report.findings:
        report.add("data", "misplaced", session, inside)
    elif session is None and inside != bag.name:
        report.note(f"this is an archive of {inside}, in a folder of another name")
    root = bag / "data" / inside
    result = verify_session(root, session=inside, application=application)
    check = check_bag(bag)
    found = [*check.findings, *check.warnings]
    differing = (
        None
        if _is_of_another_version(bag, clean=not found)
        else _differing(bag, root, inside, application, report)
    )
    if result.valid and result.ended and differing is not None and len(differing) == 1:
        # One tag file is wrong and the session is right: what it says of the payload is then its fault alone.
        found = [one for one in found if one.kind in ("not-plain", "unreadable")]
    elif found:
        differing = {}
    for finding in [*found, *(differing or {}).values()]:
        report.add(finding.path, finding.kind, finding.expected, finding.found)
    _check_names(bag, inside, report)
    if differing is None:
        _check_canonical(bag, report)
        told = _told(bag).get("External-Identifier", inside)
        if told != inside:
            report.add(INFO_NAME, "misplaced", inside, shown(told[:64]))
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


def _session_of(bag: Path, report: Report) -> str:
    """The id of the one session in the bag."""
    try:
        ids = sorted(entry.name for entry in (bag / "data").iterdir())
    except OSError:
        ids = []
    fitting = [name for name in ids if SESSION_ID.fullmatch(name)]
    if len(ids) != 1 or not fitting:
        report.add("data", "bag", "the folder of one session", f"{len(ids)} names")
    return fitting[0] if fitting else "none"


def _is_of_another_version(bag: Path, *, clean: bool) -> bool:
    """Whether a bag without a fault says that other rules made it."""
    return clean and _told(bag).get("Bag-Software-Agent", SOFTWARE_AGENTS[-1]) not in SOFTWARE_AGENTS


def _told(bag: Path) -> dict[str, str]:
    """What the bag's info says; nothing where it cannot be read."""
    try:
        return dict(read_info(_read(bag, INFO_NAME) or b"", "utf-8"))
    except TagFileError:
        return {}


def _differing(
    bag: Path, root: Path, session: str, application: Application, report: Report
) -> dict[str, Finding]:
    """The tag files that are not those that the session gives, by name."""
    try:
        facts = facts_of(root, application)
        if facts.exchanges is None and re.fullmatch(r"\d{1,9}", told := _told(bag).get(EXCHANGES, "")):
            facts = replace(facts, exchanges=int(told))
            if facts.exchanges:
                report.note(
                    f"{INFO_NAME}: {EXCHANGES} ({told}) can be counted by the session's own program alone"
                )
        expected = tag_files(payload_of(root, session), facts)
    except (ArchiveError, OSError):  # what is wrong with the payload is found by other means
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
    """Nothing but tag files and the session's own folder."""
    try:
        with open_folder(bag) as fd:
            names = [name.path for name in walk(fd, Report())]
    except OSError as error:
        report.add(".", "unreadable", "a bag's folder", files.reason(error))
        return
    for name in names:
        if name not in TAG_NAMES and not name.startswith(f"data/{session}/"):
            report.add(name, "extra", "tag files and one session", "a file")


def _check_canonical(bag: Path, report: Report) -> None:
    """The tag manifest covers all but itself: so it is held to its exact form."""
    raw = _read(bag, COMMIT_MARK)
    if raw is None:
        report.add(COMMIT_MARK, "missing", "the mark of a complete archive", "nothing")
        return
    try:
        manifest = read_manifest(raw, Declaration((1, 0), "utf-8"))
    except TagFileError as error:
        report.add(COMMIT_MARK, "bag", "a tag manifest", str(error))
        return
    if render_manifest(manifest.digests) != raw:
        report.add(COMMIT_MARK, "changed", "lines of digest and name, sorted", "others")


def _read(bag: Path, name: str) -> bytes | None:
    try:
        with open_folder(bag) as fd:
            return read_file(fd, name)
    except OSError:
        return None


def _sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
