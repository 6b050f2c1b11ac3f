"""Whose turn it is: which words are an answer, when it is complete, what is taken back, what a question waits for."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from itertools import count
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from orchestrator import Home, Session
from tests.helpers.steady import DECK, SteadyEngine
from tests.helpers.turn_play import ACTS, play, script_of

SCRIPTS = st.lists(
    st.tuples(st.sampled_from(ACTS), st.sampled_from((0.0, 0.5, 1.0, 3.0, 6.0))), min_size=1, max_size=16
)


@pytest.fixture(scope="module")
def fresh(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A session that has begun, to be copied for each script."""
    from tests.helpers.homes import new_home

    home = new_home(tmp_path_factory.mktemp("turns"))
    with Session.start(Home.open(home), deck_text=DECK, engine=SteadyEngine(), exchanges=50) as session:
        path = session.path
    yield path


_numbers = count(1)


def played(fresh: Path, tmp: Path, script: list[tuple[str, float]]) -> None:
    root = tmp / f"play{next(_numbers)}"
    shutil.copytree(fresh, root)
    try:
        play(root, script)
    finally:
        shutil.rmtree(root)


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(script=SCRIPTS)
def test_every_word_is_in_the_turn_in_which_it_was_spoken(
    fresh: Path, tmp_path_factory: pytest.TempPathFactory, script: list[tuple[str, float]]
) -> None:
    played(fresh, tmp_path_factory.getbasetemp(), script)


@pytest.mark.parametrize("seed", range(4))
def test_so_it_is_by_chance(fresh: Path, tmp_path: Path, seed: int) -> None:
    played(fresh, tmp_path, script_of(seed, 40))
