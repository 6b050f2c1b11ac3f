"""One session as a reviewer reads it: slides, speech, questions and verdicts in the order in which they came.

It is made only from the session's records. Words that were said off the record are not shown.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from operator import itemgetter

from orchestrator.core import legible
from orchestrator.core.legible import one_line
from orchestrator.core.privacy.masking import redacted
from orchestrator.material.values import Segment, Slide
from orchestrator.panel import render
from orchestrator.panel.debrief import phrasing
from orchestrator.panel.loop.moderator import about
from orchestrator.panel.loop.rehearsal import OpenRehearsal
from orchestrator.panel.model.exchange import YOURS, Exchange, Persons, PersonVerdict, Turn
from orchestrator.panel.records import speech
from orchestrator.panel.records.exchanges import ExchangeOpened
from orchestrator.panel.records.kinds import value_of
from orchestrator.panel.records.projection import TRANSCRIPT, with_persons
from orchestrator.panel.records.setup import UNNAMED
from orchestrator.rehearsal.rehearsal import Rehearsal

# ---------------------------------------------------------------------- timeline


WITHHELD = "(off the record: kept in the session, shown to nobody)"


@dataclass(frozen=True, slots=True)
class SlideShown:
    """The moment at which a slide was shown."""

    at_s: float  # session clock, as everywhere here
    slide: Slide
    estimated: bool
    kind: str = "slide"


@dataclass(frozen=True, slots=True)
class Speech:
    """What one voice said without interruption; words that count as an answer are only in their exchange."""

    at_s: float
    speaker: str
    text: str
    is_presenter: bool
    is_taken_back: bool = False  # as an answer: it counts for nothing
    kind: str = "speech"


@dataclass(frozen=True, slots=True)
class Withdrawn:
    """A question that was put, but no longer counts since an answer before it was taken back."""

    at_s: float
    id: str
    name: str  # of the panelist
    question: str
    kind: str = "withdrawn"


@dataclass(frozen=True, slots=True)
class AskedTurn:
    """A question, its answer and the verdict on it."""

    question: str
    answer: str | None
    misheard: str | None  # as Turn.misheard
    verdict: str  # in words, with its reason; "": none
    remark: str
    person: PersonVerdict | None = None


@dataclass(frozen=True, slots=True)
class Asked:
    """An exchange, with its turns and its result."""

    at_s: float
    id: str
    name: str  # of the panelist
    color: str
    quotes: tuple[str, ...]  # each with its place; none: a general question
    origin: str  # as Question.origin of the room
    turns: tuple[AskedTurn, ...]
    outcome: str  # in words
    result: str  # what it counts as, of OUTCOMES, or "open"
    why: str  # why this panelist had the word
    kind: str = "question"

    @property
    def is_unjudged(self) -> bool:
        """Whether an answer was given but nobody judged it, which is said once a page."""
        return self.result == "unjudged" and any(turn.answer for turn in self.turns)


Moment = SlideShown | Speech | Withdrawn | Asked


def timeline(rehearsal: OpenRehearsal, persons: Persons | None = None) -> list[Moment]:
    """Return all that happened, by time and then by record; successive speech of one voice on one slide is
    merged.

    Words of the talk that arrived while a question was open may have begun before it was put.

    Args:
        persons: The verdicts of people on the answers.
    """
    rehearsal.store.catch_up()
    with rehearsal.store.history.mutex:  # the session may be going on
        found = sorted(_moments(rehearsal, persons or {}), key=itemgetter(0))
    moments: list[Moment] = []
    for _, one in found:
        last = moments[-1] if moments else None
        if isinstance(one, Speech) and isinstance(last, Speech) and _goes_on(last, one):
            is_again = one.text == WITHHELD and last.text.endswith(WITHHELD)
            moments[-1] = last if is_again else replace(last, text=f"{last.text} {one.text}")
        else:
            moments.append(one)
    return moments


def _goes_on(before: Speech, after: Speech) -> bool:
    return (before.speaker, before.is_taken_back) == (after.speaker, after.is_taken_back)


def _moments(rehearsal: OpenRehearsal, persons: Persons) -> Iterator[tuple[float, Moment]]:
    """Yield every moment in the order of its record, with the session clock at which it began."""
    store, projection = rehearsal.store, rehearsal.projection
    slides = {slide.number: slide for slide in rehearsal.scene().deck.slides}
    exchanges = {one.id: with_persons(one, persons) for one in projection.asked}
    hidden = store.hidden()
    answers = {id(one) for pieces in projection.answered_in.values() for one in pieces}
    heard = 0
    for entry in store.entries():
        if entry.file != TRANSCRIPT and entry.op != "note":
            continue
        record = store.record(entry.seq)
        is_hidden, is_withdrawn = entry.seq in hidden, entry.seq in projection.withdrawn_records
        match value_of(record):
            case speech.SlideShown(slide, at_s, estimated) if slide in slides:
                yield min(at_s, record.clock_s), SlideShown(at_s, slides[slide], estimated)
            case speech.SpeechHeard(segment=segment) | speech.AnswerGiven(segment=segment):
                heard += 1
                begun_s = record.clock_s
                if heard <= len(projection.segments):  # else it has just been said, and nobody corrected it
                    segment, begun_s = projection.segments[heard - 1], projection.begun_s[heard - 1]
                if segment.misheard is not None:  # what was really said may be off the record
                    is_hidden = is_hidden or rehearsal.is_off_record(segment.text)
                if id(segment) not in answers:
                    said = _speech(rehearsal, segment, is_hidden=is_hidden, is_taken_back=is_withdrawn)
                    yield begun_s, said
            case None if record.op == "append":
                heard += 1
                plain = Segment(record.text or "", record.clock_s, record.clock_s)
                said = _speech(rehearsal, plain, is_hidden=is_hidden, is_taken_back=is_withdrawn)
                yield record.clock_s, said
            case ExchangeOpened(exchange) if is_withdrawn:
                name = rehearsal.name_of(exchange.agent)
                question = _shown(rehearsal, exchange.turns[0].question)
                yield record.clock_s, Withdrawn(exchange.asked_at_s, exchange.id, name, question)
            case ExchangeOpened(exchange) if exchange.id in exchanges:
                yield record.clock_s, _asked(rehearsal, exchanges[exchange.id])


def _speech(rehearsal: OpenRehearsal, segment: Segment, *, is_hidden: bool, is_taken_back: bool) -> Speech:
    """Return a segment as a moment.

    If *is_taken_back*, it was part of an answer, and so spoken by the presenter.
    """
    text = WITHHELD if is_hidden else one_line(segment.text)
    is_own = is_taken_back or rehearsal.is_presenters(segment)
    speaker = segment.speaker or (rehearsal.options.presenter if is_own else "Speaker")
    return Speech(segment.start_s, speaker, text, is_own, is_taken_back)


def _shown(rehearsal: OpenRehearsal, text: str | None) -> str:
    return WITHHELD if text and rehearsal.is_off_record(text) else text or ""


def _verdict(turn: Turn, *, is_last: bool) -> str:
    """Return a turn's verdict, or why the question was parked; "" if nobody judged, which is said once a
    page."""
    if turn.verdict == "unjudged" and turn.reason == YOURS:
        return ""
    return render.verdict(turn, is_last=is_last) if turn.verdict else turn.reason or ""


def _asked(rehearsal: OpenRehearsal, exchange: Exchange) -> Asked:
    shown = partial(_shown, rehearsal)
    persona = rehearsal.seats[exchange.agent].persona
    turns = tuple(
        AskedTurn(
            question=shown(turn.question),
            answer=shown(turn.answer) or None,
            misheard=shown(turn.misheard) or None,
            verdict=shown(_verdict(turn, is_last=turn is exchange.turns[-1])),
            remark=shown(turn.remark),
            person=turn.person and replace(turn.person, note=shown(turn.person.note)),
        )
        for turn in exchange.turns
    )
    return Asked(
        at_s=exchange.asked_at_s,
        id=exchange.id,
        name=persona.name,
        color=persona.color,
        quotes=tuple(shown(one) for one in about(rehearsal, exchange)),
        origin=render.brought_origin(exchange),
        turns=turns,
        outcome=phrasing.outcome(exchange),
        result=exchange.result or "open",
        why=exchange.why_this_agent,
    )


# ---------------------------------------------------------------------- timeline export
# A timeline as Markdown, to be read without Greenroom.


REDACTED = (
    "> Redacted: the names of presenter and speakers, e-mail addresses, phone and card numbers are masked, "
    "and what was said off the record is left out. People who are only spoken of are still named: read it "
    "before you share it."
)


def as_markdown(session: Rehearsal, moments: Sequence[Moment]) -> str:
    """Return the timeline as Markdown; the ledger's head at its end says from which records it was made."""
    options, deck = session.rehearsal.options, session.rehearsal.scene().deck
    about = [f"- Session: {session.id}", f"- Presenter: {_plain(options.presenter)}"]
    if options.date is not None:
        about.append(f"- Date: {options.date}")
    if (drilled := session.rehearsal.drilled) is not None:
        about.append(f"- Drill: puts question {drilled.exchange} of {drilled.session} again")
    lines = [f"# {_plain(deck.title or deck.name)}", "", *about]
    for moment in moments:
        lines += ["", *_lines(moment)]
    lines += [
        "",
        "---",
        "",
        f"Made from {session.rehearsal.store.seq} records; ledger head {session.ledger_head}",
    ]
    return "\n".join(lines) + "\n"


