"""What a check has understood, as JSON and as a page for people."""

from __future__ import annotations

import shutil
import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from orchestrator.model.claim import READ

if TYPE_CHECKING:
    from orchestrator.engines.offline.kinds import Kind
    from orchestrator.model.claim import Claim, Gap, Place, Tension
    from orchestrator.model.slide import Deck

WIDEST = 100
"""Columns beyond which lines are hard to read, however wide the terminal is."""


@dataclass(frozen=True, slots=True)
class Read:
    """All that one check has understood."""

    deck: Deck
    kind: Kind
    claims: Sequence[Claim]
    found: Sequence[Tension]
    gaps: Sequence[Gap]

    @property
    def computed(self) -> list[Tension]:
        """The arithmetic fails: contradictions, and counted as such."""
        return [one for one in self.found if one.class_ != READ]

    @property
    def doubtful(self) -> list[Tension]:
        """No figure decides: both quotes stand, and the presenter is asked."""
        return [one for one in self.found if one.class_ == READ]


# ---------------------------------------------------------------------- as JSON


def plain(read: Read) -> dict[str, Any]:
    """The JSON document."""
    return {
        "kind": read.kind.name,
        "slides": [{"slide": slide.number, "title": slide.title} for slide in read.deck.slides],
        "claims": [_claim(claim) for claim in read.claims],
        "tensions": [_tension(one) for one in read.found],
        "gaps": [{"slide": gap.slide, "note": gap.note} for gap in read.gaps],
    }


def _claim(claim: Claim) -> dict[str, Any]:
    return {
        "claim": claim.id,
        "slide": claim.slide,
        "said_at_s": claim.said_at_s,
        "text": claim.text,
        "kinds": list(claim.kinds),
        "quantities": [
            {
                "value": one.value,
                "unit": one.unit,
                "period": one.period,
                "subject": one.subject,
                "text": one.text,
            }
            for one in claim.quantities
        ],
    }


def _tension(tension: Tension) -> dict[str, Any]:
    return {
        "kind": tension.kind,
        "a": _place(tension.a),
        "b": _place(tension.b),
        "note": tension.note,
        "class": tension.class_,
        "by": tension.by,
        "subject": tension.subject,
        "sum": tension.sum,
    }


def _place(place: Place) -> dict[str, Any]:
    return {"slide": place.slide, "said_at_s": place.said_at_s, "quote": place.quote}


# ---------------------------------------------------------------------- for people


def page(read: Read) -> Iterator[str]:
    """The lines for people."""
    from orchestrator.debrief.words import counted  # it imports the debrief, which `--help` can do without

    counts = (counted(len(read.deck.slides), "slide"), counted(len(read.claims), "claim"))
    title = read.deck.title or read.deck.name
    yield f"{title}: {', '.join(counts)}, {counted(len(read.computed), 'contradiction')}"
    yield f"{'read' if not read.kind.given else 'set'} as: {read.kind.name}"
    if read.computed:
        yield from ("", "Contradictions")
    for number, tension in enumerate(read.computed, start=1):
        yield from _found_page(number, tension.note, tension)
        if tension.sum and tension.sum not in tension.note:
            yield from _wrapped(tension.sum, indent="     ")
    if read.doubtful:
        yield from ("", "Can both be so? (no figure decides it, so these are not counted)")
    for number, tension in enumerate(read.doubtful, start=1):
        yield from _found_page(number, f"{tension.subject or 'Which is it'}? {tension.note}", tension)
    if read.gaps:
        yield from ("", "Gaps")
    for gap in read.gaps:
        about = f"slide {gap.slide}" if gap.slide is not None else "the deck"
        yield from _wrapped(f"{about}: {gap.note}", indent="     ", first="   ")
    if read.claims:
        yield from ("", "Claims")
    for claim in read.claims:
        where = _where(claim.slide, claim.said_at_s)
        yield from _wrapped(f"{where}, {', '.join(claim.kinds)}: {claim.text}", indent="     ", first="   ")


def _found_page(number: int, words: str, tension: Tension) -> Iterator[str]:
    """One finding: the sentence, and every quote with its place."""
    yield from _wrapped(f"{number}. {words}", indent="   ", first="")
    for place in dict.fromkeys(tension.sides):
        where = _where(place.slide, place.said_at_s) + (f", {place.under}" if place.under else "")
        yield from _wrapped(f'{where}: "{place.quote}"', indent="     ")


def _wrapped(text: str, *, indent: str, first: str | None = None) -> list[str]:
    width = min(WIDEST, shutil.get_terminal_size((WIDEST, 24)).columns)
    begin = indent if first is None else first
    return textwrap.wrap(
        text, max(width, 40), initial_indent=begin, subsequent_indent=indent, break_on_hyphens=False
    )


def _where(slide: int | None, said_at_s: float | None) -> str:
    if said_at_s is None:
        return f"slide {slide}"
    return f"at {int(said_at_s) // 60}:{int(said_at_s) % 60:02}"
