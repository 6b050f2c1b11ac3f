"""The carry-over from earlier sessions: read once, when a session starts, and kept in its first record.

It is no file and never touches a template. Each agent's text enters its context as one extra
block after its files; what was left open before is also there as values, for an engine that
works on values. Without the presenter's consent there is nothing to carry.

Source: DESIGN.md, section 9.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from orchestrator.panel.model.exchange import Exchange

# ---------------------------------------------------------------------- carryover


@dataclass(frozen=True, slots=True)
class OpenPoint:
    """A question of an earlier rehearsal that was not answered satisfactorily."""

    session: str
    exchange: str  # its id there
    agent: str
    quote: str  # verbatim from the deck or the speech of then; "" where the question is about the whole
    question: str
    outcome: str  # unresolved, parked or unjudged
    asked_on: str  # day of that rehearsal, YYYY-MM-DD
    says: str = ""  # the person whose verdict the outcome is, with the panel's if another; "": the panel's


@dataclass(frozen=True, slots=True)
class CarryOver:
    """Everything that one session carries."""

    texts: Mapping[str, str] = field(default_factory=dict)  # by agent; Markdown
    open_points: tuple[OpenPoint, ...] = field(default_factory=tuple)
    # Of contradictions that the presenter said are none: each one's `Tension.digest`.
    dismissed: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.texts or self.open_points or self.dismissed)


NOTHING = CarryOver()


# ---------------------------------------------------------------------- drill
# A drill's origin: the question of an earlier session that it puts again, kept in its first record.


@dataclass(frozen=True, slots=True)
class Drilled:
    """One question of an earlier session."""

    session: str
    exchange: str  # its id there
    before: Exchange | None = None
    """How it went there, without what was off the record: only shown. None: kept by none before 0.3."""
