"""Turning a part of a reply into the result that a request asks for, and into what is wrong with it.

A part that fails its checks is sent back once. If it fails again, it is left out: a question that rests on
nothing is dropped, and a verdict that rests on nothing is `unjudged`.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from orchestrator.core.errors import EngineError
from orchestrator.core.legible import one_line
from orchestrator.material.checks.grounding import deck_passages, figures, found_in, place_in
from orchestrator.material.claim import READ, Operand, Passage, Place, Proposal, Tension
from orchestrator.material.values import NEUTRAL
from orchestrator.panel.engines import protocol
from orchestrator.panel.engines.model import schemas as shape
from orchestrator.panel.engines.model.quoting import (
    Fault,
    Outcome,
    Standing,
    fault_in,
    in_answers,
    said,
    standing,
    unusable,
    why_not,
)
from orchestrator.panel.engines.model.schemas import (
    BetterPart,
    CheckPart,
    ContradictionPart,
    DebriefPart,
    JudgementPart,
    NoticedPart,
    SentencePart,
)
from orchestrator.panel.engines.model.situation import furthest_shown
from orchestrator.panel.engines.protocol import DebriefRequest, JudgementRequest
from orchestrator.panel.model.exchange import Candidate, Exchange, Judgement, Observation, Target
from orchestrator.panel.model.reply import (
    Attack,
    Bearing,
    BetterAnswer,
    DebriefWords,
    FactDraft,
    Remembered,
    RubricCheck,
)

# ---------------------------------------------------------------------- results


MAX_TARGETS: Final = 7
ASKED: Final = "that line, that claim or that question has been asked about, or is another panelist's"
AHEAD: Final = "it is about a slide that was not shown yet"
NO_SLIDE: Final = "it asks for what is missing, and names no slide of the deck that it is missing from"
GENERAL_RELEVANCE: Final = 0.1
"""The relevance of a question about nothing specific, so that any other question comes before it."""


# ---------------------------------------------------------------------- targets


def focus_brief(request: protocol.FocusBriefRequest, part: shape.FocusBriefPart) -> Outcome:
    """Return the targets whose place can be found."""
    places = [_stands(one, request.scene) for one in part.targets]
    fault = fault_in(places, "targets do not stand, word for word, on a slide that may be quoted")
    chosen = tuple(_targets(zip(part.targets, places, strict=True), set(request.taken)))
    if not chosen:
        return unusable(fault or Fault("it names nothing that is not in `taken`"))
    return Outcome(chosen[:MAX_TARGETS], fault)


def _targets(placed: Iterable[tuple[shape.TargetPart, Standing | None]], seen: set[str]) -> Iterator[Target]:
    """Yield the targets that have a place and that no panelist has taken yet."""
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
    """Find a target's place: by its quote, by the claim that it names, or on the slide that lacks it."""
    if one.is_missing:
        return _lacking(one.slide, scene)
    claim = next((claim for claim in scene.deck_claims if claim.id == one.claim), None)
    stands = standing(one.quote, scene, one.slide, speech=False) if one.quote else None
    if claim is not None and claim.origin != "notes" and (stands is None or stands.quote in claim.text):
        return Standing(stands.quote if stands else claim.text, claim.slide, None, claim.id)
    return stands


def _lacking(number: int | None, scene: protocol.Scene) -> Standing | None:
    """Return the place for something that a slide leaves out: the slide's title or first line, else "".

    Without a number, the place is the deck as a whole. Return None if there is no such slide.
    """
    if number is None:
        return Standing("", None, None)
    slide = next((one for one in scene.deck.slides if one.number == number), None)
    return None if slide is None else Standing(slide.title or next(iter(slide.lines), ""), number, None)


# ---------------------------------------------------------------------- candidate


def candidate(request: protocol.CandidateRequest, part: shape.CandidatePart) -> Outcome:
    """Return the question, or the reason why it is dropped."""
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
    """Return whether the quote was already asked about or is another panelist's.

    The panelist's own pending question may keep its quote.
    """
    if request.current is not None and request.current.quote == stands.quote:
        return False
    asked = {one.quote for one in request.scene.exchanges if one.quote is not None and not one.is_missing}
    return stands.claim in request.taken or stands.quote in (asked | request.taken_lines)


def _same(question: str) -> str:
    return "".join(letter for letter in question.casefold() if letter.isalnum())


# ---------------------------------------------------------------------- notes


def notes(request: protocol.ScratchpadRequest, part: shape.NotesPart) -> Outcome:
    """Return the page if it is within the limit."""
    text = part.text.strip()
    if len(text) > request.limit:
        return unusable(Fault(f"the page has {len(text)} characters, and {request.limit} are allowed"))
    return Outcome(text)


# ---------------------------------------------------------------------- judging
# A judgement, verified: every quote in it is the presenter's own, or a slide's; else it goes.


NOT_SAID = "the quote is not, word for word, in the presenter's answer"
NO_QUOTE = "the verdict is satisfied, and no words of the presenter's answer are quoted for it"


