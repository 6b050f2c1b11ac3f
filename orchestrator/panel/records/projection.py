"""The projection of the ledger's records: the rehearsal's current state, as values.

A session has no other state. Folding the same records gives the same projection, so any process can go on
from any record. Nothing here writes, and no Markdown is parsed.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence, Set
from dataclasses import dataclass, field, fields, replace
from itertools import chain
from typing import Any, Final, NamedTuple

from orchestrator.core.clock import ClockState
from orchestrator.core.store.ledger import Record
from orchestrator.material.claim import Claim, Gap, Place, Tension
from orchestrator.material.values import BroughtQuestion, Deck, Intel, Segment, is_name_of
from orchestrator.panel.answers import Answer
from orchestrator.panel.model.exchange import (
    Candidate,
    Exchange,
    Judgement,
    Observation,
    Persons,
    PersonVerdict,
    Target,
    Turn,
)
from orchestrator.panel.model.reply import Attack, BoardMember, DebriefWords, Dossier
from orchestrator.panel.model.usage import CallUsage

# ---------------------------------------------------------------------- turns
# An exchange with what has just happened in it: an answer, a verdict, another question.


def with_answer(exchange: Exchange, words: str, lasts_s: float = 0.0) -> Exchange:
    """Return the exchange with the answer to its last question, and the seconds that it took."""
    spent_s = round(exchange.spent_s + lasts_s, 3)
    return replace(_with_last(exchange, answer=words), spent_s=spent_s)


def words_of(pieces: Iterable[Segment]) -> str:
    """Return the words of an answer, given its segments in order."""
    return " ".join(one.text for one in pieces if one.text)


def with_words(exchange: Exchange, number: int, words: str) -> Exchange:
    """Return the exchange with the answer to its question *number*, counted from 1, corrected to *words*.

    A verdict on the misheard words stays; its quote is removed unless the corrected words contain it.
    """
    turn = exchange.turns[number - 1]
    changed = replace(turn, answer=words)
    if turn.verdict is not None:
        heard = turn.answer if turn.misheard is None else turn.misheard
        quote = turn.quote if turn.quote and _plain(turn.quote) in _plain(words) else None
        changed = replace(changed, quote=quote, misheard=heard if heard != words else None)
    return replace(exchange, turns=(*exchange.turns[: number - 1], changed, *exchange.turns[number:]))


def with_verdict(exchange: Exchange, judgement: Judgement) -> Exchange:
    """Return the exchange with the verdict on its last answer."""
    return _with_last(
        exchange,
        verdict=judgement.verdict,
        reason=judgement.reason,
        quote=judgement.quote,
        still_open=judgement.still_open,
        remark=judgement.remark,
    )


def by_answer(said: Iterable[PersonVerdict]) -> Persons:
    """Return the last verdict on each answer; *said* must be sorted from oldest to newest."""
    return {(one.exchange, one.turn): one for one in said}


def that_stand(noted: Persons, later: Iterable[PersonVerdict] = ()) -> Persons:
    """Return people's current verdicts: *later* replaces *noted*, and those that were taken back are left
    out.
    """
    said = {**noted, **by_answer(later)}
    return {place: one for place, one in said.items() if one.verdict is not None}


def with_persons(exchange: Exchange, said: Persons) -> Exchange:
    """Return the exchange with people's verdicts on its answers, which its own records do not contain."""
    if not said:
        return exchange
    turns = tuple(
        replace(turn, person=said.get((exchange.id, number)) if turn.answer else None)
        for number, turn in enumerate(exchange.turns, start=1)
    )
    return replace(exchange, turns=turns)


def with_wish(exchange: Exchange, reason: str, wish: str | None) -> Exchange:
    """Return the exchange with the presenter's wish to park it, and without a verdict."""
    return _with_last(exchange, reason=reason, quote=wish)


def with_question(exchange: Exchange, turn: Turn) -> Exchange:
    """Return the exchange with one more question."""
    return replace(exchange, turns=(*exchange.turns, turn))


def bare_first(exchange: Exchange) -> str:
    """Return the first question as its panelist wrote it, without its lead-in."""
    first = exchange.turns[0]
    return first.question.removeprefix(first.lead_in).strip()


def _plain(words: str) -> str:
    return " ".join(words.split())


def _with_last(exchange: Exchange, **changes: Any) -> Exchange:
    return replace(exchange, turns=(*exchange.turns[:-1], replace(exchange.turns[-1], **changes)))


