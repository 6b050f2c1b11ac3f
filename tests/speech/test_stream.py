"""Speech that comes in line by line, from a pipe or a file that grows."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from orchestrator.core.errors import SpeechError
from orchestrator.core.home.changes import Changes
from orchestrator.material.speech.stream import (
    Lines,
    LiveReader,
    LiveSegment,
    follow,
    parse_line,
    timed,
)
from orchestrator.material.values import Segment

# One line


def test_a_line_needs_only_its_text() -> None:
    assert parse_line('{"text": " We  grew. "}\n', 1) == LiveSegment("We grew.")
    assert parse_line(
        '{"start_s": 12.4, "end_s": 17.9, "speaker": "Presenter", "text": "We grew.", "slide": 3, '
        '"confidence": 0.93, "final": true, "words": []}',
        2,
    ) == LiveSegment("We grew.", 12.4, 17.9, "Presenter", 3, 0.93)


@pytest.mark.parametrize(
    "line", ["", " \r\n", "\ufeff", '{"text": "We gr", "final": false}', '{"text": " "}']
)
def test_nothing_final_is_said_on_these(line: str) -> None:
    assert parse_line(line, 1) is None


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("We grew.", "line 7 is not JSON: Expecting value (line 1, column 1)"),
        ('{"text": "We', "line 7 is not JSON: Unterminated string starting at (line 1, column 10)"),
        ('["We grew."]', 'line 7 is not an object: give {"text": "…"}'),
        ('{"words": []}', "line 7 has no text: give its words as a string under the key text"),
        ('{"text": "a", "end_s": true}', "line 7: end is not a time: give seconds as a number"),
        ('{"text": "a", "slide": "3"}', "line 7: slide must be a whole number from 1"),
    ],
)
def test_a_line_that_cannot_be_read_is_named(line: str, message: str) -> None:
    with pytest.raises(SpeechError) as caught:
        parse_line(line, 7)
    assert str(caught.value) == message


# Times


def test_without_times_the_words_have_just_been_said() -> None:
    live = LiveSegment("One two three four five.")  # 2 s at 150 words a minute
    first = timed(live, 10.0)
    assert first == Segment(live.text, 8.0, 10.0, times_estimated=True)
    assert timed(live, 11.0, first) == Segment(live.text, 10.0, 11.0, times_estimated=True)
    assert timed(live, 1.0) == Segment(live.text, 0.0, 1.0, times_estimated=True)


def test_told_times_stay_but_never_go_back() -> None:
    previous = Segment("Before.", 5.0, 7.0)
    assert timed(LiveSegment("Now.", 6.0, 6.5), 100.0, previous) == Segment("Now.", 6.0, 6.5)
    assert timed(LiveSegment("Now.", 3.0, 4.0), 100.0, previous) == Segment("Now.", 5.0, 5.0)
    assert timed(LiveSegment("Now.", 9.0), 100.0, previous) == Segment("Now.", 9.0, 9.4, end_estimated=True)
    assert timed(LiveSegment("Now.", None, 9.0), 100.0, previous) == Segment(
        "Now.", 8.6, 9.0, times_estimated=True
    )


@pytest.mark.parametrize("start_s", [float("nan"), float("inf"), -1.0, 90_000.0])
def test_impossible_times_are_as_none(start_s: float) -> None:
    live = LiveSegment("Now.", start_s, start_s)
    assert timed(live, 10.0) == Segment("Now.", 9.6, 10.0, times_estimated=True)


# Kinds of feeds


def fed(kind: str, *lines: str) -> list[tuple[LiveSegment, ...]]:
    reader = LiveReader(kind)
    return [*(reader.line(line) for line in lines), reader.close()]


def test_json_lines_go_on_behind_a_line_that_cannot_be_read() -> None:
    reader = LiveReader("jsonl")
    assert reader.line('{"text": "One."}') == (LiveSegment("One."),)
    with pytest.raises(SpeechError, match=r"^line 2 is not JSON"):
        reader.line("{")
    assert reader.line('{"text": "Three."}') == (LiveSegment("Three."),)
    assert reader.close() == ()


def test_a_line_of_text_is_a_segment() -> None:
    assert fed(
        "txt", "Dana: We grew.", "", "[0:05] Presenter: By 12 %.", "Dana: Good.", "1:2 is late: very."
    ) == [
        (LiveSegment("Dana: We grew."),),  # as far as anybody knows yet
        (),
        (LiveSegment("By 12 %.", 5.0, None, "Presenter"),),
        (LiveSegment("Good.", speaker="Dana"),),
        (LiveSegment("1:2 is late: very."),),
        (),
    ]


def test_a_cue_is_complete_at_the_blank_line_or_the_next_cue() -> None:
    lines = """\ufeffWEBVTT
Kind: captions

NOTE ours

1
00:01.000 --> 00:02.000
<v Lee>We
grew.

