"""From a reply to a task that stands by itself to its result: what its quotes show, and no more.

Proposals are the exception: `checks.verify` decides about them, and says what does not hold.
"""

from __future__ import annotations

from orchestrator.core.legible import one_line
from orchestrator.material.checks.grounding import found_in, place_in
from orchestrator.material.model.claim import Place
from orchestrator.material.model.intel import NEUTRAL
from orchestrator.material.model.proposal import Operand, Proposal
from orchestrator.panel.engines import protocol
from orchestrator.panel.engines.model import standalone_schemas as shape
from orchestrator.panel.engines.model.outcomes import (
    Fault,
    Outcome,
    fault_in,
    unusable,
)
from orchestrator.panel.model.fact import FactDraft
from orchestrator.panel.model.reply import Attack, Bearing, Remembered


def tensions(request: protocol.TensionsRequest, part: shape.TensionsPart) -> Outcome:
    """The proposals, as they came."""
    return Outcome(tuple(map(_proposal, part.proposals)))


def doubts(request: protocol.DoubtRequest, part: shape.DoubtPart) -> Outcome:
    """A reading for each finding, or None; all of them, or the reply is of no use."""
    readings = {one.finding: one.reading for one in part.doubts}
    numbers = range(len(request.tensions))
    if missing := set(numbers) - set(readings):
        return unusable(Fault(f"{len(missing)} of the findings have no word"))
    return Outcome(tuple(one_line(readings[number] or "") or None for number in numbers))


def dossier(request: protocol.DossierRequest, part: shape.DossierPart) -> Outcome:
    """The attacks that somebody who was given asks, about words that stand in the deck."""
    made = [_attack(request, one) for one in part.attacks]
    fault = fault_in(made, "attacks name nobody who was given, or quote what stands nowhere")
    return Outcome(tuple(one for one in made if one is not None)[: request.limit], fault)


def news(request: protocol.NewsRequest, part: shape.NewsPart) -> Outcome:
    """The bearings on words that stand in the deck, one for each finding."""
    made = [_bearing(request, one) for one in part.bearings]
    fault = fault_in(made, "bearings quote what stands nowhere in the deck")
    bearings = {one.reported: one for one in made if one is not None}
    return Outcome(tuple(bearings[number] for number in sorted(bearings)), fault)


def facts(request: protocol.FactsRequest, part: shape.FactsPart) -> Outcome:
    """The facts, as they came: each is held against its passage by whoever asked."""
    drafts = (
        FactDraft(one.type, one_line(one.content), one.confidence, one.source, one.quote)
        for one in part.facts
    )
    return Outcome(tuple(drafts))


def remembered(request: protocol.ScribeRequest, part: shape.ScribePart) -> Outcome:
    """Those whose quote stands in its passage."""
    texts = {one.seq: one.text for one in request.passages}
    kept = (
        Remembered(one.kind, one_line(one.text), quote, one.source)
        for one in part.found
        if (quote := found_in(one.quote, texts.get(one.source, "")))
    )
    return Outcome(tuple(kept))


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
    titles = {slide.number: slide.title for slide in request.deck.slides}
    if part.is_missing:
        if part.slide is not None and part.slide not in titles:
            return None
        about = None if part.slide is None else Place(part.slide, None, titles[part.slide])
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
        is_missing=part.is_missing,
    )


def _bearing(request: protocol.NewsRequest, part: shape.BearingPart) -> Bearing | None:
    """How a finding stands to the deck; None: to nothing that stands there."""
    about = place_in(part.quote, request.passages) if part.quote else None
    if not 0 <= part.reported < len(request.reported) or (part.quote and about is None):
        return None
    return Bearing(part.reported, part.stance if about is not None else NEUTRAL, about, one_line(part.why))
