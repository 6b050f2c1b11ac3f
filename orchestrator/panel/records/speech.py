"""The records of what is said and shown: speech, slides and answers, with what becomes due through them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Self

from orchestrator.core.store.ledger import Bearing, Record
from orchestrator.core.values import from_json
from orchestrator.material.claim import Claim, Tension
from orchestrator.material.values import Segment
from orchestrator.panel.model.exchange import NO_ANSWER, Exchange
from orchestrator.panel.model.reply import ANSWER, SPEECH, Passage
from orchestrator.panel.records.projection import (
    BREATHER_S,
    TRANSCRIPT,
    Line,
    Projection,
    SlideTime,
    segment_of,
    with_answer,
    with_words,
    words_of,
)
from orchestrator.panel.records.value import (
    NOTE,
    Entry,
    PanelValue,
    Step,
    answering,
    hearing,
    spoken_entry,
    spoken_passage,
)

# ---------------------------------------------------------------------- speech


TALK = "talk"
"""The part for words that were begun while no question waited for an answer."""


@dataclass(frozen=True, slots=True)
class SpeechHeard(PanelValue):
    """Speech appended to the transcript: a segment, its claims, and its place in a playback."""

    TYPE: ClassVar = "segment"

    segment: Segment
    claims: tuple[Claim, ...] = field(default_factory=tuple)
    tensions: tuple[Tension, ...] = ()
    played: int | None = None  # how many segments of the playback are then in the transcript
    source: Line | None = None  # the line of a followed file with which it was complete
    begun_s: float | None = None  # session clock: when it was begun, where its own times say another moment
    part: str | None = None
    """ANSWER or TALK, as `loop.turns` decided when the words came.

    If None, a release before 0.3 wrote the record. In such a session, everything that the presenter says
    while a question is open is its answer.
    """

    @property
    def bearing(self) -> Bearing:
        return Bearing(words=self.segment.text, speaker=str(self.segment.speaker))

    def is_begun_since(self, at_s: float) -> bool:
        """Return whether the speech began at *at_s* of the session clock, or later."""
        return (self.segment.start_s if self.begun_s is None else self.begun_s) >= at_s

    def fold(self, projection: Projection, record: Record) -> None:
        _add(projection, self.segment, self.claims, self._begun_s(record))
        self._count(projection)
        _voice(projection, self.segment, record)
        projection.find(self.tensions)
        if self.played is not None:
            projection.played = self.played
        if self.source is not None:
            projection.lines_taken.add(self.source)
        if self.part != TALK:
            _hear(projection, self.segment)

    def _begun_s(self, record: Record) -> float:
        """Return the speech's start on the session clock; for releases before 0.3, when its record was
        written.
        """
        if self.part is None:
            return record.clock_s
        if self.played is not None and self.begun_s is not None:  # its start is by the recording's clock
            return self.begun_s
        return min(self.segment.start_s, record.clock_s)

    def _count(self, projection: Projection) -> None:
        """Add the speech to its speaker's presenting time, unless a question is open.

        While a question is open, anybody may speak.
        """
        if projection.seconds_by_speaker and projection.asking is not None and self.part != TALK:
            return
        spoken_s = projection.seconds_by_speaker.get(self.segment.speaker, 0.0)
        length_s = self.segment.end_s - self.segment.start_s
        projection.seconds_by_speaker[self.segment.speaker] = spoken_s + length_s

    def entry(self, record: Record) -> Entry:
        return spoken_entry(self.segment, None)

    def passage(self, record: Record) -> Passage:
        return spoken_passage(record, self.segment, SPEECH)

    def step(self, record: Record) -> Step:
        return hearing(self.segment.text, claims=len(self.claims), tensions=len(self.tensions))


@dataclass(frozen=True, slots=True)
class SlideShown(PanelValue):
    """A line appended to the transcript: the slide that is shown, and whether a section ended before it."""

    TYPE: ClassVar = "slide"

    slide: int
    at_s: float
    estimated: bool
    ends_section: bool

    def plain(self) -> dict[str, Any]:
        at = {"slide": self.slide, "at_s": self.at_s, "estimated": self.estimated}
        return {"type": self.TYPE, **at, "break": self.ends_section}

    @classmethod
    def read(cls, plain: Mapping[str, Any]) -> Self:
        shown = from_json(SlideTime, {"estimated": False, **plain})
        return cls(shown.slide, shown.at_s, shown.estimated, from_json(bool, plain.get("break", False)))

    @property
    def bearing(self) -> Bearing:
        return Bearing(moves_on=True)

    def fold(self, projection: Projection, record: Record) -> None:
        projection.slides.append(SlideTime(self.slide, self.at_s, self.estimated))
        projection.segments_before_slide = len(projection.segments)
        projection.refresh_due = True
        projection.look_is_due("slide")
        if self.ends_section:
            projection.break_due = projection.is_break_by_slide = projection.is_to_be_thought_of = True
            projection.look_is_due("break")

    def entry(self, record: Record) -> Entry:
        return Entry(NOTE, f"slide {self.slide}", metadata={"slide": self.slide})

    def step(self, record: Record) -> Step:
        return Step(
            "slide",
            f"slide {self.slide}",
            "none",
            action={"slide": self.slide},
            output={"section_ends": self.ends_section},
            state={"slide": self.slide, "current_goal": f"listen to slide {self.slide}"},
        )


@dataclass(frozen=True, slots=True)
class SectionEnded(PanelValue):
    """A note that a recording is about to leave a section; the panel comes in before that."""

    TYPE: ClassVar = "section_end"

    slides: int  # how many had been shown

    def fold(self, projection: Projection, record: Record) -> None:
        projection.section_ended = self.slides
        projection.break_due = projection.refresh_due = projection.is_to_be_thought_of = True
        projection.look_is_due("break")


@dataclass(frozen=True, slots=True)
class PlayedOut(PanelValue):
    """A note that the recording is over, so that only questions and the end are left."""

    TYPE: ClassVar = "played_out"

    def fold(self, projection: Projection, record: Record) -> None:
        projection.is_played_out = True
        projection.asked_when_played_out = len(projection.exchanges)
        projection.refresh_due = projection.is_to_be_thought_of = True
        projection.look_is_due("break")

    def step(self, record: Record) -> Step:
        return Step("played_out", "the recording is over", state={"current_goal": "ask what is left"})


@dataclass(frozen=True, slots=True)
class AnswerGiven(PanelValue):
    """A line appended to the transcript: the answer to the open question."""

    TYPE: ClassVar = "answer"

    exchange: str
    turn: int
    segment: Segment
    claims: tuple[Claim, ...] = field(default_factory=tuple)  # judged there, and not asked about again
    used: int | None = None  # which prepared answer it is
    joins: bool = False  # what had been heard of the answer before stands in it as well

    @property
    def bearing(self) -> Bearing:
        return Bearing(self.exchange, self.segment.text, str(self.segment.speaker))

    def fold(self, projection: Projection, record: Record) -> None:
        _add(projection, self.segment, (), record.clock_s)
        projection.answers_given.add(len(projection.segments))
        if self.used is not None:
            projection.answers_used.add(self.used)
        if projection.open is not None:
            lasts_s = projection.spent_on(self.segment)
            pieces = [*(projection.heard if self.joins else ()), self.segment]
            projection.answered_in[self.exchange, len(projection.open.turns)] = pieces
            projection.open = with_answer(projection.open, words_of(pieces), lasts_s)
        if self.joins:
            projection.heard.clear()

    def entry(self, record: Record) -> Entry:
        return spoken_entry(self.segment, self.exchange)

    def passage(self, record: Record) -> Passage:
        return spoken_passage(record, self.segment, ANSWER, self.exchange)

    def step(self, record: Record) -> Step:
        return answering(self.exchange, self.segment.text)


@dataclass(frozen=True, slots=True)
class AnswerHeard(PanelValue):
    """A note that the presenter's words since the question are the answer."""

    TYPE: ClassVar = "answered"
    NEEDED: ClassVar = False

    exchange: str
    text: str

    def fold(self, projection: Projection, record: Record) -> None:
        if projection.open is not None:
            projection.open = with_answer(projection.open, self.text)
            projection.answered_in[self.exchange, len(projection.open.turns)] = list(projection.heard)
        projection.heard.clear()

    def step(self, record: Record) -> Step:
        return answering(self.exchange, self.text)


