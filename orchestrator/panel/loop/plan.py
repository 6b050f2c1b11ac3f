"""The plan of a session: all inputs, read and checked before anything is created."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from datetime import date
from pathlib import Path
from typing import Any, Final, TypedDict

from orchestrator.core.errors import InputError, UsageError
from orchestrator.core.home.unnamed import check_blueprints
from orchestrator.core.legible import one_line, text_argument
from orchestrator.core.owner import Owner, check_owner, identity_of
from orchestrator.core.table import SeatedTable, check_session_id
from orchestrator.material.claim import Place
from orchestrator.material.claims.language import language_of_deck
from orchestrator.material.intel.findings import read_intel
from orchestrator.material.values import BroughtQuestion, Deck, Reported
from orchestrator.panel.config.config import checked
from orchestrator.panel.config.engine_names import may_use_tools
from orchestrator.panel.dossier.brought import Given, check_questions, each_once, questions_of, read_board
from orchestrator.panel.home import Home
from orchestrator.panel.loop.asking import open_exchange
from orchestrator.panel.loop.calling_on import Choice
from orchestrator.panel.loop.rehearsal import OpenRehearsal, read_seats
from orchestrator.panel.loop.transcript import move_to
from orchestrator.panel.model.carryover import Drilled
from orchestrator.panel.model.exchange import PUT_AGAIN, Candidate, Exchange
from orchestrator.panel.model.reply import BoardMember
from orchestrator.panel.personas.orchestration import Orchestration, read_orchestration
from orchestrator.panel.personas.persona import Seat
from orchestrator.panel.records.projection import Projection, bare_first
from orchestrator.panel.records.setup import UNNAMED, Options, check_needs

# ---------------------------------------------------------------------- plan


RULES = "templates/moderator/orchestration.md"


@dataclass(frozen=True, slots=True)
class StartOptions:
    """The user's options; an option that is None gets its default."""

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
    questions: tuple[Given, ...] = ()  # that the presenter brings
    owner: Owner | None = None  # whose it is, where people sign in; `presenter` is the owner's identity then
    called: str | None = None  # what the panel calls the presenter; None: by `presenter`


class StartArguments(TypedDict, total=False):
    """The options of `Rehearsal.start` as a caller writes them: by the names of `StartOptions`."""

    id: str | None
    presenter: str | None
    speaker: str | None
    panel: str | Sequence[str] | None  # names, or one text of them with commas
    date: str | None
    layout: str | None
    intensity: str | None
    mode: str | None
    minutes: int | None
    exchanges: int | None
    focus: str | Sequence[str]
    remember: bool
    keep_source: bool
    intel: str | Path | Sequence[str | Path]
    board: str | Path | None
    kind: str | None
    questions: str | Path | Sequence[Any] | None  # a file; or texts, or mappings with text, slide and agent
    owner: Owner | None
    called: str | None


@dataclass(frozen=True, slots=True)
class Source:
    """A deck, and the file or session that it comes from."""

    deck: Deck
    path: Path | None = None  # of the file that it was read from
    drilled: Drilled | None = None  # the question for whose sake an earlier session's deck was taken


def start_options_of(options: Mapping[str, Any]) -> StartOptions:
    """Make options from their names, with lists and single strings turned into tuples.

    Raises:
        TypeError: An option has no such name.
    """
    known = {field.name for field in fields(StartOptions)} - {"engine"}
    if unknown := set(options) - known:
        raise TypeError(
            f"Rehearsal.start has no option {sorted(unknown)[0]!r}; it has {', '.join(sorted(known))}"
        )
    return StartOptions(**{name: _plain(name, value) for name, value in options.items()})


def _plain(name: str, value: Any) -> Any:
    if name == "questions":
        return questions_of(value) if value is not None else ()
    if name in ("panel", "focus", "intel") and value is not None:
        items = value.split(",") if isinstance(value, str) and name == "panel" else value
        items = [items] if isinstance(items, str | Path) else items
        return tuple(Path(item) if name == "intel" else item for item in items)
    return Path(value) if name == "board" and isinstance(value, str) else value


def read_source(deck: str | Path | Source | None, deck_text: str | None) -> Source:
    """Read the deck to start with, or return *deck* unchanged if it is already read.

    Raises:
        DeckError: The deck cannot be read.
    """
    from orchestrator.material.deck.read import (  # takes its time; only a start needs it
        read_deck,
        read_deck_text,
    )

    if (deck is None) == (deck_text is None):
        raise TypeError("give either a deck file or deck_text")
    if deck_text is not None:
        return Source(read_deck_text(deck_text))
    if isinstance(deck, Source):
        return deck
    path = Path(deck) if deck is not None else Path()
    return Source(read_deck(path), path)


