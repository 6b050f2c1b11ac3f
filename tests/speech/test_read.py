"""A recording of any kind becomes the same segments, and what is none is refused in one line."""

from __future__ import annotations

import hashlib
import html
import json
import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from orchestrator.core.errors import SpeechError, UsageError
from orchestrator.material.speech.read import MAX_SIZE_BYTES, Recording, read_speech
from orchestrator.material.speech.speakers import Speaker, presenter_of
from orchestrator.material.speech.times import spoken_s
from orchestrator.material.values import Segment


def read(folder: Path, name: str, content: str | bytes) -> Recording:
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return read_speech(path)


def rows(recording: Recording) -> list[tuple[float, float, str | None, str]]:
    return [(one.start_s, one.end_s, one.speaker, one.text) for one in recording.segments]


def refused(folder: Path, name: str, content: str | bytes) -> str:
    with pytest.raises(SpeechError) as caught:
        read(folder, name, content)
    message = str(caught.value)
    assert "\n" not in message
    return message.replace(f"{folder}/", "")


# WebVTT


def test_vtt_with_everything_that_a_file_may_carry(tmp_path: Path) -> None:
    text = """\ufeffWEBVTT - rehearsal
Kind: captions
Language: en

STYLE
::cue { color: red }

NOTE a comment
in two lines

intro
00:01.500 --> 00:04.000 line:0% align:start
<v.loud Dana Moss>We <b>grew</b> by
<c.yellow>12&nbsp;%</c>&lrm; &amp; more</v>

01:00:05.000 --> 01:00:06.250
<v Lee>Is 3 &lt; 4 <00:00:05.500>really?</v>
<v Dana Moss>Yes.
"""
    recording = read(tmp_path, "talk.vtt", text)
    assert rows(recording) == [
        (1.5, 4.0, "Dana Moss", "We grew by 12 % & more"),
        (3605.0, 3606.25, "Lee", "Is 3 < 4 really?"),
        (3605.0, 3606.25, "Dana Moss", "Yes."),
    ]
    assert recording.name == "talk.vtt"
    assert recording.sha256 == hashlib.sha256(text.encode()).hexdigest()
    assert (recording.times_estimated, recording.notices) == (False, ())


def test_name_prefixes_in_captions_are_speakers_and_carry_on(tmp_path: Path) -> None:
    text = """WEBVTT

00:00.000 --> 00:02.000
Dana Moss: Good morning.

00:02.000 --> 00:04.000
We begin with money.

00:04.000 --> 00:05.000
>> LEE: One question: why?

00:05.000 --> 00:06.000
Dana Moss: Margins.
"""
    assert rows(read(tmp_path, "a.vtt", text)) == [
        (0.0, 2.0, "Dana Moss", "Good morning."),
        (2.0, 4.0, "Dana Moss", "We begin with money."),
        (4.0, 5.0, "LEE", "One question: why?"),
        (5.0, 6.0, "Dana Moss", "Margins."),
    ]


ROLLING = """WEBVTT

00:00:00.000 --> 00:00:02.390 align:start position:0%
\x20
we<00:00:00.480><c> sold</c><00:00:00.900><c> nine</c>

00:00:02.390 --> 00:00:02.400
we sold nine
\x20

00:00:02.400 --> 00:00:04.500
we sold nine
of<00:00:02.700><c> them</c>

00:00:04.500 --> 00:00:04.510
of them
\x20

00:00:04.510 --> 00:00:06.000
of them
last<00:00:05.000><c> year</c>
"""


def test_rolling_captions_are_said_once(tmp_path: Path) -> None:
    recording = read(tmp_path, "rolling.vtt", ROLLING)
    assert rows(recording) == [
        (0.0, 2.4, None, "we sold nine"),
        (2.4, 4.51, None, "of them"),
        (4.51, 6.0, None, "last year"),
    ]
    assert recording.notices == ("lines that rolling captions show again were left out: 4",)


def test_what_is_said_twice_stays_twice(tmp_path: Path) -> None:
    text = "WEBVTT\n" + "".join(f"\n00:0{n}.000 --> 00:0{n + 1}.000\nNo.\n" for n in range(4))
    assert rows(read(tmp_path, "no.vtt", text)) == [(n, n + 1.0, None, "No.") for n in range(4)]