def as_redacted(session: Rehearsal, moments: Sequence[Moment]) -> str:
    """Return the timeline for sharing, without the names of those who spoke or what was off the record."""
    text = redacted(as_markdown(session, moments), [*_people(session), *_judges(session, moments)])
    return f"{REDACTED}\n\n{text}"


def _people(session: Rehearsal) -> Iterator[tuple[str, str]]:
    """Yield the name of each person who spoke, with its replacement."""
    projection, options = session.projection, session.rehearsal.options
    presenters = {options.presenter, projection.presenter or ""} - {"", UNNAMED}
    yield from ((name, "[presenter]") for name in sorted(presenters))
    others = dict.fromkeys(one.speaker for one in projection.segments if one.speaker)
    others_named = [name for name in others if name not in presenters | {UNNAMED}]
    yield from ((name, f"[speaker {number}]") for number, name in enumerate(others_named, start=1))


def _judges(session: Rehearsal, moments: Sequence[Moment]) -> Iterator[tuple[str, str]]:
    """Yield the name of each person who judged answers without speaking, with its replacement."""
    turns = (turn for moment in moments if isinstance(moment, Asked) for turn in moment.turns)
    named = dict.fromkeys(turn.person.by for turn in turns if turn.person is not None)
    known = {name for name, _ in _people(session)} | {UNNAMED}
    others = [name for name in named if name not in known]
    yield from ((name, f"[judge {number}]") for number, name in enumerate(others, start=1))


