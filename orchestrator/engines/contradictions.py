"""What the cross-checks found about a claim, as something to ask about."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Final

from orchestrator.claims.model import OF_TWO_PLACES, Claim, Place, Tension
from orchestrator.engines.angles import KEPT, Angle
from orchestrator.engines.protocol import Scene
from orchestrator.engines.wording import LONGEST_QUOTE, clock, cut
from orchestrator.pattern import ARITHMETIC, CONTRADICTION
from orchestrator.persona import Seat

_WEIGHT: Final = 6.0
"""Before everything else: nothing costs a presenter more than two figures that cannot both be right."""


_PART: Final = 0.1
"""What the other side of a sum weighs less: its total is what the board will repeat."""

Where = tuple[int | None, float | None]
"""A slide, or the time of what was said; not both."""
Unasked = Mapping[Where, tuple[Tension, ...]]
"""Contradictions that nobody has asked about, by where a side of theirs stands."""


def unasked(scene: Scene) -> Unasked:
    """The scene's contradictions that are still to be asked about."""
    raised = {exchange.angle for exchange in scene.exchanges}
    found: dict[Where, tuple[Tension, ...]] = {}
    for tension in scene.tensions:
        if angle_words(tension) in raised:
            continue
        for where in {_where(tension.a), _where(tension.b)}:
            found[where] = (*found.get(where, ()), tension)
    return found


def contradiction_angles(claim: Claim, seat: Seat, scene: Scene, tensions: Unasked) -> tuple[Angle, ...]:
    """One angle for each of the contradictions of which the claim is a side.

    A side that stands on a slide that has not been shown is left until it is.
    """
    angles = []
    for tension in tensions.get(_where(claim), ()):
        sides = ((tension.a, tension.b), (tension.b, tension.a))
        found = next(((own, other) for own, other in sides if is_side(own, claim)), None)
        if found is None or not _is_shown(found[1], scene):
            continue
        if angle := _angle(tension, *found, seat):
            angles.append(angle)
    return tuple(angles)


@lru_cache(maxsize=KEPT)
def _angle(tension: Tension, own: Place, other: Place, seat: Seat) -> Angle | None:
    """What the panelist asks at the one side; None where it has no pattern for such a contradiction."""
    head = CONTRADICTION if tension.kind in OF_TWO_PLACES and own != other else ARITHMETIC
    patterns = tuple(pattern for pattern in seat.persona.initial if head in pattern.heads)
    if not patterns:
        return None
    return Angle(
        kind=head,
        name=tension.kind,
        words=angle_words(tension),
        patterns=patterns,
        weight=_WEIGHT - _PART * (head == ARITHMETIC and own != tension.a),
        slots=(
            ("other_place", _other_place(own, other)),
            ("other_quote", cut(other.quote, 0, 0, LONGEST_QUOTE)),
            ("note", tension.note),
        ),
    )


def angle_words(tension: Tension) -> str:
    """A contradiction as notes and records name it; an exchange is known by it again."""
    return f"contradiction ({tension.kind}): {tension.note}"


def is_side(place: Place, claim: Claim) -> bool:
    """The claim's words are those of the place, or part of them."""
    return _where(place) == _where(claim) and _are_alike(claim.text, place.quote)


def _where(one: Place | Claim) -> Where:
    return (one.slide, None) if one.said_at_s is None else (None, one.said_at_s)


@lru_cache(maxsize=KEPT)
def _are_alike(text: str, quote: str) -> bool:
    shorter, longer = sorted((text, quote), key=len)
    return bool(re.search(rf"(?<![\w.,]){re.escape(shorter)}(?![\w]|[.,]\d)", longer))


def _is_shown(place: Place, scene: Scene) -> bool:
    return place.said_at_s is not None or scene.slide is None or (place.slide or 0) <= scene.slide


def _other_place(own: Place, other: Place) -> str:
    if other.said_at_s is not None:
        return f"at {clock(other.said_at_s)}"
    if own.said_at_s is None and own.slide == other.slide:
        return "on the same slide"
    return f"on slide {other.slide}"
