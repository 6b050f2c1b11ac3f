"""What a panelist is: its persona and its domain knowledge, read from their Markdown.

The same files are read by people, by a language model as text, and here as values for the
offline engine. All readers take the text, since a running session reads the copies that
were made when it started; *path* only names the file in messages. They raise `PersonaError`
with one line that names file, line and what to do. `panel.py` lists everything that is
wrong, counts included. The moderator's own files are read in `orchestration.py`, and its
names can be imported from here too.

Source: DESIGN.md, section 2.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from orchestrator.claims.model import CLAIM_KINDS
from orchestrator.finding import Findings
from orchestrator.orchestration import INTENSITIES
from orchestrator.orchestration import Orchestration as Orchestration  # a seat's texts, read in one place
from orchestrator.orchestration import Phrases as Phrases
from orchestrator.orchestration import read_orchestration as read_orchestration
from orchestrator.orchestration import read_phrases as read_phrases
from orchestrator.outline import Line, Outline, Section, bullets, quoted_bullets, read_outline, steps
from orchestrator.pattern import Pattern, read_flag_question, read_follow_up, read_question

BETTER = ("higher", "lower", "none")

PERSONA_KEYS = ("id", "name", "title", "role", "color", "voice", "kinds", "accepts", "rejects")
PERSONA_HEADINGS = (
    "Identity",
    "Personality",
    "Voice",
    "Questioning style",
    "Satisfaction criteria",
    "Context triggers",
    "Intensity scaling",
    "Relationship with other agents",
)
PERSONA_SUBHEADINGS: Mapping[str, tuple[str, ...]] = {
    "Questioning style": ("Initial questions", "Follow-up patterns", "Escalations"),
    "Satisfaction criteria": ("Accepts", "Does not accept"),
    "Intensity scaling": tuple(intensity.capitalize() for intensity in INTENSITIES),
}
DOMAIN_KEYS = ("id", "kind", "reviewed")
DOMAIN_HEADINGS = ("Red flags", "Benchmarks", "Questioning frameworks", "Pitfalls")
FLAG_COLUMNS = ("Flag", "Words", "Why it matters", "Question")
SILENCES = "Silences"
SILENCE_COLUMNS = ("Silence", "Words", "Unless", "Why it matters", "Question")
BENCHMARK_COLUMNS = ("Metric", "Words", "Unit", "Low", "High", "Better", "Source")

_COLOR = re.compile(r"#[0-9a-fA-F]{6}")
_NUMBER = re.compile(r"-?\d+(\.\d+)?")
_BLANK = ("", "-", "–", "—")
_KIND = re.compile(r"\(([^()]*)\)")


@dataclass(frozen=True, slots=True)
class Trigger:
    """Words in deck or speech that this panelist reacts to, and how."""

    words: tuple[str, ...]  # lower case
    text: str


@dataclass(frozen=True, slots=True)
class Persona:
    """An agent's fixed character."""

    id: str
    name: str
    title: str
    role: str
    color: str  # "#rrggbb"
    voice: str
    kinds: tuple[str, ...]  # of CLAIM_KINDS: what it goes after, first things first
    accepts: tuple[str, ...]
    rejects: tuple[str, ...]
    initial: tuple[Pattern, ...]
    follow_ups: tuple[Pattern, ...]
    escalations: tuple[Pattern, ...]
    triggers: tuple[Trigger, ...]
    lead_ins: Mapping[str, tuple[str, ...]]  # by intensity, of INTENSITIES


Alternatives = tuple[tuple[str, ...], ...]
"""Lower-case phrases: a sentence matches if all phrases of any one alternative occur in it."""


@dataclass(frozen=True, slots=True)
class RedFlag:
    """Wording that should make a board stop, and the question to ask about it."""

    flag: str
    words: Alternatives
    why: str
    question: Pattern


@dataclass(frozen=True, slots=True)
class Silence:
    """Something that a board expects to hear wherever certain words stand, and that is not said."""

    name: str
    words: Alternatives  # what brings it up, in a claim or in its slide's title
    unless: Alternatives  # what settles it, anywhere in deck or speech
    unless_kinds: tuple[str, ...]  # of CLAIM_KINDS: a claim of one of these settles it too
    why: str
    question: Pattern


