"""External intel as typed values: one item a finding, with the deck's claim that it bears on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

SUPPORTS: Final = "supports"
CONTRADICTS: Final = "contradicts"
NEUTRAL: Final = "neutral"
STANCES: Final = (CONTRADICTS, SUPPORTS, NEUTRAL)
"""In the order of the page: a presenter has to know first of news that speaks against the deck."""


@dataclass(frozen=True, slots=True)
class Reported:
    """A finding as a file brings it, before it is held beside the deck; all words are the file's own."""

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
    """One finding from outside, and how it stands to the deck.

    `quote` is verbatim from the slide. `stance` is neutral wherever neither the file nor a model says
    otherwise; `why` says what the stance rests on.
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
        """Whether anybody, the file or a model, has held it against the deck."""
        return self.is_read or self.quote is not None or self.slide is not None


@dataclass(frozen=True, slots=True)
class Intel:
    """All that is known from outside at one revision of external-intel."""

    items: tuple[IntelItem, ...] = ()
    revision: int = 1
    left_out: int = 0  # of releases before 0.3: paragraphs without a number, a date or a word of the deck
    failed: str | None = None  # why this revision's findings were not read beside the deck

    @property
    def contradicting(self) -> tuple[IntelItem, ...]:
        """The findings that speak against words or a slide of the deck, in the order of the page."""
        return tuple(one for one in self.items if one.stance == CONTRADICTS and one.slide is not None)
