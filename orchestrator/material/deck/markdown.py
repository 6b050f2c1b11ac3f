"""Read Markdown decks: slides between `---` lines, else one slide at each `#` and `##` heading.

A deck is read as its audience sees it: marks that only set text (list markers, heading marks, emphasis,
links, code marks, HTML) are removed, and the words stay. So a quote is found in a slide's line as the line is
shown, not as it is typed.

* YAML front matter at the top gives the deck's `title` and is not a slide.
* `---` separates slides where it stands alone on a line outside of fenced code; the first
  heading of a slide (of level 1 or 2 if there is one) is its title. Without such a line,
  each `#` and `##` begins a slide.
* A paragraph or list item is one line, however it is wrapped; fenced code keeps its lines.
* Pipe tables and tables of HTML are tables. Raised text is a mark, struck-out text is left out, and footnotes
  are lines.
* `<!-- notes: … -->`, all that follows a line `Notes:` or `Note:`
  on a slide, and a block between `::: notes` and `:::` are the speaker's notes; other
  comments are dropped. The alternative text of an image is an alt text.
"""

from __future__ import annotations

import hashlib
import html
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import PurePath
from typing import BinaryIO

from orchestrator.core.errors import DeckError
from orchestrator.material.deck.formulas import lowered, power, raised, subscript
from orchestrator.material.deck.limits import SHORTER, DeckLimits
from orchestrator.material.deck.lines import BREAK, broken_lines, introduces, joined, settled, without_line
from orchestrator.material.deck.shown import own_words, shown
from orchestrator.material.deck.tables import headed
from orchestrator.material.values import Deck, Slide, Table

# ---------------------------------------------------------------------- markdown inline
# The words of a piece of Markdown, without the marks that only set them.
#
# Every step looks at each character a bounded number of times, whatever the text is.


_ESCAPED = re.compile(r"\\([!-/:-@\[-`{-~])")
# An address may hold one pair of brackets, as in "/wiki/Board_(governance)", and none within it.
_IMAGE = re.compile(r"!\[([^\[\]]*)\]\([^()]*(?:\([^()]*\)[^()]*)?\)")
_LINK = re.compile(r"\[([^\[\]]*)\](?:\([^()]*(?:\([^()]*\)[^()]*)?\)|\[[^\[\]]*\])")
_ADDRESS = re.compile(r"<((?:https?://|mailto:)[^<>\s]+)>")
_TAG = re.compile(r"<(/?)([A-Za-z][A-Za-z0-9]*)[^<>]*>")
_PAIR = re.compile(r"<(sup|sub|del|s|strike)>([^<>]*)</\1>")
_SET_OFF = ("sup", "sub", "del", "s", "strike", "br")  # tags that change what the words between them say
# As in "[^1]"; in Pandoc's "10^6^", "CO~2~" and "^[a note in its place]".
_FOOTNOTE = re.compile(r"\[\^([^\[\]\s]{1,40})\]")
_RAISED = re.compile(r"\^([^\s^\[\]]{1,20})\^(?!\w)")
_LOWERED = re.compile(r"(?<=[^\W\d])~(\d{1,10})~")
_NOTE_IN_PLACE = re.compile(r"\^\[([^\[\]]*)\]")
_MATHS = re.compile(r"(?<!\\)\$(?=\S)([^$]{1,200})(?<=\S)\$(?!\d)")
_FRACTION = re.compile(r"\\[dt]?frac\{([^{}]*)\}\{([^{}]*)\}")
_SCRIPT = re.compile(r"([_^])(?:\{([^{}]*)\}|([^\s\\{}]))")
_CODE = re.compile(r"`+([^`]+)`+")
_DELIMITER = re.compile(r"(\*+|_+|~+)")
_PRIVATE = re.compile("[\ue000-\uf8ff]")
_KEPT = 0xE000
"""First code of the private use area, in which escaped characters and code are hidden from all rules
meanwhile."""
STRUCK = "\uf8ff"
"""The character that replaces struck-out words in what `typed` returns; `shown` treats it as white space."""


