"""The rehearsal as it stands: a fold over the typed values of the ledger's records.

No state of a session lives anywhere else: whoever folds the same records gets the same room,
so any process can go on from any record. Nothing here writes, and no Markdown is read back.

Values, by `type`, and the operation that carries each:

=================  ============================================================================
session            open: versions, panel, options, deck, digests of the templates
deck               write of deck-content: slides, claims, gaps
intel              write of external-intel: every finding, and the claim it bears on
focus_brief        write of a focus brief: the targets
dossier            write of the board dossier: the likely questions, and who sits on the board
tensions           note: contradictions that an engine proposed and code verified, and what was refused
segment            append to the transcript: the segment, its claims, its place in a playback
slide              append to the transcript: the slide, and whether a section ended before it
answer             append to the transcript: the answer, for which exchange
section_end        note: a recording is about to leave a section, and the panel comes in first
candidate          replace of a candidate question: the question, and what it was made from
exchange_opened    note: the exchange with its first question
answered           note: what the presenter said since the question was the answer
silence            note: a question got no answer
answer_used        note: a prepared answer without words was used: it parks the question
verdict            note: the judgement of the last answer
follow_up          note: the next question of the open exchange
exchange_closed    append to the exchange history: the whole exchange
observation        append to a presenter profile: what a panelist noticed
passed             note: a break at which nobody had a question
phrases            append to generated-phrases: the moderator's phrases for this session
said               append to generated-phrases: a line of the moderator's, with its occasion
call               note: what one call to a model used
refresh            note: when the candidates were last looked at, why, and whose hands are up
refreshed          note: what came of one panelist's call that the refresh did not wait for
left_out           note: a judgement that did not come, and why
took_over          note: no call to the model ever succeeded, so the offline panel sits in its place
debrief_words      note: all that the debrief says and that no count gives
playback           note: a recording that is being played, with its answers
speaker            note: who the presenter is
time_warning       append to the debrief notes: a share of the time budget is used up
no_question        append to the debrief notes: nobody has asked for a while
monologue          append to the debrief notes: one voice for so long that a pause is due
clock              note: the session clock was set, and whether it runs
driver             note: a process began or stopped to drive the session
played_out         note: the recording is over; only questions and the end are left
state              replace of the session state: where the moderator stands
=================  ============================================================================
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from orchestrator.clock import ClockState
from orchestrator.model.claim import Claim, Gap, Tension
from orchestrator.model.dossier import BoardMember
from orchestrator.model.exchange import Candidate, Exchange, Judgement, Observation, Target, Turn
from orchestrator.model.intel import Intel
from orchestrator.model.reply import DebriefWords
from orchestrator.model.segment import Segment
from orchestrator.model.slide import Deck
from orchestrator.model.usage import CallUsage, call_of
from orchestrator.model.values import from_json
from orchestrator.speech.answers import Answer
from orchestrator.store.ledger import Record


@dataclass(frozen=True, slots=True)
class Options:
    """What a session was started with; the same for its whole life."""

    id: str
    presenter: str
    panel: tuple[str, ...]
    engine: str
    layout: str
    mode: str
    intensity: str
    minutes: int
    exchanges: int
    focus: tuple[str, ...] = ()
    date: str | None = None  # YYYY-MM-DD
    speaker: str | None = None  # --speaker: whose words are judged
    remember: bool = False
    tools: bool = False  # panelists that a model speaks for are offered the tools of memory
    keep_source: bool = True
    language: str = "en"
    kind: str | None = None  # of deck, where the presenter said so


UNNAMED = "Presenter"
"""Who presents, where nobody was named."""

BREATHER_S = 10.0
"""A silence this long is the pause that would be suggested, so it ends a monologue; our own measure."""


def options_of(plain: Mapping[str, Any]) -> Options:
    """The options of a session's first record; without pydantic, which takes 0.1 s to import."""
    fields: dict[str, Any] = {
        name: tuple(value) if isinstance(value, list) else value for name, value in plain.items()
    }
    return Options(**fields)


@dataclass(frozen=True, slots=True)
class Waiting:
    """A candidate question as it stands in its file."""

    candidate: Candidate
    status: str  # ready, stale or empty
    made_at_s: float
    input_sha256: str  # of files 1 to 10, as the candidate was made from them
    intel_sha256: str
    confirmed_at_s: float | None = None  # when its panelist last kept it; None: not since it was made


