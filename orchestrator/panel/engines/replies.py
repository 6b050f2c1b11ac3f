"""The valid replies to each request, and the check that an engine's reply is one of them.

The shape is the one that the ledger reads back, so a valid reply can be written, verified and archived. An
error names the field and the rule, and contains no word of the reply.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final, TypeVar, cast

from orchestrator.core.errors import EngineError
from orchestrator.core.values import from_json, to_json
from orchestrator.material.checks.grounding import deck_passages, found_in, grounded
from orchestrator.material.claim import (
    NEEDS,
    TENSION_CLASSES,
    TENSION_KINDS,
    Passage,
    Place,
    Proposal,
    Tension,
)
from orchestrator.material.values import PANEL
from orchestrator.panel.engines import protocol
from orchestrator.panel.engines.model.quoting import in_answers, said
from orchestrator.panel.engines.protocol import (
    CandidateRequest,
    DebriefRequest,
    FocusBriefRequest,
    JudgementRequest,
    Request,
    Scene,
)
from orchestrator.panel.model.exchange import VERDICTS, Candidate, Exchange, Judgement, Target
from orchestrator.panel.model.reply import Attack, Bearing, DebriefWords, FactDraft, Remembered

# ---------------------------------------------------------------------- replies


R = TypeVar("R")

KINDS: Final[Mapping[type[Any], tuple[str, Any]]] = {
    protocol.FocusBriefRequest: ("focus_brief", tuple[Target, ...]),
    protocol.CandidateRequest: ("candidate_question", Candidate | None),
    protocol.JudgementRequest: ("judgement", Judgement),
    protocol.ScratchpadRequest: ("scratchpad", str),
    protocol.TensionsRequest: ("tensions", tuple[Proposal, ...]),
    protocol.DoubtRequest: ("doubt", tuple[str | None, ...]),
    protocol.DossierRequest: ("dossier", tuple[Attack, ...]),
    protocol.NewsRequest: ("news", tuple[Bearing, ...]),
    protocol.FactsRequest: ("facts", tuple[FactDraft, ...]),
    protocol.ScribeRequest: ("scribe", tuple[Remembered, ...]),
    protocol.DebriefRequest: ("debrief", DebriefWords),
}
"""Maps each type of request to its name in a script and the shape of its reply."""

CHOICES: Final[Mapping[str, tuple[str, ...]]] = {
    "Judgement.verdict": VERDICTS,
    "Judgement.missing": NEEDS,
    "Candidate.needs": NEEDS,
    "Tension.kind": TENSION_KINDS,
    "Tension.class_": TENSION_CLASSES,
    "RubricCheck.state": ("yes", "partly", "no", "not judged"),
}
"""Fields whose value must be one of some words.

Facts, bearings and proposals are checked one by one where they are used, so an unknown word there loses only
that one.
"""

MAX_CHARS: Final = 2_000
"""Maximum number of characters of one text, as for a paragraph of `engines.model.schemas`: a question may
quote a line of the deck.
"""
MAX_ITEMS: Final = 60
"""Maximum number of items in one field; a whole reply is as long as what it was asked about."""
MAX_NUMBER: Final = 2**53
"""Maximum of a whole number: every program that reads JSON has whole numbers up to it.

