"""Join the pieces of text on a PDF page into lines."""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from orchestrator.material.deck.lines import is_lone_figure
from orchestrator.material.deck.pdf_runs import Run
from orchestrator.material.deck.shown import shown

# All of these are in em, the size of the letters. Each was tried on the 64 pages of seven real PDFs: "same"
# is the range in which they read the same, and the case named is what a value beyond it breaks.
_ONE_LINE = 0.45  # how far a raised or lowered piece may be off the baseline
"""How far a raised or lowered piece may be off the baseline, in em. The real PDFs read the same from 0.41 to
0.9; below, the mark of a footnote is a line of its own."""
_NEXT_PIECE = 1.5  # the widest gap between pieces drawn one after the other
"""The widest gap between pieces drawn one after the other, in em. The real PDFs read the same from 1.5 to
1.9; below, words that are set wide apart are separated; above, the cells of a row run together."""
_BACK = 0.6  # how far a piece may begin before the last one's end (kerning, accents)
"""How far a piece may begin before the end of the last one (kerning, accents), in em. The real PDFs read the
same from 0.3 to 1.2."""
_JOINED = 0.6  # the widest gap between pieces of one line that were not drawn one after the other
"""The widest gap between pieces of one line that were not drawn one after the other, in em. The real PDFs
read the same from 0.54 to 0.6; below, sentences break off; at 0.66 two narrow columns are read across."""
_CODE = 12.0  # the same in program text, where gaps line up columns
"""The widest such gap in program text, where gaps line up columns, in em. The real PDFs read the same from
9.6 to 12: the printed table of a graph has gaps of 8.3; at 13 comments further right are joined too."""
_AFTER_MARKER = 6.0  # the widest gap between a bullet and its text
"""The widest gap between a bullet and its text, in em. The real PDFs read the same from 3 to 12."""
_WORD_GAP = 0.17  # the narrowest gap that separates words
"""The narrowest gap that separates words, in em. The real PDFs read the same from 0.153 to 0.17; pdfium drops
a space at the end of a piece, which leaves 0.176. At 0.19 words run together ("yearsof"), at 0.14 the letters
of a name are separated ("UR EN")."""

_RAISED = 0.15  # how far the baseline of a raised mark is above that of what it is a mark of
"""Minimum height of a raised mark above the baseline of the text that it marks, in em. LaTeX raises by 0.36,
Word by 0.33 and PowerPoint by 0.3; lines of one row are set to 0.05."""
_SMALLER = 0.85  # the size of a raised mark; LaTeX sets it at 0.7, Word and PowerPoint at two thirds
_LEVEL = 0.05  # how far the baselines of pieces of one mark may be apart
_TOUCHES = 0.3  # the widest gap between a mark and what it is a mark of
_MAX_MARK = 5  # characters, as of "(1,2)"; a longer one is a label beside a large figure
_SUPERSCRIPTS = {
    ord(plain): chr(code)
    for code in (0xAA, 0xB2, 0xB3, 0xB9, *range(0x1D43, 0x1D6B), *range(0x2070, 0x2080))
    for plain in unicodedata.normalize("NFKD", chr(code))
    if plain in "0123456789()+−=abcdefghij"
} | {ord("-"): "⁻", ord("–"): "⁻"}
"""The superscript of each sign. Of letters there are those up to "j": a raised "m" or "k" may be a unit, and
the "th" of "4th" is not a mark."""
_KERNED = 0.1  # the widest gap between letters of one word
_MIN_ROWS = 3  # that two columns touch in at one place; two would be luck
_MIN_DIGITS = 3
_RIGHT_TO_LEFT = ("R", "AL")
"""The bidirectional classes of the letters of Hebrew and Arabic scripts: Unicode, annex 9."""

# The last five are bullets of symbol fonts (Wingdings, Symbol), which stand in private use.
MARKS = "•●○■□▪▫◦▸▶►➢➤✓✔✗❖·∙⁃‣\u25c6\u25c7\uf0b7\uf0a7\uf0d8\uf076\uf0fc"
_MARKS_WITH_SPACE = "-–—*o§>"  # bullets only where they stand alone before the text
_ICON = re.compile("^[\ue000-\uf8ff]")
_MARKER = re.compile(rf"[{re.escape(MARKS)}\ue000-\uf8ff]\s*")
_NUMBER = re.compile(r"(\d{1,3}|[A-Za-z])[.)]")


