"""Markdown decks: slides between `---` lines, else one at each `#` and `##` heading.

A deck is read as its audience sees it: marks that only set text (list markers, heading
marks, emphasis, links, code marks, HTML) are taken away, the words stay. So a quote is
found in a slide's line as it is shown, not as it is typed.

* YAML front matter at the top gives the deck's `title` and is no slide.
* `---` separates slides where it stands alone on a line outside of fenced code; the first
  heading of a slide (of level 1 or 2 if there is one) is its title. Without such a line,
  each `#` and `##` begins a slide.
* A paragraph or list item is one line, however it is wrapped; fenced code keeps its lines.
* Pipe tables and tables of HTML are tables. What is raised is a mark, what is struck out is
  not said. Footnotes are lines.
* `<!-- notes: … -->`, all that follows a line `Notes:` or `Note:`
  on a slide, and a block between `::: notes` and `:::` are the speaker's notes; other
  comments are dropped. The alternative text of an image is an alt text.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from pathlib import PurePath
from typing import BinaryIO

from orchestrator.core.errors import DeckError
from orchestrator.material.deck.alt_text import own_words
from orchestrator.material.deck.limits import SHORTER, DeckLimits
from orchestrator.material.deck.markdown_blocks import (
    HEADING,
    Blocks,
    Line,
    read_blocks,
)
from orchestrator.material.deck.markdown_inline import words
from orchestrator.material.deck.nesting import settled, without_line
from orchestrator.material.deck.shown import shown
from orchestrator.material.model.slide import Deck, Slide

_SEPARATOR = "---"
_FRONT_MATTER_ENDS = ("---", "...")
_LONGEST_FRONT_MATTER = 200
"""Lines; a first slide that looks like front matter but is longer is a slide. The front matter of Marp or
Slidev, with themes and styles written out, has some dozen."""
_FENCE = re.compile(r" {0,3}(```+|~~~+)")
_WITHDRAWN = "words that are struck out were left out"
_NOTES = re.compile(r"\s*(?:speaker )?notes?:\s*(.*)", re.IGNORECASE | re.DOTALL)


def read_markdown(file: BinaryIO, name: str, sha256: str, limits: DeckLimits) -> Deck:
    """The deck in *file*, which is UTF-8, or UTF-16 with a byte order mark.

    Raises:
        DeckError: The file is no text, too long, or holds no slide. The message lacks the
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
    """The deck that *text* is; its hash is that of its UTF-8.

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
    """The title that YAML front matter gives ("" if none), and the lines behind it."""
    if not lines or lines[0].rstrip() != _SEPARATOR:
        return "", lines
    first = lines[1:_LONGEST_FRONT_MATTER]
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
    """The lines of each slide, separators left out."""
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
    """*lines* without HTML comments, and where one begins that has no end: its line from 1."""
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
    """*parts* without empty ones before the first and after the last slide."""
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