def test_cues_that_overlap_and_repeat_are_one(tmp_path: Path) -> None:
    times = ("00:00.000 --> 00:03.000", "00:02.000 --> 00:05.000", "00:06.000 --> 00:07.000")
    text = "WEBVTT\n" + "".join(
        f"\n{one}\n{words}\n" for one, words in zip(times, ("One.", "One.", "Two."), strict=True)
    )
    assert rows(read(tmp_path, "twice.vtt", text)) == [(0.0, 5.0, None, "One."), (6.0, 7.0, None, "Two.")]


def test_a_cue_with_unreadable_times_is_left_out_with_a_notice(tmp_path: Path) -> None:
    text = "WEBVTT\n\n00:00.000 --> 00:01.000\nOne.\n\n00:99.000 --> 01:00.000\nTwo.\n"
    recording = read(tmp_path, "bad.vtt", text)
    assert rows(recording) == [(0.0, 1.0, None, "One.")]
    assert recording.notices == ("the cue at line 6 has times that cannot be read; left out",)


# SRT


def test_srt_with_its_usual_faults(tmp_path: Path) -> None:
    text = (
        "\ufeff\r\n1\r\n00:00:01,000 --> 00:00:02,500\r\n{\\an8}<i>Lee:</i> Hello, R&amp;D.\r\n\r\n"
        '00:00:02,500 --> 00:00:04,000\r\n<font color="#fff">2026</font>\r\n\r\nand on\r\n\r\n'
        "3\r\n00:00:04,000 --> 00:00:05,000\r\nLee: a < b and c > d\r\n"
    )
    assert rows(read(tmp_path, "faults.srt", text)) == [
        (1.0, 2.5, "Lee", "Hello, R&D."),
        (2.5, 4.0, "Lee", "2026 and on"),
        (4.0, 5.0, "Lee", "a < b and c > d"),
    ]


def test_the_content_says_more_than_the_suffix(tmp_path: Path) -> None:
    srt = "1\n00:00:01,000 --> 00:00:02,000\nHello.\n"
    vtt = "WEBVTT\n\n00:01.000 --> 00:02.000\nHello.\n"
    whole = '{"segments": [{"start": 1, "end": 2, "text": "Hello."}]}'
    lines = '{"start_s": 1, "end_s": 2, "text": "Hello."}\n\n{"text": "", "final": true}\n'
    for content in (srt, vtt, whole, lines):
        for name in ("a.vtt", "a.srt", "a.txt", "a.json", "a"):
            assert rows(read(tmp_path, name, content)) == [(1.0, 2.0, None, "Hello.")]
    assert rows(read(tmp_path, "wide.txt", "Hello there.".encode("utf-16"))) == [
        (0.0, 0.8, None, "Hello there.")
    ]


# Text


def test_untimed_text_takes_its_words_at_150_a_minute(tmp_path: Path) -> None:
    recording = read(
        tmp_path, "talk.txt", "Good morning\nto everyone here.\n\n\n Five \t words are said here. \n"
    )
    assert recording.segments == (
        Segment("Good morning to everyone here.", 0.0, 2.0, times_estimated=True),
        Segment("Five words are said here.", 2.0, 4.0, times_estimated=True),
    )
    assert recording.times_estimated
    assert spoken_s("word " * 150) == 60.0
    assert spoken_s("字" * 300) == 60.0


def test_without_blank_lines_each_line_is_a_paragraph(tmp_path: Path) -> None:
    text = "Dana: Good morning.\nLee: Hello.\nDana: We begin: money first.\n"
    assert rows(read(tmp_path, "lines.txt", text)) == [
        (0.0, 0.8, "Dana", "Good morning."),
        (0.8, 1.2, "Lee", "Hello."),
        (1.2, 2.8, "Dana", "We begin: money first."),
    ]


