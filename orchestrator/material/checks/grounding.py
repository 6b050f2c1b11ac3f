"""Quotes and places that an engine names, looked up again: what stands nowhere is dropped."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby, islice
from typing import Final

from orchestrator.material.checks.passages import deck_passages, speech_passages
from orchestrator.material.checks.quotes import Broken, find_quote
from orchestrator.material.claims.dates import dates_in
from orchestrator.material.claims.numbers import numbers_in
from orchestrator.material.model.claim import Place
from orchestrator.material.model.proposal import Passage
from orchestrator.material.model.segment import Segment
from orchestrator.material.model.slide import Deck

# Models quote the quotation marks and the full stop too.
_WRAPPED: Final = re.compile(r'^[>\s]*["“„«‘]?(.*?)["”“»’]?[\s.,;:]*$', re.DOTALL)
_SHORTEST: Final = 4
"""Letters and digits; a shorter quote ("the") stands everywhere, and says nothing unless it is a figure."""
_SPREAD: Final = 3
"""Pieces of speech that one quote may run over: a sentence of captions takes two or three."""


def material(deck: Deck, segments: Sequence[Segment] = ()) -> tuple[Passage, ...]:
    """Everything that can be quoted: the deck with its notes, then what was said."""
    return (*deck_passages(deck), *speech_passages(segments))


def grounded(place: Place, passages: Sequence[Passage]) -> Place | None:
    """*place* with the source's own words; None: they do not stand there.

    A place with a time is looked for in the speech from that time on, one with only a slide on that
    slide, and one with neither in all that was said.
    """
    found = find_quote(place.quote, [passage.text for passage in _there(place, passages)])
    return None if isinstance(found, Broken) else Place(place.slide, place.said_at_s, found.text)


def figures(text: str) -> set[object]:
    """The numbers and dates that a text gives, in digits or words: "eighteen percent" is 18.

    A date gives its year, its month and its day each, so that a part of it is found in the whole.
    """
    found: set[object] = {number.value for number in numbers_in(text)}
    for date in dates_in(text):
        if date.has_year:
            found.add(("year", date.last.year))
        if date.precision in ("day", "month"):
            found.add(("month", date.first.month))
        if date.precision not in ("month", "year"):
            found.add((date.precision, date.first.month, date.first.day))
    return found


def _there(place: Place, passages: Sequence[Passage]) -> Iterator[Passage]:
    spoken = (one for one in passages if one.said_at_s is not None)
    if place.said_at_s is not None:
        at_s = place.said_at_s
        from_then = [one for one in spoken if (one.said_at_s or 0.0) >= at_s]
        # At the end of a recording the clock stands still: all answers there have one time.
        return islice(from_then, sum(one.said_at_s == at_s for one in from_then) + _SPREAD)
    if place.slide is not None:
        return (one for one in passages if one.said_at_s is None and one.slide == place.slide)
    return spoken


# ---------------------------------------------------------------------- a quote without a place


def found_in(quote: str, *texts: str, joined_by: str = " … ") -> str | None:
    """The stretch that *quote* gives of texts that adjoin each other, or None."""
    for form in _forms(quote):
        found = find_quote(form, texts)
        if not isinstance(found, Broken):
            return joined_by.join(part.text for part in found.parts)
    return None


def _forms(quote: str) -> Iterator[str]:
    """The quote as it came and without marks around it, our own files' backslashes aside."""
    plain = quote.replace("^\\", "^").replace("\\|", "|")
    letters = sum(letter.isalnum() for letter in plain)
    if letters >= _SHORTEST or any(letter.isdigit() for letter in plain):
        yield from dict.fromkeys((plain, _WRAPPED.sub(r"\1", plain)))


def place_in(quote: str, passages: Iterable[Passage], *, notes: bool = False) -> Place | None:
    """Where *quote* stands among passages; None: nowhere. *notes*: speaker notes count as well."""
    found = first_place(quote, passages, notes)
    return found[0] if found is not None else None


def first_place(quote: str, passages: Iterable[Passage], notes: bool = False) -> tuple[Place, str] | None:
    """The place, and the id of the passage that it begins in."""
    for _, group in groupby((one for one in passages if notes or one.origin != "notes"), key=_run_of):
        run = list(group)
        joined_by = " | " if run[0].origin == "table" else " … "
        if words := found_in(quote, *(one.text for one in run), joined_by=joined_by):
            return Place(run[0].slide, run[0].said_at_s, words), run[0].id
    return None


def _run_of(passage: Passage) -> tuple[object, ...]:
    """The key that passages of one run share: lines of a slide, cells of a row; all else stands alone."""
    if passage.origin == "line":
        return (passage.slide, "line")
    if passage.origin == "table":
        return (passage.slide, passage.id.rpartition(".")[0])
    return (passage.id,)
