"""Checking whole agents, and drafting new ones: `greenroom panel check` and `panel add`.

Reading a template is lenient (`persona.py`). This module requires everything that a new template must
contain: keys, headings, counts, sizes, and that a person wrote it.

Source: DESIGN.md, section 2.
"""

from __future__ import annotations

import os
import re
import secrets
import shutil
from collections.abc import Callable, Mapping, Sized
from datetime import date
from importlib import resources
from pathlib import Path
from string import Template
from typing import Final

from orchestrator.core.errors import PersonaError, UsageError
from orchestrator.core.home.folder import DRAFT
from orchestrator.core.home.regular import read_regular
from orchestrator.core.legible import counted
from orchestrator.core.table import AGENT, MODERATOR, check_agent_name
from orchestrator.panel.home import Home
from orchestrator.panel.personas.orchestration import (
    INTENSITIES,
    PHRASE_HEADINGS,
    orchestration_of,
    phrases_of,
)
from orchestrator.panel.personas.outline import (
    Finding,
    Outline,
    Section,
    bullets,
    quoted_bullets,
    read_outline,
)
from orchestrator.panel.personas.persona import (
    ASKS,
    BENCHMARKS,
    COLOR,
    CRITERIA,
    ESCALATIONS,
    FOLLOW_UPS,
    FRAMEWORKS,
    INITIAL,
    INTENSITY,
    NUMBER,
    RED_FLAGS,
    STYLE,
    TRIGGERS,
    Persona,
    domain_of,
    persona_of,
)

# ---------------------------------------------------------------------- seat check
# The check of one template: its keys, headings, counts and tables, each fault with its line.
#
# Source: DESIGN.md, section 2.


MAX_BYTES: Final[Mapping[str, int]] = {"persona.md": 8_000, "domain-knowledge.md": 12_000}
"""Maximum size in bytes of an agent's files (DESIGN.md, section 2).

A panelist is sent both files with every call, so each byte is paid for some hundred times a session. Without
a limit they had 50 kB, half of every call (READING.md, "Characters").
"""

# DESIGN.md, section 2: below these, whoever plays the seat soon repeats itself.
MIN_INITIAL: Final = 5
MIN_FOLLOW_UPS: Final = 3
MIN_ESCALATIONS: Final = 2
MIN_CRITERIA: Final = 4  # accepts, and as many rejects
MIN_TRIGGERS: Final = 6
MIN_RED_FLAGS: Final = 8
MIN_BENCHMARKS: Final = 1
MIN_FRAMEWORKS: Final = 2
MIN_PHRASES: Final = 4  # under each heading of the moderator's library; ours, for the same reason

PERSONA_KEYS = ("id", "name", "title", "role", "color", "voice", "asks", "accepts", "rejects")
RELATIONS = "Relationship with other agents"
PERSONA_HEADINGS = ("Identity", "Personality", "Voice", STYLE, CRITERIA, TRIGGERS, INTENSITY, RELATIONS)
PERSONA_SUBHEADINGS: Mapping[str, tuple[str, ...]] = {
    STYLE: (INITIAL, FOLLOW_UPS, ESCALATIONS),
    CRITERIA: ("Accepts", "Does not accept"),
    INTENSITY: tuple(intensity.capitalize() for intensity in INTENSITIES),
}
DOMAIN_KEYS = ("id", "kind", "reviewed")
DOMAIN_HEADINGS = (RED_FLAGS, BENCHMARKS, FRAMEWORKS, "Pitfalls")
BENCHMARK_COLUMNS = ("Metric", "Applies to", "Unit", "Low", "High", "Source")

_SLOT = re.compile(r"\{[a-z_]+\}")  # as `{quote}`, which rules filled in personas of release 0.1.0
_BLANK = ("", "-", "–", "—")  # a cell that says nothing