Source: RFC 8259, section 6.
"""


def checked(reply: R, request: Request[R]) -> R:
    """Return the reply converted to the values that the ledger will read.

    Raises:
        EngineError: The reply has another shape; the message names the field and the rule in one line.
    """
    kind = type(request).__name__
    _, shape = KINDS[type(request)]
    kinds = _kinds(shape)
    if not isinstance(reply, kinds):
        told = " or ".join("None" if one is type(None) else one.__name__ for one in kinds)
        raise EngineError(f"the engine gave {type(reply).__name__} for a {kind}: it must be {told}")
    try:
        read = from_json(shape, to_json(reply))
    except ValueError as error:
        raise EngineError(f"the engine's reply to a {kind} is of no use: {error}") from None
    if fault := next(_faults(read, ""), None) or _fault_of_request(read, request):
        raise EngineError(f"the engine's reply to a {kind} is of no use: {fault}")
    return cast(R, read)


def _kinds(shape: Any) -> tuple[type, ...]:
    """Return the types that a whole reply may have; a list counts as a tuple, since records store lists."""
    if shape == Candidate | None:
        return (Candidate, type(None))
    return (shape,) if isinstance(shape, type) and shape in (str, Judgement, DebriefWords) else (tuple, list)


def _faults(value: object, name: str) -> Iterator[str]:
    """Yield the faults of a value of the right type: an unknown word, or a bound that it exceeds.

    *name* is the name of the value's field.
    """
    if isinstance(value, str):
        yield from _text_faults(value, name)
    elif isinstance(value, tuple):
        if name and len(value) > MAX_ITEMS:
            yield f"{name} has {len(value):,} items, and {MAX_ITEMS} are allowed"
        for item in value:
            yield from _faults(item, name)
    elif isinstance(value, int | float):
        if not math.isfinite(value) or abs(value) > MAX_NUMBER:
            yield f"{name} is no number that a record holds: give a finite one"
        elif name == "Candidate.relevance" and not 0 <= value <= 1:
            yield f"{name} must be from 0 to 1"
    elif dataclasses.is_dataclass(value):
        for field in dataclasses.fields(value):
            yield from _faults(getattr(value, field.name), f"{type(value).__name__}.{field.name}")


def _text_faults(text: str, name: str) -> Iterator[str]:
    allowed = CHOICES.get(name)
    if allowed is not None and text not in allowed:
        yield f"{name} must be of {', '.join(allowed)}"
    if name and len(text) > MAX_CHARS:
        yield f"{name} has {len(text):,} characters, and {MAX_CHARS:,} are allowed"
    if not is_text(text):
        yield f"{name or 'a text'} holds NUL or half a character"


def is_text(text: str) -> bool:
    """Return whether a session file can hold *text*: JSON can name characters that UTF-8 cannot write."""
    try:
        return "\0" not in text and bool(text.encode() or True)
    except UnicodeEncodeError:
        return False


def _fault_of_request(read: object, request: Request[Any]) -> str | None:
    """Return how a reply of the right shape does not match the request, or None if it matches."""
    if isinstance(request, protocol.CandidateRequest) and isinstance(read, Candidate):
        if read.agent != request.seat.persona.id:
            return "Candidate.agent is not request.seat.persona.id"
        return None if read.question.strip() else "Candidate.question is empty: None is no question"
    if (
        isinstance(request, protocol.ScratchpadRequest)
        and isinstance(read, str)
        and len(read) > request.limit
    ):
        return f"the page has {len(read):,} characters, and {request.limit:,} are allowed"
    return None


# ---------------------------------------------------------------------- grounded
# Quotes and places in a reply of somebody's engine: what does not stand where it says costs the place.
#
# A question stays, as one about nothing specific; a verdict stays, without words that were not said. A
# model's replies are looked at before (`model.results`), and more strictly: a model is asked again. What
# facts, contradictions, news and the dossier quote is looked up where each is taken.


def standing_in(reply: R, request: Request[R]) -> R:
    """Return the reply without the quotes and places that are not found in what the request is about."""
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
    """Return the contradiction if each of its quotes is on its slide or was said, in an answer or elsewhere.

    Return None otherwise.
    """
    if one is None:
        return None
    passages = _quotable(scene)

    def is_there(place: Place) -> bool:
        is_answer = place.slide is None and in_answers(place.quote, exchange) is not None
        return is_answer or _place(place, passages) is not None

    return one if all(map(is_there, (one.a, one.b, *one.places))) else None


def _debrief(one: DebriefWords, request: DebriefRequest) -> DebriefWords:
    """Return the debrief's words; its stronger answers and checks are verified again where they are shown."""
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
    """Return what a board has seen or heard: the deck without notes, then the presenter's spoken words."""
    deck = (one for one in deck_passages(scene.deck) if one.origin != "notes")
    return (*deck, *said(scene)[::-1])


def _place(place: Place, passages: Sequence[Passage]) -> Place | None:
    """Return *place* in the source's own words, or None if they are not found there.

    A quote without a place is searched on all slides, then in the speech.
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
    """Return a place without a quote for the slide, or for the whole deck; None if there is no such slide."""
    is_there = slide is None or any(one.number == slide for one in scene.deck.slides)
    return Place(slide, None, "") if is_there else None


def _claim(claim: str | None, stands: Place, scene: Scene) -> str | None:
    """Return the claim's id if the claim is on that slide, or in speech if the words were said, else None."""
    claims = scene.deck_claims if stands.said_at_s is None else scene.speech_claims
    is_there = any(
        one.id == claim and (stands.said_at_s is not None or one.slide == stands.slide) for one in claims
    )
    return claim if is_there else None
