"""What `verify` is pointed at: a session, an unpacked archive, or a stored one."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

from orchestrator.archive.download import verify_archive
from orchestrator.archive.unpacked import verify_path
from orchestrator.cli.screen import Screen
from orchestrator.home.folder import session_folder
from orchestrator.verify import Finding, Verification, verify_session

MIN_HEAD_DIGITS = 8
"""A kept head may be shortened, as with git; below this it proves too little."""


def verification_of(
    name: str, screen: Screen, *, head: str | None, s3: dict[str, str | None]
) -> Verification:
    """Verify what *name* points at; with *head*, also that its ledger ends as it did then.

    Raises:
        SessionNotFoundError, ArchiveError: There is nothing of this name.
    """
    if "://" in name:
        url, _, session_id = name.rstrip("/").rpartition("/")
        found = verify_archive(url, session_id, **s3)
    elif os.sep in name or (Path(name) / "bagit.txt").is_file():
        session_folder(Path(name))  # says so where there is none, before anything is verified
        found = verify_path(Path(name))
    else:
        home = screen.open_home()
        root = home.find(name)
        found = verify_session(root, home_templates=home.templates)
    if head is not None and not (len(head) >= MIN_HEAD_DIGITS and found.head.startswith(head)):
        rolled = Finding("ledger/ledger.jsonl", "head", head, found.head)
        found = replace(found, valid=False, findings=(*found.findings, rolled))
    return found
