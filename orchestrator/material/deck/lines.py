"""The lines of a slide: which are assertions, which are nested under others, and breaks within a
paragraph."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from orchestrator.material.deck.shown import shown
from orchestrator.material.values import Deck, Slide

# ---------------------------------------------------------------------- texts
# The pieces of a slide that can be quoted.


def slide_texts(slide: Slide) -> list[tuple[str, str]]:
    """Return the origin and the text of each piece of *slide* that is not empty, in slide order.

    Origins are those of `Claim.origin`: title, line, table (a cell), chart (its title, its
    categories, the names of its series, the titles of its axes, what is written at it), notes (a
    paragraph), alt. A valid quote lies within one piece.
    """
    pieces = [("title", slide.title)]
    pieces += [("line", line) for line in slide.lines]
    pieces += [("table", cell) for table in slide.tables for row in table.rows for cell in row]
    for chart in slide.charts:
        names = (chart.title, *chart.categories, *(series.name for series in chart.series))
        names += (*chart.axes, *chart.labels)
        pieces += [("chart", name) for name in names]
    pieces += [("notes", paragraph) for paragraph in slide.notes.split("\n")]
    pieces += [("alt", text) for text in slide.alt_texts]
    return [(origin, text) for origin, text in pieces if text]


# ---------------------------------------------------------------------- asserted
# The lines of a slide that somebody asserts, each with the line that it stands under.


def asserted_lines(slide: Slide) -> Iterator[tuple[str, str, str | None]]:
    """Yield origin ("title" or "line"), text and parent line's text of each assertion on *slide*.

    Assertions come in the order of the slide. Lines and titles that are furniture, and the labels of
    diagrams, are left out. All texts are verbatim pieces of `slide_texts`.
    """
    if slide.title and not slide.title_is_furniture:
        yield "title", slide.title, None
    unsaid = {*slide.furniture, *slide.labels}
    for index, line in enumerate(slide.lines):
        if index not in unsaid:
            yield "line", line, parent_text(slide, index)


def parent_text(slide: Slide, index: int) -> str | None:
    """Return the text of the line under which the line at *index* is nested, or None if there is none.

    A line without a parent is directly under the slide's title.
    """
    parent = slide.parents[index] if index < len(slide.parents) else None
    return None if parent is None else slide.lines[parent]


# ---------------------------------------------------------------------- furniture
# Lines of a deck that nobody asserts: what repeats, contact lines, icons, figures without a name.
#
# Told by structure alone (repetition, addresses, digits), so in any language. "Same", at a constant: the
# range in which the 132 pages and slides of sixteen real decks and PDFs are marked alike.


_MIN_SLIDES = 4
_REPEATED_ON = 1 / 3
"""A line is furniture if it occurs on more than this share of the slides, and on at least `_MIN_REPEATS` of
them.

The real decks read the same from 0.22 to 0.5. At a sixth, titles that a few slides share are lost; at two
thirds, a running head that the cover lacks stays. With fewer than four slides a third is a single one, and
everything would count as repeated.
"""
_MIN_REPEATS = 3
"""A line that occurs twice is emphasised, not furniture. The real decks read the same up to 5."""

_CONTACT = re.compile(  # tried at the beginning of words and bounded, so that no line takes long
    r"(?<!\S)\W{0,2}(?:(?:https?://|www\.)\S+|(?:[a-z0-9-]{1,60}\.){1,6}[a-z]{2,20}/\S*)"  # of pages
    r"|(?<!\S)[^\s@]{1,80}@[\w-]{1,60}\.\S+"  # of mailboxes
    r"|\+\d[\d\s().,#*/-]{6,60}[\d#]|\(\d{3}\) ?\d{3}-\d{4}|\b\d{3}-\d{3}-\d{4}\b"  # telephone numbers
    r"|\b\d{3} \d{4} \d{4}\b|\b\d{3} \d{3} \d{4}\b",  # meetings, as the makers of meeting programs set them
    re.IGNORECASE,
)
_CODE = re.compile(r"\w+(?: \w+){0,2}: ?\S*\d{4}\S*")  # "Passcode: 765432", beside contact lines only
_COPYRIGHT = re.compile(r"(?:copyright\s*)?(?:©|\(c\)\s)|copyright\s.{0,20}\b(?:19|20)\d\d\b", re.IGNORECASE)
_POSTAL = re.compile(
    r"\d{1,5} [^,]+,(?: [^,]+,)* [A-Z]{2} \d{5}\b.*"  # 1 Letterman Drive, San Francisco, CA 94129
    r"|[^\d,]{3,40} \d{1,4}[a-z]?, (?:[A-Z]{1,2}-)?(?!19|20)\d{4,5} [A-Z][^\d,.]{1,30}(?:, [A-Z]\w+)?"
)  # the second: Hauptplatz 1, 8010 Graz
_FEW_WORDS = 4
"""Number of words up to which a line with an address only says where something can be found. The real decks
read the same up to 5."""
_MOSTLY_ADDRESS = 0.4
"""Share of a longer line's characters that its address takes if the line only says where something can be
found.