@dataclass(frozen=True, slots=True)
class Line:
    """One line of one column; `left` is where the line's text begins, after any bullet or number."""

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
    """Return the lines of a page in drawing order, with separate lines for columns side by side."""
    return [line for row in runs_in_rows(runs) if (line := _line(row)) is not None]


def runs_in_rows(runs: Sequence[Run], widest: float = math.inf) -> list[list[Run]]:
    """Return the runs of each line in drawing order, split at gaps of more than *widest* em."""
    edges = _column_edges(runs)
    return _joined(_drawn_together(runs, edges, widest), edges, widest)


Edges = frozenset[tuple[tuple[int, int], int]]


def _column_edges(runs: Sequence[Run]) -> Edges:
    """Return each direction and place (points) where figures touch the next column in three rows or more.

    "1,250" and "Oslo depot", which have no gap between them there, would otherwise be one word.
    """
    in_rows = sorted(runs, key=lambda run: (run.direction, round(run.v), run.start))
    rows: dict[tuple[tuple[int, int], int], list[float]] = {}
    for before, run in pairwise(in_rows):
        if _follows([before], run, _KERNED) and _touch(before.text, run.text):
            rows.setdefault((run.direction, round(run.start)), []).append(run.v)
    return frozenset(
        (direction, at)
        for (direction, at), vs in rows.items()
        if len(vs) >= _MIN_ROWS
        and not any(
            run.direction == direction
            and run.start < at - 1
            and run.end > at + 1
            and min(vs) <= run.v <= max(vs)
            for run in runs
        )
    )


def _touch(before: str, text: str) -> bool:
    """Return whether one text is a figure, while both together are not a word or a figure with its unit."""
    if not (before[-1].isalnum() and text[0].isalnum()):
        return False
    figures = [is_lone_figure(before), is_lone_figure(text)]
    if all(figures):
        return min(len(before), len(text)) >= _MIN_DIGITS  # letters may be drawn one by one
    return any(figures) and not is_lone_figure(before + text)


def _drawn_together(runs: Sequence[Run], edges: Edges, widest: float) -> list[list[Run]]:
    rows: list[list[Run]] = []
    for run in runs:
        if rows:
            gap = _CODE if rows[-1][-1].fixed_pitch and run.fixed_pitch else _NEXT_PIECE
            if _follows(rows[-1], run, min(gap, widest)) and not _parted(rows[-1], run, edges):
                rows[-1].append(run)
                continue
        if run.text.strip():
            rows.append([run])
    return rows


def _follows(row: Sequence[Run], run: Run, gap: float) -> bool:
    """Return whether *run* continues *row*: at its right, or at its left if the text runs leftwards."""
    before = row[-1]
    em = max(before.size, run.size)
    if before.direction != run.direction or abs(before.v - run.v) > _ONE_LINE * em:
        return False
    if -_BACK * em <= run.start - before.end <= gap * em:
        return True
    return -_BACK * em <= _left(row) - run.end <= gap * em and _is_from_right((*row, run))


def _left(row: Sequence[Run]) -> float:
    return min(run.start for run in row)


def _is_from_right(row: Sequence[Run]) -> bool:
    return any(unicodedata.bidirectional(letter) in _RIGHT_TO_LEFT for run in row for letter in run.text)


def _parted(row: list[Run], run: Run, edges: Edges) -> bool:
    """Return whether *run* begins a new paragraph or column, by the file's tags, an edge or a bullet."""
    before = row[-1]
    if (run.direction, round(run.start)) in edges and run.start >= before.end - _WORD_GAP:
        return True
    if run.start - before.end > _JOINED * run.size and run.text.strip()[:1] in tuple(MARKS):
        return True
    tagged = before.paragraph is not None and run.paragraph is not None
    return tagged and before.paragraph != run.paragraph and not _is_marker(row)


def _joined(rows: list[list[Run]], edges: Edges, widest: float) -> list[list[Run]]:
    """Join those of *rows* that are beside each other, in the order of their first pieces."""
    firsts = [row[0] for row in rows]
    order = sorted(range(len(rows)), key=lambda i: (firsts[i].direction, round(firsts[i].v), _left(rows[i])))
    joined: list[tuple[int, list[Run]]] = []
    for index in order:
        row = rows[index]
        if joined:
            first, before = joined[-1]
            gap = min(_AFTER_MARKER if _is_marker(before) else _JOINED, widest)
            if _follows(row, before[0], gap) and _is_from_right(before + row):
                joined[-1] = (min(first, index), row + before)
                continue
            if _follows(before, row[0], gap) and not _parted(before, row[0], edges):
                joined[-1] = (min(first, index), before + row)
                continue
        joined.append((index, row))
    return [row for _, row in sorted(joined, key=lambda item: item[0])]


