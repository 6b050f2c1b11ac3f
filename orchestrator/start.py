"""How a session begins: everything is read and checked, then made aside, then given its name.

A start that fails leaves nothing behind.
Source: DESIGN.md, section 6.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from time import time
from typing import Any, Final

from orchestrator import __version__, files, moderator, panelist
from orchestrator.claims.extract import deck_claims
from orchestrator.claims.language import language_of
from orchestrator.config import checked
from orchestrator.context import FRAMES_VERSION
from orchestrator.deck.content import find_gaps, render_deck_content
from orchestrator.deck.model import Deck
from orchestrator.engines.protocol import Engine
from orchestrator.errors import GreenroomError, HomeError, InputError, SessionExistsError, UsageError
from orchestrator.home import UNFINISHED, Home, digests
from orchestrator.layout import MODERATOR, Layout, check_session_id
from orchestrator.orchestration import Orchestration, read_orchestration
from orchestrator.persona import Seat
from orchestrator.rehearsal import Rehearsal, read_seats
from orchestrator.room import Options
from orchestrator.store import Store, create_store
from orchestrator.values import to_json

LAYOUTS_VERSION: Final = 1
UNFINISHED_KEPT_S: Final = 3600
"""A start takes seconds; what is left after an hour was left by a process that died."""
MAX_INTEL_BYTES: Final = 1024 * 1024


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


@dataclass(frozen=True, slots=True)
class Source:
    """A deck, and the file that it was read from, if any."""

    deck: Deck
    path: Path | None = None


def start_session(home: Home, source: Source, given: Given, engine: Engine) -> Path:
    """Make a session and return its folder.

    Raises:
        UsageError, SessionExistsError, HomeError, PersonaError, InputError, StoreError
    """
    layout = home.layout(given.panel)
    templates = home.read_templates(layout)
    seats = read_seats(templates, layout.agents)
    name = "templates/moderator/orchestration.md"
    rules = read_orchestration(templates[name], name)
    text = " ".join(line for slide in source.deck.slides for line in (slide.title, *slide.lines))
    options = _options(home, given, layout, rules, language_of(text))
    intel = _intel(given.intel)
    _sweep(home)
    target = home.sessions / options.id
    _refuse_twins(home, options.id)
    aside = home.sessions / f"{UNFINISHED}{options.id}-{os.getpid()}"
    try:
        home.sessions.mkdir(parents=True, exist_ok=True)
        _make(aside, home, source, options, layout, templates, seats, rules, intel, engine)
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
    _check(given, config.mode)
    return Options(
        id=check_session_id(given.id) if given.id is not None else home.new_id(),
        presenter=given.presenter or "Presenter",
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
        keep_source=given.keep_source,
        language=language,
    )


def _check(given: Given, configured_mode: str | None) -> None:
    """Raises UsageError for an option that cannot be meant, GreenroomError for what is not built yet."""
    for key in ("engine", "layout", "intensity", "mode", "minutes", "exchanges"):
        value = getattr(given, key)
        own_engine = key == "engine" and value not in ("claude",)
        if value is not None and not own_engine:
            checked(key, value, f"--{key}")
    mode = given.mode or configured_mode
    if mode not in (None, "section-breaks"):
        raise GreenroomError(f"the mode {mode} is not built yet: use section-breaks")
    texts = {"presenter": (given.presenter,), "speaker": (given.speaker,), "focus": given.focus}
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
    intel: str,
    engine: Engine,
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
    }
    store = create_store(root, layout, value)
    try:
        for path, text in templates.items():
            _copy(root / "ledger" / path, text.encode())
        if source.path is not None and options.keep_source:
            _copy(root / "source" / f"{deck.sha256}{source.path.suffix.lower()}", source.path.read_bytes())
        with store.transaction():
            _write_files(store, home, source, options, layout, seats, rules, intel, engine)
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
    intel: str,
    engine: Engine,
) -> None:
    deck = source.deck
    claims, gaps = deck_claims(deck), find_gaps(deck)
    blueprint = _blueprints(home, _fields(options, deck, layout, seats, rules))
    for path, row in layout.files.items():
        if row.has_blueprint and path != "shared/session-config.md":
            store.create(path, blueprint(path))
    store.write("shared/session-config.md", blueprint("shared/session-config.md"), by="start")
    store.write(
        "shared/deck-content.md",
        render_deck_content(deck, claims, gaps),
        by="start",
        value={"type": "deck", "deck": to_json(deck), "claims": to_json(claims), "gaps": to_json(gaps)},
    )
    store.write("shared/external-intel.md", intel, by="start")
    dossier = "# Board dossier\n\nNo board was described for this session.\n"
    store.write("shared/board-dossier.md", dossier, by="start")
    rehearsal = Rehearsal(store, lambda _: engine)
    rehearsal.room.deck, rehearsal.room.deck_claims = deck, claims  # the records are not committed yet
    moderator.write_phrases(rehearsal)
    panelist.write_focus_briefs(rehearsal)
    moderator.show_state(rehearsal, "presenting")


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


def _intel(paths: Sequence[Path]) -> str:
    """The first revision of external-intel: the given files, one after the other."""
    if not paths:
        return "# External intel\n\nNo external intel was given for this session.\n"
    return "# External intel\n\n" + "".join(intel_part(path) for path in paths)


def intel_part(path: Path) -> str:
    """One file of outside information as it stands in external-intel.

    Raises:
        InputError: It cannot be read as text.
    """
    try:
        raw = path.read_bytes()
        if len(raw) > MAX_INTEL_BYTES:
            raise InputError(
                f"{path}: {len(raw)} bytes are too many for intel (limit {MAX_INTEL_BYTES}): shorten it"
            )
        text = raw.decode("utf-8-sig")
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {files.reason(error)}") from error
    except UnicodeDecodeError as error:
        raise InputError(f"{path}: is not UTF-8 text: give Markdown or plain text") from error
    if "\0" in text:
        raise InputError(f"{path}: holds NUL, so it is no text: give Markdown or plain text")
    return f"## {path.name}\n\n{text.strip()}\n\n"


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
