"""deck-content.md: what the deck says, slide by slide, with the deck's claims and gaps."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from orchestrator.material.claim import Claim, Gap, Quantity
from orchestrator.material.deck.lines import slide_texts
from orchestrator.material.values import Chart, Deck, Series, Slide, Table

# ---------------------------------------------------------------------- gaps
# Slides that show too little: hidden, empty, not filled in, or with a chart that does not say of what.


_UNFILLED = re.compile(
    r"\blorem ipsum\b|\bclick to (?:add|edit)\b|\binsert (?:your |text|title|logo|image|date)[^.]{0,30}"
    r"|\b(?:remove|delete) (?:this )?slide\b|\byour (?:company|text|logo|name|title) here\b"
    r"|\bto be (?:determined|confirmed|announced|filled in)\b|\bplaceholder text\b|\bx{2,}\s?%"
    r"|(?-i:\b(?:TBD|TBC|TBA|TODO|FIXME|XXX+|(?:PROJECT|COMPANY|PRODUCT|CLIENT|CUSTOMER|YOUR) NAME)\b)",
    re.IGNORECASE,
)
"""Matches words of templates, as the makers of slide programs and of templates print them."""

_MAX_HEADING = 80
"""Maximum number of characters of a bare title, a line of a slide. A longer title is a statement, so the
slide says something."""


def find_gaps(deck: Deck) -> tuple[Gap, ...]:
    """Find the gaps of each slide, in order, by structure only; what an argument lacks, an engine says."""
    return tuple(Gap(slide.number, note) for slide in deck.slides for note in _of_slide(deck, slide))


def _of_slide(deck: Deck, slide: Slide) -> Iterator[str]:
    if slide.hidden:
        yield "This slide is hidden: the audience does not see it."
    if not slide.title and not _body(slide):
        yield "This slide shows no text: what it says is in its pictures or in the presenter's words."
    elif _is_bare(slide) and _beside_a_bare_one(deck, slide):
        yield "This slide holds only a title, and so does the one beside it."
    unfilled = [match[0].strip() for _, text in slide_texts(slide) for match in _UNFILLED.finditer(text)]
    for words in dict.fromkeys(unfilled):
        yield f'"{words}" stands here: still to be filled in.'
    for chart in slide.charts:
        if not chart.title and not slide.title:
            yield "A chart here has no title, and neither has the slide: what its numbers are is not said."
        if any(not series.name for series in chart.series) and len(chart.series) > 1:
            yield "A chart here has series without a name: which line or bar is which is not said."
        if not chart.categories:
            yield "A chart here has no categories: what its values stand for, or when, is not said."


def _body(slide: Slide) -> bool:
    return bool(slide.lines or slide.tables or slide.charts)


def _is_bare(slide: Slide) -> bool:
    """Return whether the slide has only a heading; the deck's own title slide does not count."""
    return slide.number > 1 and 0 < len(slide.title) <= _MAX_HEADING and not _body(slide)


def _beside_a_bare_one(deck: Deck, slide: Slide) -> bool:
    """Return whether the slide before or after *slide* is bare: a single bare slide just opens a section."""
    return any(_is_bare(other) for other in deck.slides if abs(other.number - slide.number) == 1)


# ---------------------------------------------------------------------- content


__all__ = ["find_gaps", "render_deck_content", "slide_texts"]


def render_deck_content(deck: Deck, claims: Sequence[Claim], gaps: Sequence[Gap]) -> str:
    """Render deck-content.md; equal arguments give equal text.

    The deck's own words stand verbatim behind "> ", one paragraph a line and indented under the line that it
    belongs to, or in the cells of a table, where only "|" is escaped; so no text of a slide begins a line,
    and no slide can forge a heading of this file.
    """
    parts = [
        f"# Deck: {deck.title}",
        "\n".join(_facts(deck)),
        'Lines that begin with ">" and cells of tables are the deck\'s own words, verbatim.',
    ]
    for slide in deck.slides:
        parts += _slide(
            slide,
            [claim for claim in claims if claim.slide == slide.number],
            [gap for gap in gaps if gap.slide == slide.number],
        )
    whole = [gap for gap in gaps if gap.slide is None]
    if whole:
        parts += ["## The whole deck", "Gaps:\n" + "\n".join(f"- {gap.note}" for gap in whole)]
    return "\n\n".join(parts) + "\n"