def _is_marker(row: list[Run]) -> bool:
    text = "".join(run.text for run in row).strip()
    return (len(text) == 1 and (text in MARKS + _MARKS_WITH_SPACE or bool(_MARKER.match(text)))) or bool(
        _NUMBER.fullmatch(text)
    )


def _line(row: list[Run]) -> Line | None:
    item, marker_runs, text = _without_marker(row, row_text(row))
    if not item:
        item = bool(_NUMBER.fullmatch(text.split(" ", 1)[0]))
        marker_runs = _number_runs(row)
    body = row[marker_runs:]
    while body and not body[0].text.strip():
        body = body[1:]
    if not text or not body:
        return None
    left, right = _left(body), max(run.end for run in body if run.text.strip())
    return Line(
        text=text,
        left=left,
        margin=_left(row),
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


def row_text(row: Sequence[Run]) -> str:
    """Return the words of a line in the order in which they are read."""
    gap = _word_gap(row)
    size = max(run.size for run in row)
    text = _with_marks(row, 0, size)
    left = row[0].start
    for at, (before, run) in enumerate(pairwise(row), 1):
        apart, left = max(run.start - before.end, left - run.end), min(left, run.start)
        text += (" " if apart > gap * max(before.size, run.size) else "") + _with_marks(row, at, size)
    return shown(_ICON.sub("•", text.lstrip()))


def _with_marks(row: Sequence[Run], at: int, largest: float) -> str:
    """Return a run's text; text raised beside larger text becomes a mark or power, not a digit."""
    run = row[at]
    said = run.text.strip()
    if (
        run.size > _SMALLER * largest
        or len(said) > _MAX_MARK
        or (len(said) > 1 and any(map(str.isalpha, said)))
    ):
        return run.text
    before = [one for one in row[:at] if not _is_level(one, run)][-1:]
    after = [one for one in row[at + 1 :] if not _is_level(one, run)][:1]
    gaps = [run.start - one.end for one in row[max(at - 1, 0) : at]]
    gaps += [one.start - run.end for one in row[at + 1 : at + 2]]
    if not any(
        run.size <= _SMALLER * other.size
        and other.v - run.v >= _RAISED * other.size
        and min(gaps) <= _TOUCHES * other.size
        for other in before + after
    ):
        return run.text
    is_fraction = any(one.text.lstrip()[:1] in ("/", "\u2044") for one in after)
    return f" {run.text}" if is_fraction else run.text.translate(_SUPERSCRIPTS)  # of "3 1/2"


def _is_level(one: Run, other: Run) -> bool:
    """Return whether two runs are pieces of one mark, as "2" and "3" of "2,3" may be."""
    return one.size == other.size and abs(one.v - other.v) <= _LEVEL * one.size


def _number_runs(row: list[Run]) -> int:
    """Return how many runs make up the number of a numbered item, or 0 if no text is behind such a number."""
    for count in (1, 2, 3):
        if count < len(row) and _NUMBER.fullmatch("".join(run.text for run in row[:count]).strip()):
            return count
    return 0


def _word_gap(row: Sequence[Run]) -> float:
    """Return the smallest gap, in em, that separates words of this line.

    The gap is wider if letters are spaced out, and narrower from right to left: words of Arabic are 0.15
    apart.
    """
    texts = [run.text for run in row if run.text.strip()]
    # Spaced-out letters are drawn one by one; fewer than four pieces have no usual gap.
    if _is_from_right(row):
        return _KERNED
    if len(texts) < 4 or sum(len(text) == 1 for text in texts) < 0.7 * len(texts):
        return _WORD_GAP
    gaps = sorted((run.start - before.end) / max(run.size, 1) for before, run in pairwise(row))
    return max(_WORD_GAP, gaps[len(gaps) // 2] + 0.15)


def _without_marker(row: list[Run], text: str) -> tuple[bool, int, str]:
    """Return whether a bullet begins the line, how many runs are only the bullet, and the text behind it."""
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
