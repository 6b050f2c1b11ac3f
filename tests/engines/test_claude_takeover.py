"""The bytes of each call come from the ledger alone: who goes on after any record sends the same ones."""

from __future__ import annotations

import json
import shutil
from collections import Counter
from pathlib import Path

import pytest

from orchestrator.panel.loop.recorded import step
from orchestrator.rehearsal.session import Session
from tests.helpers.claude_requests import by_agent, engine_on
from tests.helpers.messages_server import MessagesServer
from tests.helpers.rehearsals import loaded, played, write_rehearsal

BEGUN = b'"type":"driver"'


def test_a_process_that_takes_over_sends_what_the_last_one_would_have(home: Path, tmp_path: Path) -> None:
    """Whole requests compared, and what they read from the cache."""
    files = write_rehearsal(tmp_path)
    with MessagesServer() as server, engine_on(server) as engine:
        played(home, files, engine=engine, exchanges=2).rehearsal.store.close_files()
    with MessagesServer() as other:
        with engine_on(other) as engine:
            session = loaded(home, files, engine=engine, exchanges=2)
        finished = False
        while not finished:
            left = iter(range(5))  # steps until it is cut off
            with engine_on(other) as engine:
                session = Session.open(None, session.path, engine=engine)
                finished = session.play(stop=lambda left=left: next(left, None) is None)  # type: ignore[misc]
                session.rehearsal.store.close_files()
    whole, pieces = by_agent(server.requests), by_agent(other.requests)
    assert list(whole) == list(pieces)
    for agent, taken in whole.items():
        assert [one.body for one in pieces[agent]] == [one.body for one in taken]
        assert [one.usage for one in pieces[agent]] == [one.usage for one in taken]


@pytest.mark.slow
def test_wherever_the_ledger_ends_the_next_calls_are_the_ones_that_were_made(
    home: Path, tmp_path: Path
) -> None:
    """Cut behind every record. Equal bytes read the same from the cache."""
    files = write_rehearsal(tmp_path)
    with MessagesServer() as server, engine_on(server) as engine:
        whole = played(home, files, engine=engine, exchanges=1)
        whole.rehearsal.store.close_files()
        made = Counter(json.dumps(taken.body) for taken in server.requests)
        lines = (whole.path / "ledger" / "ledger.jsonl").read_bytes().splitlines(keepends=True)
        begun = next(count for count, line in enumerate(lines, start=1) if BEGUN in line)
        ends = range(begun, len(lines) + 1)
        assert len(ends) > 40  # so many records lie behind the first call
        root = tmp_path / "cut" / whole.path.name
        seen = 0
        for count in ends:
            shutil.copytree(whole.path, root)
            (root / "ledger" / "ledger.jsonl").write_bytes(b"".join(lines[:count]))
            before = len(server.requests)
            with Session.open(None, root, engine=engine) as session:
                while len(server.requests) == before and step(session.rehearsal):
                    pass
            again = Counter(json.dumps(taken.body) for taken in server.requests[before:])
            assert again <= made, count
            seen += len(again)
            shutil.rmtree(root)
    assert seen > len(ends)
