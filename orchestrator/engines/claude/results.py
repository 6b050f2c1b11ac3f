"""From a part of a reply to the result that a request asks for; and what may be wrong with it.

`fault_of` says why a part is sent back. `result_of` says what is made of it in the end: a
question that still rests on nothing is dropped, a verdict that still rests on nothing is `unjudged`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from orchestrator.engines.claude.phrasing import fillable, filled
from orchestrator.engines.claude.quotes import Standing, in_answers, standing, standing_on_slide
from orchestrator.engines.claude.replies import (
    CandidatePart,
    FactsPart,
    FocusBriefPart,
    JudgementPart,
    NotesPart,
    ObservationPart,
    Part,
    PhrasesPart,
    TargetPart,
)
from orchestrator.engines.protocol import (
    CandidateRequest,
    FactsRequest,
    FocusBriefRequest,
    JudgementRequest,
    NotesRequest,
    ObservationRequest,
    PhrasesRequest,
    Request,
    ScratchpadRequest,
)
from orchestrator.errors import EngineError
from orchestrator.exchange import Candidate, Judgement, Observation, Target
from orchestrator.memory.facts import FactDraft
from orchestrator.render import one_line

MOST_TARGETS: Final = 7
NOT_VERBATIM: Final = "the quote does not stand, word for word, in the deck or the transcript"
NOT_SAID: Final = "the quote is not, word for word, in the presenter's answer"
NO_QUOTE: Final = "the verdict is satisfied, and no words of the presenter's answer are quoted for it"
ASKED: Final = "that claim has been asked about"
GENERAL_RELEVANCE: Final = 0.1
"""Of a question about nothing specific: any other comes before it."""


def fault_of(request: Request[Any], part: Part) -> str | None:
    """What is wrong with a part of the right shape; None: nothing. Repeats none of its words."""
    match request, part:
        case FocusBriefRequest(), FocusBriefPart():
            wrong = sum(standing_on_slide(one.quote, request.scene) is None for one in part.targets)
            if wrong:
                return f"{wrong} of the quotes do not stand, word for word, in the deck"
            return None if list(_targets(request, part)) else "it names no claim that is not in `taken`"
        case CandidateRequest(), CandidatePart():
            return _candidate_fault(request, part)
        case JudgementRequest(), JudgementPart():
            return _judgement_fault(request, part)
        case NotesRequest(), NotesPart():
            return None if part.text.strip() else "its text is empty"
        case ScratchpadRequest(), NotesPart():
            if len(part.text.strip()) > request.limit:
                return f"the page has {len(part.text.strip())} characters, and {request.limit} are allowed"
            return None
        case FactsRequest(), FactsPart():
            return None  # each fact is held against its passage by whoever asked
        case ObservationRequest(), ObservationPart():
            unsaid = part.text and (not part.quote or in_answers(part.quote, request.exchange) is None)
            return NOT_SAID if unsaid else None
        case PhrasesRequest(), PhrasesPart():
            return None if list(_phrases(request, part)) else "none of its phrases stands in the library"
    return "it is not what was asked for"


def result_of(request: Request[Any], part: Part, fault: str | None) -> Any:
    """The request's result; *fault* is what is still wrong with the part after it was sent back.

    Raises:
        EngineError: Nothing can be made of it.
    """
    match request, part:
        case FocusBriefRequest(), FocusBriefPart():
            if chosen := tuple(_targets(request, part)):
                return chosen[:MOST_TARGETS]
        case CandidateRequest(), CandidatePart():
            if fault is None:
                return _candidate(request, part)
            raise EngineError(f"the question was dropped: {fault}")
        case JudgementRequest(), JudgementPart():
            return _judgement(request, part, fault)
        case NotesRequest(), NotesPart() if fault is None:
            return part.text.strip()
        case ScratchpadRequest(), NotesPart() if fault is None:
            return part.text.strip()
        case FactsRequest(), FactsPart():
            return tuple(
                FactDraft(one.type, one_line(one.content), one.confidence, one.source, one.quote)
                for one in part.facts
            )
        case ObservationRequest(), ObservationPart():
            return _observation(request, part) if fault is None else None
        case PhrasesRequest(), PhrasesPart():
            if phrases := tuple(dict.fromkeys(_phrases(request, part))):
                return phrases
    raise EngineError(f"the reply could not be used: {fault}")


# ---------------------------------------------------------------------- targets


def _targets(request: FocusBriefRequest, part: FocusBriefPart) -> Iterator[Target]:
    seen = set(request.taken)
    for one in part.targets:
        stands = standing_on_slide(one.quote, request.scene)
        claim = _claim_of(one, stands, request)
        if stands is None or claim is None or claim in seen:
            continue
        seen.add(claim)
        yield Target(claim, stands.slide, None, stands.quote, one_line(one.angle), one_line(one.good_answer))


def _claim_of(one: TargetPart, stands: Standing | None, request: FocusBriefRequest) -> str | None:
    """The named claim where its slide says the quote, else the one that the quote is about."""
    if stands is None:
        return None
    for claim in request.scene.deck_claims:
        if claim.id == one.claim and stands.quote in claim.text:
            return claim.id
    return stands.claim


# ---------------------------------------------------------------------- candidate


def _candidate_fault(request: CandidateRequest, part: CandidatePart) -> str | None:
    if part.question is None:
        return None
    if not part.question.strip():
        return "its question is empty"
    if part.quote is None:
        return None
    stands = standing(part.quote, request.scene, part.slide)
    if stands is None:
        return NOT_VERBATIM
    asked = {one.quote for one in request.scene.exchanges if one.quote is not None}
    return ASKED if stands.claim in request.taken or stands.quote in asked else None


def _candidate(request: CandidateRequest, part: CandidatePart) -> Candidate | None:
    if part.question is None:
        return None
    stands = standing(part.quote, request.scene, part.slide) if part.quote is not None else None
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
    )


# ---------------------------------------------------------------------- judgement


def _judgement_fault(request: JudgementRequest, part: JudgementPart) -> str | None:
    if not part.reason.strip():
        return "its reason is empty"
    if part.quote is not None and in_answers(part.quote, request.exchange) is None:
        return NOT_SAID
    if part.verdict == "satisfied" and part.quote is None:
        return NO_QUOTE
    return None


def _judgement(request: JudgementRequest, part: JudgementPart, fault: str | None) -> Judgement:
    if fault is not None:
        return Judgement("unjudged", f"the model's verdict was not used: {fault}")
    quote = in_answers(part.quote, request.exchange) if part.quote is not None else None
    asks_on = part.verdict in ("follow_up", "escalate") and not request.is_last
    follow_up = one_line(part.follow_up) if asks_on and part.follow_up else None
    missing = tuple(dict.fromkeys(part.missing)) if part.verdict != "satisfied" else ()
    return Judgement(part.verdict, one_line(part.reason), quote, missing, follow_up or None)


# ---------------------------------------------------------------------- observation, phrases


def _observation(request: ObservationRequest, part: ObservationPart) -> Observation | None:
    if not part.text or not part.text.strip():
        return None
    quote = in_answers(part.quote, request.exchange) if part.quote else None
    return Observation(one_line(part.text), quote)


def _phrases(request: PhrasesRequest, part: PhrasesPart) -> Iterator[str]:
    """Those of the library, in the library's words; a phrase that the model made up is none."""
    known: dict[str, str] = {}
    for options in fillable(request).values():
        for text in options:
            done = filled(text, request.slots)
            known[one_line(text)] = known[one_line(done)] = done
    for phrase in part.phrases:
        if (found := known.get(one_line(phrase).strip('"“”'))) is not None:
            yield found
