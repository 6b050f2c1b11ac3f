"""Verification that every write followed the rules, and that nothing has changed since."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Final

from orchestrator.core.verify import Finding, Verification
from orchestrator.panel.debrief.exchange_json import picked

MIN_HEAD_DIGITS: Final = 8
"""Minimum digits of a head that is passed in: it may be shortened, as with git, but fewer digits prove too
little."""


def against_head(found: Verification, head: str | None) -> Verification:
    """Compare *found* with a ledger head that was stored elsewhere.

    If *head* is None, return *found* unchanged.
    """
    if head is None or (len(head) >= MIN_HEAD_DIGITS and found.head.startswith(head)):
        return found
    rolled = Finding("ledger/ledger.jsonl", "head", head, found.head)
    return replace(found, valid=False, findings=(*found.findings, rolled))


def verification_json(found: Verification) -> dict[str, Any]:
    """Return the document of `verify`."""
    return {
        "valid": found.valid,
        "findings": [picked(one, ("path", "kind", "expected", "found")) for one in found.findings],
        "notes": list(found.notes),
        "ended": found.ended,
        "ledger_head": found.head,
        "records": found.seq,
        "table": picked(found.table, ("name", "version", "sha256")) if found.table is not None else None,
    }
