"""A question that a presenter brings to a rehearsal: the panel puts it, and did not make it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

PANEL: Final = "panel"
PRESENTER: Final = "presenter"
DOSSIER: Final = "dossier"
"""Who wrote a question: a panelist here, its presenter, or the dossier that the presenter prepared with."""


@dataclass(frozen=True, slots=True)
class BroughtQuestion:
    """One of them, as the first record of a session keeps it."""

    text: str
    slide: int | None = None  # at which it is put; None: in between
    agent: str | None = None  # who puts it; None: in turn
    written_by: str = PRESENTER  # or DOSSIER
    quote: str | None = None  # words of that slide, verbatim: only a dossier has them
    is_missing: bool = False  # it asks for what the slide, or the deck, does not say
    good_answer: str = ""  # what a good answer gives, where the dossier says so
