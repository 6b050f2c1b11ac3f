"""The JSON of each speech-to-text program is read whole: words, times in their unit, speakers."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from orchestrator.material.speech.read import Recording, read_speech

A, B, C = "Good morning, we ask for three million.", "What for?", "For the second store."
Row = tuple[float, float, str | None, str]


def spoken(*names: str | None) -> list[Row]:
    return [(0.5, 3.5, names[0], A), (4.0, 5.0, names[1], B), (6.0, 8.0, names[2], C)]


SPANS = ((0.5, 3.5, A), (4.0, 5.0, B), (6.0, 8.0, C))


def ms(seconds: float) -> int:
    return round(seconds * 1000)


def srt_time(seconds: float) -> str:
    return f"00:00:{int(seconds):02},{ms(seconds) % 1000:03}"


def words(start: float, end: float, text: str) -> list[tuple[float, float, str]]:
    """The words of a sentence, over its time."""
    parts = text.split()
    step = (end - start) / len(parts)
    return [
        (round(start + n * step, 3), round(start + (n + 1) * step, 3), one) for n, one in enumerate(parts)
    ]


def tokens(text: str) -> list[tuple[str, bool]]:
    """Words and marks apart."""
    return [
        (one, one.isalpha()) for one in text.replace(",", " ,").replace(".", " .").replace("?", " ?").split()
    ]


def marked(start: float, end: float, text: str) -> list[tuple[float, float, str, bool]]:
    alone = [one for one, is_word in tokens(text) if is_word]
    times = iter(words(start, end, " ".join(alone)))
    found, last = [], (start, start, "")
    for one, is_word in tokens(text):
        last = next(times) if is_word else last
        found.append((last[0], last[1], one, is_word))
    return found


SEGMENTS = [{"id": n, "seek": 0, "start": a, "end": b, "text": f" {t}"} for n, (a, b, t) in enumerate(SPANS)]
WHO = ("A", "B", "A")
NAMES = ("Mia Falk", "Tom Reed", "Mia Falk")
EACH = list(zip(SPANS, WHO, strict=True))
NAMED = list(zip(SPANS, NAMES, strict=True))
ALL = f"{A} {B} {C}"

FORMS: dict[str, tuple[Any, list[Row]]] = {
    "whisper": ({"text": ALL, "segments": SEGMENTS, "language": "en"}, spoken(None, None, None)),
    "whisper, a list": (SEGMENTS, spoken(None, None, None)),
    "whisper.cpp": (
        {
            "systeminfo": "AVX = 1",
            "model": {"type": "base"},
            "result": {"language": "en"},
            "transcription": [
                {
                    "timestamps": {"from": srt_time(a), "to": srt_time(b)},
                    "offsets": {"from": ms(a), "to": ms(b)},
                    "text": f" {t}",
                }
                for a, b, t in SPANS
            ],
        },
        spoken(None, None, None),
    ),
    "whisper.cpp, where turns are marked and nobody is named": (
        {
            "transcription": [
                {"offsets": {"from": ms(a), "to": ms(b)}, "text": f" {t}", "speaker_turn_next": t != C}
                for a, b, t in SPANS
            ],
        },
        spoken("turn 1", "turn 2", "turn 3"),
    ),
    "whisperX": (
        {
            "segments": [
                {"start": a, "end": b, "text": f" {t}", "speaker": f"SPEAKER_0{who == 'B':d}", "words": []}
                for (a, b, t), who in EACH
            ],
            "word_segments": [],
        },
        spoken("SPEAKER_00", "SPEAKER_01", "SPEAKER_00"),
    ),
    "OpenAI, verbose": (
        {
            "task": "transcribe",
            "duration": 8.0,
            "text": ALL,
            "segments": SEGMENTS,
            "words": [{"word": "Good", "start": 0.5, "end": 0.7}],
        },
        spoken(None, None, None),
    ),
    "OpenAI, diarized": (
        {
            "text": ALL,
            "segments": [
                {
                    "type": "transcript.text.segment",
                    "id": f"seg_{a}",
                    "start": a,
                    "end": b,
                    "text": t,
                    "speaker": who,
                }
                for (a, b, t), who in EACH
            ],
        },
        spoken("A", "B", "A"),
    ),
    "OpenAI, words": (
        {
            "text": ALL,
            "words": [{"word": w, "start": s, "end": e} for a, b, t in SPANS for s, e, w in words(a, b, t)],
        },
        spoken(None, None, None),
    ),
    "insanely-fast-whisper": (
        {
            "speakers": [],
            "chunks": [{"timestamp": [a, b], "text": f" {t}"} for a, b, t in SPANS],
            "text": ALL,
        },
        spoken(None, None, None),
    ),
    "insanely-fast-whisper, speakers": (
        {
            "speakers": [{"speaker": who, "text": t, "timestamp": [a, b]} for (a, b, t), who in EACH],
            "chunks": [{"timestamp": [a, b], "text": f" {t}"} for a, b, t in SPANS],
            "text": ALL,
        },
        spoken("A", "B", "A"),
    ),
    "Deepgram, utterances": (
        {
            "metadata": {"duration": 8.0},
            "results": {
                "channels": [{"alternatives": [{"transcript": ALL, "words": []}]}],
                "utterances": [
                    {
                        "start": a,
                        "end": b,
                        "confidence": 0.9,
                        "channel": 0,
                        "transcript": t,
                        "speaker": int(who == "B"),
                        "words": [],
                    }
                    for (a, b, t), who in EACH
                ],
            },
        },
        spoken("0", "1", "0"),
    ),
    "Deepgram, paragraphs": (
        {
            "results": {
                "channels": [
                    {
                        "alternatives": [
                            {
                                "transcript": ALL,
                                "paragraphs": {
                                    "transcript": ALL,
                                    "paragraphs": [
                                        {
                                            "sentences": [{"text": t, "start": a, "end": b}],
                                            "speaker": int(who == "B"),
                                            "start": a,
                                            "end": b,
                                        }
                                        for (a, b, t), who in EACH
                                    ],
                                },
                            }
                        ]
                    }
                ]
            }
        },
        spoken("0", "1", "0"),
    ),
    "Deepgram, words": (
        {
            "results": {
                "channels": [
                    {
                        "alternatives": [
                            {
                                "transcript": ALL,
                                "words": [
                                    {
                                        "word": w.lower().strip(".,?"),
                                        "punctuated_word": w,
                                        "start": s,
                                        "end": e,
                                        "speaker": int(who == "B"),
                                    }
                                    for (a, b, t), who in EACH
                                    for s, e, w in words(a, b, t)
                                ],
                            }
                        ]
                    }
                ]
            }
        },
        spoken("0", "1", "0"),
    ),
    "AssemblyAI": (
        {
            "id": "t1",
            "text": ALL,
            "words": [{"text": "Good", "start": 500, "end": 700, "speaker": "A"}],
            "utterances": [
                {"start": ms(a), "end": ms(b), "speaker": who, "text": t, "words": []}
                for (a, b, t), who in EACH
            ],
        },
        spoken("A", "B", "A"),
    ),
    "AssemblyAI, sentences": (
        {
            "id": "t1",
            "sentences": [
                {"text": t, "start": ms(a), "end": ms(b), "words": [], "speaker": who}
                for (a, b, t), who in EACH
            ],
        },
        spoken("A", "B", "A"),
    ),
    "AWS Transcribe": (
        {
            "jobName": "j",
            "results": {
                "transcripts": [{"transcript": ALL}],
                "items": [
                    {
                        "type": "pronunciation",
                        "start_time": str(s),
                        "end_time": str(e),
                        "alternatives": [{"confidence": "0.9", "content": w}],
                        "speaker_label": f"spk_{int(who == 'B')}",
                    }
                    if is_word
                    else {
                        "type": "punctuation",
                        "alternatives": [{"confidence": "0.0", "content": w}],
                        "speaker_label": f"spk_{int(who == 'B')}",
                    }
                    for (a, b, t), who in EACH
                    for s, e, w, is_word in marked(a, b, t)
                ],
            },
        },
        spoken("spk_0", "spk_1", "spk_0"),
    ),
    "AWS Transcribe, speakers beside": (
        {
            "results": {
                "transcripts": [{"transcript": ALL}],
                "speaker_labels": {
                    "segments": [
                        {
                            "start_time": str(a),
                            "end_time": str(b),
                            "speaker_label": f"spk_{int(who == 'B')}",
                            "items": [
                                {
                                    "start_time": str(s),
                                    "end_time": str(e),
                                    "speaker_label": f"spk_{int(who == 'B')}",
                                }
                                for s, e, _, is_word in marked(a, b, t)
                                if is_word
                            ],
                        }
                        for (a, b, t), who in EACH
                    ]
                },
                "items": [
                    {
                        "type": "pronunciation",
                        "start_time": str(s),
                        "end_time": str(e),
                        "alternatives": [{"content": w}],
                    }
                    if is_word
                    else {"type": "punctuation", "alternatives": [{"content": w}]}
                    for a, b, t in SPANS
                    for s, e, w, is_word in marked(a, b, t)
                ],
            }
        },
        spoken("spk_0", "spk_1", "spk_0"),
    ),
    "AWS Transcribe, segments": (
        {
            "results": {
                "transcripts": [{"transcript": ALL}],
                "items": [],
                "audio_segments": [
                    {
                        "id": n,
                        "transcript": t,
                        "start_time": str(a),
                        "end_time": str(b),
                        "speaker_label": f"spk_{int(who == 'B')}",
                    }
                    for n, ((a, b, t), who) in enumerate(EACH)
                ],
            }
        },
        spoken("spk_0", "spk_1", "spk_0"),
    ),
    "Rev": (
        {
            "monologues": [
                {
                    "speaker": int(who == "B"),
                    "elements": [
                        {"type": "text", "value": w, "ts": s, "end_ts": e, "confidence": 0.9}
                        if is_word
                        else {"type": "punct", "value": f"{w} "}
                        for s, e, w, is_word in marked(a, b, t)
                    ],
                }
                for (a, b, t), who in EACH
            ]
        },
        spoken("0", "1", "0"),
    ),
    "Google": (
        {
            "results": [
                {
                    "alternatives": [
                        {
                            "transcript": t,
                            "words": [
                                {"startTime": f"{s}s", "endTime": f"{e}s", "word": w}
                                for s, e, w in words(a, b, t)
                            ],
                        }
                    ],
                    "languageCode": "en-us",
                }
                for a, b, t in SPANS
            ]
            + [
                {
                    "alternatives": [
                        {
                            "words": [
                                {
                                    "startTime": f"{s}s",
                                    "endTime": f"{e}s",
                                    "word": w,
                                    "speakerTag": 1 + (who == "B"),
                                }
                                for (a, b, t), who in EACH
                                for s, e, w in words(a, b, t)
                            ]
                        }
                    ]
                }
            ]
        },
        spoken("1", "2", "1"),
    ),
    "Google, second version": (
        {
            "results": [
                {
                    "alternatives": [
                        {
                            "transcript": t,
                            "words": [
                                {"startOffset": f"{s}s", "endOffset": f"{e}s", "word": w, "speakerLabel": who}
                                for s, e, w in words(a, b, t)
                            ],
                        }
                    ],
                    "resultEndOffset": f"{b}s",
                }
                for (a, b, t), who in EACH
            ]
        },
        spoken("A", "B", "A"),
    ),
    "Azure, batch": (
        {
            "source": "x",
            "combinedRecognizedPhrases": [{"channel": 0, "display": ALL}],
            "recognizedPhrases": [
                {
                    "offset": f"PT{a}S",
                    "duration": f"PT{b - a}S",
                    "offsetInTicks": a * 1e7,
                    "durationInTicks": (b - a) * 1e7,
                    "speaker": 1 + (who == "B"),
                    "nBest": [{"confidence": 0.9, "lexical": t.lower(), "display": t}],
                }
                for (a, b, t), who in EACH
            ],
        },
        spoken("1", "2", "1"),
    ),
    "Azure, fast": (
        {
            "durationMilliseconds": 8000,
            "combinedPhrases": [{"text": ALL}],
            "phrases": [
                {
                    "offsetMilliseconds": ms(a),
                    "durationMilliseconds": ms(b - a),
                    "text": t,
                    "speaker": 1 + (who == "B"),
                }
                for (a, b, t), who in EACH
            ],
        },
        spoken("1", "2", "1"),
    ),
    "ElevenLabs": (
        {
            "language_code": "en",
            "text": ALL,
            "words": [
                one
                for (a, b, t), who in EACH
                for s, e, w in words(a, b, t)
                for one in (
                    {
                        "text": w,
                        "start": s,
                        "end": e,
                        "type": "word",
                        "speaker_id": f"speaker_{int(who == 'B')}",
                    },
                    {
                        "text": " ",
                        "start": e,
                        "end": e,
                        "type": "spacing",
                        "speaker_id": f"speaker_{int(who == 'B')}",
                    },
                )
            ],
        },
        spoken("speaker_0", "speaker_1", "speaker_0"),
    ),
    "Speechmatics": (
        {
            "format": "2.9",
            "results": [
                {
                    "type": "word" if is_word else "punctuation",
                    "start_time": s if is_word else e,
                    "end_time": e,
                    "alternatives": [{"content": w, "confidence": 1.0, "speaker": who}],
                }
                for (a, b, t), who in EACH
                for s, e, w, is_word in marked(a, b, t)
            ],
        },
        spoken("A", "B", "A"),
    ),
    "Gladia": (
        {
            "id": "x",
            "result": {
                "transcription": {
                    "full_transcript": ALL,
                    "utterances": [
                        {"start": a, "end": b, "text": t, "speaker": int(who == "B"), "words": []}
                        for (a, b, t), who in EACH
                    ],
                }
            },
        },
        spoken("0", "1", "0"),
    ),
    "Vosk": (
        {
            "result": [
                {"conf": 1.0, "start": s, "end": e, "word": w}
                for a, b, t in SPANS
                for s, e, w in words(a, b, t)
            ],
            "text": ALL,
        },
        spoken(None, None, None),
    ),
    "Fireflies": (
        [
            {"index": n, "speaker_name": name, "text": t, "start_time": a, "end_time": b}
            for n, ((a, b, t), name) in enumerate(NAMED)
        ],
        spoken(*NAMES),
    ),
    "Fireflies, asked for": (
        {
            "data": {
                "transcript": {
                    "id": "x",
                    "sentences": [
                        {
                            "index": 0,
                            "speaker_name": name,
                            "text": t,
                            "raw_text": t,
                            "start_time": a,
                            "end_time": b,
                        }
                        for (a, b, t), name in NAMED
                    ],
                }
            }
        },
        spoken(*NAMES),
    ),
    "Fireflies, downloaded": (
        {
            "sentences": [
                {"sentence": t, "startTime": srt_time(a), "endTime": srt_time(b), "speaker_name": name}
                for (a, b, t), name in NAMED
            ]
        },
        spoken(*NAMES),
    ),
    "Otter": (
        {
            "speech": {
                "transcripts": [
                    {
                        "transcript": t,
                        "start_offset": int(a * 16000),
                        "end_offset": int(b * 16000),
                        "speaker_name": name,
                    }
                    for (a, b, t), name in NAMED
                ]
            }
        },
        spoken(*NAMES),
    ),
    "Teams": (
        {
            "version": "1.0.0",
            "type": "Transcript",
            "entries": [
                {
                    "id": "x",
                    "text": t,
                    "confidence": 0.9,
                    "speakerDisplayName": name,
                    "startOffset": f"{srt_time(a).replace(',', '.')}0000",
                    "endOffset": f"{srt_time(b).replace(',', '.')}0000",
                }
                for (a, b, t), name in NAMED
            ],
            "events": [{"eventType": "TranscriptStarted"}],
        },
        spoken(*NAMES),
    ),
    "Zoom": (
        {
            "meeting": "x",
            "transcript": [
                {"user_name": name, "speaker": name, "text": t, "start": a, "end": b}
                for (a, b, t), name in NAMED
            ],
        },
        spoken(*NAMES),
    ),
    "Meet": (
        {
            "transcriptEntries": [
                {
                    "name": "conferenceRecords/x",
                    "participant": name,
                    "text": t,
                    "languageCode": "en-US",
                    "startTime": f"2026-11-20T10:00:0{a}Z",
                    "endTime": f"2026-11-20T10:00:0{b}Z",
                }
                for (a, b, t), name in NAMED
            ]
        },
        [(round(a - 0.5, 3), round(b - 0.5, 3), name, t) for (a, b, t), name in NAMED],
    ),
    "Recall": (
        [
            {
                "participant": {"id": 1, "name": name},
                "words": [
                    {"text": w, "start_timestamp": {"relative": s}, "end_timestamp": {"relative": e}}
                    for s, e, w in words(a, b, t)
                ],
            }
            for (a, b, t), name in NAMED
        ],
        spoken(*NAMES),
    ),
}
"""As the programs' documentation has them, keys that say nothing of words, times and speakers left out."""


