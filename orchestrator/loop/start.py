"""How a session begins: everything is read and checked, then made aside, then given its name.

A start that fails leaves nothing behind.
Source: DESIGN.md, section 6.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from time import time
from typing import Any, Final

from orchestrator import __version__
from orchestrator.checks.arithmetic import deck_tensions
from orchestrator.claims.extract import deck_claims
from orchestrator.claims.language import language_of
from orchestrator.context.frames import FRAMES_VERSION
from orchestrator.context.tooling import Tooling
from orchestrator.deck.content import find_gaps, render_deck_content
from orchestrator.dossier.board import read_board
from orchestrator.dossier.build import build_dossier
from orchestrator.dossier.page import dossier_page, dossier_value
from orchestrator.engines.protocol import Engine
from orchestrator.errors import HomeError, SessionExistsError, UsageError
from orchestrator.home.config import CHOICES, checked
from orchestrator.home.folder import UNFINISHED, Home, digests
from orchestrator.intel.bearing import held_against, intel_of
from orchestrator.intel.page import intel_page, intel_value
from orchestrator.intel.read import read_intel
from orchestrator.layout import MODERATOR, Layout, check_session_id
from orchestrator.loop import looking, panelist, phrases, state_page
from orchestrator.loop.rehearsal import Rehearsal, read_seats
from orchestrator.loop.state import UNNAMED, Options
from orchestrator.model.carryover import KEY, NOTHING, Carried
from orchestrator.model.claim import Claim, Gap, Tension
from orchestrator.model.dossier import BoardMember
from orchestrator.model.intel import Intel, Reported
from orchestrator.model.slide import Deck
from orchestrator.model.values import to_json
from orchestrator.store import files
from orchestrator.store.store import Store, create_store
from orchestrator.templates.orchestration import Orchestration, read_orchestration
from orchestrator.templates.persona import Seat

LAYOUTS_VERSION: Final = 1
UNFINISHED_KEPT_S: Final = 3600
"""A start takes seconds; what is left after an hour was left by a process that died."""


@dataclass(frozen=True, slots=True)
class Given:
    """What the user asked for; None means the default."""

    id: str | None = None
    presenter: str | None = None
    speaker: str | None = None
    panel: tuple[str, ...] | None = None
    date: str | None = None
    engine: str | None = None
    layout: str | None = None
    intensity: str | None = None
    mode: str | None = None
    minutes: int | None = None
    exchanges: int | None = None
    focus: tuple[str, ...] = ()
    remember: bool = False
    keep_source: bool = True
    intel: tuple[Path, ...] = ()
    board: Path | None = None
    kind: str | None = None  # of deck; None: the engine says what it takes it for


@dataclass(frozen=True, slots=True)
class Source:
    """A deck, and the file that it was read from, if any."""

    deck: Deck
    path: Path | None = None


@dataclass(frozen=True, slots=True)
class Outside:
    """What was given beside the deck: findings from outside, and who sits on the board."""

    reported: tuple[Reported, ...]
    members: tuple[BoardMember, ...]


def start_session(
    home: Home,
    source: Source,
    given: Given,
    engine: Engine,
    *,
    carry: Callable[[Options, Deck], Carried] = lambda options, deck: NOTHING,
    tooling: Tooling | None = None,
    then: Callable[[Rehearsal], None] = lambda rehearsal: None,
) -> Path:
    """Make a session and return its folder.

    Args:
        carry: Gives what the session carries over from earlier ones; asked once.
        tooling: The tools that its agents are offered, if the options say so.
        then: Done in the transaction that makes it, so it is there or the session is not.

    Raises:
        UsageError, SessionExistsError, HomeError, PersonaError, InputError, StoreError
    """
    layout = home.layout(given.panel)
    templates = home.read_templates(layout)
    seats = read_seats(templates, layout.agents)
    name = "templates/moderator/orchestration.md"
    rules = read_orchestration(templates[name], name)
    text = " ".join(line for slide in source.deck.slides for line in (slide.title, *slide.lines))
    if given.kind is not None:
        given = replace(given, kind=_kind(source.deck, given.kind))
    options = _options(home, given, layout, rules, language_of(text))
    outside = Outside(read_intel(given.intel), read_board(given.board) if given.board is not None else ())
    _sweep(home)
    target = home.sessions / options.id
    _refuse_twins(home, options.id)
    aside = home.sessions / f"{UNFINISHED}{options.id}-{os.getpid()}"
    try:
        home.sessions.mkdir(parents=True, exist_ok=True)
        carried = carry(options, source.deck)
        _make(
            aside,
            home,
            source,
            options,
            layout,
            templates,
            seats,
            rules,
            outside,
            engine,
            carried,
            tooling,
            then,
        )
        os.rename(aside, target)
        _sync_folder(home.sessions)
    except BaseException as error:
        shutil.rmtree(aside, ignore_errors=True)
        if isinstance(error, OSError):
            if target.exists():
                raise SessionExistsError(f"{options.id}: a session with this id is already there") from error
            raise HomeError(f"{target}: {files.reason(error)}; no session was made") from error
        raise
    return target


def _options(home: Home, given: Given, layout: Layout, rules: Orchestration, language: str) -> Options:
    config = home.config
    defaults = rules.defaults
    _check(given)
    return Options(
        id=check_session_id(given.id) if given.id is not None else home.new_id(),
        presenter=given.presenter or UNNAMED,
        panel=layout.panel,
        engine=given.engine or config.engine,
        layout=given.layout or config.layout,
        mode=given.mode or config.mode or defaults.mode,
        intensity=given.intensity or config.intensity or defaults.intensity,
        minutes=_first(given.minutes, config.minutes, int(defaults.minutes)),
        exchanges=_first(given.exchanges, config.exchanges, defaults.exchanges),
        focus=given.focus,
        date=_date(given.date),
        speaker=given.speaker,
        remember=given.remember,
        tools=given.remember and config.memory and config.tools,
        keep_source=given.keep_source,
        language=language,
        kind=given.kind,
    )


def _check(given: Given) -> None:
    """Raises UsageError for an option that cannot be meant."""
    for key in ("engine", "layout", "intensity", "mode", "minutes", "exchanges"):
        value = getattr(given, key)
        own_engine = key == "engine" and value not in CHOICES["engine"]
        if value is not None and not own_engine:
            checked(key, value, f"--{key}")
    if given.remember and (given.presenter is None or given.presenter == UNNAMED):
        raise UsageError("--remember needs your name: give it with --presenter NAME")
    texts = {
        "presenter": (given.presenter,),
        "speaker": (given.speaker,),
        "focus": given.focus,
        "kind": (given.kind,),
    }
    for key, values in texts.items():
        for value in values:
            if value is not None and not isinstance(value, str):
                raise TypeError(f"{key} is {type(value).__name__}, not str")
            if value is not None and _is_no_text(value):
                raise UsageError(f"--{key} is not valid Unicode text: write it anew")


def _is_no_text(value: str) -> bool:
    try:
        return "\0" in value.encode().decode()
    except UnicodeEncodeError:
        return True


def _kind(deck: Deck, given: str) -> str:
    """The name of the kind of deck that was given by its name or id; of "any", which has none, its id.

    Raises:
        UsageError: There is no such kind; the message lists them.
    """
    from orchestrator.engines.offline.kinds import NO_KIND, kind_of  # reads the bank: only where one is given

    kind = kind_of(deck, given)
    return kind.id if kind.id == NO_KIND.id else kind.name


def _first(*values: int | None) -> int:
    return next(value for value in values if value is not None)


def _date(given: str | None) -> str | None:
    from datetime import date

    if given is None:
        return None
    try:
        return date.fromisoformat(given).isoformat()
    except ValueError as error:
        raise UsageError(f"--date {given!r}: write a day as YYYY-MM-DD") from error


def _refuse_twins(home: Home, wanted: str) -> None:
    """Ids that differ only in case would be one folder on some file systems."""
    if not home.sessions.is_dir():
        return
    for folder in home.sessions.iterdir():
        if folder.name.lower() == wanted.lower():
            raise SessionExistsError(
                f"{wanted}: a session with the id {folder.name} is already there: choose another id"
            )


def _sweep(home: Home) -> None:
    """Remove what starts that were killed have left behind."""
    if home.sessions.is_dir():
        for folder in home.sessions.glob(f"{UNFINISHED}*"):
            if time() - folder.stat().st_mtime > UNFINISHED_KEPT_S:
                shutil.rmtree(folder, ignore_errors=True)


def _make(
    root: Path,
    home: Home,
    source: Source,
    options: Options,
    layout: Layout,
    templates: Mapping[str, str],
    seats: Mapping[str, Seat],
    rules: Orchestration,
    outside: Outside,
    engine: Engine,
    carried: Carried,
    tooling: Tooling | None,
    then: Callable[[Rehearsal], None],
) -> None:
    deck = source.deck
    value: dict[str, Any] = {
        "frames_version": FRAMES_VERSION,
        "layouts_version": LAYOUTS_VERSION,
        "greenroom": __version__,
        "id": options.id,
        "deck": {"name": deck.name, "title": deck.title, "kind": deck.kind, "sha256": deck.sha256},
        "presenter": options.presenter,
        "date": options.date,
        "options": to_json(options),
        "templates": digests(templates),
        "max_revisions": home.config.max_revisions,
        "budget_tokens": home.config.budget_tokens,
        **({KEY: carried.value()} if carried else {}),
    }
    store = create_store(root, layout, value)
    try:
        for path, text in templates.items():
            _copy(root / "ledger" / path, text.encode())
        if source.path is not None and options.keep_source:
            _copy(root / "source" / f"{deck.sha256}{source.path.suffix.lower()}", source.path.read_bytes())
        with store.transaction():
            _write_files(store, home, source, options, layout, seats, rules, outside, engine, tooling, then)
        store.flush()
    finally:
        store.close()
    for folder in (root / "ledger", root):
        _sync_folder(folder)


def _write_files(
    store: Store,
    home: Home,
    source: Source,
    options: Options,
    layout: Layout,
    seats: Mapping[str, Seat],
    rules: Orchestration,
    outside: Outside,
    engine: Engine,
    tooling: Tooling | None,
    then: Callable[[Rehearsal], None],
) -> None:
    deck = source.deck
    claims, gaps = deck_claims(deck), find_gaps(deck)
    found = deck_tensions(deck)
    blueprint = _blueprints(home, _fields(options, deck, layout, seats, rules))
    for path, row in layout.files.items():
        if row.has_blueprint and path != "shared/session-config.md":
            store.create(path, blueprint(path))
    store.write("shared/session-config.md", blueprint("shared/session-config.md"), by="start")
    store.write(
        "shared/deck-content.md",
        render_deck_content(deck, claims, gaps),
        by="start",
        value={
            "type": "deck",
            "deck": to_json(deck),
            "claims": to_json(claims),
            "gaps": to_json(gaps),
            "tensions": to_json(found),
        },
    )
    rehearsal = Rehearsal(store, lambda _: engine)
    rehearsal.room.deck, rehearsal.room.deck_claims = deck, claims  # the records are not committed yet
    rehearsal.room.tensions = list(found)
    rehearsal.room.members = outside.members
    rehearsal.tooling = tooling
    rehearsal.room.tensions += looking.look_at_deck(rehearsal)
    sitting = [seats[one] for one in layout.panel]
    rehearsal.room.intel = _write_outside(
        store, deck, claims, gaps, rehearsal.room.tensions, sitting, options, outside, engine
    )
    rehearsal.note_calls()
    phrases.write_phrases(rehearsal)
    panelist.write_focus_briefs(rehearsal)
    state_page.show_state(rehearsal, "presenting")
    then(rehearsal)


def _write_outside(
    store: Store,
    deck: Deck,
    claims: Sequence[Claim],
    gaps: Sequence[Gap],
    found: Sequence[Tension],
    seats: Sequence[Seat],
    options: Options,
    outside: Outside,
    engine: Engine,
) -> Intel:
    """Write the first revision of external-intel, and the board dossier; returns the intel."""
    held = held_against(engine, outside.reported, deck)
    intel = intel_of(held, outside.reported, deck, claims)
    most = store.max_revisions(store.layout.file("shared/external-intel.md"))
    store.write("shared/external-intel.md", intel_page(intel, most), by="start", value=intel_value(intel))
    dossier = build_dossier(
        engine,
        deck,
        claims,
        gaps,
        seats,
        members=outside.members,
        intel=intel.items,
        tensions=found,
        focus=options.focus,
        kind=options.kind,
    )
    value = dossier_value(dossier, outside.members)
    store.write("shared/board-dossier.md", dossier_page(dossier), by="start", value=value)
    return intel


def _fields(
    options: Options, deck: Deck, layout: Layout, seats: Mapping[str, Seat], rules: Orchestration
) -> dict[str, Any]:
    """What a blueprint may name; agents as the plain facts of their personas."""
    agents = {
        agent: {
            "id": agent,
            "name": seat.persona.name,
            "title": seat.persona.title,
            "role": seat.persona.role,
        }
        for agent, seat in seats.items()
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
        "turn_limit": rules.turn_limits[options.intensity],
        "speaker": options.speaker or "whoever speaks most",
        "focus": list(options.focus),
        "panel": [agents[agent] for agent in layout.agents],
        "agents": agents,
    }


def _blueprints(home: Home, fields: Mapping[str, Any]) -> Callable[[str], str]:
    """A function from a session file's path to its rendered blueprint.

    Only blueprints are templates; nothing of a session (deck, speech, names) is ever compiled.
    """
    from jinja2 import StrictUndefined, TemplateError
    from jinja2.sandbox import ImmutableSandboxedEnvironment

    environment = ImmutableSandboxedEnvironment(
        undefined=StrictUndefined, keep_trailing_newline=True, autoescape=False
    )

    def rendered(path: str) -> str:
        agent = path.partition("/")[0]
        own = home.blueprints / path
        if not own.is_file() and agent not in ("shared", MODERATOR):
            own = home.blueprints / "panelist" / path.partition("/")[2]
        try:
            template = environment.from_string(own.read_text("utf-8"))
            return template.render(fields, agent=fields["agents"].get(agent))
        except (OSError, UnicodeDecodeError, TemplateError) as error:
            raise HomeError(f"{own}: this blueprint cannot be rendered: {error}") from error

    return rendered


def _copy(path: Path, raw: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o644)
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
