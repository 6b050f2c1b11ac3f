"""The records of a session's course: the moderator, time, engines, and the driving process."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, ClassVar, Self

from orchestrator.core.clock import ClockState
from orchestrator.core.store.ledger import Bearing, Record
from orchestrator.core.values import from_json, to_json
from orchestrator.panel.model.reply import DebriefWords
from orchestrator.panel.model.usage import CallUsage
from orchestrator.panel.records.projection import PartFailure, Projection, Said
from orchestrator.panel.records.value import (
    AGENT,
    ERROR,
    NOTE,
    Entry,
    PanelValue,
    Step,
    Timing,
    counted_each,
    known,
    reminding,
)

NOBODY_THERE = "nobody there"
"""The reason recorded for stopping a clock if no page of the room was open and no words came."""


@dataclass(frozen=True, slots=True)
class StateShown(PanelValue):
    """A new text of session-state.md: the moderator's state."""

    TYPE: ClassVar = "state"

    state: str
    at_s: float | None = None  # session clock: when; None: in sessions of earlier releases

    def fold(self, projection: Projection, record: Record) -> None:
        projection.state = self.state
        projection.state_shown_s = self.at_s or 0.0

    def step(self, record: Record) -> Step:
        goal = {"current_goal": "close the session"} if self.state == "closing" else {}
        return Step(None, state={"state": self.state, **goal})


@dataclass(frozen=True, slots=True)
class LineSaid(PanelValue):
    """A line appended to generated-phrases: a line that the moderator said, with its occasion."""

    TYPE: ClassVar = "said"

    said: Said

    def plain(self) -> dict[str, Any]:
        return {"type": self.TYPE, **to_json(self.said)}

    @classmethod
    def read(cls, plain: Mapping[str, Any]) -> Self:
        return cls(from_json(Said, plain))

    @property
    def bearing(self) -> Bearing:
        return Bearing(is_answer=False)

    def fold(self, projection: Projection, record: Record) -> None:
        projection.said.append(self.said)

    def entry(self, record: Record) -> Entry:
        about = {"agent": record.by, "exchange": self.said.exchange}
        return Entry(AGENT, self.said.text, metadata=about)

    def step(self, record: Record) -> Step:
        said = self.said
        about = known(occasion=said.occasion, exchange=said.exchange)
        return Step("say", f"says ({said.occasion})", "waits", action=about, output={"text": said.text})


@dataclass(frozen=True, slots=True)
class TimeWarned(PanelValue):
    """A line appended to the debrief notes: a share of the time budget is used up."""

    TYPE: ClassVar = "time_warning"

    share: float

    def fold(self, projection: Projection, record: Record) -> None:
        projection.warned.add(self.share)

    def step(self, record: Record) -> Step:
        return reminding(self.TYPE, self.share)


@dataclass(frozen=True, slots=True)
class NoQuestion(PanelValue):
    """A line appended to the debrief notes: nobody has asked for a while."""

    TYPE: ClassVar = "no_question"
    NEEDED: ClassVar = False

    since_s: float

    def fold(self, projection: Projection, record: Record) -> None:
        projection.is_prompted = projection.break_due = projection.is_to_be_thought_of = True

    def step(self, record: Record) -> Step:
        return reminding(self.TYPE)


@dataclass(frozen=True, slots=True)
class QuestionsWanted(PanelValue):
    """A note that the presenter asks for a question now, at any point of the talk."""

    TYPE: ClassVar = "questions_now"
    NEEDED: ClassVar = False

    def fold(self, projection: Projection, record: Record) -> None:
        projection.break_due = projection.is_question_wanted = True
        projection.refresh_due = projection.is_to_be_thought_of = True

    def entry(self, record: Record) -> Entry:
        return Entry(NOTE, "the presenter asks for questions")

    def step(self, record: Record) -> Step:
        return Step(self.TYPE, "the presenter asks for questions", "none")


@dataclass(frozen=True, slots=True)
class Monologue(PanelValue):
    """A line appended to the debrief notes: one voice has spoken for so long that a pause is due."""

    TYPE: ClassVar = "monologue"
    NEEDED: ClassVar = False

    seconds: float

    def fold(self, projection: Projection, record: Record) -> None:
        projection.is_pause_suggested = True

    def step(self, record: Record) -> Step:
        return reminding(self.TYPE)