@dataclass(frozen=True, slots=True)
class Plan:
    """A session to be created, complete: carrying it out asks for nothing again."""

    home: Home
    source: Source
    options: Options
    layout: SeatedTable
    templates: Mapping[str, str]
    seats: Mapping[str, Seat]
    rules: Orchestration
    reported: tuple[Reported, ...]  # findings from outside
    members: tuple[BoardMember, ...]  # of the real board
    questions: tuple[BroughtQuestion, ...]  # that the presenter brings, each once
    notices: tuple[str, ...]  # what of that was left out, a line each
    owner: Owner | None = None


def plan_of(home: Home, source: Source, given: StartOptions) -> Plan:
    """Make the plan for the options *given* in this home.

    Raises:
        UsageError, HomeError, PersonaError, InputError
        ConfigurationError: The home's table of files is invalid, or lacks what the panel needs.
    """
    check_needs(home.table)
    layout = home.layout(given.panel)
    check_blueprints(home, layout)
    templates = home.read_templates(layout)
    seats = read_seats(templates, layout.agents)
    rules = read_orchestration(templates[RULES], RULES)
    _check(given)
    if given.kind is not None:
        given = replace(given, kind=_kind(source.deck, given.kind))
    check_questions(given.questions, source.deck, layout.panel)
    questions, notices = each_once(given.questions)
    return Plan(
        home=home,
        source=source,
        options=_options(home, given, layout, rules, language_of_deck(source.deck), least=len(questions)),
        layout=layout,
        templates=templates,
        seats=seats,
        rules=rules,
        reported=read_intel(given.intel),
        members=read_board(given.board) if given.board is not None else (),
        questions=questions,
        notices=notices,
        owner=given.owner,
    )


def _options(
    home: Home, given: StartOptions, layout: SeatedTable, rules: Orchestration, language: str, *, least: int
) -> Options:
    """Combine the options *given* with the settings.

    Allow at least *least* exchanges unless fewer are requested.
    """
    config = home.config
    defaults = rules.defaults
    engine = given.engine or config.engine
    return Options(
        id=check_session_id(text_argument("id", given.id)) if given.id is not None else home.new_id(),
        presenter=one_line(given.presenter) if given.presenter is not None else UNNAMED,
        panel=layout.panel,
        engine=engine,
        layout=given.layout or config.layout,
        mode=given.mode or config.mode or defaults.mode,
        intensity=given.intensity or config.intensity or defaults.intensity,
        minutes=_first(given.minutes, config.minutes, int(defaults.minutes)),
        exchanges=_first(given.exchanges, max(least, _first(config.exchanges, defaults.exchanges))),
        focus=tuple(filter(None, map(one_line, given.focus))),
        date=_date(given.date),
        speaker=given.speaker,
        remember=given.remember,
        tools=given.remember and config.memory and config.tools and may_use_tools(engine),
        keep_source=given.keep_source,
        language=language,
        kind=given.kind,
        called=one_line(given.called or ""),
    )


def _check(given: StartOptions) -> None:
    """Raise UsageError for an invalid option."""
    if given.owner is not None:
        check_owner(given.owner)
        if identity_of(given.presenter or "") != given.owner.identity:
            raise UsageError(f"--presenter must be the owner, {given.owner.identity}: whose session it is")
    for key in ("layout", "intensity", "mode", "minutes", "exchanges"):
        value = getattr(given, key)
        if value is not None:
            checked(key, value, f"--{key}")
    if given.remember and (given.presenter is None or given.presenter == UNNAMED):
        raise UsageError("--remember needs your name: give it with --presenter NAME")
    if isinstance(given.presenter, str) and not one_line(given.presenter):
        raise UsageError("--presenter is blank: give a name, or leave it out")
    texts = {
        "presenter": (given.presenter,),
        "speaker": (given.speaker,),
        "focus": given.focus,
        "kind": (given.kind,),
        "called": (given.called,),
    }
    for key, values in texts.items():
        for value in values:
            if not isinstance(value, str) and (value is not None or key == "focus"):
                raise TypeError(f"{key} is {type(value).__name__}, not str")
            if value is not None and key != "focus" and len(value) > MAX_OPTION:
                raise UsageError(
                    f"--{key} has {len(value):,} characters; at most {MAX_OPTION} are taken: shorten it"
                )
            if value is not None and _is_no_text(value):
                raise UsageError(f"--{key} is not valid Unicode text: write it anew")
            if value is not None and key != "focus" and not _JOINERS.sub("", value).isprintable():
                raise UsageError(f"--{key} {value!r} is not one line of text: write it anew")


MAX_OPTION: Final = 100
"""Maximum number of characters of a name, as many as memory stores of a presenter's
(`memory.model.MAX_PRESENTER_CHARS`).
"""
_JOINERS: Final = re.compile("[\u200c\u200d]")  # no character to see, and yet part of Persian and Indic names


def _is_no_text(value: str) -> bool:
    try:
        return "\0" in value.encode().decode()
    except UnicodeEncodeError:
        return True


