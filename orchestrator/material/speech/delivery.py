"""How the presenter spoke: pace, fillers and hedges, pauses, time without another voice.

Everything here is counted from segments; nothing is guessed. Where times were estimated from
words, or of typed words, pace and pauses are not measured.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from orchestrator.material.model.segment import Segment
from orchestrator.material.speech.fillers import Mark, is_countable, marks
from orchestrator.material.speech.pace import (
    Stretch,
    pace_of,
    stretches,
    windows,
    words_in,
)

LONG_PAUSE_S: Final = 4.0
"""Shorter ones are breath, a slide change, or a pause for effect."""
_NEVER_A_PAUSE_S: Final = 60.0
"""A gap of a minute is no pause in speaking: the recording was cut or the meeting stood still."""
# Enough words to tell a language; all of two hours would be read at each debrief.
_SAMPLE_SEGMENTS: Final = 200


@dataclass(frozen=True, slots=True)
class Said:
    """A filler or hedge with the segment that it was said in."""

    mark: Mark
    segment: Segment


@dataclass(frozen=True, slots=True)
class Pause:
    """A silence of the presenter, with nobody else speaking."""

    at_s: float
    length_s: float
    before: Segment  # what was said before it


@dataclass(frozen=True, slots=True)
class Delivery:
    """The measures of one presentation. A measure that cannot be taken is None."""

    words: int
    spoken_s: float
    words_per_minute: int | None
    minutes: tuple[Stretch, ...]
    slow: tuple[Stretch, ...]
    fast: tuple[Stretch, ...]
    said: tuple[Said, ...] | None  # fillers and hedges, in order; None where the speech is not English
    pauses: tuple[Pause, ...] | None  # of LONG_PAUSE_S and more
    monologue: tuple[float, float] | None  # start and end of the longest time without another voice
    talk_share: float | None  # of all time in which somebody spoke
    others_s: float = 0.0  # how long anybody else spoke
    is_recognised: bool = False  # words are as a speech-to-text program heard them: without most hesitations

    def common(self, kind: str) -> list[tuple[str, int]]:
        """The fillers or hedges that were said, with how often, the commonest first."""
        counted = Counter(one.mark.word for one in self.said or () if one.mark.kind == kind)
        return sorted(counted.items(), key=lambda pair: (-pair[1], pair[0]))

    def count(self, kind: str) -> int:
        """How many fillers or hedges were said."""
        return sum(one.mark.kind == kind for one in self.said or ())


def delivery_of(
    segments: Sequence[Segment], judged: Collection[str | None], *, asked_at_s: Sequence[float] = ()
) -> Delivery:
    """The measures over all *segments* of a session, in the order in which they were said.

    Args:
        judged: The labels whose segments count; None among them: those without a label.
        asked_at_s: When questions were put. The presenter's silence around one is listening, and
            the panel is another voice.

    A piece whose words were taken back, or not said at all, counts for nothing, and its time for no silence.
    """
    said_at_all = [one for one in segments if one.text]
    own = [one for one in said_at_all if one.speaker in judged]
    told = [one for one in segments if not one.times_estimated]
    own_s = sum(one.end_s - one.start_s for one in own)
    all_s = sum(one.end_s - one.start_s for one in said_at_all)
    minutes = windows(own)
    said = said_in(own)
    rated = () if said is None else minutes  # what is slow and fast is known for English
    return Delivery(
        words=round(sum(words_in(one.text) for one in own)),
        spoken_s=round(own_s, 3),
        words_per_minute=pace_of(own),
        minutes=minutes,
        slow=stretches(rated, fast=False),
        fast=stretches(rated, fast=True),
        said=said,
        pauses=pauses_in(told, judged, asked_at_s) if any(one.is_length_told for one in told) else None,
        monologue=_longest_alone(told, judged, asked_at_s),
        talk_share=round(own_s / all_s, 3) if all_s else None,
        others_s=round(all_s - own_s, 3),
        is_recognised=is_recognised(own),
    )


def is_recognised(segments: Sequence[Segment]) -> bool:
    """Whether any of these come from a speech-to-text program: only those have a confidence."""
    return any(one.confidence is not None for one in segments)


def said_in(segments: Sequence[Segment]) -> tuple[Said, ...] | None:
    """Every filler and hedge of these segments; None where they are not in English.

    Counted segment by segment: the whole is the sum of its parts.
    """
    if not is_countable(" ".join(one.text for one in segments[:_SAMPLE_SEGMENTS])):
        return None
    return tuple(Said(mark, one) for one in segments for mark in marks(one.text))


def pauses_in(
    segments: Sequence[Segment], judged: Collection[str | None], asked_at_s: Sequence[float] = ()
) -> tuple[Pause, ...]:
    """The presenter's long silences between two segments of their own, with nobody else in between."""
    found = []
    for before, after in pairwise(segments):
        if before.speaker not in judged or after.speaker not in judged:
            continue
        gap_s = round(after.start_s - before.end_s, 3)
        asked = any(before.end_s <= at_s <= after.start_s for at_s in asked_at_s)
        if before.is_length_told and LONG_PAUSE_S <= gap_s < _NEVER_A_PAUSE_S and not asked:
            found.append(Pause(before.end_s, gap_s, before))
    return tuple(found)


def _longest_alone(
    segments: Sequence[Segment], judged: Collection[str | None], asked_at_s: Sequence[float]
) -> tuple[float, float] | None:
    alone: list[tuple[float, float]] = []
    before: Segment | None = None
    for one in segments:
        if one.speaker in judged:
            goes_on = before is not None and before.speaker in judged
            asked = before and any(before.end_s <= at_s <= one.start_s for at_s in asked_at_s)
            begin_s = alone[-1][0] if goes_on and not asked else one.start_s
            alone.append((begin_s, one.end_s))
        before = one
    return max(alone, key=lambda time: time[1] - time[0], default=None)
