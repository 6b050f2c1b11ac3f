"""A panelist's persona and its domain knowledge, read from Markdown.

A persona is written for a person or a language model, who reads the whole text. The values here are the parts
that programs use as well: names, colours, lists, and examples to show. Reading is lenient, since a session
keeps the templates with which it was started, even from an earlier release. Only front matter with the four
names is required, unknown keys and headings are ignored, and a missing part is empty. `panel_check.py` lists
everything that is wrong with a new template.

The readers get the text; *path* only names the file in messages. The moderator's own files are read in
`orchestration.py`.

Source: DESIGN.md, section 2.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Final

from orchestrator.panel.personas.orchestration import INTENSITIES
from orchestrator.panel.personas.outline import (
    Outline,
    Section,
    bullets,
    read_outline,
    steps,
    table_rows,
    unquoted,
)

NEUTRAL: Final = "#5f6b7a"
"""The colour of a panelist whose persona has no colour that a page can show."""

ASKS = ("fit", "substance", "proof", "people", "money", "alternatives")
"""The range of a board's questions, which the seats divide among them; a seat's `asks` names its share."""

STYLE, CRITERIA, INTENSITY = "Questioning style", "Satisfaction criteria", "Intensity scaling"
INITIAL, FOLLOW_UPS, ESCALATIONS = "Initial questions", "Follow-ups", "Escalations"
TRIGGERS = "Context triggers"
RED_FLAGS, BENCHMARKS, FRAMEWORKS = "Red flags", "Benchmarks", "Questioning frameworks"

COLOR = re.compile(r"#[0-9a-fA-F]{6}")
NUMBER = re.compile(r"-?\d+(\.\d+)?")
_FORMER_FOLLOW_UPS = "Follow-up patterns"  # the heading of release 0.1.0


@dataclass(frozen=True, slots=True)
class Persona:
    """An agent's fixed character."""

    id: str
    name: str
    title: str
    role: str
    color: str = NEUTRAL  # "#rrggbb"
    voice: str = ""
    accepts: tuple[str, ...] = ()
    rejects: tuple[str, ...] = ()
    initial: tuple[str, ...] = ()  # examples of how this person asks, as are the next two
    follow_ups: tuple[str, ...] = ()
    escalations: tuple[str, ...] = ()
    triggers: tuple[str, ...] = ()  # what it reacts to, and how: one sentence or two each
    intensity: Mapping[str, str] = field(default_factory=dict)  # by INTENSITIES: its manner, prose
    asks: tuple[str, ...] = ()  # of ASKS, its own first; none: as its title and role suggest


@dataclass(frozen=True, slots=True)
class Benchmark:
    """The usual range of a metric, with the case where it applies and the public source for it."""

    table: str
    metric: str
    applies_to: str  # "" in templates of release 0.1.0
    unit: str
    low: float | None  # None: no lower end
    high: float | None  # None: no upper end
    source: str


@dataclass(frozen=True, slots=True)
class Framework:
    """A line of questioning, step by step."""

    name: str
    steps: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class DomainKnowledge:
    """A panelist's knowledge of its field."""

    red_flags: tuple[str, ...] = ()
    benchmarks: tuple[Benchmark, ...] = ()
    frameworks: tuple[Framework, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Seat:
    """One place at the table; the moderator's seat has no domain knowledge.

    Seats are compared by identity, so that results cached for a seat are found without comparing its texts.
    """

    persona: Persona
    domain: DomainKnowledge | None = None


KEPT: Final = 64
"""Number of templates that are cached as read, enough for several homes.

Reading one takes some milliseconds.
"""


@lru_cache(maxsize=KEPT)
def read_persona(text: str, path: str) -> Persona:
    """Read the persona in *text*; the same text is read once in a process.

    Raises:
        PersonaError: There is no front matter, or one of id, name, title and role is missing.
    """
    outline = read_outline(text, path)
    persona = persona_of(outline)
    outline.findings.refuse()
    return persona


@lru_cache(maxsize=KEPT)
def read_domain(text: str, path: str) -> DomainKnowledge:
    """Read the domain knowledge in *text*; the same text is read once in a process.

    Raises:
        PersonaError: The front matter is not YAML.
    """
    outline = read_outline(text, path, front=False)
    outline.findings.refuse()
    return domain_of(outline)


def persona_of(outline: Outline) -> Persona:
    """Return the persona as far as it can be read; only a missing one of the four names is a finding."""
    front = outline.front
    color = front.text_or("color", NEUTRAL)
    return Persona(
        id=front.text("id"),
        name=front.text("name"),
        title=front.text("title"),
        role=front.text("role"),
        color=color if COLOR.fullmatch(color) else NEUTRAL,
        voice=front.text_or("voice", ""),
        accepts=front.texts_or("accepts"),
        rejects=front.texts_or("rejects"),
        initial=_examples(outline.section(INITIAL, STYLE)),
        follow_ups=_examples(
            outline.section(FOLLOW_UPS, STYLE) or outline.section(_FORMER_FOLLOW_UPS, STYLE)
        ),
        escalations=_examples(outline.section(ESCALATIONS, STYLE)),
        triggers=tuple(item.text for item in bullets(outline.section(TRIGGERS))),
        intensity={
            intensity: section.text
            for intensity in INTENSITIES
            if (section := outline.section(intensity.capitalize(), INTENSITY)) is not None
        },
        asks=tuple(one for one in front.texts_or("asks") if one in ASKS),
    )


def domain_of(outline: Outline) -> DomainKnowledge:
    """Return the domain knowledge as far as it can be read."""
    return DomainKnowledge(
        red_flags=_red_flags(outline.section(RED_FLAGS)),
        benchmarks=tuple(
            _benchmark(section.title, row)
            for section in outline.under(BENCHMARKS)
            for row in table_rows(section)
        ),
        frameworks=tuple(
            Framework(section.title, tuple(step.text for step in steps(section)))
            for section in outline.under(FRAMEWORKS)
        ),
    )


def number(cell: str) -> float | None:
    """Return one end of a range, or None if it is open or not a plain number."""
    return float(cell) if NUMBER.fullmatch(cell) else None


def _examples(section: Section | None) -> tuple[str, ...]:
    return tuple(unquoted(item.text) for item in bullets(section))


def _red_flags(section: Section | None) -> tuple[str, ...]:
    """Return the red flags: one line for each bullet, or for each row of the table that release 0.1.0
    used.
    """
    rows = table_rows(section) if section is not None else []
    former = (f"{row.get('Flag', '')}: {row.get('Why it matters', '')}".strip(": ") for row in rows)
    return (*(item.text for item in bullets(section)), *(text for text in former if text))


def _benchmark(table: str, row: Mapping[str, str]) -> Benchmark:
    def cell(name: str) -> str:
        return row.get(name, "")

    low, high = number(cell("Low")), number(cell("High"))
    return Benchmark(table, cell("Metric"), cell("Applies to"), cell("Unit"), low, high, cell("Source"))
