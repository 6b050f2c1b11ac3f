"""What each person at the table goes after: the board's members, or the panelists in their place."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from orchestrator.claims.model import Gap
from orchestrator.deck.model import Deck, Slide
from orchestrator.dossier.model import BOARD, PANEL, Aim, BoardMember, Profile
from orchestrator.dossier.people import LEAST, match_of, missed_by
from orchestrator.dossier.rating import Rated
from orchestrator.engines.angles import interest
from orchestrator.engines.situating import angles_in
from orchestrator.engines.wording import quote_of
from orchestrator.intel.vocabulary import Vocabulary
from orchestrator.persona import Seat

MOST_AIMS: Final = 3


@dataclass(frozen=True, slots=True)
class Table:
    """Who sits there, and the deck in front of them."""

    deck: Deck
    slides: Mapping[int, Slide]
    seats: Sequence[Seat]
    members: Sequence[BoardMember]
    words: Vocabulary


def profiles_of(rated: Sequence[Rated], table: Table, gaps: Sequence[Gap]) -> tuple[Profile, ...]:
    if table.members:
        return tuple(_member(member, rated, table, gaps) for member in table.members)
    return tuple(_panelist(seat, rated, table.deck) for seat in table.seats)


def _member(member: BoardMember, rated: Sequence[Rated], table: Table, gaps: Sequence[Gap]) -> Profile:
    scored = []
    for one in rated:
        match = match_of(member, one.claim, table.slides.get(one.claim.slide or 0))
        if match.weight >= LEAST and one.weaknesses:
            scored.append((match.weight + 0.5 * one.weight, one, match.why))
    return Profile(
        kind=BOARD,
        name=member.name,
        role=member.role,
        aims=_aims(scored),
        missing=missed_by(member, table.deck, gaps),
    )


def _panelist(seat: Seat, rated: Sequence[Rated], deck: Deck) -> Profile:
    scored = []
    for one in rated:
        found = angles_in(deck, one.claim, seat)
        if found and one.weaknesses:
            weight = interest(one.claim, seat, found[0], ()) + 0.3 * one.weight
            scored.append((weight, one, found[0].words))
    persona = seat.persona
    return Profile(PANEL, persona.name, persona.title, _aims(scored), agent=persona.id)


def _aims(scored: Sequence[tuple[float, Rated, str]]) -> tuple[Aim, ...]:
    """The first few, from different slides as long as there are some."""
    ranked = sorted(scored, key=lambda item: -item[0])
    seen: set[int | None] = set()
    first: list[tuple[float, Rated, str]] = []
    others: list[tuple[float, Rated, str]] = []
    for item in ranked:
        slide = item[1].claim.slide
        (others if slide in seen else first).append(item)
        seen.add(slide)
    return tuple(
        Aim(
            claim=one.claim.id,
            slide=one.claim.slide,
            quote=quote_of(one.claim, tuple(quantity.text for quantity in one.claim.quantities)),
            why=why,
            open=one.weaknesses[0].note,
        )
        for _, one, why in [*first, *others][:MOST_AIMS]
    )
