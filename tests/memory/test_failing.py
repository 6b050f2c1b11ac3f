"""Whatever part of memory raises whatever: the same rehearsal, and one warning for the part.

The panel's tests with all of memory off, on and failing are in `scripts/slow`
(tests/helpers/memory_modes.py).
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Never

import pytest

from orchestrator.memory.database import MemoryDatabase
from orchestrator.memory.scribe import Scribe
from orchestrator.memory.summariser import Summariser
from orchestrator.memory.trace import Snapshots
from orchestrator.panel.home import Home
from orchestrator.panel.records.moderator import PartFailed
from orchestrator.rehearsal.session import Session
from tests.helpers.homes import new_home
from tests.helpers.rehearsals import contents, played, write_rehearsal
from tests.helpers.stores import values_of

GIVEN: Mapping[str, Any] = {"id": "ferries", "presenter": "Ines", "remember": True, "date": "2026-11-22"}


class UnforeseenError(Exception):
    """Of no class that anything in the program expects."""


def fails(*_: Any, **__: Any) -> Never:
    raise UnforeseenError("what was said must not be repeated")


def rehearsed(home: Path, folder: Path) -> tuple[dict[str, bytes], list[dict[str, Any]]]:
    """A whole session's files, and the warnings in its ledger."""
    session = played(home, write_rehearsal(folder), **GIVEN)
    session.end()
    assert session.verify().valid
    warnings = [dict(one) for one in values_of(session.rehearsal.store, PartFailed.TYPE)]
    session.close()
    return contents(session.path), warnings


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """The files of the rehearsal in which nothing failed."""
    folder = tmp_path_factory.mktemp("whole")
    files, warnings = rehearsed(new_home(folder / "home"), folder)
    assert warnings == []
    return files


@pytest.mark.parametrize(
    ("owner", "way", "parts"),
    [
        (MemoryDatabase, "open", ["memory"]),
        (Scribe, "take", ["scribe"]),
        (Summariser, "__init__", ["summariser"]),
        (Summariser, "run", ["summariser"]),
        (Snapshots, "__init__", ["trace"]),
        (Snapshots, "write", ["trace"]),
    ],
)
def test_a_part_that_raises_is_one_warning_and_the_rehearsal_is_the_same(
    home: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    whole: dict[str, bytes],
    owner: type,
    way: str,
    parts: list[str],
) -> None:
    with monkeypatch.context() as patched:
        patched.setattr(owner, way, fails)
        files, warnings = rehearsed(home, tmp_path)
    assert [(one["part"], one["reason"]) for one in warnings] == [(part, "UnforeseenError") for part in parts]
    assert files == whole


def test_a_database_that_fails_from_the_second_session_on_is_a_warning_for_each_use(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rehearsed(home, tmp_path)
    monkeypatch.setattr(MemoryDatabase, "open", fails)
    session = Session.start(Home.open(home), write_rehearsal(tmp_path).deck, **{**GIVEN, "id": "again"})
    session.end()
    warnings = [one["part"] for one in values_of(session.rehearsal.store, PartFailed.TYPE)]
    assert warnings == ["memory", "scratchpads", "proposals", "scribe"]
    session.close()


def test_a_summariser_that_raised_is_not_asked_at_every_step(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = []

    def raises(self: Summariser) -> Never:
        asked.append(self)
        fails()

    monkeypatch.setattr(Summariser, "run_if_due", raises)
    session = played(home, write_rehearsal(tmp_path), **GIVEN)
    assert len(session.projection.exchanges) > 1
    assert len(asked) == 1
    session.end()
    with Session.open(None, session.path) as ended:
        assert (ended.path / "facts" / "index.json").is_file()  # the run at the end made up for it
    session.close()