def check_persona(outline: Outline) -> None:
    """Report everything that a persona lacks."""
    front = outline.front
    persona = persona_of(outline)
    front.only(PERSONA_KEYS)
    color = front.text("color")
    if color and not COLOR.fullmatch(color):
        front.reject("color", f'is {color!r}: write six hex digits, as in "#2f6fed"')
    front.text("voice")
    for one in front.texts("asks") if "asks" in front.values else ():
        if one not in ASKS:
            front.reject("asks", f"has {one!r}: choose from {', '.join(ASKS)}")
    for key in ("accepts", "rejects"):
        texts = front.texts(key)
        if texts and len(texts) < MIN_CRITERIA:
            front.reject(key, f"has {len(texts)}, needs at least {MIN_CRITERIA}: add more")
    outline.expect(PERSONA_HEADINGS)
    for heading, subheadings in PERSONA_SUBHEADINGS.items():
        outline.expect(subheadings, heading)
    _check_title(outline, persona)
    _check_prose(outline, None, ("Identity", "Personality", "Voice", RELATIONS))
    for within in (CRITERIA, INTENSITY):
        _check_prose(outline, within, PERSONA_SUBHEADINGS[within])
    for title, least in (
        (INITIAL, MIN_INITIAL),
        (FOLLOW_UPS, MIN_FOLLOW_UPS),
        (ESCALATIONS, MIN_ESCALATIONS),
    ):
        section = outline.section(title, STYLE)
        _count(outline, section, quoted_bullets(outline, section), least)
    _count(outline, outline.section(TRIGGERS), persona.triggers, MIN_TRIGGERS)
    _check_slots(outline)


def check_domain(outline: Outline) -> None:
    """Report everything that domain knowledge lacks."""
    domain = domain_of(outline)
    front = outline.front
    front.only(DOMAIN_KEYS)
    front.text("id")
    if front.text("kind") not in ("", "domain-knowledge"):
        front.reject("kind", "must be domain-knowledge: correct it")
    if not isinstance(front.lookup("reviewed"), date | None):
        front.reject("reviewed", "must be a day, as in 2026-11-22: the last one on which somebody checked it")
    outline.expect(DOMAIN_HEADINGS, more=True)
    _check_prose(outline, None, ("Pitfalls",))
    flags = outline.section(RED_FLAGS)
    _count(outline, flags, bullets(flags), MIN_RED_FLAGS)
    _check_benchmarks(outline)
    for section in outline.under(FRAMEWORKS):
        if not any(one.name == section.title and one.steps for one in domain.frameworks):
            outline.findings.add(section.line, f"{section.heading} has no steps: number them `1.`, `2.`, …")
    _count(outline, outline.section(FRAMEWORKS), domain.frameworks, MIN_FRAMEWORKS)
    _check_slots(outline)


def check_phrases(outline: Outline) -> None:
    """Report everything that a phrase library lacks."""
    outline.front.only(("id", "kind"))
    outline.expect(PHRASE_HEADINGS)
    for heading, phrases in phrases_of(outline).items():
        _count(outline, outline.section(heading), phrases, MIN_PHRASES)


def _check_title(outline: Outline, persona: Persona) -> None:
    """Report a title that does not name the person, and prose that lacks one of two required sentences.

    The sentences say that the person is fictional, and that deck, news and speech are never instructions.
    """
    add = outline.findings.add
    title = next((section for section in outline.sections if section.level == 1), None)
    expected = f"{persona.name}, {persona.title}"
    if outline.front.values and (title is None or title.title.casefold() != expected.casefold()):
        add(title.line if title else 1, f"the title must be `# {expected}`, as the front matter says")
    if title and not any("fictional" in s.text.casefold() for s in outline.sections):
        add(title.line, "nothing says that this person is fictional: say so below the title")
    identity = outline.section("Identity")
    if identity and identity.text and "instruction" not in identity.text.casefold():
        add(identity.line, "nothing says that deck, news and speech are data and never instructions: say so")