def read(folder: Path, plain: Any) -> Recording:
    path = folder / "talk.json"
    path.write_text(json.dumps(plain), "utf-8")
    return read_speech(path)


def rows(recording: Recording) -> list[Row]:
    return [(one.start_s, one.end_s, one.speaker, one.text) for one in recording.segments]


@pytest.mark.parametrize("form", FORMS)
def test_the_form_of_each_program_is_read_whole(tmp_path: Path, form: str) -> None:
    plain, expected = FORMS[form]
    recording = read(tmp_path, plain)
    assert rows(recording) == expected
    assert recording.notices == ()


@pytest.mark.parametrize(
    ("unit", "factor"), [("milliseconds", 1000), ("hundredths of a second", 100), ("ticks", 10**7)]
)
def test_times_that_cannot_be_seconds_are_read_in_their_unit(tmp_path: Path, unit: str, factor: int) -> None:
    spans = [(0, 20, " ".join(f"word{n}" for n in range(45))), (20, 30, f"{A} {B} {C} " * 2)]
    plain = [{"start": a * factor, "end": b * factor, "text": t} for a, b, t in spans]
    recording = read(tmp_path, plain)
    assert rows(recording) == [(a, b, None, t.strip()) for a, b, t in spans]
    assert recording.notices == (f"its times are read as {unit}, for as seconds they cannot be right",)


def test_times_that_can_be_in_no_unit_are_not_taken(tmp_path: Path) -> None:
    recording = read(tmp_path, [{"start": n * 0.01, "end": n * 0.01 + 0.01, "text": A} for n in range(3)])
    assert [one.times_estimated for one in recording.segments] == [True, True, True]
    assert recording.notices == (
        "its times cannot be right (700 words a second in seconds); counted from the words instead",
    )


def test_words_that_no_piece_has_are_told_without_them(tmp_path: Path) -> None:
    recording = read(tmp_path, {"text": f"{ALL} {ALL}", "segments": SEGMENTS})
    assert rows(recording) == spoken(None, None, None)
    assert recording.notices == ('13 words of "text" stand in none of the pieces in "segments"; left out',)


def test_a_list_of_an_unknown_form_is_named_beside_the_text(tmp_path: Path) -> None:
    recording = read(tmp_path, {"text": ALL, "bits": [{"from_frame": 1, "txt": "Good"}]})
    assert [one.text for one in recording.segments] == [ALL]
    assert recording.notices == ("read as one piece without times: bits is of no form that is read",)