@dataclass(frozen=True, slots=True)
class Benchmark:
    """The usual range of a metric, with the public source that says so."""

    table: str
    metric: str
    words: Alternatives
    unit: str
    low: float | None  # None: no lower end
    high: float | None  # None: no upper end
    better: str  # of BETTER
    source: str


@dataclass(frozen=True, slots=True)
class Framework:
    """A line of questioning, step by step."""

    name: str
    steps: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class DomainKnowledge:
    """What a panelist knows about its field."""

    red_flags: tuple[RedFlag, ...]
    benchmarks: tuple[Benchmark, ...]
    frameworks: tuple[Framework, ...]
    silences: tuple[Silence, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Seat:
    """One place at the table; the moderator has no domain knowledge.

    Compared by identity: what was worked out for a seat is found again without reading it all.
    """

    persona: Persona
    domain: DomainKnowledge | None = None


KEPT: Final = 64
"""Templates that are kept as read: those of several homes. Reading one takes some 20 ms."""


@lru_cache(maxsize=KEPT)
def read_persona(text: str, path: str) -> Persona:
    """The persona that *text* describes; the same text is read once in a process.

    Raises:
        PersonaError: A heading is missing or an item breaks its format.
    """
    outline = read_outline(text, path)
    persona = persona_of(outline)
    outline.findings.refuse()
    return persona


@lru_cache(maxsize=KEPT)
def read_domain(text: str, path: str) -> DomainKnowledge:
    """The domain knowledge that *text* describes; the same text is read once in a process.

    Raises:
        PersonaError: A heading is missing, or a row or item breaks its format.
    """
    outline = read_outline(text, path)
    domain = domain_of(outline)
    outline.findings.refuse()
    return domain


def persona_of(outline: Outline) -> Persona:
    """The persona, as far as it can be read; what cannot is in the outline's findings."""
    front, findings = outline.front, outline.findings
    front.only(PERSONA_KEYS)
    outline.expect(PERSONA_HEADINGS)
    for heading, subheadings in PERSONA_SUBHEADINGS.items():
        outline.expect(subheadings, heading)

    def items(title: str) -> list[Line]:
        return bullets(outline.section(title, "Questioning style"))

    return Persona(
        id=front.text("id"),
        name=front.text("name"),
        title=front.text("title"),
        role=front.text("role"),
        color=_color(outline),
        voice=front.text("voice"),
        kinds=front.choices("kinds", CLAIM_KINDS),
        accepts=front.texts("accepts"),
        rejects=front.texts("rejects"),
        initial=tuple(read_question(findings, item) for item in items("Initial questions")),
        follow_ups=tuple(read_follow_up(findings, item) for item in items("Follow-up patterns")),
        escalations=tuple(read_follow_up(findings, item) for item in items("Escalations")),
        triggers=tuple(_trigger(findings, item) for item in bullets(outline.section("Context triggers"))),
        lead_ins={
            intensity: quoted_bullets(outline, outline.section(intensity.capitalize(), "Intensity scaling"))
            for intensity in INTENSITIES
        },
    )


def domain_of(outline: Outline) -> DomainKnowledge:
    """The domain knowledge, as far as it can be read; the rest is in the outline's findings."""
    outline.front.only(DOMAIN_KEYS)
    outline.expect(DOMAIN_HEADINGS, more=True)
    flags = outline.section("Red flags")
    return DomainKnowledge(
        red_flags=_red_flags(outline, flags) if flags else (),
        benchmarks=_benchmarks(outline),
        frameworks=_frameworks(outline),
        silences=_silences(outline),
    )


def _color(outline: Outline) -> str:
    color = outline.front.text("color")
    if color and not _COLOR.fullmatch(color):
        outline.front.reject("color", f'is {color!r}: write six hex digits, as in "#2f6fed"')
    return color


def _trigger(findings: Findings, item: Line) -> Trigger:
    match = re.fullmatch(r"\(([^()]*\w[^()]*)\)\s*(\S.*)", item.text)
    if not match:
        findings.add(item.number, "must start with its words in parentheses, as in `(churn, renewal) asks …`")
        return Trigger((), item.text)
    return Trigger(tuple(w for word in match[1].split(",") if (w := word.strip().lower())), match[2])


def _red_flags(outline: Outline, section: Section) -> tuple[RedFlag, ...]:
    rows = outline.table(section, FLAG_COLUMNS)
    for line, row in rows:
        _filled(outline, line, row, FLAG_COLUMNS[:3])
    return tuple(
        RedFlag(
            flag=row["Flag"],
            words=_alternatives(row["Words"]),
            why=row["Why it matters"],
            question=read_flag_question(outline.findings, Line(line, row["Question"])),
        )
        for line, row in rows
    )


def _silences(outline: Outline) -> tuple[Silence, ...]:
    """The table of silences, if there is one."""
    section = outline.section(SILENCES)
    rows = outline.table(section, SILENCE_COLUMNS) if section else []
    for line, row in rows:
        _filled(outline, line, row, SILENCE_COLUMNS[:4])
    return tuple(
        Silence(
            name=row["Silence"],
            words=_alternatives(row["Words"]),
            unless=_alternatives(_KIND.sub("", row["Unless"])),
            unless_kinds=_kinds(outline, line, row["Unless"]),
            why=row["Why it matters"],
            question=read_flag_question(outline.findings, Line(line, row["Question"])),
        )
        for line, row in rows
    )


def _kinds(outline: Outline, line: int, cell: str) -> tuple[str, ...]:
    """The kinds of claim that a cell names in parentheses."""
    kinds = tuple(kind.strip() for kind in _KIND.findall(cell))
    for kind in kinds:
        if kind not in CLAIM_KINDS:
            outline.findings.add(line, f"({kind}) is no claim kind: use {', '.join(CLAIM_KINDS)}")
    return kinds


def _benchmarks(outline: Outline) -> tuple[Benchmark, ...]:
    whole = outline.section("Benchmarks")
    for line in whole.body if whole else ():
        if line.text.lstrip().startswith("|"):
            outline.findings.add(line.number, "a benchmark table needs a name: put `### name` above it")
            break
    return tuple(
        _benchmark(outline, section.title, line, row)
        for section in outline.under("Benchmarks")
        for line, row in outline.table(section, BENCHMARK_COLUMNS)
    )


def _benchmark(outline: Outline, table: str, line: int, row: Mapping[str, str]) -> Benchmark:
    add = outline.findings.add
    _filled(outline, line, row, ("Metric", "Words", "Unit", "Source"))
    ends = [_end(outline, line, name, row[name]) for name in ("Low", "High")]
    low, high = ends
    if row["Low"] in _BLANK and row["High"] in _BLANK:
        add(line, "a benchmark needs a number in Low or High: fill one in")
    if low is not None and high is not None and low > high:
        add(line, f"Low is {row['Low']}, above High, {row['High']}: exchange or correct them")
    if row["Better"] not in BETTER:
        add(line, f"Better is {row['Better']!r}: write one of {', '.join(BETTER)}")
    words = _alternatives(row["Words"])
    return Benchmark(table, row["Metric"], words, row["Unit"], low, high, row["Better"], row["Source"])


def _end(outline: Outline, line: int, name: str, cell: str) -> float | None:
    """One end of a range; a dash or nothing means that it is open."""
    if _NUMBER.fullmatch(cell):
        return float(cell)
    if cell not in _BLANK:
        outline.findings.add(line, f"{name} is {cell!r}: write a plain number as in 1000.5, or nothing")
    return None


def _frameworks(outline: Outline) -> tuple[Framework, ...]:
    frameworks = []
    for section in outline.under("Questioning frameworks"):
        frameworks.append(Framework(section.title, tuple(step.text for step in steps(section))))
        if not frameworks[-1].steps:
            outline.findings.add(section.line, f"{section.heading} has no steps: number them `1.`, `2.`, …")
    return tuple(frameworks)


def _filled(outline: Outline, line: int, row: Mapping[str, str], names: tuple[str, ...]) -> None:
    for name in names:
        if row[name].strip(",+ ") in _BLANK:
            outline.findings.add(line, f"{name} is empty: fill it in")


def _alternatives(cell: str) -> Alternatives:
    alternatives = (
        tuple(phrase for part in alternative.split("+") if (phrase := part.strip().lower()))
        for alternative in cell.split(",")
    )
    return tuple(phrases for phrases in alternatives if phrases)