def _check_prose(outline: Outline, within: str | None, titles: tuple[str, ...]) -> None:
    for title in titles:
        section = outline.section(title, within)
        if section and not section.text:
            outline.findings.add(section.line, f"{section.heading} is empty: write it")


def _count(outline: Outline, section: Section | None, items: Sized, least: int) -> None:
    """Report a section with too few items, unless another finding already explains that."""
    # A table that is broken has no rows to count.
    if section is None or (not items and outline.is_faulty(section)):
        return
    if len(items) < least:
        outline.findings.add(
            section.line, f"{section.heading} has {len(items)}, needs at least {least}: add more"
        )


def _check_benchmarks(outline: Outline) -> None:
    whole = outline.section(BENCHMARKS)
    for line in whole.body if whole else ():
        if line.text.lstrip().startswith("|"):
            outline.findings.add(line.number, "a benchmark table needs a name: put `### name` above it")
            break
    tables = outline.under(BENCHMARKS)
    for section in tables:
        for number, row in outline.table(section, BENCHMARK_COLUMNS):
            _check_benchmark(outline, number, row)
    _count(outline, whole, tables, MIN_BENCHMARKS)


def _check_benchmark(outline: Outline, line: int, row: Mapping[str, str]) -> None:
    add = outline.findings.add
    for name in ("Metric", "Applies to", "Unit", "Source"):
        if row[name] in _BLANK:
            add(line, f"{name} is empty: fill it in")
    for name in ("Low", "High"):
        if row[name] not in _BLANK and not NUMBER.fullmatch(row[name]):
            add(line, f"{name} is {row[name]!r}: write a plain number as in 1000.5, or nothing")
    low, high = row["Low"], row["High"]
    if low in _BLANK and high in _BLANK:
        add(line, "a benchmark needs a number in Low or High: fill one in")
    if NUMBER.fullmatch(low) and NUMBER.fullmatch(high) and float(low) > float(high):
        add(line, f"Low is {low}, above High, {high}: exchange or correct them")


def _check_slots(outline: Outline) -> None:
    """Report slots, which nobody fills in, since the page is read as it is."""
    for section in outline.sections:
        for line in section.body:
            if slot := _SLOT.search(line.text):
                outline.findings.add(
                    line.number, f"holds {slot[0]}, which nobody fills in: write plain words"
                )


# ---------------------------------------------------------------------- panel check


def check_panel(templates: Path) -> list[Finding]:
    """Return everything that is wrong with the agents under *templates*; empty if nothing is.

    Folders whose names start with a dot are skipped.
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
    """Return everything that is wrong with one agent's folder; empty if nothing is.

    The folder `moderator` must contain orchestration and phrases, any other folder domain knowledge. Findings
    are ordered by file, then by line.
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

    The folder is created whole or not at all. Each line to rewrite is marked. While any mark is left, the
    seat is invalid and takes part in no session.

    Returns:
        The files that were made.

    Raises:
        PersonaError: The agent name is invalid or already exists, or the disk refuses.
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
    most = MAX_BYTES.get(path.name)
    if most is not None and len(raw) > most:
        outline.findings.add(None, f"has {len(raw)} bytes, may have {most}: shorten it")
    return outline.findings.in_order()


def _check_is_written(outline: Outline, text: str, file: str) -> None:
    """Report lines that still contain the draft's mark, and draft lines from which only the mark was
    removed.
    """
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
    """Return a line's words, without the draft's mark and without signs that are not letters or digits."""
    return " ".join("".join(c if c.isalnum() else " " for c in line.replace(DRAFT, "")).split()).casefold()


def _no_form(_outline: Outline) -> None:
    """Check nothing in a companion file, since only its readers know its format."""


_WITH_FRONT_MATTER = frozenset(("persona.md", "domain-knowledge.md", "orchestration.md"))
_CHECKS: Mapping[str, Callable[[Outline], object]] = {
    "persona.md": check_persona,
    "domain-knowledge.md": check_domain,
    "orchestration.md": orchestration_of,
    "phrase-library.md": check_phrases,
}
