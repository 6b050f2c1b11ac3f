"""One piece of speech, as it stands in a transcript."""

from __future__ import annotations

from dataclasses import dataclass

WORDS_PER_MINUTE = 150
"""The pace assumed for words without times (DESIGN.md, section 6)."""


@dataclass(frozen=True, slots=True)
class Segment:
    """One final piece of speech, with the recording's own times in seconds."""

    text: str
    start_s: float
    end_s: float
    speaker: str | None = None
    slide: int | None = None
    slide_estimated: bool = False  # the slide was found by matching words, not told
    times_estimated: bool = False  # the times were counted from words, not told
    confidence: float | None = None  # 0 to 1, from the speech-to-text program