def test_stamps_in_brackets_with_names(tmp_path: Path) -> None:
    text = """[00:01:02] Dana Moss: We sold 40.
[00:01:10.5] Lee: All of them?

[1:12] Dana Moss: Yes.
All forty.
"""
    recording = read(tmp_path, "stamps.txt", text)
    assert rows(recording) == [
        (62.0, 63.2, "Dana Moss", "We sold 40."),
        (70.5, 71.7, "Lee", "All of them?"),
        (72.0, 73.2, "Dana Moss", "Yes. All forty."),
    ]
    assert not recording.times_estimated  # the starts were told


@pytest.mark.parametrize(
    "text",
    [
        "Speaker 1  0:05\nWe sold forty.\n\nSpeaker 2  0:08\nAll of them?\n",
        "Speaker 1  0:05\nWe sold forty.\nSpeaker 2  0:08\nAll of them?\n",
        "(0:05) Speaker 1: We sold forty.\n\n(0:08) Speaker 2: All of them?\n",
        "0:05 Speaker 1: We sold forty.\n\n0:08 Speaker 2: All of them?\n",
        "0:05\nSpeaker 1: We sold forty.\n0:08\nSpeaker 2: All of them?\n",
        "0:05-0:06 Speaker 1: We sold forty.\n\n0:08 - end Speaker 2: All of them?\n",
    ],
)
def test_stamps_as_programs_export_them(tmp_path: Path, text: str) -> None:
    assert [(start, speaker, words) for start, _, speaker, words in rows(read(tmp_path, "a.txt", text))] == [
        (5.0, "Speaker 1", "We sold forty."),
        (8.0, "Speaker 2", "All of them?"),
    ]


def test_untimed_paragraphs_share_the_time_that_the_stamps_leave(tmp_path: Path) -> None:
    text = "0:00-0:10 One two three.\n\nFour five.\n\n0:10-0:20 Six.\n\nSeven eight.\n"
    recording = read(tmp_path, "mixed.txt", text)
    assert rows(recording) == [
        (0.0, 6.0, None, "One two three."),
        (6.0, 10.0, None, "Four five."),
        (10.0, 20.0, None, "Six."),
        (20.0, 20.8, None, "Seven eight."),
    ]
    assert [one.times_estimated for one in recording.segments] == [False, True, False, True]


@pytest.mark.parametrize(
    "text",
    [
        "Note: we grew.\n\nNote: we shrank.\n\nNote: we grew again.",  # no name, though it recurs
        "Revenue: up.\n\nMargins: down.\n\nHeadcount: flat.",  # topics: each stands once
        "There is one thing: money.\n\nThere is one thing: time.",  # not all capitalised
        "We met at 12:30 and left.\n\n12:30 is late: very.",
        "https://example.org/a is ours.\n\nhttps://example.org/b too.",
    ],
)
def test_a_colon_alone_makes_no_speaker(tmp_path: Path, text: str) -> None:
    assert [(one.speaker, one.text) for one in read(tmp_path, "a.txt", text).segments] == [
        (None, paragraph) for paragraph in text.split("\n\n")
    ]


def test_a_role_is_a_speaker_even_once(tmp_path: Path) -> None:
    assert rows(read(tmp_path, "a.txt", "Operator: Please begin.")) == [
        (0.0, 0.8, "Operator", "Please begin.")
    ]


# JSON


def test_segment_json_and_json_lines(tmp_path: Path) -> None:
    items = [
        {"start": 0.5, "end": 2, "speaker": 1, "text": "  One\ntwo. ", "confidence": 0.9, "id": 7},
        {"start_s": 2.0, "end_s": 3.5, "speaker": "Lee", "text": "Three.", "slide": 3, "confidence": 93},
        {"start": 3.5, "end": 3.6, "text": "inter", "final": False},
        {"start": "0:04.5", "end": "5.25", "text": "Four\x00 five\ud800.", "final": True},
        {"text": "   "},
        {"text": "Six seven."},
    ]
    expected = (
        Segment("One two.", 0.5, 2.0, speaker="1", confidence=0.9),
        Segment("Three.", 2.0, 3.5, speaker="Lee", slide=3),
        Segment("Four five\ufffd.", 4.5, 5.25),
        Segment("Six seven.", 5.25, 6.05, times_estimated=True),
    )
    assert read(tmp_path, "a.json", json.dumps({"text": "…", "segments": items})).segments == expected
    assert read(tmp_path, "b.json", json.dumps(items, indent=1)).segments == expected
    assert read(tmp_path, "c.jsonl", "\n\n".join(map(json.dumps, items))).segments == expected


