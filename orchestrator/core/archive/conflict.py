"""What is said where a name of an archive holds other bytes than the session gives."""

from __future__ import annotations

from orchestrator.core.errors import ArchiveConflictError


def other_content(where: str) -> ArchiveConflictError:
    """The error for the object at *where*, with both ways on: it is damaged, or of another session."""
    return ArchiveConflictError(
        f"{where}: another content is there, and nothing is overwritten: if that object is damaged, remove "
        "it and archive again (the rest is kept); if it is of another session, archive elsewhere"
    )
