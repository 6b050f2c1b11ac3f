"""Contradictions of a running rehearsal: found as they are said, and noted by every panelist."""

from __future__ import annotations

from collections.abc import Sequence

from orchestrator import render
from orchestrator.checks.find import tensions_of_segment
from orchestrator.claims.model import Claim, Place, Tension
from orchestrator.rehearsal import Rehearsal
from orchestrator.speech.model import Segment
from orchestrator.values import to_json


def tensions_in(rehearsal: Rehearsal, segment: Segment, claims: Sequence[Claim]) -> tuple[Tension, ...]:
    """Where the presenter's words contradict the deck; nothing for anybody else's words."""
    room = rehearsal.room
    if room.presenter is not None and segment.speaker not in (None, room.presenter):
        return ()
    known = {_sides(tension) for tension in room.tensions}
    found = tensions_of_segment(rehearsal.figures, segment, claims)
    return tuple(tension for tension in found if _sides(tension) not in known)


def note_tensions(rehearsal: Rehearsal, found: Sequence[Tension]) -> None:
    """Put them into every panelist's notes: all of them heard it. Call inside the segment's transaction."""
    for tension in found:
        for agent in rehearsal.options.panel:
            rehearsal.store.append(
                f"{agent}/exchange-notes.md",
                _line(tension),
                by=agent,
                value={"type": "finding", "tension": to_json(tension)},
            )


def _sides(tension: Tension) -> frozenset[Place]:
    return frozenset((tension.a, tension.b))


def _line(tension: Tension) -> str:
    return f"- Found while listening ({tension.kind}): {render.both_sides(tension)}\n"
