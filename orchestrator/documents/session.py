"""The documents of one whole session and of its steps."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from orchestrator.core import session as core
from orchestrator.core.values import to_json
from orchestrator.documents.listing import row_of
from orchestrator.documents.opening import AnySession, is_rehearsal, panel_home, store_of
from orchestrator.panel.debrief.exchange_json import exchange_json, picked, tension_json
from orchestrator.panel.debrief.parts import bill_json, bill_of
from orchestrator.rehearsal.rehearsal import Rehearsal

if TYPE_CHECKING:
    from orchestrator.memory.trace import Trace


def session_json(session: AnySession, warn: Callable[[str], None]) -> dict[str, Any]:
    """Return the session in the form of `show`: its questions, files and receipts."""
    if not is_rehearsal(session):
        return _crew_json(session, warn)
    store = session.rehearsal.store
    states = {path: store.state(path) for path in store.layout.files}
    return {
        **row_of(session, session.home, warn),
        "path": str(session.path),
        "exchanges": [exchange_json(one) for one in session.asked if one.outcome is not None],
        "tensions": [{"id": one.id, **tension_json(one)} for one in session.contradictions],
        "said": [to_json(said) for said in session.projection.said],
        "files": [
            {
                "path": path,
                "mutability": row.mutability.value,
                "bytes": states[path].size_bytes,
                **picked(states[path], ("sha256", "revisions")),
            }
            for path, row in store.layout.files.items()
        ],
        "receipts": [
            {"receipt": one.id, **picked(one, ("agent", "purpose", "seq"))} for one in session.receipts()
        ],
        "took_over": session.projection.took_over,
        "warnings": warnings_json(session),
        "usage": {"engine": session.rehearsal.options.engine, **bill_json(bill_of(session.projection.calls))},
        "records": store.seq,
        "ledger_head": store.head,
    }


def _crew_json(session: core.Session, warn: Callable[[str], None]) -> dict[str, Any]:
    """Return a session that is not a rehearsal: its table, agents, files, notes and receipts."""
    store = store_of(session)
    table = store.layout.table
    states = {path: store.state(path) for path in store.layout.files}
    return {
        **row_of(session, panel_home(session), warn),
        "path": str(session.path),
        "table": picked(table, ("name", "version", "sha256")),
        "agents": list(session.agents),
        "exchanges": [],
        "tensions": [],
        "said": [],
        "files": [
            {
                "path": path,
                "mutability": row.mutability.value,
                "by": list(row.writers),
                "bytes": states[path].size_bytes,
                **picked(states[path], ("sha256", "revisions")),
            }
            for path, row in store.layout.files.items()
        ],
        "notes": notes_json(session),
        "receipts": [
            {"receipt": one.id, **picked(one, ("agent", "purpose", "seq"))} for one in session.receipts()
        ],
        "took_over": None,
        "warnings": [],
        "usage": None,
        "records": store.seq,
        "ledger_head": store.head,
    }


def started_json(session: core.Session) -> dict[str, Any]:
    """Return the document of a crew's session that has just been started."""
    store = store_of(session)
    return {
        "session": session.name,
        "path": str(session.path),
        "state": session.state,
        "crew": store.opening.crew,
        "title": session.title,
        "agents": list(session.agents),
        "files": list(session.files),
        "ledger_head": store.head,
    }


def notes_json(session: core.Session) -> list[dict[str, Any]]:
    """Return the notes of programs, in order."""
    return [
        {"record": one.seq, "type": one.type, "by": one.by, "at": one.at, "fields": dict(one.fields)}
        for one in session.notes()
    ]


def warnings_json(session: AnySession) -> list[dict[str, str]]:
    """Return the parts of memory that failed in the session, which went on without them."""
    if not is_rehearsal(session):
        return []
    return [{"part": part, "reason": reason} for part, reason in dict.fromkeys(session.failures)]


def trace_of(session: Rehearsal) -> Trace:
    """Return every step of the loop so far, from the session's ledger."""
    from orchestrator.memory.trace import full_trace  # most who ask for a session ask for no trace

    store = session.rehearsal.store
    return full_trace(store.record(entry.seq) for entry in store.entries())


def trace_json(trace: Trace) -> dict[str, Any]:
    """Return the steps in the form of `show --trace`."""
    return {
        "steps": [
            {name: value for name, value in asdict(step).items() if value is not None} for step in trace.steps
        ],
        "errors": list(trace.errors),
        "summaries": list(trace.summaries),
        "state": trace.state,
    }
