"""Look up the quotes and places that an engine names; drop those that are in no source."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import groupby, islice
from typing import Final

from orchestrator.material.claim import Passage as Passage
from orchestrator.material.claim import Place
from orchestrator.material.claims.dates import dates_in
from orchestrator.material.claims.numbers import numbers_in
from orchestrator.material.values import Chart, Deck, Segment, Series, Slide, Table

# ---------------------------------------------------------------------- quotes
# Where a quote stands: the same words in the same order, found again in the source's own text.
#
# Folded are capitals, white space and line wraps, the kinds of quotation marks and of dashes, list marks,
# the seams between a row's cells and between adjoining lines, and an ellipsis between parts that stand in
# order. Nothing else: one other character and the quote does not stand.


MAX_CHARS: Final = 2_000
"""Maximum number of characters of a quote, a page of text. Nobody is shown a longer one, and it bounds the
time of a search."""

_QUOTATION: Final = "\"'“”„‟«»‹›‘’‚‛`´′″"
_DASHES: Final = "-‐‑‒–—―−⁃﹘﹣－"
_BULLETS: Final = "•●○▪■□◦‣∙➢➤►▶✓✔|"
# Soft hyphen, zero-width marks, byte-order mark: PDF leaves them.
_NOTHING: Final = "\u00ad\u200b\u200c\u200d\u2060\ufeff"
_LINE_MARK = re.compile(rf"[ \t]*(?:[*+{re.escape(_DASHES)}]|\(?\d{{1,2}}[.)]|\(?[a-h]\))[ \t]+")
"""Matches a mark before a line's first word: "- ", "* ", "1. ", "a) "; white space must follow, so "-5" stays
a number."""

_ELLIPSIS = re.compile(r"\s*(?:…|\.\.\.+|\[(?:…|\.\.\.)\])\s*")
_WITHIN = re.compile(r"[^\W_]|[%€£$¥]")  # a currency or percent sign belongs to its figure


@dataclass(frozen=True, slots=True)
class Part:
    """The part of a quote within one text: `text` is verbatim, ``texts[index][start:end]``."""

    index: int
    start: int
    end: int
    text: str


@dataclass(frozen=True, slots=True)
class Stretch:
    """The source's own words for a quote, from the first to the last, with one part for each text."""

    parts: tuple[Part, ...]

    @property
    def text(self) -> str:
        """The parts, one a line; a quote from a single text is a substring of that text."""
        return "\n".join(part.text for part in self.parts)


@dataclass(frozen=True, slots=True)
class Broken:
    """The rule that a quote broke, and one sentence that says how to correct the quote."""

    rule: str  # empty, long, words (some are not there), order (of the parts) or cut (within a word)
    told: str


def find_quote(quote: str, texts: Sequence[str]) -> Stretch | Broken:
    """Find *quote* in *texts*, which adjoin each other: one line, a slide's lines, or a row's cells.

    The first place counts. A quote begins and ends with whole words: "non-profit" does not contain "profit",
    nor does "1,200" contain the number 200. The time is linear in the texts, except for parts that occur
    often.
    """
    if len(quote) > MAX_CHARS:
        return Broken("long", f"A quote has at most {MAX_CHARS} characters: quote less of it.")
    parts = [folded for piece in _ELLIPSIS.split(quote) if (folded := fold(piece))]
    if not any(char.isalnum() for part in parts for char in part):
        return Broken("empty", "The quote holds no word.")
    joined = _join(tuple(texts))
    at, begin = 0, -1
    for part in parts:
        found = _whole(joined.text, part, at)
        if found < 0:
            return _told(part, joined.text)
        begin = found if begin < 0 else begin
        at = found + len(part)
    return Stretch(tuple(joined.parts(begin, at, texts)))


def fold(text: str) -> str:
    """Fold *text* to the form in which quotes and sources are compared."""
    return _folded(text)[0]


