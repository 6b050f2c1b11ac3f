"""Where a recording pauses, so that the panel can come in.

A pause is the time between the end of one segment and the start of the next. Captions often run
on without any, so where a slide was shown without one, the change to the next slide counts; and
in a recording without pauses and slides, the end of a sentence.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from itertools import pairwise

from orchestrator.material.model.segment import Segment
from orchestrator.panel.records.projection import Playback

_ENDS_SENTENCE = re.compile(r"[.?!…][\"'”’)\]]*\s*$")


def pauses_in(playback: Playback, pause_s: float) -> Mapping[int, float]:
    """After how many segments the recording pauses, and the session clock at which that is plain.

    The end of the recording is not among them.
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
    """The segment's last words end a sentence."""
    return _ENDS_SENTENCE.search(segment.text) is not None
