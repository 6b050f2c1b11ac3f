"""A drill's origin: the question of an earlier session that it puts again, kept in its first record."""

from __future__ import annotations

from dataclasses import dataclass

from orchestrator.panel.model.exchange import Exchange


@dataclass(frozen=True, slots=True)
class Drilled:
    """One question of an earlier session."""

    session: str
    exchange: str  # its id there
    before: Exchange | None = None
    """How it went there, without what was off the record: only shown. None: kept by none before 0.3."""
