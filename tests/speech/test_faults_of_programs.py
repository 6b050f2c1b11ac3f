"""What captions and recognisers are known to do wrong is mended or said, and changes no words."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orchestrator.material.speech.read import read_speech, with_whole_figures, without_loops
from orchestrator.material.values import LiveSegment


def rows(folder: Path, name: str, content: str) -> list[tuple[float, float, str]]:
    path = folder / name
    path.write_text(content, "utf-8")
    return [(one.start_s, one.end_s, one.text) for one in read_speech(path).segments]


EMPTY_CUE = "WEBVTT\n\na-0\n00:00.000 --> 00:01.000\n\n"


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.srt", "1\n00:00:01 --> 00:00:03\nWe grew.\n\n2\n00:00:03 --> 00:00:05\nBy a fifth.\n"),
        ("a.srt", "1\n00:01,000 --> 00:03,000\nWe grew.\n\n2\n00:03,000 --> 00:05,000\nBy a fifth.\n"),
        ("a.srt", "00:00:01,000 --> 00:00:03,000\nWe grew.\n00:00:03,000 --> 00:00:05,000\nBy a fifth.\n"),
        ("a.sbv", "0:00:01.000,0:00:03.000\nWe grew.\n\n0:00:03.000,0:00:05.000\nBy a fifth.\n"),
        (
            "a.vtt",
            "WEBVTT\n\n00:01.000 --> 00:03.000\n\nWe grew.\n\n00:03.000 --> 00:05.000\n\nBy a fifth.\n",
        ),
        (
            "a.vtt",
            f"{EMPTY_CUE}b-0\n00:01.000 --> 00:03.000\nWe grew.\n\n00:03.000 --> 00:05.000\nBy a fifth.\n",
        ),
    ],
)
def test_captions_are_read_with_the_faults_of_their_programs(tmp_path: Path, name: str, content: str) -> None:
    assert rows(tmp_path, name, content) == [(1, 3, "We grew."), (3, 5, "By a fifth.")]


def test_a_range_of_times_among_the_words_is_said(tmp_path: Path) -> None:
    span = "00:01:00,000 --> 00:02:00,000"
    srt = f"1\n00:00:00,000 --> 00:00:02,000\nUse\n{span}\nof it.\n\n2\n00:00:02,000 --> 00:00:03,000\nEnd.\n"
    assert rows(tmp_path, "a.srt", srt) == [(0, 2, f"Use {span} of it."), (2, 3, "End.")]


@pytest.mark.parametrize(
    ("cut", "whole"),
    [
        (("to 4.2", "million in 2025"), ("to 4.2 million", "in 2025")),
        (("for the next two", "years."), ("for the next two years.",)),
        (("one hundred", "thirty one million pesos, due"), ("one hundred thirty one million", "pesos, due")),
        (("a 450", "basis point benefit"), ("a 450 basis point", "benefit")),
        (("we hired 12", "300 of them left"), ("we hired 12", "300 of them left")),
        (("we grew.", "Two years passed."), ("we grew.", "Two years passed.")),
    ],
)
def test_a_figure_is_never_cut_by_the_end_of_a_piece(cut: tuple[str, str], whole: tuple[str, ...]) -> None:
    pieces = [LiveSegment(text, 2.0 * n, 2.0 * n + 2) for n, text in enumerate(cut)]
    found = with_whole_figures(pieces)
    assert tuple(one.text for one in found) == whole
    assert (found[0].start_s, found[-1].end_s) == (0.0, 4.0)


@given(
    st.lists(
        st.lists(
            st.sampled_from(["4.2", "million", "two", "euros", "%", "we", "grew.", "12"]), min_size=1
        ).map(" ".join)
    )
)
def test_whatever_is_cut_no_word_is_lost_or_moved(texts: list[str]) -> None:
    found = with_whole_figures([LiveSegment(text, float(n), n + 1.0) for n, text in enumerate(texts)])
    assert " ".join(one.text for one in found) == " ".join(texts)
    assert all(one.text for one in found)


def test_figures_of_two_speakers_and_over_a_silence_stay_apart() -> None:
    for second in (LiveSegment("million", 2, 3, "B"), LiveSegment("million", 9, 10, "A")):
        assert with_whole_figures([LiveSegment("4.2", 0, 2, "A"), second])[1] is second


def said(*texts: str) -> list[LiveSegment]:
    return [LiveSegment(text, 2.0 * n, 2.0 * n + 2) for n, text in enumerate(texts)]


LOOPED = "as a recogniser that loops writes them; counted once"


@pytest.mark.parametrize(
    ("texts", "kept", "notices"),
    [
        (
            ("Hello.", *("We cut costs.",) * 5, "End."),
            [(0, 2, "Hello."), (2, 12, "We cut costs."), (12, 14, "End.")],
            [f"pieces 2 to 6 (0:02): the same words 5 times in a row, {LOOPED}"],
        ),
        (
            ("We cut.", "By ten.") * 4,
            [(0, 2, "We cut."), (2, 16, "By ten.")],
            [f"pieces 1 to 8 (0:00): the same words 4 times in a row, {LOOPED}"],
        ),
        (
            ("Hello. " + "We cut costs by ten percent. " * 9 + "End.",),
            [(0, 2, "Hello. We cut costs by ten percent. End.")],
            [f"piece 1 (0:00): the same words 9 times in a row, {LOOPED}"],
        ),
        (("No.",) * 6, [(2 * n, 2 * n + 2, "No.") for n in range(6)], []),
        (("We cut costs.",) * 3, [(2 * n, 2 * n + 2, "We cut costs.") for n in range(3)], []),
    ],
)
def test_a_loop_counts_once_and_what_people_repeat_stays(
    texts: tuple[str, ...], kept: list[tuple[float, float, str]], notices: list[str]
) -> None:
    found, told = without_loops(said(*texts))
    assert [(one.start_s, one.end_s, one.text) for one in found] == kept
    assert told == notices