@dataclass(frozen=True, slots=True)
class _Joined:
    """Folded texts joined by a space, with each character's position in the sources."""

    text: str
    origins: tuple[tuple[int, int], ...]  # of each character its text and its place there

    def parts(self, begin: int, end: int, texts: Sequence[str]) -> list[Part]:
        """Return the verbatim parts of *texts* for the folded characters from *begin* to *end*."""
        spans: dict[int, tuple[int, int]] = {}
        for index, place in self.origins[begin:end]:
            if place >= 0:
                first = spans.get(index, (place, 0))[0]
                spans[index] = (first, place + 1)
        return [Part(index, a, b, texts[index][a:b]) for index, (a, b) in spans.items()]


@lru_cache(maxsize=256)
def _join(texts: tuple[str, ...]) -> _Joined:
    chars: list[str] = []
    origins: list[tuple[int, int]] = []
    for index, text in enumerate(texts):
        folded, places = _folded(text)
        if not folded:
            continue
        if chars:
            chars.append(" ")
            origins.append((index, -1))
        chars.append(folded)
        origins += [(index, place) for place in places]
    return _Joined("".join(chars), tuple(origins))


def _folded(text: str) -> tuple[str, list[int]]:
    """Return *text* folded, with each character's position in the source."""
    chars: list[str] = []
    places: list[int] = []
    for start, end in _without_marks(text):
        for place in range(start, end):
            for char in _fold_one(text[place]):
                if char == " " and (not chars or chars[-1] == " "):
                    continue
                chars.append(char)
                places.append(place)
    while chars and chars[-1] == " ":
        chars.pop()
        places.pop()
    return "".join(chars), places


def _without_marks(text: str) -> list[tuple[int, int]]:
    """Return the spans of *text* that remain when list marks at the starts of lines are removed."""
    spans, at = [], 0
    for line in text.splitlines(keepends=True):
        mark = _LINE_MARK.match(line)
        skipped = mark.end() if mark and line[mark.end() :].strip() else 0
        spans.append((at + skipped, at + len(line)))
        at += len(line)
    return spans


def _fold_one(char: str) -> str:
    is_private = "\ue000" <= char <= "\uf8ff"  # private use: a symbol font's bullet
    if char.isspace() or char in _BULLETS or is_private:
        return " "
    if char in _QUOTATION:
        return "'"
    if char in _DASHES:
        return "-"
    return "" if char in _NOTHING else char.casefold()


def _whole(text: str, part: str, at: int) -> int:
    """Return the first position of *part* in *text* from *at* that cuts no word, or -1 if there is none."""
    found = text.find(part, at)
    while found >= 0:
        if not (_cuts(text, found) or _cuts(text, found + len(part))):
            return found
        found = text.find(part, found + 1)
    return -1


def _cuts(text: str, at: int) -> bool:
    """Return whether position *at* is inside a word, or inside a number with its sign."""
    if not 0 < at < len(text):
        return False
    before, after = text[at - 1], text[at]
    if _WITHIN.match(before) and _WITHIN.match(after):
        return True
    if after in ".,'-" and before.isalnum():  # 1|.5, 1|,200, don|'t, non|-profit
        return at + 1 < len(text) and text[at + 1].isalnum() and (after in "'-" or text[at + 1].isdigit())
    if before in ".,'-" and after.isalnum():  # 1.|5, non-|profit, and -|5
        held = at >= 2 and text[at - 2].isalnum() and (before in "'-" or text[at - 2].isdigit())
        return held or (before == "-" and after.isdigit())
    return False


def _told(part: str, text: str) -> Broken:
    if _whole(text, part, 0) >= 0:
        return Broken("order", f'"{_short(part)}" stands before the part that the quote puts before it.')
    if part in text:
        return Broken("cut", f'"{_short(part)}" is cut out of a longer word or number: quote whole words.')
    words = part.split(" ")
    held = 0
    while held < len(words) and " ".join(words[: held + 1]) in text:
        held += 1
    if held == 0:
        return Broken("words", f'"{_short(words[0])}" does not stand there: quote its words as they are.')
    last = " ".join(words[max(0, held - 6) : held])
    return Broken("words", f'After "{_short(last)}" "{_short(words[held])}" does not follow there.')


def _short(text: str, limit: int = 80) -> str:
    return text if len(text) <= limit else text[: limit - 1] + "…"


