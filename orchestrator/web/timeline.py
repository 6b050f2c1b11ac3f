"""One session as a reviewer reads it: slides, speech, questions and verdicts in the order they came.

Made from the session's records alone. Words said off the record stay in the session and are not shown.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from orchestrator import render
from orchestrator.debrief import phrasing
from orchestrator.legible import one_line
from orchestrator.loop.moderator_lines import about
from orchestrator.loop.rehearsal import Rehearsal
from orchestrator.model.exchange import Exchange, Turn
from orchestrator.model.segment import Segment
from orchestrator.model.slide import Slide
from orchestrator.records import speech
from orchestrator.records.exchanges import ExchangeOpened
from orchestrator.records.kinds import value_of
from orchestrator.records.projection import TRANSCRIPT

TAKEN_BACK = "(taken back as an answer)"
WITHHELD = "(off the record: kept in the session, shown to nobody)"


@dataclass(frozen=True, slots=True)
class SlideShown:
    """A slide came up."""

    at_s: float  # session clock, as everywhere here
    slide: Slide
    estimated: bool
    kind: str = "slide"


@dataclass(frozen=True, slots=True)
class Speech:
    """What one voice said without interruption."""

    at_s: float
    speaker: str
    text: str
    is_presenter: bool
    kind: str = "speech"


@dataclass(frozen=True, slots=True)
class AskedTurn:
    """A question, its answer and the verdict on it."""

    question: str
    answer: str | None
    misheard: str | None  # as Turn.misheard
    verdict: str  # in words, with its reason; "": none
    remark: str


@dataclass(frozen=True, slots=True)
class Asked:
    """An exchange."""

    at_s: float
    id: str
    name: str  # of the panelist
    color: str
    quotes: tuple[str, ...]  # each with its place; none: a general question
    turns: tuple[AskedTurn, ...]
    outcome: str  # in words
    result: str  # of OUTCOMES, or "open"
    why: str  # why this panelist had the word
    kind: str = "question"


Moment = SlideShown | Speech | Asked


def timeline(rehearsal: Rehearsal) -> list[Moment]:
    """All that happened, in order; speech of one voice on one slide is one moment."""
    moments: list[Moment] = []
    for one in _moments(rehearsal):
        last = moments[-1] if moments else None
        if isinstance(one, Speech) and isinstance(last, Speech) and one.speaker == last.speaker:
            is_again = one.text == WITHHELD and last.text.endswith(WITHHELD)
            moments[-1] = last if is_again else replace(last, text=f"{last.text} {one.text}")
        else:
            moments.append(one)
    return moments


def _moments(rehearsal: Rehearsal) -> Iterator[Moment]:
    rehearsal.store.catch_up()
    store, projection = rehearsal.store, rehearsal.projection
    slides = {slide.number: slide for slide in rehearsal.scene().deck.slides}
    exchanges = {one.id: one for one in projection.asked}
    hidden = store.hidden()
    heard = 0
    for entry in store.entries():
        if entry.file != TRANSCRIPT and entry.op != "note":
            continue
        record = store.record(entry.seq)
        is_hidden = entry.seq in hidden
        match value_of(record):
            case speech.SlideShown(slide, at_s, estimated) if slide in slides:
                yield SlideShown(at_s, slides[slide], estimated)
            case speech.SpeechHeard(segment):
                heard += 1
                if heard <= len(projection.segments):  # else it has just been said, and nobody corrected it
                    segment = projection.segments[heard - 1]
                if segment.misheard is not None:  # what was really said may be off the record
                    is_hidden = is_hidden or rehearsal.is_off_record(segment.text)
                if entry.seq in projection.withdrawn_records:
                    segment = replace(segment, text=f"{segment.text} {TAKEN_BACK}")
                yield _speech(segment, projection.presenter, is_hidden=is_hidden)
            case speech.AnswerGiven():
                heard += 1
            case None if record.op == "append":
                heard += 1
                plain = Segment(record.text or "", record.clock_s, record.clock_s)
                yield _speech(plain, projection.presenter, is_hidden=is_hidden)
            case ExchangeOpened(exchange) if exchange.id in exchanges:
                yield _asked(rehearsal, exchanges[exchange.id])


def _speech(segment: Segment, presenter: str | None, *, is_hidden: bool) -> Speech:
    speaker = segment.speaker
    text = WITHHELD if is_hidden else one_line(segment.text)
    is_presenters = speaker is None or presenter is None or speaker == presenter
    return Speech(segment.start_s, speaker or "Presenter", text, is_presenters)


def _verdict(turn: Turn, *, is_last: bool) -> str:
    """A parked question has a reason and no verdict."""
    return render.verdict(turn, is_last=is_last) if turn.verdict else turn.reason or ""


def _asked(rehearsal: Rehearsal, exchange: Exchange) -> Asked:
    def shown(text: str | None) -> str:
        return WITHHELD if text and rehearsal.is_off_record(text) else text or ""

    persona = rehearsal.seats[exchange.agent].persona
    turns = tuple(
        AskedTurn(
            question=shown(turn.question),
            answer=shown(turn.answer) or None,
            misheard=shown(turn.misheard) or None,
            verdict=shown(_verdict(turn, is_last=turn is exchange.turns[-1])),
            remark=shown(turn.remark),
        )
        for turn in exchange.turns
    )
    return Asked(
        at_s=exchange.asked_at_s,
        id=exchange.id,
        name=persona.name,
        color=persona.color,
        quotes=tuple(shown(one) for one in about(rehearsal, exchange)),
        turns=turns,
        outcome=phrasing.outcome(exchange),
        result=exchange.outcome or "open",
        why=exchange.why_this_agent,
    )
