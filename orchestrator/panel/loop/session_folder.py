"""How a session begins: what is planned is made aside, then given its name.

A start that fails leaves nothing behind.
Source: DESIGN.md, section 6.
"""

from __future__ import annotations

import hashlib
import os
import unicodedata
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from orchestrator import __version__
from orchestrator.core.context.frames import FRAMES_VERSION
from orchestrator.core.context.messages import Tooling
from orchestrator.core.errors import HomeError, InputError, SessionExistsError
from orchestrator.core.home.folder import UNFINISHED, digests
from orchestrator.core.home.regular import read_regular
from orchestrator.core.home.unnamed import blueprint_of, unnamed_files
from orchestrator.core.store import files
from orchestrator.core.store.files import held, made_aside
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
from orchestrator.panel.loop.rehearsal import Rehearsal
from orchestrator.panel.model.carryover import NOTHING, CarryOver
from orchestrator.panel.personas.orchestration import deciding_nothing
from orchestrator.panel.records.projection import INTEL
from orchestrator.panel.records.setup import Options
from orchestrator.panel.records.start import DeckName, DeckRead, DossierWritten, IntelTaken, SessionStarted

# ---------------------------------------------------------------------- blueprints
# Session files that begin as a rendered blueprint.


def blueprints(plan: Plan) -> Callable[[str], str]:
    """A function from a session file's path to its rendered blueprint.

    Only blueprints are templates; nothing of a session (deck, speech, names) is ever compiled.
    """
    from jinja2 import StrictUndefined, TemplateError
    from jinja2.sandbox import ImmutableSandboxedEnvironment

    fields = _fields(plan)
    environment = ImmutableSandboxedEnvironment(
        undefined=StrictUndefined, keep_trailing_newline=True, autoescape=False
    )

    def rendered(path: str) -> str:
        agent = path.partition("/")[0]
        own = blueprint_of(plan.home, plan.layout, path)
        try:
            template = environment.from_string(read_regular(own).decode())
            return template.render(fields, agent=fields["agents"].get(agent))
        except (OSError, UnicodeDecodeError, TemplateError) as error:
            raise HomeError(
                f"{own}: this blueprint cannot be rendered: {getattr(error, 'strerror', None) or error}"
            ) from error

    return rendered


def _fields(plan: Plan) -> dict[str, Any]:
    """What a blueprint may name; agents as the plain facts of their personas."""
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
        "presenter": options.presenter,
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
    """The lines on the board; of one that would not fit into the file they stand in each task instead."""
    lines = "\n\n".join(board_lines(plan.members, plan.options.kind))
    fits = len(lines.encode()) <= plan.layout.files[CONFIG].max_bytes // 2
    return lines if fits else "The board is so large that it stands with each task."


# ---------------------------------------------------------------------- session folder


LAYOUTS_VERSION: Final = 1
"""Of the message layouts that a receipt may name; a session says with which it was made."""


def start_session(
    home: Home,
    source: Source,
    given: StartOptions,
    engine: Engine,
    *,
    carry: Callable[[Options, Deck], CarryOver] = lambda options, deck: NOTHING,
    tooling: Tooling | None = None,
    then: Callable[[Rehearsal], None] = lambda rehearsal: None,
    say: Callable[[str], None] = lambda line: None,
) -> Path:
    """Make a session and return its folder.

    Args:
        carry: Gives what the session carries over from earlier ones; asked once.
        tooling: The tools that its agents are offered, if the options say so.
        then: Done before it has its name, so it is there or the session is not.
        say: Told of each file of the home that has no part in the session.

    Raises:
        UsageError, SessionExistsError, HomeError, PersonaError, InputError, StoreError
    """
    plan = plan_of(home, source, given)
    unused = (*unnamed_files(home, plan.layout), *deciding_nothing(plan.templates[RULES], RULES))
    for notice in (*unused, *plan.notices):
        say(notice)
    target = home.sessions / plan.options.id
    try:
        home.sessions.mkdir(files.FOLDER_MODE, parents=True, exist_ok=True)
        with made_aside(home.sessions, UNFINISHED) as folder:  # of this start alone
            _refuse_twins(home, plan.options.id)
            aside = folder / target.name
            _make(aside, plan, engine, carry(plan.options, source.deck), tooling, then)
            # Others are made at the same time: the last look and the name are one step.
            with held(home.sessions, wait=True):
                if not target.exists():  # else the rename refuses
                    _refuse_twins(home, plan.options.id)
                os.rename(aside, target)
            try:
                _sync_folder(home.sessions)
            except OSError:  # nobody was told of it yet
                os.rename(target, aside)
                raise
    except OSError as error:
        if target.exists():  # somebody else has just made one of this id
            raise SessionExistsError(f"{plan.options.id}: a session with this id is already there") from error
        raise HomeError(
            f"{target}: {files.reason(error)}; no session was made: check the disk and the rights, "
            "then try again"
        ) from error
    return target


