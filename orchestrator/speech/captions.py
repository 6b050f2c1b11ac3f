"""WebVTT and SRT: cues → pieces of speech."""

from __future__ import annotations

import html
import re
from dataclasses import dataclass
from itertools import groupby, pairwise
from operator import itemgetter

from orchestrator.errors import SpeechError
from orchestrator.speech.model import LiveSegment
from orchestrator.speech.text import LINE_END, clean, label

_VOICE = re.compile(r"<v(?:\.[^\s<>]*)?[ \t]+([^<>]{0,400})>")
_VOICE_OR_LINE = re.compile(r"(<v(?:\.[^\s<>]*)?[ \t]+[^<>]{0,400}>|</v>|\n)")
_TAG = re.compile(
    r"</?(?:v|c|b|i|u|s|em|strong|font|lang|ruby|rt|span)(?:[.\s][^<>]*)?>|<(?:\d+:)?\d+:\d+\.\d+>",
    re.IGNORECASE,
)
_OVERRIDE = re.compile(r"\{\\[^{}]*\}")  # SubStation positions such as {\an8}, which many SRT files carry
_ENTITY = re.compile(r"&(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z]\w{1,31});")
_TIMING = re.compile(r"\s*(?:\d+:)?[0-5]?\d:[0-5]?\d[.,]\d+\s*-->\s*(?:\d+:)?[0-5]?\d:[0-5]?\d[.,]\d+")
_TOUCHING_S = 0.05  # rolling captions of speech-to-text programs leave gaps of 10 ms at most
_ROLLING_SHARE = 1 / 3


@dataclass(frozen=True, slots=True)
class Cue:
    """What is shown at one time: its lines, each with the voice that speaks it."""

    start_s: float
    end_s: float
    lines: tuple[tuple[str | None, str], ...]


def read_captions(text: str, kind: str) -> tuple[list[LiveSegment], list[str]]:
    """The pieces of speech of a whole file, and what a user should know about them.

    One piece for each voice of each cue, with the cue's times. Lines that rolling captions show
    again are left out.

    Raises:
        SpeechError: *text* is not of this *kind* ("vtt" or "srt").
    """
    found = cues(text, kind)
    notices = _unread(text)
    kept, repeated = without_repeats(found)
    if repeated:
        notices.append(f"lines that rolling captions show again were left out: {repeated}")
    return [piece for cue in kept for piece in pieces_of(cue)], notices


def cues(text: str, kind: str) -> list[Cue]:
    """The cues of a file, in its order, with clean text; cues without words are left out.

    Raises:
        SpeechError: *text* is not of this *kind* ("vtt" or "srt").
    """
    from webvtt import WebVTT
    from webvtt.errors import MalformedCaptionError, MalformedFileError

    lines = _numbered(text) if kind == "srt" else [text]
    try:
        captions = WebVTT.from_buffer(lines, format=kind).captions
    except (MalformedFileError, MalformedCaptionError, ValueError):
        first = "the line WEBVTT" if kind == "vtt" else "a number and a line of times"
        raise SpeechError(f"is not {kind.upper()}: it must begin with {first}") from None
    read = [
        Cue(
            caption.start_time.in_milliseconds() / 1000,
            caption.end_time.in_milliseconds() / 1000,
            _voiced("\n".join(caption.lines)),
        )
        for caption in captions
    ]
    return [cue for cue in read if cue.lines]


def without_repeats(found: list[Cue]) -> tuple[list[Cue], int]:
    """The cues without lines that only repeat the end of the cue before, and how many those were.

    A repeat counts where cues overlap in time. Where they only touch, it counts if a third of
    the cues repeat and lines visibly roll up, since people do say things twice.
    """
    pairs = list(pairwise(found))
    repeats = [_repeated(before, cue, _TOUCHING_S) for before, cue in pairs]
    longest = [max(len(before.lines), len(cue.lines)) for before, cue in pairs]
    rolled = sum(0 < count < most for count, most in zip(repeats, longest, strict=True))
    rolling = rolled >= 2 and sum(map(bool, repeats)) >= _ROLLING_SHARE * len(pairs)
    slack_s = _TOUCHING_S if rolling else -0.0005  # strictly overlapping, in whole milliseconds
    kept, left_out = found[:1], 0
    for before, cue in pairs:
        count = _repeated(before, cue, slack_s)
        left_out += count
        if count < len(cue.lines):
            kept.append(Cue(cue.start_s, cue.end_s, cue.lines[count:]))
        else:
            last = kept[-1]
            kept[-1] = Cue(last.start_s, max(last.end_s, cue.end_s), last.lines)
    return kept, left_out


def pieces_of(cue: Cue) -> list[LiveSegment]:
    """One piece for each run of lines by one voice; voices of one cue share its times."""
    return [
        LiveSegment(" ".join(line for _, line in lines), cue.start_s, cue.end_s, voice)
        for voice, lines in groupby(cue.lines, key=itemgetter(0))
    ]


def is_timing(line: str) -> bool:
    """Whether this is a cue's line of times, and they can be read."""
    return _TIMING.match(line) is not None


def _repeated(before: Cue, cue: Cue, slack_s: float) -> int:
    if cue.start_s > before.end_s + slack_s:
        return 0
    longest = min(len(before.lines), len(cue.lines))
    return next((n for n in range(longest, 0, -1) if before.lines[-n:] == cue.lines[:n]), 0)


def _voiced(raw: str) -> tuple[tuple[str | None, str], ...]:
    voice: str | None = None
    lines: list[tuple[str | None, str]] = []
    for part in _VOICE_OR_LINE.split(raw):
        if match := _VOICE.fullmatch(part):
            voice = label(_plain(match[1]))
        elif part == "</v>":
            voice = None
        elif line := clean(_plain(_OVERRIDE.sub("", _TAG.sub("", part)))):
            lines.append((voice, line))
    return tuple(lines)


def _plain(text: str) -> str:
    return _ENTITY.sub(lambda match: html.unescape(match[0]), text)


def _numbered(text: str) -> list[str]:
    """SRT lines with a number before every line of times: some programs leave it out."""
    lines: list[str] = []
    for line in LINE_END.split(text.strip("\ufeff \t\r\n")):
        if is_timing(line) and not (lines and lines[-1].strip().isdigit()):
            lines += ["", "1"]
        lines.append(line)
    while lines and not lines[0]:
        del lines[0]
    return [lines[0].strip(), *lines[1:]] if lines else []


def _unread(text: str) -> list[str]:
    """A notice about cues whose times cannot be read, so that nothing is lost silently."""
    bad, in_block = [], 0  # the line of times is the first or second of its block
    for number, line in enumerate(LINE_END.split(text), start=1):
        if "-->" in line and in_block < 2 and not is_timing(line):
            bad.append(number)
        in_block = in_block + 1 if line.strip() else 0
    if not bad:
        return []
    more = f", and {len(bad) - 1} more" if len(bad) > 1 else ""
    return [f"the cue at line {bad[0]} has times that cannot be read{more}; left out"]
