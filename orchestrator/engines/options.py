"""A claim with one panelist's angles on it, and how much that panelist wants to ask about it."""

from __future__ import annotations

from dataclasses import dataclass

from orchestrator.claims.kinds import telling_words
from orchestrator.claims.model import Claim
from orchestrator.engines.angles import RED_FLAG, Angle, angles, interest
from orchestrator.engines.protocol import Scene
from orchestrator.engines.wording import quote_of
from orchestrator.persona import Seat


@dataclass(frozen=True, slots=True)
class Option:
    """A claim that may be asked about; `angles` are the panelist's, the most specific first."""

    claim: Claim
    angles: tuple[Angle, ...]
    weight: float

    @property
    def angle(self) -> Angle:
        return self.angles[0]


def option_for(claim: Claim, seat: Seat, scene: Scene) -> Option | None:
    """The claim as this panelist sees it; None where the persona has no question that fits it."""
    found = angles(claim, seat)
    if not found:
        return None
    return Option(claim, tuple(found), interest(claim, seat, found[0], scene.focus))


def quote_for(claim: Claim, angle: Angle) -> str:
    """The claim's words that are read out: they hold what the angle is about.

    That is the flag's words, else the first number, else the words that make it a claim.
    """
    own = [quantity.text for quantity in claim.quantities[:1]]
    if telling := telling_words(claim.text, claim.kinds):
        own.append(telling)
    return quote_of(claim, (*angle.around, *own) if angle.kind == RED_FLAG else (*own, *angle.around))
