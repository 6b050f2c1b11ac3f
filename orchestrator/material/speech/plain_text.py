"""Parse plain text into one segment a paragraph, with any time stamps and names."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from orchestrator.core.legible import counted, one_line
from orchestrator.material.speech.speakers import Label, goes_on, is_doubtful, labelled, speakers_among
from orchestrator.material.speech.text import LINE_END, word_list
from orchestrator.material.speech.times import STAMP, clock_s, on_clock
from orchestrator.material.values import LiveSegment

_TO = r"\s*(?:-|–|—|-->|to)\s*"
# A stamp in either kind of brackets, a span without any, or bare (g), which counts only where many are.
_STAMPED = re.compile(
    rf"\s*(?:\[\s*(?P<a>{STAMP})(?:{_TO}(?P<b>{STAMP}|end))?\s*\]"
    rf"|\(\s*(?P<c>{STAMP})(?:{_TO}(?P<d>{STAMP}|end))?\s*\)"
    rf"|(?P<e>{STAMP}){_TO}(?P<f>{STAMP}|end\b)"
    rf"|(?P<g>{STAMP}))(?=\s|$)\s*(?P<text>.*)",
    re.IGNORECASE,
)
_CLOCKS = re.compile(STAMP)
# A day or "AM" beside a time: the hour of the meeting and no time within the recording.
_OF_A_DAY = re.compile(r"[ap]\.?m\b|\d[./-]\d{1,2}[./-]\d", re.IGNORECASE)
_ENDS = re.compile(r"[.!?…。！？][\"'”’)]*$")
_LONG_STAMP = re.compile(r"(?<!\d)\d{1,2}:\d{2}:\d{2}(?!\d)")
_FRAMES = re.compile(r"\b(\d\d:\d\d:\d\d):\d\d\b")  # editors of video count frames behind the seconds
_BARE_SHARE = 0.5  # `12:30 we met` is a stamp only in a text where most paragraphs begin with one
_MIN_HEADS: Final = 3
"""Number of recurring names, each with a time on a line of its own, from which such lines are the form of a
text."""
_WALL_CLOCK_S: Final = 5 * 3600.0
"""Seconds; a first stamp beyond this is a time of day, as Zoom's captions have it: no rehearsal is five hours
in."""


@dataclass(frozen=True, slots=True)
class _Stamp:
    """A time at the beginning of a line, and the words behind it."""

    start_s: float
    end_s: float | None
    words: str
    is_bare: bool  # without brackets and end


@dataclass(frozen=True, slots=True)
class _Line:
    """A line with words, and the time stamp and label that it may have."""

    text: str
    is_first: bool  # a blank line or the beginning is above it
    label: Label | None
    stamp: _Stamp | None

    @property
    def is_time_alone(self) -> bool:
        return self.stamp is not None and not self.stamp.words


@dataclass(slots=True)
class _Paragraph:
    lines: list[str]
    start_s: float | None
    end_s: float | None
    speaker: str | None


def read_plain(text: str) -> tuple[list[LiveSegment], list[str]]:
    """Return the paragraphs of a text with their times and speakers, and notices for the user.

    Paragraphs end at blank lines; in a text without blank lines each line is a paragraph. A time stamp begins
    a paragraph too: `[0:01:20]`, `(1:20)` and `1:20-1:45` (`end` may replace the last time), and a bare
    `1:20` if at least two paragraphs, and at least half of them, have one. A speaker's name begins a
    paragraph as well. A line with only a name (`Presenter  1:20`) heads everything below it, up to the next
    such line.
    """
    lines = list(_lines(text))
    speakers = _speakers(lines)
    lines, left_out = _without_frame(lines, speakers)
    pieces = [piece for one in _Reading(lines, speakers).paragraphs() if (piece := _piece(one)).text]
    notices = [f"left out as head or foot of the document: {counted(left_out, 'line')}"] if left_out else []
    return _on_one_clock(pieces), notices


def read_plain_line(line: str) -> LiveSegment | None:
    """Return one line of a growing text as a segment of its own, or None if the line has no words."""
    stamp = _stamp(line)
    if stamp is not None and not stamp.is_bare:
        words = one_line(stamp.words)
        return LiveSegment(words, stamp.start_s, stamp.end_s) if words else None
    return LiveSegment(words) if (words := one_line(line)) else None


class _Reading:
    """The state while a text is read line by line: the current speaker, and the next paragraph's time."""

    def __init__(self, lines: Sequence[_Line], speakers: frozenset[str]) -> None:
        self._lines, self._speakers = lines, speakers
        self._carries = goes_on(_name(one, speakers) for one in lines if not one.is_time_alone)
        firsts = [one for one in lines if one.is_first]
        self._is_lined = len(firsts) == 1  # no blank line anywhere: each line is a paragraph
        counted_lines = lines if self._is_lined else firsts
        self._takes_bare = sum(one.stamp is not None for one in counted_lines) >= max(
            2, _BARE_SHARE * len(counted_lines)
        )
        self._takes_times = bool(speakers) or sum(one.is_time_alone for one in lines) > 1
        self._speaker: str | None = None
        self._is_headed = False  # the words of a head stand below it, whatever colon is in them
        self._time: tuple[float | None, float | None] = (None, None)  # of the next paragraph
        self._open: _Paragraph | None = None
        self._found: list[_Paragraph] = []

    def paragraphs(self) -> list[_Paragraph]:
        """Return all paragraphs, in order."""
        for line in self._lines:
            name = _name(line, self._speakers)
            if name is not None and line.label is not None:
                self._name(name, line.label)
            elif line.stamp is not None and self._takes(line):
                self._time, self._open = (line.stamp.start_s, line.stamp.end_s), None
                if line.stamp.words:
                    self._begin(line.stamp.words, line)
            elif self._open is None or line.is_first or self._is_lined or self._is_doubtful(line):
                self._begin(line.text, line)
            else:
                self._open.lines.append(line.text)
        return self._found

    def _takes(self, line: _Line) -> bool:
        """Return whether the time stamp that the line seems to have is one."""
        is_told = line.stamp is not None and not line.stamp.is_bare
        return is_told or self._takes_bare or (line.is_time_alone and self._takes_times)

    def _is_doubtful(self, line: _Line) -> bool:
        return not self._is_headed and is_doubtful(line.label)

    def _name(self, name: str, found: Label) -> None:
        """Switch to the speaker *name*, and continue with the words behind the label."""
        self._speaker, self._is_headed, self._open = name, found.is_head, None
        inner = _stamp(found.words) if found.when is None else None
        told = _told(found.when) if found.when else (inner.start_s, inner.end_s) if inner else (None, None)
        self._time = told if told[0] is not None else self._time
        words = inner.words if inner is not None and not inner.is_bare else found.words
        if words:
            self._add(words)

    def _begin(self, words: str, line: _Line) -> None:
        """Begin a paragraph that names nobody; if the text's form says so, it is the last named speaker's."""
        if not self._is_headed and (not self._carries or is_doubtful(line.label)):
            self._speaker = None
        self._add(words)

    def _add(self, words: str) -> None:
        self._open = _Paragraph([words], *self._time, self._speaker)
        self._time = (None, None)
        self._found.append(self._open)


