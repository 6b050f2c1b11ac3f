"""The command that fetches a model from the network, and nothing else does: fetch."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from orchestrator.cli.screen import Screen
from orchestrator.core.errors import UsageError

if TYPE_CHECKING:
    from orchestrator.panel.personas.outline import Finding


# ---------------------------------------------------------------------- panel
# Commands of the panel's templates: panel check, panel add.


def check(
    agent: Annotated[str | None, typer.Argument(metavar="AGENT", help="Only this one.")] = None,
) -> None:
    """Check the personas and their companions."""
    from orchestrator.core.home.table_file import TABLE_NAME
    from orchestrator.core.home.unnamed import no_blueprints
    from orchestrator.panel.personas.outline import Finding
    from orchestrator.panel.personas.panel_check import check_agent, check_panel
    from orchestrator.panel.records.setup import lacking

    screen = Screen.current
    home = screen.open_home()
    if agent is not None and not (home.templates / agent).is_dir():
        raise UsageError(f"there is no agent {agent!r} in {home.templates}")
    found = check_agent(home.templates / agent) if agent is not None else check_panel(home.templates)
    if agent is None:
        missing = [*lacking(home.table), *no_blueprints(home)]
        found += [Finding(str(home.root / TABLE_NAME), None, message) for message in missing]
    plain = {
        "valid": not found,
        "findings": [{"path": one.path, "line": one.line, "message": one.message} for one in found],
    }
    drafts = [home.templates / name for name in home.drafts()]
    screen.result(plain, "\n".join(_lines(found, drafts)) or "valid")
    if found:
        raise typer.Exit(1)


def _lines(found: Sequence[Finding], drafts: Sequence[Path]) -> Iterator[str]:
    """Yield each finding; those of a draft, of which every file has some, below one line for the seat."""
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
    from orchestrator.panel.personas.panel_check import scaffold

    screen = Screen.current
    made = scaffold(screen.open_home().templates, name)
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
