"""A session beside what its home knows of it: its name, and the ledger heads that it was archived with."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from orchestrator.archive.register import archived_heads
from orchestrator.errors import SessionStateError
from orchestrator.home.folder import Home
from orchestrator.store.store import LEDGER_NAME
from orchestrator.verify import Finding, Verification, verify_session


def check_name(root: Path, session: str) -> None:
    """Raises SessionStateError where a home keeps the session under another name, *root*, than its id."""
    if root.name != session:
        raise SessionStateError(
            f"{root}: holds the session {session}: give the folder that name, or move it out of {root.parent}"
        )


def verify_at_home(home: Home, root: Path) -> Verification:
    """As `verify_session`, for a session that lies in *home*, and so under its own id.

    Raises:
        HomeError: The register of its archives cannot be read; the message says which line.
    """
    found = verify_session(root, home_templates=home.templates, session=root.name)
    for head in archived_heads(home, root.name):
        if head != found.head:  # a session ends once, so it is archived with one head only
            rolled = Finding(LEDGER_NAME, "head", f"{head}, as it was archived", found.head)
            return replace(found, valid=False, findings=(*found.findings, rolled))
    return found
