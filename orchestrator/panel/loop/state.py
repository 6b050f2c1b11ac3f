"""All that the next step of a rehearsal depends on, at one moment: projection, rules and clock."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from orchestrator.panel.records.options import Options
from orchestrator.panel.records.projection import Projection

if TYPE_CHECKING:  # only named here: whoever makes one imports it
    from orchestrator.panel.personas.orchestration import Orchestration, Phrases


@dataclass(frozen=True, slots=True)
class Live:
    """What only the process that drives live speech knows, at one moment."""

    silent_s: float  # since somebody last spoke, as long as this process was there
    is_asking: bool = False  # panelists' calls are under way
    is_looking: bool = False  # a look for contradictions is under way
    is_judging: bool = False  # a verdict is under way
    owes_verdict: bool = False  # the answer that was given is this process's to have judged
    waited_s: float = 0.0  # session clock: how long a break has waited for questions
    is_over: bool = False  # no more speech comes

    @property
    def is_waiting(self) -> bool:
        """Whether any call is under way."""
        return self.is_asking or self.is_looking or self.is_judging


@dataclass(frozen=True, slots=True)
class State:
    """All that the next step depends on, at one moment. The projection is the live one: it is only read."""

    projection: Projection
    options: Options
    rules: Orchestration
    library: Phrases  # all that the moderator may say; the projection has this session's choice of it
    now_s: float  # session clock
    has_model: bool  # a call takes time and may cost money, so nobody is asked without need
    hears_contradictions: bool = False  # there is something to look through, and somebody who can
    pauses: Mapping[int, float] = field(default_factory=dict)  # of the recording (`pauses_in`)
    live: Live | None = None  # None: a recording, or nothing, is being played

    @property
    def used_s(self) -> float:
        """How much of the time is used up."""
        return sum(self.projection.times(self.now_s))

    @property
    def left(self) -> int:
        """How many exchanges may still be opened."""
        return self.options.exchanges - self.projection.opened

    @property
    def is_full(self) -> bool:
        """The exchanges of this session are used up."""
        return self.left <= 0