def _lines(moment: Moment) -> Iterator[str]:
    at = legible.clock(moment.at_s)
    if isinstance(moment, SlideShown):
        yield f"## [{at}] Slide {moment.slide.number}: {_plain(moment.slide.title)}"
        if moment.slide.lines:
            yield ""
            yield from (f"- {_plain(line)}" for line in moment.slide.lines)
    elif isinstance(moment, Asked):
        yield f"### [{at}] {moment.id}: {_plain(moment.name)}, {moment.outcome}"
        for quote in (*moment.quotes, *([moment.origin.capitalize()] if moment.origin else [])):
            yield ""
            yield f"> {_plain(quote)}"
        for turn in moment.turns:
            yield ""
            yield f"**Question:** {_plain(turn.question)}"
            if turn.answer:
                yield ""
                yield f"**Answer:** {_plain(turn.answer)}"
            if turn.misheard:
                yield ""
                yield f"**Heard as:** {_plain(turn.misheard)}"
            if turn.verdict:
                yield ""
                yield f"**Verdict:** {_plain(turn.verdict)}"
            if turn.person is not None:
                yield ""
                yield f"**Judged:** {_plain(render.said_by(turn.person))}"
    elif isinstance(moment, Withdrawn):
        withdrawn = f"~~{_plain(moment.question)}~~ (withdrawn with the answer that was taken back)"
        yield f"[{at}] {moment.id}, **{_plain(moment.name)}:** {withdrawn}"
    else:
        text = _plain(moment.text)
        text = f"~~{text}~~ (taken back as an answer)" if moment.is_taken_back else text
        yield f"[{at}] **{_plain(moment.speaker)}:** {text}"


def _plain(text: str) -> str:
    """Return text from outside as one line in which Markdown's special characters are escaped."""
    return "".join(f"\\{char}" if char in "\\`*_[]<>#|~" else char for char in one_line(text))