00:02.000 --> 00:03.000
By 12 %.
00:03.000 --> 00:04.000
A year."""
    given = {
        number: pieces for number, pieces in enumerate(fed("vtt", *lines.split("\n")), start=1) if pieces
    }
    assert given == {
        10: (LiveSegment("We grew.", 1.0, 2.0, "Lee"),),
        13: (LiveSegment("By 12 %.", 2.0, 3.0),),
        15: (LiveSegment("A year.", 3.0, 4.0),),  # at the end
    }


def test_srt_cues_without_blank_lines_and_with_too_many() -> None:
    lines = """1
00:00:01,000 --> 00:00:02,000
One.
2
00:00:02,000 --> 00:00:03,000
Two

and on."""
    given = {
        number: pieces for number, pieces in enumerate(fed("srt", *lines.split("\n")), start=1) if pieces
    }
    assert given == {
        5: (LiveSegment("One.", 1.0, 2.0),),
        7: (LiveSegment("Two", 2.0, 3.0),),
        9: (LiveSegment("and on.", 2.0, 3.0),),  # at the end
    }


def test_a_cue_that_cannot_be_read_is_named_and_passed_over() -> None:
    reader = LiveReader("vtt")
    for line in ("WEBVTT", "", "00:99.000 --> 01:00.000", "One."):
        assert reader.line(line) == ()
    with pytest.raises(SpeechError, match=r"^line 5: the cue before it has times that cannot be read"):
        reader.line("")
    assert [reader.line("00:02.000 --> 00:03.000"), reader.line("Two."), reader.line("")] == [
        (), (), (LiveSegment("Two.", 2.0, 3.0),),
    ]  # fmt: skip


def test_an_unknown_kind_is_a_mistake_of_the_program() -> None:
    with pytest.raises(ValueError, match="unknown kind of feed: 'pdf'"):
        LiveReader("pdf")


# A file that grows


def followed(path: Path, *steps: Callable[[], object]) -> list[str]:
    """What `follow` gives while *steps* happen, one each time that it has read all there is."""
    left = iter(steps)

    def stop() -> bool:
        step = next(left, None)
        if step is not None:
            step()
        return step is None

    return list(follow(path, poll_s=0.0, stop=stop))


def adding(path: Path, content: str | bytes) -> Callable[[], object]:
    def add() -> None:
        with path.open("ab") as file:
            file.write(content if isinstance(content, bytes) else content.encode())

    return add


def replacing(path: Path, content: str) -> Callable[[], object]:
    """As editors save: a new file is put in the place of the old one."""

    def replace() -> None:
        new = path.with_suffix(".new")
        new.write_text(content)
        os.replace(new, path)

    return replace


def nothing() -> None:
    """Time passes."""


def test_lines_come_once_they_are_whole(tmp_path: Path) -> None:
    path = tmp_path / "talk.txt"
    path.write_bytes(b"\xef\xbb\xbfOne.\r\nTw")
    steps = [nothing, adding(path, "o.\nCaf"), adding(path, b"\xc3"), adding(path, b"\xa9.\n\nLa")]
    assert followed(path, *steps) == ["One.", "Two.", "Café.", "", "La"]


def test_what_is_written_until_the_stop_is_read(tmp_path: Path) -> None:
    path = tmp_path / "talk.txt"
    path.write_text("")
    asked: list[bool] = []

    def stop() -> bool:
        adding(path, f"Line {len(asked)}.\n")()
        asked.append(True)
        return len(asked) > 2

    assert list(follow(path, poll_s=0.0, stop=stop)) == ["Line 0.", "Line 1.", "Line 2."]


def test_half_a_json_line_is_left_at_the_stop(tmp_path: Path) -> None:
    path = tmp_path / "talk.jsonl"
    path.write_text('{"text": "One."}\n{"text": "Tw')
    assert followed(path) == ['{"text": "One."}']
    assert followed(path, adding(path, 'o."}')) == ['{"text": "One."}', '{"text": "Two."}']


def test_a_file_that_is_saved_whole_each_time_goes_on(tmp_path: Path) -> None:
    path = tmp_path / "talk.txt"
    path.write_text("One.\n")
    steps = [nothing, replacing(path, "One.\nTwo.\n"), nothing, nothing]
    assert followed(path, *steps, replacing(path, "One.\nTwo.\nThree.\n"), nothing) == [
        "One.",
        "Two.",
        "Three.",
    ]


def test_a_file_that_is_written_anew_in_place_goes_on(tmp_path: Path) -> None:
    path = tmp_path / "talk.txt"
    path.write_text("One.\n")
    steps = [nothing, lambda: path.write_text(""), lambda: path.write_text("One.\nTwo.\n"), nothing]
    assert followed(path, *steps) == ["One.", "Two."]


def test_another_file_in_its_place_is_read_from_its_beginning(tmp_path: Path) -> None:
    path = tmp_path / "talk.txt"
    path.write_text("One.\nTwo.")
    steps = [nothing, replacing(path, "Three, a longer line.\n"), nothing, nothing, nothing]
    assert followed(path, *steps) == ["One.", "Two.", "Three, a longer line."]
    path.write_text("One, a longer line.\n")
    steps = [nothing, lambda: path.write_text("Two.\n"), nothing, nothing]
    assert followed(path, *steps) == ["One, a longer line.", "Two."]


def test_a_replaced_file_is_read_to_its_end_first(tmp_path: Path) -> None:
    path = tmp_path / "talk.txt"
    path.write_text("One.\n")

    def more_then_replace() -> None:
        adding(path, "Two.\n")()
        path.rename(tmp_path / "talk.1")
        path.write_text("Three.\n")

    assert followed(path, nothing, more_then_replace, nothing, nothing, nothing) == ["One.", "Two.", "Three."]


def test_a_file_that_is_away_for_a_moment_is_waited_for(tmp_path: Path) -> None:
    path = tmp_path / "talk.txt"
    path.write_text("One.\n")
    steps = [nothing, path.unlink, nothing, lambda: path.write_text("One.\nTwo.\n"), nothing, nothing]
    assert followed(path, *steps) == ["One.", "Two."]


@contextmanager
def heard(path: Path) -> Iterator[Callable[[], str | None]]:
    """The next line of a file that is followed, as a live feed follows it, by a clock that hardly ticks."""
    lines = Lines(str(path), poll_s=NEVER_S, stop=lambda: False)
    try:
        yield lambda: lines.next(60)
    finally:
        lines.close()


NEVER_S = 3600.0


def test_a_line_is_heard_because_it_was_written_and_not_because_time_has_passed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("orchestrator.material.speech.stream.UNTOLD_S", NEVER_S)
    path = tmp_path / "talk.txt"
    path.write_text("One.\n")
    with heard(path) as next_line:
        assert next_line() == "One."
        for number in range(20):  # the program that writes it has it open, or opens it each time
            adding(path, f"Line {number}.\n")()
            assert next_line() == f"Line {number}."
        with path.open("a", encoding="utf-8") as file:
            file.write("Two.\n")
            file.flush()
            assert next_line() == "Two."
        replacing(path, path.read_text() + "Three.\n")()
        assert next_line() == "Three."


def test_a_link_to_a_growing_file_is_followed_by_events_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("orchestrator.material.speech.stream.UNTOLD_S", NEVER_S)
    (tmp_path / "elsewhere").mkdir()
    path = tmp_path / "talk.txt"
    (tmp_path / "elsewhere" / "now.txt").write_text("One.\n")
    path.symlink_to("elsewhere/now.txt")
    with heard(path) as next_line:
        assert next_line() == "One."
        adding(path, "Two.\n")()
        assert next_line() == "Two."


def test_a_file_that_grows_without_events_is_found_and_then_looked_at_by_the_clock(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("orchestrator.material.speech.stream.UNTOLD_S", 0.01)
    path, silent, left = tmp_path / "talk.txt", Changes(), iter(range(1, 50))
    path.write_text("")

    def stop() -> bool:  # asked once a look
        number = next(left, None)
        if number is not None and number % 10 == 0:
            adding(path, f"Look {number}.\n")()
        if number == 20:
            monkeypatch.setattr("orchestrator.material.speech.stream.UNTOLD_S", NEVER_S)
        return number is None

    lines = list(follow(path, poll_s=0.0, stop=stop, changes=silent))
    assert lines == ["Look 10.", "Look 20.", "Look 30.", "Look 40."]


def test_a_file_is_followed_by_the_clock_where_the_system_has_no_events_left(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise OSError(errno.EMFILE, "inotify instance limit reached")

    monkeypatch.setattr("watchdog.observers.Observer", refuse)
    path = tmp_path / "talk.txt"
    path.write_text("One.\n")
    lines = Lines(str(path), poll_s=0.01, stop=lambda: False)
    try:
        assert lines.next(60) == "One."
        adding(path, "Two.\n")()
        assert lines.next(60) == "Two."
    finally:
        lines.close()


def refusals(tmp_path: Path) -> Iterator[tuple[Path, str]]:
    yield tmp_path / "missing", "does not exist: start the program that writes it first"
    yield tmp_path, "is not a file: give a recording's file"
    os.mkfifo(tmp_path / "fifo")
    yield tmp_path / "fifo", "is not a file: give a recording's file"
    (tmp_path / "binary").write_bytes(b"One.\n\xff\n")
    yield tmp_path / "binary", "line 2 is not UTF-8 text: save it as UTF-8"
    (tmp_path / "endless").write_bytes(b"x" * 2_000_000)
    yield tmp_path / "endless", "a line is longer than 1 MB: give one segment a line"


def test_what_cannot_be_followed_is_refused(tmp_path: Path) -> None:
    for path, words in refusals(tmp_path):
        with pytest.raises(SpeechError) as caught:
            followed(path)
        assert str(caught.value) in (f"{path} {words}", f"{path}: {words}")


def test_a_source_that_breaks_off_is_told_and_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken() -> Iterator[str]:
        yield "Good morning."
        raise OSError(errno.EIO, "Input/output error")

    monkeypatch.setattr("sys.stdin", broken())
    lines = Lines("-", poll_s=0.01, stop=lambda: False)
    try:
        assert lines.next(5) == "Good morning."
        with pytest.raises(SpeechError, match="standard input: cannot be read any more: Input/output error"):
            lines.next(5)
    finally:
        lines.close()
