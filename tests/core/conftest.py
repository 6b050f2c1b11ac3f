"""A crew that this package has never heard of: the code review of scripts/examples."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from orchestrator.core import Home, Session
from tests.core.crews import CODE_REVIEW, PULL_REQUEST


@pytest.fixture
def crew(tmp_path: Path) -> Path:
    """The crew's home, without a session."""
    return Path(shutil.copytree(CODE_REVIEW, tmp_path / "crew"))


@pytest.fixture
def review(crew: Path) -> Iterator[Session]:
    """A session of that crew that has begun."""
    with Home(crew).start("pr-42", {PULL_REQUEST: "- a\n+ b\n"}, title="PR 42") as session:
        yield session