# ---------------------------------------------------------------------- about contradictions
# Whether a question is about a contradiction: told by the places of its quotes.


def is_about(asked: Candidate | Exchange, tension: Tension) -> bool:
    """Return whether the question's places include two of the contradiction's places.

    The question's places are its own and the one beside it. One match is enough if the contradiction has only
    one place: a sentence that contradicts itself.
    """
    if asked.quote is None:
        return False
    own = [Place(asked.slide, asked.said_at_s, asked.quote)]
    own += [asked.beside] if asked.beside is not None else []
    return are_of(own, tension)


def are_of(places: Sequence[Place], tension: Tension) -> bool:
    """Return whether *places* include two of the contradiction's places, or its only place."""
    sides = dict.fromkeys(tension.sides)
    return sum(any(_is_one(side, place) for place in places) for side in sides) >= min(2, len(sides))


def _is_one(one: Place, other: Place) -> bool:
    """Return whether two places share slide and time, and the quote of one contains that of the other."""
    if (one.slide, one.said_at_s) != (other.slide, other.said_at_s):
        return False
    return bool(one.quote and other.quote) and (one.quote in other.quote or other.quote in one.quote)


# ---------------------------------------------------------------------- projection


TRANSCRIPT: Final = "shared/presenter-transcript.md"
INTEL: Final = "shared/external-intel.md"

BREATHER_S: Final = 10.0
"""Seconds of silence that end a monologue, since they are the pause that would be suggested; our own
choice.
"""


@dataclass(frozen=True, slots=True)
class Waiting:
    """A candidate question as its file contains it, with its status."""

    candidate: Candidate
    status: str  # ready, stale or empty
    made_at_s: float
    input_sha256: str  # of files 1 to 10, as the candidate was made from them
    intel_sha256: str
    confirmed_at_s: float | None = None  # when its panelist last kept it; None: not since it was made
    bears_sha256: str = ""  # of what bore on it when it was made or last kept (`refreshing`)


@dataclass(frozen=True, slots=True)
class Playback:
    """A recording that is being played, loaded whole, so that it can go on without its file."""

    kind: str  # "run": questions come by themselves; "feed": they come through `ask`
    name: str
    segments: tuple[Segment, ...]
    answers: tuple[Answer, ...] = ()
    offset_s: float = 0.0  # session clock at which the recording begins
    archive: str | None = None  # where a run archives at its end
    typed: bool = False  # answers are typed at the terminal while it plays
    notices: tuple[str, ...] = ()  # what was not read of it, a line each; never what was said


@dataclass(frozen=True, slots=True)
class Said:
    """A line that the moderator said."""

    occasion: str  # a heading of the phrase library
    text: str
    at_s: float  # session clock
    phrase: str  # as the library has it, with its slots open
    exchange: str | None = None  # which it introduces or closes
    after: int = 0  # how many exchanges had been opened


class PartFailure(NamedTuple):
    """A part of memory that failed, with the reason."""

    part: str
    reason: str


class Line(NamedTuple):
    """A line of a followed file from which speech was read."""

    source: str  # the file's name
    number: int
    digest: str = ""  # of all lines up to it; releases before 0.2 kept none


@dataclass(frozen=True, slots=True)
class SlideTime:
    """A slide, with the session clock when it was shown."""

    slide: int
    at_s: float
    estimated: bool


@dataclass(frozen=True, slots=True)
class DrivenBy:
    """A worker of a cluster that drove the session for a while."""

    worker: str
    is_left: bool = False  # the one before it was gone: nothing says that it stopped


@dataclass(frozen=True, slots=True)
class Mark:
    """A question that was asked, with the projection at that time, which is restored if its answer is taken
    back.
    """

    exchange: str
    turn: int  # from 1
    at: int  # records of the journal before it
    before: Projection  # with the question, and no word of an answer; without marks of its own


