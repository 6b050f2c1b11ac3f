"""The records of questions: asked, judged, asked again and closed, with a panelist's notes about them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Self

from orchestrator.core.legible import counted, one_line
from orchestrator.core.store.ledger import Bearing, Held, Record
from orchestrator.core.values import from_json, to_json
from orchestrator.material.claim import Tension
from orchestrator.panel.model.exchange import (
    NO_JUDGEMENT,
    Exchange,
    Judgement,
    Observation,
    PersonVerdict,
    Turn,
)
from orchestrator.panel.model.reply import EXCHANGE, Passage
from orchestrator.panel.records.projection import Projection, Waiting, with_question, with_verdict
from orchestrator.panel.records.value import AGENT, ERROR, NOTE, Entry, PanelValue, Step, day_of, place_of
from orchestrator.panel.render import place

# ---------------------------------------------------------------------- candidates
# Candidate questions: what stands in their files, and the rounds in which they are made anew.


@dataclass(frozen=True, slots=True)
class CandidateWritten(PanelValue):
    """A new text of a candidate question's file: the question, and what it was made from."""

    TYPE: ClassVar = "candidate"

    waiting: Waiting

    def fold(self, projection: Projection, record: Record) -> None:
        projection.waiting[record.by] = self.waiting
        if self.waiting.status == "ready":
            candidate = self.waiting.candidate
            projection.wanted.setdefault(candidate.question, candidate)


@dataclass(frozen=True, slots=True)
class RoundMade(PanelValue):
    """A note that says when the candidates were last examined, why, and whose hands are up."""

    TYPE: ClassVar = "refresh"

    at_s: float
    why: str
    made: tuple[str, ...] = field(default_factory=tuple)  # whose files were written
    inputs: Mapping[str, str] = field(default_factory=dict)  # digests of files 5 to 10, of made and confirmed
    waits: tuple[str, ...] = ()  # whose calls are under way
    given_up: tuple[str, ...] = ()  # whose calls gave way to newer ones
    left_out: tuple[str, ...] = ()
    failed: Mapping[str, str] | None = None  # whose engine failed, and why
    hands: tuple[str, ...] | None = None  # None: nobody's is up
    confirmed: Mapping[str, str] | None = None  # whose question a model kept, and what bore on it then

    def fold(self, projection: Projection, record: Record) -> None:
        projection.refreshed_at_s = self.at_s
        projection.refresh_due = projection.is_to_be_thought_of = False
        projection.hands = self.hands or ()
        _confirm(projection, self.at_s, self.inputs, self.failed)
        _keep(projection, self.at_s, self.confirmed)

    def entry(self, record: Record) -> Entry | None:
        if not self.failed:
            return None
        return Entry(ERROR, "; ".join(f"{agent}: {why}" for agent, why in self.failed.items()))

    def step(self, record: Record) -> Step:
        failed, hands = self.failed or {}, self.hands or ()
        line = f"looks at the candidate questions ({self.why}); new: {', '.join(self.made) or 'nobody'}"
        output: dict[str, object] = {"questions": dict.fromkeys(self.made)}  # they stand in their own records
        if hands:
            output["hands"] = list(hands)
            line += f"; hands up: {', '.join(hands)}"
        if failed:
            output["failed"] = sorted(failed)
            line += f"; failed: {', '.join(sorted(failed))}"
        errors = tuple(f"{agent}: no candidate question: {why}" for agent, why in failed.items())
        return Step("refresh", line, "waits", action={"why": self.why}, output=output, errors=errors)


