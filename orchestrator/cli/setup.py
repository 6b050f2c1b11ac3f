"""The command that fetches a model from the network, which no other command does: fetch."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from orchestrator.cli.screen import Screen
from orchestrator.core.errors import UsageError
from orchestrator.core.legible import one_line

if TYPE_CHECKING:
    from orchestrator.panel.home import Home
    from orchestrator.panel.personas.outline import Finding


# ---------------------------------------------------------------------- panel
# Commands of the panel's templates: panel check, panel add.


def check(
    agent: Annotated[str | None, typer.Argument(metavar="AGENT", help="Only this one.")] = None,
) -> None:
    """Check the personas and their companions.

    In the home of another crew, which has no panel: its table, templates and blueprints, as a start would.
    """
    from orchestrator.core.errors import ConfigurationError
    from orchestrator.core.home.table_file import TABLE_NAME
    from orchestrator.core.home.unnamed import no_blueprints
    from orchestrator.documents.opening import is_of_board
    from orchestrator.panel.personas.outline import Finding
    from orchestrator.panel.personas.panel_check import check_agent, check_panel
    from orchestrator.panel.records.setup import lacking

    screen = Screen.current
    home = screen.open_home()
    try:
        is_boards = is_of_board(home)
    except ConfigurationError as error:
        table = str(home.root / TABLE_NAME)
        _tell([Finding(table, None, str(error).removeprefix(table).lstrip(":, "))], ())
        return
    if not is_boards:
        _check_crew(home, agent)
        return
    if agent is not None and not (home.templates / agent).is_dir():
        raise UsageError(f"there is no agent {agent!r} in {home.templates}")
    found = check_agent(home.templates / agent) if agent is not None else check_panel(home.templates)
    if agent is None:
        missing = [*lacking(home.table), *no_blueprints(home)]
        found += [Finding(str(home.root / TABLE_NAME), None, message) for message in missing]
    _tell(found, [home.templates / name for name in home.drafts()])


def _check_crew(home: Home, agent: str | None) -> None:
    """Check the home of a crew that has no panel."""
    from orchestrator.core.dry_check import dry_check
    from orchestrator.panel.personas.outline import Finding

    screen = Screen.current
    crew = one_line(home.table.name)
    if agent is not None:
        raise UsageError(
            f"this home is of the crew {crew} and has no panel: leave {agent!r} out, and its table, "
            "templates and blueprints are checked"
        )
    screen.note(
        f"note: this home is of the crew {crew} and has no panel: its table, templates and blueprints are "
        "checked"
    )
    found = dry_check(home)
    for note in found.notes:
        screen.note(f"note: {note}")
    _tell([Finding(*_placed(one)) for one in found.wrong], ())


def _placed(line: str) -> tuple[str, None, str]:
    path, _, message = line.partition(": ")
    return path, None, message


def _tell(found: Sequence[Finding], drafts: Sequence[Path]) -> None:
    """Print what a check found; exit with 1 if that is anything."""
    plain = {
        "valid": not found,
        "findings": [{"path": one.path, "line": one.line, "message": one.message} for one in found],
    }
    Screen.current.result(plain, "\n".join(_lines(found, drafts)) or "valid")
    if found:
        raise typer.Exit(1)


def _lines(found: Sequence[Finding], drafts: Sequence[Path]) -> Iterator[str]:
    """Yield a line for each finding; the findings of a draft, of which each has some, under one line for
    the seat."""
    seat: Path | None = None
    for one in found:
        path = Path(one.path)
        if path.parent not in drafts:
            yield str(one)
            continue
        if path.parent != seat:
            seat = path.parent
            yield f"{seat.name} is a draft and sits in no session yet; in {seat} there is left to do:"
        yield f"  {str(one).removeprefix(f'{seat}/')}"


def add(name: Annotated[str, typer.Argument(metavar="NAME", help="The new agent's id.")]) -> None:
    """Add a seat, as a draft.

    Its persona and domain knowledge are to be rewritten before it sits.
    """
    from orchestrator.documents.opening import check_has_panel
    from orchestrator.panel.personas.panel_check import scaffold

    screen = Screen.current
    home = screen.open_home()
    check_has_panel(home, "an agent is added by its templates and the rows of its files in table.yaml")
    made = scaffold(home.templates, name)
    plain = {"valid": True, "findings": [], "files": [str(path) for path in made]}
    lines = "\n".join(f"made {path}" for path in made)
    screen.result(
        plain,
        f"{lines}\n{name} is a draft and sits in no session yet. Rewrite each line marked 'DRAFT:' in your "
        f"own words, then run: {screen.command} panel check {name}",
    )


# ---------------------------------------------------------------------- fetch


def fetch(
    name: Annotated[
        str, typer.Argument(metavar="NAME", help="As faster-whisper knows it: small, large-v3, ….")
    ],
) -> None:
    """Fetch a model that recognises speech, of other languages too.

    It comes from the hub that faster-whisper names, over the network, into the cache of its client. Set
    `stt_model: NAME` in greenroom.yaml to use it, and `stt_language: de` where German is spoken. Needs the
    extra `stt`.
    """
    from orchestrator.material.speech.recognition import fetch_model

    screen = Screen.current
    screen.note(f"note: {name} is fetched, which may be some gigabytes")
    folder = fetch_model(name)
    plain = {"model": name, "folder": str(folder)}
    screen.result(plain, f"{name} lies in {folder}; set `stt_model: {name}` in greenroom.yaml to use it")
