"""A sentence is a stretch between two silences, however the sound is cut into frames on its way."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from orchestrator.material.speech.voice import (
    LEAD,
    MAX_WINDOWS,
    TRAIL,
    WINDOW_BYTES,
    WINDOW_S,
    Stretch,
    Voice,
)
from tests.helpers.recognisers import is_loud, silence, tone

NEAR = 2 * WINDOW_S


def stretches(sound: bytes, frame: int = 3200) -> list[Stretch]:
    voice = Voice(is_loud)
    ended = [one for at in range(0, len(sound), frame) for one in voice.take(sound[at : at + frame])]
    return ended + voice.close()


def times(found: list[Stretch]) -> list[tuple[float, float]]:
    return [(one.start_s, one.end_s) for one in found]


def test_silence_is_no_sentence() -> None:
    assert stretches(silence(5)) == []


def test_a_sentence_ends_at_a_pause_and_not_at_a_breath() -> None:
    found = stretches(silence(1) + tone(1) + silence(0.3) + tone(1) + silence(1) + tone(0.5) + silence(2))
    assert times(found) == [pytest.approx((1.0, 3.3), abs=NEAR), pytest.approx((4.3, 4.8), abs=NEAR)]


def test_a_stretch_holds_a_little_of_the_silence_around_it() -> None:
    (found,) = stretches(silence(1) + tone(1) + silence(1))
    spoken = round((found.end_s - found.start_s) / WINDOW_S)
    assert len(found.sound) == (LEAD + spoken + TRAIL) * WINDOW_BYTES


def test_a_click_is_no_sentence() -> None:
    assert stretches(silence(1) + tone(0.03) + silence(1)) == []


def test_what_is_being_spoken_ends_with_the_stream() -> None:
    assert times(stretches(silence(1) + tone(1))) == [pytest.approx((1.0, 2.0), abs=NEAR)]


def test_a_sentence_without_a_pause_is_cut_at_its_quietest() -> None:
    found = stretches(tone(12) + silence(0.2) + tone(6) + silence(1))
    assert times(found) == [pytest.approx((0.0, 12.0), abs=NEAR), pytest.approx((12.2, 18.2), abs=NEAR)]


def test_a_sentence_without_any_silence_is_cut_all_the_same() -> None:
    found = stretches(tone(40))
    assert all(len(one.sound) <= MAX_WINDOWS * WINDOW_BYTES for one in found)
    assert sum(len(one.sound) for one in found) == 40 * 32_000 // WINDOW_BYTES * WINDOW_BYTES


def test_what_is_spoken_is_there_while_it_is_spoken_and_stays_in_the_pause() -> None:
    voice = Voice(is_loud)
    voice.take(silence(1))
    assert voice.open is None
    voice.take(tone(1))
    assert voice.open is not None
    assert not voice.is_pausing
    voice.take(silence(0.3))
    assert voice.is_pausing
    before = voice.open
    assert voice.take(silence(0.6)) == [before]
    assert voice.open is None


PARTS = st.lists(st.tuples(st.booleans(), st.integers(0, 40)), max_size=8)


@settings(max_examples=30, deadline=None)
@given(PARTS, st.integers(1, 20_000).map(lambda count: 2 * count))
def test_frames_of_any_size_give_the_same_sentences(parts: list[tuple[bool, int]], frame: int) -> None:
    sound = b"".join((tone if is_voice else silence)(tenths / 10) for is_voice, tenths in parts)
    found = stretches(sound, frame)
    assert found == stretches(sound, WINDOW_BYTES)
    ends = [time_s for one in found for time_s in (one.start_s, one.end_s)]
    assert ends == sorted(ends)
