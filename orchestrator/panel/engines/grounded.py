"""Quotes and places in a reply of somebody's engine: what does not stand where it says costs the place.

A question stays, as one about nothing specific; a verdict stays, without words that were not said. A
model's replies are looked at before (`model.results`), and more strictly: a model is asked again.
What facts, contradictions, news and the dossier quote is looked up where each is taken.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, TypeVar, cast

from orchestrator.material.checks.grounding import found_in, grounded
from orchestrator.material.checks.passages import deck_passages
from orchestrator.material.model.brought import PANEL
from orchestrator.material.model.claim import Place, Tension
from orchestrator.material.model.proposal import Passage
from orchestrator.panel.engines.model.quoting import in_answers, said
from orchestrator.panel.engines.protocol import (
    CandidateRequest,
    DebriefRequest,
    FocusBriefRequest,
    JudgementRequest,
    Request,
    Scene,
)
from orchestrator.panel.model.exchange import (
    Candidate,
    Exchange,
    Judgement,
    Target,
)
from orchestrator.panel.model.reply import DebriefWords

R = TypeVar("R")


def standing_in(reply: R, request: Request[R]) -> R:
    """The reply without the quotes and places that do not stand in what the request is about."""
    return cast(R, _standing(reply, request))


def _standing(reply: object, request: Request[Any]) -> object:
    match request:
        case CandidateRequest() if isinstance(reply, Candidate):
            return _candidate(reply, request)
        case FocusBriefRequest() if isinstance(reply, tuple):
            return tuple(_target(one, request.scene) for one in reply)
        case JudgementRequest() if isinstance(reply, Judgement):
            return _judgement(reply, request)
        case DebriefRequest() if isinstance(reply, DebriefWords):
            return _debrief(reply, request)
    return reply


def _candidate(one: Candidate, request: CandidateRequest) -> Candidate:
    if one == request.current:  # it was looked at when it came
        return one
    scene, spoken = request.scene, _quotable(request.scene)
    one = replace(one, written_by=PANEL, brought=None)  # a question that the presenter brings comes otherwise
    if one.quote:
        stands = _place(Place(one.slide, one.said_at_s, one.quote), spoken)
    else:
        stands = _without_quote(one.slide, scene) if one.said_at_s is None else None
    if stands is None:
        return replace(
            one,
            claim=None,
            slide=None,
            said_at_s=None,
            quote=None,
            grounded=False,
            beside=None,
            is_missing=False,
            under="",
            bare=None,
        )
    return replace(
        one,
        claim=_claim(one.claim, stands, scene),
        slide=stands.slide,
        quote=stands.quote or None,
        grounded=one.grounded and bool(stands.quote),
        beside=None if one.beside is None else _place(one.beside, spoken),
    )


def _target(one: Target, scene: Scene) -> Target:
    if one.quote:
        stands = _place(Place(one.slide, one.said_at_s, one.quote), _quotable(scene))
    else:
        stands = _without_quote(one.slide, scene) if one.said_at_s is None else None
    if stands is None:
        return replace(one, claim=None, slide=None, said_at_s=None, quote="", is_missing=False)
    return replace(one, claim=_claim(one.claim, stands, scene), slide=stands.slide, quote=stands.quote)


def _judgement(one: Judgement, request: JudgementRequest) -> Judgement:
    exchange, noticed = request.exchange, one.noticed
    answer = exchange.turns[-1].answer or ""
    if noticed is not None and noticed.quote is not None:
        words = in_answers(noticed.quote, exchange)
        noticed = None if words is None else replace(noticed, quote=words)
    return replace(
        one,
        quote=in_answers(one.quote, exchange) if one.quote else None,
        promises=tuple(words for each in one.promises if (words := found_in(each, answer))),
        contradicts=_contradiction(one.contradicts, request.scene, exchange),
        noticed=noticed,
    )


def _contradiction(one: Tension | None, scene: Scene, exchange: Exchange) -> Tension | None:
    """It, where every one of its quotes stands on its slide or was said, in an answer at any time."""
    if one is None:
        return None
    passages = _quotable(scene)

    def is_there(place: Place) -> bool:
        is_answer = place.slide is None and in_answers(place.quote, exchange) is not None
        return is_answer or _place(place, passages) is not None

    return one if all(map(is_there, (one.a, one.b, *one.places))) else None


def _debrief(one: DebriefWords, request: DebriefRequest) -> DebriefWords:
    """The words of the debrief; stronger answers and checks are looked up again by whoever shows them."""
    scene, exchanges = request.scene, {each.id for each in request.scene.exchanges}
    spoken = said(scene)[::-1]
    places = (_place(each, spoken) for each in one.promises)
    return replace(
        one,
        fix_exchange=one.fix_exchange if one.fix_exchange in exchanges else None,
        better=tuple(each for each in one.better if each.exchange in exchanges),
        checks=tuple(each for each in one.checks if each.name in request.checks),
        promises=tuple(place for place in places if place is not None),
    )


# ---------------------------------------------------------------------- where words stand


def _quotable(scene: Scene) -> tuple[Passage, ...]:
    """What a board has seen or heard: the deck without its notes, then the presenter's words as spoken."""
    deck = (one for one in deck_passages(scene.deck) if one.origin != "notes")
    return (*deck, *said(scene)[::-1])


def _place(place: Place, passages: Sequence[Passage]) -> Place | None:
    """*place* in the source's own words; None: they do not stand there.

    Where no place is named, the quote is looked for on all slides, then in the speech.
    """
    if place.slide is None and place.said_at_s is None:
        slides = dict.fromkeys(one.slide for one in passages if one.said_at_s is None)
        places = [*(Place(slide, None, place.quote) for slide in slides), place]
    else:
        places = [place]
    found = next((one for each in places if (one := grounded(each, passages)) is not None), None)
    if found is None:
        return None
    if found.said_at_s is not None:
        shown = {one.slide for one in passages if one.said_at_s is not None}
        if found.slide is not None and found.slide not in shown:
            return None
    return Place(found.slide, found.said_at_s, " … ".join(found.quote.split("\n")), place.under)


def _without_quote(slide: int | None, scene: Scene) -> Place | None:
    """The slide, or the deck as a whole; None: there is no such slide."""
    is_there = slide is None or any(one.number == slide for one in scene.deck.slides)
    return Place(slide, None, "") if is_there else None


def _claim(claim: str | None, stands: Place, scene: Scene) -> str | None:
    """The claim's id, if it is one of that slide, or of the speech where the words were said."""
    claims = scene.deck_claims if stands.said_at_s is None else scene.speech_claims
    is_there = any(
        one.id == claim and (stands.said_at_s is not None or one.slide == stands.slide) for one in claims
    )
    return claim if is_there else None
