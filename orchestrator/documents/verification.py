"""Verification that every write followed the rules, and that nothing changed since."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Final

from orchestrator.core.verify import Finding, Verification
from orchestrator.panel.debrief.exchange_json import picked

MIN_HEAD_DIGITS: Final = 8
"""A kept head may be shortened, as with git; below this it proves too little."""


def against_head(found: Verification, head: str | None) -> Verification:
    """Compare *found* with a ledger head kept elsewhere (None: none was kept)."""
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
