"""A judgement, verified: every quote in it is the presenter's own, or a slide's; else it goes."""

from __future__ import annotations

from orchestrator.claims.model import READ, Place, Tension
from orchestrator.engines.claude.quotes import Fault, found_in, in_answers, standing
from orchestrator.engines.claude.replies import ContradictionPart, JudgementPart
from orchestrator.engines.protocol import JudgementRequest
from orchestrator.exchange import Exchange, Judgement, Observation
from orchestrator.render import one_line

NOT_SAID = "the quote is not, word for word, in the presenter's answer"
NO_QUOTE = "the verdict is satisfied, and no words of the presenter's answer are quoted for it"
NO_QUESTION = "the verdict asks on, and there is no follow_up"


def judgement_fault(request: JudgementRequest, part: JudgementPart) -> Fault | None:
    """Why a judgement is sent back; its smaller parts are left out instead, where they do not hold."""
    if not part.reason.strip():
        return Fault("its reason is empty")
    if part.quote and in_answers(part.quote, request.exchange) is None:
        return Fault(NOT_SAID)
    if part.verdict == "satisfied" and not part.quote:
        return Fault(NO_QUOTE)
    return None


def judgement_of(request: JudgementRequest, part: JudgementPart, fault: Fault | None, by: str) -> Judgement:
    """The verdict; one that rests on nothing is `unjudged`."""
    if fault is not None:
        return Judgement("unjudged", f"the model's verdict was not used: {fault.reason}")
    exchange = request.exchange
    asks_on = part.verdict in ("follow_up", "escalate") and not request.is_last
    follow_up = one_line(part.follow_up) if asks_on and part.follow_up else None
    answer = exchange.turns[-1].answer or ""
    return Judgement(
        verdict=part.verdict,
        reason=one_line(part.reason),
        quote=in_answers(part.quote, exchange) if part.quote else None,
        missing=tuple(dict.fromkeys(part.missing)) if part.verdict != "satisfied" else (),
        follow_up=follow_up or None,
        promises=tuple(dict.fromkeys(said for one in part.promises if (said := found_in(one, answer)))),
        contradicts=_contradiction(request, part.contradicts, by),
        still_open=tuple(dict.fromkeys(one_line(one) for one in part.still_open if one.strip())),
        remark=one_line(part.remark),
        is_new_question=bool(follow_up) and part.is_new_question,
        note=part.note.strip(),
        noticed=_noticed(part, exchange),
    )


def _contradiction(request: JudgementRequest, part: ContradictionPart | None, by: str) -> Tension | None:
    """The answer beside other words; None where either does not stand, or both are the same words."""
    exchange = request.exchange
    said = in_answers(part.quote, exchange) if part is not None else None
    other = standing(part.beside, request.scene) if part is not None else None
    if part is None or said is None or other is None or other.quote == said:
        return None
    kind = "speech-vs-deck" if other.said_at_s is None else "speech-vs-speech"
    here = next(
        (one.place for one in [standing(said, request.scene)] if one and one.said_at_s is not None), None
    )
    spoken = here or Place(None, exchange.asked_at_s, said)
    return Tension(kind, other.place, spoken, one_line(part.why), class_=READ, by=by)


def _noticed(part: JudgementPart, exchange: Exchange) -> Observation | None:
    noticed = part.noticed
    quote = in_answers(noticed.quote, exchange) if noticed is not None else None
    if noticed is None or quote is None or not noticed.text.strip():
        return None
    return Observation(one_line(noticed.text), quote)
