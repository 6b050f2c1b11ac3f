"""The carry-over from earlier sessions: read once, when a session starts, and stored in its first record.

The carry-over is not a file and never touches a template. Each agent's text enters its context as one extra
block after its files. Questions that were left open before are also stored as values, for an engine that
works on values. Without the presenter's consent there is nothing to carry over.

Source: DESIGN.md, section 9.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from orchestrator.panel.model.exchange import Exchange

# ---------------------------------------------------------------------- carryover


@dataclass(frozen=True, slots=True)
class OpenPoint:
    """A question of an earlier rehearsal that did not get a satisfactory answer."""

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
    """Everything that one session carries over from earlier ones."""

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
    """One question of an earlier session, asked again in a drill."""

    session: str
    exchange: str  # its id there
    before: Exchange | None = None
    """How the question went in the earlier session, without off-the-record words; it is only shown.

    None before release 0.3.
    """
