"""Commands for preparation: dossier, which needs no session, and intel, which adds news to one."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from orchestrator.cli.arguments import (
    BOARD_HELP,
    INTEL_HELP,
    SPEAKER_HELP,
    DeckFile,
    Name,
    Speech,
    asked_speaker,
    check_address,
    check_engine_name,
    looked_at,
    names_in,
    opened,
    option,
    recorded_speech,
    refuse,
)
from orchestrator.cli.screen import Screen, columns, wrapped
from orchestrator.cli.waiting import waiting
from orchestrator.core import legible
from orchestrator.core.errors import EngineError, GreenroomError
from orchestrator.panel import render
from orchestrator.panel.config.config import Config
from orchestrator.panel.config.engine_names import listed

if TYPE_CHECKING:
    from orchestrator.documents.check import Asked, Checked
    from orchestrator.material.claim import Tension
    from orchestrator.material.values import Intel
    from orchestrator.panel.engines.in_flight import Calls
    from orchestrator.rehearsal.rehearsal import Rehearsal


# ---------------------------------------------------------------------- check
# `greenroom check`: the claims of a deck (and speech) and where it contradicts itself; no session.


ENGINE_HELP = (
    f"Who reads beside the arithmetic: {listed()}, or one that is installed (help engines); offline "
    "reads nothing. Default: as greenroom.yaml says."
)
MODEL_HELP = "The model that the engine asks, by the name that its service knows."
KIND_HELP = "The kind of deck, where it is read wrongly."


def check(
    deck: DeckFile,
    speech: Speech = None,
    engine: Annotated[str | None, option("NAME", ENGINE_HELP)] = None,
    model: Annotated[str | None, option("NAME", MODEL_HELP)] = None,
    kind: Annotated[str | None, option("KIND", KIND_HELP)] = None,
    speaker: Annotated[str | None, option("LABEL", SPEAKER_HELP)] = None,
) -> None:
    """Show what a deck (and speech) claims, and what contradicts it.

    Without a model: the arithmetic within one table, chart or sentence. With one, it reads the
    whole, and what it finds is shown only after every quote and figure was found again.
    """
    from orchestrator.documents import check as document
    from orchestrator.material.deck.read import read_deck

    screen = Screen.current
    with waiting() as wait, _engine(screen, engine, model, wait.calls) as asked:
        recording = None
        if speech is not None:
            recording = recorded_speech(speech, _settings(screen), partial(read_deck, deck))
            speaker = asked_speaker(recording, speaker, notes=False)
        checked = document.check(deck, recording, asked, kind, speaker)
    if asked is not None and checked.refused:
        screen.note(
            f"note: {checked.refused} of what the {asked.wanted} engine named did not hold and is left out"
        )
    screen.result(document.check_json(checked), "" if screen.json else "\n".join(_page(checked)))
    if asked is not None and checked.failed:
        refuse(EngineError(f"warning: the {asked.wanted} engine did not read all of it: {checked.failed}"))


def _settings(screen: Screen) -> Config:
    try:
        return screen.open_home().config
    except GreenroomError:  # a deck and speech are checked without a home too
        return Config()


def _engine(
    screen: Screen, name: str | None, model: str | None, calls: Calls
) -> AbstractContextManager[Asked | None]:
    """Return the engine that reads the deck, or None if none does."""
    from orchestrator.documents.check import reading_engine

    try:
        config = screen.open_home().config
    except GreenroomError as error:
        if name is None:
            screen.note(f"note: only arithmetic is checked: {error}")
            return nullcontext()
        config = Config()
    check_engine_name(name)
    check_address(name or config.engine)
    return reading_engine(config, name, model, screen.warn, calls)


def _page(read: Checked) -> Iterator[str]:
    """Yield the lines of the result for people."""
    from orchestrator.panel.debrief.phrasing import DO_THESE_AGREE, UNREAD

    counts = (legible.counted(len(read.deck.slides), "slide"), legible.counted(len(read.claims), "claim"))
    found = f"{', '.join(counts)}, {legible.counted(len(read.computed), 'contradiction')}"
    yield render.headed(read.deck.title or read.deck.name, found)
    yield f"{'read' if not read.kind.given else 'set'} as: {read.kind.name}"
    if not read.has_read:
        yield "checked: the arithmetic within one table, chart or sentence"
    if read.computed:
        yield from ("", "Contradictions")
    for number, tension in enumerate(read.computed, start=1):
        yield from _found_page(number, tension.note, tension)
        if tension.sum and tension.sum not in tension.note:
            yield _line(f"     {tension.sum}", hang=0)
    if read.doubtful:
        yield from ("", f"{DO_THESE_AGREE} (no figure decides it, so these are not counted)")
    for number, tension in enumerate(read.doubtful, start=1):
        yield from _found_page(number, f"{tension.subject or 'Which is it'}? {tension.note}", tension)
    if unread := [*read.notices, *(gap.line for gap in read.gaps)]:
        yield from ("", UNREAD)
    yield from (_line(f"   {one}") for one in unread)
    if read.claims:
        yield from ("", "Claims")
    for claim in read.claims:
        where = _where(claim.slide, claim.said_at_s)
        yield _line(f"   {where}, {', '.join(claim.kinds)}: {claim.text}")


def _found_page(number: int, words: str, tension: Tension) -> Iterator[str]:
    """Yield the lines of one finding: the sentence, and every quote with its place."""
    yield _line(f"{number}. {words}", hang=3)
    for place in dict.fromkeys(tension.sides):
        where = _where(place.slide, place.said_at_s) + (f", {place.under}" if place.under else "")
        yield _line(f'     {where}: "{place.quote}"', hang=0)


def _line(text: str, *, hang: int = 2) -> str:
    return wrapped(text, columns(sys.stdout), hang=hang)


def _where(slide: int | None, said_at_s: float | None) -> str:
    if said_at_s is None:
        return f"slide {slide}"
    return f"at {legible.clock(said_at_s)}"


# ---------------------------------------------------------------------- prepare


def dossier(
    deck: DeckFile,
    board: Annotated[Path | None, option("FILE", BOARD_HELP)] = None,
    intel: Annotated[list[Path] | None, option("FILE", INTEL_HELP)] = None,
    panel: Annotated[str | None, option("A,B,C", "The panelists that lend a hand.")] = None,
    focus: Annotated[list[str] | None, option("TEXT", "A matter to look at most; may be repeated.")] = None,
    kind: Annotated[str | None, option("KIND", "The kind of deck; without it, read from the deck.")] = None,
    engine: Annotated[
        str | None, option("NAME", f"Who answers: {listed()}, or one that is installed.")
    ] = None,
    model: Annotated[str | None, option("NAME", "The model, of an engine that has one.")] = None,
) -> None:
    """Show the likely attacks on a deck, and how to prepare for them.

    No session is begun. The board file is a YAML or JSON list, one entry a person; only the name must
    be there:

    \b
        - name: Ruth Alvarez
          role: treasurer
          background: twenty years in commercial banking
          interests: [cash, customer churn]
          uses: [SAP ledger, Azure]

    Beside a list under `board:` may stand the body's own `rules:` and stages, one a line. Without a board
    file, the panel takes the board's place. For the shapes of intel, see `greenroom intel --help`.
    """
    from orchestrator.documents.check import asked_engine
    from orchestrator.documents.preparation import dossier_of, seats_of
    from orchestrator.material.intel.findings import read_intel
    from orchestrator.panel.dossier.brought import read_board
    from orchestrator.panel.dossier.page import dossier_json, dossier_text

    screen = Screen.current
    members = read_board(board) if board is not None else ()
    reported = read_intel(intel or ())
    home = screen.open_home()
    seats = seats_of(home, names_in(panel))
    check_address(engine or home.config.engine)
    with (
        waiting() as wait,
        asked_engine(home.config, engine, model, screen.warn, wait.calls) as asked,
    ):
        found, notices = dossier_of(asked, deck, seats, members, reported, tuple(focus or ()), kind)
    for notice in notices:
        screen.note(f"note: {notice}")
    screen.result(dossier_json(found), dossier_text(found))
    if found.failed is not None:
        refuse(
            EngineError(
                f"warning: the {asked.wanted} engine failed, so the offline one wrote it: {found.failed}"
            )
        )


def intel(
    session: Name,
    files: Annotated[list[Path] | None, typer.Argument(metavar="[FILE…]", help=INTEL_HELP)] = None,
    without: Annotated[
        list[str] | None,
        option("WORD", "A name that no web query may hold; may be repeated."),
    ] = None,
) -> None:
    """News and facts from outside: from files, or from the web.

    They are a new revision of external-intel. Without files, the claude engine searches the web for the
    subjects of the deck's claims. No query holds the presenter's name, the company's (as the deck's title
    and file name give it) or a figure of the deck; all are shown. With another engine, or when the session
    has ended, what is known so far is shown.

    A list in YAML or JSON (.yaml, .yml, .json) holds texts, or entries of which only the finding must be
    there; `topic`, `source` and `date` may also stand once beside a list under `items`:

    \b
        - finding: Churn in the sector was 9% in 2026.
          topic: customer churn
          source: Sector register
          date: 2026-10-02
          slide: 3                # or claim: d3.2, as `greenroom check` lists it
          stance: contradicts     # else: as a model reads it, or neutral

    Any other file is Markdown or text: each paragraph, bullet or table row is a finding; a heading is its
    topic, and lines such as `Source: …` and `Date: …` hold for the rest of their section, and for a
    finding right above them. A model says which words of the deck a finding bears on; without one, what
    names no claim or slide is listed as not held against the deck. A file given again by the same name
    takes the place of what it said before.
    """
    from orchestrator.documents.preparation import intel_json
    from orchestrator.panel.loop.news import can_search
    from orchestrator.panel.records.projection import INTEL

    screen = Screen.current
    if not files:
        with looked_at(session) as found:
            if not found.rehearsal.store.frozen and can_search(found.rehearsal):
                _search(found, without or ())
                return
            if not found.rehearsal.store.frozen:
                name = found.rehearsal.engine.name
                screen.note(f"note: the {name} engine cannot search the web: give files to bring news in")
            screen.result(intel_json(found), found.read(INTEL))
        return
    with opened(session) as found:
        found.add_intel(tuple(files))
        plain = intel_json(found)
        screen.result(plain, _text(found.projection.intel, plain))


def _search(session: Rehearsal, without: Sequence[str]) -> None:
    """Search the web for findings and add them; show the queries as they were sent."""
    from orchestrator.documents.preparation import searched_json

    screen = Screen.current
    came = session.search_intel(without=without)
    for line in came.failed:
        screen.warn(line)
    plain = searched_json(session, came)
    lines = ["Searched for:", *(f"  {query}" for query in came.queries)]
    if not came.is_new:
        lines.append(f"Nothing was found; external-intel stays at revision {came.revision} of {came.of}.")
    else:
        lines.append(_text(session.projection.intel, plain))
    screen.result(plain, "\n".join(lines))


def _text(known: Intel, plain: dict[str, Any]) -> str:
    """Return the new revision for people: the counts, and the findings that contradict the deck."""
    from orchestrator.core.legible import counted
    from orchestrator.material.intel.findings import counts, not_read

    lines = [f"external-intel: revision {plain['revision']} of {plain['of']}"]
    if known.items:
        lines.append(f"{counted(len(known.items), 'finding')}: {counts(known.items)}")
    lines += [
        f"  {item.id}  slide {item.slide}{quoted} is contradicted ({item.why or 'no reason given'})"
        for item in known.contradicting
        for quoted in [f': "{item.quote}"' if item.quote is not None else ""]
    ]
    if known.failed is not None:
        lines.append(not_read(known.failed))
    return "\n".join(lines)
