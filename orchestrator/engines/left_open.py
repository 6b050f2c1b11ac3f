"""What an earlier rehearsal of the same presenter left open, as something to ask about again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from orchestrator.carried import OpenPoint
from orchestrator.claims.model import Claim
from orchestrator.engines.angles import PATTERN, Angle
from orchestrator.engines.matching import normal
from orchestrator.pattern import FINDINGS
from orchestrator.persona import Seat

LEFT_OPEN: Final = "left open before"

_WEIGHT: Final = 4.2
"""Before a red flag or a silence, behind a contradiction: what had no answer once is asked again."""
_NOT_OWN: Final = 0.8
"""What it weighs less for a panelist who did not ask it; whoever asked may not sit this time."""
_SHARED: Final = 0.8
"""Share of the quote's words that a claim must hold to be the same one, reworded a little."""
_FEWEST_WORDS: Final = 4


def left_open_angle(claim: Claim, seat: Seat, points: Sequence[OpenPoint], best: Angle) -> Angle | None:
    """The angle that the claim is what a question of an earlier rehearsal was about; None: it is not.

    It asks in the patterns of *best*, the fittest that the panelist has for the claim in any case. A
    contradiction stays what it is.
    """
    if best.kind in FINDINGS:
        return None
    point = next((point for point in points if _is_about(point, claim)), None)
    if point is None:
        return None
    return replace(
        best,
        kind=LEFT_OPEN if best.kind == PATTERN else best.kind,
        name=LEFT_OPEN,
        words=f'{LEFT_OPEN} ({point.outcome}, {point.asked_on}): "{point.question}"',
        weight=_WEIGHT if point.agent == seat.persona.id else _WEIGHT - _NOT_OWN,
    )


def _is_about(point: OpenPoint, claim: Claim) -> bool:
    quote, text = normal(point.quote), normal(claim.text)
    if not quote or not text:
        return False
    if quote in text or text in quote:
        return True
    wanted, there = set(quote.split()), set(text.split())
    return len(wanted) >= _FEWEST_WORDS and len(wanted & there) >= _SHARED * len(wanted)
