"""Preparing with a dossier, and the findings from outside in a revision of external-intel."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from orchestrator.documents.check import Asked
from orchestrator.material.checks.arithmetic import deck_tensions
from orchestrator.material.checks.grounding import deck_passages
from orchestrator.material.claims.extract import deck_claims
from orchestrator.material.deck.content import find_gaps
from orchestrator.material.deck.read import read_deck
from orchestrator.material.intel.findings import not_read
from orchestrator.material.values import Reported
from orchestrator.panel.dossier.build import build_dossier
from orchestrator.panel.home import Home
from orchestrator.panel.loop.bearing import held_against, intel_of
from orchestrator.panel.loop.contradictions import propose
from orchestrator.panel.loop.news import WebIntel
from orchestrator.panel.loop.rehearsal import read_seats
from orchestrator.panel.model.reply import BoardMember, Dossier
from orchestrator.panel.personas.persona import Seat
from orchestrator.panel.records.projection import INTEL
from orchestrator.rehearsal.rehearsal import Rehearsal

# ---------------------------------------------------------------------- dossier
# The likely attacks on a deck and how to prepare, without a session.


def seats_of(home: Home, panel: tuple[str, ...] | None) -> list[Seat]:
    """Return the panelists that help; if *panel* is None, all of this home.

    Raises:
        UsageError, HomeError, PersonaError
    """
    layout = home.layout(panel)
    seats = read_seats(home.read_templates(layout), layout.agents)
    return [seats[agent] for agent in layout.panel]


def dossier_of(
    asked: Asked,
    path: Path,
    seats: Sequence[Seat],
    members: Sequence[BoardMember],
    reported: Sequence[Reported],
    focus: Sequence[str],
    kind: str | None,
) -> tuple[Dossier, list[str]]:
    """Return the dossier of the deck in *path*, and notices to show with it.

    If the engine that was asked for failed, `asked.failed` says why, and the offline engine wrote the
    dossier.
    """
    engine = asked.engine
    deck = read_deck(path)
    notices = list(deck.notices)
    claims = deck_claims(deck)
    known = intel_of(held_against(engine, reported, deck), reported, deck, claims)
    computed = deck_tensions(deck)
    looked = propose(engine, deck_passages(deck), known=computed)
    if looked.failed is not None:
        notices.append(f"contradictions were not looked for beyond the arithmetic: {looked.failed}")
    if known.failed is not None:
        notices.append(not_read(known.failed))
    found = build_dossier(
        engine,
        deck,
        claims,
        find_gaps(deck),
        seats,
        members=members,
        intel=known.items,
        tensions=(*computed, *looked.tensions),
        focus=focus,
        kind=kind,
    )
    return replace(found, failed=found.failed or asked.refused), notices


# ---------------------------------------------------------------------- intel


def intel_json(session: Rehearsal) -> dict[str, Any]:
    """Return all current findings, with the revision and the maximum number of revisions."""
    known, store = session.projection.intel, session.rehearsal.store
    return {
        "revision": store.state(INTEL).revisions,
        "of": store.max_revisions(store.layout.file(INTEL)),
        "items": [asdict(item) for item in known.items],
        "left_out": known.left_out,
        "failed": known.failed,
    }


def searched_json(session: Rehearsal, came: WebIntel) -> dict[str, Any]:
    """Return all findings after a web search, with the queries as they were sent and why some brought
    less."""
    return {**intel_json(session), "queries": list(came.queries), "search_failed": list(came.failed)}
