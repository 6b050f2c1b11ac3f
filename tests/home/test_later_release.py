"""A session that a later release wrote is said to be that, by every way in, and nowhere called damaged."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from orchestrator.core.errors import LaterReleaseError
from orchestrator.core.store import ledger
from orchestrator.core.store.history import LEDGER_NAME
from orchestrator.core.store.ledger import Unread, held
from orchestrator.panel.home import Home
from orchestrator.rehearsal.session import Session
from tests.helpers.board import verify_session
from tests.helpers.commands import Commands

DECK = "# Plan\n\nRevenue grows by 40 % to 2 million euros.\n"
WORDS = "ledger version 3 is not one that this release reads (1 and 2): use a later release"


@pytest.fixture
def later(home: Path) -> Path:
    """A session whose ledger says version 3, with a line that nobody knows here; every hash is right."""
    with Session.start(Home.open(home), deck_text=DECK, id="s1", presenter="Ines") as session:
        root = session.path
    raw, head, lines = (root / LEDGER_NAME).read_bytes(), ledger.FIRST_HASH, []
    for entry in ledger.scan(raw).entries:
        line = raw[entry.offset : entry.offset + entry.size]
        record = ledger.decode(line)
        if record.seq == 1 and record.held is not None:
            record = record._replace(held=held(Unread({**record.held.fields, "ledger_version": 3})))
        written, head = ledger.encode(record, head, more=ledger.says_more(line))
        lines.append(written)
    odd = ledger.Record(len(lines) + 1, "weigh", "scales", 1.0, "2036-11-20T10:00:00.000000Z")
    lines.append(ledger.encode(odd, head)[0])
    (root / LEDGER_NAME).write_bytes(b"".join(lines))
    return root


def test_it_is_refused_in_words(later: Path, home: Path) -> None:
    with pytest.raises(LaterReleaseError) as caught:
        Session.open(Home.open(home), "s1")
    assert WORDS in str(caught.value)
    assert caught.value.code == "later_release"


def test_verify_says_that_alone(later: Path) -> None:
    (finding,) = verify_session(later).findings
    assert (finding.kind, finding.expected) == ("version", "1 or 2")
    assert finding.found == "3, which a later release wrote: use that one"


def test_a_list_calls_it_unreadable_and_not_damaged(
    later: Path, home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    done = Commands(home, capsys)("--json", "list")
    (row,) = json.loads(done.stdout)["sessions"]
    assert (row["session"], row["state"]) == ("s1", "unreadable")
    assert WORDS in done.stderr
