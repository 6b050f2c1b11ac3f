"""Commands that prepare: dossier, which needs no session, and intel, which brings news into one."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from orchestrator.cli.options import BOARD_HELP, INTEL_HELP, DeckFile, names_in, option
from orchestrator.cli.screen import Screen
from orchestrator.cli.shared import Name, check_address, looked_at, opened, refuse
from orchestrator.cli.waiting import waiting
from orchestrator.core.errors import EngineError
from orchestrator.panel.config.engine_names import listed

if TYPE_CHECKING:
    from orchestrator.material.model.intel import Intel
    from orchestrator.rehearsal.session import Session


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
    """The likely attacks on a deck, and how to prepare for them.

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
    from orchestrator.documents.dossier import dossier_of, seats_of
    from orchestrator.documents.without_session import asked_engine
    from orchestrator.material.intel.read import read_intel
    from orchestrator.panel.dossier.board import read_board
    from orchestrator.panel.dossier.page import dossier_json
    from orchestrator.panel.dossier.terminal import dossier_text

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
    from orchestrator.documents.intel import intel_json
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


def _search(session: Session, without: Sequence[str]) -> None:
    """Bring in what the web says; the queries are shown as they were sent."""
    from orchestrator.documents.intel import searched_json

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
    """The new revision for people: the counts, and the findings that now speak against the deck."""
    from orchestrator.core.legible import counted
    from orchestrator.material.intel.page import counts, not_read

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
