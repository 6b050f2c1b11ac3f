"""One slide of a Markdown deck: its heading, lines, tables, notes and alt texts."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from orchestrator.material.deck.breaks import BREAK, broken_lines, joined
from orchestrator.material.deck.headings import headed
from orchestrator.material.deck.markdown_html import TABLE_BEGINS, TABLE_ENDS, html_table
from orchestrator.material.deck.markdown_inline import STRUCK, alt_texts, typed
from orchestrator.material.deck.nesting import introduces
from orchestrator.material.deck.shown import shown
from orchestrator.material.model.slide import Table

# As CommonMark has them: up to three spaces before a mark, since four begin code. No text of code is lost
# here: it becomes a line all the same.
HEADING = re.compile(r" {0,3}(#{1,6})(?:[ \t]+(.*))?")
_UNDERLINE = re.compile(r" {0,3}(=+|--+)[ \t]*")  # makes the paragraph above a heading; one hyphen is an item
_RULE = re.compile(r" {0,3}([-*_])[ \t]*(\1[ \t]*){2,}")
_ITEM = re.compile(r"([ \t]*)(?:[-*+]|\d{1,9}[.)])[ \t]+(?:\[[ xX]\][ \t]+)?(.*)")
_QUOTE = re.compile(r"^[ \t]*>[ \t>]*")
_TABLE_RULE = re.compile(r"[ \t]*\|?[ \t]*:?-+:?[ \t]*(\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*")
_PIPE = re.compile(r"(?<!\\)\|")
# "[1]: https://…", the address of a link, which no reader of the slide sees.
_DEFINITION = re.compile(r" {0,3}\[(?!\^)[^\[\]]+\]:[ \t]+\S+.*")
_FOOTNOTE = re.compile(r" {0,3}(\[\^[^\[\]\s]{1,40}\]):[ \t]*(.*)")
_BREAKS = re.compile(r"(?:(?<=\S) {2,}|\\)$")  # two spaces or a backslash at the end of a line
# "Note: prices are net" is a line of the slide: only "Notes:" may have its text beside it.
_NOTES_FROM_HERE = re.compile(r"[ \t]*(?:speaker )?(?:notes?:[ \t]*|notes:[ \t]*(\S.*))", re.IGNORECASE)
# Pandoc's fenced blocks: `::: notes` or `::: {.notes}`, until a line of colons.
_NOTES_BLOCK = re.compile(r":::+[ \t]*\{?\.?notes\}?[ \t]*", re.IGNORECASE)
_BLOCK = re.compile(r":::+.*")


@dataclass(frozen=True, slots=True)
class Line:
    """A line without the HTML comments on it."""

    text: str
    code: bool = False  # belongs to fenced code, which is shown as it stands; the fences are empty
    notes: tuple[str, ...] = ()  # what comments that end here note


@dataclass(slots=True)
class Blocks:
    """The parts of a slide; headings stand among the lines, too, with their levels."""

    lines: list[str] = field(default_factory=list)
    parents: list[int | None] = field(default_factory=list)  # of each line
    code: list[int] = field(default_factory=list)  # lines of fenced code
    headings: list[tuple[int, int]] = field(default_factory=list)  # level, index in `lines`
    tables: list[Table] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    alt_texts: list[str] = field(default_factory=list)
    has_struck: bool = False  # words that are struck out were left out


def read_blocks(lines: Sequence[Line]) -> Blocks:
    """The blocks of a slide whose Markdown is *lines*."""
    reader = _Reader()
    index = 0
    while index < len(lines):
        index += reader.take(lines, index)
    reader.end_paragraph()
    return reader.blocks


class _Reader:
    def __init__(self) -> None:
        self.blocks = Blocks()
        self._paragraph: list[str] = []
        self._indent = 0  # of the paragraph's first line, in columns
        self._is_item = False
        self._items: list[tuple[int, int]] = []  # indent and line of the list items that are open
        self._introduction: int | None = None  # the line that introduces the list
        self._open: list[tuple[int, int]] = []  # level and line of the headings that the next line is under
        self._in_notes = False  # until the end of the slide
        self._in_notes_block = False  # until the line of colons that ends it

    def take(self, lines: Sequence[Line], index: int) -> int:
        """Read what begins at *index*; returns how many lines it took."""
        line = lines[index].text
        if lines[index].code:
            self.end_paragraph()
            said = shown(line)
            self.blocks.code += [len(self.blocks.lines)] if said and not self._noting else []
            self._say(said)
        elif found := _NOTES_FROM_HERE.fullmatch(line):
            self.end_paragraph()
            self._in_notes = True
            self._paragraph += [found[1]] if found[1] else []
        elif _BLOCK.fullmatch(line):
            self.end_paragraph()
            self._in_notes_block = bool(_NOTES_BLOCK.fullmatch(line))
        elif found := HEADING.fullmatch(line):
            self.end_paragraph()
            self._heading(len(found[1]), re.sub(r"[ \t]#+[ \t]*$", "", found[2] or ""))
        # A list item is no heading: dashes behind it are a rule (CommonMark 0.31, 4.3).
        elif self._paragraph and not self._is_item and (found := _UNDERLINE.fullmatch(line)):
            text, self._paragraph = " ".join(self._paragraph), []
            self._heading(1 if found[1][0] == "=" else 2, text)
        elif not line.strip() or _RULE.fullmatch(line) or _DEFINITION.fullmatch(line):
            self.end_paragraph()
        elif self._begins_table(lines, index):
            return self._table(lines, index)
        elif found := TABLE_BEGINS.match(line):
            return self._html_table(lines, index, found[1])
        elif found := _FOOTNOTE.fullmatch(line):
            self.end_paragraph()
            self._paragraph.append(f"{found[1]} {found[2]}")
        elif found := _ITEM.fullmatch(line):
            self.end_paragraph()
            self._indent, self._is_item = _columns(found[1]), True
            self._paragraph.append(_BREAKS.sub("<br>", found[2]))
        else:
            if not self._paragraph:
                self._indent = _columns(line[: len(line) - len(line.lstrip())])
            self._paragraph.append(_BREAKS.sub("<br>", _QUOTE.sub("", line)).strip())
        return 1

    def end_paragraph(self) -> None:
        text, self._paragraph = " ".join(self._paragraph), []
        is_item, self._is_item = self._is_item, False
        self.blocks.alt_texts += alt_texts(text)
        lines = list(map(shown, broken_lines(self._typed(text))))
        parent = self._parent(lines[0], is_item) if lines and not self._noting else None
        for said in lines:
            self._say(said, parent)

    def _typed(self, markdown: str) -> str:
        text = typed(markdown)
        self.blocks.has_struck |= STRUCK in text and not self._noting
        return text

    @property
    def _noting(self) -> bool:
        return self._in_notes or self._in_notes_block

    def _parent(self, text: str, is_item: bool) -> int | None:
        """The item that the next line is indented under, else what introduces the list."""
        while self._items and self._items[-1][0] >= self._indent:
            self._items.pop()
        if self._items:
            parent: int | None = self._items[-1][1]
        elif is_item:
            parent = self._introduction
        else:
            parent = None
            self._introduction = len(self.blocks.lines) if introduces(text) else None
        if is_item:
            self._items.append((self._indent, len(self.blocks.lines)))
        return parent

    def _say(self, text: str, parent: int | None = None) -> None:
        """A line under *parent*, else under the last heading that is open."""
        if text and self._noting:
            self.blocks.notes.append(text)
        elif text:
            if parent is None and self._open:
                parent = self._open[-1][1]
            self.blocks.parents.append(parent)
            self.blocks.lines.append(text)

    def _heading(self, level: int, text: str) -> None:
        said = shown(self._typed(text))
        if said and not self._noting:
            self._items, self._introduction = [], None
            while self._open and self._open[-1][0] >= level:
                self._open.pop()
            heading = (level, len(self.blocks.lines))
            self.blocks.headings.append(heading)
            self._say(said)
            self._open.append(heading)
        else:
            self._say(said)

    def _begins_table(self, lines: Sequence[Line], index: int) -> bool:
        following = lines[index + 1].text if index + 1 < len(lines) else ""
        return "|" in lines[index].text and "|" in following and bool(_TABLE_RULE.fullmatch(following))

    def _table(self, lines: Sequence[Line], index: int) -> int:
        self.end_paragraph()
        end = index + 2
        while end < len(lines) and "|" in lines[end].text and not lines[end].code:
            end += 1
        rows = [_cells(line.text) for line in (lines[index], *lines[index + 2 : end])]
        self._keep(headed([[joined(self._typed(cell).split(BREAK)) for cell in row] for row in rows], {}))
        return end - index

    def _html_table(self, lines: Sequence[Line], index: int, before: str) -> int:
        """Read a table of HTML, to its end or the slide's; what stands behind it begins a paragraph."""
        self._paragraph.append(before)
        self.end_paragraph()
        end = index
        while end < len(lines) - 1 and not TABLE_ENDS.search(lines[end].text):
            end += 1
        markup = "\n".join(line.text for line in lines[index : end + 1])
        inside, *behind = TABLE_ENDS.split(markup[len(before) :], maxsplit=1)
        self._keep(html_table(inside, self._typed))
        self._paragraph += filter(None, behind)
        return end - index + 1

    def _keep(self, table: Table) -> None:
        if self._noting:
            self.blocks.notes += [" | ".join(row) for row in table.rows]
        elif table.rows:
            self.blocks.tables.append(table)


def _columns(indent: str) -> int:
    """Columns of white space; a tab goes to the next multiple of four (CommonMark, 2.2)."""
    return len(indent.expandtabs(4))


def _cells(row: str) -> list[str]:
    stripped = row.strip().removeprefix("|")
    if stripped.endswith("|") and not stripped.endswith("\\|"):
        stripped = stripped[:-1]
    return _PIPE.split(stripped)
