"""What a check has understood, as JSON and as a page for people."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from orchestrator.cli.screen import columns, wrapped
from orchestrator.model.claim import READ

if TYPE_CHECKING:
    from orchestrator.engines.offline.kinds import Kind
    from orchestrator.model.claim import Claim, Gap, Tension
    from orchestrator.model.slide import Deck


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
    from orchestrator.debrief.exchange_json import picked, tension_json

    quantity = ("value", "unit", "period", "subject", "text")
    return {
        "kind": read.kind.name,
        "slides": [{"slide": slide.number, "title": slide.title} for slide in read.deck.slides],
        "claims": [
            {
                "claim": claim.id,
                **picked(claim, ("slide", "said_at_s", "text", "kinds")),
                "quantities": [picked(one, quantity) for one in claim.quantities],
            }
            for claim in read.claims
        ],
        "tensions": [tension_json(one) for one in read.found],
        "gaps": [picked(gap, ("slide", "note")) for gap in read.gaps],
    }


# ---------------------------------------------------------------------- for people


def page(read: Read) -> Iterator[str]:
    """The lines for people."""
    from orchestrator.debrief.phrasing import (  # it imports the debrief, which `--help` can do without
        DO_THESE_AGREE,
        counted,
    )

    counts = (counted(len(read.deck.slides), "slide"), counted(len(read.claims), "claim"))
    title = read.deck.title or read.deck.name
    yield f"{title}: {', '.join(counts)}, {counted(len(read.computed), 'contradiction')}"
    yield f"{'read' if not read.kind.given else 'set'} as: {read.kind.name}"
    if read.computed:
        yield from ("", "Contradictions")
    for number, tension in enumerate(read.computed, start=1):
        yield from _found_page(number, tension.note, tension)
        if tension.sum and tension.sum not in tension.note:
            yield _line(f"     {tension.sum}", hang=0)
    if read.doubtful:
        yield from ("", f"{DO_THESE_AGREE} (no figure decides it, so these are not counted)")
    for number, tension in enumerate(read.doubtful, start=1):
        yield from _found_page(number, f"{tension.subject or 'Which is it'}? {tension.note}", tension)
    if read.gaps:
        yield from ("", "Gaps")
    for gap in read.gaps:
        about = f"slide {gap.slide}" if gap.slide is not None else "the deck"
        yield _line(f"   {about}: {gap.note}")
    if read.claims:
        yield from ("", "Claims")
    for claim in read.claims:
        where = _where(claim.slide, claim.said_at_s)
        yield _line(f"   {where}, {', '.join(claim.kinds)}: {claim.text}")


def _found_page(number: int, words: str, tension: Tension) -> Iterator[str]:
    """One finding: the sentence, and every quote with its place."""
    yield _line(f"{number}. {words}", hang=3)
    for place in dict.fromkeys(tension.sides):
        where = _where(place.slide, place.said_at_s) + (f", {place.under}" if place.under else "")
        yield _line(f'     {where}: "{place.quote}"', hang=0)


def _line(text: str, *, hang: int = 2) -> str:
    return wrapped(text, columns(sys.stdout), hang=hang)


def _where(slide: int | None, said_at_s: float | None) -> str:
    if said_at_s is None:
        return f"slide {slide}"
    return f"at {int(said_at_s) // 60}:{int(said_at_s) % 60:02}"