def words(markdown: str) -> str:
    """Return *markdown*, one paragraph, as its audience sees it: on one line, without marks."""
    return shown(typed(markdown))


def typed(markdown: str) -> str:
    """Return the text that `words` returns, but with its breaks and with `STRUCK` for struck-out words."""
    text = _MATHS.sub(_maths, _PRIVATE.sub(" ", markdown))
    text = _ESCAPED.sub(lambda match: chr(_KEPT + ord(match[1])), text)
    text = _CODE.sub(lambda match: _kept(match[1]), text)
    text = _IMAGE.sub("", text)
    text = _FOOTNOTE.sub(lambda match: raised(match[1]) if match[1].isdecimal() else "", text)
    text = _NOTE_IN_PLACE.sub(r" (\1)", text)
    text = _LINK.sub(r"\1", text)
    text = _ADDRESS.sub(r"\1", text)
    text = _TAG.sub(_bare_tag, text)
    text = _PAIR.sub(lambda match: _set_off(match[1], match[2]), text).replace("<br>", BREAK)
    text = _TAG.sub(" ", text)
    text = _RAISED.sub(lambda match: raised(match[1]), text)
    text = _LOWERED.sub(lambda match: lowered(match[1]), text)
    text = html.unescape(_without_emphasis(text))
    return "".join(_released(character) for character in text)


def _maths(match: re.Match[str]) -> str:
    """Convert TeX between dollars to text with fractions and powers; other commands stay as typed."""
    if not re.search(r"[\\^_{]", match[1]):
        return match[0]
    text = _FRACTION.sub(r"(\1)/(\2)", match[1])
    return _SCRIPT.sub(lambda mark: (power if mark[1] == "^" else subscript)(mark[2] or mark[3] or ""), text)


def _bare_tag(tag: re.Match[str]) -> str:
    """Return a tag that changes the meaning, without its attributes, or white space for any other tag."""
    name = tag[2].lower()
    return f"<{tag[1]}{name}>" if name in _SET_OFF else " "


def _set_off(tag: str, text: str) -> str:
    return raised(text) if tag == "sup" else lowered(text) if tag == "sub" else STRUCK


def alt_texts(markdown: str) -> list[str]:
    """Return the alternative texts of the images in *markdown*."""
    return [shown(match[1]) for match in _IMAGE.finditer(markdown)]


def _kept(code: str) -> str:
    return "".join(chr(_KEPT + ord(c)) if "!" <= c <= "~" and not c.isalnum() else c for c in code)


def _released(character: str) -> str:
    code = ord(character) - _KEPT
    return chr(code) if 0 < code < 0x80 else character


def _without_emphasis(text: str) -> str:
    """Remove pairs of `*`, `**`, `_`, `__` around words, and words between `~`s; leave single marks."""
    read = tuple(_DELIMITER.split(text))
    pieces = list(read)
    openers: dict[str, int] = {}
    for index in range(1, len(pieces), 2):
        mark = pieces[index]
        before, behind = (
            "".join(read[max(index - 2, 0) : index])[-1:],
            "".join(read[index + 1 : index + 3])[:1],
        )
        between_words = before.isalnum() and behind.isalnum()
        if between_words and (mark[0] == "_" or (before.isdigit() and behind.isdigit())):
            continue  # snake_case and 2*3*4
        # "~5 to ~6" and "(~5–~6)" are estimates.
        opens, closes = (True, True) if mark != "~" else (not before.isalnum(), not behind.isalnum())
        if mark in openers and before and not before.isspace() and closes:
            first = openers.pop(mark)
            pieces[first] = pieces[index] = ""
            if mark[0] == "~":
                pieces[first + 1 : index] = [STRUCK, *[""] * (index - first - 2)]
        elif behind and not behind.isspace() and opens:
            openers[mark] = index
    return "".join(pieces)


# ---------------------------------------------------------------------- markdown html
# Tables that a Markdown deck writes in HTML, as converters of documents do.