@dataclass(frozen=True, slots=True)
class CallTaken(PanelValue):
    """A note with the result of one panelist's call for which the round did not wait."""

    TYPE: ClassVar = "refreshed"
    NEEDED: ClassVar = False

    agent: str
    at_s: float
    dropped: str | None = None  # why it was not written
    made: bool | None = None  # whether its file was written; None: it was dropped
    inputs: Mapping[str, str] | None = None  # as of a round
    hands: tuple[str, ...] | None = None  # None: as they were
    failed: Mapping[str, str] | None = None  # why its engine failed, by its agent
    confirmed: Mapping[str, str] | None = None  # as of a round

    def fold(self, projection: Projection, record: Record) -> None:
        if self.hands is not None:
            projection.hands = self.hands
        _confirm(projection, self.at_s, self.inputs or {}, self.failed)
        _keep(projection, self.at_s, self.confirmed)

    def step(self, record: Record) -> Step:
        return Step(self.TYPE)


def _keep(projection: Projection, at_s: float, confirmed: Mapping[str, str] | None) -> None:
    for agent, bears in (confirmed or {}).items():
        if (waiting := projection.waiting.get(agent)) is not None:
            projection.waiting[agent] = replace(waiting, confirmed_at_s=at_s, bears_sha256=bears)


def _confirm(
    projection: Projection, at_s: float, inputs: Mapping[str, str], failed: Mapping[str, str] | None
) -> None:
    for agent, digest in inputs.items():
        projection.inputs[agent] = digest
        projection.confirmed_s[agent] = at_s
        projection.failed.pop(agent, None)
    projection.failed.update(failed or {})


# ---------------------------------------------------------------------- contradictions
# Contradictions: what a look found, where it is noted, and what the presenter says is none.


@dataclass(frozen=True, slots=True)
class Looked(PanelValue):
    """A note about a look for contradictions: what an engine proposed and code verified, and what was
    refused.
    """

    TYPE: ClassVar = "tensions"

    asked: str  # the occasion
    by: str  # the engine's name
    tensions: tuple[Tension, ...] = field(default_factory=tuple)
    proposed: int = field(default_factory=int)
    refused: Mapping[str, int] = field(default_factory=dict)  # by the reason
    upto: int = field(default_factory=int)  # segments that there were
    failed: str | None = None  # why some of it was not done

    def fold(self, projection: Projection, record: Record) -> None:
        projection.find(self.tensions)
        if self.upto >= projection.look_due_upto:  # else a slide has changed since it was begun
            projection.look_due = None
        projection.suspected.clear()
        if self.failed is None:  # else the same words are looked through again
            projection.is_deck_looked_at = True
            projection.looked_upto = self.upto

    def step(self, record: Record) -> Step:
        return Step(self.TYPE)


@dataclass(frozen=True, slots=True)
class FindingNoted(PanelValue):
    """A line appended to a panelist's notes: a contradiction that was found while listening."""

    TYPE: ClassVar = "finding"
    NEEDED: ClassVar = False

    tension: Tension

    def fold(self, projection: Projection, record: Record) -> None:
        """Do nothing, since the record of the speech or of the look contains the contradiction."""

    def step(self, record: Record) -> Step:
        about = [place(one.slide, one.said_at_s) for one in (self.tension.a, self.tension.b)]
        line = f"{record.by} notes a contradiction ({self.tension.kind}): {' and '.join(about)}"
        return Step("finding", line, action={"kind": self.tension.kind}, output={"about": about})


@dataclass(frozen=True, slots=True)
class Dismissed(PanelValue):
    """A note that the presenter dismisses a contradiction."""

    TYPE: ClassVar = "dismissed"

    finding: str
    digest: str

    def fold(self, projection: Projection, record: Record) -> None:
        projection.dismissed.add(self.digest)

    def step(self, record: Record) -> Step:
        return Step(self.TYPE)


# ---------------------------------------------------------------------- exchanges