def _name(line: _Line, speakers: frozenset[str]) -> str | None:
    """Return the speaker whom a line names, or None if it names none."""
    return line.label.name if line.label is not None and line.label.name in speakers else None


def _speakers(lines: Sequence[_Line]) -> frozenset[str]:
    """Return the labels that are speakers, by their form, their frequency and times beside them."""
    found = [one.label if _is_labelled(lines, number) else None for number, one in enumerate(lines)]
    labelled_at = [number for number, one in enumerate(found) if one is not None]
    talk = range(labelled_at[0], labelled_at[-1] + 1) if labelled_at else ()  # without head and foot
    labels = [found[number] for number in talk if not lines[number].is_time_alone]
    heads = [one for one in labels if one and one.when and one.is_head]
    is_form = len(heads) >= max(_MIN_HEADS, 2 * len({one.name for one in heads}) - 1)
    if is_form:  # "Two: the price" is in somebody's words
        labels = [one for one in labels if one is None or one.is_head]
    times = Counter(one.name for one in heads)
    is_led = any(
        times[one.name] > 1 for one in heads if one.is_led
    )  # else "0:10 Hello" is a word and its time
    timed = {
        one.name for one in heads if times[one.name] > 1 or (one.is_clear and (is_led or not one.is_led))
    }
    # A name on a line of its own, beside a time: Fireflies, Trint. Without a time, where two names recur so.
    bare = [(number, one.label) for number, one in enumerate(lines) if one.label and one.label.is_bare]
    beside = Counter(one.name for number, one in bare if one.is_clear and _is_beside_a_time(lines, number))
    above = Counter(one.name for number, one in bare if one.is_clear and lines[number].is_first)
    named = set(beside) if any(count > 1 for count in beside.values()) else set()
    headed = {name for name, count in above.items() if count > 1}
    return speakers_among(labels) | timed | named | (headed if len(headed) > 1 else set())


