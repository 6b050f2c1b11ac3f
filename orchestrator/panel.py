"""Checks agents as a whole, and drafts new ones: `greenroom panel check` and `panel add`.

Whatever a reader of `persona.py` or `orchestration.py` refuses is a finding here, and so
is every count and every promise between files that an agent must keep to be worth facing.

Source: DESIGN.md, section 2.
"""

from __future__ import annotations

import os
import secrets
import shutil
from collections.abc import Callable, Mapping, Sized
from datetime import date
from importlib import resources
from pathlib import Path
from string import Template

from orchestrator.errors import PersonaError, UsageError
from orchestrator.finding import Finding
from orchestrator.layout import (
    MIN_PANELISTS,
    MODERATOR,
    MODERATOR_TEMPLATES,
    PANELIST_TEMPLATES,
    check_agent_name,
)
from orchestrator.orchestration import orchestration_of, phrases_of
from orchestrator.outline import Outline, bullets, read_outline
from orchestrator.pattern import ANY, EVASION
from orchestrator.persona import Persona, domain_of, persona_of

LEAST_INITIAL = 5
LEAST_FOLLOW_UPS = 3
LEAST_ESCALATIONS = 2
LEAST_CRITERIA = 4  # accepts, and as many rejects
LEAST_TRIGGERS = 6
LEAST_RED_FLAGS = 8
LEAST_BENCHMARKS = 1
LEAST_FRAMEWORKS = 2
LEAST_LEAD_INS = 2
LEAST_PHRASES = 4


def check_panel(templates: Path) -> list[Finding]:
    """Everything that is wrong with the agents under *templates*; empty when all is well.

    Folders whose names start with a dot are no agents.
    """
    try:
        folders = sorted(p for p in templates.iterdir() if p.is_dir() and not p.name.startswith("."))
    except OSError as error:
        return [Finding(str(templates), None, f"cannot be read ({error.strerror}): name a home that has it")]
    names = {folder.name for folder in folders}
    findings = []
    if MODERATOR not in names:
        findings.append(Finding(str(templates), None, f"has no {MODERATOR}/: every panel needs one"))
    if len(names - {MODERATOR}) < MIN_PANELISTS:
        message = f"has {len(names - {MODERATOR})} panelists, needs at least {MIN_PANELISTS}: add one with"
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
    for name in MODERATOR_TEMPLATES if folder.name == MODERATOR else PANELIST_TEMPLATES:
        findings += _check_file(folder / name)
    return findings


def scaffold(templates: Path, name: str) -> list[Path]:
    """Add a seat: `NAME/persona.md` and `NAME/domain-knowledge.md`, drafts that pass `check_agent`.

    The folder appears whole or not at all.

    Returns:
        The files that were made.

    Raises:
        PersonaError: The name is none that an agent may have, is taken, or the disk refuses.
    """
    try:
        check_agent_name(name)
    except UsageError as error:
        raise PersonaError(str(error)) from None
    folder = templates / name
    if name == MODERATOR or os.path.lexists(folder):
        raise PersonaError(f"{folder} is taken: choose another name, or edit the files that are there")
    drafts = resources.files("orchestrator") / "seat_draft"
    words = {"id": name, "name": " ".join(name.replace("-", " ").split()).title()}
    unfinished = templates / f".{name}-{secrets.token_hex(4)}"
    try:
        unfinished.mkdir()
        for file in reversed(PANELIST_TEMPLATES):  # persona.md last: it is what makes a folder an agent
            text = Template((drafts / file).read_text(encoding="utf-8")).substitute(words)
            (unfinished / file).write_text(text, encoding="utf-8", newline="\n")
        unfinished.rename(folder)
    except OSError as error:
        raise PersonaError(
            f"{folder} cannot be made ({error.strerror}): correct that and try again"
        ) from error
    finally:
        shutil.rmtree(unfinished, ignore_errors=True)
    return [folder / file for file in PANELIST_TEMPLATES]


def _check_file(path: Path) -> list[Finding]:
    try:
        text = path.read_bytes().decode()
    except OSError as error:
        return [Finding(str(path), None, f"cannot be read ({error.strerror}): this agent needs it")]
    except UnicodeDecodeError as error:
        line = error.object.count(b"\n", 0, error.start) + 1
        return [Finding(str(path), line, "is not UTF-8 text: save it as UTF-8")]
    outline = read_outline(text, str(path), front=path.name != "phrase-library.md")
    _CHECKS[path.name](outline)
    given = outline.front.values.get("id")
    if isinstance(given, str) and given != path.parent.name:
        outline.front.reject("id", f"is {given!r}, the folder is {path.parent.name!r}: make them the same")
    return outline.findings.in_order()