TABLE_BEGINS = re.compile(r"(.*?)<table\b", re.IGNORECASE)
TABLE_ENDS = re.compile(r"</table\s*>", re.IGNORECASE)
_ROW = re.compile(r"<tr\b[^<>]*>", re.IGNORECASE)
_CELL = re.compile(r"<t[dh]\b([^<>]*)>", re.IGNORECASE)
_SPAN = re.compile(r"\b(col|row)span\s*=\s*[\"']?(\d{1,2})\b", re.IGNORECASE)
_MAX_COVERED = 10_000
"""Maximum number of places under merged cells: as many as the cells that are read of a deck (`limits`).
Further merged cells count as single ones."""


def html_table(markup: str, typed: Callable[[str], str]) -> Table:
    """Parse the HTML table in *markup*; *typed* returns the words of a cell."""
    rows: list[list[str]] = []
    spans: dict[tuple[int, int], tuple[int, int]] = {}
    covered: set[tuple[int, int]] = set()
    for at, row in enumerate(_ROW.split(markup)[1:]):
        cells: list[str] = []
        _, *parts = _CELL.split(row)
        for attributes, content in zip(parts[::2], parts[1::2], strict=True):
            while (at, len(cells)) in covered:
                cells.append("")
            stated = {name.lower(): int(count) for name, count in _SPAN.findall(attributes)}
            across, down = stated.get("col", 1), stated.get("row", 1)
            if (across, down) != (1, 1) and len(covered) + across * down <= _MAX_COVERED:
                spans[at, len(cells)] = across, down
                covered |= {(at + y, len(cells) + x) for y in range(down) for x in range(across)}
            cells.append(joined(typed(content).split(BREAK)))
        while (at, len(cells)) in covered:
            cells.append("")
        rows.append(cells)
    return headed(rows, spans) if rows else Table(())


# ---------------------------------------------------------------------- markdown blocks
# One slide of a Markdown deck: its heading, lines, tables, notes and alt texts.


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
_FOOTNOTE_LINE = re.compile(r" {0,3}(\[\^[^\[\]\s]{1,40}\]):[ \t]*(.*)")
_BREAKS = re.compile(r"(?:(?<=\S) {2,}|\\)$")  # two spaces or a backslash at the end of a line
# "Note: prices are net" is a line of the slide: only "Notes:" may have its text beside it.
_NOTES_FROM_HERE = re.compile(r"[ \t]*(?:speaker )?(?:notes?:[ \t]*|notes:[ \t]*(\S.*))", re.IGNORECASE)
# Pandoc's fenced blocks: `::: notes` or `::: {.notes}`, until a line of colons.
_NOTES_BLOCK = re.compile(r":::+[ \t]*\{?\.?notes\}?[ \t]*", re.IGNORECASE)
_BLOCK = re.compile(r":::+.*")


@dataclass(frozen=True, slots=True)
class Line:
    """A line of a slide, without the HTML comments on it."""

    text: str
    code: bool = False  # belongs to fenced code, which is shown as it stands; the fences are empty
    notes: tuple[str, ...] = ()  # what comments that end here note


@dataclass(slots=True)
class Blocks:
    """The parts of a slide; its headings, with their levels, are among the lines too."""

    lines: list[str] = field(default_factory=list)
    parents: list[int | None] = field(default_factory=list)  # of each line
    code: list[int] = field(default_factory=list)  # lines of fenced code
    headings: list[tuple[int, int]] = field(default_factory=list)  # level, index in `lines`
    tables: list[Table] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    alt_texts: list[str] = field(default_factory=list)
    has_struck: bool = False  # words that are struck out were left out


def read_blocks(lines: Sequence[Line]) -> Blocks:
    """Parse *lines*, the Markdown of a slide, into blocks."""
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
        """Read the block that begins at *index*; return the number of lines in it."""
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
        elif found := _FOOTNOTE_LINE.fullmatch(line):
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
        """Return the index of the item under which the next line is indented, else the introduction's.

        The introduction is the line that introduces the list.
        """
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
        """Add a line under *parent*, else under the last open heading."""
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
        """Read an HTML table up to the table's or the slide's end; text behind it begins a paragraph."""
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
    """Count the columns that white space takes; a tab goes to the next multiple of four (CommonMark, 2.2)."""
    return len(indent.expandtabs(4))


