"""One piece of speech: as it came in, and as it stands in a transcript."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

REPETITION: Final = "repetition"
LANGUAGE: Final = "language"
CONFIDENCE: Final = "confidence"
DOUBTS: Final = (REPETITION, LANGUAGE, CONFIDENCE)
"""Why recognised words may not be what was said: they repeat themselves without end, another language than
the model's was spoken, or the model is not sure of them."""

WORDS_PER_MINUTE = 150
"""The pace assumed for words without times (DESIGN.md, section 6)."""
MAX_TIME_S = 24 * 3600.0
"""A time beyond one day is a broken clock, not a rehearsal; our own limit."""


@dataclass(frozen=True, slots=True)
class LiveSegment:
    """Words that were said, before their times are settled.

    `text` and `speaker` are clean (see `orchestrator.material.speech.text`). A time is what the source
    gave, however impossible, or None where it gave none.
    """

    text: str
    start_s: float | None = None
    end_s: float | None = None
    speaker: str | None = None
    slide: int | None = None
    confidence: float | None = None  # 0 to 1
    id: str | None = None  # the source's own: given again with the same words, they count once
    doubt: str | None = None  # of DOUBTS; None: there is none


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
    doubt: str | None = None  # of DOUBTS; None: there is none, or somebody has read the words since
    misheard: str | None = None  # what had been heard, where the text was corrected
    end_estimated: bool = False  # the start was told, as of typed words; the end was counted from the words

    @property
    def is_length_told(self) -> bool:
        """Whether it is known how long it took: without that its words have no pace."""
        return not self.times_estimated and not self.end_estimated


def is_name_of(label: str | None, presenter: str) -> bool:
    """Whether a label in a recording is the presenter's own name, whatever its case."""
    return label is not None and " ".join(label.split()).casefold() == " ".join(presenter.split()).casefold()


def possible(time_s: float | None) -> float | None:
    """The time if it can be one within a recording, else None."""
    if time_s is None or not math.isfinite(time_s) or not 0 <= time_s <= MAX_TIME_S:
        return None
    return time_s
