"""A note of another program under one of the panel's names, in a shape of its own, stops no session."""

from __future__ import annotations

from pathlib import Path

import pytest

from orchestrator.core.store.ledger import Unread
from orchestrator.panel.home import Home
from orchestrator.panel.records.kinds import KINDS
from orchestrator.panel.records.value import PanelValue
from orchestrator.rehearsal.session import Session

DECK = "# Plan\n\nRevenue grows by 40 % to 2 million euros.\n"
_OWN_RULE = ("freeze", "verdict")  # `verify` holds these to a rule of their own
PASSED_OVER = sorted(
    kind.TYPE
    for kind in KINDS.values()
    if issubclass(kind, PanelValue) and not kind.NEEDED and kind.TYPE not in _OWN_RULE
)


@pytest.mark.parametrize("name", PASSED_OVER)
def test_a_session_goes_on_and_is_ended(name: str, home: Path) -> None:
    with Session.start(Home.open(home), deck_text=DECK, id="s1", presenter="Ines") as session:
        with session.rehearsal.store.transaction() as tx:
            tx.note(Unread({"type": name, "odd": [1]}), by="moderator")
        session.append("shared/presenter-transcript.md", "We grew.", by="transcript")
        assert session.projection.exchanges == []
        session.end()
        assert session.state == "ended"