@dataclass(frozen=True, slots=True)
class ExchangeOpened(PanelValue):
    """A note with a new exchange and its first question."""

    TYPE: ClassVar = "exchange_opened"

    exchange: Exchange

    @property
    def bearing(self) -> Bearing:
        return Bearing(self.exchange.id, opens=True)

    def fold(self, projection: Projection, record: Record) -> None:
        projection.open = self.exchange
        projection.put(self.exchange.asked_at_s)
        projection.last_exchange += 1
        projection.no_break()
        projection.asked_here = True
        projection.hands = tuple(agent for agent in projection.hands if agent != self.exchange.agent)
        projection.heard.clear()

    def entry(self, record: Record) -> Entry:
        one, question = self.exchange, self.exchange.turns[-1].question
        about = {"agent": one.agent, "exchange": one.id}
        return Entry(AGENT, question, quoting=f"{one.quote or ''}\n{question}", metadata=about)

    def step(self, record: Record) -> Step:
        one, about = self.exchange, place_of(self.exchange)
        return Step(
            "call_on",
            f"calls on {one.agent} ({one.id}) because: {one.why_this_agent}; asked about {about}",
            "waits",
            action={"agent": one.agent, "exchange": one.id, "why": one.why_this_agent},
            output={"question": one.turns[-1].question, "about": about},
            state={"exchange": one.id, "current_goal": f"have {one.agent}'s question {one.id} answered"},
        )


@dataclass(frozen=True, slots=True)
class VerdictGiven(PanelValue):
    """A note with the judgement of the last answer."""

    TYPE: ClassVar = "verdict"
    NEEDED: ClassVar = False

    exchange: str
    judgement: Judgement

    @classmethod
    def word_in(cls, held: Held) -> object:
        """Return the verdict in a value of this type, whatever the value's shape, or None if it has no
        verdict.
        """
        judgement = held.fields.get("judgement")
        return judgement.get("verdict") if isinstance(judgement, Mapping) else None

    @property
    def bearing(self) -> Bearing:
        return Bearing(self.exchange, is_answer=True)

    def fold(self, projection: Projection, record: Record) -> None:
        if projection.open is not None:
            projection.open = with_verdict(projection.open, self.judgement)
            if self.judgement.contradicts is not None:
                projection.suspected.append(self.judgement.contradicts)
            projection.named = self.judgement.contradicts

    def entry(self, record: Record) -> Entry:
        one = self.judgement
        return Entry(
            NOTE,
            f"{one.verdict}: {one.reason}",
            quoting=f"{one.reason}\n{one.quote or ''}",
            metadata={"agent": record.by, "exchange": self.exchange},
        )

    def step(self, record: Record) -> Step:
        one = self.judgement
        output: dict[str, object] = {"verdict": one.verdict, "reason": one.reason}
        if one.missing:
            output["missing"] = list(one.missing)
        failed = one.reason.startswith(NO_JUDGEMENT)
        return Step(
            "judge",
            f"{record.by} judges {self.exchange}: {one.verdict}: {one.reason}",
            action={"exchange": self.exchange},
            output=output,
            errors=(f"{record.by}: {one.reason}",) if failed else (),
        )


@dataclass(frozen=True, slots=True)
class AnswerJudged(PanelValue):
    """A note with a person's verdict on an answer; the panel's verdict stays, and the loop does not react."""

    TYPE: ClassVar = "answer_judged"
    NEEDED: ClassVar = False

    exchange: str
    turn: int  # whose answer it is, from 1
    verdict: str | None  # of PERSON_VERDICTS; None: what was said before is taken back
    who: str
    note: str = ""

    @property
    def bearing(self) -> Bearing:
        return Bearing(self.exchange, is_answer=True)

    def fold(self, projection: Projection, record: Record) -> None:
        projection.persons[self.exchange, self.turn] = self.said(record)

    def said(self, record: Record) -> PersonVerdict:
        """Return the person's verdict, with the time of its record."""
        return PersonVerdict(self.exchange, self.turn, self.verdict, self.who, record.at, self.note)

    def entry(self, record: Record) -> Entry:
        return Entry(NOTE, self._told, quoting=self.note, metadata={"exchange": self.exchange})

    def step(self, record: Record) -> Step:
        output = {"verdict": self.verdict, "by": self.who}
        about = {"exchange": self.exchange, "turn": self.turn}
        return Step("judge_as_person", self._told, "none", action=about, output=output)

    @property
    def _told(self) -> str:
        said = f"says {self.verdict}" if self.verdict else "takes back what was said"
        return f"{self.who} {said} of the answer to {self.exchange}"


