"""Contradictions: what a look found, where it is noted, and what the presenter says is none."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar

from orchestrator.core.store.ledger import Record
from orchestrator.material.model.claim import Tension
from orchestrator.panel.records.base import PanelValue
from orchestrator.panel.records.projection import Projection
from orchestrator.panel.records.telling import Step
from orchestrator.panel.render import place


@dataclass(frozen=True, slots=True)
class Looked(PanelValue):
    """Note: what an engine proposed and code verified, and what was refused."""

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
    """Append to a panelist's notes: a contradiction that was found while listening."""

    TYPE: ClassVar = "finding"
    NEEDED: ClassVar = False

    tension: Tension

    def fold(self, projection: Projection, record: Record) -> None:
        """Nothing: the record of the speech or of the look has it."""

    def step(self, record: Record) -> Step:
        about = [place(one.slide, one.said_at_s) for one in (self.tension.a, self.tension.b)]
        line = f"{record.by} notes a contradiction ({self.tension.kind}): {' and '.join(about)}"
        return Step("finding", line, action={"kind": self.tension.kind}, output={"about": about})


@dataclass(frozen=True, slots=True)
class Dismissed(PanelValue):
    """Note: the presenter says that a contradiction is none."""

    TYPE: ClassVar = "dismissed"

    finding: str
    digest: str

    def fold(self, projection: Projection, record: Record) -> None:
        projection.dismissed.add(self.digest)

    def step(self, record: Record) -> Step:
        return Step(self.TYPE)
