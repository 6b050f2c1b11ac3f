"""Values of decks, charts, speech, outside findings and questions that the presenter brings."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

# ---------------------------------------------------------------------- slide
# A deck as values: slides with text, tables, charts and notes.


@dataclass(frozen=True, slots=True)
class Table:
    """A table, row by row; the first row is usually its header."""

    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class Series:
    """One series of a chart; None marks a gap."""

    name: str
    values: tuple[float | None, ...]
    percent: bool = False  # drawn as percentages: 0.25 is shown as 25 %
    unit: str = ""  # what the number format writes beside a value that it shows as stored


@dataclass(frozen=True, slots=True)
class Chart:
    """A chart's data as stored in the deck, not as drawn."""

    kind: str
    title: str
    categories: tuple[str, ...]
    series: tuple[Series, ...]
    axes: tuple[str, ...] = ()  # their titles, those of values first: "EUR million"
    labels: tuple[str, ...] = ()  # what somebody wrote at a point or over the chart


@dataclass(frozen=True, slots=True)
class Slide:
    """One slide.

    `lines` holds the text in reading order, one paragraph each, without the title;
    a quote from a slide always lies within its title, one line, one table cell,
    the notes or an alt text, so that it can be found again verbatim.

    Not every line is an assertion: see `orchestrator.material.deck.lines`.
    """

    number: int  # 1-based, as the audience counts
    title: str
    lines: tuple[str, ...] = ()
    tables: tuple[Table, ...] = ()
    charts: tuple[Chart, ...] = ()
    notes: str = ""
    alt_texts: tuple[str, ...] = ()
    hidden: bool = False
    section: str | None = None  # the name of the section that the deck declares, if any
    parents: tuple[int | None, ...] = ()  # of each line the line that it stands under; empty: none has one
    furniture: tuple[int, ...] = ()  # lines that nobody asserts: footers, dial-in, what many slides repeat
    labels: tuple[int, ...] = ()  # lines that only name a part of a diagram, or a figure that nothing names
    title_is_furniture: bool = False


@dataclass(frozen=True, slots=True, weakref_slot=True)
class Deck:
    """A whole deck, with the SHA-256 of its file."""

    kind: str  # "pptx", "pdf" or "md"
    name: str  # the file's own name, without folders
    sha256: str  # hex digest of the file's bytes
    title: str
    slides: tuple[Slide, ...]
    notices: tuple[str, ...] = ()  # what could not be read, in words for the user


# ---------------------------------------------------------------------- segment
# One piece of speech: as it came in, and as it stands in a transcript.


REPETITION: Final = "repetition"
LANGUAGE: Final = "language"
CONFIDENCE: Final = "confidence"
DOUBTS: Final = (REPETITION, LANGUAGE, CONFIDENCE)
"""The reasons why recognised words may not be what was said: the words repeat themselves without end, another
language than the model's was spoken, or the model is not sure of the words."""

WORDS_PER_MINUTE = 150
"""Words a minute that are assumed for words without times (DESIGN.md, section 6)."""
MAX_TIME_S = 24 * 3600.0
"""Maximum time in a recording, in seconds; a time beyond one day is a broken clock, not a rehearsal. Our own
limit."""


@dataclass(frozen=True, slots=True)
class LiveSegment:
    """Spoken words whose times are not yet resolved.

    `text` and `speaker` are clean (see `orchestrator.material.speech.text`). A time is the one that the
    source states, however impossible, or None if it states none.
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
    """One final piece of speech, with the times in seconds that the recording itself has."""

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
        """Whether the length of the segment is known; without it, the words have no pace."""
        return not self.times_estimated and not self.end_estimated


def is_name_of(label: str | None, presenter: str) -> bool:
    """Return whether a label in a recording is the presenter's own name, without regard to letter case."""
    return label is not None and " ".join(label.split()).casefold() == " ".join(presenter.split()).casefold()


def possible(time_s: float | None) -> float | None:
    """Return the time if it is possible within a recording, else None."""
    if time_s is None or not math.isfinite(time_s) or not 0 <= time_s <= MAX_TIME_S:
        return None
    return time_s


# ---------------------------------------------------------------------- intel
# External intel as typed values: one item a finding, with the deck's claim that it bears on.


SUPPORTS: Final = "supports"
CONTRADICTS: Final = "contradicts"
NEUTRAL: Final = "neutral"
STANCES: Final = (CONTRADICTS, SUPPORTS, NEUTRAL)
"""The stances, in the order of the page: a presenter has to know first of news that speaks against the
deck."""


@dataclass(frozen=True, slots=True)
class Reported:
    """A finding as a file states it, not yet compared with the deck; all words are the file's own."""

    finding: str  # one line
    topic: str = ""
    source: str = ""
    date: str | None = None
    file: str = ""  # the file's name, without its folder
    claim: str | None = None  # a claim's id, where the file names it
    slide: int | None = None  # a slide, where the file names it
    stance: str | None = None  # of STANCES, where the file says so


@dataclass(frozen=True, slots=True)
class IntelItem:
    """A finding from outside, and its stance to the deck.

    `quote` is verbatim from the slide. `stance` is neutral unless the file or a model says otherwise, and
    `why` says what the stance rests on.
    """

    id: str  # "i1", "i2", … in the order of the page
    finding: str
    topic: str
    source: str
    date: str | None = None
    stance: str = NEUTRAL
    why: str = ""
    claim: str | None = None  # Claim.id of the deck's claim; None where it bears on none
    slide: int | None = None
    quote: str | None = None
    file: str = ""
    revision: int = 1  # in which it came in
    is_read: bool = False  # a model has read it beside the deck

    @property
    def is_held(self) -> bool:
        """Whether the file or a model has compared the item with the deck."""
        return self.is_read or self.quote is not None or self.slide is not None


@dataclass(frozen=True, slots=True)
class Intel:
    """All findings from outside at one revision of external-intel."""

    items: tuple[IntelItem, ...] = ()
    revision: int = 1
    left_out: int = 0  # of releases before 0.3: paragraphs without a number, a date or a word of the deck
    failed: str | None = None  # why this revision's findings were not read beside the deck

    @property
    def contradicting(self) -> tuple[IntelItem, ...]:
        """The findings that contradict words or a slide of the deck, in page order."""
        return tuple(one for one in self.items if one.stance == CONTRADICTS and one.slide is not None)


# ---------------------------------------------------------------------- brought


PANEL: Final = "panel"
PRESENTER: Final = "presenter"
DOSSIER: Final = "dossier"
"""Who may have written a question: a panelist here, the presenter, or the dossier with which the presenter
prepared."""


@dataclass(frozen=True, slots=True)
class BroughtQuestion:
    """A question that the presenter brings, as the session's first record stores it."""

    text: str
    slide: int | None = None  # at which it is put; None: in between
    agent: str | None = None  # who puts it; None: in turn
    written_by: str = PRESENTER  # or DOSSIER
    quote: str | None = None  # words of that slide, verbatim: only a dossier has them
    is_missing: bool = False  # it asks for what the slide, or the deck, does not say
    good_answer: str = ""  # what a good answer gives, where the dossier says so