@dataclass(frozen=True, slots=True)
class VerdictNoted(PanelValue):
    """A line appended to the exchange history: a person's verdict on an answer in it.

    It closes no exchange.
    """

    TYPE: ClassVar = "verdict_noted"
    NEEDED: ClassVar = False

    exchange: str
    turn: int  # whose answer it is, from 1

    def fold(self, projection: Projection, record: Record) -> None:
        """Do nothing, since `AnswerJudged`, a note in the same transaction, contains the verdict."""

    def step(self, record: Record) -> Step:
        return Step(None)


@dataclass(frozen=True, slots=True)
class FollowedUp(PanelValue):
    """A note with the next question of the open exchange."""

    TYPE: ClassVar = "follow_up"
    NEEDED: ClassVar = False

    exchange: str
    turn: Turn

    @property
    def bearing(self) -> Bearing:
        return Bearing(self.exchange, is_answer=True)

    def fold(self, projection: Projection, record: Record) -> None:
        if projection.open is not None:
            projection.open = with_question(projection.open, self.turn)
            if projection.named is not None:
                projection.pressed.append((projection.open.id, projection.named))
        projection.put(record.clock_s)
        projection.heard.clear()

    def entry(self, record: Record) -> Entry:
        return Entry(AGENT, self.turn.question, metadata={"agent": record.by, "exchange": self.exchange})

    def step(self, record: Record) -> Step:
        return Step(
            "follow_up",
            f"asks again in {self.exchange}",
            action={"exchange": self.exchange},
            output={"question": self.turn.question},
        )


@dataclass(frozen=True, slots=True)
class PutAgain(PanelValue):
    """A note that the question that gave way to the talk waits for its answer again."""

    TYPE: ClassVar = "put_again"

    exchange: str

    @property
    def bearing(self) -> Bearing:
        return Bearing(self.exchange, opens=True)

    def fold(self, projection: Projection, record: Record) -> None:
        if projection.open is not None and len(projection.open.turns) == 1:
            projection.open = replace(projection.open, asked_at_s=record.clock_s)  # the talk was between
        projection.put(record.clock_s)
        projection.no_break()
        projection.asked_here = True

    def step(self, record: Record) -> Step:
        return Step(
            "put_again", f"puts the question {self.exchange} again", action={"exchange": self.exchange}
        )


@dataclass(frozen=True, slots=True)
class ExchangeClosed(PanelValue):
    """A text appended to the exchange history: the whole exchange."""

    TYPE: ClassVar = "exchange_closed"

    exchange: Exchange
    new_numbers: tuple[str, ...] | None = None  # that came up in it; None: the first release kept none

    @property
    def bearing(self) -> Bearing:
        return Bearing(self.exchange.id, closes=True)

    def fold(self, projection: Projection, record: Record) -> None:
        closed = self.exchange
        projection.exchanges.append(closed)
        gave_way = projection.gave_way_s is not None
        projection.open_s[closed.id] = 0.0 if gave_way else max(0.0, record.clock_s - closed.asked_at_s)
        projection.open = None
        projection.heard.clear()
        projection.quiet_from_s, projection.is_prompted = record.clock_s, False
        projection.voice_from_s, projection.is_pause_suggested = None, False
        projection.look_is_due("exchange")
        if projection.is_brought_due:  # another one for the same slide
            projection.break_due = True
        if projection.is_played_out:
            projection.refresh_due = projection.is_to_be_thought_of = True

    def entry(self, record: Record) -> Entry:
        one = self.exchange
        return Entry(NOTE, f"{one.id} closed: {one.outcome or ''}", quoting="", metadata={"exchange": one.id})

    def passage(self, record: Record) -> Passage:
        one = self.exchange
        questions = (one_line(turn.question.removeprefix(turn.lead_in)) for turn in one.turns)
        return Passage(
            record.seq,
            EXCHANGE,
            "\n".join(questions),  # without what the moderator said before them
            day_of(record),
            speaker=one.agent,
            said_at_s=one.asked_at_s,
            slide=one.slide,
            exchange=one.id,
            outcome=one.outcome,
            comes_back_to=one.comes_back_to,
        )

    def step(self, record: Record) -> Step:
        one, outcome = self.exchange, self.exchange.outcome or ""
        turns = counted(len(one.turns), "turn")
        return Step(
            "close",
            f"{one.id} ends: {outcome}",
            action={"agent": one.agent, "exchange": one.id},
            output={"outcome": one.outcome, "turns": len(one.turns)},
            state={"exchange": None, "current_goal": "listen"},
            summary=f"{one.id}, {one.agent} on {place_of(one)}: {outcome} after {turns}",
        )


