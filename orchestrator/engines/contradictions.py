"""What the cross-checks found about a claim, as something to ask about."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from orchestrator.claims.model import OF_TWO_PLACES, Claim, Place, Tension
from orchestrator.engines.angles import Angle
from orchestrator.engines.protocol import Scene
from orchestrator.engines.wording import LONGEST_QUOTE, clock, cut
from orchestrator.pattern import ARITHMETIC, CONTRADICTION
from orchestrator.persona import Seat

_WEIGHT: Final = 6.0
"""Before everything else: nothing costs a presenter more than two figures that cannot both be right."""


def contradiction_angles(claim: Claim, seat: Seat, scene: Scene) -> Iterator[Angle]:
    """One angle for each contradiction of which the claim is a side, unless it was asked about.

    A side that stands on a slide that has not been shown is left until it is.
    """
    for tension in scene.tensions:
        sides = ((tension.a, tension.b), (tension.b, tension.a))
        found = next(((own, other) for own, other in sides if is_side(own, claim)), None)
        if found is None or not _is_shown(found[1], scene) or _was_raised(tension, scene):
            continue
        own, other = found
        head = CONTRADICTION if tension.kind in OF_TWO_PLACES and own != other else ARITHMETIC
        if patterns := tuple(pattern for pattern in seat.persona.initial if head in pattern.heads):
            yield Angle(
                kind=head,
                name=tension.kind,
                words=angle_words(tension),
                patterns=patterns,
                weight=_WEIGHT,
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
    if place.said_at_s is not None or claim.said_at_s is not None:
        if place.said_at_s != claim.said_at_s:
            return False
    elif place.slide != claim.slide:
        return False
    shorter, longer = sorted((claim.text, place.quote), key=len)
    return bool(re.search(rf"(?<![\w.,]){re.escape(shorter)}(?![\w]|[.,]\d)", longer))


def _is_shown(place: Place, scene: Scene) -> bool:
    return place.said_at_s is not None or scene.slide is None or (place.slide or 0) <= scene.slide


def _was_raised(tension: Tension, scene: Scene) -> bool:
    words = angle_words(tension)
    return any(exchange.angle == words for exchange in scene.exchanges)


def _other_place(own: Place, other: Place) -> str:
    if other.said_at_s is not None:
        return f"at {clock(other.said_at_s)}"
    if own.said_at_s is None and own.slide == other.slide:
        return "on the same slide"
    return f"on slide {other.slide}"
