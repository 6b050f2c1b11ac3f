"""A question whose matter was dealt with is not asked, wherever on the slides it stands."""

from __future__ import annotations

from pathlib import Path

import pytest

from orchestrator import Home, Session, moderator, panelist
from orchestrator.choosing import Choice, choose
from orchestrator.claims.model import Claim
from orchestrator.exchange import Candidate
from orchestrator.room import Waiting
from tests.steady import SteadyEngine

DECK = """# Where we stand

- Revenue grew 18% to EUR 4.2M in 2026

---
# In one line

- In 2026 revenue grew 18%, to EUR 4.2 million

---
# Another figure

- Revenue grew 25% to EUR 4.9M in 2026

---
# Something else

- 94% of passengers would recommend us
"""


@pytest.mark.parametrize(("slide", "stale"), [(1, True), (2, True), (3, False), (4, False)])
def test_the_same_sentence_on_another_slide_is_not_asked_again(home: Path, slide: int, stale: bool) -> None:
    with Session.start(Home.open(home), deck_text=DECK, engine=SteadyEngine(())) as session:
        claims = {claim.slide: claim for claim in session.room.deck_claims}
        first = _about(claims[1], "skeptic")
        moderator.open_exchange(session.rehearsal, Choice("skeptic", first, "for a test"))
        session.answer("It is audited.")
        store = session.rehearsal.store
        intel = str(store.state("shared/external-intel.md").sha256)
        waiting = Waiting(_about(claims[slide], "analyst"), "ready", 0.0, "", intel)
        panelist.write_candidate(session.rehearsal, "analyst", waiting)
        reason = "its claim has been asked about"
        assert panelist.why_stale(session.rehearsal, waiting) == (reason if stale else None)
        assert (choose(session.rehearsal) is None) is stale


def _about(claim: Claim, agent: str) -> Candidate:
    return Candidate(
        agent, "How so?", claim.id, claim.slide, None, claim.text, True, ("source",), 0.5, "", "for a test"
    )