The real decks read the same from 0.38 to 0.42, and no value separates the lines cleanly: at 0.36 "For all
questions … please contact https://…" is furniture too; at 0.44 "The specification can be found at https://…"
is not furniture any more.
"""
# "Web: example.org" has a name before its colon, so what follows is not lone.
_NAMED = re.compile(r"\W*[^\W\d_]+\s*[:：]\s*\S")
_MAX_LETTERS_OF_A_FIGURE = 3
"""Maximum number of letters of a lone figure's unit, as in "USD", "Mio" or "bn". With five, "April 3, 2024"
is a lone figure; with six, "Python 3.12"."""

_MAX_WORDS_OF_A_LABEL = 4
_MAX_LABEL = 30  # letters
"""Maximum number of letters of a label, beside `_MAX_WORDS_OF_A_LABEL`. At three words ("Tracking and lens
data" has four) or 29 letters (a box in Japanese), boxes of real diagrams are not labels; at five words, "* =
OpenSSF Member Company" is a label."""
_ENDS = tuple(".,;:!?。、：！？…")
MIN_LABELS = 3
"""Minimum number of short texts alone on a slide that make them the labels of a diagram; fewer texts may say
something.

With two, the offices of two people on a slide are a diagram; with four, the boxes of a diagram of three are
quoted.
"""


def marked(deck: Deck) -> Deck:
    """Mark the lines and titles of *deck* that nobody asserts, in addition to those already marked."""
    titles = _repeated((slide.number, [slide.title]) for slide in deck.slides)
    lines = _repeated((slide.number, slide.lines) for slide in deck.slides)
    return replace(deck, slides=tuple(_marked(slide, titles, lines) for slide in deck.slides))


def is_lone_figure(text: str) -> bool:
    """Return whether *text* is a number with at most a unit: "4.2 M", "12", "< 5 %", but not "IRR: 18%"."""
    if _NAMED.match(text):
        return False
    letters = sum(character.isalpha() for character in text)
    return letters <= _MAX_LETTERS_OF_A_FIGURE and any(character.isdigit() for character in text)


def is_fragment(text: str) -> bool:
    """Return whether *text* may be a name in a diagram: it has few words, no figure and no sentence end."""
    letters = sum(2 if character >= "\u2e80" else 1 for character in text)  # an ideograph is as wide as two
    few = len(text.split()) <= _MAX_WORDS_OF_A_LABEL and letters <= _MAX_LABEL
    return few and text[-1:] not in _ENDS and not any(map(str.isdigit, text))


def _repeated(texts: Iterable[tuple[int, Iterable[str]]]) -> frozenset[str]:
    slides = [{_key(text, number) for text in on_it if text} for number, on_it in texts]
    counts = Counter(key for keys in slides for key in keys)
    enough = max(_MIN_REPEATS, int(len(slides) * _REPEATED_ON) + 1)
    if len(slides) < _MIN_SLIDES:
        return frozenset()
    return frozenset(key for key, count in counts.items() if count >= enough)


def _key(text: str, number: int) -> str:
    """Return a key that is equal for lines which differ only in letter case and in their slide's number."""
    return re.sub(rf"\b0?{number}\b", "#", text.casefold(), count=1)


def _marked(slide: Slide, titles: frozenset[str], lines: frozenset[str]) -> Slide:
    furniture = {*slide.furniture, *_contact_block(slide)}
    for index, line in enumerate(slide.lines):
        if _key(line, slide.number) in lines or not any(map(str.isalnum, line)):
            furniture.add(index)
    labels = {*slide.labels, *_nameless(slide)} - furniture
    return replace(
        slide,
        furniture=tuple(sorted(furniture)),
        labels=tuple(sorted(labels)),
        title_is_furniture=slide.title_is_furniture
        or (bool(slide.title) and (_key(slide.title, slide.number) in titles or _is_contact(slide.title))),
    )


def _nameless(slide: Slide) -> Iterator[int]:
    """Yield the indexes of lines that are only a figure, with nothing that says what the figure is."""
    for index, line in enumerate(slide.lines):
        has_parent = bool(slide.parents) and slide.parents[index] is not None
        if is_lone_figure(line) and not has_parent and len(slide.lines) > 1:
            yield index


def _contact_block(slide: Slide) -> set[int]:
    """Return the contact lines, and short lines between them or with a code beside them."""
    found = {index for index, line in enumerate(slide.lines) if _is_contact(line)}
    for index, line in enumerate(slide.lines):
        beside = (index - 1 in found) + (index + 1 in found)
        between = beside == 2 and len(line.split()) <= _FEW_WORDS
        if between or (beside and _CODE.fullmatch(line)):
            found.add(index)
    return found


def _is_contact(text: str) -> bool:
    if _COPYRIGHT.match(text) or _POSTAL.fullmatch(text):
        return True
    rest = _CONTACT.sub(" ", text)
    if rest == text or any(map(str.isdigit, rest)):
        return False
    words = [word for word in rest.split() if any(map(str.isalpha, word))]
    return len(words) <= _FEW_WORDS or len(text) - len(rest) >= _MOSTLY_ADDRESS * len(text)


# ---------------------------------------------------------------------- nesting
# Which line stands under which, while the lines of a slide are gathered.


Parents = tuple[int | None, ...]

_INTRODUCES = (":", "：")
"""The last characters of a line that introduces what follows, in any language."""


def introduces(text: str) -> bool:
    """Return whether the last character of *text* shows that *text* heads what follows."""
    return text.endswith(_INTRODUCES)


def by_levels(texts: Sequence[str], levels: Sequence[int]) -> list[int | None]:
    """Return the parent of each paragraph: the nearest paragraph above with a lower level.

    A paragraph that ends in a colon and has no deeper paragraph below it is the parent of the following
    paragraphs on its level, up to the next one that ends in a colon.
    """
    parents: list[int | None] = []
    above: list[int] = []  # indices of the paragraphs that are open, the outermost first
    heads: dict[int, int] = {}  # of a level the paragraph that heads the others on it
    for index, level in enumerate(levels):
        while above and levels[above[-1]] >= level:
            above.pop()
        heads = {deep: head for deep, head in heads.items() if deep <= level}
        outer = above[-1] if above else None
        if introduces(texts[index]):
            heads.pop(level, None)
            if index + 1 < len(levels) and levels[index + 1] == level:
                heads[level] = index
            parents.append(outer)
        else:
            parents.append(heads.get(level, outer))
        above.append(index)
    return parents


def settled(parents: Sequence[int | None]) -> Parents:
    """Return *parents* in the form in which a `Slide` stores them: empty if no line has a parent."""
    return tuple(parents) if any(parent is not None for parent in parents) else ()


def without_line(parents: Sequence[int | None], gone: int) -> list[int | None]:
    """Return *parents* without the line at index *gone*; its children get its parent."""
    heirs = [parents[gone] if parent == gone else parent for parent in parents]
    del heirs[gone]
    return [parent - 1 if parent is not None and parent > gone else parent for parent in heirs]


# ---------------------------------------------------------------------- breaks


BREAK = "\v"
"""The character that slide programs write for a line break where XML has no element for it."""


def joined(texts: Iterable[str]) -> str:
    """Join *texts* on one line, leaving out those without words, and keeping adjoining figures apart.

    For "4" above "500" in a cell, a space would make 4 500, as many countries write four and a half thousand.
    """
    line = ""
    for text in filter(None, map(shown, texts)):
        between = " / " if line[-1:].isdigit() and text[0].isdigit() else " " if line else ""
        line += between + text
    return line


def broken_lines(paragraph: str) -> list[str]:
    """Return the lines of *paragraph* as they were typed, or none if it has no words.

    A break ends a line, so that no figure takes a word of the next line as its unit ("8 million", "Costs:").
    Two lines become one if the break only wraps a sentence (no figure before it, a small letter behind it),
    or if a figure stands alone behind its name or with nothing but its name.
    """
    lines: list[list[str]] = []
    has_figure = False  # in the line that is open
    parts = [part for part in paragraph.split(BREAK) if shown(part)]
    alone = [is_lone_figure(shown(part)) for part in parts]
    for part, is_alone in zip(parts, alone, strict=True):
        figures = any(map(str.isdigit, part))
        wraps = part.lstrip()[:1].islower() and not has_figure
        # Of two, the one that is no figure is the name, if it holds no other figure.
        is_pair = len(parts) == 2 and sum(alone) == 1 and not (figures and has_figure)
        if lines and (wraps or is_pair or (is_alone and introduces(lines[-1][-1].rstrip()))):
            lines[-1].append(part)
            has_figure |= figures
        else:
            lines.append([part])
            has_figure = figures
    return [" ".join(line) for line in lines]