def _is_labelled(lines: Sequence[_Line], number: int) -> bool:
    """Return whether the line has a label and more than that.

    A line that is only a label behind a time ("[0:10] Yes.") counts if words follow below it.
    """
    label = lines[number].label
    if label is None or label.is_bare:
        return False
    below = lines[number + 1] if number + 1 < len(lines) else None
    if not (label.is_led and label.is_head):
        return True
    is_name = label.is_clear or not _ENDS.search(label.name)
    return is_name and below is not None and below.stamp is None and not below.is_first


def _is_beside_a_time(lines: Sequence[_Line], number: int) -> bool:
    """Return whether the line above is only a time, or the line below begins with a time."""
    is_above = number > 0 and lines[number - 1].is_time_alone
    return is_above or (number + 1 < len(lines) and lines[number + 1].stamp is not None)


def _without_frame(lines: list[_Line], speakers: frozenset[str]) -> tuple[list[_Line], int]:
    """Remove what a program writes above the first speaker and below the last; return the lines and a count.

    Above are names, titles and dates, none of which ends as a sentence does. Below is everything from a
    length ("Meeting ended after 00:20:15") or a program's own phrase on. The count is that of the lines
    removed.
    """
    named = [number for number, line in enumerate(lines) if _name(line, speakers) is not None]
    if not named:
        return lines, 0
    kept = [one for one in lines[: named[0]] if one.stamp is not None or _ENDS.search(one.text.rstrip())]
    foot = next(
        (number for number, one in enumerate(lines) if number > named[-1] and _is_foot(one)), len(lines)
    )
    shown = [*kept, *lines[named[0] : foot]]
    return shown, len(lines) - len(shown)


def _is_foot(line: _Line) -> bool:
    plain = line.text.casefold()
    return line.stamp is None and bool(
        _LONG_STAMP.search(plain) or any(frame in plain for frame in word_list("frames"))
    )


def _on_one_clock(pieces: list[LiveSegment]) -> list[LiveSegment]:
    """Count times from the first piece on if they are times of day; otherwise leave them unchanged."""
    first_s = next((one.start_s for one in pieces if one.start_s is not None), 0.0)
    if first_s < _WALL_CLOCK_S:
        return pieces
    return [on_clock(one, from_s=first_s) for one in pieces]


def _piece(one: _Paragraph) -> LiveSegment:
    return LiveSegment(one_line(" ".join(one.lines)), one.start_s, one.end_s, one.speaker)


def _lines(text: str) -> Iterator[_Line]:
    is_first = True
    for line in LINE_END.split(text):
        if plain := one_line(line):
            line = _FRAMES.sub(r"\1", line)
            yield _Line(line, is_first, labelled(one_line(line)), _stamp(line))
        is_first = not plain


def _told(when: str) -> tuple[float | None, float | None]:
    """Return the start and end time that are written beside a name, or None for each that is missing."""
    if _OF_A_DAY.search(when):
        return None, None
    start, *end = [clock_s(one) for one in _CLOCKS.findall(when)]
    return start, end[0] if end else None


def _stamp(line: str) -> _Stamp | None:
    match = _STAMPED.fullmatch(line)
    start_s = clock_s(match["a"] or match["c"] or match["e"] or match["g"]) if match else None
    if match is None or start_s is None:
        return None
    end = match["b"] or match["d"] or match["f"]
    return _Stamp(start_s, clock_s(end) if end else None, match["text"].strip(), bool(match["g"]))
