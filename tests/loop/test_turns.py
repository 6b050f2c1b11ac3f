"""Whose turn it is: which words are an answer, when it is complete, what is taken back, what waits."""

from __future__ import annotations

from itertools import count
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.helpers.turn_play import ACTS, Act, begin, play_copy, script_of

ACTS_OF_ALL = st.tuples(st.sampled_from(ACTS), st.sampled_from((0.0, 0.5, 1.0, 3.0, 6.0)))
SCRIPTS = st.lists(ACTS_OF_ALL, min_size=1, max_size=16)
_numbers = count(1)


@pytest.fixture(scope="module")
def fresh(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A session that has begun, to be copied for each script."""
    return begin(tmp_path_factory.mktemp("turns"))


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(script=SCRIPTS)
def test_every_word_is_in_the_turn_in_which_it_was_spoken(
    fresh: Path, tmp_path_factory: pytest.TempPathFactory, script: list[Act]
) -> None:
    """Some here; `scripts/turns` plays 10,000."""
    play_copy(fresh, tmp_path_factory.getbasetemp() / f"play{next(_numbers)}", script)


@pytest.mark.parametrize("seed", range(4))
def test_so_it_is_by_chance(fresh: Path, tmp_path: Path, seed: int) -> None:
    play_copy(fresh, tmp_path / "play", script_of(seed, 40))