# A bad clock


def timed(folder: Path, *times: tuple[object, object]) -> Recording:
    items = [
        {"start": start, "end": end, "text": f"Words {n}."} for n, (start, end) in enumerate(times, start=1)
    ]
    return read(folder, "clock.json", json.dumps(items))


def test_talk_at_the_same_time_is_put_in_order(tmp_path: Path) -> None:
    recording = timed(tmp_path, (0, 4), (5, 9), (3, 4.5))
    assert rows(recording) == [(0, 4, None, "Words 1."), (3, 4.5, None, "Words 3."), (5, 9, None, "Words 2.")]
    assert recording.notices == ()


IMPOSSIBLE = "has a time that cannot be (negative, over 24 hours or no number)"


def test_impossible_times_are_counted_from_the_words(tmp_path: Path) -> None:
    recording = timed(tmp_path, (float("nan"), 1), (1, 2), (-5, 3), (90_000, 90_001), (4, 3.5), (10**400, 5))
    assert rows(recording) == [
        (0.0, 0.8, None, "Words 1."),
        (1.0, 2.0, None, "Words 2."),
        (2.0, 2.8, None, "Words 3."),
        (2.8, 3.6, None, "Words 4."),
        (4.0, 4.8, None, "Words 5."),
        (4.8, 5.6, None, "Words 6."),
    ]
    assert recording.notices == (
        f"segment 1 {IMPOSSIBLE}, and 3 more; counted from the words instead",
        "segment 5 ends before it starts; counted from the words instead",
    )


def test_a_clock_that_was_set_back_goes_on_behind(tmp_path: Path) -> None:
    recording = timed(tmp_path, (0, 30), (30, 60), (60, 90), (2, 10), (10, 20), (20, 30))
    assert [(start, end) for start, end, *_ in rows(recording)] == [
        (0, 30), (30, 60), (60, 90), (90, 98), (98, 108), (108, 118),
    ]  # fmt: skip
    assert recording.notices == (
        "the clock goes back from 1:00 to 0:02 at segment 4; what follows was moved behind it",
    )


@pytest.mark.parametrize("stray", [0, 9000])
def test_one_stray_time_moves_nothing_else(tmp_path: Path, stray: int) -> None:
    times = [(10.0 * n, 10.0 * n + 10) for n in range(12)]
    recording = timed(tmp_path, *times[:6], (stray, stray + 10), *times[7:])
    assert [(start, end) for start, end, *_ in rows(recording)] == [*times[:6], (60.0, 60.8), *times[7:]]
    assert recording.notices == (
        "segment 7 has a time out of line with its neighbours; counted from the words instead",
    )


# What is refused


NOTHING = "no speech found; give a recording with at least one spoken line"


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.vtt", "", " is empty: no speech found in it"),
        ("a.txt", " \n\t\n", " is empty: no speech found in it"),
        ("a.vtt", "WEBVTT\n\nNOTE nothing\n", f": {NOTHING}"),
        ("a.json", "[]", f": {NOTHING}"),
        ("a.vtt", "Hello", " is not VTT: it must begin with the line WEBVTT"),
        ("a.srt", "Hello", " is not SRT: it must begin with a number and a line of times"),
        ("a.txt", b"MZ\x00\x00", " is not text (it holds NUL): give a transcript"),
        ("a.srt", b"caf\xe9", " is not UTF-8 text: save it as UTF-8, or give a transcript"),
        ("a.pdf", "%PDF-1.7", " is of a kind that is not read: give .vtt, .srt, .sbv, .txt, .json or .jsonl"),
        (
            "a.jsonl",
            '{"text": "a"}\n{"text"}',
            ": line 2 is not JSON: Expecting ':' delimiter (line 1, column 8)",
        ),
    ],
)
def test_refusals_say_what_is_wrong_in_one_line(
    tmp_path: Path, name: str, content: str | bytes, message: str
) -> None:
    assert refused(tmp_path, name, content) == f"{name}{message}"