@dataclass(frozen=True, slots=True)
class AnswerEnds(PanelValue):
    """A note that the presenter ends the answer.

    Words begun before still belong to the answer; later ones are talk.
    """

    TYPE: ClassVar = "answer_ends"
    NEEDED: ClassVar = False

    exchange: str
    at_s: float | None  # session clock; None: no word of it came, so the question waits anew

    def fold(self, projection: Projection, record: Record) -> None:
        projection.ends_at_s = self.at_s
        if self.at_s is None:
            projection.put(record.clock_s)


@dataclass(frozen=True, slots=True)
class NoAnswer(PanelValue):
    """A note that a question got no answer."""

    TYPE: ClassVar = "silence"
    NEEDED: ClassVar = False

    exchange: str

    def fold(self, projection: Projection, record: Record) -> None:
        if projection.open is not None:
            projection.open = with_answer(projection.open, "")

    def entry(self, record: Record) -> Entry:
        return Entry(NOTE, NO_ANSWER, metadata={"exchange": self.exchange})

    def step(self, record: Record) -> Step:
        return Step("silence", f"{self.exchange} is not answered", "none", action={"exchange": self.exchange})


@dataclass(frozen=True, slots=True)
class AnswerUsed(PanelValue):
    """A note that a prepared answer without words was used, which parks the question."""

    TYPE: ClassVar = "answer_used"

    used: int

    def fold(self, projection: Projection, record: Record) -> None:
        projection.answers_used.add(self.used)


