"""Whether a folder is a BagIt bag that is complete and valid: every fault, not only the first.

Reads only plain files, follows no link, fetches nothing. The `bagit` library is not used here:
it stops at its first fault, follows links, waits for ever on a pipe, and judges four bags of the
Library of Congress suite differently (tests/verify/test_bagit_suite.py names them).

Source: RFC 8493, sections 2 and 3.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from orchestrator.core.archive.manifest import (
    Declaration,
    Manifest,
    TagFileError,
    is_safe_name,
    lines_of,
    read_declaration,
    read_info,
    read_manifest,
)
from orchestrator.core.store import files
from orchestrator.core.verify.disk import (
    Name,
    digest_file,
    open_folder,
    read_file,
    walk,
)
from orchestrator.core.verify.finding import Finding, Report

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
