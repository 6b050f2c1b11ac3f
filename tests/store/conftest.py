"""A session for the tests of what stands on its disk."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from orchestrator.core.store.store import Store
from tests.helpers.stores import CANDIDATE, DECK, INTEL, TRANSCRIPT, bare, blueprints


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """A session with a record of every class, open."""
    store = bare(tmp_path / "s")
    blueprints(store)
    store.write(DECK, "# Slide 1\n", by="start")
    store.write(INTEL, "none\n", by="start")
    store.write(CANDIDATE, "Why 40 %?\n", by="skeptic")
    for number in range(3):
        store.append(TRANSCRIPT, f"[00:0{number}] Presenter: word {number}\n", by="transcript")
    yield store
    store.close_files()