def fold_plain(projection: Projection, record: Record) -> None:
    """Add text that was appended without a value as a separate segment, at the clock's time."""
    segment = plain_segment(record)
    projection.segments.append(segment)
    projection.begun_s.append(record.clock_s)
    _voice(projection, segment, record)
    _hear(projection, segment)


def plain_segment(record: Record) -> Segment:
    """Return text that was appended without a value as a segment, at the clock's time."""
    return Segment(" ".join((record.text or "").split()), record.clock_s, record.clock_s)


def as_talk(value: object, record: Record) -> SpeechHeard:
    """Return speech, or text without a value, as words of the talk."""
    if isinstance(value, SpeechHeard):
        return replace(value, part=TALK)
    return SpeechHeard(plain_segment(record), part=TALK)


def is_spoken(record: Record) -> bool:
    """Return whether a record adds a segment to the transcript: speech, answer, or text without a value."""
    is_added = record.op == "append" and record.file == TRANSCRIPT
    return is_added and (not record.type or record.type in (SpeechHeard.TYPE, AnswerGiven.TYPE))


def withdraw(projection: Projection, segment: Segment, record: Record) -> None:
    """Add an empty place for words withdrawn as an answer, so that segment numbers do not change."""
    projection.segments.append(segment)
    projection.begun_s.append(record.clock_s)
    projection.withdrawn.add(len(projection.segments))


def _add(projection: Projection, segment: Segment, claims: tuple[Claim, ...], begun_s: float) -> None:
    projection.segments.append(segment)
    projection.begun_s.append(begun_s)
    projection.claims_by_speaker.setdefault(segment.speaker, []).extend(claims)
    projection.claims_by_id.update((claim.id, claim) for claim in claims)


def _hear(projection: Projection, segment: Segment) -> None:
    """Count speech under an open question as part of its answer, if the speaker may answer.

    Speech in the room has no label.
    """
    if projection.asking is not None and projection.may_answer(segment.speaker):
        projection.heard.append(segment)


def _voice(projection: Projection, segment: Segment, record: Record) -> None:
    """Note who speaks, and since when, on the session clock."""
    projection.asked_here = False
    from_s = max(0.0, round(record.clock_s - (segment.end_s - segment.start_s), 3))
    if projection.quiet_from_s is None:
        projection.quiet_from_s = from_s
    goes_on = projection.voice_from_s is not None and projection.voice == segment.speaker
    if not goes_on or from_s - projection.voice_until_s >= BREATHER_S:
        projection.voice, projection.voice_from_s, projection.is_pause_suggested = (
            segment.speaker,
            from_s,
            False,
        )
    projection.voice_until_s = record.clock_s


# ---------------------------------------------------------------------- corrections
# A correction of what was misheard: the transcript keeps both, and whoever reads goes by the new words.


