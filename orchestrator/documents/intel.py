"""What is known from outside, in one revision of external-intel."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from orchestrator.panel.loop.news import WebIntel
from orchestrator.panel.records.projection import INTEL
from orchestrator.rehearsal.session import Session


def intel_json(session: Session) -> dict[str, Any]:
    """All of it as of now: the revision, how many there may be, and the findings."""
    known, store = session.projection.intel, session.rehearsal.store
    return {
        "revision": store.state(INTEL).revisions,
        "of": store.max_revisions(store.layout.file(INTEL)),
        "items": [asdict(item) for item in known.items],
        "left_out": known.left_out,
        "failed": known.failed,
    }


def searched_json(session: Session, came: WebIntel) -> dict[str, Any]:
    """The same after a search of the web, with the queries as they were sent and why some brought less."""
    return {**intel_json(session), "queries": list(came.queries), "search_failed": list(came.failed)}