@dataclass(frozen=True, slots=True)
class Playback:
    """A recording that is fed, whole, so that it can go on without its file."""

    kind: str  # "run": questions come by themselves; "feed": they come through `ask`
    name: str
    segments: tuple[Segment, ...]
    answers: tuple[Answer, ...] = ()
    offset_s: float = 0.0  # session clock at which the recording begins
    archive: str | None = None  # where a run archives at its end
    typed: bool = False  # answers are typed at the terminal while it plays


@dataclass(frozen=True, slots=True)
class Said:
    """A line of the moderator's."""

    occasion: str  # a heading of the phrase library
    text: str
    at_s: float  # session clock
    phrase: str  # as the library has it, with its slots open
    exchange: str | None = None  # which it introduces or closes
    after: int = 0  # how many exchanges had been opened


@dataclass(frozen=True, slots=True)
class SlideTime:
    """When a slide came up, on the session clock."""

    slide: int
    at_s: float
    estimated: bool


@dataclass(slots=True)
class Room:
    """The fold itself; `take` is given every record once, in order."""

    speaker: str | None = None  # --speaker: whose words are judged
    deck: Deck | None = None
    deck_claims: tuple[Claim, ...] = ()
    gaps: tuple[Gap, ...] = ()
    is_checked: bool = False  # whether contradictions were looked for: releases before 0.2 did not
    tensions: list[Tension] = field(default_factory=list)  # the deck's own, then those found in speech
    is_deck_looked_at: bool = False  # an engine was asked what contradicts what in the deck
    looked_upto: int = 0  # segments that an engine has looked through for contradictions
    look_due: str | None = None  # the occasion to look through what was said since; None: none
    look_due_upto: int = 0  # segments that there were at that occasion
    suspected: list[Tension] = field(default_factory=list)  # by a verdict, and not verified yet
    members: tuple[BoardMember, ...] = ()  # of the real board, where the presenter named them
    intel: Intel = field(default_factory=Intel)  # the last revision
    targets: dict[str, tuple[Target, ...]] = field(default_factory=dict)
    observed: list[Observation] = field(default_factory=list)
    segments: list[Segment] = field(default_factory=list)
    claims_by_speaker: dict[str | None, list[Claim]] = field(default_factory=dict)
    seconds_by_speaker: dict[str | None, float] = field(default_factory=dict)
    presenter_label: str | None = None
    presenter_how: str | None = None  # None: not settled, so whoever has spoken most so far
    slides: list[SlideTime] = field(default_factory=list)
    waiting: dict[str, Waiting] = field(default_factory=dict)
    wanted: dict[str, Candidate] = field(default_factory=dict)  # every question that stood, by its words
    exchanges: list[Exchange] = field(default_factory=list)  # closed ones
    open: Exchange | None = None
    heard: list[Segment] = field(default_factory=list)  # the presenter's, since the open question
    lines_taken: dict[str, int] = field(default_factory=dict)  # of followed files, by name
    answers_used: set[int] = field(default_factory=set)
    playback: Playback | None = None
    played: int = 0  # segments of the playback that are in the transcript
    driver: str | None = None  # what the last driver record says: run, feed or None
    clock: ClockState = field(default_factory=ClockState)
    refreshed_at_s: float = 0.0
    inputs: dict[str, str] = field(
        default_factory=dict
    )  # digest of files 5 to 10, by agent, as its candidate was last made or confirmed from
    confirmed_s: dict[str, float] = field(default_factory=dict)  # session clock: when that was, by agent
    refresh_due: bool = False
    is_to_be_thought_of: bool = False  # a question can be put now, and nobody was asked for one since
    break_due: bool = False
    section_ended: int = -1  # how many slides had been shown when the last section ended
    is_played_out: bool = False
    is_over: bool = False  # played out, and nobody has another question
    state: str = "presenting"  # of the moderator's states
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
    took_over: str | None = None  # why the offline panel sits in the model's place; None: it does not
    debrief_words: DebriefWords | None = None  # None: nobody was asked for them, or the engine failed
    debrief_failed: str | None = None  # why there are none
    ended: bool = False

    @property
    def slide(self) -> int | None:
        """The slide that is shown now."""
        return self.slides[-1].slide if self.slides else None

    @property
    def presenter(self) -> str | None:
        """The label of the speaker whose words are judged."""
        if self.presenter_how is not None:
            return self.presenter_label
        if self.speaker is not None:
            return self.speaker
        if not self.seconds_by_speaker:
            return None
        return max(self.seconds_by_speaker, key=lambda label: self.seconds_by_speaker[label])

    @property
    def speech_claims(self) -> list[Claim]:
        """The presenter's claims in speech; the list grows, so do not keep it."""
        return self.claims_by_speaker.setdefault(self.presenter, [])

    @property
    def heard_s(self) -> float:
        """How long the presenter has been answering, in seconds of speech."""
        return self.heard[-1].end_s - self.heard[0].start_s if self.heard else 0.0

    @property
    def spent_s(self) -> float:
        """Seconds that answers took; a recording waits meanwhile, so its clock does not show them."""
        return sum(exchange.spent_s for exchange in self.asked)

    @property
    def asked(self) -> list[Exchange]:
        """Every exchange in the order of asking, the open one last."""
        return [*self.exchanges, *([self.open] if self.open is not None else [])]

    @property
    def never_asked(self) -> tuple[Candidate, ...]:
        """Questions that stood at some time and were never put, in the order in which they came up."""
        return tuple(one for text, one in self.wanted.items() if text not in self.asked_questions)

    @property
    def asked_questions(self) -> frozenset[str]:
        """The first question of every exchange, as its panelist had it, without what was said before it."""
        firsts = (exchange.turns[0] for exchange in self.asked)
        return frozenset(one.question.removeprefix(one.lead_in).strip() for one in firsts)

    @property
    def asked_claims(self) -> frozenset[str]:
        """Claims that somebody has asked about."""
        return frozenset(exchange.claim for exchange in self.asked if exchange.claim is not None)

    @property
    def monologue_s(self) -> float:
        """How long the presenter has spoken without another voice or a long pause, in seconds."""
        if self.voice_from_s is None or self.voice not in (None, self.presenter):
            return 0.0
        return self.voice_until_s - self.voice_from_s

    def take(self, record: Record) -> None:
        """Fold in the next record."""
        if record.op == "freeze":
            self.ended = True
        value = record.value
        if value is None:
            if record.op == "append" and record.file == "shared/presenter-transcript.md":
                self._plain(record)
            return
        step = getattr(self, f"_{value['type']}", None)
        if step is not None:
            step(value, record)

    # Each method below folds the value type it is named after.

    def _session(self, value: Mapping[str, Any], record: Record) -> None:
        self.speaker = value["options"].get("speaker")

    def _deck(self, value: Mapping[str, Any], record: Record) -> None:
        self.deck = from_json(Deck, value["deck"])
        self.deck_claims = from_json(tuple[Claim, ...], value["claims"])
        self.gaps = from_json(tuple[Gap, ...], value["gaps"])
        self.is_checked = "tensions" in value
        self.tensions += from_json(tuple[Tension, ...], value.get("tensions", ()))
        self.claims_by_id.update((claim.id, claim) for claim in self.deck_claims)

    def _dossier(self, value: Mapping[str, Any], record: Record) -> None:
        if value.get("board"):
            self.members = from_json(tuple[BoardMember, ...], value["board"])

    def _tensions(self, value: Mapping[str, Any], record: Record) -> None:
        self.tensions += from_json(tuple[Tension, ...], value.get("tensions", ()))
        if value["upto"] >= self.look_due_upto:  # else a slide has changed since it was begun
            self.look_due = None
        self.suspected.clear()
        if "failed" not in value:  # else the same words are looked through again
            self.is_deck_looked_at = True
            self.looked_upto = value["upto"]

    def _is_look_due(self, occasion: str) -> None:
        self.look_due, self.look_due_upto = occasion, len(self.segments)

    def _intel(self, value: Mapping[str, Any], record: Record) -> None:
        self.intel = from_json(Intel, value["intel"])

    def _focus_brief(self, value: Mapping[str, Any], record: Record) -> None:
        self.targets[record.by] = from_json(tuple[Target, ...], value["targets"])

    def _plain(self, record: Record) -> None:
        """Text appended without a value counts as a segment of its own, at the clock's time."""
        text = " ".join((record.text or "").split())
        segment = Segment(text, record.clock_s, record.clock_s)
        self.segments.append(segment)
        self._voice(segment, record)

    def _segment(self, value: Mapping[str, Any], record: Record) -> None:
        segment = from_json(Segment, value["segment"])
        self._spoken(segment, value)
        self._voice(segment, record)
        self.tensions += from_json(tuple[Tension, ...], value.get("tensions", ()))
        if value.get("played") is not None:
            self.played = value["played"]
        if value.get("source") is not None:
            name, line = value["source"]
            self.lines_taken[name] = line
        if self.open is not None and segment.speaker in (None, self.presenter):
            self.heard.append(segment)

    def _answer(self, value: Mapping[str, Any], record: Record) -> None:
        segment = from_json(Segment, value["segment"])
        self._spoken(segment, {})  # what is said in an answer is judged there, and not asked about again
        if value.get("used") is not None:
            self.answers_used.add(value["used"])
        if self.open is not None:
            last = replace(self.open.turns[-1], answer=segment.text)
            spent_s = round(self.open.spent_s + segment.end_s - segment.start_s, 3)
            self.open = replace(self.open, turns=(*self.open.turns[:-1], last), spent_s=spent_s)

    def _answer_used(self, value: Mapping[str, Any], record: Record) -> None:
        self.answers_used.add(value["used"])

    def _spoken(self, segment: Segment, value: Mapping[str, Any]) -> None:
        self.segments.append(segment)
        claims = from_json(tuple[Claim, ...], value.get("claims", ()))
        self.claims_by_speaker.setdefault(segment.speaker, []).extend(claims)
        self.claims_by_id.update((claim.id, claim) for claim in claims)
        spoken_s = self.seconds_by_speaker.get(segment.speaker, 0.0)
        self.seconds_by_speaker[segment.speaker] = spoken_s + segment.end_s - segment.start_s

    def _voice(self, segment: Segment, record: Record) -> None:
        """Who speaks, and since when, on the session clock."""
        self.asked_here = False
        from_s = max(0.0, round(record.clock_s - (segment.end_s - segment.start_s), 3))
        if self.quiet_from_s is None:
            self.quiet_from_s = from_s
        goes_on = self.voice_from_s is not None and self.voice == segment.speaker
        if not goes_on or from_s - self.voice_until_s >= BREATHER_S:
            self.voice, self.voice_from_s, self.is_pause_suggested = segment.speaker, from_s, False
        self.voice_until_s = record.clock_s

    def _slide(self, value: Mapping[str, Any], record: Record) -> None:
        self.slides.append(SlideTime(value["slide"], value["at_s"], value.get("estimated", False)))
        self.refresh_due = True
        self._is_look_due("slide")
        if value.get("break"):
            self.break_due = self.is_to_be_thought_of = True
            self._is_look_due("break")

    def _section_end(self, value: Mapping[str, Any], record: Record) -> None:
        self.section_ended = value["slides"]
        self.break_due = self.refresh_due = self.is_to_be_thought_of = True
        self._is_look_due("break")

    def _candidate(self, value: Mapping[str, Any], record: Record) -> None:
        waiting = self.waiting[record.by] = from_json(Waiting, value["waiting"])
        if waiting.status == "ready":
            self.wanted.setdefault(waiting.candidate.question, waiting.candidate)

    def _call(self, value: Mapping[str, Any], record: Record) -> None:
        self.calls.append(call_of(value))

    def _refresh(self, value: Mapping[str, Any], record: Record) -> None:
        self.refreshed_at_s = value["at_s"]
        self.refresh_due = self.is_to_be_thought_of = False
        self.hands = tuple(value.get("hands", ()))
        self._looked_at(value)

    def _refreshed(self, value: Mapping[str, Any], record: Record) -> None:
        self.hands = tuple(value.get("hands", self.hands))
        self._looked_at(value)

    def _looked_at(self, value: Mapping[str, Any]) -> None:
        """Whose candidates were made or confirmed, and whose engine failed."""
        for agent, digest in value.get("inputs", {}).items():
            self.inputs[agent] = digest
            self.confirmed_s[agent] = value["at_s"]
            self.failed.pop(agent, None)
        self.failed.update(value.get("failed", {}))

    def _exchange_opened(self, value: Mapping[str, Any], record: Record) -> None:
        self.open = from_json(Exchange, value["exchange"])
        self.break_due = False
        self.asked_here = True
        self.hands = tuple(agent for agent in self.hands if agent != self.open.agent)
        self.heard.clear()

    def _answered(self, value: Mapping[str, Any], record: Record) -> None:
        if self.open is not None:
            last = replace(self.open.turns[-1], answer=value["text"])
            self.open = replace(self.open, turns=(*self.open.turns[:-1], last))
        self.heard.clear()

    def _silence(self, value: Mapping[str, Any], record: Record) -> None:
        if self.open is not None:
            last = replace(self.open.turns[-1], answer="")
            self.open = replace(self.open, turns=(*self.open.turns[:-1], last))

    def _verdict(self, value: Mapping[str, Any], record: Record) -> None:
        if self.open is not None:
            judgement = from_json(Judgement, value["judgement"])
            last = replace(
                self.open.turns[-1],
                verdict=judgement.verdict,
                reason=judgement.reason,
                quote=judgement.quote,
                still_open=judgement.still_open,
                remark=judgement.remark,
            )
            self.open = replace(self.open, turns=(*self.open.turns[:-1], last))
            if judgement.contradicts is not None:
                self.suspected.append(judgement.contradicts)

    def _follow_up(self, value: Mapping[str, Any], record: Record) -> None:
        if self.open is not None:
            turn = from_json(Turn, value["turn"])
            self.open = replace(self.open, turns=(*self.open.turns, turn))
        self.heard.clear()

    def _exchange_closed(self, value: Mapping[str, Any], record: Record) -> None:
        self.exchanges.append(from_json(Exchange, value["exchange"]))
        self.open = None
        self.quiet_from_s, self.is_prompted = record.clock_s, False
        self.voice_from_s, self.is_pause_suggested = None, False
        self._is_look_due("exchange")
        if self.is_played_out:
            self.refresh_due = self.is_to_be_thought_of = True

    def _observation(self, value: Mapping[str, Any], record: Record) -> None:
        self.observed.append(from_json(Observation, value))

    def _passed(self, value: Mapping[str, Any], record: Record) -> None:
        self.break_due = False
        if self.is_played_out:
            self.is_over = True

    def _playback(self, value: Mapping[str, Any], record: Record) -> None:
        self.playback = from_json(Playback, value["playback"])
        self.played = 0

    def _speaker(self, value: Mapping[str, Any], record: Record) -> None:
        self.presenter_label, self.presenter_how = value["label"], value["how"]

    def _state(self, value: Mapping[str, Any], record: Record) -> None:
        self.state = value["state"]

    def _time_warning(self, value: Mapping[str, Any], record: Record) -> None:
        self.warned.add(value["share"])

    def _no_question(self, value: Mapping[str, Any], record: Record) -> None:
        self.is_prompted = self.break_due = self.is_to_be_thought_of = True

    def _monologue(self, value: Mapping[str, Any], record: Record) -> None:
        self.is_pause_suggested = True

    def _phrases(self, value: Mapping[str, Any], record: Record) -> None:
        by_heading = value.get("by_heading", {})  # the first release kept none
        self.phrases = {heading: tuple(texts) for heading, texts in by_heading.items()}

    def _said(self, value: Mapping[str, Any], record: Record) -> None:
        self.said.append(from_json(Said, value))

    def _clock(self, value: Mapping[str, Any], record: Record) -> None:
        self.clock = ClockState(value["at_s"], record.at if value["live"] else None)

    def _driver(self, value: Mapping[str, Any], record: Record) -> None:
        self.driver = value["what"] if value["state"] == "started" else None

    def _played_out(self, value: Mapping[str, Any], record: Record) -> None:
        self.is_played_out = True
        self.asked_when_played_out = len(self.exchanges)
        self.refresh_due = self.is_to_be_thought_of = True
        self._is_look_due("break")

    def _took_over(self, value: Mapping[str, Any], record: Record) -> None:
        self.took_over = value["why"]

    def _debrief_words(self, value: Mapping[str, Any], record: Record) -> None:
        self.debrief_failed = value.get("failed")
        if "words" in value:
            self.debrief_words = from_json(DebriefWords, value["words"])
