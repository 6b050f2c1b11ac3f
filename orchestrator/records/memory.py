"""What memory leaves in a session: facts, goals, proposals, uses of tools, and what was kept at the end."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal

from orchestrator.model.fact import FactDraft
from orchestrator.records.base import PanelValue
from orchestrator.records.projection import Projection
from orchestrator.store.ledger import Record

KeptKind = Literal["goal", "decision", "blocker"]


@dataclass(frozen=True, slots=True)
class Kept:
    """A goal, a decision or a blocker that stands on what was said."""

    kind: KeptKind
    text: str
    quote: str  # verbatim from the passage
    seq: int  # of the passage's record
    speaker: str | None = None
    exchange: str | None = None


class MemoryValue(PanelValue):
    """A record of memory's: it changes nothing in the projection."""

    __slots__ = ()

    def fold(self, projection: Projection, record: Record) -> None:
        """Nothing: memory folds its own records."""


@dataclass(frozen=True, slots=True)
class FactRun(MemoryValue):
    """Note: the summariser took a window of records, or failed on one."""

    TYPE: ClassVar = "fact-run"

    state: str  # began or failed
    run: int
    from_seq: int | None = None  # where it began: the first record of the window
    to_seq: int | None = None  # and the last
    why: str | None = None
    reason: str | None = None  # where it failed


@dataclass(frozen=True, slots=True)
class FactsKept(MemoryValue):
    """Note: the facts that a run found."""

    TYPE: ClassVar = "facts"

    run: int
    to_seq: int
    facts: tuple[FactDraft, ...]
    skipped: int = field(default_factory=int)  # known already
    refused: int = field(default_factory=int)  # that stand on nothing


@dataclass(frozen=True, slots=True)
class GoalsKept(MemoryValue):
    """Note: goals, decisions and blockers that a model read in a run's window."""

    TYPE: ClassVar = "remembered"

    run: int
    items: tuple[Kept, ...]


@dataclass(frozen=True, slots=True)
class MemoryProposed(MemoryValue):
    """Note: a memory that an agent proposes."""

    TYPE: ClassVar = "memory-proposal"

    memory_type: str
    content: str
    confidence: float
    tags: tuple[str, ...] = ()
    source: str | None = None


@dataclass(frozen=True, slots=True)
class ScratchpadProposed(MemoryValue):
    """Note: the page that an agent proposes in place of its scratchpad."""

    TYPE: ClassVar = "scratchpad-proposal"

    content: str


@dataclass(frozen=True, slots=True)
class ScratchpadsAsked(MemoryValue):
    """Note: every panelist was asked for its scratchpad, once."""

    TYPE: ClassVar = "scratchpads-asked"

    failed: Mapping[str, str] | None = None  # whose call failed, and why


@dataclass(frozen=True, slots=True)
class ToolUsed(MemoryValue):
    """Note: a tool that a model used, and how much it gave."""

    TYPE: ClassVar = "tool-use"

    task: str
    receipt: str
    tool: str
    arguments: Mapping[str, Any]  # as the model gave them
    as_of: int | None = None  # the record up to which the session was read
    proposed: bool = False  # a proposal came of it
    seconds: float | None = None
    chars: int = field(default_factory=int)
    result: Mapping[str, Any] | None = None  # what a tool of memory gave
    error: str | None = None


@dataclass(frozen=True, slots=True)
class MemoriesSettled(MemoryValue):
    """Note: which proposals became memories when the session ended."""

    TYPE: ClassVar = "settled"

    memories: tuple[str, ...] = field(default_factory=tuple)
    scratchpads: tuple[str, ...] = field(default_factory=tuple)
    left_out: int = field(default_factory=int)


@dataclass(frozen=True, slots=True)
class SessionFlushed(MemoryValue):
    """Note: what of the session was kept for later ones."""

    TYPE: ClassVar = "flushed"

    memories: tuple[str, ...] = field(default_factory=tuple)
    goals: tuple[str, ...] = field(default_factory=tuple)
    left_out: int = field(default_factory=int)