def _kind(deck: Deck, given: str) -> str:
    """Return the name of the kind of deck with the name or id *given*, or its id for "any", which has no
    name.

    Raises:
        UsageError: No kind has this name or id; the message lists the kinds.
    """
    from orchestrator.panel.bank.deck import NO_KIND, kind_of  # reads the bank: only where one is given

    kind = kind_of(deck, given)
    return kind.id if kind.id == NO_KIND.id else kind.name


def _first(*values: int | None) -> int:
    return next(value for value in values if value is not None)


def _date(given: str | None) -> str | None:
    if given is None:
        return None
    text_argument("date", given)
    try:
        return date.fromisoformat(given).isoformat()
    except ValueError as error:
        raise UsageError(f"--date {given!r}: write a day as YYYY-MM-DD") from error


# ---------------------------------------------------------------------- drilling
# A drill: one question of an earlier session, put again in a session of its own.
#
# Only the question comes along, where it was put before, and how it went, which the debrief alone shows.
# What the panel may press, remember or compare is that session's own.


MINUTES: Final = 5
"""Minutes of a drill.

An adversarial panelist asks up to four times (orchestration.md), so this allows a minute for each answer.
With fewer minutes, the warning about the time would come during a full answer; with more, the share of the
time used would mean nothing.
"""


def earlier_question(projection: Projection, exchange: str) -> Exchange:
    """Return the exchange with this id.

    Raises:
        InputError: No exchange has this id; the message names the existing ones.
    """
    for one in projection.asked:
        if one.id == exchange:
            return one
    there = ", ".join(one.id for one in projection.asked)
    raise InputError(
        f"there is no question {exchange[:40]!r}: " + (f"there are {there}" if there else "none was asked"),
        value=exchange[:40],
    )


def source_of(rehearsal: OpenRehearsal) -> Source:
    """Return the session's deck as it was read, with its file if the session stores it.

    Nothing is read again.
    """
    deck = rehearsal.scene().deck
    kept = rehearsal.store.root / "source"
    return Source(deck, next(iter(sorted(kept.glob(f"{deck.sha256}.*"))), None))


def source_of_drill(rehearsal: OpenRehearsal, earlier: Exchange) -> Source:
    """Return the session's deck with the question to ask again, which the new session's first record names.

    The earlier outcome is stored only for the debrief, which shows it beside the new answer.
    """
    drilled = Drilled(rehearsal.options.id, earlier.id, rehearsal.exchange_on_record(earlier))
    return replace(source_of(rehearsal), drilled=drilled)


def options_of_drill(options: Options) -> dict[str, Any]:
    """Return the options of a drill: those of its session, with one exchange.

    A drill does not go into the panel's memory of a presenter, which should come from whole rehearsals.
    """
    return {
        "presenter": None if options.presenter == UNNAMED else options.presenter,
        "panel": options.panel,
        "date": options.date,
        "layout": options.layout,
        "mode": options.mode,
        "intensity": options.intensity,
        "kind": options.kind,
        "called": options.called or None,
        "keep_source": options.keep_source,
        "minutes": MINUTES,
        "exchanges": 1,
        "remember": False,  # said, not left to the default, so that nobody's own default changes it
    }


def put_again(rehearsal: OpenRehearsal, earlier: Exchange) -> Exchange:
    """Ask the question of an earlier session again, on the same deck and judged by the same measure.

    Words on slides that it is about are shown above it as before. This session does not contain the speech
    that it is about, so those words are said with the question.
    """
    on_deck, said = _places(earlier)
    question = bare_first(earlier)
    before = [f"You said “{one.quote}”." for one in said if one.quote not in question]
    first, beside = (*on_deck, None, None)[:2]
    claims = rehearsal.projection.claims_by_id
    candidate = Candidate(
        agent=earlier.agent,
        question=" ".join([*before, question]),
        claim=earlier.claim if first is not None and earlier.claim in claims else None,
        slide=None if first is None else first.slide,
        said_at_s=None,
        quote=None if first is None else first.quote,
        grounded=first is not None,
        needs=earlier.turns[0].needs,
        relevance=0.0,
        lead_in="",
        angle=earlier.angle or PUT_AGAIN,
        beside=beside,
        good_answer=earlier.good_answer,
        is_missing=earlier.is_missing and first is not None,
        under="" if first is None else first.under,
    )
    if first is not None and first.slide is not None:
        move_to(rehearsal, first.slide)  # what the room shows is what the question is about
    return open_exchange(rehearsal, Choice(earlier.agent, candidate, PUT_AGAIN))


def _places(earlier: Exchange) -> tuple[list[Place], list[Place]]:
    """Return the places that the question is about: first those on slides, then those in speech."""
    if earlier.quote is None:
        return [], []
    own = Place(earlier.slide, earlier.said_at_s, earlier.quote, earlier.under)
    both = [own, *([earlier.beside] if earlier.beside is not None else [])]
    on_deck = [one for one in both if one.said_at_s is None]
    return on_deck, [one for one in both if one.said_at_s is not None]