@dataclass(frozen=True, slots=True)
class AnswerCorrected(PanelValue):
    """A line appended to the exchange history: an answer in it was misheard; it closes no exchange."""

    TYPE: ClassVar = "answer_corrected"

    exchange: str

    def fold(self, projection: Projection, record: Record) -> None:
        """Do nothing, since `Corrected`, in the same transaction, contains the words."""

    def step(self, record: Record) -> Step:
        return Step(None)


@dataclass(frozen=True, slots=True)
class Corrected(PanelValue):
    """A line appended to the transcript: what was really said in a segment, or that it was heard right."""

    TYPE: ClassVar = "corrected"

    number: int  # of the segment, from 1
    segment: Segment  # as it stands now
    was: str  # its words before this correction
    who: str  # corrected it
    claims: tuple[Claim, ...] = ()
    tensions: tuple[Tension, ...] = ()  # contradictions in the new words
    exchange: str | None = None  # to which it is of an answer; None: it is of none that is complete
    turn: int = 0  # of the exchange, from 1: whose answer it is
    answer: str = ""  # that answer, as it stands now
    sensitive: bool = False  # what had been heard is off the record, so the correction is

    @property
    def bearing(self) -> Bearing:
        return Bearing(words=self.segment.text, speaker=str(self.segment.speaker))

    def fold(self, projection: Projection, record: Record) -> None:
        before, now = projection.segments[self.number - 1], self.segment
        projection.segments[self.number - 1] = now
        projection.heard = [now if one is before else one for one in projection.heard]
        if before.text != now.text:
            projection.misheard.append(before)
            projection.refresh_due = True
        _replace_claims(projection, self.number, now.speaker, self.claims)
        known = {one.digest for one in projection.found}
        projection.find(one for one in self.tensions if one.digest not in known)
        _withdraw_findings(projection, before)
        projection.answered_in = {
            key: [now if one is before else one for one in pieces]
            for key, pieces in projection.answered_in.items()
        }
        projection.exchanges = [self.in_exchange(one) for one in projection.exchanges]
        if projection.open is not None:
            projection.open = self.in_exchange(projection.open)

    def in_exchange(self, exchange: Exchange) -> Exchange:
        """Return the exchange with its answer corrected, or unchanged if the correction is for another
        exchange.
        """
        return with_words(exchange, self.turn, self.answer) if exchange.id == self.exchange else exchange

    def entry(self, record: Record) -> Entry | None:
        if self.was == self.segment.text:
            return None
        about = {"slide": self.segment.slide, "said_at_s": self.segment.start_s}
        words = f"correction: {self.segment.text!r}, not {self.was!r}"
        return Entry(NOTE, words, quoting=f"{self.segment.text}\n{self.was}", metadata=about)

    def passage(self, record: Record) -> Passage | None:
        if self.segment.text in ("", self.was):
            return None
        kind = SPEECH if self.exchange is None else ANSWER
        return spoken_passage(record, self.segment, kind, self.exchange)

    def step(self, record: Record) -> Step:
        words = len(self.segment.text.split())
        line = f"segment {self.number} is corrected by {self.who}"
        return Step("correct", line, "none", action={"segment": self.number}, output={"words": words})


def _replace_claims(
    projection: Projection, number: int, speaker: str | None, claims: tuple[Claim, ...]
) -> None:
    """Replace the claims of a segment's old words by those of its new words.

    Questions may still name an old claim.
    """
    standing = projection.claims_by_speaker.setdefault(speaker, [])
    own = f"s{number}."
    at = next((at for at, one in enumerate(standing) if one.id.startswith(own)), None)
    rest = [one for one in standing if not one.id.startswith(own)]
    if at is None:  # in the order spoken
        at = sum(segment_of(one) < number for one in rest)
    projection.claims_by_speaker[speaker] = [*rest[:at], *claims, *rest[at:]]
    projection.claims_by_id.update((claim.id, claim) for claim in claims)


def _withdraw_findings(projection: Projection, before: Segment) -> None:
    """Withdraw contradictions that rest on words which were not said; restore those whose words were."""
    for one in projection.found:
        rests = any(side.said_at_s == before.start_s and side.quote in before.text for side in one.sides)
        is_said = all(
            side.said_at_s is None or any(side.quote in text.text for text in projection.segments)
            for side in one.sides
        )
        if is_said:
            projection.unsaid_findings.discard(one.digest)
        elif rests:
            projection.unsaid_findings.add(one.digest)