PROGRAMS = (
    "the JSON of these is read as well: whisper, whisper.cpp, faster-whisper, whisperX, "
    "insanely-fast-whisper, OpenAI, Deepgram, AssemblyAI, AWS Transcribe, Rev, Google, Azure, ElevenLabs, "
    "Speechmatics, Gladia, Vosk, Otter, Fireflies, Teams, Zoom, Meet"
)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("{", " is not JSON: Expecting property name enclosed in double quotes (line 1, column 2)"),
        (
            "[" * 100_000,
            " is not JSON that can be read: numbers too long or brackets too deep; give a list of segments",
        ),
        (
            f"[{'9' * 5000}]",
            " is not JSON that can be read: numbers too long or brackets too deep; give a list of segments",
        ),
        (
            "{}",
            f' holds no segments: give a list, or {{"segments": [{{"start", "end", "text"}}]}}; {PROGRAMS}',
        ),
        ("[3]", ': segment 1 is not an object: give {"text": "…"}'),
        ('[{"start": 1}]', ": segment 1 has no text: give its words as a string under the key text"),
        ('[{"text": "a", "start": "x"}]', ": segment 1: start is not a time: give seconds as a number"),
        ('[{"text": "a", "slide": 0}]', ": segment 1: slide must be a whole number from 1"),
        ('[{"text": "a", "speaker": []}]', ": segment 1: speaker is not a label: give a string"),
        ('[{"text": "a", "final": "no"}]', ": segment 1: final must be true or false"),
    ],
)
def test_json_that_holds_no_usable_segments_is_refused(tmp_path: Path, content: str, message: str) -> None:
    assert refused(tmp_path, "a.json", content) == f"a.json{message}"


def test_what_is_no_file_is_refused(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "fifo.vtt")
    big = tmp_path / "big.vtt"
    with big.open("wb") as file:
        file.truncate(MAX_SIZE_BYTES + 1)
    for path, words in [
        (tmp_path / "missing.vtt", "does not exist: give the path of a recording"),
        (tmp_path, "is a folder: give a recording's file"),
        (
            tmp_path / "fifo.vtt",
            "is not a file: give a recording's file, or pipe JSON lines to `feed SESSION -`",
        ),
        (big, "is larger than 50 MB: give the transcript, not the sound"),
        (tmp_path / "a\nb.vtt", "does not exist: give the path of a recording"),
        (Path("a\0b"), "cannot be read: no path that can be"),
    ]:
        with pytest.raises(SpeechError) as caught:
            read_speech(path)
        assert str(caught.value).endswith(f" {words}")
        assert str(caught.value).isprintable()


SCRAPS = (
    *(
        "00:01.000",
        " --> ",
        "00:00:02,000",
        "0:10-end ",
        "\n",
        "\n\n",
        "\r",
        "\u2028",
        "\x1c",
        "\ufeff",
        "Dana: ",
    ),
    *("<v ", ">", "&#", ";", '"', "}", "]", ":", ",", "1", "-1", "NaN", "1e999", "text"),
)
HEADS = ("", "WEBVTT\n\n", "1\n", "[0:01] ", '{"segments": [', '{"text": "a", "start": ', "[{")


@settings(max_examples=300, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    name=st.sampled_from(["a.vtt", "a.srt", "a.txt", "a.json", "a.jsonl", "a"]),
    head=st.sampled_from(HEADS),
    body=st.binary(max_size=200)
    | st.lists(st.sampled_from(SCRAPS), max_size=30).map("".join).map(str.encode),
)
def test_any_bytes_are_refused_in_one_line_or_make_whole_segments(
    tmp_path: Path, name: str, head: str, body: bytes
) -> None:
    refusal = ""
    segments: tuple[Segment, ...] = ()
    try:
        segments = read(tmp_path, name, head.encode() + body).segments
    except SpeechError as error:
        refusal = str(error)
    assert refusal.isprintable()  # one line
    assert bool(segments) != bool(refusal)
    latest_s = 0.0
    for segment in segments:
        assert latest_s <= segment.start_s <= segment.end_s
        assert segment.text == " ".join(segment.text.split())
        assert segment.text
        segment.text.encode()
        latest_s = segment.start_s


