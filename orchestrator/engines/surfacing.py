"""The numbers that came to light in an answer: not on the slides, not said before."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from orchestrator.claims.model import Claim, Quantity
from orchestrator.claims.quantities import find_quantities
from orchestrator.engines.protocol import Scene
from orchestrator.engines.reading import BARE, Stated, read_answer, sort_of
from orchestrator.exchange import Exchange


def new_numbers(exchange: Exchange, scene: Scene) -> tuple[str, ...]:
    """The numbers with a unit or a noun that this exchange's answers brought, verbatim, in order.

    Left out is what stands in a claim of the deck, in what the presenter said before, or in
    one of the questions.
    """
    known = list(_quantities(scene.deck_claims))
    known += _quantities(claim for claim in scene.speech_claims if _before(claim, exchange))
    for turn in exchange.turns:
        known += find_quantities(turn.question)
    found: list[str] = []
    for turn in exchange.turns:
        for one in read_answer(turn.answer or "").numbers:
            if one.sort != BARE and one.words not in found and not any(_same(one, q) for q in known):
                found.append(one.words)
    return tuple(found)


def _before(claim: Claim, exchange: Exchange) -> bool:
    return claim.said_at_s is not None and claim.said_at_s < exchange.asked_at_s


def _quantities(claims: Iterable[Claim]) -> Sequence[Quantity]:
    return [quantity for claim in claims for quantity in claim.quantities]


def _same(one: Stated, known: Quantity) -> bool:
    alike = one.sort == sort_of(known.unit) or known.unit is None
    return alike and abs(one.value - known.value) <= 1e-9 * max(abs(one.value), 1.0)
