"""Parse WebVTT and SRT cues into pieces of speech."""

from __future__ import annotations

import html
import re
from dataclasses import dataclass
from itertools import groupby, pairwise
from operator import itemgetter

from orchestrator.core.errors import SpeechError
from orchestrator.core.legible import one_line
from orchestrator.material.speech.text import LINE_END, label
from orchestrator.material.values import LiveSegment

# Names are bounded (400): a "<v " that is never closed must not make each later line be searched.
_VOICE = re.compile(r"<v(?:\.[^\s<>]*)?[ \t]+([^<>]{0,400})>")
_VOICE_OR_LINE = re.compile(r"(<v(?:\.[^\s<>]*)?[ \t]+[^<>]{0,400}>|</v>|\n)")
# The tags of WebVTT and of SRT files from the web, and the time stamps inside karaoke cues; any other < is
# text.
_TAG = re.compile(
    r"</?(?:v|c|b|i|u|s|em|strong|font|lang|ruby|rt|span)(?:[.\s][^<>]*)?>|<(?:\d+:)?\d+:\d+\.\d+>",
    re.IGNORECASE,
)
_OVERRIDE = re.compile(r"\{\\[^{}]*\}")  # SubStation positions such as {\an8}, which many SRT files carry
# Bounded and closed by a semicolon: "AT&T" is text.
_ENTITY = re.compile(r"&(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z]\w{1,31});")
# Hours and fraction may be missing, the fraction may have a comma (SRT) or more than three digits.
_TIME = r"(?:(\d+):)?([0-5]?\d):([0-5]?\d)(?:[.,:](\d{1,3})\d*)?(?!\d)"
_TIMING = re.compile(rf"\s*{_TIME}\s*-->\s*{_TIME}")
_SRT_HEAD = re.compile(r"\s*(?:\d+\s*)?\d[^\r\n]*-->")
_WEBEX_ID = re.compile(r'\d+\s+"(.{1,200})"\s*(?:\(\d+\))?')  # 12 "Mia Falk" (1234567)
_TOUCHING_S = 0.05  # rolling captions of speech-to-text programs leave gaps of 10 ms at most
_ROLLING_SHARE = 1 / 3  # people say a line twice; where a third of all cues repeat, a program rolls them


@dataclass(frozen=True, slots=True)
class Cue:
    """The caption shown at one time: its lines, each with the voice that speaks it."""

    start_s: float
    end_s: float
    lines: tuple[tuple[str | None, str], ...]


class CueReader:
    """A parser of the cues of a file or feed, line by line, that repairs known faults of programs."""

    def __init__(self, kind: str, *, live: bool, is_spaced: bool = False) -> None:
        """Set up for cues of *kind* ("vtt" or "srt"); if the cues are *live*, a blank line ends one.

        In a whole SRT file a blank line ends no cue: words behind it belong to the cue before it. If
        *is_spaced*, a line of times in the middle of words counts as words.
        """
        self.unread: list[int] = []  # the lines of times that cannot be read
        self.number = 0  # of the last line
        self._ends_at_blank = live or kind == "vtt"
        self._goes_on = kind == "srt"
        self._is_spaced = is_spaced
        self._timing = ""
        self._timing_number = 0
        self._lines: list[str] = []
        self._id = ""  # of the cue: the line above its times
        self._is_new = True  # the line before was blank, or there was none
        self._last: Cue | None = None

    def line(self, line: str) -> Cue | None:
        """Return the cue that this line completes, or None if it completes none."""
        self.number += 1
        done: Cue | None = None
        is_new, self._is_new = self._is_new, not line.strip()
        if "-->" in line and not (self._is_spaced and is_amid_words(self._lines, is_new=is_new)):
            own_id = self._lines.pop() if self._lines and not is_new and self._is_id(self._lines[-1]) else ""
            done = self.close()
            self._timing, self._timing_number, self._id = line, self.number, own_id
        elif line.strip():
            self._lines.append(line)
        elif self._ends_at_blank and not line and (self._lines or not self._timing):
            # One space is how rolling captions begin, and an empty line below the times Teams without names.
            done = self.close()
        return done

    def _is_id(self, line: str) -> bool:
        """Return whether the line above times is an id, not words of the cue before."""
        if line.strip().isdigit() or _WEBEX_ID.fullmatch(line.strip()):
            return True
        # The id of Teams, also behind a cue that is empty; in live SRT the rest of a cue has no times.
        return not self._goes_on and (not self._timing or (len(self._lines) == 1 and " " not in line.strip()))

    def close(self) -> Cue | None:
        """Return the cue that is now complete, or None if that cue has no words."""
        timing, self._timing = self._timing, ""
        lines, self._lines = self._lines, []
        if not timing:  # a header, a comment, the name of a cue; in live SRT the rest of one
            rest = self._goes_on and self._last and not all(line.strip().isdigit() for line in lines)
            times = (self._last.start_s, self._last.end_s) if rest and self._last else None
        elif match := _TIMING.match(timing):
            times = _seconds(*match.groups()[:4]), _seconds(*match.groups()[4:])
        else:
            self.unread.append(self._timing_number)
            times = None
        named = _WEBEX_ID.fullmatch(self._id.strip())
        voiced = _voiced("\n".join(lines), named and label(_plain(named[1]))) if times else ()
        if times is None or not voiced:
            return None
        self._last = Cue(*times, voiced)
        return self._last


