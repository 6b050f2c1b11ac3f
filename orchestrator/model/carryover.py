"""The carry-over from earlier sessions: taken once, when a session starts, and kept in its first record.

It is no file and never touches a template. Each agent's text enters its context as one extra
block after its files; what was left open before is also there as values, for an engine that
works on values. Without the presenter's consent there is nothing to carry.

Source: DESIGN.md, section 9.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from orchestrator.model.values import from_json, to_json

KEY = "carried"
"""The key of the carry-over in the value of a session's first record; absent where nothing is carried."""


@dataclass(frozen=True, slots=True)
class OpenPoint:
    """A question of an earlier rehearsal that was not answered to anybody's satisfaction."""

    session: str
    exchange: str  # its id there
    agent: str
    quote: str  # verbatim from the deck or the speech of then
    question: str
    outcome: str  # unresolved, parked or unjudged
    asked_on: str  # day of that rehearsal, YYYY-MM-DD


@dataclass(frozen=True, slots=True)
class CarryOver:
    """Everything that one session carries."""

    texts: Mapping[str, str] = field(default_factory=dict)  # by agent; Markdown
    open_points: tuple[OpenPoint, ...] = field(default_factory=tuple)
    # Of contradictions that the presenter said are none: each one's `Tension.digest`.
    dismissed: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.texts or self.open_points or self.dismissed)

    def value(self) -> dict[str, Any]:
        """The carry-over as it stands in the first record."""
        # Written only where there are some, as it was before a finding could be dismissed.
        more = {"dismissed": list(self.dismissed)} if self.dismissed else {}
        return {"texts": dict(self.texts), "open_points": to_json(self.open_points), **more}


NOTHING = CarryOver()


def carry_over_of(opened: Mapping[str, Any]) -> CarryOver:
    """The carry-over of a session, from the value of its first record.

    Raises:
        ValueError: Its open points are not of the shape that `OpenPoint` has.
    """
    plain = opened.get(KEY)
    if plain is None:
        return NOTHING
    open_points = from_json(tuple[OpenPoint, ...], plain["open_points"])
    return CarryOver(dict(plain["texts"]), open_points, tuple(plain.get("dismissed", ())))
