"""Whether every write kept the rules, and nothing was changed since."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Final

from orchestrator.core.verify import Finding, Verification
from orchestrator.panel.debrief.exchange_json import picked

MIN_HEAD_DIGITS: Final = 8
"""A kept head may be shortened, as with git; below this it proves too little."""


def against_head(found: Verification, head: str | None) -> Verification:
    """The same, held against a ledger head that was kept elsewhere; None: none was."""
    if head is None or (len(head) >= MIN_HEAD_DIGITS and found.head.startswith(head)):
        return found
    rolled = Finding("ledger/ledger.jsonl", "head", head, found.head)
    return replace(found, valid=False, findings=(*found.findings, rolled))


def verification_json(found: Verification) -> dict[str, Any]:
    """The document of `verify`."""
    return {
        "valid": found.valid,
        "findings": [picked(one, ("path", "kind", "expected", "found")) for one in found.findings],
        "notes": list(found.notes),
        "ended": found.ended,
        "ledger_head": found.head,
        "records": found.seq,
        "table": picked(found.table, ("name", "version", "sha256")) if found.table is not None else None,
    }
