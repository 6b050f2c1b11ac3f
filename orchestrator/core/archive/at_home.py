"""A session beside what its home knows of it: its name, and the ledger heads that it was archived with."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from orchestrator.core.archive.register import archived_heads, kept_archives
from orchestrator.core.archive.stores import ArchiveStore, is_same_store
from orchestrator.core.errors import SessionStateError
from orchestrator.core.home.folder import Home
from orchestrator.core.store.store import LEDGER_NAME
from orchestrator.core.verify import Finding, Verification, verify_session


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


def against_register(home: Home, store: ArchiveStore, session: str, found: Verification) -> Verification:
    """*found* of the archive of *session* in *store*, held against the heads that *home* archived it with.

    An archive that was exchanged for another one is `replaced`, however right that one is; so is every
    other one in the home's own archives, wherever the home lay when it archived. The same id at an address
    to which this home archived nothing may be another session: that is noted.

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
    """The heads other than *head* with which *home* archived the session in *store*, oldest first.

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
