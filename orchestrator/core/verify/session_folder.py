"""The comparison of a session's folder with its ledger: files that are missing, changed, behind or extra."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from orchestrator.core.errors import LedgerCorruptError
from orchestrator.core.store import files, ledger
from orchestrator.core.store.application import Ending, Opening
from orchestrator.core.store.materialised import is_remainder
from orchestrator.core.store.store import DEGRADED_NAME, DRIVER_LOCK, LEDGER_NAME
from orchestrator.core.table import Mutability
from orchestrator.core.verify.account import Account
from orchestrator.core.verify.disk import (
    Name,
    digest_file,
    read_file,
    walk,
)
from orchestrator.core.verify.finding import Report, facts, shown
from orchestrator.core.verify.replay import History
from orchestrator.core.verify.shape import is_sha256

_DERIVED: Final = re.compile(
    r"debrief\.(md|json)|trace/session\.json|facts/[^/]+\.json"
    r"|ledger/(rejected|torn)/.+|" + re.escape(DEGRADED_NAME) + "|" + re.escape(DRIVER_LOCK),
    re.DOTALL,
)
"""Names that may be in the folder of a session that has not ended, besides its files: files derived from
the ledger, quarantined files, locks. Source: DESIGN.md, section 2."""
_SOURCE: Final = re.compile(r"source/[^/]+")
LEFTOVER: Final = re.compile(r"(?:[^/]+/)*\.[^/]+\.\d+\.tmp")
"""The name of a replacement's temporary file, left if a crash cut the replacement short; nobody reads it."""


@dataclass(slots=True)
class Folder:
    """One comparison of a folder with its ledger. `root_fd` is the session's open folder."""

    root_fd: int
    account: Account
    report: Report
    _names: dict[str, Name] = field(default_factory=dict)

    @property
    def ended(self) -> bool:
        return self.account.frozen is not None

    def compare(self) -> None:
        """Compare every file that should exist, then report every name that should not."""
        self._names = {name.path: name for name in walk(self.root_fd, self.report)}
        accounted = {LEDGER_NAME}
        histories = self.account.replay.files if self.account.replay is not None else {}
        for path, history in histories.items():
            if history.states:
                accounted.add(path)
                self._check_view(path, history)
        for path, sha256 in self.account.templates.items():
            accounted.add(f"ledger/{path}")
            self._check_digest(f"ledger/{path}", sha256)
        self._check_template_sizes()
        accounted |= self._check_source()
        if self.account.frozen is not None:
            accounted |= self._check_frozen(self.account.frozen, histories, accounted)
        for path, name in self._names.items():
            if path not in accounted:
                self._check_extra(path, name)

    def _check_view(self, path: str, history: History) -> None:
        """Check that a session file is as its last record says, or as an earlier record does."""
        state = history.states[-1]
        expected, kind = facts(state.size_bytes, state.sha256), "changed"
        # A crash leaves no file where its writer died between the first record and the view.
        was_made = self.ended or history.states[0].seq < self.account.began
        name = self._there(path, expected, gone="missing" if was_made else "behind")
        if name is None:
            return
        found = f"{name.size_bytes} bytes"
        # One that is longer than it ever was is not read: it may be of any size.
        if name.size_bytes <= max(one.size_bytes for one in history.states):
            try:
                raw = read_file(self.root_fd, path)
            except OSError as error:
                self.report.add(path, "unreadable", "a file", files.reason(error))
                return
            sha256 = hashlib.sha256(raw).hexdigest()
            found = facts(len(raw), sha256)
            if found == expected:
                return
            if self._is_earlier(raw, history):
                kind, found = ("changed", f"{found}, an earlier state") if self.ended else ("behind", found)
        self.report.add(path, kind, expected, found)

    def _is_earlier(self, raw: bytes, history: History) -> bool:
        """Return whether a crash can have left *raw* of the file as of any of its records."""
        texts = [self._text_at(state.line).encode() for state in history.states]
        # A view lags behind the ledger where its writer died between the two.
        if history.row.mutability is Mutability.APPEND_ONLY:
            return is_remainder(raw, b"".join(texts))
        return any(is_remainder(raw, text) for text in texts)

    def _text_at(self, offset: int) -> str:
        end = self.account.content.find(b"\n", offset)
        try:
            return ledger.decode(self.account.content[offset:end]).text or ""
        except LedgerCorruptError:  # read once already, so never here
            return ""

    def _check_digest(self, path: str, sha256: str) -> bool:
        """Check a file of which only the digest is known; return whether it is right."""
        name = self._there(path, f"SHA-256 {sha256}")
        if name is None:
            return False
        try:
            found = digest_file(self.root_fd, path)
        except OSError as error:
            self.report.add(path, "unreadable", "a file", files.reason(error))
            return False
        if found != sha256:
            self.report.add(path, "changed", f"SHA-256 {sha256}", facts(name.size_bytes, found))
        return found == sha256

    def _there(self, path: str, expected: str, *, gone: str = "missing") -> Name | None:
        """Return the plain file at *path*, or None after reporting what is there instead."""
        name = self._names.get(path)
        if name is not None and name.kind == "file":
            return name
        if name is not None:
            self.report.add(path, "not-plain", "a file of its own", name.kind)
        # The walk lists no folders: one shows by what is in it.
        elif any(other.startswith(f"{path}/") for other in self._names):
            self.report.add(path, "not-plain", "a file of its own", "a folder")
        else:
            self.report.add(path, gone, expected, "nothing")
        return None

    def _check_source(self) -> set[str]:
        """Check the deck that the session was given; return its path in a set, or an empty set if there is
        none.

        Removing the deck before the end is not a fault, since nothing depends on it.
        """
        source = source_of(self.account.opened, self._names)
        if source is None:
            return set()
        path, sha256 = source
        listed = self.account.frozen.files if self.account.frozen is not None else None
        if self.ended and path not in self._names and listed is not None and path not in listed:
            self.report.note(f"{path}: the deck as it was given was removed before the session ended")
        else:
            self._check_digest(path, sha256)
        return {path}

    def _check_template_sizes(self) -> None:
        for (path, size), seq in self.account.template_sizes.items():
            name = self._names.get(f"ledger/{path}")
            if name is None or self.report.has(f"ledger/{path}"):
                continue
            if size != name.size_bytes:
                expected = f"record {seq}: {path} with {name.size_bytes} bytes"
                self.report.add(LEDGER_NAME, "receipt", expected, f"{size} bytes")

    def _check_frozen(self, frozen: Ending, histories: Mapping[str, History], checked: set[str]) -> set[str]:
        """Check the files that the record of the end lists; where the ledger differs from that list, the
        ledger counts."""
        listed = frozen.files
        if not listed or not all(map(is_sha256, listed.values())):
            self.report.add(LEDGER_NAME, "freeze", "the digest of every file", "a list that is none")
            return set()
        known = {path: history.states[-1].sha256 for path, history in histories.items() if history.states}
        known |= {f"ledger/{path}": sha256 for path, sha256 in self.account.templates.items()}
        source = source_of(self.account.opened, listed)
        if source is not None and source[0] in listed:
            known[source[0]] = source[1]
        for path, sha256 in known.items():
            if listed.get(path) != sha256:
                found = f"SHA-256 {listed[path]}" if path in listed else "it is not listed"
                self.report.add(path, "freeze", f"SHA-256 {sha256} at the end", found)
        for path, sha256 in listed.items():
            if path not in checked:
                self._check_digest(path, sha256)
                if not _DERIVED.fullmatch(path):
                    self.report.note(f"{shown(path)}: no file of a session; it lay there when this one ended")
        return set(listed)

    def _check_extra(self, path: str, name: Name) -> None:
        """Report a name that neither the ledger nor the record of the end accounts for."""
        if not self.ended:
            if path == DEGRADED_NAME:
                self.report.note("a sync failed here earlier: check the disk, then run `greenroom resume`")
            if LEFTOVER.fullmatch(path) and name.kind == "file":
                self.report.note(f"{path}: left by a write that was cut short; nobody reads it")
                return
            if _DERIVED.fullmatch(path) and (name.kind == "file" or path.startswith("ledger/rejected/")):
                return
            if name.kind == "file" and not self._is_kept_for_the_session(path):
                self.report.note(f"{shown(path)}: no file of this session; it is left alone")
                return
        self.report.add(path, "extra", "nothing of this name", f"{name.kind}, {name.size_bytes} bytes")

    def _is_kept_for_the_session(self, path: str) -> bool:
        """Return whether only the session itself puts a file at *path*: one of its table, its ledger or
        its deck."""
        rows = self.account.replay.layout.files if self.account.replay is not None else {}
        return path in rows or path.startswith(("ledger/", "source/"))


