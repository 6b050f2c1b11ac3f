"""From a part of a reply to the result that a request asks for; and what may be wrong with it.

A part that does not hold is sent back once. What does not hold then either is left out: a question
that rests on nothing is dropped, a verdict that rests on nothing is `unjudged`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from orchestrator.core.errors import EngineError
from orchestrator.core.legible import one_line
from orchestrator.panel.engines import protocol
from orchestrator.panel.engines.model import schemas as shape
from orchestrator.panel.engines.model.outcomes import (
    Fault,
    Outcome,
    fault_in,
    unusable,
)
from orchestrator.panel.engines.model.quoting import Standing, standing, why_not
from orchestrator.panel.engines.model.situation import furthest_shown
from orchestrator.panel.model.exchange import Candidate, Target

MOST_TARGETS: Final = 7
ASKED: Final = "that line, that claim or that question has been asked about, or is another panelist's"
AHEAD: Final = "it is about a slide that was not shown yet"
NO_SLIDE: Final = "it asks for what is missing, and names no slide of the deck that it is missing from"
GENERAL_RELEVANCE: Final = 0.1
"""Of a question about nothing specific: any other comes before it."""


# ---------------------------------------------------------------------- targets


def focus_brief(request: protocol.FocusBriefRequest, part: shape.FocusBriefPart) -> Outcome:
    """Those of its targets that stand somewhere."""
    places = [_stands(one, request.scene) for one in part.targets]
    fault = fault_in(places, "targets do not stand, word for word, on a slide that may be quoted")
    chosen = tuple(_targets(zip(part.targets, places, strict=True), set(request.taken)))
    if not chosen:
        return unusable(fault or Fault("it names nothing that is not in `taken`"))
    return Outcome(chosen[:MOST_TARGETS], fault)


def _targets(placed: Iterable[tuple[shape.TargetPart, Standing | None]], seen: set[str]) -> Iterator[Target]:
    """Those that stand somewhere and are nobody's yet."""
    for one, stands in placed:
        if stands is None:
            continue
        names = {name for name in (stands.claim, stands.quote) if name}
        if names & seen and not one.is_missing:
            continue
        seen |= names
        angle, good = one_line(one.angle), one_line(one.good_answer)
        yield Target(stands.claim, stands.slide, None, stands.quote, angle, good, one.is_missing)


def _stands(one: shape.TargetPart, scene: protocol.Scene) -> Standing | None:
    """Where a target stands: by its quote, by the claim that it names, or on the slide that lacks it."""
    if one.is_missing:
        return _lacking(one.slide, scene)
    claim = next((claim for claim in scene.deck_claims if claim.id == one.claim), None)
    stands = standing(one.quote, scene, one.slide, speech=False) if one.quote else None
    if claim is not None and claim.origin != "notes" and (stands is None or stands.quote in claim.text):
        return Standing(stands.quote if stands else claim.text, claim.slide, None, claim.id)
    return stands


def _lacking(number: int | None, scene: protocol.Scene) -> Standing | None:
    """The slide's title, or its first line, in place of what it leaves out; "" where it has neither.

    Without a number, the deck as a whole. None: there is no such slide.
    """
    if number is None:
        return Standing("", None, None)
    slide = next((one for one in scene.deck.slides if one.number == number), None)
    return None if slide is None else Standing(slide.title or next(iter(slide.lines), ""), number, None)


# ---------------------------------------------------------------------- candidate


def candidate(request: protocol.CandidateRequest, part: shape.CandidatePart) -> Outcome:
    """The question, or why it is dropped."""
    if part.question is None:
        return Outcome(None)
    scene = request.scene
    if part.is_missing:
        stands = _lacking(part.slide, scene)
    else:
        stands = standing(part.quote, scene, part.slide) if part.quote else None
    other = standing(part.beside, scene) if part.beside and stands else None
    if fault := _candidate_fault(request, part, part.question, stands, other):
        return Outcome(EngineError(f"the question was dropped: {fault.reason}"), fault)
    question = Candidate(
        agent=request.seat.persona.id,
        question=one_line(part.question),
        claim=stands.claim if stands else None,
        slide=stands.slide if stands else None,
        said_at_s=stands.said_at_s if stands else None,
        quote=(stands.quote or None) if stands else None,
        grounded=stands is not None and bool(stands.quote),
        needs=tuple(dict.fromkeys(part.needs)),
        relevance=round(part.relevance, 3) if stands else min(part.relevance, GENERAL_RELEVANCE),
        lead_in="",
        angle=one_line(part.angle),
        beside=other.place if other else None,
        good_answer=one_line(part.good_answer),
        is_missing=part.is_missing,
    )
    return Outcome(question)


def _candidate_fault(
    request: protocol.CandidateRequest,
    part: shape.CandidatePart,
    question: str,
    stands: Standing | None,
    other: Standing | None,
) -> Fault | None:
    scene = request.scene
    if not question.strip():
        return Fault("its question is empty")
    if _same(question) in map(_same, request.asked):
        return Fault(ASKED)
    if stands is None:
        if part.is_missing:
            return Fault(NO_SLIDE)
        return why_not(part.quote, scene, part.slide) if part.quote else None
    if part.beside and other is None:
        return why_not(part.beside, scene)
    if not part.is_missing and _is_taken(request, stands):
        return Fault(ASKED)
    furthest = furthest_shown(scene)
    is_ahead = furthest is not None and stands.said_at_s is None and (stands.slide or 0) > furthest
    return Fault(AHEAD) if is_ahead and request.occasion and not request.may_look_ahead else None


def _is_taken(request: protocol.CandidateRequest, stands: Standing) -> bool:
    """Whether the words were asked about, or are another's; its own standing question may stay."""
    if request.current is not None and request.current.quote == stands.quote:
        return False
    asked = {one.quote for one in request.scene.exchanges if one.quote is not None and not one.is_missing}
    return stands.claim in request.taken or stands.quote in (asked | request.taken_lines)


def _same(question: str) -> str:
    return "".join(letter for letter in question.casefold() if letter.isalnum())


# ---------------------------------------------------------------------- notes


def notes(request: protocol.ScratchpadRequest, part: shape.NotesPart) -> Outcome:
    """The page, if it is no longer than asked."""
    text = part.text.strip()
    if len(text) > request.limit:
        return unusable(Fault(f"the page has {len(text)} characters, and {request.limit} are allowed"))
    return Outcome(text)
