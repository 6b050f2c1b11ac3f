"""One whole session, and its steps."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from orchestrator.core.values import to_json
from orchestrator.documents.listing import row_of
from orchestrator.panel.debrief.exchange_json import exchange_json, picked, tension_json
from orchestrator.panel.debrief.parts import bill_json, bill_of
from orchestrator.rehearsal.session import Session

if TYPE_CHECKING:
    from orchestrator.memory.trace import Trace


def session_json(session: Session, warn: Callable[[str], None]) -> dict[str, Any]:
    """Return the session as `show` gives it: its questions, files and receipts."""
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


def warnings_json(session: Session) -> list[dict[str, str]]:
    """Return the parts of memory that failed in the session, which went on without them."""
    return [{"part": part, "reason": reason} for part, reason in dict.fromkeys(session.failures)]


def trace_of(session: Session) -> Trace:
    """Return every step of the loop so far, from the session's ledger."""
    from orchestrator.memory.trace import full_trace  # most who ask for a session ask for no trace

    store = session.rehearsal.store
    return full_trace(store.record(entry.seq) for entry in store.entries())


def trace_json(trace: Trace) -> dict[str, Any]:
    """Return the steps as `show --trace` gives them."""
    return {
        "steps": [
            {name: value for name, value in asdict(step).items() if value is not None} for step in trace.steps
        ],
        "errors": list(trace.errors),
        "summaries": list(trace.summaries),
        "state": trace.state,
    }
