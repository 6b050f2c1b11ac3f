"""Making a deck's dossier: an engine predicts the board's questions, and code checks every quote."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from orchestrator.core.errors import EngineError
from orchestrator.core.legible import one_line
from orchestrator.material.checks.grounding import deck_passages, grounded
from orchestrator.material.claim import Claim, Gap, Passage, Place, Tension
from orchestrator.material.claims.language import language_of_deck
from orchestrator.material.values import NEUTRAL, Deck, IntelItem
from orchestrator.panel.engines.by_name import stand_in
from orchestrator.panel.engines.protocol import DossierRequest, Engine, HasFallback
from orchestrator.panel.engines.together import ask
from orchestrator.panel.model.reply import BOARD, PANEL, Attack, BoardMember, Dossier, Profile
from orchestrator.panel.personas.persona import Seat


def build_dossier(
    engine: Engine,
    deck: Deck,
    claims: Sequence[Claim],
    gaps: Sequence[Gap],
    seats: Sequence[Seat],
    *,
    members: Sequence[BoardMember] = (),
    intel: Sequence[IntelItem] = (),
    tensions: Sequence[Tension] = (),
    focus: Sequence[str] = (),
    kind: str | None = None,
) -> Dossier:
    """Ask *engine* once for the dossier; if it fails, ask the offline engine, and say so in the dossier.

    Args:
        seats: The panelists, who replace the board if *members* is empty.
        tensions: The contradictions that were found. Those with a place in speech are left out.
        kind: The kind of deck, if the presenter set it.
    """
    tensions = tuple(one for one in tensions if one.a.said_at_s is None and one.b.said_at_s is None)
    request = DossierRequest(
        deck=deck,
        claims=tuple(claims),
        passages=deck_passages(deck),
        seats=tuple(seats),
        members=tuple(members),
        intel=tuple(intel),
        tensions=tensions,
        focus=tuple(focus),
        kind=kind,
    )
    said, by, failed = _asked(engine, request)
    attacks = _standing(said, request)
    bearing = [item for item in intel if item.quote is not None]
    return Dossier(
        deck=deck.title or deck.name,
        slides=len(deck.slides),
        claims=len(claims),
        language=language_of_deck(deck),
        attacks=attacks[: request.limit],
        profiles=_profiles(attacks[: request.limit], members, seats),
        tensions=tensions,
        gaps=tuple(gap for gap in gaps if gap.slide is None),
        intel=tuple(sorted(bearing, key=lambda item: item.stance == NEUTRAL)),
        has_board=bool(members),
        kind=kind,
        engine=by,
        failed=failed,
        left_out=len(said) - len(attacks),
    )


def _asked(engine: Engine, request: DossierRequest) -> tuple[tuple[Attack, ...], str, str | None]:
    """Return the questions, the name of the engine that made them, and why another engine did not, or
    None.
    """
    try:
        said = ask(engine, request)
        took_over = engine.took_over if isinstance(engine, HasFallback) else None
        return said, engine.name if took_over is None else stand_in().name, took_over
    except EngineError as error:
        failed = one_line(str(error))
    bank = stand_in()
    try:
        return ask(bank, request), bank.name, failed
    except EngineError:
        return (), bank.name, failed


def _standing(said: Sequence[Attack], request: DossierRequest) -> tuple[Attack, ...]:
    """Return the questions that quote the deck, each once, and that a panelist or board member asks.

    Speaker notes are the presenter's own: an answer may be based on them, but no question is about them.
    """
    shown = [passage for passage in request.passages if passage.origin != "notes"]
    names = {member.name for member in request.members}
    panel = {seat.persona.id: seat.persona.name for seat in request.seats}
    kept: dict[str, Attack] = {}
    for attack in said:
        if attack.is_missing:
            about = _lacking(attack.about, request.deck)
        else:
            about = None if attack.about is None else grounded(attack.about, shown)
        # A quote was named and stands nowhere: the question may be about another deck.
        if not attack.question.strip() or (about is None) != (attack.about is None):
            continue
        agent = attack.agent if attack.agent in panel else None
        known = attack.asked_by if attack.asked_by in names else ""
        one = replace(
            attack,
            asked_by=panel[agent] if agent is not None else known,
            agent=agent,
            about=about,
            have=_found(attack.have, request.passages),
        )
        kept.setdefault(one_line(one.question).casefold(), one)
    return tuple(kept.values())


def _lacking(about: Place | None, deck: Deck) -> Place | None:
    """Return the place of the slide that leaves something out, with its title; None if there is no such
    slide.
    """
    slide = next((one for one in deck.slides if about is not None and one.number == about.slide), None)
    return None if slide is None else Place(slide.number, None, slide.title)


def _found(places: Sequence[Place], passages: Sequence[Passage]) -> tuple[Place, ...]:
    found = (grounded(place, passages) for place in places)
    return tuple(place for place in found if place is not None)


def _profiles(
    attacks: Sequence[Attack], members: Sequence[BoardMember], seats: Sequence[Seat]
) -> tuple[Profile, ...]:
    """Return the board's members, or the panel if no board was described, each with the questions they
    ask.
    """
    if members:
        return tuple(
            Profile(BOARD, member.name, member.role, _asks(attacks, member.name, None)) for member in members
        )
    return tuple(
        Profile(PANEL, one.name, one.title, _asks(attacks, one.name, one.id), one.id)
        for one in (seat.persona for seat in seats)
    )


def _asks(attacks: Sequence[Attack], name: str, agent: str | None) -> tuple[int, ...]:
    return tuple(
        number
        for number, attack in enumerate(attacks, start=1)
        if attack.agent == agent and attack.asked_by == name
    )