def _make(
    aside: Path,
    plan: Plan,
    engine: Engine,
    carried: CarryOver,
    tooling: Tooling | None,
    then: Callable[[Rehearsal], None],
) -> None:
    """The whole session, durably, in a folder that nobody takes for one yet."""
    store = create_store(aside, plan.layout, _first_value(plan, carried), BOARD)
    try:
        _keep_copies(aside, plan)
        rehearsal = Rehearsal(store, lambda _: engine)
        rehearsal.tooling = tooling
        with store.transaction() as tx:
            _write_files(rehearsal, tx, plan)
        then(Rehearsal(store, lambda _: engine))
        store.flush()
    finally:
        store.close()
    for folder in (aside / "ledger", aside):
        _sync_folder(folder)


def _refuse_twins(home: Home, wanted: str) -> None:
    """Ids that differ only in case, or in how a letter is composed, are one folder on some file systems."""
    for folder in home.sessions.iterdir():
        if _folded(folder.name) == _folded(wanted):
            raise SessionExistsError(
                f"{wanted}: a session with the id {folder.name} is already there: choose another id"
            )


def _folded(name: str) -> str:
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", name).casefold())


def _first_value(plan: Plan, carried: CarryOver) -> SessionStarted:
    """Return what the ledger's first record says."""
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
    )


def _kept_name(plan: Plan) -> str | None:
    """What the deck's file is called in the session; None: it is not kept."""
    source = plan.source
    if source.path is None or not plan.options.keep_source:
        return None
    return f"{source.deck.sha256}{source.path.suffix.lower()}"


def _keep_copies(root: Path, plan: Plan) -> None:
    """The templates, and the deck's file unless it is not to be kept.

    Raises:
        InputError: The deck's file is not the one that was read any more.
    """
    for path, text in plan.templates.items():
        _copy(root / "ledger" / path, text.encode())
    name, source = _kept_name(plan), plan.source.path
    if name is None or source is None:
        return
    raw = read_regular(source)
    if hashlib.sha256(raw).hexdigest() != plan.source.deck.sha256:
        raise InputError(f"{source}: was changed while the session was being made: start it again")
    _copy(root / "source" / name, raw)


def _write_files(rehearsal: Rehearsal, tx: Draft, plan: Plan) -> None:
    """All that stands in a session before anybody speaks."""
    _write_deck(rehearsal, tx, plan)
    _write_outside(rehearsal, tx, plan)
    rehearsal.note_calls(tx)
    moderator.write_phrases(rehearsal, tx)
    panelist.write_focus_briefs(rehearsal, tx)
    state_page.show_state(rehearsal, tx, "presenting")


def _write_deck(rehearsal: Rehearsal, tx: Draft, plan: Plan) -> None:
    """Write the blueprints and the deck, and what contradicts what in it."""
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


def _write_outside(rehearsal: Rehearsal, tx: Draft, plan: Plan) -> None:
    """The first revision of external-intel, and the board dossier."""
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


def _copy(path: Path, raw: bytes) -> None:
    path.parent.mkdir(files.FOLDER_MODE, parents=True, exist_ok=True)
    # Read-only: whoever opens the kept deck in an office program gets no "save" that would change it.
    fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o440)
    try:
        files.write_all(fd, raw)
        os.fsync(fd)
    finally:
        os.close(fd)


def _sync_folder(path: Path) -> None:
    fd = os.open(path, files.FOLDER)
    try:
        files.sync_folder(fd)
    finally:
        os.close(fd)
