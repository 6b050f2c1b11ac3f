"""A judgement, verified: every quote in it is the presenter's own, or a slide's; else it goes."""

from __future__ import annotations

from orchestrator.core.legible import one_line
from orchestrator.material.checks.grounding import found_in
from orchestrator.material.model.claim import READ, Place, Tension
from orchestrator.panel.engines.model.outcomes import Fault, Outcome
from orchestrator.panel.engines.model.quoting import in_answers, standing
from orchestrator.panel.engines.model.schemas import ContradictionPart, JudgementPart, NoticedPart
from orchestrator.panel.engines.protocol import JudgementRequest
from orchestrator.panel.model.exchange import Exchange, Judgement, Observation

NOT_SAID = "the quote is not, word for word, in the presenter's answer"
NO_QUOTE = "the verdict is satisfied, and no words of the presenter's answer are quoted for it"


def judgement(request: JudgementRequest, part: JudgementPart, by: str) -> Outcome:
    """The verdict; one that rests on nothing is `unjudged`. Smaller parts that do not hold are left out."""
    exchange = request.exchange
    quote = in_answers(part.quote, exchange) if part.quote else None
    if fault := _fault(part, quote):
        return Outcome(Judgement("unjudged", f"the model's verdict was not used: {fault.reason}"), fault)
    asks_on = part.verdict in ("follow_up", "escalate") and not request.is_last
    follow_up = one_line(part.follow_up) if asks_on and part.follow_up else None
    answer = exchange.turns[-1].answer or ""
    judgement = Judgement(
        verdict=part.verdict,
        reason=one_line(part.reason),
        quote=quote,
        missing=tuple(dict.fromkeys(part.missing)) if part.verdict != "satisfied" else (),
        follow_up=follow_up or None,
        promises=tuple(dict.fromkeys(said for one in part.promises if (said := found_in(one, answer)))),
        contradicts=_contradiction(request, part.contradicts, by) if part.contradicts else None,
        still_open=tuple(dict.fromkeys(one_line(one) for one in part.still_open if one.strip())),
        remark=one_line(part.remark),
        is_new_question=bool(follow_up) and part.is_new_question,
        note=part.note.strip(),
        noticed=_noticed(part.noticed, exchange) if part.noticed else None,
    )
    return Outcome(judgement)


def _fault(part: JudgementPart, quote: str | None) -> Fault | None:
    """Why a judgement is sent back; *quote*: the presenter's own words, if there are any."""
    if not part.reason.strip():
        return Fault("its reason is empty")
    if part.quote and quote is None:
        return Fault(NOT_SAID)
    return Fault(NO_QUOTE) if part.verdict == "satisfied" and not part.quote else None


def _contradiction(request: JudgementRequest, part: ContradictionPart, by: str) -> Tension | None:
    """The answer beside other words; None where either does not stand, or both are the same words."""
    exchange = request.exchange
    said, other = in_answers(part.quote, exchange), standing(part.beside, request.scene)
    if said is None or other is None or other.quote == said:
        return None
    kind = "speech-vs-deck" if other.said_at_s is None else "speech-vs-speech"
    here = standing(said, request.scene)
    spoken = here.place if here and here.said_at_s is not None else Place(None, exchange.asked_at_s, said)
    return Tension(kind, other.place, spoken, one_line(part.why), class_=READ, by=by)


def _noticed(part: NoticedPart, exchange: Exchange) -> Observation | None:
    quote = in_answers(part.quote, exchange)
    return Observation(one_line(part.text), quote) if quote is not None and part.text.strip() else None
