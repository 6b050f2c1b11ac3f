"""The exchange history says what an answer brought to light, and what stays open."""

from __future__ import annotations

from pathlib import Path

from orchestrator.home import Home
from orchestrator.session import Session

DECK = (
    "# Harbour ferries\n\n---\n\n# Passengers\n\n- Passengers grew 12 % to 340,000 in 2026\n"
    "- We expect 400,000 passengers in 2027\n"
)
HISTORY = "shared/exchange-history.md"


def test_numbers_said_for_the_first_time_stand_in_the_history_and_in_its_record(home: Path) -> None:
    with Session.start(Home.open(home), deck_text=DECK, intensity="friendly") as session:
        exchange = session.ask()
        assert exchange is not None
        session.answer("We counted 340,000 passengers at 14 piers, and paid 2.1 million euro for fuel.")
        while session.room.open is not None:
            session.answer(None)
        told = session.read(HISTORY)
        store = session.rehearsal.store
        closed = [
            value
            for entry in store.entries()
            if (value := store.record(entry.seq).value or {}).get("type") == "exchange_closed"
        ]
    assert 'New numbers, said for the first time: "14 piers", "2.1 million euro".' in told
    assert [value["new_numbers"] for value in closed] == [["14 piers", "2.1 million euro"]]


def test_what_was_asked_for_and_not_given_stays_open(home: Path) -> None:
    with Session.start(Home.open(home), deck_text=DECK, intensity="friendly") as session:
        exchange = session.ask()
        assert exchange is not None
        session.answer(None)
        needs = session.room.exchanges[0].turns[-1].needs
        assert needs
        assert f"\nStays open: {', '.join(needs)}.\n" in session.read(HISTORY)
        assert "New numbers" not in session.read(HISTORY)