def _cells(row: str) -> list[str]:
    stripped = row.strip().removeprefix("|")
    if stripped.endswith("|") and not stripped.endswith("\\|"):
        stripped = stripped[:-1]
    return _PIPE.split(stripped)


# ---------------------------------------------------------------------- markdown


_SEPARATOR = "---"
_FRONT_MATTER_ENDS = ("---", "...")
_MAX_FRONT_MATTER = 200
"""Maximum number of lines of front matter; a longer first slide that looks like front matter is a slide. The
front matter of Marp or Slidev, with themes and styles written out, has some dozen lines."""
_FENCE = re.compile(r" {0,3}(```+|~~~+)")
_WITHDRAWN = "words that are struck out were left out"
_NOTES = re.compile(r"\s*(?:speaker )?notes?:\s*(.*)", re.IGNORECASE | re.DOTALL)


def read_markdown(file: BinaryIO, name: str, sha256: str, limits: DeckLimits) -> Deck:
    """Read the deck in *file*, which is UTF-8, or UTF-16 with a byte order mark.

    Raises:
        DeckError: The file is not text, is too long, or has no slide. The message lacks the
            file's name: it is a predicate ("is …", "holds …").
    """
    raw = file.read(limits.text_bytes + 1)
    if len(raw) > limits.text_bytes:
        raise _too_long(limits)
    try:
        text = raw.decode("utf-16" if raw[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig")
    except UnicodeDecodeError as error:
        raise DeckError(f"is not UTF-8 text (at byte {error.start}); save it as UTF-8") from error
    return _deck(text, name, sha256, limits)


def read_markdown_text(text: str, name: str, limits: DeckLimits) -> Deck:
    """Read *text* as a deck; the deck's hash is that of the text in UTF-8.

    Raises:
        DeckError: As for `read_markdown`.
    """
    raw = text.encode("utf-8", "surrogatepass")
    if len(raw) > limits.text_bytes:
        raise _too_long(limits)
    return _deck(text.removeprefix("\ufeff"), name, hashlib.sha256(raw).hexdigest(), limits)


def _too_long(limits: DeckLimits) -> DeckError:
    return DeckError(f"holds more than {limits.text_bytes:,} bytes of text; {SHORTER}")


def _deck(text: str, name: str, sha256: str, limits: DeckLimits) -> Deck:
    if "\0" in text:
        raise DeckError("holds NUL characters, so it is not Markdown; save it as text")
    lines = re.split(r"\r\n|\r|\n", text)
    title, body = _front_matter(lines)
    marked, open_comment = _without_comments(body)
    parts = _without_empty_ends(list(_parts(marked)))
    blocks = [read_blocks(part) for part in parts]
    slides = [_slide(number, *one) for number, one in enumerate(zip(parts, blocks, strict=True), 1)]
    if not slides:
        raise DeckError("has no slides: there is no text in it; add some, or give another file")
    if len(slides) > limits.slides:
        raise DeckError(f"has {len(slides):,} slides; at most {limits.slides:,} are read; {SHORTER}")
    return Deck(
        kind="md",
        name=name,
        sha256=sha256,
        title=title or next((slide.title for slide in slides if slide.title), PurePath(name).stem),
        slides=tuple(slides),
        notices=(
            *(() if open_comment is None else (_unclosed(open_comment + len(lines) - len(body)),)),
            *(f"slide {at}: {_WITHDRAWN}" for at, one in enumerate(blocks, 1) if one.has_struck),
        ),
    )


def _unclosed(line: int) -> str:
    return f"what follows line {line} is in a comment without an end (-->) and was left out"


def _front_matter(lines: list[str]) -> tuple[str, list[str]]:
    """Return the title in YAML front matter ("" if there is none), and the lines behind the front matter."""
    if not lines or lines[0].rstrip() != _SEPARATOR:
        return "", lines
    first = lines[1:_MAX_FRONT_MATTER]
    end = next((index for index, line in enumerate(first, 1) if line.rstrip() in _FRONT_MATTER_ENDS), None)
    if end is None:
        return "", lines
    import yaml  # 0.02 s to import: only where there may be front matter

    try:  # composed, not loaded: aliases stay references, so that no text can blow up
        root = yaml.compose("\n".join(lines[1:end]), Loader=yaml.SafeLoader)
    except (yaml.YAMLError, RecursionError, ValueError):
        return "", lines  # a first slide between two lines
    if root is None and not "".join(lines[1:end]).strip():
        return "", lines[end + 1 :]
    if not isinstance(root, yaml.MappingNode):
        return "", lines
    titles = [value.value for key, value in root.value if key.value == "title"]
    title = shown(titles[0]) if titles and isinstance(titles[0], str) else ""
    return title, lines[end + 1 :]


def _parts(lines: list[Line]) -> Iterator[list[Line]]:
    """Yield the lines of each slide, without the separators between slides."""
    begins = _separates if any(map(_separates, lines)) else _begins_slide
    part: list[Line] = []
    for line in lines:
        if begins(line):
            yield part
            part = []
        part += [] if _separates(line) else [line]
    yield part


def _separates(line: Line) -> bool:
    return not line.code and line.text.rstrip() == _SEPARATOR


def _begins_slide(line: Line) -> bool:
    found = None if line.code else HEADING.fullmatch(line.text)
    return found is not None and len(found[1]) <= 2 and bool((found[2] or "").strip())


def _without_comments(lines: list[str]) -> tuple[list[Line], int | None]:
    """Return *lines* without HTML comments, and the number (from 1) of the line with an unended comment.

    The number is None if every comment has an end.
    """
    kept: list[Line] = []
    fence = ""
    comment: list[str] | None = None
    began = 0
    for number, line in enumerate(lines, 1):
        if comment is None and (fence or _FENCE.match(line)):
            if (found := _FENCE.match(line)) and found[1].startswith(fence):
                fence = "" if fence else found[1]
                line = ""
            kept.append(Line(line, code=True))
            continue
        text, notes, rest = "", [], line
        while True:
            if comment is None:
                before, opened, rest = rest.partition("<!--")
                text += before
                if not opened:
                    break
                comment, began = [], number
            inside, closed, rest = rest.partition("-->")
            comment.append(inside)
            if not closed:
                break
            notes += _notes("\n".join(comment))
            comment = None
        kept.append(Line(text, notes=tuple(notes)))
    return kept, None if comment is None else began


def _notes(comment: str) -> list[str]:
    found = _NOTES.fullmatch(comment)
    return [said for line in found[1].split("\n") if (said := words(line))] if found else []


def _without_empty_ends(parts: list[list[Line]]) -> list[list[Line]]:
    """Return *parts* without empty ones before the first and after the last slide."""
    full = [
        index
        for index, part in enumerate(parts)
        if any(line.notes or line.code or line.text.strip(" \t#") for line in part)
    ]
    return parts[full[0] : full[-1] + 1] if full else []


def _slide(number: int, part: list[Line], blocks: Blocks) -> Slide:
    lines, parents, code = blocks.lines, blocks.parents, blocks.code
    headings = [index for level, index in blocks.headings if level <= 2]
    headings += [index for _, index in blocks.headings]
    # A lone icon is no title.
    heading = next((index for index in headings if any(map(str.isalnum, lines[index]))), None)
    title = ""
    if heading is not None:
        title, parents = lines.pop(heading), without_line(parents, heading)
        code = [index - (index > heading) for index in code]
    return Slide(
        number=number,
        title=title,
        lines=tuple(lines),
        tables=tuple(blocks.tables),
        notes="\n".join([*(note for line in part for note in line.notes), *blocks.notes]),
        alt_texts=tuple(alt for text in blocks.alt_texts if (alt := own_words(text))),
        parents=settled(parents),
        labels=tuple(code),
    )