def source_of(opened: Opening | None, names: Iterable[str]) -> tuple[str, str] | None:
    """Return the path and SHA-256 of the deck that the session was given, or None if no deck was stored.

    The first record says which it is. *names* are the names in the folder: an early release recorded only the
    digest with which the deck's name begins.
    """
    if opened is None or not is_sha256(opened.deck_sha256):
        return None
    sha256 = opened.deck_sha256
    if _SOURCE.fullmatch(opened.source):
        return opened.source, sha256
    path = next((name for name in names if name.startswith(f"source/{sha256}")), None)
    return None if path is None else (path, sha256)


def check_home(account: Account, home_templates: Path | None, report: Report) -> None:
    """Note which of the home's templates, at the end and now, differ from those with which this session was
    started.

    A difference is not a fault of the session: its agents were given its own copies, which are verified.
    """
    at_end = account.frozen.templates if account.frozen is not None else {}
    if at_end:
        for path, sha256 in account.templates.items():
            if at_end.get(path) != sha256:
                report.note(f"{path}: in the home it changed during this session, which kept its own copy")
    elif account.frozen is not None and account.templates:
        report.note("the record of the end does not say what the home's templates were")
    if home_templates is None:
        return
    for path, sha256 in account.templates.items():
        known = at_end.get(path) if isinstance(at_end, Mapping) else sha256
        if home_digest(home_templates, path) not in (sha256, known):
            when = "since this session" if account.frozen is not None else "since this session was started"
            report.note(f"{path}: in the home it has changed {when}")


def home_digest(home_templates: Path, path: str) -> str:
    """Return the digest as `digest_in_home` does, or the reason why there is none."""
    try:
        return digest_in_home(home_templates, path)
    except OSError as error:
        return files.reason(error)


def digest_in_home(home_templates: Path, path: str) -> str:
    """Return the digest of the template *path* in the home; there the template may be a link.

    Raises:
        OSError: The template cannot be read.
    """
    file = home_templates / path.removeprefix("templates/")
    fd = os.open(file, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        return hashlib.sha256(files.read_range(fd, 0, files.size_of(fd))).hexdigest()
    finally:
        os.close(fd)
