"""Creating a session: the plan is carried out in a temporary folder, which then gets the session's name.

A start that fails leaves no folder behind. Source: DESIGN.md, section 6.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from orchestrator import __version__
from orchestrator.core import starting
from orchestrator.core.context.frames import FRAMES_VERSION
from orchestrator.core.context.messages import Tooling
from orchestrator.core.errors import InputError
from orchestrator.core.home.folder import digests
from orchestrator.core.home.regular import read_regular
from orchestrator.core.home.unnamed import unnamed_files
from orchestrator.core.store.ledger import LEDGER_VERSION
from orchestrator.core.store.store import create_store
from orchestrator.core.store.transaction import Draft
from orchestrator.core.table import CONFIG
from orchestrator.material.checks.arithmetic import deck_tensions
from orchestrator.material.claims.extract import deck_claims
from orchestrator.material.deck.content import find_gaps, render_deck_content
from orchestrator.material.intel.findings import intel_page
from orchestrator.material.values import Deck
from orchestrator.panel.application import BOARD
from orchestrator.panel.dossier.build import build_dossier
from orchestrator.panel.dossier.page import dossier_page
from orchestrator.panel.engines.model.situation import board_lines
from orchestrator.panel.engines.protocol import Engine
from orchestrator.panel.home import Home
from orchestrator.panel.loop import contradiction_looks, moderator, panelist, state_page
from orchestrator.panel.loop.bearing import held_against, intel_of
from orchestrator.panel.loop.plan import RULES, Plan, Source, StartOptions, plan_of
from orchestrator.panel.loop.rehearsal import OpenRehearsal
from orchestrator.panel.model.carryover import NOTHING, CarryOver
from orchestrator.panel.personas.orchestration import deciding_nothing
from orchestrator.panel.records.projection import INTEL
from orchestrator.panel.records.setup import Options
from orchestrator.panel.records.start import DeckName, DeckRead, DossierWritten, IntelTaken, SessionStarted

# ---------------------------------------------------------------------- blueprints
# Session files that begin as a rendered blueprint.


def blueprints(plan: Plan) -> Callable[[str], str]:
    """Return a function from a session file's path to its rendered blueprint."""
    fields = _fields(plan)
    return starting.blueprints(plan.home, plan.layout, fields, fields["agents"])


def _fields(plan: Plan) -> dict[str, Any]:
    """Return the fields that a blueprint may name; each agent is given as the plain facts of its persona."""
    options, deck = plan.options, plan.source.deck
    agents = {
        agent: {
            "id": agent,
            "name": seat.persona.name,
            "title": seat.persona.title,
            "role": seat.persona.role,
        }
        for agent, seat in plan.seats.items()
    }
    return {
        "presenter": options.called or options.presenter,
        "deck_title": deck.title or deck.name,
        "deck_name": deck.name,
        "slides": len(deck.slides),
        "date": options.date or "not given",
        "minutes": options.minutes,
        "exchanges": options.exchanges,
        "mode": options.mode,
        "intensity": options.intensity,
        "engine": options.engine,
        "kind": options.kind,
        "language": options.language,
        "turn_limit": plan.rules.turn_limits[options.intensity],
        "speaker": options.speaker or "whoever speaks most",
        "focus": list(options.focus),
        "panel": [agents[agent] for agent in plan.layout.agents],
        "agents": agents,
        "board": _board(plan),
    }


def _board(plan: Plan) -> str:
    """Return the lines that describe the board, or a notice if the configuration file has no room for them.

    Each task then contains the lines instead.
    """
    lines = "\n\n".join(board_lines(plan.members, plan.options.kind))
    fits = len(lines.encode()) <= plan.layout.files[CONFIG].max_bytes // 2
    return lines if fits else "The board is so large that it stands with each task."


# ---------------------------------------------------------------------- session folder


LAYOUTS_VERSION: Final = 1
"""Version of the message layouts that a receipt may name; a session records the version it was made with."""


def start_session(
    home: Home,
    source: Source,
    given: StartOptions,
    engine: Engine,
    *,
    carry: Callable[[Options, Deck], CarryOver] = lambda options, deck: NOTHING,
    tooling: Tooling | None = None,
    then: Callable[[OpenRehearsal], None] = lambda rehearsal: None,
    say: Callable[[str], None] = lambda line: None,
) -> Path:
    """Create a session and return its folder.

    Args:
        carry: Returns what the session carries over from earlier sessions. It is called once.
        tooling: The tools that its agents are offered, if the options say so.
        then: Called before the session gets its name, so that the session exists only if this call succeeded.
        say: Called with a line on each file of the home that is not part of the session.

    Raises:
        UsageError, SessionExistsError, HomeError, PersonaError, InputError, StoreError
    """
    plan = plan_of(home, source, given)
    unused = (*unnamed_files(home, plan.layout), *deciding_nothing(plan.templates[RULES], RULES))
    for notice in (*unused, *plan.notices):
        say(notice)
    carried = carry(plan.options, source.deck)
    return starting.make_session(
        home, plan.options.id, lambda aside: _make(aside, plan, engine, carried, tooling, then)
    )


