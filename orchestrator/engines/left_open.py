"""What an earlier rehearsal of the same presenter left open, as something to ask about again."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from orchestrator.carried import OpenPoint
from orchestrator.claims.model import Claim
from orchestrator.engines.angles import PATTERN, Angle, angles, flag_angles
from orchestrator.engines.fitting import suits_claim
from orchestrator.engines.matching import normal
from orchestrator.engines.protocol import Scene
from orchestrator.persona import Seat

LEFT_OPEN: Final = "left open before"

_WEIGHT: Final = 4.2
"""Before a red flag or a silence, behind a contradiction: what had no answer once is asked again."""
_NOT_OWN: Final = 0.8
"""What it weighs less for a panelist who did not ask it; whoever asked may not sit this time."""
_SHARED: Final = 0.8
"""Share of the quote's words that a claim must hold to be the same one, reworded a little."""
_FEWEST_WORDS: Final = 4


def left_open_angles(claim: Claim, seat: Seat, scene: Scene) -> Iterator[Angle]:
    """At most one angle: the claim is what a question of an earlier rehearsal was about.

    It asks in the patterns that the panelist has for the claim in any case; where it has none,
    there is no angle.
    """
    for point in scene.left_open:
        if not _is_about(point, claim):
            continue
        own = angles(claim, seat) if claim.kinds else flag_angles(claim, seat)
        patterns = own[0].patterns if own else ()
        if own and own[0].kind == PATTERN:
            patterns = tuple(pattern for pattern in patterns if suits_claim(pattern.text, claim))
        if not patterns:
            return
        weight = _WEIGHT if point.agent == seat.persona.id else _WEIGHT - _NOT_OWN
        yield Angle(
            kind=LEFT_OPEN,
            name=LEFT_OPEN,
            words=f'{LEFT_OPEN} ({point.outcome}, {point.asked_on}): "{point.question}"',
            patterns=patterns,
            weight=weight,
            around=own[0].around,
        )
        return


def _is_about(point: OpenPoint, claim: Claim) -> bool:
    quote, text = normal(point.quote), normal(claim.text)
    if not quote or not text:
        return False
    if quote in text or text in quote:
        return True
    wanted, there = set(quote.split()), set(text.split())
    return len(wanted) >= _FEWEST_WORDS and len(wanted & there) >= _SHARED * len(wanted)
