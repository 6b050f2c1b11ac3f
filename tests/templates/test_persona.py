"""What the readers make of an agent's texts, and what they refuse, with file, line and advice."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orchestrator.core.errors import PersonaError
from orchestrator.panel.personas.orchestration import (
    PHRASE_HEADINGS,
    Defaults,
    Orchestration,
    Timers,
    deciding_nothing,
    read_orchestration,
    read_phrases,
)
from orchestrator.panel.personas.persona import (
    NEUTRAL,
    Benchmark,
    DomainKnowledge,
    Framework,
    Persona,
    read_domain,
    read_persona,
)
from tests.helpers import seats

PERSONA, DOMAIN = seats.PERSONA.replace("{id}", "tester"), seats.DOMAIN

ARCHIVE = Path(__file__).resolve().parents[1] / "archives" / "0.1.0" / "demo"
FORMER = ARCHIVE / "data" / "demo" / "ledger" / "templates"
"""The templates of a session that release 0.1.0 archived: patterns with slots, tables of words."""

ORCHESTRATION = """\
---
turn_limits: {friendly: 2, moderate: 3, adversarial: 4}
defaults: {mode: section-breaks, intensity: moderate, minutes: 20, exchanges: 8}
timers_s:
  refresh: 15
  answer_pause: 3
  stale: 60
  hand_raise_pause: 1.5
  free_flow_gap: 20
  no_question_prompt: 180
  monologue: 300
section_break_slides: 3
time_warnings: [0.8, 0.9]
---