# ---------------------------------------------------------------------- passages
# A deck and speech as passages: every stretch that can be quoted, with an id that stays the same.


def deck_passages(deck: Deck) -> tuple[Passage, ...]:
    """Return everything that the visible slides and their notes assert, in order.

    Footers, dial-in lines and lines that repeat on many slides are left out: nobody says them.

    Every text is verbatim except a chart's values, which no page spells out: "Revenue 2025: 4.2" names series
    and category, and has the value as the deck stores it. Empty texts are left out.
    """
    return tuple(passage for slide in deck.slides if not slide.hidden for passage in _of_slide(slide))


def speech_passages(segments: Sequence[Segment], start_index: int = 1) -> tuple[Passage, ...]:
    """Return the segments as passages, in order; the first one has the number *start_index*."""
    return tuple(
        Passage(f"s{number}", segment.text, segment.slide, segment.start_s, "speech")
        for number, segment in enumerate(segments, start=start_index)
        if segment.text.strip()
    )


def value_text(chart: Chart, series: Series, category: int) -> str:
    """Return a chart's value as passage text, or "" if the chart has a gap."""
    value = series.values[category] if category < len(series.values) else None
    if value is None:
        return ""
    shown = f"{100 * value:.12g} %" if series.percent else f"{value:.12g}"
    names = (series.name, chart.categories[category] if category < len(chart.categories) else "")
    label = " ".join(" ".join(name.split()) for name in names if name.strip())
    return f"{label}: {shown}" if label else shown


def cell_labels(table: Table, row: int, column: int) -> str:
    """Return a cell's row and column labels, "Power / 2025"; a cell that is a label has at most one label."""
    side = table.rows[row][0] if column else ""
    head = table.rows[0][column] if row and column < len(table.rows[0]) else ""
    return " / ".join(" ".join(label.split()) for label in (side, head) if label.strip())


def _of_slide(slide: Slide) -> Iterator[Passage]:
    for id_, text, origin, under in _texts(slide):
        if text.strip():
            yield Passage(f"d{slide.number}.{id_}", text, slide.number, None, origin, under)


def _texts(slide: Slide) -> Iterator[tuple[str, str, str, str]]:
    """Yield id within the slide, text, origin and heading of each text of *slide*."""
    yield "title", "" if slide.title_is_furniture else slide.title, "title", ""
    for at, line in enumerate(slide.lines):
        if at not in slide.furniture:
            parent = slide.parents[at] if at < len(slide.parents) else None
            yield f"l{at + 1}", line, "line", "" if parent is None else slide.lines[parent]
    for number, table in enumerate(slide.tables, start=1):
        yield from _cells(f"t{number}", table)
    for number, chart in enumerate(slide.charts, start=1):
        yield from _points(f"c{number}", chart)
    for number, paragraph in enumerate(slide.notes.split("\n"), start=1):
        yield f"n{number}", paragraph, "notes", ""
    for number, text in enumerate(slide.alt_texts, start=1):
        yield f"a{number}", text, "alt", ""


def _cells(id_: str, table: Table) -> Iterator[tuple[str, str, str, str]]:
    for row, cells in enumerate(table.rows):
        for column, cell in enumerate(cells):
            yield f"{id_}.r{row + 1}.c{column + 1}", cell, "table", cell_labels(table, row, column)


def _points(id_: str, chart: Chart) -> Iterator[tuple[str, str, str, str]]:
    yield f"{id_}.title", chart.title, "chart", ""
    for number, category in enumerate(chart.categories, start=1):
        yield f"{id_}.k{number}", category, "chart", chart.title
    for number, series in enumerate(chart.series, start=1):
        yield f"{id_}.s{number}", series.name, "chart", chart.title
        for place in range(len(series.values)):
            yield f"{id_}.s{number}.v{place + 1}", value_text(chart, series, place), "chart", chart.title


# ---------------------------------------------------------------------- grounding


