"""The sentences of a deck and of speech, with what stands around each."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from orchestrator.checks.reading.model import Piece
from orchestrator.checks.reading.terms import terms_of
from orchestrator.claims.boilerplate import NO_WORD, claims_nothing, is_boilerplate
from orchestrator.claims.model import Place
from orchestrator.claims.periods import find_periods
from orchestrator.claims.sentences import LONGEST_SENTENCE, sentences, without_final_stop
from orchestrator.deck.model import Deck, Slide
from orchestrator.speech.model import Segment

_ASKS = re.compile(r"\?\W*$")
_THANKS = re.compile(r"\W*thank", re.I)
_SAYS = 6  # words of a line that says something, below thanks
_LONGEST_LABEL = 9  # words


def shown(deck: Deck) -> Iterator[Slide]:
    """The slides that the audience sees and that assert something."""
    for slide in deck.slides:
        if not slide.hidden and (
            not claims_nothing(slide.title)
            or (_THANKS.match(slide.title) and any(len(line.split()) >= _SAYS for line in slide.lines))
        ):
            yield slide


def pieces_of(slide: Slide) -> Iterator[Piece]:
    """The sentences of title and lines, without questions, footers and legal lines."""
    lines = [slide.title, *slide.lines]
    group, order = "", 0
    for index, line in enumerate(lines):
        if line.rstrip().endswith(":") and not any(char.isdigit() for char in line):
            group = line
            continue
        if is_boilerplate(line) or NO_WORD.search(line):
            continue
        label, before = _label_beside(lines, index), ""
        for start, end in sentences(line):
            text = line[start:end]
            sentence = without_final_stop(text)
            if sentence and end - start <= LONGEST_SENTENCE and not _ASKS.search(text):
                origin = "line" if index else "title"
                place = Place(slide.number, None, sentence)
                yield Piece(
                    sentence,
                    place,
                    slide.number,
                    order,
                    origin,
                    slide.title if index else "",
                    label or group,
                    before,
                    index - 1,
                )
                order += 1
            before = sentence


def row_pieces(slide: Slide) -> Iterator[Piece]:
    """The rows of the slide's tables, cells joined; the place is the first cell with a digit."""
    for number, table in enumerate(slide.tables):
        for index, row in enumerate(table.rows[1:], 1):
            cell = next((cell for cell in row[1:] if any(char.isdigit() for char in cell)), "")
            if cell:
                place = Place(slide.number, None, cell)
                yield Piece(
                    " | ".join(row), place, slide.number, 1000 * (number + 1) + index, "row", slide.title
                )


def spoken_pieces(segment: Segment) -> Iterator[Piece]:
    """The sentences of one piece of speech; questions are left out."""
    before = ""
    if NO_WORD.search(segment.text):
        return
    for order, (start, end) in enumerate(sentences(segment.text)):
        text = segment.text[start:end]
        sentence = without_final_stop(text)
        if sentence and end - start <= LONGEST_SENTENCE and not _ASKS.search(text):
            place = Place(segment.slide, segment.start_s, sentence)
            yield Piece(sentence, place, segment.slide, order, "speech", before=before)
        before = sentence


def _label_beside(lines: Sequence[str], index: int) -> str:
    """The label of a line that holds little but a number: the words of the line above or below."""
    if not index or not any(char.isdigit() for char in lines[index]) or terms_of(lines[index]):
        return ""
    at = index
    while at > 1 and (_is_label(lines[at - 1]) if _is_bare(lines[at]) else _is_bare(lines[at - 1])):
        at -= 1
    order = (index + 1, index - 1) if _is_bare(lines[at]) else (index - 1, index + 1)
    for beside in order:
        if 0 < beside < len(lines) and _is_label(lines[beside]):
            return lines[beside]
    return ""


def _is_bare(line: str) -> bool:
    return any(char.isdigit() for char in line) and not terms_of(line)


def _is_label(line: str) -> bool:
    """A few words without a number of their own; a year may stand among them."""
    for period in reversed(find_periods(line)):
        line = line[: period.start] + line[period.end :]
    return (
        0 < len(line.split()) <= _LONGEST_LABEL
        and not any(char.isdigit() for char in line)
        and bool(terms_of(line))
    )