# What was rendered is read back


WORD = st.text(
    st.characters(categories=["L", "N", "P", "S"], exclude_characters="\ufeff"), min_size=1, max_size=8
)
LINE = st.lists(WORD, min_size=1, max_size=6).map(" ".join)
TIMES_S = st.lists(st.integers(0, 5_000_000), min_size=2, max_size=2, unique=True).map(
    lambda pair: (min(pair) / 1000, max(pair) / 1000)
)
SPEECH = st.lists(st.tuples(TIMES_S, LINE), min_size=1, max_size=8, unique_by=lambda row: row[0][0]).map(
    lambda spoken: tuple(
        Segment(text, start_s, end_s, speaker="Dana" if index % 2 else "Lee M")
        for index, ((start_s, end_s), text) in enumerate(sorted(spoken))
    )
)


def clock(time_s: float, point: str = ".") -> str:
    millis = round(time_s * 1000)
    minutes, rest = divmod(millis, 60_000)
    return f"{minutes // 60:02d}:{minutes % 60:02d}:{rest // 1000:02d}{point}{rest % 1000:03d}"


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(spoken=SPEECH)
def test_rendered_speech_is_read_back(tmp_path: Path, spoken: tuple[Segment, ...]) -> None:
    vtt = "WEBVTT\n" + "".join(
        f"\n{clock(one.start_s)} --> {clock(one.end_s)}\n<v {one.speaker}>{html.escape(one.text)}</v>\n"
        for one in spoken
    )
    assert read(tmp_path, "a.vtt", vtt).segments == spoken
    plain = [{"start_s": s.start_s, "end_s": s.end_s, "speaker": s.speaker, "text": s.text} for s in spoken]
    assert read(tmp_path, "a.json", json.dumps({"segments": plain})).segments == spoken
    assert read(tmp_path, "a.jsonl", "\n".join(map(json.dumps, plain))).segments == spoken


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(spoken=SPEECH)
def test_rendered_srt_is_read_back(tmp_path: Path, spoken: tuple[Segment, ...]) -> None:
    # SRT has no way to escape a tag, an entity or an arrow, and no speakers but by name.
    unnamed = tuple(
        Segment(
            "".join(" " if char in "<>{}&" else char for char in f"so {one.text}"), one.start_s, one.end_s
        )
        for one in spoken
    )
    cleaned = tuple(Segment(" ".join(one.text.split()), one.start_s, one.end_s) for one in unnamed)
    srt = "".join(
        f"{number}\n{clock(one.start_s, ',')} --> {clock(one.end_s, ',')}\n{one.text}\n\n"
        for number, one in enumerate(cleaned, start=1)
    )
    assert read(tmp_path, "a.srt", srt).segments == cleaned


# Real recordings


CUMULUS = "Welcome to the Cumulus Media Quarterly earnings conference call. I will now turn the call over"
LOMA = (
    "Good morning, and welcome to the Loma Negra third quarter twenty twenty one conference call and webcast."
)
CONCLUDED = "The conference has now concluded. Thank you for attending today's presentation."
PLANTS = "All of these presets and parameters are also available in VUE and in the PlantFactory integration"


