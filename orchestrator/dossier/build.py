"""The dossier of a deck: its claims ranked by how vulnerable they are, and who will go after them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from orchestrator.claims.language import ENGLISH, UNKNOWN, language_of
from orchestrator.claims.model import Claim, Gap, Tension
from orchestrator.deck.model import Deck
from orchestrator.dossier.asking import Asked, questions
from orchestrator.dossier.model import (
    BOARD,
    PANEL,
    Attack,
    BoardMember,
    Challenger,
    Dossier,
)
from orchestrator.dossier.people import LEAST, match_of
from orchestrator.dossier.preparing import good_answer, records_for, supports_for
from orchestrator.dossier.profiles import Table, profiles_of
from orchestrator.dossier.rating import Rated, chosen_of, weight_of
from orchestrator.dossier.slides import weak_slides_of
from orchestrator.dossier.weaknesses import weaknesses
from orchestrator.engines.wording import quote_of
from orchestrator.intel.model import NEUTRAL, IntelItem
from orchestrator.intel.vocabulary import vocabulary_of
from orchestrator.persona import Seat

_MOST_ASKED: Final = 2
"""People who are named for one claim."""
_TIRED: Final = 0.6
"""What a panelist's question loses for each attack that is theirs already."""


def build_dossier(
    deck: Deck,
    claims: Sequence[Claim],
    gaps: Sequence[Gap],
    seats: Sequence[Seat],
    *,
    members: Sequence[BoardMember] = (),
    intel: Sequence[IntelItem] = (),
    tensions: Sequence[Tension] = (),
    focus: Sequence[str] = (),
) -> Dossier:
    """What is likely to be attacked, by whom, and how to prepare; equal for equal arguments.

    Args:
        seats: The panelists; they lend their tables and questions, and take the board's place
            where *members* is empty.
        tensions: What contradicts what in the deck; those with a place in speech are left out.
    """
    language = _language(deck)
    tensions = tuple(one for one in tensions if one.a.said_at_s is None and one.b.said_at_s is None)
    slides = {slide.number: slide for slide in deck.slides}
    table = Table(deck, slides, seats, members, vocabulary_of(deck))
    rated = []
    for claim in claims:
        found = weaknesses(
            claim,
            slides.get(claim.slide or 0),
            seats,
            tensions=tensions,
            intel=intel,
            english=language in (ENGLISH, UNKNOWN),
        )
        rated.append(Rated(claim, found, weight_of(claim, found, focus)))
    chosen = chosen_of(rated)
    return Dossier(
        deck=deck.title or deck.name,
        slides=len(deck.slides),
        claims=len(claims),
        language=language,
        attacks=tuple(_attacks(chosen, table)),
        profiles=profiles_of(rated, table, gaps),
        tensions=tensions,
        weak_slides=weak_slides_of(rated, gaps, slides),
        gaps=tuple(gap for gap in gaps if gap.slide is None),
        intel=tuple(item for item in intel if item.claim is not None and item.stance != NEUTRAL)
        + tuple(item for item in intel if item.claim is not None and item.stance == NEUTRAL),
        has_board=bool(members),
    )


def _language(deck: Deck) -> str:
    return language_of(" ".join(line for slide in deck.slides for line in (slide.title, *slide.lines)))


def _attacks(chosen: Sequence[Rated], table: Table) -> list[Attack]:
    used: set[str] = set()
    spoken: dict[str, int] = {}
    attacks = []
    for one in chosen:
        found = questions(table.deck, one.claim, one.weaknesses, table.seats, used=used)
        found.sort(key=lambda asked: _TIRED * spoken.get(asked.seat.persona.id, 0) - asked.weight)
        if found:
            used.add(found[0].pattern)
            agent = found[0].seat.persona.id
            spoken[agent] = spoken.get(agent, 0) + 1
        attacks.append(_attack(one, found, table))
    return attacks


def _attack(one: Rated, found: Sequence[Asked], table: Table) -> Attack:
    claim = one.claim
    return Attack(
        claim=claim.id,
        slide=claim.slide,
        quote=quote_of(claim, tuple(quantity.text for quantity in claim.quantities)),
        weight=round(one.weight, 2),
        weaknesses=one.weaknesses,
        challengers=_challengers(claim, found, table),
        question=found[0].words if found else "",
        answer=good_answer(claim, one.weaknesses),
        bring=records_for(claim),
        have=supports_for(claim, table.deck, table.words),
    )


def _challengers(claim: Claim, found: Sequence[Asked], table: Table) -> tuple[Challenger, ...]:
    """The members whose business the claim is; without a board, or where it is nobody's, panelists."""
    slide = table.slides.get(claim.slide or 0)
    matched = [(match_of(member, claim, slide), member) for member in table.members]
    matched = sorted((pair for pair in matched if pair[0].weight >= LEAST), key=lambda pair: -pair[0].weight)
    people = [
        Challenger(BOARD, member.name, member.role, match.why) for match, member in matched[:_MOST_ASKED]
    ]
    for asked in found[: 1 if people or table.members else _MOST_ASKED]:
        persona = asked.seat.persona
        people.append(Challenger(PANEL, persona.name, persona.title, asked.why, persona.id))
    return tuple(people)
