"""The two rehearsals of the demonstration in a home: played once, and looked at again from there."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

from orchestrator.rehearsal.demo.rehearsals import ACTS, FOLDER
from orchestrator.review.catalogue import Row
from orchestrator.web.site import Site


def played(site: Site) -> tuple[str, ...]:
    """Return the sessions of both acts, in order, as they were played last; none unless both are whole."""
    site.review.refresh(is_needed=True)
    found = [_last_of(site.review.catalogue.runs_of(_digest(act.deck))) for act in ACTS]
    return tuple(one for one in found if one) if all(found) else ()


def a_week_later(site: Site, session: str) -> str:
    """Return the second rehearsal, where *session* is the first of the two; else ""."""
    both = played(site)
    return both[1] if both and both[0] == session else ""


def _last_of(rows: Sequence[Row]) -> str:
    """The newest demonstration among them that has ended and lies here."""
    entries = (row.entry for row in rows if row.is_here)
    return next((one.session for one in entries if one.is_recorded and one.is_ended), "")


def _digest(deck: str) -> str:
    return hashlib.sha256((FOLDER / deck).read_bytes()).hexdigest()
