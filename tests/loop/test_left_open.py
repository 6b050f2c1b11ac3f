"""What stayed open in an earlier rehearsal comes first in the focus brief of whoever asked it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from orchestrator.material.claims.extract import deck_claims
from orchestrator.material.deck.read import read_deck_text
from orchestrator.panel.engines.offline import OfflineEngine
from orchestrator.panel.engines.protocol import CandidateRequest, FocusBriefRequest, Scene
from orchestrator.panel.home import Home
from orchestrator.panel.loop.rehearsal import read_seats
from orchestrator.panel.model.carryover import OpenPoint
from orchestrator.panel.personas.persona import Seat

DECK = read_deck_text(
    "# Harbour ferries\n\n---\n\n# Passengers\n\n- Passengers grew 12 % to 340,000 in 2026\n"
    "- We are the leading operator on this coast\n\n---\n\n# Costs\n\n"
    "- Fuel costs fell to 1.1 million euro in 2026\n- Two new ferries will arrive by May 2027\n"
)
OPEN = OpenPoint(
    "earlier", "x2", "analyst", "Fuel costs fell to 1.1 million euro", "Against which year?", "parked",
    "2026-11-01",
)  # fmt: skip
WORDS = 'left open before (parked, 2026-11-01): "Against which year?"'


@pytest.fixture
def seats(home: Path) -> dict[str, Seat]:
    layout = Home.open(home).layout(None)
    return read_seats(Home.open(home).read_templates(layout), layout.agents)


def scene(*points: OpenPoint) -> Scene:
    return Scene(DECK, deck_claims(DECK), [], [], [], None, 0.0, "moderate", (), left_open=points)


def test_it_leads_the_brief_of_who_asked_it(seats: dict[str, Seat]) -> None:
    targets = OfflineEngine().reply(FocusBriefRequest(seats["analyst"], scene(OPEN)))
    assert (targets[0].quote, targets[0].angle) == ("Fuel costs fell to 1.1 million euro in 2026", WORDS)


def test_without_it_nothing_speaks_of_earlier_rehearsals(seats: dict[str, Seat]) -> None:
    targets = OfflineEngine().reply(FocusBriefRequest(seats["analyst"], scene()))
    assert all("left open" not in target.angle for target in targets)


def test_a_quote_that_the_deck_no_longer_holds_is_dropped(seats: dict[str, Seat]) -> None:
    gone = replace(OPEN, quote="Ticket prices rise by 4 % in 2027")
    assert OfflineEngine().reply(FocusBriefRequest(seats["analyst"], scene(gone))) == OfflineEngine().reply(
        FocusBriefRequest(seats["analyst"], scene())
    )


def test_another_panelist_asks_it_where_nobody_else_does(seats: dict[str, Seat]) -> None:
    asked = OfflineEngine().reply(CandidateRequest(seats["skeptic"], scene(OPEN)))
    assert asked is not None
    assert asked.angle == WORDS
    assert asked.grounded