@dataclass(slots=True)
class Projection:
    """The combined state of the ledger's records (`PanelValue.fold`)."""

    speaker: str | None = None  # --speaker: whose words are judged
    deck: Deck | None = None
    deck_claims: tuple[Claim, ...] = ()
    gaps: tuple[Gap, ...] = ()
    is_checked: bool = False  # whether contradictions were looked for: releases before 0.2 did not
    found: list[Tension] = field(default_factory=list)  # contradictions: the deck's own, then those in speech
    unsaid_findings: set[str] = field(default_factory=set)  # digests of those in words corrected since
    dismissed: set[str] = field(default_factory=set)  # digests of those that the presenter says are none
    is_deck_looked_at: bool = False  # an engine was asked what contradicts what in the deck
    looked_upto: int = 0  # segments that an engine has looked through for contradictions
    look_due: str | None = None  # the occasion to look through what was said since; None: none
    look_due_upto: int = 0  # segments that there were at that occasion
    suspected: list[Tension] = field(default_factory=list)  # by a verdict, and not verified yet
    named: Tension | None = None  # the contradiction that the last verdict named
    pressed: list[tuple[str, Tension]] = field(default_factory=list)
    """Contradictions that a verdict named before it asked a follow-up, each with the id of its exchange."""
    brought: tuple[BroughtQuestion, ...] = ()  # questions that the presenter brought, put or not
    dossier: Dossier | None = None  # that was made at the start
    members: tuple[BoardMember, ...] = ()  # of the real board, where the presenter named them
    intel: Intel = field(default_factory=Intel)  # the last revision
    intel_sha256: str | None = None  # of its page
    targets: dict[str, tuple[Target, ...]] = field(default_factory=dict)
    observed: list[Observation] = field(default_factory=list)
    segments: list[Segment] = field(default_factory=list)
    begun_s: list[float] = field(default_factory=list)
    """The session clock when each segment was begun.

    Pages sort by it, since a segment's own times may be a recording's.
    """
    claims_by_speaker: dict[str | None, list[Claim]] = field(default_factory=dict)
    seconds_by_speaker: dict[str | None, float] = field(default_factory=dict)  # of the talk, without answers
    presenter_name: str = ""  # as the session was started
    presenter_label: str | None = None
    presenter_how: str | None = None  # None: not settled, so whoever has spoken most so far
    is_presenter_alone: bool = False  # words without a label are nobody's
    slides: list[SlideTime] = field(default_factory=list)
    waiting: dict[str, Waiting] = field(default_factory=dict)
    wanted: dict[str, Candidate] = field(default_factory=dict)  # every question that stood, by its words
    exchanges: list[Exchange] = field(default_factory=list)  # closed ones
    open: Exchange | None = None
    persons: dict[tuple[str, int], PersonVerdict] = field(default_factory=dict)
    """Verdicts that people gave on answers before the session's end, by exchange and turn number, from 1."""
    open_s: dict[str, float] = field(default_factory=dict)  # session clock: how long each was, by exchange
    put_at_s: float = 0.0  # session clock: when the last question of the open exchange was put
    ends_at_s: float | None = None  # session clock: when its answer was ended, which may still come in
    gave_way_s: float | None = None
    """The session clock since which the open question waits for a pause of the talk, because the words said
    to it were talk.

    None if it does not wait.
    """
    last_exchange: int = 0  # the number of the exchange that was opened last; one taken back keeps its number
    heard: list[Segment] = field(default_factory=list)  # of the answer to the open question, so far
    answered_in: dict[tuple[str, int], list[Segment]] = field(default_factory=dict)
    """The segments of each answer, by exchange and the number of the question in it, from 1."""
    answers_given: set[int] = field(default_factory=set)  # segments, from 1, that were given as an answer
    words_seq: int = 0  # number of the record that last brought words, or put them right
    misheard: list[Segment] = field(default_factory=list)  # as they stood before they were corrected
    withdrawn: set[int] = field(default_factory=set)  # segments taken back as an answer, by number from 1
    withdrawn_records: set[int] = field(default_factory=set)  # that fell with answers taken back
    talk_records: set[int] = field(default_factory=set)  # whose words were taken for an answer
    marks: list[Mark] = field(default_factory=list)  # questions whose answer can be taken back; the last put
    journal: list[tuple[Any, Record]] = field(default_factory=list)  # value and record, since the first mark
    lines_taken: set[Line] = field(default_factory=set)  # of followed files
    answers_used: set[int] = field(default_factory=set)
    playback: Playback | None = None
    played: int = 0  # segments of the playback that are in the transcript
    driver: str | None = None  # what the last driver record says: run, feed or None
    workers: list[DrivenBy] = field(default_factory=list)  # of a cluster, one after the other
    clock: ClockState = field(default_factory=ClockState)
    why_stopped: str | None = None  # the clock, where nobody stopped it
    refreshed_at_s: float = 0.0
    inputs: dict[str, str] = field(
        default_factory=dict
    )  # digest of files 5 to 10, by agent, as its candidate was last made or confirmed from
    confirmed_s: dict[str, float] = field(default_factory=dict)  # session clock: when that was, by agent
    refresh_due: bool = False
    is_to_be_thought_of: bool = False  # a question can be put now, and nobody was asked for one since
    break_due: bool = False
    is_break_by_slide: bool = False  # the talk went on to another section
    is_question_wanted: bool = False  # the presenter asked for one, wherever the talk stands
    segments_before_slide: int = 0  # how many there were when the slide came up that is shown now
    section_ended: int = -1  # how many slides had been shown when the last section ended
    is_played_out: bool = False
    is_over: bool = False  # played out, and nobody has another question
    state: str = "presenting"  # of the moderator's states
    state_shown_s: float = 0.0  # session clock: when session-state.md was last written
    warned: set[float] = field(default_factory=set)  # shares of the time budget that were announced
    phrases: dict[str, tuple[str, ...]] = field(default_factory=dict)  # of this session, by occasion
    said: list[Said] = field(default_factory=list)
    hands: tuple[str, ...] = ()  # who has a hand up, in the mode hand-raise
    failed: dict[str, str] = field(default_factory=dict)  # whose last refresh failed, and why
    claims_by_id: dict[str, Claim] = field(default_factory=dict)
    quiet_from_s: float | None = None  # session clock: since when nobody has asked; None: no word yet
    is_prompted: bool = False  # the moderator has spoken of that silence
    asked_here: bool = False  # somebody has asked since the last segment
    asked_when_played_out: int = 0  # exchanges closed when the recording ended
    voice: str | None = None  # who has the word
    voice_from_s: float | None = None  # session clock: since when, without another voice; None: nobody has
    voice_until_s: float = 0.0
    is_pause_suggested: bool = False  # during this monologue
    calls: list[CallUsage] = field(default_factory=list)  # to a model, in the order of their replies
    failures: list[PartFailure] = field(default_factory=list)  # of memory; the rehearsal went on without
    took_over: str | None = None  # why the offline panel sits in the model's place; None: it does not
    debrief_words: DebriefWords | None = None  # None: nobody was asked for them, or the engine failed
    debrief_failed: str | None = None  # why there are none
    ended: bool = False

    def copy(self) -> Projection:
        """Return a copy to which records can be added without changing this projection."""
        return Projection(**{one.name: _copy_of(getattr(self, one.name)) for one in fields(self)})

    def drive_by(self, worker: str) -> None:
        """Note that a worker of a cluster drives from now on; call this before `driver` is set."""
        before = self.workers[-1].worker if self.workers else None
        if before != worker:
            self.workers.append(DrivenBy(worker, before is not None and self.driver is not None))

    def no_break(self) -> None:
        """Note that no question waits for a moment to be asked, since one was asked, or nobody has one."""
        self.break_due = self.is_break_by_slide = self.is_question_wanted = False

    def put(self, at_s: float) -> None:
        """Note that a question waits for its answer since *at_s* of the session clock."""
        self.put_at_s, self.ends_at_s, self.gave_way_s = at_s, None, None

    def give_way(self, at_s: float) -> None:
        """Note that the open question waits for a pause of the talk since *at_s* of the session clock."""
        self.gave_way_s, self.break_due = at_s, True

    @property
    def asking(self) -> Exchange | None:
        """Return the open exchange, or None if there is none or its question gave way to the talk."""
        return self.open if self.gave_way_s is None else None

    def find(self, tensions: Iterable[Tension]) -> None:
        """Add contradictions to the found ones, each with its new id."""
        self.found += self.numbered(tensions)

    def numbered(self, tensions: Iterable[Tension]) -> tuple[Tension, ...]:
        """Return contradictions with their new ids; contradictions that were dismissed get no id."""
        number, numbered = sum(bool(before.id) for before in self.found), []
        for one in tensions:
            is_new = not self.is_dismissed(one)
            number += is_new
            numbered.append(replace(one, id=f"c{number}" if is_new else ""))
        return tuple(numbered)

    def look_is_due(self, occasion: str) -> None:
        """Note that everything said so far is to be examined for contradictions."""
        self.look_due, self.look_due_upto = occasion, len(self.segments)

    def is_dismissed(self, tension: Tension) -> bool:
        """Return whether the contradiction was dismissed.

        The presenter dismissed it, here or in an earlier rehearsal, or a correction of the words did.
        """
        return tension.digest in self.dismissed or tension.digest in self.unsaid_findings

    def is_about_dismissed(self, asked: Candidate | Exchange, later: Set[str] = frozenset()) -> bool:
        """Return whether the presenter dismissed all contradictions that a question is about.

        *later* contains the digests of contradictions that were dismissed after the session's end.
        """
        about = [one for one in self.found if is_about(asked, one)]
        return bool(about) and all(self.is_dismissed(one) or one.digest in later for one in about)

    def puts_dismissed(self, question: Candidate, later: Set[str] = frozenset()) -> bool:
        """Return whether a candidate that quotes two places asks about a dismissed contradiction."""
        return question.beside is not None and self.is_about_dismissed(question, later)

    @property
    def tensions(self) -> list[Tension]:
        """Return the contradictions that are not dismissed, in the order in which they were found."""
        return [one for one in self.found if not self.is_dismissed(one)]

    def quotes_misheard(self, asked: Candidate) -> bool:
        """Return whether a candidate quotes words that were corrected since and are nowhere in the speech."""
        sides = [(asked.said_at_s, asked.quote or "")]
        if asked.beside is not None:
            sides.append((asked.beside.said_at_s, asked.beside.quote))
        return any(
            one.start_s == at_s and words and words in one.text and not self._is_said(words)
            for one in self.misheard
            for at_s, words in sides
        )

    def _is_said(self, words: str) -> bool:
        return any(words in one.text for one in self.segments)

    @property
    def unsaid(self) -> tuple[int, int]:
        """Return a key that changes when words that an engine may have read are taken back or corrected."""
        return len(self.withdrawn_records), len(self.misheard)

    @property
    def slide(self) -> int | None:
        """Return the number of the slide that is shown now, or None."""
        return self.slides[-1].slide if self.slides else None

    @property
    def presenter(self) -> str | None:
        """Return the label of the speaker whose words are judged, or None."""
        if self.presenter_how is not None:
            return self.presenter_label
        if self.speaker is not None:
            return self.speaker
        if not self.seconds_by_speaker:
            return None
        named = next((one for one in self.seconds_by_speaker if is_name_of(one, self.presenter_name)), None)
        if named is not None:
            return named
        return max(self.seconds_by_speaker, key=lambda label: self.seconds_by_speaker[label])

    @property
    def presenter_labels(self) -> tuple[str | None, ...]:
        """Return the labels of the presenter's words; None is among them if words without a label are too.

        Words without a label are the presenter's if they were spoken in the room, and nobody's in a recording
        that names its speakers (`SpeakerFound`).
        """
        if self.presenter_how is not None and self.is_presenter_alone:
            return () if self.presenter_label is None else (self.presenter_label,)
        return (self.presenter, None)

    def may_answer(self, speaker: str | None) -> bool:
        """Return whether words with this label can be part of an answer.

        Words spoken in the room have no label.
        """
        return speaker is None or speaker in self.presenter_labels

    @property
    def speech_claims(self) -> list[Claim]:
        """Return the presenter's claims in speech; the list grows, so do not store it."""
        labels = self.presenter_labels
        own = [claims for who, claims in self.claims_by_speaker.items() if who in labels]
        if len(own) < 2:
            return own[0] if own else []
        return sorted(chain.from_iterable(own), key=segment_of)

    def slide_at(self, at_s: float) -> int | None:
        """Return the slide shown at *at_s* of the session clock, or the first slide if none was shown yet."""
        shown = next((one for one in reversed(self.slides) if one.at_s <= at_s), None)
        return (shown or self.slides[0]).slide if self.slides else None

    def answer_of(self, segment: Segment) -> tuple[str | None, int, list[Segment]]:
        """Return the answer that contains a segment, as exchange, question number and segments, or (None, 0,
        []).
        """
        for (exchange, turn), pieces in self.answered_in.items():
            if any(one is segment for one in pieces):
                return exchange, turn, pieces
        return None, 0, []

    @property
    def has_words(self) -> bool:
        """Return whether words of an answer to the open question have come, not all corrected to nothing."""
        return any(one.text for one in self.heard)

    @property
    def spoken(self) -> tuple[Segment, ...]:
        """Return every segment of speech in its place, the withdrawn ones without their words.

        An answer that was typed or passed in, rather than heard, counts as the presenter's under any label.
        """
        spoken = list(self.segments)
        for number in self.withdrawn:
            spoken[number - 1] = replace(spoken[number - 1], text="", doubt=None, misheard=None)
        for number in self.answers_given:
            spoken[number - 1] = replace(spoken[number - 1], speaker=self.presenter)
        return tuple(spoken)

    def times(self, now_s: float) -> tuple[float, float]:
        """Return the seconds of presenting and of answering, up to *now_s* of the session clock.

        A recording waits while a question is open, so its clock leaves out the answers. Live, the clock runs
        on, and its time under a question does not count as presenting.
        """
        ran = [until_s - from_s for from_s, until_s in self.under_questions(now_s)]
        answering_s = sum(max(one.spent_s, ran_s) for one, ran_s in zip(self.asked, ran, strict=True))
        return now_s - sum(ran), answering_s

    def spent_on(self, answer: Segment) -> float:
        """Return the seconds that a given answer adds to its exchange, beyond those of the session clock.

        Live, it adds none: the clock runs on during answers, so an estimate would make the used time jump
        ahead, and back again once the answer is withdrawn. A recording's clock waits, and a clock that nobody
        ran shows no time, so there an answer counts as long as its segment.
        """
        is_live = self.playback is None and (self.clock.live_since is not None or self.clock.at_s > 0)
        return 0.0 if is_live else answer.end_s - answer.start_s

    def under_questions(self, now_s: float) -> list[tuple[float, float]]:
        """Return the start and end of each exchange on the session clock; time after it gave way is left
        out.
        """
        found = []
        for one in self.asked:
            still_s = 0.0 if self.gave_way_s is not None else now_s - one.asked_at_s
            found.append((one.asked_at_s, one.asked_at_s + self.open_s.get(one.id, still_s)))
        return found

    @property
    def asked(self) -> list[Exchange]:
        """Return every exchange in the order of asking, the open one last."""
        return [*self.exchanges, *([self.open] if self.open is not None else [])]

    @property
    def judged(self) -> Persons:
        """Return people's verdicts on answers, without those that were taken back."""
        return that_stand(self.persons)

    @property
    def never_asked(self) -> tuple[Candidate, ...]:
        """Return the candidate questions that were never asked, in the order in which they were made."""
        open_ = (one for text, one in self.wanted.items() if text not in self.asked_questions)
        return tuple(one for one in open_ if not self.puts_dismissed(one) and not self.quotes_misheard(one))

    @property
    def likely(self) -> tuple[Attack, ...]:
        """Return the questions of the dossier that was made at the start."""
        return self.dossier.attacks if self.dossier is not None else ()

    @property
    def still_brought(self) -> tuple[tuple[int, BroughtQuestion], ...]:
        """Return the presenter's own questions that were not asked yet, each with its number."""
        if not self.brought:
            return ()
        put = {one.brought for one in self.asked}
        return tuple(pair for pair in enumerate(self.brought, start=1) if pair[0] not in put)

    @property
    def is_brought_due(self) -> bool:
        """Return whether one of the presenter's own questions is for a slide that is being left, or was
        left.
        """
        left = {one.slide for one in self.slides}
        if self.section_ended != len(self.slides):
            left.discard(self.slide)
        return any(one.slide in left for _, one in self.still_brought)

    @property
    def withdrawn_exchanges(self) -> tuple[str, ...]:
        """Return ids of the questions that were withdrawn with an answer that was taken back."""
        stand = {one.id for one in self.asked}
        ids = (f"x{number}" for number in range(1, self.last_exchange + 1))
        return tuple(one for one in ids if one not in stand)

    @property
    def asked_questions(self) -> frozenset[str]:
        """Return the first question of every exchange as its panelist wrote it, without its lead-in."""
        return frozenset(bare_first(exchange) for exchange in self.asked)

    @property
    def opened(self) -> int:
        """Return the number of exchanges that have been opened."""
        return len(self.exchanges) + (self.open is not None)

    @property
    def asked_claims(self) -> frozenset[str]:
        """Return the ids of the claims about which somebody has asked."""
        return frozenset(exchange.claim for exchange in self.asked if exchange.claim is not None)

    @property
    def monologue_s(self) -> float:
        """Return the seconds that the presenter has spoken without another voice or a long pause."""
        if self.voice_from_s is None or self.voice not in self.presenter_labels:
            return 0.0
        return self.voice_until_s - self.voice_from_s


def segment_of(claim: Claim) -> int:
    """Return the number of the segment that contains a claim made in speech."""
    return int(claim.id[1:].partition(".")[0])


def _copy_of(part: Any) -> Any:
    """Copy a part of a projection, including the lists in a mapping, so that the copy can be added to."""
    if isinstance(part, dict):
        return {key: list(value) if isinstance(value, list) else value for key, value in part.items()}
    return part.copy() if isinstance(part, list | set) else part