def judgement(request: JudgementRequest, part: JudgementPart, by: str) -> Outcome:
    """Return the verdict without the smaller parts that fail their checks.

    A verdict that rests on nothing becomes `unjudged`.
    """
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
    """Return why a judgement is sent back, or None if it is accepted.

    *quote* contains the presenter's own words, if the judgement's quote was found.
    """
    if not part.reason.strip():
        return Fault("its reason is empty")
    if part.quote and quote is None:
        return Fault(NOT_SAID)
    return Fault(NO_QUOTE) if part.verdict == "satisfied" and not part.quote else None


def _contradiction(request: JudgementRequest, part: ContradictionPart, by: str) -> Tension | None:
    """Pair the answer with the words that it contradicts.

    Return None if either has no place, or if both are equal.
    """
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


# ---------------------------------------------------------------------- findings
# From a reply to a task that stands by itself to its result: what its quotes show, and no more.
#
# Proposals are the exception: `checks.proposals.verify` decides about them, and says what does not hold.


def tensions(request: protocol.TensionsRequest, part: shape.TensionsPart) -> Outcome:
    """Return the proposals as they came; they are not checked here."""
    return Outcome(tuple(map(_proposal, part.proposals)))


def doubts(request: protocol.DoubtRequest, part: shape.DoubtPart) -> Outcome:
    """Return a reading or None for each finding; a reply that omits a finding is unusable."""
    readings = {one.finding: one.reading for one in part.doubts}
    numbers = range(len(request.tensions))
    if missing := set(numbers) - set(readings):
        return unusable(Fault(f"{len(missing)} of the findings have no word"))
    return Outcome(tuple(one_line(readings[number] or "") or None for number in numbers))


def dossier(request: protocol.DossierRequest, part: shape.DossierPart) -> Outcome:
    """Return the attacks whose asker is on the list and whose quote is in the deck."""
    made = [_attack(request, one) for one in part.attacks]
    fault = fault_in(made, "attacks name nobody who was given, or quote what stands nowhere")
    return Outcome(tuple(one for one in made if one is not None)[: request.limit], fault)


def news(request: protocol.NewsRequest, part: shape.NewsPart) -> Outcome:
    """Return the bearings whose words are in the deck, at most one for each finding."""
    made = [_bearing(request, one) for one in part.bearings]
    fault = fault_in(made, "bearings quote what stands nowhere in the deck")
    bearings = {one.reported: one for one in made if one is not None}
    return Outcome(tuple(bearings[number] for number in sorted(bearings)), fault)


def facts(request: protocol.FactsRequest, part: shape.FactsPart) -> Outcome:
    """Return the facts as they came: the caller compares each with its passage."""
    drafts = (
        FactDraft(one.type, one_line(one.content), one.confidence, one.source, one.quote)
        for one in part.facts
    )
    return Outcome(tuple(drafts))


def remembered(request: protocol.ScribeRequest, part: shape.ScribePart) -> Outcome:
    """Return the items whose quote is found in their passage."""
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
    """Return the attack with the source's own words.

    Return None if its quote is not found, or if its asker is not on the list.
    """
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
    """Return how a finding bears on the deck, or None if its quote is not found in the deck."""
    about = place_in(part.quote, request.passages) if part.quote else None
    if not 0 <= part.reported < len(request.reported) or (part.quote and about is None):
        return None
    return Bearing(part.reported, part.stance if about is not None else NEUTRAL, about, one_line(part.why))


# ---------------------------------------------------------------------- debrief results
# The debrief's words, verified: a stronger answer is made of sentences, each on words that were said.


JUDGED = ("yes", "partly")
"""States of a check that only words of the deck or the presenter can show."""

MIN_SAID: Final = 0.6
"""The share of a sentence's longer words that must be in its quote and its exchange, at least one of them in
the quote itself.

In one rehearsal with 29 honest sentences and 13 with an invented deed, this share drops 1 and 9 of them. Half
of the words drops 1 and 7, two thirds drops 2 and 11. A sentence that is dropped is sent back once, to be
said in words that are there.
"""
MIN_WORDS: Final = 3
"""With fewer longer words, a sentence cannot be checked.

Neither can one in a language without blanks between words.
"""

_WHY: Final = {
    "quote": "the quote of a sentence stands nowhere, word for word, in deck or speech",
    "figure": "a sentence holds a figure or date that its quote does not have",
    "words": "a sentence says what its quote does not: most of its words were not said there",
    "exchange": "there is no such exchange",
    "empty": "it has no sentence that holds",
    "promise": "a promise was not said, word for word, by the presenter",
    "check": "a check is none that was asked for",
}
"""Maps the reason for leaving out a part, as the ledger counts it, to the words in which the model is
told.
"""