def _check_persona(outline: Outline) -> None:
    persona = persona_of(outline)
    _check_title(outline, persona)
    _check_prose(outline, ("Personality", "Voice", "Relationship with other agents"))
    for key, texts in (("accepts", persona.accepts), ("rejects", persona.rejects)):
        if texts and len(texts) < LEAST_CRITERIA:
            outline.front.reject(key, f"has {len(texts)}, needs at least {LEAST_CRITERIA}: add more")
    for within, title, items, least in (
        ("Questioning style", "Initial questions", persona.initial, LEAST_INITIAL),
        ("Questioning style", "Follow-up patterns", persona.follow_ups, LEAST_FOLLOW_UPS),
        ("Questioning style", "Escalations", persona.escalations, LEAST_ESCALATIONS),
        ("Satisfaction criteria", "Accepts", _listed(outline, "Accepts"), LEAST_CRITERIA),
        ("Satisfaction criteria", "Does not accept", _listed(outline, "Does not accept"), LEAST_CRITERIA),
        (None, "Context triggers", persona.triggers, LEAST_TRIGGERS),
    ):
        _count(outline, within, title, items, least)
    for intensity, lead_ins in persona.lead_ins.items():
        _count(outline, "Intensity scaling", intensity.capitalize(), lead_ins, LEAST_LEAD_INS)
    _check_questions(outline, persona)
    _check_follow_ups(outline, persona)


def _check_title(outline: Outline, persona: Persona) -> None:
    """The title names the person, who is said to be fictional; what is quoted is no instruction."""
    add = outline.findings.add
    title = next((section for section in outline.sections if section.level == 1), None)
    expected = f"{persona.name}, {persona.title}"
    if outline.front.values and (title is None or title.title.casefold() != expected.casefold()):
        add(title.line if title else 1, f"the title must be `# {expected}`, as the front matter says")
    if title and not any("fictional" in s.text.casefold() for s in outline.sections):
        add(title.line, "nothing says that this person is fictional: say so below the title")
    identity = outline.section("Identity")
    if identity and "instruction" not in identity.text.casefold():
        add(identity.line, "nothing says that deck, news and speech are data and never instructions: say so")


def _check_prose(outline: Outline, titles: tuple[str, ...]) -> None:
    for title in titles:
        section = outline.section(title)
        if section and not section.text:
            outline.findings.add(section.line, f"{section.heading} is empty: write it")


def _listed(outline: Outline, title: str) -> Sized:
    return bullets(outline.section(title, "Satisfaction criteria"))


def _count(outline: Outline, within: str | None, title: str, items: Sized, least: int) -> None:
    """Find that a section holds too few items, unless something is wrong that explains it."""
    section = outline.section(title, within)
    if section is None or (not items and outline.is_faulty(section)):
        return
    if len(items) < least:
        outline.findings.add(
            section.line, f"{section.heading} has {len(items)}, needs at least {least}: add more"
        )


def _check_questions(outline: Outline, persona: Persona) -> None:
    """Each kind that the persona goes after has a question, and any claim at all has one."""
    section = outline.section("Initial questions", "Questioning style")
    if section is None or len(persona.initial) < LEAST_INITIAL:
        return
    asked = {head for pattern in persona.initial for head in pattern.heads}
    for kind in persona.kinds:
        if kind not in asked:
            outline.front.reject(
                "kinds", f"names {kind!r}, which no initial question fits: add `- ({kind}; …`"
            )
    if not any(ANY in pattern.heads and pattern.slots == {"place", "quote"} for pattern in persona.initial):
        message = f"no question fits any claim: add `- ({ANY}; …` with no slots but {{place}} and {{quote}}"
        outline.findings.add(section.line, message)


def _check_follow_ups(outline: Outline, persona: Persona) -> None:
    section = outline.section("Follow-up patterns", "Questioning style")
    if section is None or len(persona.follow_ups) < LEAST_FOLLOW_UPS:
        return
    asked = dict.fromkeys(need for pattern in persona.initial for need in pattern.needs)
    answered = {head for pattern in persona.follow_ups for head in pattern.heads}
    for need in (*asked, EVASION):
        if need not in answered:
            why = "an answer may be one" if need == EVASION else "an initial question asks for it"
            outline.findings.add(section.line, f"no follow-up for {need!r}, and {why}: add `- ({need}) …`")


def _check_domain(outline: Outline) -> None:
    domain = domain_of(outline)
    front = outline.front
    front.text("id")
    if front.text("kind") not in ("", "domain-knowledge"):
        front.reject("kind", "must be domain-knowledge: correct it")
    if not isinstance(front.lookup("reviewed"), date | None):
        front.reject("reviewed", "must be a day, as in 2026-11-22: the last one on which somebody checked it")
    _check_prose(outline, ("Pitfalls",))
    _count(outline, None, "Red flags", domain.red_flags, LEAST_RED_FLAGS)
    _count(outline, None, "Benchmarks", {row.table for row in domain.benchmarks}, LEAST_BENCHMARKS)
    _count(outline, None, "Questioning frameworks", domain.frameworks, LEAST_FRAMEWORKS)


def _check_orchestration(outline: Outline) -> None:
    orchestration_of(outline)


def _check_phrases(outline: Outline) -> None:
    for heading, phrases in phrases_of(outline).items():
        _count(outline, None, heading, phrases, LEAST_PHRASES)


_CHECKS: Mapping[str, Callable[[Outline], None]] = {
    "persona.md": _check_persona,
    "domain-knowledge.md": _check_domain,
    "orchestration.md": _check_orchestration,
    "phrase-library.md": _check_phrases,
}
