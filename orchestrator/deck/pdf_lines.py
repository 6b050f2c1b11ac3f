"""From pieces of text on a page to its lines, as they stand on the page."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from orchestrator.deck.pdf_runs import Run
from orchestrator.deck.shown import shown

# All of these are in em, the size of the letters. Each was tried on the 64 pages of seven real PDFs: "same"
# is the range in which they read the same, and the case named is what a value beyond it breaks.
_ONE_LINE = 0.45  # how far a raised or lowered piece may be off the baseline
"""Same from 0.41 to 0.9; below, the mark of a footnote is a line of its own."""
_NEXT_PIECE = 1.5  # the widest gap between pieces drawn one after the other
"""Same from 1.5 to 1.9; below, words that are set wide apart part; above, the cells of a row run together."""
_BACK = 0.6  # how far a piece may begin before the last one's end (kerning, accents)
"""Same from 0.3 to 1.2."""
_JOINED = 0.6  # the widest gap between pieces of one line that were not drawn one after the other
"""Same from 0.54 to 0.6; below, sentences break off; at 0.66 two narrow columns are read across."""
_CODE = 12.0  # the same in program text, where gaps line up columns
"""Same from 9.6 to 12: the printed table of a graph has gaps of 8.3; at 13 comments further right are joined
too."""
_AFTER_MARKER = 6.0  # the widest gap between a bullet and its text
"""Same from 3 to 12."""
_WORD_GAP = 0.17  # the narrowest gap that separates words
"""Same from 0.153 to 0.17; pdfium drops a space at the end of a piece, which leaves 0.176. At 0.19 words run
together ("yearsof"), at 0.14 the letters of a name stand apart ("UR EN")."""

# The last five are bullets of symbol fonts (Wingdings, Symbol), which stand in private use.
_MARKS = "•●○■□▪▫◦▸▶►➢➤✓✔✗❖·∙⁃‣\u25c6\u25c7\uf0b7\uf0a7\uf0d8\uf076\uf0fc"
_MARKS_WITH_SPACE = "-–—*o§>"  # bullets only where they stand alone before the text
_ICON = re.compile("^[\ue000-\uf8ff]")
_MARKER = re.compile(rf"[{re.escape(_MARKS)}\ue000-\uf8ff]\s*")
_NUMBER = re.compile(r"(\d{1,3}|[A-Za-z])[.)]")


@dataclass(frozen=True, slots=True)
class Line:
    """One line of one column; `left` is where its text begins, behind a bullet or number if it has one."""

    text: str
    left: float
    margin: float  # where its bullet or number begins
    right: float
    v: float
    size: float
    direction: tuple[int, int]
    item: bool  # begins with a bullet or number
    fixed_pitch: bool  # program text: each line is one of its own
    bold: bool
    paragraph: int | None
    first_word: float  # width of the first word


def page_lines(runs: Sequence[Run]) -> list[Line]:
    """The lines of a page in drawing order; columns side by side are lines of their own."""
    rows = _joined(_drawn_together(runs))
    return [line for row in rows if (line := _line(row)) is not None]


def _drawn_together(runs: Sequence[Run]) -> list[list[Run]]:
    rows: list[list[Run]] = []
    for run in runs:
        if rows:
            gap = _CODE if rows[-1][-1].fixed_pitch and run.fixed_pitch else _NEXT_PIECE
            if _follows(rows[-1][-1], run, gap) and not _parted(rows[-1], run):
                rows[-1].append(run)
                continue
        if run.text.strip():
            rows.append([run])
    return rows


def _follows(before: Run, run: Run, gap: float) -> bool:
    em = max(before.size, run.size)
    return (
        before.direction == run.direction
        and abs(before.v - run.v) <= _ONE_LINE * em
        and -_BACK * em <= run.start - before.end <= gap * em
    )


def _parted(row: list[Run], run: Run) -> bool:
    """Whether *run* begins another paragraph: the file says so, or a bullet behind a gap does."""
    before = row[-1]
    if run.start - before.end > _JOINED * run.size and run.text.strip()[:1] in tuple(_MARKS):
        return True
    tagged = before.paragraph is not None and run.paragraph is not None
    return tagged and before.paragraph != run.paragraph and not _is_marker(row)


def _joined(rows: list[list[Run]]) -> list[list[Run]]:
    """*rows*, those put together that stand beside each other; in the order of their first pieces."""
    firsts = [row[0] for row in rows]
    order = sorted(range(len(rows)), key=lambda i: (firsts[i].direction, round(firsts[i].v), firsts[i].start))
    joined: list[tuple[int, list[Run]]] = []
    for index in order:
        row = rows[index]
        if joined:
            first, before = joined[-1]
            gap = _AFTER_MARKER if _is_marker(before) else _JOINED
            if _follows(before[-1], row[0], gap) and not _parted(before, row[0]):
                joined[-1] = (min(first, index), before + row)
                continue
        joined.append((index, row))
    return [row for _, row in sorted(joined, key=lambda item: item[0])]


def _is_marker(row: list[Run]) -> bool:
    text = "".join(run.text for run in row).strip()
    return (len(text) == 1 and (text in _MARKS + _MARKS_WITH_SPACE or bool(_MARKER.match(text)))) or bool(
        _NUMBER.fullmatch(text)
    )


def _line(row: list[Run]) -> Line | None:
    gap = _word_gap(row)
    text = row[0].text
    for before, run in pairwise(row):
        if run.start - before.end > gap * max(before.size, run.size):
            text += " "
        text += run.text
    item, marker_runs, text = _without_marker(row, shown(_ICON.sub("•", text.lstrip())))
    if not item:
        item = bool(_NUMBER.fullmatch(text.split(" ", 1)[0]))
        marker_runs = _number_runs(row)
    body = row[marker_runs:]
    while body and not body[0].text.strip():
        body = body[1:]
    if not text or not body:
        return None
    left, right = body[0].start, max(run.end for run in body if run.text.strip())
    return Line(
        text=text,
        left=left,
        margin=row[0].start,
        right=right,
        v=max(body, key=lambda run: run.size).v,
        size=max(run.size for run in body if run.text.strip()),
        direction=row[0].direction,
        item=item,
        fixed_pitch=all(run.fixed_pitch for run in body),
        bold=2 * sum(len(run.text) for run in body if run.bold) > sum(len(run.text) for run in body),
        paragraph=next((run.paragraph for run in body if run.paragraph is not None), None),
        first_word=(right - left) * len(text.split(" ", 1)[0]) / len(text),
    )


def _number_runs(row: list[Run]) -> int:
    """How many runs are the number of a numbered item that has text behind it."""
    for count in (1, 2, 3):
        if count < len(row) and _NUMBER.fullmatch("".join(run.text for run in row[:count]).strip()):
            return count
    return 0


def _word_gap(row: list[Run]) -> float:
    """The narrowest gap, in em, that separates words of this line: more where letters are spaced out."""
    texts = [run.text for run in row if run.text.strip()]
    # Spaced-out letters are drawn one by one; fewer than four pieces have no usual gap.
    if len(texts) < 4 or sum(len(text) == 1 for text in texts) < 0.7 * len(texts):
        return _WORD_GAP
    gaps = sorted((run.start - before.end) / max(run.size, 1) for before, run in pairwise(row))
    return max(_WORD_GAP, gaps[len(gaps) // 2] + 0.15)


def _without_marker(row: list[Run], text: str) -> tuple[bool, int, str]:
    """Whether the line begins with a bullet, how many runs are nothing but that, and the text without it."""
    if found := _MARKER.match(text):
        alone = row[0].text.strip() == found[0].strip()
        return True, (1 if alone else 0), text[found.end() :]
    if text.startswith(("- ", "– ", "— ")):
        return True, (1 if len(row[0].text.strip()) == 1 else 0), text[2:]
    mark = row[0].text.strip()
    if len(row) > 1 and len(mark) == 1 and mark in _MARKS_WITH_SPACE:
        gap = row[1].start - row[0].end
        if not row[1].text.strip() or row[0].text[-1].isspace() or gap > _WORD_GAP * row[1].size:
            return True, 1, text[1:].strip()
    return False, 0, text
