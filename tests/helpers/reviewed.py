"""Small ended rehearsals for tests of the review: own questions, own verdicts, archived in their home."""

from __future__ import annotations

from pathlib import Path

from orchestrator.material.values import Segment
from orchestrator.panel.home import Home
from orchestrator.rehearsal.session import Session

DECK = """# Where we stand

- We are the leading ferry operator on the estuary
- 212,000 passengers a year

---
# The ask

- We ask for EUR 1.8M

Notes: the estuary licence ends in 2031.
"""
LEADING = "We are the leading ferry operator on the estuary"
ASK = "We ask for EUR 1.8M"


def begun(home: Home, id: str, *, presenter: str = "Ines Kroll", speech: str = "Good morning.") -> Session:
    """A session in which the presenter has spoken on slide 1."""
    session = Session.start(home, deck_text=DECK, id=id, presenter=presenter, engine="offline")
    session.slide(1)
    session.add_segment(Segment(speech, 1.0, 6.0, presenter, 1))
    return session


def ended(
    home: Home, id: str, verdict: str, *, presenter: str = "Ines Kroll", speech: str = "Good morning."
) -> Path:
    """The folder of an ended session with two questions; the one about being the leader got *verdict*."""
    with begun(home, id, presenter=presenter, speech=speech) as session:
        session.ask("analyst", question="Leading by which measure?", quote=LEADING)
        session.take_answer("By passengers, in the harbour authority's count.")
        session.judge(
            verdict, reason="it names the count" if verdict == "satisfied" else "no figure was given"
        )
        session.slide(2)
        if session.ask() is not None:
            session.take_answer("Two boats and the charging.")
            session.judge("satisfied", reason="it says for what")
        session.end()
        return session.path
