"""The records of memory in a session: facts, goals, proposals, uses of tools, and what is stored at the
end.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Final, Literal

from orchestrator.core.legible import counted
from orchestrator.core.store.ledger import Record
from orchestrator.panel.model.reply import FactDraft
from orchestrator.panel.records.projection import Projection
from orchestrator.panel.records.value import ERROR, TOOL, Entry, PanelValue, Step, keeping, known

BEGAN: Final = "began"
FAILED: Final = "failed"
"""The status of a `FactRun` whose run failed."""
KeptKind = Literal["goal", "decision", "blocker"]


@dataclass(frozen=True, slots=True)
class Kept:
    """A goal, a decision or a blocker that is based on what was said."""

    kind: KeptKind
    text: str
    quote: str  # verbatim from the passage
    seq: int  # of the passage's record
    speaker: str | None = None
    exchange: str | None = None


class MemoryValue(PanelValue):
    """The value of a record of memory, which changes nothing in the projection."""

    __slots__ = ()
    NEEDED: ClassVar = False

    def fold(self, projection: Projection, record: Record) -> None:
        """Do nothing, since memory folds its own records."""


@dataclass(frozen=True, slots=True)
class FactRun(MemoryValue):
    """A note that the summariser processed a window of records, or failed on it."""

    TYPE: ClassVar = "fact-run"

    state: str  # BEGAN or FAILED
    run: int
    from_seq: int | None = None  # where it began: the first record of the window
    to_seq: int | None = None  # and the last
    why: str | None = None
    reason: str | None = None  # where it failed

    def entry(self, record: Record) -> Entry | None:
        return Entry(ERROR, f"summariser: {self.reason or ''}") if self.state == FAILED else None

    def step(self, record: Record) -> Step:
        if self.state == FAILED:
            return Step(None, errors=(f"summariser, run {self.run}: {self.reason}",))
        return Step(
            "summarise",
            f"summarises records {self.from_seq} to {self.to_seq} ({self.why})",
            "waits",
            action=known(run=self.run, why=self.why),
            output={"from": self.from_seq, "to": self.to_seq},
        )


@dataclass(frozen=True, slots=True)
class FactsKept(MemoryValue):
    """A note with the facts that a run found."""

    TYPE: ClassVar = "facts"

    run: int
    to_seq: int
    facts: tuple[FactDraft, ...]
    skipped: int = field(default_factory=int)  # known already
    refused: int = field(default_factory=int)  # that stand on nothing

    def entry(self, record: Record) -> Entry:
        return Entry(TOOL, "facts", tool="summarise", result=f"{len(self.facts)} facts")

    def step(self, record: Record) -> Step:
        count = len(self.facts)
        known_before = f"{self.skipped} known already, {self.refused} refused"
        return Step(
            "keep_facts",
            f"keeps {counted(count, 'fact')} of run {self.run} ({known_before})",
            action={"run": self.run},
            output={"facts": count, "skipped": self.skipped, "refused": self.refused},
            state={"facts_run": self.run},
        )


@dataclass(frozen=True, slots=True)
class GoalsKept(MemoryValue):
    """A note with the goals, decisions and blockers that a model read in a run's window."""

    TYPE: ClassVar = "remembered"

    run: int
    items: tuple[Kept, ...]

    def step(self, record: Record) -> Step:
        return Step(self.TYPE)


@dataclass(frozen=True, slots=True)
class MemoryProposed(MemoryValue):
    """A note with a memory that an agent proposes."""

    TYPE: ClassVar = "memory-proposal"

    memory_type: str
    content: str
    confidence: float
    tags: tuple[str, ...] = ()
    source: str | None = None

    def entry(self, record: Record) -> Entry:
        who = {"agent": record.by}
        return Entry(TOOL, self.content, metadata=who, tool="memory_write", result="proposed")

    def step(self, record: Record) -> Step:
        line = f"{record.by} proposes a memory ({self.memory_type})"
        return Step(self.TYPE, line, action={"kind": self.memory_type})


@dataclass(frozen=True, slots=True)
class ScratchpadProposed(MemoryValue):
    """A note with the page that an agent proposes in place of its scratchpad."""

    TYPE: ClassVar = "scratchpad-proposal"

    content: str

    def entry(self, record: Record) -> Entry:
        who = {"agent": record.by}
        return Entry(TOOL, self.content, metadata=who, tool="scratchpad_update", result="proposed")

    def step(self, record: Record) -> Step:
        chars = len(self.content)
        line = f"{record.by} proposes a new scratchpad of {counted(chars, 'character')}"
        return Step(self.TYPE, line, output={"characters": chars})


@dataclass(frozen=True, slots=True)
class ScratchpadsAsked(MemoryValue):
    """A note that every agent was asked for its scratchpad, once; in older sessions every panelist was."""

    TYPE: ClassVar = "scratchpads-asked"

    failed: Mapping[str, str] | None = None  # whose call failed, and why

    def step(self, record: Record) -> Step:
        return Step(self.TYPE)


@dataclass(frozen=True, slots=True)
class ToolUsed(MemoryValue):
    """A note with a tool that a model used, and how much the tool returned."""

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

    def entry(self, record: Record) -> Entry | None:
        if self.proposed:  # the proposal makes an entry of its own
            return None
        kind, result = TOOL, f"{self.chars} characters"
        if self.error:
            kind, result = ERROR, f"refused: {self.error}"
        who = {"agent": record.by}
        return Entry(kind, f"for its {self.task}", metadata=who, tool=self.tool, result=result)

    def step(self, record: Record) -> Step:
        output: dict[str, object] = {"characters": self.chars}
        if self.error:
            output["error"] = self.error
        came = self.error or counted(self.chars, "character")
        return Step(
            "use_tool",
            f"{record.by} uses {self.tool} for its {self.task.replace('_', ' ')}: {came}",
            "none",
            self.seconds,
            action={"tool": self.tool, "task": self.task},
            output=output,
            errors=(f"{record.by}: {self.tool}: {self.error}",) if self.error else (),
        )


@dataclass(frozen=True, slots=True)
class MemoriesSettled(MemoryValue):
    """A note that says which proposals became memories when the session ended."""

    TYPE: ClassVar = "settled"

    memories: tuple[str, ...] = field(default_factory=tuple)
    scratchpads: tuple[str, ...] = field(default_factory=tuple)
    left_out: int = field(default_factory=int)

    def step(self, record: Record) -> Step:
        kept = {"memories": len(self.memories), "scratchpads": len(self.scratchpads)}
        return keeping(self.TYPE, kept, self.left_out)


@dataclass(frozen=True, slots=True)
class SessionFlushed(MemoryValue):
    """A note that says what of the session was stored for later sessions."""

    TYPE: ClassVar = "flushed"

    memories: tuple[str, ...] = field(default_factory=tuple)
    goals: tuple[str, ...] = field(default_factory=tuple)
    left_out: int = field(default_factory=int)

    def step(self, record: Record) -> Step:
        kept = {"memories": len(self.memories), "goals": len(self.goals)}
        return keeping(self.TYPE, kept, self.left_out)
