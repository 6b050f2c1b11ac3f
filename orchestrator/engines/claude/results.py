"""From a part of an agent's reply to the result that a request asks for; and what may be wrong with it.

`fault_of` says why a part is sent back. `result_of` says what is made of it in the end: a
question that still rests on nothing is dropped, a verdict that still rests on nothing is `unjudged`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from orchestrator.engines import protocol
from orchestrator.engines.claude import replies as shape
from orchestrator.engines.claude.debriefing import debrief_fault, debrief_of
from orchestrator.engines.claude.findings import reading_fault, reading_result
from orchestrator.engines.claude.judging import judgement_fault, judgement_of
from orchestrator.engines.claude.quotes import Fault, Standing, standing, why_not
from orchestrator.engines.claude.room import furthest_shown
from orchestrator.errors import EngineError
from orchestrator.exchange import Candidate, Target
from orchestrator.render import one_line

MOST_TARGETS: Final = 7
ASKED: Final = "that line, that claim or that question has been asked about, or is another panelist's"
AHEAD: Final = "it is about a slide that was not shown yet"
NO_SLIDE: Final = "it asks for what is missing, and names no slide of the deck that it is missing from"
GENERAL_RELEVANCE: Final = 0.1
"""Of a question about nothing specific: any other comes before it."""


def fault_of(request: protocol.Request[Any], part: shape.Part) -> Fault | None:
    """What is wrong with a part of the right shape; None: nothing."""
    match request, part:
        case protocol.FocusBriefRequest(), shape.FocusBriefPart():
            wrong = sum(_stands(one, request.scene) is None for one in part.targets)
            if wrong:
                return Fault(
                    f"{wrong} of the targets do not stand, word for word, on a slide that may be quoted"
                )
            return None if list(_targets(request, part)) else Fault("it names nothing that is not in `taken`")
        case protocol.CandidateRequest(), shape.CandidatePart():
            return _candidate_fault(request, part)
        case protocol.JudgementRequest(), shape.JudgementPart():
            return judgement_fault(request, part)
        case protocol.DebriefRequest(), shape.DebriefPart():
            return debrief_fault(request, part)
        case protocol.ScratchpadRequest(), shape.NotesPart():
            long = len(part.text.strip())
            is_long = long > request.limit
            return (
                Fault(f"the page has {long} characters, and {request.limit} are allowed") if is_long else None
            )
    if isinstance(request, protocol.SeatRequest):
        return Fault("it is not what was asked for")
    return reading_fault(request, part)


def result_of(request: protocol.Request[Any], part: shape.Part, fault: Fault | None, by: str) -> Any:
    """The request's result; *fault* is what is still wrong with the part after it was sent back.

    Raises:
        EngineError: Nothing can be made of it.
    """
    match request, part:
        case protocol.FocusBriefRequest(), shape.FocusBriefPart():
            if chosen := tuple(_targets(request, part)):
                return chosen[:MOST_TARGETS]
        case protocol.CandidateRequest(), shape.CandidatePart():
            if fault is None:
                return _candidate(request, part)
            raise EngineError(f"the question was dropped: {fault.reason}")
        case protocol.JudgementRequest(), shape.JudgementPart():
            return judgement_of(request, part, fault, by)
        case protocol.DebriefRequest(), shape.DebriefPart():
            return debrief_of(request, part)
        case protocol.ScratchpadRequest(), shape.NotesPart() if fault is None:
            return part.text.strip()
    if (
        not isinstance(request, protocol.SeatRequest)
        and (result := reading_result(request, part)) is not None
    ):
        return result
    raise EngineError(
        f"the reply could not be used: {fault.reason if fault else 'it is not what was asked for'}"
    )


# ---------------------------------------------------------------------- targets


def _targets(request: protocol.FocusBriefRequest, part: shape.FocusBriefPart) -> Iterator[Target]:
    seen = set(request.taken)
    for one in part.targets:
        stands = _stands(one, request.scene)
        names = {stands.claim, stands.quote} - {None} if stands is not None else set()
        if stands is None or (names & seen and not one.is_missing):
            continue
        seen.update(name for name in names if name)
        yield Target(
            stands.claim,
            stands.slide,
            None,
            stands.quote,
            one_line(one.angle),
            one_line(one.good_answer),
            one.is_missing,
        )


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
    """The slide's title, or its first line, in place of what it leaves out."""
    slide = next((one for one in scene.deck.slides if one.number == number), None)
    words = (slide.title or next(iter(slide.lines), "")) if slide is not None else ""
    return Standing(words, number, None) if words else None


# ---------------------------------------------------------------------- candidate


def _candidate_fault(request: protocol.CandidateRequest, part: shape.CandidatePart) -> Fault | None:
    if part.question is None:
        return None
    if not part.question.strip():
        return Fault("its question is empty")
    if _same(part.question) in {_same(one) for one in request.asked}:
        return Fault(ASKED)
    if not part.is_missing and not part.quote:
        return None
    stands, fault = _place_of(request, part)
    if fault is not None or stands is None:
        return fault or Fault(NO_SLIDE)
    if part.beside and standing(part.beside, request.scene) is None:
        return why_not(part.beside, request.scene)
    if not part.is_missing and _is_taken(request, stands):
        return Fault(ASKED)
    furthest = furthest_shown(request.scene)
    is_ahead = furthest is not None and stands.said_at_s is None and (stands.slide or 0) > furthest
    return Fault(AHEAD) if is_ahead and request.occasion and not request.may_look_ahead else None


def _place_of(
    request: protocol.CandidateRequest, part: shape.CandidatePart
) -> tuple[Standing | None, Fault | None]:
    """Where the question stands, or which rule its quote breaks."""
    if part.is_missing:
        return _lacking(part.slide, request.scene), None
    stands = standing(part.quote or "", request.scene, part.slide)
    return stands, None if stands is not None else why_not(part.quote or "", request.scene, part.slide)


def _is_taken(request: protocol.CandidateRequest, stands: Standing) -> bool:
    """Whether the words were asked about, or are another's; its own standing question may stay."""
    if request.current is not None and request.current.quote == stands.quote:
        return False
    asked = {one.quote for one in request.scene.exchanges if one.quote is not None and not one.is_missing}
    return stands.claim in request.taken or stands.quote in (asked | request.taken_lines)


def _same(question: str) -> str:
    return "".join(letter for letter in question.casefold() if letter.isalnum())


def _candidate(request: protocol.CandidateRequest, part: shape.CandidatePart) -> Candidate | None:
    if part.question is None:
        return None
    has_place = part.is_missing or bool(part.quote)
    stands = _place_of(request, part)[0] if has_place else None
    other = standing(part.beside, request.scene) if part.beside and stands else None
    return Candidate(
        agent=request.seat.persona.id,
        question=one_line(part.question),
        claim=stands.claim if stands else None,
        slide=stands.slide if stands else None,
        said_at_s=stands.said_at_s if stands else None,
        quote=stands.quote if stands else None,
        grounded=stands is not None,
        needs=tuple(dict.fromkeys(part.needs)),
        relevance=round(part.relevance, 3) if stands else min(part.relevance, GENERAL_RELEVANCE),
        lead_in=one_line(part.lead_in),
        angle=one_line(part.angle),
        beside=other.place if other is not None else None,
        good_answer=one_line(part.good_answer),
        is_missing=part.is_missing and stands is not None,
    )