def debrief(request: DebriefRequest, part: DebriefPart) -> Outcome:
    """Return the parts that pass their checks; the others are counted by reason and sent back once.

    A refused part is a `Fault`: its `reason` is a key of `_WHY`, and `told` contains its exchange or words,
    for the model alone.
    """
    sources, refused = _sources(request), list[Fault]()
    exchanges = {one.id: one for one in request.scene.exchanges}
    better = [_better(exchanges.get(one.exchange), one, sources, refused) for one in part.better]
    named = {one.name: one for one in part.checks}
    refused += [Fault("check", one.name) for one in part.checks if one.name not in request.checks]
    words = DebriefWords(
        fix=one_line(part.fix),
        why=one_line(part.why),
        fix_exchange=part.fix_exchange if part.fix_exchange in exchanges else None,
        better=tuple(one for one in better if one is not None),
        checks=tuple(_check(named[name], sources) for name in request.checks if name in named),
        dismissed=tuple(sorted({one for one in part.dismissed if 0 <= one < len(request.tensions)})),
        still_wanted=tuple(
            request.never_asked[one].question
            for one in dict.fromkeys(part.still_wanted)
            if 0 <= one < len(request.never_asked)
        ),
        promises=tuple(_promises(request, part.promises, refused)),
        refused=tuple(sorted(Counter(one.reason for one in refused).items())),
    )
    return Outcome(words, _debrief_fault(refused))


def _debrief_fault(refused: Sequence[Fault]) -> Fault | None:
    """Return one fault for all refused parts, with their reasons, or None if no part was refused.

    Only the model sees which part each reason is about.
    """
    if not refused:
        return None
    told = "; ".join(f"{one.told}: {_WHY[one.reason]}" for one in refused)
    return Fault(
        f"{len(refused)} of its parts do not hold",
        f"{told}. Say each of them from words that stand there, put what nobody said into `bring`, or leave "
        "it out; give the whole reply again",
    )


def _sources(request: DebriefRequest) -> list[Passage]:
    """Return everything that the presenter showed, noted or said; the debrief is private, so notes count."""
    answers = (
        Passage(f"{one.id}.{number}", turn.answer, None, one.asked_at_s, "speech")
        for one in request.scene.exchanges
        for number, turn in enumerate(one.turns)
        if turn.answer
    )
    return [*deck_passages(request.scene.deck), *said(request.scene), *answers]


def _better(
    exchange: Exchange | None, part: BetterPart, sources: Sequence[Passage], refused: list[Fault]
) -> BetterAnswer | None:
    """Return the answer with only the sentences that pass their checks, or None if no sentence passes."""
    if exchange is None:
        refused.append(Fault("exchange", part.exchange))
        return None
    held: list[tuple[str, Place]] = []
    for number, sentence in enumerate(part.sentences, 1):
        place = _place(sentence, sources)
        reason = "quote" if place is None else _added(sentence.text, place, exchange)
        if place is not None and reason is None:
            held.append((one_line(sentence.text), place))
        else:
            refused.append(Fault(reason or "quote", f"{exchange.id}, sentence {number}"))
    if not held:
        refused.append(Fault("empty", exchange.id))
        return None
    places = tuple(dict.fromkeys(place for _, place in held))
    return BetterAnswer(
        exchange.id, " ".join(text for text, _ in held), places, tuple(map(one_line, part.bring))
    )


def _place(sentence: SentencePart, sources: Sequence[Passage]) -> Place | None:
    """Return the place of the sentence's quote: first on its slide, or first in speech if it names no
    slide.
    """

    def is_elsewhere(one: Passage) -> bool:
        return (one.slide if one.said_at_s is None else None) != sentence.slide

    return place_in(sentence.quote, sorted(sources, key=is_elsewhere), notes=True)


def _added(text: str, place: Place, exchange: Exchange) -> str | None:
    """Return why a sentence says more than its quote and exchange, or None if its words do not show that."""
    texts = [place.quote, exchange.quote or "", exchange.beside.quote if exchange.beside else ""]
    texts += [words for turn in exchange.turns for words in (turn.question, turn.answer or "")]
    if not figures(text) <= {figure for words in texts for figure in figures(words)}:
        return "figure"
    words, known = _stems(text), _stems(" ".join(texts))
    is_said = len(words & known) >= MIN_SAID * len(words) and words & _stems(place.quote)
    return None if is_said or min(len(words), len(text.split())) < MIN_WORDS else "words"


def _stems(text: str) -> set[str]:
    """Return the first five letters of a text's longer words, so that "reads" matches "reading"."""
    return {word[:5] for word in re.findall(r"[^\W_]{4,}", text.casefold())}


def _promises(request: DebriefRequest, quotes: Sequence[str], refused: list[Fault]) -> list[Place]:
    found = []
    for quote in quotes:
        place = place_in(quote, said(request.scene))
        if place is None:
            refused.append(Fault("promise", one_line(quote)))
        elif place not in found:
            found.append(place)
    return found


def _check(part: CheckPart, sources: list[Passage]) -> RubricCheck:
    place = place_in(part.quote, sources, notes=True) if part.quote else None
    state = "not judged" if place is None and part.state in JUDGED else part.state
    return RubricCheck(part.name, state, one_line(part.why), place)
