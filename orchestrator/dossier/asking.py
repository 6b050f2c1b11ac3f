"""How a panelist would put the question about one claim, in its persona's own patterns and tables."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from orchestrator.claims.model import Claim
from orchestrator.deck.model import Deck
from orchestrator.dossier.model import Weakness
from orchestrator.engines.angles import PATTERN, Angle, fit, fits_half, interest
from orchestrator.engines.fitting import suits
from orchestrator.engines.options import quote_for
from orchestrator.engines.situating import angles_in
from orchestrator.engines.wording import fill, rotated
from orchestrator.pattern import Pattern
from orchestrator.persona import Seat

_LONGEST_LEAD: Final = 12
"""Words before a quote that only say where it stands, as "On slide 4 you say"."""
_BADLY_FIT: Final = 1.0
_SAID: Final = {
    "tension": "Which of the two is right, and where does the other one come from?",
    "intel": "Somebody outside says otherwise. Which figure do you stand by, and what does theirs measure?",
}
"""Where something contradicts the claim, that is what is asked first, whoever asks."""


@dataclass(frozen=True, slots=True)
class Asked:
    """One panelist's question about a claim."""

    seat: Seat
    words: str  # without the quote that it begins with, which stands above it
    pattern: str  # that it was made from
    why: str
    weight: float


def questions(
    deck: Deck, claim: Claim, found: Sequence[Weakness], seats: Sequence[Seat], *, used: Collection[str]
) -> list[Asked]:
    """Each panelist's question about the claim, the keenest first; none from a pattern in *used*."""
    first = found[0].kind if found else ""
    asked = [one for seat in seats if (one := _asked(deck, claim, seat, used))]
    if first in _SAID:
        asked = [Asked(one.seat, _SAID[first], "", f"{first}", one.weight) for one in asked]
    return sorted(asked, key=lambda one: -one.weight)


def _asked(deck: Deck, claim: Claim, seat: Seat, used: Collection[str]) -> Asked | None:
    """The question of the most specific angle that can be worded; a loose fit only where no other is left."""
    every = angles_in(deck, claim, seat)
    for loose in (False, True):
        for angle in every:
            for pattern in _in_turn(angle, claim, seat):
                if pattern.text in used or fits_half(pattern, claim) == loose:
                    continue
                quote = quote_for(claim, angle)
                if question := fill(pattern, claim, quote):
                    weight = interest(claim, seat, angle, ()) - _BADLY_FIT * loose
                    return Asked(seat, _without_quote(question, quote), pattern.text, angle.words, weight)
    return None


def _in_turn(angle: Angle, claim: Claim, seat: Seat) -> Iterator[Pattern]:
    """The angle's patterns that make sense about the claim, the fittest first."""
    key = f"{seat.persona.id}:{claim.id}"
    ranked = sorted(rotated(key, angle.patterns), key=lambda pattern: fit(pattern, claim, seat.persona)[0])
    for pattern in ranked:
        if angle.kind == PATTERN and not suits(pattern.text, claim.text):
            continue
        if "number" not in pattern.slots or claim.quantities:
            yield pattern


def _without_quote(question: str, quote: str) -> str:
    head, mark, rest = question.partition(f'"{quote}". ')
    return rest if mark and "?" in rest and len(head.split()) <= _LONGEST_LEAD else question