@dataclass(frozen=True, slots=True)
class Observed(PanelValue):
    """A line appended to a presenter profile: what a panelist noticed."""

    TYPE: ClassVar = "observation"

    observation: Observation

    def plain(self) -> dict[str, Any]:
        return {"type": self.TYPE, **to_json(self.observation)}

    @classmethod
    def read(cls, plain: Mapping[str, Any]) -> Self:
        return cls(from_json(Observation, plain))

    @property
    def bearing(self) -> Bearing:
        return Bearing(is_answer=True)

    def fold(self, projection: Projection, record: Record) -> None:
        projection.observed.append(self.observation)

    def entry(self, record: Record) -> Entry:
        noticed = self.observation
        quoting = f"{noticed.text}\n{noticed.quote or ''}"
        return Entry(NOTE, noticed.text, quoting=quoting, metadata={"agent": record.by})

    def step(self, record: Record) -> Step:
        line = f"{record.by} notes how the presenter answers"
        return Step("observe", line, output={"text": self.observation.text})


@dataclass(frozen=True, slots=True)
class ProfileAdded(PanelValue):
    """A text appended to a presenter profile: how a closed exchange was answered."""

    TYPE: ClassVar = "profile"
    NEEDED: ClassVar = False

    exchange: str

    @property
    def bearing(self) -> Bearing:
        return Bearing(self.exchange)

    def fold(self, projection: Projection, record: Record) -> None:
        """Do nothing, since the exchange itself contains the answer."""


@dataclass(frozen=True, slots=True)
class NoteAdded(PanelValue):
    """A text appended to a panelist's notes, about a turn of an exchange or a dismissed contradiction."""

    TYPE: ClassVar = "notes"

    exchange: str | None = None

    @property
    def bearing(self) -> Bearing:
        return Bearing(self.exchange)

    def fold(self, projection: Projection, record: Record) -> None:
        """Do nothing, since the text is only for the panelist."""


@dataclass(frozen=True, slots=True)
class LeftOut(PanelValue):
    """A note that an engine's result was wanted and did not come."""

    TYPE: ClassVar = "left_out"
    NEEDED: ClassVar = False

    what: str
    exchange: str
    why: str

    def fold(self, projection: Projection, record: Record) -> None:
        """Do nothing, since the exchange stays as it is."""

    def step(self, record: Record) -> Step:
        return Step(self.TYPE)


@dataclass(frozen=True, slots=True)
class NobodyAsked(PanelValue):
    """A note that nobody had a question at a break or at the end."""

    TYPE: ClassVar = "passed"
    NEEDED: ClassVar = False

    why: str

    def fold(self, projection: Projection, record: Record) -> None:
        projection.no_break()
        projection.is_over = projection.is_over or projection.is_played_out

    def step(self, record: Record) -> Step:
        return Step("pass", f"calls on nobody: {self.why}", "waits", action={"why": self.why})
