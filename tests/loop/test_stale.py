"""A question whose claim or words were dealt with is not asked; one that its panelist keeps stays alive."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from orchestrator import Home, Session
from orchestrator.material.claim import Place
from orchestrator.material.values import Segment
from orchestrator.panel.loop import asking, panelist
from orchestrator.panel.loop.calling_on import Choice, choose, why_stale
from orchestrator.panel.model.exchange import Candidate
from orchestrator.panel.records.projection import Waiting
from tests.helpers.steady import SteadyEngine

DECK = """# Where we stand

- Revenue grew 18% to EUR 4.2M in 2026
- Nobody else runs ferries here

---
# Another figure

- Revenue grew 25% to EUR 4.9M in 2026
"""

ASKED = Candidate(
    "skeptic",
    "Which record shows it?",
    "d1.1",
    1,
    None,
    "Revenue grew 18% to EUR 4.2M in 2026",
    True,
    ("source",),
    0.5,
    "",
    "",
)
BESIDE = Place(2, None, "Revenue grew 25% to EUR 4.9M in 2026")
OPEN_LINE = replace(ASKED, claim=None, quote="Nobody else runs ferries here", question="Who said no to you?")
LEFT_OUT = replace(ASKED, claim=None, quote="Where we stand", question="What does it cost?", is_missing=True)
GENERAL = replace(ASKED, claim=None, slide=None, quote=None, grounded=False, question="Why now?")


@pytest.mark.parametrize(
    ("first", "then", "reason"),
    [
        (ASKED, replace(ASKED, question="Since when?"), "its claim has been asked about"),
        (OPEN_LINE, replace(OPEN_LINE, question="Since when?"), "its words have been asked about"),
        (
            OPEN_LINE,
            replace(OPEN_LINE, quote="NOBODY else  runs ferries here"),
            "its words have been asked about",
        ),
        (LEFT_OUT, LEFT_OUT, "it has been asked"),
        (GENERAL, GENERAL, "it has been asked"),
        (
            replace(ASKED, beside=BESIDE),
            replace(ASKED, beside=BESIDE),
            "its two quotes have been asked about",
        ),
        # the same words elsewhere, something else that the slide lacks, and a contradiction of what was asked
        (ASKED, replace(ASKED, claim="d2.1", slide=2), None),
        (LEFT_OUT, replace(LEFT_OUT, question="Who owns it?"), None),
        (LEFT_OUT, replace(LEFT_OUT, is_missing=False, claim=None), None),
        (ASKED, replace(ASKED, beside=BESIDE), None),
        (GENERAL, replace(GENERAL, question="Why you?"), None),
    ],
)
def test_what_was_asked_is_told_by_claim_quote_and_place(
    home: Path, first: Candidate, then: Candidate, reason: str | None
) -> None:
    with Session.start(Home.open(home), deck_text=DECK, engine=SteadyEngine(())) as session:
        asking.open_exchange(session.rehearsal, Choice("skeptic", first, "for a test"))
        session.answer("It is audited.")
        waiting = _waiting(session, replace(then, agent="analyst"))
        with session.transaction() as tx:
            panelist.write_candidate(session.rehearsal, tx, "analyst", waiting)
        assert why_stale(session.rehearsal.state(), waiting) == reason
        assert (choose(session.rehearsal.state()) is None) is (reason is not None)


def test_a_question_lives_on_when_the_presenter_reads_its_slide_aloud(home: Path) -> None:
    """Whether that answers it is for its panelist to say; code asks only when it was last kept."""
    with Session.start(Home.open(home), deck_text=DECK, engine=SteadyEngine(())) as session:
        waiting = _waiting(session, ASKED)
        session.add_segment(Segment(ASKED.quote or "", 1.0, 50.0, "Ines", 1))
        assert why_stale(session.rehearsal.state(), waiting) is None
        session.rehearsal.playing_s = 70.0
        assert why_stale(session.rehearsal.state(), waiting) == "it is older than 60 s"
        assert why_stale(session.rehearsal.state(), waiting, confirmed_at_s=50.0) is None


def _waiting(session: Session, candidate: Candidate) -> Waiting:
    intel = str(session.rehearsal.store.state("shared/external-intel.md").sha256)
    return Waiting(candidate, "ready", 0.0, "", intel)
