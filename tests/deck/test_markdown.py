"""Markdown decks: slides, titles, notes and tables as their audience sees them."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orchestrator.deck.markdown_inline import words
from orchestrator.deck.read import read_deck, read_deck_text
from orchestrator.deck.texts import slide_texts
from orchestrator.errors import DeckError
from orchestrator.model.slide import Deck, Slide, Table

DECK = """\
---
title: Growth plan
author: someone
---

# Growth **plan** #

- Revenue grew *40 %* to [$4.2 M](https://example.org/a_(b)) in Q3
  and stays there
* a `snake_case` name, 2*3*4 and 5 * 3
1. first
   - nested

![Revenue by quarter](chart.png) ![](logo.png)

| Quarter | Revenue |
|:--|--:|
| Q1 | **3.0** |
| Q2 | a \\| b |

<!-- notes: Pause here,
and *smile*. -->
---
Second slide
============

A paragraph
over two lines. <!-- dropped
--- not a slide -->

```yaml
---
price:   4 # **not bold**
```

Notes:
Ask for questions.

- twice
---

---
### Only a small heading

> A quotation
> of two lines

Note: this is text of the slide.

::: notes
a block
:::
---
"""


def test_a_whole_deck() -> None:
    assert read_deck_text(DECK) == Deck(
        kind="md",
        name="deck.md",
        sha256=hashlib.sha256(DECK.encode()).hexdigest(),
        title="Growth plan",
        slides=(
            Slide(
                number=1,
                title="Growth plan",
                lines=(
                    "Revenue grew 40 % to $4.2 M in Q3 and stays there",
                    "a snake_case name, 2*3*4 and 5 * 3",
                    "first",
                    "nested",
                ),
                tables=(Table((("Quarter", "Revenue"), ("Q1", "3.0"), ("Q2", "a | b"))),),
                notes="Pause here,\nand smile.",
                alt_texts=("Revenue by quarter",),
                parents=(None, None, None, 2),
            ),
            Slide(
                number=2,
                title="Second slide",
                lines=("A paragraph over two lines.", "---", "price: 4 # **not bold**"),
                notes="Ask for questions.\ntwice",
                furniture=(1,),
                labels=(2,),
            ),
            Slide(number=3, title=""),
            Slide(
                number=4,
                title="Only a small heading",
                lines=("A quotation of two lines", "Note: this is text of the slide."),
                notes="a block",
            ),
        ),
    )


def test_a_file_is_read_like_its_text(tmp_path: Path) -> None:
    path = tmp_path / "deck.md"
    path.write_text(DECK, encoding="utf-8")
    assert read_deck(path) == read_deck_text(DECK)


def slides(text: str) -> list[tuple[str, tuple[str, ...]]]:
    return [(slide.title, slide.lines) for slide in read_deck_text(text).slides]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("# A\n\nintro\n## B\ntext\n### C\nx", [("A", ("intro",)), ("B", ("text", "C", "x"))]),
        ("before\n\n# A", [("", ("before",)), ("A", ())]),
        ("just text", [("", ("just text",))]),
        ("# A\n---\n# B\n## still B", [("A", ()), ("B", ("still B",))]),
        ("## one\n***\n## two", [("one", ()), ("two", ())]),
        ("text\n\n## A\n---\nB\n", [("A", ("text",)), ("", ("B",))]),
        ("```\n# no slide\n---\n```\n# A", [("", ("# no slide", "---")), ("A", ())]),
        ("~~~~\n~~~\n# no\n~~~~\n# A", [("", ("~~~", "# no")), ("A", ())]),
        ("name: A\nsize: 3\n----\n", [("name: A size: 3", ())]),
        ("- name: A\n- size: 3\n----\ntext", [("", ("name: A", "size: 3", "text"))]),
        ("#\n\n# A", [("A", ())]),
        ("#hashtag", [("", ("#hashtag",))]),
    ],
)
def test_where_slides_begin(text: str, expected: list[tuple[str, tuple[str, ...]]]) -> None:
    assert slides(text) == expected


@pytest.mark.parametrize(
    ("text", "title", "expected"),
    [
        ("---\ntitle: 'A: b'\n---\n# S", "A: b", [("S", ())]),
        ("---\nmarp: true\n---\n# S", "S", [("S", ())]),
        ("---\n---\n# S", "S", [("S", ())]),
        ("---\n# Slide one\n---\n# Slide two", "Slide one", [("Slide one", ()), ("Slide two", ())]),
        ("---\nno: [yaml\n---\n# S", "S", [("", ("no: [yaml",)), ("S", ())]),
        ("---\ntitle: [a, list]\n---\n# S", "S", [("S", ())]),
        ("---\na: &a {b: 1}\ntitle: T\nc: {<<: [*a, *a]}\n---\n# S", "T", [("S", ())]),
    ],
)
def test_front_matter_gives_the_title_and_is_no_slide(
    text: str, title: str, expected: list[tuple[str, tuple[str, ...]]]
) -> None:
    assert read_deck_text(text).title == title
    assert slides(text) == expected


@pytest.mark.parametrize("ending", ["\r\n", "\r", "\n"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_line_ends_and_byte_order_marks_do_not_matter(tmp_path: Path, ending: str, encoding: str) -> None:
    path = tmp_path / "Zürich.md"
    path.write_bytes(ending.join(["# Größe", "", "40 %", "---", "# Ende"]).encode(encoding))
    deck = read_deck(path)
    assert deck.name == "Zürich.md"
    assert [(slide.title, slide.lines) for slide in deck.slides] == [("Größe", ("40 %",)), ("Ende", ())]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("# Größe".encode("latin-1"), "is not UTF-8 text (at byte 4); save it as UTF-8"),
        (b"# a\0b", "holds NUL characters, so it is not Markdown; save it as text"),
        (b"\n \n---\n\n", "has no slides: there is no text in it; add some, or give another file"),
        (b"# a\n" * 2001, "has 2,001 slides; at most 2,000 are read; give the part of it that is presented"),
        (b"a" * 400_001, "holds more than 400,000 bytes of text; give the part of it that is presented"),
    ],
)
def test_what_is_no_deck_is_refused(tmp_path: Path, content: bytes, message: str) -> None:
    path = tmp_path / "deck.md"
    path.write_bytes(content)
    with pytest.raises(DeckError) as refused:
        read_deck(path)
    assert str(refused.value) == f"{path} {message}"


def test_a_text_that_is_no_deck_is_refused_by_its_name() -> None:
    with pytest.raises(
        DeckError, match=r"^deck\.md has no slides: there is no text in it; add some, or give another file$"
    ):
        read_deck_text("")


@pytest.mark.parametrize(
    ("markdown", "shown"),
    [
        ("**bold**, __bold__, *slanted*, _slanted_, ~~gone~~", "bold, bold, slanted, slanted, gone"),
        ("***both***", "both"),
        ("a**b**c", "abc"),
        ("2 * 3 * 4, 2*3*4, a_b_c, __init__", "2 * 3 * 4, 2*3*4, a_b_c, init"),
        ("* alone, 5* hotel, *not closed", "* alone, 5* hotel, *not closed"),
        ("`**code**` and ``two``", "**code** and two"),
        (r"\*not slanted\* \# \\ end", "*not slanted* # \\ end"),
        ("[text](https://a.b/c?d=(e) 'title') [ref][1] [plain]", "text ref [plain]"),
        ("<https://a.b/c> and <b>bold</b><br>line", "https://a.b/c and bold line"),
        ("a &lt;b&gt; &amp; c, x < y and y > z", "a <b> & c, x < y and y > z"),
        ("{{7*7}} ${x} {% raw %}", "{{7*7}} ${x} {% raw %}"),
    ],
)
def test_marks_go_and_words_stay(markdown: str, shown: str) -> None:
    assert words(markdown) == shown


@given(st.text(alphabet="ab *_`#-|<>[]()!\\\n:~&;.1", max_size=200))
def test_any_text_is_a_deck_or_refused(text: str) -> None:
    try:
        deck = read_deck_text(text)
    except DeckError as refused:
        assert str(refused) == "deck.md has no slides: there is no text in it; add some, or give another file"  # noqa: PT017 - either is right
        return
    pieces = [piece for slide in deck.slides for _, piece in slide_texts(slide)]
    assert all("\n" not in piece and piece == piece.strip() for piece in pieces)


def test_a_comment_without_an_end_is_named() -> None:
    deck = read_deck_text("# A\n\ntext <!-- begins\n\n# B")
    assert deck.slides == (Slide(1, "A", ("text",)),)
    assert deck.notices == ("what follows line 3 is in a comment without an end (-->) and was left out",)
