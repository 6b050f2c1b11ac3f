"""`list`: what is in a home, or in an archive."""

from __future__ import annotations

from typing import Annotated, Any

from orchestrator.cli.options import option
from orchestrator.cli.screen import Screen
from orchestrator.cli.shared import Endpoint, s3_options
from orchestrator.errors import ArchiveError


def list_(
    archive: Annotated[str | None, option("URL", "List an archive instead.")] = None,
    search: Annotated[str | None, option("TEXT", "Only sessions that hold this text.")] = None,
    endpoint_url: Endpoint = None,
) -> None:
    """The sessions of this home, or of an archive."""
    from orchestrator.deck.shown import shown
    from orchestrator.documents.listing import archived, listed, local

    screen = Screen.current
    if archive is not None:
        _check_folder(archive)
        rows = archived(archive, search, s3_options(endpoint_url), screen.warn, screen.known_home())
    else:
        rows = local(screen.open_home(), search, screen.warn)
    lines = [
        f"{row['session']:28} {row['state']:12} {row['exchanges']:>2} exchanges  {_name_of(row)}"
        + (f"  ({shown(row['presenter'])})" if row["presenter"] else "")
        for row in rows
    ]
    found = listed(rows, search)
    if blind := found.get("not_searched"):
        lines.append(f"not searched, so there may be more: {', '.join(blind)}")
    screen.result(found, "\n".join(lines) or "no sessions")


def _name_of(row: dict[str, Any]) -> str:
    """Return a session's own title before its deck's; of most there is the deck's alone."""
    return ": ".join(filter(None, (row.get("title"), row["deck"])))


def _check_folder(archive: str) -> None:
    """Refuse a folder that does not exist: a mistyped path would look like an archive that is empty."""
    from orchestrator.archive.stores import FolderStore, open_store

    store = open_store(archive)
    if isinstance(store, FolderStore) and not store.root.is_dir():
        raise ArchiveError(f"{store.root} does not exist, so nothing is archived there: check the path")
