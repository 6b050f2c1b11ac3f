"""From a reply to a task that stands by itself to its result: what its quotes show, and no more.

Proposals are the exception: `checks.verify` decides about them, and says what does not hold.
"""

from __future__ import annotations

from typing import Any

from orchestrator.checks.proposal import Operand, Proposal
from orchestrator.claims.model import Place
from orchestrator.engines import protocol
from orchestrator.engines.claude import reading_replies as shape
from orchestrator.engines.claude.quotes import Fault, found_in, place_in
from orchestrator.engines.claude.replies import Part
from orchestrator.engines.said import Attack, Bearing, Remembered
from orchestrator.intel.model import NEUTRAL
from orchestrator.memory.facts import FactDraft
from orchestrator.render import one_line


def reading_fault(request: protocol.Request[Any], part: Part) -> Fault | None:
    """What is wrong with a part of the right shape; None: nothing."""
    match request, part:
        case protocol.DoubtRequest(), shape.DoubtPart():
            missing = set(range(len(request.tensions))) - {one.finding for one in part.doubts}
            return Fault(f"{len(missing)} of the findings have no word") if missing else None
        case protocol.DossierRequest(), shape.DossierPart():
            wrong = sum(_attack(request, one) is None for one in part.attacks)
            return (
                Fault(f"{wrong} of the attacks name nobody who was given, or quote what stands nowhere")
                if wrong
                else None
            )
        case protocol.NewsRequest(), shape.NewsPart():
            wrong = sum(_bearing(request, one) is None for one in part.bearings)
            return Fault(f"{wrong} of the bearings quote what stands nowhere in the deck") if wrong else None
    return None


def reading_result(request: protocol.Request[Any], part: Part) -> tuple[Any, ...] | None:
    """The request's result; None: nothing can be made of it."""
    match request, part:
        case protocol.TensionsRequest(), shape.TensionsPart():
            return tuple(_proposal(one) for one in part.proposals)
        case protocol.DoubtRequest(), shape.DoubtPart():
            readings = {one.finding: one.reading for one in part.doubts}
            if all(number in readings for number in range(len(request.tensions))):
                said = (readings[number] for number in range(len(request.tensions)))
                return tuple(one_line(one) if one and one.strip() else None for one in said)
        case protocol.DossierRequest(), shape.DossierPart():
            attacks = (_attack(request, one) for one in part.attacks)
            return tuple(one for one in attacks if one is not None)[: request.limit]
        case protocol.NewsRequest(), shape.NewsPart():
            bearings = {one.reported: found for one in part.bearings if (found := _bearing(request, one))}
            return tuple(bearings[number] for number in sorted(bearings))
        case protocol.FactsRequest(), shape.FactsPart():  # each is held against its passage by whoever asked
            return tuple(
                FactDraft(one.type, one_line(one.content), one.confidence, one.source, one.quote)
                for one in part.facts
            )
        case protocol.ScribeRequest(), shape.ScribePart():
            texts = {one.seq: one.text for one in request.passages}
            return tuple(
                Remembered(one.kind, one_line(one.text), quote, one.source)
                for one in part.found
                if (quote := found_in(one.quote, texts.get(one.source, "")))
            )
    return None


def _proposal(part: shape.ProposalPart) -> Proposal:
    operands = tuple(
        Operand(one.passage, one.quote, one.number, one.value, one.unit) for one in part.operands
    )
    return Proposal(part.kind, part.relation, operands, one_line(part.subject), one_line(part.why))


def _attack(request: protocol.DossierRequest, part: shape.AttackPart) -> Attack | None:
    """The attack with the source's own words; None: it quotes what stands nowhere, or nobody asks it."""
    agents = {one.persona.name: one.persona.id for one in request.seats}
    members = {one.name for one in request.members}
    about = place_in(part.quote, request.passages) if part.quote else None
    titles = {slide.number: slide.title or part.question for slide in request.deck.slides}
    if part.is_missing and part.slide in titles:
        about = Place(part.slide, None, titles[part.slide])
    elif part.quote and about is None:
        return None
    if part.asked_by not in members and part.asked_by not in agents:
        return None
    have = (place_in(one, request.passages, notes=True) for one in part.have)
    return Attack(
        question=one_line(part.question),
        asked_by=part.asked_by,
        why=one_line(part.why),
        about=about,
        good_answer=one_line(part.good_answer),
        bring=tuple(one_line(one) for one in part.bring if one.strip()),
        have=tuple(dict.fromkeys(one for one in have if one is not None)),
        agent=None if part.asked_by in members else agents[part.asked_by],
        is_missing=part.is_missing and about is not None,
    )


def _bearing(request: protocol.NewsRequest, part: shape.BearingPart) -> Bearing | None:
    """How a finding stands to the deck; None: to nothing that stands there."""
    about = place_in(part.quote, request.passages) if part.quote else None
    if not 0 <= part.reported < len(request.reported) or (part.quote and about is None):
        return None
    return Bearing(part.reported, part.stance if about is not None else NEUTRAL, about, one_line(part.why))
