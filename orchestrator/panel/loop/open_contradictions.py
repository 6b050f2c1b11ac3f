"""Contradictions that were found: which were asked about, and which panelist is to ask about the others."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from orchestrator.material.model.claim import Tension
from orchestrator.panel.records.about_contradictions import are_of, is_about
from orchestrator.panel.records.projection import Projection


def whose(projection: Projection, panel: Sequence[str], tensions: Sequence[Tension]) -> list[str]:
    """For each: the exchange that asked about it, else the one panelist that is to.

    One whose question about it stands; else one whose focus brief has a line of its slides; else any.
    Among them whoever has asked least, and has been given fewest, in the order of the seats.
    """
    asked = Counter(exchange.agent for exchange in projection.asked)
    given: Counter[str] = Counter()
    found = []
    for tension in tensions:
        exchange = _asked_in(projection, tension)
        if exchange is not None:
            found.append(exchange)
            continue
        rank = {agent: (_fit(projection, agent, tension), asked[agent], given[agent]) for agent in panel}
        agent = min(panel, key=lambda one: rank[one])
        given[agent] += 1
        found.append(agent)
    return found


def _asked_in(projection: Projection, tension: Tension) -> str | None:
    """The id of the last exchange that asked about it: by its question, or by a follow-up that pressed it.

    Without the second, another seat is handed what its neighbour has just pressed.
    """
    by_follow_up = {one for one, pressed in projection.pressed if are_of(pressed.sides, tension)}
    own = (one.id for one in reversed(projection.asked) if one.id in by_follow_up or is_about(one, tension))
    return next(own, None)


def _fit(projection: Projection, agent: str, tension: Tension) -> int:
    """0: its question about it stands; 1: its focus brief has a line of its slides; 2: neither."""
    waiting = projection.waiting.get(agent)
    if waiting is not None and waiting.status == "ready" and is_about(waiting.candidate, tension):
        return 0
    slides = {side.slide for side in tension.sides if side.slide is not None}
    return 1 if any(target.slide in slides for target in projection.targets.get(agent, ())) else 2