def is_amid_words(above: list[str], *, is_new: bool) -> bool:
    """Return whether a line of times is below a cue's words, without a blank line or number between."""
    return bool(above) and not is_new and not above[-1].strip().isdigit()


def read_captions(text: str, kind: str) -> tuple[list[LiveSegment], list[str]]:
    """Return the pieces of speech of a whole file, and notices for the user.

    There is one piece for each voice of each cue, with the cue's times. Lines that rolling captions show
    again are left out.

    Raises:
        SpeechError: *text* is not of this *kind* ("vtt" or "srt").
    """
    lines = LINE_END.split(text)
    if kind == "vtt" and not text.startswith("WEBVTT"):
        raise SpeechError("is not VTT: it must begin with the line WEBVTT")
    if kind == "srt" and not _SRT_HEAD.match(text):
        raise SpeechError("is not SRT: it must begin with a number and a line of times")
    # Where most lines of times have a blank line or a number above them the file parts its cues, and one
    # among the words is what somebody says ("Use the span 00:01:00,000 --> 00:02:00,000 of the recording").
    timings = [number for number, line in enumerate(lines) if "-->" in line]
    spaced = [
        number for number in timings if not lines[number - 1].strip() or lines[number - 1].strip().isdigit()
    ]
    reader = CueReader(kind, live=False, is_spaced=kind == "srt" and 2 * len(spaced) > len(timings))
    read = [*map(reader.line, lines), reader.close()]
    kept, repeated = without_repeats([cue for cue in read if cue is not None])
    notices = []
    if reader.unread:
        more = f", and {len(reader.unread) - 1} more" if len(reader.unread) > 1 else ""
        notices.append(f"the cue at line {reader.unread[0]} has times that cannot be read{more}; left out")
    if repeated:
        notices.append(f"lines that rolling captions show again were left out: {repeated}")
    return [piece for cue in kept for piece in pieces_of(cue)], notices


def _seconds(hours: str | None, minutes: str, seconds: str, fraction: str | None) -> float:
    whole = int(hours or 0) * 3600 + int(minutes) * 60 + int(seconds)
    return (whole * 1000 + int((fraction or "").ljust(3, "0"))) / 1000


def without_repeats(found: list[Cue]) -> tuple[list[Cue], int]:
    """Remove lines that only repeat the end of the cue before; return the cues and the number of repeats.

    A repeat counts if the cues overlap in time. If they only touch, it counts if a third of the cues repeat
    and lines visibly roll up, since people do say things twice.
    """
    pairs = list(pairwise(found))
    repeats = [_repeated(before, cue, _TOUCHING_S) for before, cue in pairs]
    longest = [max(len(before.lines), len(cue.lines)) for before, cue in pairs]
    rolled = sum(0 < count < most for count, most in zip(repeats, longest, strict=True))
    rolling = rolled >= 2 and sum(map(bool, repeats)) >= _ROLLING_SHARE * len(pairs)
    # A half millisecond below nought: cues that only touch do not overlap.
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
    """Return one piece for each run of lines by one voice; the voices of a cue share the cue's times."""
    return [
        LiveSegment("\n".join(line for _, line in lines), cue.start_s, cue.end_s, voice)
        for voice, lines in groupby(cue.lines, key=itemgetter(0))
    ]


def _repeated(before: Cue, cue: Cue, slack_s: float) -> int:
    if cue.start_s > before.end_s + slack_s:
        return 0
    longest = min(len(before.lines), len(cue.lines))
    return next((n for n in range(longest, 0, -1) if before.lines[-n:] == cue.lines[:n]), 0)


def _voiced(raw: str, named: str | None) -> tuple[tuple[str | None, str], ...]:
    voice = named
    lines: list[tuple[str | None, str]] = []
    for part in _VOICE_OR_LINE.split(raw):
        if match := _VOICE.fullmatch(part):
            voice = label(_plain(match[1]))
        elif part == "</v>":
            voice = named
        elif line := one_line(_plain(_OVERRIDE.sub("", _TAG.sub("", part)))):
            lines.append((voice, line))
    return tuple(lines)


def _plain(text: str) -> str:
    return _ENTITY.sub(lambda match: html.unescape(match[0]), text)
