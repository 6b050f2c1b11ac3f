"""The state on which the next step of a rehearsal depends: projection, rules and clock at one moment."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING

from orchestrator.material.values import Segment
from orchestrator.panel.records.projection import Playback, Projection
from orchestrator.panel.records.setup import Options

if TYPE_CHECKING:
    from orchestrator.panel.personas.orchestration import Orchestration, Phrases


# ---------------------------------------------------------------------- pauses
# Where a recording pauses, so that the panel can come in.
#
# A pause is the time between the end of one segment and the start of the next. Captions often run on
# without any, so where a slide was shown without one, the change to the next slide counts; and in a
# recording without pauses and slides, the end of a sentence.


_ENDS_SENTENCE = re.compile(r"[.?!…][\"'”’)\]]*\s*$")


def pauses_in(playback: Playback, pause_s: float) -> Mapping[int, float]:
    """Map the number of segments before each pause of the recording to the session clock that reveals it.

    The end of the recording does not count as a pause.
    """
    found: dict[int, float] = {}
    end_s = 0.0
    shown: int | None = None
    paused_on_this_slide = False
    segments = playback.segments
    for number, (segment, following) in enumerate(pairwise(segments), start=1):
        end_s = max(end_s, segment.end_s)
        if following.start_s - end_s >= pause_s:
            found[number] = round(playback.offset_s + end_s + pause_s, 3)
            paused_on_this_slide = True
        shown = segment.slide if segment.slide is not None else shown
        if shown is not None and following.slide not in (None, shown):
            if not paused_on_this_slide:
                found[number] = round(playback.offset_s + end_s, 3)
            paused_on_this_slide = False
    return found or _sentence_ends(playback)


def _sentence_ends(playback: Playback) -> dict[int, float]:
    return {
        number: round(playback.offset_s + segment.end_s, 3)
        for number, segment in enumerate(playback.segments[:-1], start=1)
        if ends_sentence(segment)
    }


def ends_sentence(segment: Segment) -> bool:
    """Return whether the segment's last words end a sentence."""
    return _ENDS_SENTENCE.search(segment.text) is not None


# ---------------------------------------------------------------------- state


@dataclass(frozen=True, slots=True)
class Live:
    """The state of a live feed that only the process driving it knows, at one moment."""

    silent_s: float  # since somebody last spoke, as long as this process was there
    is_asking: bool = False  # panelists' calls are under way
    is_looking: bool = False  # a look for contradictions is under way
    is_judging: bool = False  # a verdict is under way
    owes_verdict: bool = False  # the answer that was given is this process's to have judged
    waited_s: float = 0.0  # session clock: how long a break has waited for questions
    is_over: bool = False  # no more speech comes

    @property
    def is_waiting(self) -> bool:
        """Return whether any call is under way."""
        return self.is_asking or self.is_looking or self.is_judging


@dataclass(frozen=True, slots=True)
class State:
    """Everything on which the next step depends, at one moment.

    The projection is the live one, so only read it.
    """

    projection: Projection
    options: Options
    rules: Orchestration
    library: Phrases  # all that the moderator may say; the projection has this session's choice of it
    now_s: float  # session clock
    has_model: bool  # a call takes time and may cost money, so nobody is asked without need
    hears_contradictions: bool = False  # there is something to look through, and somebody who can
    pauses: Mapping[int, float] = field(default_factory=dict)  # of the recording (`pauses_in`)
    live: Live | None = None  # None: a recording, or nothing, is being played

    @property
    def used_s(self) -> float:
        """Return how many seconds of the session's time are used up."""
        return sum(self.projection.times(self.now_s))

    @property
    def left(self) -> int:
        """Return how many exchanges may still be opened."""
        return self.options.exchanges - self.projection.opened

    @property
    def is_full(self) -> bool:
        """Return whether the exchanges of this session are used up."""
        return self.left <= 0
