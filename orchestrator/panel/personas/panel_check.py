"""Checks agents as a whole, and drafts new ones: `greenroom panel check` and `panel add`.

Reading a template is lenient (`persona.py`); this is where everything that a template of today
must hold is asked for: keys, headings, counts, sizes, and that a person wrote it.

Source: DESIGN.md, section 2.
"""

from __future__ import annotations

import os
import secrets
import shutil
from collections.abc import Callable, Mapping
from importlib import resources
from pathlib import Path
from string import Template

from orchestrator.core.errors import PersonaError, UsageError
from orchestrator.core.home.folder import DRAFT
from orchestrator.core.home.regular import read_regular
from orchestrator.core.legible import counted
from orchestrator.core.table import AGENT, MODERATOR, check_agent_name
from orchestrator.panel.home import Home
from orchestrator.panel.personas.fault import Finding
from orchestrator.panel.personas.orchestration import orchestration_of
from orchestrator.panel.personas.outline import Outline, read_outline
from orchestrator.panel.personas.seat_check import (
    MOST_BYTES,
    check_domain,
    check_persona,
    check_phrases,
)


def check_panel(templates: Path) -> list[Finding]:
    """Everything that is wrong with the agents under *templates*; empty when all is well.

    Folders whose names start with a dot are no agents.
    """
    try:
        folders = sorted(p for p in templates.iterdir() if p.is_dir() and not p.name.startswith("."))
    except OSError as error:
        return [Finding(str(templates), None, f"cannot be read ({error.strerror}): name a home that has it")]
    names = {folder.name for folder in folders}
    findings, least = [], Home(templates.parent).table.min_seats
    if MODERATOR not in names:
        findings.append(Finding(str(templates), None, f"has no {MODERATOR}/: every panel needs one"))
    if len(names - {MODERATOR}) < least:
        message = f"has {len(names - {MODERATOR})} panelists, needs at least {least}: add one with"
        findings.append(Finding(str(templates), None, f"{message} `greenroom panel add NAME`"))
    return findings + [finding for folder in folders for finding in check_agent(folder)]


def check_agent(folder: Path) -> list[Finding]:
    """Everything that is wrong with one agent's folder; empty when all is well.

    The folder `moderator` must hold orchestration and phrases, any other one domain knowledge.
    Findings come file by file, in the order of their lines.
    """
    if not folder.is_dir():
        return [Finding(str(folder), None, "is no agent's folder: make one with `greenroom panel add NAME`")]
    findings = []
    try:
        check_agent_name(folder.name)
    except UsageError as error:
        findings.append(Finding(str(folder), None, str(error)))
    for name in Home(folder.parent.parent).table.companions(folder.name):
        findings += _check_file(folder / name)
    return findings


def scaffold(templates: Path, name: str) -> list[Path]:
    """Add a seat: `NAME/persona.md` and `NAME/domain-knowledge.md`, drafts for somebody to rewrite.

    The folder appears whole or not at all. Each line to rewrite is marked; as long as one is, the
    seat is not valid and sits in no session.

    Returns:
        The files that were made.

    Raises:
        PersonaError: The name is none that an agent may have, is taken, or the disk refuses.
    """
    try:
        check_agent_name(name)
    except UsageError as error:
        raise PersonaError(str(error)) from None
    folder, companions = templates / name, Home(templates.parent).table.companions(AGENT)
    if name == MODERATOR or os.path.lexists(folder):  # lexists: a link that leads nowhere is taken too
        raise PersonaError(f"{folder} is taken: choose another name, or edit the files that are there")
    words = {"id": name, "name": " ".join(name.replace("-", " ").split()).title()}
    unfinished = templates / f".{name}-{secrets.token_hex(4)}"
    try:
        unfinished.mkdir()
        for file in reversed(companions):  # persona.md last: it is what makes a folder an agent
            text = Template(_draft(file)).substitute(words)
            (unfinished / file).write_text(text, encoding="utf-8", newline="\n")
        unfinished.rename(folder)  # whole or not at all; fails if somebody was quicker
    except OSError as error:
        raise PersonaError(
            f"{folder} cannot be made ({error.strerror}): correct that and try again"
        ) from error
    finally:
        shutil.rmtree(unfinished, ignore_errors=True)
    return [folder / file for file in companions]


def _draft(file: str) -> str:
    drafts = resources.files("orchestrator") / "panel" / "personas" / "seat_draft"
    own = drafts / file
    return (own if own.is_file() else drafts / "companion.md").read_text(encoding="utf-8")


def _check_file(path: Path) -> list[Finding]:
    try:
        raw = read_regular(path)
        text = raw.decode()
    except OSError as error:
        return [Finding(str(path), None, f"cannot be read ({error.strerror}): this agent needs it")]
    except UnicodeDecodeError as error:
        line = error.object.count(b"\n", 0, error.start) + 1
        return [Finding(str(path), line, "is not UTF-8 text: save it as UTF-8")]
    outline = read_outline(text, str(path), front=path.name in _WITH_FRONT_MATTER)
    _CHECKS.get(path.name, _no_form)(outline)
    given = outline.front.values.get("id")
    if isinstance(given, str) and given != path.parent.name:
        outline.front.reject("id", f"is {given!r}, the folder is {path.parent.name!r}: make them the same")
    if path.parent.name != MODERATOR:
        _check_is_written(outline, text, path.name)
    most = MOST_BYTES.get(path.name)
    if most is not None and len(raw) > most:
        outline.findings.add(None, f"has {len(raw)} bytes, may have {most}: shorten it")
    return outline.findings.in_order()


def _check_is_written(outline: Outline, text: str, file: str) -> None:
    """Find lines that still hold the draft's mark, and each that has its words without the mark."""
    drafted = {_words(line) for line in _draft(file).split("\n") if DRAFT in line}
    lines = text.split("\n")
    marked = [number for number, line in enumerate(lines, 1) if DRAFT in line]
    if marked:
        count = counted(len(marked), "line")
        outline.findings.add(
            marked[0],
            f"still a draft, with {count} marked {DRAFT!r} from here on: rewrite each without the mark",
        )
    for number, line in enumerate(lines, 1):
        if number not in marked and _words(line) in drafted:
            outline.findings.add(number, "still has the draft's words: rewrite the line in your own")


def _words(line: str) -> str:
    """A line's words, without the mark and whatever is no letter."""
    return " ".join("".join(c if c.isalnum() else " " for c in line.replace(DRAFT, "")).split()).casefold()


def _no_form(_outline: Outline) -> None:
    """Ask nothing of a companion that only its readers know."""


_WITH_FRONT_MATTER = frozenset(("persona.md", "domain-knowledge.md", "orchestration.md"))
_CHECKS: Mapping[str, Callable[[Outline], object]] = {
    "persona.md": check_persona,
    "domain-knowledge.md": check_domain,
    "orchestration.md": orchestration_of,
    "phrase-library.md": check_phrases,
}
