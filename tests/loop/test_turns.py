"""Whose turn it is: which words are an answer, when it is complete, what is taken back, what waits."""

from __future__ import annotations

import shutil
from itertools import count
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from orchestrator.material.values import LiveSegment
from orchestrator.panel.loop import turns
from tests.helpers.turn_play import ACTS, Act, begin, check, play_copy, played, script_of

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


def test_no_silence_ends_an_answer_with_words_in_doubt_until_somebody_has_looked_at_them(
    fresh: Path, tmp_path: Path
) -> None:
    shutil.copytree(fresh, tmp_path / "held")
    with played(tmp_path / "held") as one:
        one.act("speak", 1.0)
        one.act("wait", 1.0)
        one.act("ask", 0.0)
        one.act("doubtful", 1.0)
        one.act("speak", 1.0)  # and words of which nobody is in doubt make it no surer
        one.pass_time(600.0)
        floor = one.session.floor()
        assert (floor.phase, floor.ends_in_s, floor.held) == ("answering", None, turns.HELD)
        assert [segment.doubt for segment in one.session.projection.heard] == ["confidence", None]
        number = one.session.projection.segments.index(one.session.projection.heard[0]) + 1
        one.session.correct(number, one.session.projection.heard[0].text)  # it was heard right
        assert one.session.floor().held is None
        one.pass_time(9.5)  # the silence begins anew where somebody has looked at the words
        assert [turn.answer for turn in one.session.projection.asked[0].turns] == [None]
        one.pass_time(1.0)
        assert one.session.projection.asked[0].turns[0].answer == "word2. word3"
        one.pass_time(30.0)
        check(one)


def test_words_in_doubt_that_were_not_said_leave_the_question_as_it_was_put(
    fresh: Path, tmp_path: Path
) -> None:
    shutil.copytree(fresh, tmp_path / "noise")
    with played(tmp_path / "noise") as one:
        one.act("ask", 0.0)
        one.session.hear(LiveSegment("Thank you.", one.clock.at_s, doubt="repetition"))
        one.session.correct(1, "")
        one.pass_time(600.0)
        assert one.session.floor().phase == "asked"
        assert [turn.answer for turn in one.session.projection.asked[0].turns] == [None]
        one.act("speak", 1.0)
        one.pass_time(11.0)
        assert one.session.projection.asked[0].turns[0].answer == "word1."
