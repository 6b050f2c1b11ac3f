"""The moderator's orchestration: limits, timers and phrases.

`orchestration.md` contains the limits and timers as front matter (its prose is for people and the model).
`phrase-library.md` contains what the moderator may say, under one heading for each occasion.

Source: DESIGN.md, sections 2 and 7.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from orchestrator.panel.personas.outline import (
    Outline,
    bullets,
    quoted_bullets,
    read_outline,
)

INTENSITIES = ("friendly", "moderate", "adversarial")
SECTION_BREAKS, HAND_RAISE, FREE_FLOW = MODES = ("section-breaks", "hand-raise", "free-flow")
"""The modes in which the panel asks. Source: DESIGN.md, section 7."""

PHRASE_HEADINGS = (
    "Opening", "Calling on a panelist", "Transition", "Follow-up", "Further question",
    "Acknowledging an answer", "Parking", "Coming back", "Time warning 80", "Time warning 90",
    "No question for a while", "Pause after a monologue", "Stalling", "Closing",
)  # fmt: skip

PHRASE_SLOTS = ("presenter", "agent_name", "agent_title", "slide", "minutes_left")
"""Slots that a phrase may contain; the phrase is said only if all its slots can be filled."""

FORMER_KEYS = ("states", "transitions")
"""Keys of orchestration.md up to release 0.1.0, which have no effect now.

The program determines which state follows which. Homes that still have these keys, and the copies in
sessions, are accepted.
"""

FORMER_TIMERS = ("answer_limit",)
"""Keys of `timers_s` up to release 0.2.0, accepted without effect in the same way: an answer has no limit
now.
"""

Phrases = Mapping[str, tuple[str, ...]]
"""The moderator's phrases, by heading; the headings are PHRASE_HEADINGS."""


@dataclass(frozen=True, slots=True)
class Defaults:
    """A session's options for which its presenter makes no choice."""

    mode: str  # of MODES
    intensity: str  # of INTENSITIES
    minutes: float
    exchanges: int


@dataclass(frozen=True, slots=True)
class Timers:
    """The timers, in seconds of the session clock."""

    refresh: float  # between two refreshes of the candidate questions
    answer_pause: float  # a silence that ends an answer; its second half counts down
    stale: float  # after which an unconfirmed candidate is not asked
    hand_raise_pause: float  # a silence in which the moderator calls on a raised hand
    free_flow_gap: float  # the least time between two interruptions
    no_question_prompt: float  # without a question
    monologue: float  # after which a pause is suggested


@dataclass(frozen=True, slots=True)
class Orchestration:
    """The values in the front matter of orchestration.md."""

    turn_limits: Mapping[str, int]  # most turns per exchange, by intensity
    defaults: Defaults
    timers_s: Timers
    section_break_slides: int  # every so many slide changes, in a deck without sections
    time_warnings: tuple[float, ...]  # share of the budget, ascending


@lru_cache(maxsize=16)  # those of several homes; reading one takes some 20 ms
def read_orchestration(text: str, path: str) -> Orchestration:
    """Read the moderator's rules in *text*; the same text is read once in a process.

    Raises:
        PersonaError: A key is missing, unknown or has an invalid value.
    """
    outline = read_outline(text, path)
    orchestration = orchestration_of(outline)
    outline.findings.refuse()
    return orchestration


def read_phrases(text: str, path: str) -> Phrases:
    """Read the moderator's phrases in *text*, by heading.

    A missing heading has no phrases, since sessions keep the library with which they were started, even from
    an earlier release.

    Raises:
        PersonaError: A bullet is not one quoted phrase, or contains a slot that nobody fills.
    """
    outline = read_outline(text, path, front=False)
    phrases = phrases_of(outline)
    outline.findings.refuse()
    return phrases


def orchestration_of(outline: Outline) -> Orchestration:
    """Return the rules as far as they can be read; their faults are in the outline's findings."""
    front = outline.front
    front.values = {key: value for key, value in front.values.items() if key not in FORMER_KEYS}
    if isinstance(timers := front.values.get("timers_s"), Mapping):
        kept = {key: value for key, value in timers.items() if key not in FORMER_TIMERS}
        front.values = {**front.values, "timers_s": kept}
    front.only(_names(Orchestration))
    _keyed(outline, "turn_limits", INTENSITIES)
    _keyed(outline, "defaults", _names(Defaults))
    _keyed(outline, "timers_s", _names(Timers))
    return Orchestration(
        turn_limits={intensity: front.whole(f"turn_limits.{intensity}") for intensity in INTENSITIES},
        defaults=Defaults(
            mode=front.choice("defaults.mode", MODES),
            intensity=front.choice("defaults.intensity", INTENSITIES),
            minutes=front.number("defaults.minutes"),
            exchanges=front.whole("defaults.exchanges"),
        ),
        timers_s=Timers(**{name: front.number(f"timers_s.{name}") for name in _names(Timers)}),
        section_break_slides=front.whole("section_break_slides"),
        time_warnings=_warnings(outline),
    )


def deciding_nothing(text: str, path: str) -> list[str]:
    """Return a line for each key in the front matter of *text* that no longer has an effect."""
    front = read_outline(text, path).front
    timers = front.values.get("timers_s")
    former = [key for key in FORMER_KEYS if key in front.values]
    if isinstance(timers, Mapping):
        former += [f"timers_s.{key}" for key in FORMER_TIMERS if key in timers]
    return [f"{path}, line {front.line_of(key)}: `{key}` decides nothing: take it out" for key in former]


def phrases_of(outline: Outline) -> Phrases:
    """Return the phrases as far as they can be read; their faults are in the outline's findings."""
    for section in outline.under(None):
        for item in bullets(section):
            for slot in re.findall(r"\{([^{}]*)\}", item.text):
                if slot not in PHRASE_SLOTS:
                    known = ", ".join(f"{{{name}}}" for name in PHRASE_SLOTS)
                    outline.findings.add(item.number, f"unknown slot {{{slot}}}: use {known}")
    return {heading: quoted_bullets(outline, outline.section(heading)) for heading in PHRASE_HEADINGS}


def _names(kind: type[Any]) -> tuple[str, ...]:
    return tuple(field.name for field in dataclasses.fields(kind))


def _keyed(outline: Outline, key: str, keys: tuple[str, ...]) -> None:
    """Report the value of *key* if it is not a mapping, or if its keys are not *keys*."""
    value = outline.front.lookup(key)
    if value is not None and not isinstance(value, Mapping):
        outline.front.reject(key, f"must hold the keys {', '.join(keys)}")
    outline.front.only(keys, within=key)


def _warnings(outline: Outline) -> tuple[float, ...]:
    value = outline.front.lookup("time_warnings")
    if value is None:
        return ()
    shares = tuple(value) if isinstance(value, list) else ()
    if not shares or not all(isinstance(share, float) and 0 < share < 1 for share in shares):
        shares = ()
    if not shares or list(shares) != sorted(set(shares)):
        outline.front.reject("time_warnings", "must be ascending shares between 0 and 1, as in [0.8, 0.9]")
    return shares