# How the panel is run
"""

PHRASES = "# Phrases\n\n" + "\n".join(
    f'## {heading}\n\n- "{heading}, {{presenter}}."\n' for heading in PHRASE_HEADINGS
)


def line_of(text: str, beginning: str) -> int:
    return next(n for n, line in enumerate(text.split("\n"), 1) if line.startswith(beginning))


def test_persona_is_read_whole() -> None:
    assert read_persona(PERSONA, "tester/persona.md") == Persona(
        id="tester",
        name="Ines Falk",
        title="Director of trials",
        role="tests what was tried",
        color="#2a6f97",
        voice="calm",
        asks=("proof",),
        accepts=("a figure", "a name", "a date", "no, not yet"),
        rejects=("an adjective", "a team", "some day", "a promise"),
        initial=(
            "Who uses it today?",
            "Which of our rules applies?",
            "Where does that figure come from?",
            "Who keeps it alive?",
            "Why here?",
        ),
        follow_ups=("Out of how many?", "Since when?", "Who said so?"),
        escalations=(
            "It stays open. Who brings it?",
            "The board will take it that nobody knows. Is that so?",
        ),
        triggers=(
            "**Pilot**: who chose the cases?",
            "Survey: who did not answer?",
            "Average: of what?",
            "Free: who pays?",
            "Soon: on which day?",
            "Everybody: who not?",
        ),
        intensity={
            "friendly": "You say why you ask.\n\nOnce.",
            "moderate": "You ask plainly.",
            "adversarial": "You stay with the point.",
        },
    )


def test_domain_knowledge_is_read_whole() -> None:
    assert read_domain(DOMAIN, "tester/domain-knowledge.md") == DomainKnowledge(
        red_flags=(
            "**A trial without its size**: four of five is not 80 % of many.",
            "Two.",
            "Three.",
            "Four.",
            "Five.",
            "Six.",
            "Seven.",
            "Eight, over two lines.",
        ),
        benchmarks=(
            Benchmark(
                table="Sampling",
                metric="Margin, n = 1000",
                applies_to="A | B samples drawn by lot",
                unit="points",
                low=1.9,
                high=3.1,
                source="Sampling Techniques, Wiley, 1977",
            ),
            Benchmark("Sampling", "Answers", "surveys by post", "%", 6.0, None, "Some Office, 2019"),
        ),
        frameworks=(
            Framework("From claim to count", ("What was counted, and by whom?", "Out of how many?")),
            Framework("From count to cause", ("What else changed?",)),
        ),
    )


def test_orchestration_is_read_whole() -> None:
    assert read_orchestration(ORCHESTRATION, "moderator/orchestration.md") == Orchestration(
        turn_limits={"friendly": 2, "moderate": 3, "adversarial": 4},
        defaults=Defaults(mode="section-breaks", intensity="moderate", minutes=20, exchanges=8),
        timers_s=Timers(
            refresh=15,
            answer_pause=3,
            stale=60,
            hand_raise_pause=1.5,
            free_flow_gap=20,
            no_question_prompt=180,
            monologue=300,
        ),
        section_break_slides=3,
        time_warnings=(0.8, 0.9),
    )


def test_phrases_are_read_whole() -> None:
    assert read_phrases(PHRASES, "moderator/phrase-library.md") == {
        heading: (f"{heading}, {{presenter}}.",) for heading in PHRASE_HEADINGS
    }


def test_line_ends_and_byte_order_mark_make_no_difference() -> None:
    text = "\ufeff" + PERSONA.replace("\n", "\r\n")
    assert read_persona(text, "p") == read_persona(PERSONA, "p")


def test_front_matter_with_the_four_names_is_enough() -> None:
    """A session is opened with the templates that it was started with, whatever they were then."""
    text = "---\nid: a\nname: Ada\ntitle: Chair\nrole: asks\nkinds: [money]\ncolor: red\n---\n"
    assert read_persona(text, "p") == Persona("a", "Ada", "Chair", "asks", NEUTRAL)
    assert read_domain("", "d") == DomainKnowledge()
    assert set(read_phrases("", "l").values()) == {()}


@pytest.mark.parametrize(
    ("agent", "name", "flags", "first", "rows"),
    [
        ("skeptic", "Marcus Webb", 19, "Hoped-for money shown as income: What is not signed can be", 23),
        ("analyst", "Priya Sharma", 25, "A survey without its size: A percentage of forty volunteers", 21),
        ("contrarian", "James O'Brien", 18, "No rival in sight: People solve the problem somehow", 10),
    ],
)
def test_templates_of_an_earlier_release_are_read(
    agent: str, name: str, flags: int, first: str, rows: int
) -> None:
    persona = read_persona((FORMER / agent / "persona.md").read_text("utf-8"), "p")
    assert (persona.id, persona.name) == (agent, name)
    assert min(len(persona.initial), len(persona.follow_ups), len(persona.escalations)) >= 5
    domain = read_domain((FORMER / agent / "domain-knowledge.md").read_text("utf-8"), "d")
    assert (len(domain.red_flags), len(domain.benchmarks)) == (flags, rows)
    assert domain.red_flags[0].startswith(first)
    assert all(row.source and row.metric and not row.applies_to for row in domain.benchmarks)


@given(st.text(alphabet='#-*| \n"ab1.{}:', max_size=400))
def test_no_text_below_the_front_matter_is_refused(body: str) -> None:
    head = "---\nid: a\nname: Ada\ntitle: Chair\nrole: asks\n---\n"
    read = read_persona(head + body, "p")
    assert (read.id, read.name, read.title, read.role) == ("a", "Ada", "Chair", "asks")
    read_domain(head + body, "d")


REFUSED_PERSONAS = [
    # what is replaced, by what, the line that is named (by its beginning), the message
    ("---\nid", "id", 1, "the file must start with front matter between two `---` lines: add it"),
    ("voice: calm", "voice: calm: low", "voice",
     "the front matter is not YAML: mapping values are not allowed here; correct it"),
    ("voice: calm", "voice: calm\nvoice: loud", "voice: loud", "`voice` stands here a second time: keep one"),
    ("name: Ines Falk\n", "", 1, "`name` is missing from the front matter: add it"),
    ("title: Director of trials", "title:", "title",
     "`title` is empty: give it a value, in quotes if it starts with #"),
    ("role: tests what was tried", "role: 7", "role", "`role` must be one line of text: write it in quotes"),
    ("voice: calm", "voice: 2026-13-45", 1,
     "the front matter holds a value that cannot be read, such as a date that is none; correct it"),
]  # fmt: skip


@pytest.mark.parametrize(("old", "new", "line", "message"), REFUSED_PERSONAS)
def test_persona_is_refused_with_line_and_advice(old: str, new: str, line: str | int, message: str) -> None:
    assert PERSONA.count(old) == 1
    text = PERSONA.replace(old, new)
    number = line if isinstance(line, int) else line_of(text, line)
    with pytest.raises(PersonaError) as refused:
        read_persona(text, "tester/persona.md")
    assert str(refused.value) == f"tester/persona.md, line {number}: {message}"


KEYS = "turn_limits, defaults, timers_s, section_break_slides, time_warnings"
REFUSED_ORCHESTRATIONS = [
    ("section_break_slides", "section_break_slide", "section_break_slide",
     "`section_break_slide` is not a key of this file: did you mean `section_break_slides`?"),
    ("---\n\n# How", "focus: none\n---\n\n# How", "focus",
     f"`focus` is not a key of this file: take it out; keys are {KEYS}"),
    ("stale: 60", "stale_s: 60", "  stale_s",
     "`timers_s.stale_s` is not a key of this file: did you mean `stale`?"),
    ("  stale: 60\n", "", "timers_s", "`timers_s.stale` is missing from the front matter: add it"),
    ("stale: 60", "stale: 0", "  stale", "`timers_s.stale` is 0: write a number above 0"),
    ("stale: 60", "stale: soon", "  stale", "`timers_s.stale` is 'soon': write a number above 0"),
    ("stale: 60", "stale: yes", "  stale", "`timers_s.stale` is True: write a number above 0"),
    ("moderate: 3", "moderate: 2.5", "turn_limits",
     "`turn_limits.moderate` is 2.5: write a whole number above 0"),
    ("mode: section-breaks", "mode: quiz", "defaults",
     "`defaults.mode` is 'quiz': choose one of section-breaks, hand-raise, free-flow"),
    ("{friendly: 2, moderate: 3, adversarial: 4}", "3", "turn_limits",
     "`turn_limits` must hold the keys friendly, moderate, adversarial"),
    ("[0.8, 0.9]", "[0.9, 0.8]", "time_warnings",
     "`time_warnings` must be ascending shares between 0 and 1, as in [0.8, 0.9]"),
    ("[0.8, 0.9]", "[80, 90]", "time_warnings",
     "`time_warnings` must be ascending shares between 0 and 1, as in [0.8, 0.9]"),
]  # fmt: skip


@pytest.mark.parametrize(("old", "new", "line", "message"), REFUSED_ORCHESTRATIONS)
def test_orchestration_is_refused_with_line_and_advice(old: str, new: str, line: str, message: str) -> None:
    assert ORCHESTRATION.count(old) == 1
    text = ORCHESTRATION.replace(old, new)
    with pytest.raises(PersonaError) as refused:
        read_orchestration(text, "moderator/orchestration.md")
    assert str(refused.value) == f"moderator/orchestration.md, line {line_of(text, line)}: {message}"


def test_keys_of_an_earlier_release_are_taken_and_said_to_decide_nothing() -> None:
    former = ORCHESTRATION.replace("---\nturn", "---\nstates: 7\ntransitions: {a: [b]}\nturn")
    former = former.replace("  stale: 60\n", "  stale: 60\n  answer_limit: 90\n")
    assert read_orchestration(former, "rules.md") == read_orchestration(ORCHESTRATION, "rules.md")
    assert deciding_nothing(ORCHESTRATION, "rules.md") == []
    assert deciding_nothing(former, "rules.md") == [
        "rules.md, line 2: `states` decides nothing: take it out",
        "rules.md, line 3: `transitions` decides nothing: take it out",
        "rules.md, line 10: `timers_s.answer_limit` decides nothing: take it out",
    ]
    kept = (FORMER / "moderator" / "orchestration.md").read_text("utf-8")
    assert len(deciding_nothing(kept, "rules.md")) == 3


REFUSED_PHRASES = [
    ('- "Stalling, {presenter}."', "- Stalling.", "- Stalling",
     'must be one phrase in double quotes, as in `- "One thing."`'),
    ("Parking, {presenter}.", "Parking, {panel}.", '- "Parking',
     "unknown slot {panel}: use {presenter}, {agent_name}, {agent_title}, {slide}, {minutes_left}"),
]  # fmt: skip


@pytest.mark.parametrize(("old", "new", "line", "message"), REFUSED_PHRASES)
def test_phrases_are_refused_with_line_and_advice(old: str, new: str, line: str, message: str) -> None:
    assert PHRASES.count(old) == 1
    text = PHRASES.replace(old, new)
    with pytest.raises(PersonaError) as refused:
        read_phrases(text, "moderator/phrase-library.md")
    assert str(refused.value) == f"moderator/phrase-library.md, line {line_of(text, line)}: {message}"


@pytest.mark.parametrize(
    "text", ["", "---", "---\n---\n", "---\n- a\n---\n", "---\na: &a {b: *a}\n---\n", "\0"]
)
def test_text_that_is_no_template_is_refused_in_one_line(text: str) -> None:
    for read in (read_persona, read_orchestration):
        with pytest.raises(PersonaError) as refused:
            read(text, "x.md")
        assert re.match(r"x\.md, line [12]: ", str(refused.value))
        assert "\n" not in str(refused.value)
