"""Contradictions that were found: which question is about which, and which panelist is to ask."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence, Set

from orchestrator.loop.state import Projection
from orchestrator.model.claim import Place, Tension
from orchestrator.model.exchange import Candidate, Exchange


def is_about(asked: Candidate | Exchange, tension: Tension) -> bool:
    """Whether two of the contradiction's places stand in the question's: its own, and the one beside it.

    One is enough where the contradiction has no other: a sentence that contradicts itself.
    """
    if asked.quote is None:
        return False
    own = [Place(asked.slide, asked.said_at_s, asked.quote)]
    own += [asked.beside] if asked.beside is not None else []
    return _are_of(own, tension)


def is_on_dismissed(projection: Projection, exchange: Exchange, later: Set[str] = frozenset()) -> bool:
    """Whether all contradictions that an exchange was about are none, as the presenter says.

    *later*: digests of what was dismissed after the session's end.
    """
    about = [one for one in projection.found if is_about(exchange, one)]
    return bool(about) and all(projection.is_dismissed(one) or one.digest in later for one in about)


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
    by_follow_up = {one for one, pressed in projection.pressed if _are_of(pressed.sides, tension)}
    own = (one.id for one in reversed(projection.asked) if one.id in by_follow_up or is_about(one, tension))
    return next(own, None)


def _fit(projection: Projection, agent: str, tension: Tension) -> int:
    """0: its question about it stands; 1: its focus brief has a line of its slides; 2: neither."""
    waiting = projection.waiting.get(agent)
    if waiting is not None and waiting.status == "ready" and is_about(waiting.candidate, tension):
        return 0
    slides = {side.slide for side in tension.sides if side.slide is not None}
    return 1 if any(target.slide in slides for target in projection.targets.get(agent, ())) else 2


def _are_of(places: Sequence[Place], tension: Tension) -> bool:
    """Whether two of the contradiction's places, or its only one, are among these."""
    sides = dict.fromkeys(tension.sides)
    return sum(any(_is_one(side, place) for place in places) for side in sides) >= min(2, len(sides))


def _is_one(one: Place, other: Place) -> bool:
    """One slide, one moment, and one of the quotes holds the other."""
    if (one.slide, one.said_at_s) != (other.slide, other.said_at_s):
        return False
    return bool(one.quote and other.quote) and (one.quote in other.quote or other.quote in one.quote)
