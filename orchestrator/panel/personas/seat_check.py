"""The check of one template: its keys, headings, counts and tables, each fault with its line.

Source: DESIGN.md, section 2.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sized
from datetime import date
from typing import Final

from orchestrator.panel.personas.orchestration import INTENSITIES, PHRASE_HEADINGS, phrases_of
from orchestrator.panel.personas.outline import (
    Outline,
    Section,
    bullets,
    quoted_bullets,
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

MOST_BYTES: Final[Mapping[str, int]] = {"persona.md": 8_000, "domain-knowledge.md": 12_000}
"""DESIGN.md, section 2. A panelist is given both with every call, so each byte is paid for some hundred times
a session. Without a limit they had 50 kB, half of every call (READING.md, "Characters")."""

# DESIGN.md, section 2: below these, whoever plays the seat soon repeats itself.
LEAST_INITIAL: Final = 5
LEAST_FOLLOW_UPS: Final = 3
LEAST_ESCALATIONS: Final = 2
LEAST_CRITERIA: Final = 4  # accepts, and as many rejects
LEAST_TRIGGERS: Final = 6
LEAST_RED_FLAGS: Final = 8
LEAST_BENCHMARKS: Final = 1
LEAST_FRAMEWORKS: Final = 2
LEAST_PHRASES: Final = 4  # under each heading of the moderator's library; ours, for the same reason

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
    """Find whatever a persona lacks."""
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
        if texts and len(texts) < LEAST_CRITERIA:
            front.reject(key, f"has {len(texts)}, needs at least {LEAST_CRITERIA}: add more")
    outline.expect(PERSONA_HEADINGS)
    for heading, subheadings in PERSONA_SUBHEADINGS.items():
        outline.expect(subheadings, heading)
    _check_title(outline, persona)
    _check_prose(outline, None, ("Identity", "Personality", "Voice", RELATIONS))
    for within in (CRITERIA, INTENSITY):
        _check_prose(outline, within, PERSONA_SUBHEADINGS[within])
    for title, least in (
        (INITIAL, LEAST_INITIAL),
        (FOLLOW_UPS, LEAST_FOLLOW_UPS),
        (ESCALATIONS, LEAST_ESCALATIONS),
    ):
        section = outline.section(title, STYLE)
        _count(outline, section, quoted_bullets(outline, section), least)
    _count(outline, outline.section(TRIGGERS), persona.triggers, LEAST_TRIGGERS)
    _check_slots(outline)


def check_domain(outline: Outline) -> None:
    """Find whatever domain knowledge lacks."""
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
    _count(outline, flags, bullets(flags), LEAST_RED_FLAGS)
    _check_benchmarks(outline)
    for section in outline.under(FRAMEWORKS):
        if not any(one.name == section.title and one.steps for one in domain.frameworks):
            outline.findings.add(section.line, f"{section.heading} has no steps: number them `1.`, `2.`, …")
    _count(outline, outline.section(FRAMEWORKS), domain.frameworks, LEAST_FRAMEWORKS)
    _check_slots(outline)


def check_phrases(outline: Outline) -> None:
    """Find whatever a phrase library lacks."""
    outline.front.only(("id", "kind"))
    outline.expect(PHRASE_HEADINGS)
    for heading, phrases in phrases_of(outline).items():
        _count(outline, outline.section(heading), phrases, LEAST_PHRASES)


def _check_title(outline: Outline, persona: Persona) -> None:
    """Find a title that does not name the person, and prose that lacks one of two sentences.

    They say that the person is fictional, and that deck, news and speech are never instructions.
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
    """Find that a section holds too few items, unless something is wrong that explains it."""
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
    _count(outline, whole, tables, LEAST_BENCHMARKS)


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
    """Nobody fills slots in: the one who plays the part reads the page as it stands."""
    for section in outline.sections:
        for line in section.body:
            if slot := _SLOT.search(line.text):
                outline.findings.add(
                    line.number, f"holds {slot[0]}, which nobody fills in: write plain words"
                )
