"""Plain text: one paragraph a segment, with time stamps and names where it has them."""

from __future__ import annotations

import re
from dataclasses import dataclass

from orchestrator.legible import one_line
from orchestrator.model.segment import LiveSegment
from orchestrator.speech.labels import speakers_among, split_label, with_speakers
from orchestrator.speech.stamps import STAMP, clock_s
from orchestrator.speech.text import LINE_END

_TO = r"\s*(?:-|–|—|-->|to)\s*"
# A stamp in either kind of brackets, a span without any, or bare (g), which counts only where many are.
_STAMPED = re.compile(
    rf"\s*(?:\[\s*(?P<a>{STAMP})(?:{_TO}(?P<b>{STAMP}|end))?\s*\]"
    rf"|\(\s*(?P<c>{STAMP})(?:{_TO}(?P<d>{STAMP}|end))?\s*\)"
    rf"|(?P<e>{STAMP}){_TO}(?P<f>{STAMP}|end\b)"
    rf"|(?P<g>{STAMP}))(?=\s|$)\s*(?P<text>.*)",
    re.IGNORECASE,
)
_NAME_AND_STAMP = re.compile(rf"\s*(\S[^:\n]{{0,39}}?)\s+[\[(]?({STAMP})[\])]?\s*")
_BARE_SHARE = 0.5  # `12:30 we met` is a stamp only in a text where most paragraphs begin with one


@dataclass(slots=True)
class _Paragraph:
    lines: list[str]
    start_s: float | None = None
    end_s: float | None = None


def read_plain(text: str) -> list[LiveSegment]:
    """The paragraphs of a text, with the times and speakers that it names.

    Paragraphs end at blank lines; in a text without blank lines each line is one. A time stamp
    begins a paragraph too: `[0:01:20]`, `(1:20)`, `1:20-1:45` (`end` may stand for the last),
    and a bare `1:20` where two paragraphs and at least half of them have one. A line of a name and a
    time (`Presenter  1:20`) heads the lines below it.
    """
    blocks = [_headed(block) for block in _blocks(text)]
    if len(blocks) == 1:  # no blank line anywhere: each line is a paragraph
        blocks = [[line] for line in blocks[0]]
    firsts = [_STAMPED.fullmatch(block[0]) for block in blocks]
    bare = sum(map(bool, firsts)) >= max(2, _BARE_SHARE * len(blocks))
    speakers = speakers_among([line for block in blocks for line in block])
    paragraphs: list[_Paragraph] = []
    for block in blocks:
        _add(paragraphs, block, speakers, bare=bare)
    return with_speakers(piece for one in paragraphs if (piece := _piece(one)) is not None)


def read_plain_line(line: str) -> LiveSegment | None:
    """One line of a text that grows: a segment of its own; None where it has no words."""
    return _piece(_stamped(line, bare=False) or _Paragraph([line]))


def _piece(paragraph: _Paragraph) -> LiveSegment | None:
    words = one_line(" ".join(paragraph.lines))
    return LiveSegment(words, paragraph.start_s, paragraph.end_s) if words else None


def _blocks(text: str) -> list[list[str]]:
    blocks: list[list[str]] = [[]]
    for line in LINE_END.split(text):
        if one_line(line):
            blocks[-1].append(line)
        elif blocks[-1]:
            blocks.append([])
    return [block for block in blocks if block]


def _headed(block: list[str]) -> list[str]:
    """The block with lines such as `Presenter  1:20` joined to the line below: `[1:20] Presenter: …`."""
    lines: list[str] = []
    head: str | None = None
    for line in block:
        match = _NAME_AND_STAMP.fullmatch(line)
        if match and clock_s(match[2]) is not None and split_label(f"{match[1]}: x")[0] is not None:
            lines += [head] if head else []
            head = f"[{match[2]}] {match[1]}:"
        else:
            lines.append(f"{head} {line}" if head else line)
            head = None
    return [*lines, head] if head else lines


def _add(paragraphs: list[_Paragraph], block: list[str], speakers: frozenset[str], *, bare: bool) -> None:
    """Append the block's paragraphs: a new one at its first line, at a stamp and at a speaker."""
    for index, line in enumerate(block):
        stamped = _stamped(line, bare=bare)
        last = paragraphs[-1] if paragraphs else None
        if stamped is not None:
            paragraphs.append(stamped)
        elif last is not None and last.start_s is not None and last.lines == [""]:
            last.lines = [line]  # a stamp on a line of its own
        elif index == 0 or last is None or split_label(one_line(line))[0] in speakers:
            paragraphs.append(_Paragraph([line]))
        else:
            last.lines.append(line)


def _stamped(line: str, *, bare: bool) -> _Paragraph | None:
    match = _STAMPED.fullmatch(line)
    if match is None or (match["g"] and not bare):
        return None
    start_s = clock_s(match["a"] or match["c"] or match["e"] or match["g"])
    if start_s is None:
        return None
    end = match["b"] or match["d"] or match["f"]
    return _Paragraph([match["text"]], start_s, clock_s(end) if end else None)