# Models quote the quotation marks and the full stop too.
_WRAPPED: Final = re.compile(r'^[>\s]*["“„«‘]?(.*?)["”“»’]?[\s.,;:]*$', re.DOTALL)
_SHORTEST: Final = 4
"""Minimum number of letters and digits of a quote: a shorter one ("the") occurs everywhere, and says nothing
unless it is a figure."""
_SPREAD: Final = 3
"""Maximum number of pieces of speech over which one quote may run: a sentence of captions takes two or
three."""


def material(deck: Deck, segments: Sequence[Segment] = ()) -> tuple[Passage, ...]:
    """Return every passage that can be quoted: the deck with its notes, then the speech."""
    return (*deck_passages(deck), *speech_passages(segments))


def grounded(place: Place, passages: Sequence[Passage]) -> Place | None:
    """Return *place* with the source's own words, or None if its quote is not found there.

    A place with a time is looked for in the speech from that time on, a place with only a slide on that
    slide, and a place with neither in everything that was said.
    """
    found = find_quote(place.quote, [passage.text for passage in _there(place, passages)])
    return None if isinstance(found, Broken) else Place(place.slide, place.said_at_s, found.text)


def figures(text: str) -> set[object]:
    """Return the numbers and dates in *text*, whether in digits or words: "eighteen percent" is 18.

    For a date, its year, month and day are returned separately, so that a part of it is found in the whole.
    """
    found: set[object] = {number.value for number in numbers_in(text)}
    for date in dates_in(text):
        if date.has_year:
            found.add(("year", date.last.year))
        if date.precision in ("day", "month"):
            found.add(("month", date.first.month))
        if date.precision not in ("month", "year"):
            found.add((date.precision, date.first.month, date.first.day))
    return found


def _there(place: Place, passages: Sequence[Passage]) -> Iterator[Passage]:
    spoken = (one for one in passages if one.said_at_s is not None)
    if place.said_at_s is not None:
        at_s = place.said_at_s
        from_then = [one for one in spoken if (one.said_at_s or 0.0) >= at_s]
        # At the end of a recording the clock stands still: all answers there have one time.
        return islice(from_then, sum(one.said_at_s == at_s for one in from_then) + _SPREAD)
    if place.slide is not None:
        return (one for one in passages if one.said_at_s is None and one.slide == place.slide)
    return spoken


# ---------------------------------------------------------------------- a quote without a place


def found_in(quote: str, *texts: str, joined_by: str = " … ") -> str | None:
    """Return the part of adjoining *texts* that *quote* matches, or None if there is none."""
    for form in _forms(quote):
        found = find_quote(form, texts)
        if not isinstance(found, Broken):
            return joined_by.join(part.text for part in found.parts)
    return None


def _forms(quote: str) -> Iterator[str]:
    """Yield the quote as given, and without surrounding quotation marks and our files' backslashes."""
    plain = quote.replace("^\\", "^").replace("\\|", "|")
    letters = sum(letter.isalnum() for letter in plain)
    if letters >= _SHORTEST or any(letter.isdigit() for letter in plain):
        yield from dict.fromkeys((plain, _WRAPPED.sub(r"\1", plain)))


def place_in(quote: str, passages: Iterable[Passage], *, notes: bool = False) -> Place | None:
    """Find *quote* in *passages*, or return None; with *notes*, search the speaker's notes too."""
    found = first_place(quote, passages, notes)
    return found[0] if found is not None else None


def first_place(quote: str, passages: Iterable[Passage], notes: bool = False) -> tuple[Place, str] | None:
    """Return the place of *quote* and the id of the passage in which it begins, or None if it is in none."""
    for _, group in groupby((one for one in passages if notes or one.origin != "notes"), key=_run_of):
        run = list(group)
        joined_by = " | " if run[0].origin == "table" else " … "
        if words := found_in(quote, *(one.text for one in run), joined_by=joined_by):
            return Place(run[0].slide, run[0].said_at_s, words), run[0].id
    return None


def _run_of(passage: Passage) -> tuple[object, ...]:
    """Return the key that the passages of one run share: the lines of a slide, or the cells of a row.

    Any other passage is a run by itself.
    """
    if passage.origin == "line":
        return (passage.slide, "line")
    if passage.origin == "table":
        return (passage.slide, passage.id.rpartition(".")[0])
    return (passage.id,)