@dataclass(frozen=True, slots=True)
class ClockSet(PanelValue):
    """A note that the session clock was set, and whether it runs."""

    TYPE: ClassVar = "clock"

    at_s: float
    live: bool
    why: str | None = None  # NOBODY_THERE, where nobody stopped it; None: somebody did, or it runs

    def fold(self, projection: Projection, record: Record) -> None:
        projection.clock = ClockState(self.at_s, record.at if self.live else None)
        projection.why_stopped = self.why

    def step(self, record: Record) -> Step:
        line = f"the clock {'runs' if self.live else 'stands'}"
        return Step("clock", line, "none", action={"live": self.live})


@dataclass(frozen=True, slots=True)
class Driving(PanelValue):
    """A note that a process began or stopped to drive the session."""

    TYPE: ClassVar = "driver"

    state: str  # started or stopped
    what: str  # run, feed, resume
    worker: str | None = None  # of a cluster, by its name; None: there is no cluster

    def fold(self, projection: Projection, record: Record) -> None:
        if self.state == "started" and self.worker is not None:
            projection.drive_by(self.worker)
        projection.driver = self.what if self.state == "started" else None

    def step(self, record: Record) -> Step:
        about = {"state": self.state, "what": self.what}
        if self.worker is not None:
            about["worker"] = self.worker
        timing: Timing = "none" if self.state == "started" else "since"  # nobody worked before it
        return Step("drive", f"{self.what} {self.state}", timing, action=about)


@dataclass(frozen=True, slots=True)
class Called(PanelValue):
    """A note with the usage of one call to a model."""

    TYPE: ClassVar = "call"

    usage: CallUsage

    def plain(self) -> dict[str, Any]:
        return {"type": self.TYPE, **asdict(self.usage), "alarm": self.usage.alarm}

    @classmethod
    def read(cls, plain: Mapping[str, Any]) -> Self:
        return cls(from_json(CallUsage, plain))

    def fold(self, projection: Projection, record: Record) -> None:
        projection.calls.append(self.usage)

    def step(self, record: Record) -> Step:
        one = self.usage
        output: dict[str, object] = {
            "model": one.model,
            "read": one.read,
            "written": one.written,
            "new": one.new,
            "output": one.output,
            "cost_usd": one.cost_usd,
            "alarm": one.alarm,
        }
        line = f"{one.agent} called the model for {one.kind}"
        about = {"agent": one.agent, "kind": one.kind}
        return Step("call", line, "none", one.seconds, action=about, output=output)


@dataclass(frozen=True, slots=True)
class TookOver(PanelValue):
    """A note that no call to the model ever succeeded, so that the offline panel took over."""

    TYPE: ClassVar = "took_over"

    why: str

    def fold(self, projection: Projection, record: Record) -> None:
        projection.took_over = self.why

    def step(self, record: Record) -> Step:
        return Step(self.TYPE)


@dataclass(frozen=True, slots=True)
class PartFailed(PanelValue):
    """A note that a part of memory failed, and that the rehearsal went on without it."""

    TYPE: ClassVar = "warning"

    part: str | None = None  # None: releases before 0.2 let other programs write notes of this name
    reason: str | None = None

    def fold(self, projection: Projection, record: Record) -> None:
        if self.part is not None and self.reason is not None:
            projection.failures.append(PartFailure(self.part, self.reason))

    def entry(self, record: Record) -> Entry:
        return Entry(ERROR, f"{self.part or ''}: {self.reason or ''}")

    def step(self, record: Record) -> Step:
        if self.part is None or self.reason is None:  # another program's
            return Step(self.TYPE)
        return Step(None, errors=(f"{self.part}: {self.reason}",))


@dataclass(frozen=True, slots=True)
class DebriefAnswered(PanelValue):
    """A note with everything in the debrief that cannot be computed, or the reason why it is missing."""

    TYPE: ClassVar = "debrief_words"

    words: DebriefWords | None = None
    failed: str | None = None

    def fold(self, projection: Projection, record: Record) -> None:
        projection.debrief_failed = self.failed
        if self.words is not None:
            projection.debrief_words = self.words

    def step(self, record: Record) -> Step:
        return Step(self.TYPE)


@dataclass(frozen=True, slots=True)
class Frozen(PanelValue):
    """The last record of a session: digests of every file, and of the home's templates as they were then."""

    TYPE: ClassVar = "freeze"
    NEEDED: ClassVar = False

    files: Mapping[str, str]
    # One that could not be read has the reason in its place.
    templates: Mapping[str, str] = field(default_factory=dict)

    def fold(self, projection: Projection, record: Record) -> None:
        """Do nothing, since the record's operation already says that the session has ended."""

    def step(self, record: Record) -> Step:
        sealed = {"files": len(self.files)}
        return Step(
            "end",
            f"ends: {counted_each(sealed)} sealed",
            output=sealed,
            state={"state": "ended", "current_goal": None},
        )
