"""`list`: what is in a home, or in an archive; `progress`: how somebody comes on over its rehearsals."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from orchestrator.cli.options import option
from orchestrator.cli.screen import Screen
from orchestrator.cli.shared import Endpoint, s3_options
from orchestrator.core.errors import ArchiveError, UsageError


def list_(
    archive: Annotated[str | None, option("URL", "List an archive instead.")] = None,
    search: Annotated[str | None, option("TEXT", "Only sessions that hold this text.")] = None,
    endpoint_url: Endpoint = None,
) -> None:
    """The sessions of this home, or of an archive."""
    from orchestrator.documents.listing import archived, listed, local

    screen = Screen.current
    if archive is not None:
        _check_folder(archive)
        rows = archived(archive, search, s3_options(endpoint_url), screen.warn, screen.known_home())
    else:
        rows = local(screen.open_home(), search, screen.warn)
    lines = [_line(row) for row in rows]
    found = listed(rows, search)
    if blind := found.get("not_searched"):
        lines.append(f"not searched, so there may be more: {', '.join(blind)}")
    screen.result(found, "\n".join(lines) or "no sessions")


def _line(row: dict[str, Any]) -> str:
    from orchestrator.core.legible import counted
    from orchestrator.material.deck.shown import shown

    where = f"{row['session']:28} {row.get('day') or '':10}  {row['state']:12}"
    marks = [f"({shown(row['presenter'])})"] if row["presenter"] else []
    marks += ["recorded"] if row.get("recorded") else []
    return "  ".join([f"{where} {counted(row['exchanges'], 'exchange'):>12}", _name_of(row), *marks])


def _name_of(row: dict[str, Any]) -> str:
    """Return a session's own title before its deck's; of most there is the deck's alone."""
    return ": ".join(filter(None, (row.get("title"), row["deck"])))


def progress(
    session: Annotated[
        str | None, typer.Argument(metavar="[SESSION]", help="Only the rehearsals of this one's deck.")
    ] = None,
    presenter: Annotated[
        str | None, option("NAME", "Whose rehearsals. Default: of whoever ended one last.")
    ] = None,
) -> None:
    """How a presenter comes on over the rehearsals of a deck.

    Answers, points closed, time and pace. A person's verdict on an answer counts before the panel's, and it
    is said whose they were. What nobody judged counts for nothing: `judge` says what an answer was worth.
    Drills are left out, and demonstrations unless one is named.
    """
    from orchestrator.core.archive.stores import open_store
    from orchestrator.core.legible import clock, counted, one_line
    from orchestrator.documents.listing import progress_json
    from orchestrator.panel.comments import Verdicts
    from orchestrator.review.catalogue import of_home
    from orchestrator.review.progress import answers_of, ended_of, ended_with, progress_of
    from orchestrator.review.update import update

    if session is not None and presenter is not None:
        raise UsageError("SESSION and --presenter exclude each other: a session says whose it is")
    screen = Screen.current
    home = screen.open_home()
    catalogue = of_home(home)
    update(catalogue, home.sessions, open_store(str(home.archives)))
    if session is not None:
        whose, rows = ended_with(catalogue, home.find(session).name)
    else:
        whose, rows = ended_of(catalogue, presenter)
    found = progress_of(rows, Verdicts(home.records).of)
    nobody = f"{presenter} has ended no rehearsal yet" if presenter else "no rehearsal has ended yet"
    lines = [] if found else [nobody]
    for deck in found:
        lines += ["", one_line(deck.deck), deck.sentence]
        for run in deck.runs:
            used_s, budget_s = run.entry.used_s, 60 * run.entry.minutes
            told = [counted(run.questions, "question"), answers_of(run)]
            told += [f"{counted(len(run.closed), 'point')} closed"] if run.closed else []
            told += [f"{clock(used_s)} of {clock(budget_s)}"] if used_s else []
            told += [f"{run.entry.words_per_minute} words a minute"] if run.entry.words_per_minute else []
            about = "; ".join(one for one in told if one)
            lines.append(f"  {run.entry.when}  {run.entry.session}  {about}")
        lines += [f"  closed: {one_line(one)}" for run in deck.runs for one in run.closed]
        lines += [f"  open: {one_line(one)}" for one in deck.open]
    screen.result(progress_json(whose, found), "\n".join(lines).lstrip("\n"))


def _check_folder(archive: str) -> None:
    """Refuse a folder that does not exist: a mistyped path would look like an archive that is empty."""
    from orchestrator.core.archive.stores import FolderStore, open_store

    store = open_store(archive)
    if isinstance(store, FolderStore) and not store.root.is_dir():
        raise ArchiveError(f"{store.root} does not exist, so nothing is archived there: check the path")
