"""Candidate questions: what stands in their files, and the rounds in which they are made anew."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import ClassVar

from orchestrator.core.store.ledger import Record
from orchestrator.panel.records.base import PanelValue
from orchestrator.panel.records.projection import Projection, Waiting
from orchestrator.panel.records.telling import ERROR, Entry, Step


@dataclass(frozen=True, slots=True)
class CandidateWritten(PanelValue):
    """Replace of a candidate question: it, and what it was made from."""

    TYPE: ClassVar = "candidate"

    waiting: Waiting

    def fold(self, projection: Projection, record: Record) -> None:
        projection.waiting[record.by] = self.waiting
        if self.waiting.status == "ready":
            candidate = self.waiting.candidate
            projection.wanted.setdefault(candidate.question, candidate)


@dataclass(frozen=True, slots=True)
class RoundMade(PanelValue):
    """Note: when the candidates were last looked at, why, and whose hands are up."""

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
    """Note: what came of one panelist's call that the round did not wait for."""

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
