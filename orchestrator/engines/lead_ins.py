"""What a panelist says before its question, at the session's intensity."""

from __future__ import annotations

import re

from orchestrator.claims.model import Claim
from orchestrator.engines.protocol import Scene
from orchestrator.engines.wording import rotated
from orchestrator.persona import Seat

_OF_NUMBERS = re.compile(r"\b(?:figures?|numbers?|arithmetic|sums?)\b", re.IGNORECASE)
_OF_MONEY = re.compile(r"\b(?:money|cash|cost)\b", re.IGNORECASE)


def lead_in(seat: Seat, scene: Scene, claim: Claim) -> str:
    """One of the persona's lead-ins, never the one that this panelist's last question began with.

    One that speaks of a number or of money is kept for claims that hold one or are about
    it. "" where none is left: better asked straight away than introduced twice alike.
    """
    own = [exchange for exchange in scene.exchanges if exchange.agent == seat.persona.id]
    last = own[-1].turns[0].question if own else ""
    options = [
        option
        for option in seat.persona.lead_ins.get(scene.intensity, ())
        if (claim.quantities or not _OF_NUMBERS.search(option))
        and ("money" in claim.kinds or not _OF_MONEY.search(option))
        and not last.startswith(option)
    ]
    return rotated(seat.persona.id, options)[len(own) % len(options)] if options else ""