@pytest.mark.parametrize(
    ("name", "count", "first", "last"),
    [
        (
            "4386541.amazon_asr.vtt",
            122,
            (0.94, 7.1, "Speaker 1", CUMULUS),
            (1094.52, 1096.77, "Speaker 1", "You may now disconnect."),
        ),
        (
            "4386541.amazon_asr.segments.json",
            122,
            (0.94, 7.1, "1", CUMULUS),
            (1094.52, 1096.77, "1", "You may now disconnect."),
        ),
        (
            "4468919.aligned.vtt",
            133,
            (1.1, 6.67, "Speaker 0", LOMA),
            (1207.2, 1212.6, "Speaker 0", f"{CONCLUDED} You may now disconnect."),
        ),
        (
            "4468919.aligned.segments.json",
            133,
            (1.1, 6.67, "0", LOMA),
            (1207.2, 1212.6, "0", f"{CONCLUDED} You may now disconnect."),
        ),
        (
            "aswf_plantfactory_demo.txt",
            17,
            (0.0, 0.0, None, "PlantFactory"),
            (184.8, 193.2, None, f"{PLANTS} plugins for other DCC apps."),
        ),
        (
            "innersource/02-problems-solved.en.vtt",
            84,
            (4.62, 5.76, None, "In this video segment,"),
            (282.22, 284.24, None, "without those associated drawbacks."),
        ),
        (
            "innersource/03-how-works.en.vtt",
            101,
            (5.66, 6.4, None, "Hi."),
            (336.237, 338.973, None, "the kinds of work that is going to do the business the best."),
        ),
        (
            "innersource/04-benefits.en.vtt",
            72,
            (4.28, 7.74, None, "This video describes the benefits you can expect to see"),
            (242.01, 244.579, None, "effective application of the principles of InnerSource."),
        ),
        (
            "innersource/05-principles.en.vtt",
            88,
            (5.12, 8.208, None, "OK so now you have heard a couple of explanations"),
            (253.155, 255.29, None, "and the gravity of the work that they're doing."),
        ),
        (
            "innersource/02.pt.srt",
            80,
            (4.471, 5.839, None, "Neste vídeo, nós iremos"),
            (282.615, 284.484, None, "essas desvantagens associadas."),
        ),
        (
            "innersource/03.pt.srt",
            102,
            (5.572, 8.274, None, "Oi. Então, este vídeo irá"),
            (337.136, 339.339, None, "que farão o negócio melhor."),
        ),
        (
            "innersource/05.pt.srt",
            74,
            (5.005, 6.339, None, "Ok. Então agora"),
            (252.085, 256.289, None, "entendam a importância e a gravidade do trabalho que estão fazendo."),
        ),
        (
            "parser_fixtures/testWebVTT.vtt",
            8,
            (3.5, 5.0, None, "Everyone wants the most from life"),
            (28.0, 30.0, None, "Simply for everyone"),
        ),
        (
            "parser_fixtures/testWebVTT_header.vtt",
            1,
            (74.815, 78.114, None, "- What? - Where are we now?"),
            (74.815, 78.114, None, "- What? - Where are we now?"),
        ),
        (
            "parser_fixtures/testWebVTT_simple.vtt",
            2,
            (1.0, 4.0, None, "- Never drink liquid nitrogen."),
            (5.0, 9.0, None, "- It will perforate your stomach. - You could die."),
        ),
        (
            "parser_fixtures/testWebVTT_utf8.vtt",
            10,
            (0.35, 2.01, None, "Well, the feedback indicates"),
            (20.89, 23.663, None, "about who does what and who reports to whom."),
        ),
        (
            "parser_fixtures/test_subrip.srt",
            10,
            (74.44, 75.76, None, "ESSAI DE SOUS-TITRES"),
            (103.12, 105.72, None, "2e épisode : ET LA SUITE"),
        ),
        (
            "qmsum/ES2004a.json",
            320,
            (0.0, 1.6, "User Interface", "Hmm hmm hmm ."),
            (1296.4, 1298.8, "Project Manager", "I think so , yeah ."),
        ),
    ],
)
def test_real_recordings(
    shared: Path,
    name: str,
    count: int,
    first: tuple[float, float, str | None, str],
    last: tuple[float, float, str | None, str],
) -> None:
    recording = read_speech(shared / "transcripts" / name)
    assert len(recording.segments) == count
    assert (rows(recording)[0], rows(recording)[-1]) == (first, last)
    assert recording.notices == ()


def test_real_recordings_in_two_forms_say_the_same(shared: Path) -> None:
    for stem in ("4386541.amazon_asr", "4468919.aligned"):
        vtt = read_speech(shared / "transcripts" / f"{stem}.vtt")
        whole = read_speech(shared / "transcripts" / f"{stem}.segments.json")
        assert [(a, b, f"Speaker {who}", text) for a, b, who, text in rows(whole)] == rows(vtt)


# Who is the presenter


