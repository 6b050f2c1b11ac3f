"""What is remembered between refreshes changes nothing: every scene is answered as if it were the first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from orchestrator.claims.extract import deck_claims, speech_claims
from orchestrator.claims.model import Place, Tension
from orchestrator.engines.contradictions import angle_words
from orchestrator.engines.options import Option, ground_of, option_for
from orchestrator.engines.protocol import Scene
from orchestrator.exchange import Exchange, Turn
from orchestrator.persona import Seat
from orchestrator.speech.model import Segment
from tests.test_offline_engine import _panel, scene_of
from tests.test_silences import SEAT, deck_of

DECK = deck_of("The new bridge crosses at the mill", "We ask for 1.8 million euros in May")
SUM = Tension(
    "sum", Place(1, None, "We ask for 1.8 million euros in May"), Place(1, None, "x"), "they do not add up"
)
CHURN = Segment("Churn fell to 3 percent in the second quarter of 2026.", 1.0, 5.0)
COSTS = Segment("The costs of it grew by 40 percent in the third quarter of 2026.", 1.0, 5.0)


def fresh_seat() -> Seat:
    """A persona of this project with two silences; every seat is its own, so nothing is remembered of it."""
    return Seat(_panel()[0].persona, SEAT.domain)


def scene(*segments: Segment, tensions: Sequence[Tension] = (), exchanges: Sequence[Exchange] = ()) -> Scene:
    plain = scene_of(DECK, segments, exchanges=exchanges)
    claims = [claim for number, one in enumerate(segments, 1) for claim in speech_claims(one, number)]
    return replace(plain, speech_claims=claims, tensions=tensions, deck_claims=deck_claims(DECK))


def seen(seat: Seat, of: Scene) -> list[Option | None]:
    ground = ground_of(seat, of)
    claims = (*of.deck_claims, *ground.view.statements, *of.speech_claims)
    return [option_for(claim, seat, of, ground) for claim in claims]


def test_any_order_of_scenes_gives_what_each_gives_alone() -> None:
    turn = Turn("How?", ())
    asked = Exchange("x1", "tester", "d1.1", 1, None, "We ask", True, "", 0.0, (turn,), "satisfied")
    asked = replace(asked, angle=angle_words(SUM))
    scenes = [
        scene(),
        scene(CHURN),
        scene(COSTS),  # the same claim's id as in the scene before, of another session
        scene(tensions=[SUM]),
        scene(tensions=[SUM], exchanges=[asked]),
        scene(Segment("A caretaker was found for it.", 1.0, 5.0)),
        replace(scene(CHURN), focus=("churn",)),
        scene(),
    ]
    alone = [seen(fresh_seat(), one) for one in scenes]
    seat = fresh_seat()
    assert [seen(seat, one) for one in scenes] == alone
    assert [seen(seat, one) for one in reversed(scenes)] == [*reversed(alone)]
    assert alone[0] == alone[-1]
    assert alone[1] != alone[2] != alone[3] != alone[4] != alone[5]


def test_what_did_not_change_is_found_again() -> None:
    seat, of = fresh_seat(), scene(CHURN)
    first, second = seen(seat, of), seen(seat, replace(of, clock_s=of.clock_s + 15))
    assert all(one is other for one, other in zip(first, second, strict=True))
    assert any(first)