def _make(
    aside: Path,
    plan: Plan,
    engine: Engine,
    carried: CarryOver,
    tooling: Tooling | None,
    then: Callable[[OpenRehearsal], None],
) -> None:
    """Create the whole session, durably, in the folder *aside*, which does not count as a session yet."""
    store = create_store(aside, plan.layout, _first_value(plan, carried), BOARD)
    try:
        _keep_copies(aside, plan)
        rehearsal = OpenRehearsal(store, lambda _: engine)
        rehearsal.tooling = tooling
        with store.transaction() as tx:
            _write_files(rehearsal, tx, plan)
        then(OpenRehearsal(store, lambda _: engine))
        store.flush()
    finally:
        store.close()
    for folder in (aside / "ledger", aside):
        starting.sync_folder(folder)


def _first_value(plan: Plan, carried: CarryOver) -> SessionStarted:
    """Return the value of the ledger's first record."""
    options, deck, config, drilled = plan.options, plan.source.deck, plan.home.config, plan.source.drilled
    kept = _kept_name(plan)
    return SessionStarted(
        ledger_version=LEDGER_VERSION,
        panel=plan.layout.panel,
        frames_version=FRAMES_VERSION,
        layouts_version=LAYOUTS_VERSION,
        greenroom=__version__,
        id=options.id,
        deck=DeckName(deck.name, deck.title, deck.kind, deck.sha256),
        source=f"source/{kept}" if kept is not None else None,
        presenter=options.presenter,
        date=options.date,
        options=options,
        templates=digests(plan.templates),
        template_bytes={path: len(text.encode()) for path, text in plan.templates.items()},
        max_revisions=config.max_revisions,
        budget_tokens=config.budget_tokens,
        carried=carried or None,
        drill=drilled,
        questions=plan.questions,
        owner=plan.owner,
    )


def _kept_name(plan: Plan) -> str | None:
    """Return the name of the deck's file in the session, or None if the session does not store the file."""
    source = plan.source
    if source.path is None or not plan.options.keep_source:
        return None
    return f"{source.deck.sha256}{source.path.suffix.lower()}"


def _keep_copies(root: Path, plan: Plan) -> None:
    """Copy the templates into the session, and the deck's file unless it is not to be stored.

    Raises:
        InputError: The deck's file has changed since it was read.
    """
    for path, text in plan.templates.items():
        starting.keep_copy(root / "ledger" / path, text.encode())
    name, source = _kept_name(plan), plan.source.path
    if name is None or source is None:
        return
    raw = read_regular(source)
    if hashlib.sha256(raw).hexdigest() != plan.source.deck.sha256:
        raise InputError(f"{source}: was changed while the session was being made: start it again")
    starting.keep_copy(root / "source" / name, raw)


def _write_files(rehearsal: OpenRehearsal, tx: Draft, plan: Plan) -> None:
    """Write all files that a session has before anybody speaks."""
    _write_deck(rehearsal, tx, plan)
    _write_outside(rehearsal, tx, plan)
    rehearsal.note_calls(tx)
    moderator.write_phrases(rehearsal, tx)
    panelist.write_focus_briefs(rehearsal, tx)
    state_page.show_state(rehearsal, tx, "presenting")


def _write_deck(rehearsal: OpenRehearsal, tx: Draft, plan: Plan) -> None:
    """Write the blueprints and the deck, and the deck's contradictions."""
    deck = plan.source.deck
    claims, gaps = deck_claims(deck), find_gaps(deck)
    blueprint = blueprints(plan)
    for path, row in plan.layout.files.items():
        if row.has_blueprint and path != CONFIG:
            tx.create(path, blueprint(path))
    tx.write(CONFIG, blueprint(CONFIG), by="start")
    tx.write(
        "shared/deck-content.md",
        render_deck_content(deck, claims, gaps),
        by="start",
        value=DeckRead(deck, claims, gaps, rehearsal.projection.numbered(deck_tensions(deck))),
    )
    contradiction_looks.look_at_deck(rehearsal, tx)


def _write_outside(rehearsal: OpenRehearsal, tx: Draft, plan: Plan) -> None:
    """Write the first revision of external-intel, and the board dossier."""
    store, projection, engine, deck = (
        rehearsal.store,
        rehearsal.projection,
        rehearsal.engine,
        plan.source.deck,
    )
    held = held_against(engine, plan.reported, deck)
    intel = intel_of(held, plan.reported, deck, projection.deck_claims)
    most = store.max_revisions(store.layout.file(INTEL))
    tx.write(INTEL, intel_page(intel, most), by="start", value=IntelTaken(intel))
    dossier = build_dossier(
        engine,
        deck,
        projection.deck_claims,
        projection.gaps,
        [plan.seats[one] for one in plan.layout.panel],
        members=plan.members,
        intel=intel.items,
        tensions=projection.tensions,
        focus=plan.options.focus,
        kind=plan.options.kind,
    )
    value = DossierWritten(dossier, plan.members)
    tx.write("shared/board-dossier.md", dossier_page(dossier), by="start", value=value)