def _facts(deck: Deck) -> Iterator[str]:
    hidden = sum(slide.hidden for slide in deck.slides)
    yield f"- File: {deck.name} ({deck.kind})"
    yield f"- Slides: {len(deck.slides)}" + (f", of them hidden: {hidden}" if hidden else "")
    yield f"- SHA-256: {deck.sha256}"
    for notice in deck.notices:
        yield f"- Not read: {notice}"


def _slide(slide: Slide, claims: Iterable[Claim], gaps: Iterable[Gap]) -> Iterator[str]:
    yield f"## Slide {slide.number}: {slide.title or '(no title)'}"
    marks = [f"Section: {slide.section}"] if slide.section else []
    marks += ["Hidden: the audience does not see this slide."] if slide.hidden else []
    if marks:
        yield "\n".join(marks)
    unsaid = {*slide.furniture, *slide.labels}
    if text := [_indented(slide, index) for index in range(len(slide.lines)) if index not in unsaid]:
        yield "Text:\n" + _quoted(text)
    if unsaid:
        yield f"{_UNSAID}:\n" + _quoted(slide.lines[index] for index in sorted(unsaid))
    for table in slide.tables:
        yield "Table:"
        yield _table(table)
    for chart in slide.charts:
        words = [text for text in (chart.title, *chart.axes, *chart.labels) if text]
        yield "\n".join([f"Chart: {chart.kind}", *([_quoted(words)] if words else [])])
        yield _table(_numbers(chart))
    if slide.notes:
        yield "Notes (the audience does not see them):\n" + _quoted(slide.notes.split("\n"))
    if slide.alt_texts:
        yield "Alternative texts of pictures:\n" + _quoted(slide.alt_texts)
    if lines := [line for claim in claims for line in _claim(claim)]:
        yield "Claims:\n" + "\n".join(lines)
    if lines := [f"- {gap.note}" for gap in gaps]:
        yield "Gaps:\n" + "\n".join(lines)


_UNSAID = "Beside it (footers, contact lines, labels of drawings: nobody asserts them)"
_DEEPEST = 8
"""Number of levels that are shown by indentation, for a paragraph's levels from 0 to 8: PowerPoint has nine
(ECMA-376 part 1, 20.1.10.85). A deeper line is shown at the ninth level."""


def _indented(slide: Slide, index: int) -> str:
    """Return the line at *index*, indented by two spaces for each line under which it is nested."""
    depth, above = 0, index
    while depth < _DEEPEST and slide.parents and (parent := slide.parents[above]) is not None:
        depth, above = depth + 1, parent
    return "  " * depth + slide.lines[index]


def _quoted(lines: Iterable[str]) -> str:
    return "\n".join(f"> {line}" for line in lines)


def _table(table: Table) -> str:
    """Render *table* as a pipe table, with its first row as the header."""
    width = max((len(row) for row in table.rows), default=0)
    rows = [[*row, *[""] * (width - len(row))] for row in table.rows]
    lines = ["| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |" for row in rows]
    return "\n".join([*lines[:1], "|" + "---|" * width, *lines[1:]])


def _numbers(chart: Chart) -> Table:
    """Convert *chart* to a table with a row for each category and a column for each series."""
    length = max([len(chart.categories), *(len(series.values) for series in chart.series)])
    rows = [("", *(series.name for series in chart.series))]
    for index in range(length):
        category = chart.categories[index] if index < len(chart.categories) else str(index + 1)
        values = (series.values[index] if index < len(series.values) else None for series in chart.series)
        figures = (_figure(value, series) for value, series in zip(values, chart.series, strict=True))
        rows.append((category, *figures))
    return Table(tuple(rows))


def _figure(value: float | None, series: Series) -> str:
    if value is None:
        return ""
    return f"{value * 100:.12g} %" if series.percent else f"{value:.12g} {series.unit}".strip()


def _claim(claim: Claim) -> Iterator[str]:
    yield f'- {claim.id} ({", ".join(claim.kinds)}; {claim.origin}): "{claim.text}"'
    for quantity in claim.quantities:
        yield f"  - {_measured(quantity)}"


def _measured(quantity: Quantity) -> str:
    parts = [f"{quantity.value:.12g}" + (f" {quantity.unit}" if quantity.unit else "")]
    parts += [f"of: {quantity.subject}"] if quantity.subject else []
    parts += [f"period: {quantity.period}"] if quantity.period else []
    return f'"{quantity.text}" = ' + "; ".join(parts)