SPOKEN = (
    Segment("Welcome to our call.", 0.0, 2.0, speaker="Operator"),
    Segment("Thank you.", 2.0, 3.0, speaker="Dana Moss"),
    Segment("We sold forty of them this year, more than ever.", 3.0, 9.0, speaker="Dana Moss"),
    Segment("Why?", 9.0, 10.0, speaker="Lee"),
)


def known(label: str | None, how: str) -> Speaker:
    return Speaker(label, how, alone=label is not None)


def test_the_presenter_is_who_is_given_or_clearly_speaks_most() -> None:
    assert presenter_of(SPOKEN, None) == known("Dana Moss", "speaks most")
    assert presenter_of(SPOKEN, name="lee") == known("Lee", "named")
    assert presenter_of(SPOKEN, name="moss dana") == known("Dana Moss", "named")
    assert presenter_of(SPOKEN, name="Kim") == known("Dana Moss", "speaks most")
    assert presenter_of(SPOKEN, "Lee") == known("Lee", "given")
    assert presenter_of(SPOKEN, " dana  moss") == known("Dana Moss", "given")
    assert presenter_of(SPOKEN, "Moss") == known("Dana Moss", "given")
    assert presenter_of(SPOKEN[1:3], None) == known("Dana Moss", "only one")
    assert presenter_of((), None) == known(None, "only one")
    assert presenter_of((Segment("Hi.", 0, 1), Segment("Yes.", 1, 9)), None) == known(None, "only one")


@pytest.mark.parametrize(
    ("others", "shares"),
    [
        ((Segment("Five words are said here.", 0, 4, "B"),), "A 50 %, B 50 %"),
        ((Segment("Four words are said.", 0, 6, "B"),), "A 56 %, B 44 %"),  # fewer words, in more time
        (
            (Segment("Two words.", 0, 1, "B"), Segment("Who says these?", 1, 4)),
            "A 50 %, nobody named 30 %, B 20 %",
        ),
        ((Segment("Who says these?", 0, 5),), "A 62 %, nobody named 38 %"),
    ],
)
def test_nobody_is_judged_where_another_may_have_said_as_much(
    others: tuple[Segment, ...], shares: str
) -> None:
    found = presenter_of((Segment("We ask for three million.", 6, 10, "A"), *others))
    assert (found.label, found.how, found.labels) == (None, "unclear", ())
    assert found.notice == (
        f"who presents is not clear, so nobody is judged: which of these is you? {shares}: "
        "say it with --speaker LABEL"
    )


def test_a_speaker_who_is_not_there_is_refused_with_those_who_are() -> None:
    with pytest.raises(UsageError) as caught:
        presenter_of(SPOKEN, "Kim")
    assert (
        str(caught.value)
        == "--speaker 'Kim' does not speak in this recording; it has: Operator, Dana Moss, Lee"
    )
    with pytest.raises(UsageError) as caught:
        presenter_of((Segment("Hi.", 0, 1),), "Kim")
    assert str(caught.value) == "--speaker 'Kim': this recording names no speakers; leave --speaker out"


def test_no_more_speech_is_read_than_is_understood_in_time(tmp_path: Path) -> None:
    shorter = "give the part that is rehearsed"
    many = "".join(f'{{"t": {at}, "text": "We grew."}}\n' for at in range(10_001))
    told = f"many.jsonl: has 10,001 segments (limit 10,000): {shorter}"
    assert refused(tmp_path, "many.jsonl", many) == told
    long = "".join(f'{{"t": {at}, "text": "{"We grew. " * 10_000}"}}\n' for at in range(6))
    told = f"long.jsonl: has 539,994 characters (limit 500,000): {shorter}"
    assert refused(tmp_path, "long.jsonl", long) == told


def test_a_piece_that_no_transcript_takes_is_refused_before_it_is_taken_in(tmp_path: Path) -> None:
    path = tmp_path / "speech.txt"
    path.write_text("Yes.\n\n" + "word " * 20_001, "utf-8")
    with pytest.raises(SpeechError) as refused:
        read_speech(path)
    told = "segment 2 has 100,004 characters (limit 100,000): split it into paragraphs"
    assert str(refused.value) == f"{path}: {told}"
