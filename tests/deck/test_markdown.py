"""Markdown decks: slides, titles, notes and tables as their audience sees them."""

from __future__ import annotations

import contextlib
import hashlib
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orchestrator.core.errors import DeckError
from orchestrator.material.deck.lines import slide_texts
from orchestrator.material.deck.markdown import words
from orchestrator.material.deck.read import read_deck, read_deck_text
from orchestrator.material.values import Deck, Slide, Table

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
        ("**bold**, __bold__, *slanted*, _slanted_", "bold, bold, slanted, slanted"),
        ("$320<sup>1</sup> and 400<SUP class='x'>[2]</SUP>", "$320¹ and 400[²]"),
        ("12[^3] cities[^note], 5^[without Oslo] more", "12³ cities, 5 (without Oslo) more"),
        ("10^6^ euros, 10<sup>-6</sup> s, x^2+y^2, 2^3", "10⁶ euros, 10⁻⁶ s, x^2+y^2, 2^3"),
        ("H<sub>2</sub>O, CO~2~", "H₂O, CO₂"),
        (r"Growth is $\frac{12}{48}$ and $2^3 = x_1^{ab}$", "Growth is (12)/(48) and 2³ = x₁^(ab)"),
        ("from $320 to $400, $5-$6 or A$ 7", "from $320 to $400, $5-$6 or A$ 7"),
        ("We cut ~~5.0~~ <del>4.5</del> <s>4.4</s> ~4.3~ 4.2", "We cut 4.2"),
        ("~5 to ~6 sites, (~5–~6), 5~6", "~5 to ~6 sites, (~5–~6), 5~6"),
        ("~~*a* and `b`~~ c, ~~open", "c, ~~open"),
        (r"\~\~kept\~\~ and `10^6^`", "~~kept~~ and 10^6^"),
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


@pytest.mark.parametrize(
    "broken", ["8 million  \nCosts", "8 million\\\nCosts", "8 million<br>Costs", "8 million<br />\nCosts"]
)
def test_a_break_ends_a_line(broken: str) -> None:
    assert slides(f"# A\n\n{broken}: 7 million") == [("A", ("8 million", "Costs: 7 million"))]
    assert slides(f"# A\n\n- {broken}: 7 million") == [("A", ("8 million", "Costs: 7 million"))]


def test_footnotes_are_lines_and_addresses_of_links_are_not() -> None:
    text = "# A\n\nIn 12[^1] cities[^x].\n\n[^1]: Without suburbs,\n    and islands.\n[^x]: In 2025.\n[1]: https://a.b/c"
    assert slides(text) == [("A", ("In 12¹ cities.", "¹ Without suburbs, and islands.", "In 2025."))]


def test_words_that_are_struck_out_are_left_out_and_their_slide_is_named() -> None:
    deck = read_deck_text(
        "# A\n\n10 sites\n\n# B ~~old~~\n\n# C\n\n|x|y|\n|--|--|\n|<s>1</s>|2|\n\n# D\n\nNotes:\n~~5~~"
    )
    assert [(slide.title, slide.tables) for slide in deck.slides] == [
        ("A", ()),
        ("B", ()),
        ("C", (Table((("x", "y"), ("", "2"))),)),
        ("D", ()),
    ]
    assert deck.notices == (
        "slide 2: words that are struck out were left out",
        "slide 3: words that are struck out were left out",
    )


HTML = """# Costs

Before <table class="x"><thead>
<tr><th rowspan=2>Site</th><th colspan="2">2025</th></tr>
<tr><th>Plan</th><th>Actual</th></tr></thead>

<tr><td>Oslo</td><td>3<sup>1</sup></td><td>4&nbsp;%</td></tr>
<tr><td>Both</td><td colspan='2'>9<br>est.</td></tr>
</table> Behind it
goes on.
"""


def test_tables_of_html_are_tables_with_their_merged_cells() -> None:
    table = Table((("Site", "2025 / Plan", "2025 / Actual"), ("Oslo", "3¹", "4 %"), ("Both", "9 est.", "")))
    assert read_deck_text(HTML).slides == (
        Slide(1, "Costs", ("Before", "Behind it goes on."), tables=(table,)),
    )
    noted = read_deck_text("# A\n\nNotes:\n<TABLE><tr><td>a<td>b</table>").slides
    assert noted == (Slide(1, "A", notes="a | b"),)


def test_headings_of_a_pipe_table_may_take_two_rows() -> None:
    text = "# A\n\n| Site | Staff | Share |\n|--|--|--|\n| | people | % |\n| Oslo | 3 | 4 |\n| Voss | 5 | 6 |"
    table = Table((("Site", "Staff / people", "Share / %"), ("Oslo", "3", "4"), ("Voss", "5", "6")))
    assert read_deck_text(text).slides == (Slide(1, "A", tables=(table,)),)


@pytest.mark.parametrize(
    "piece",
    [
        "<s>",
        "<sup>",
        "~~",
        "~a ",
        "^a",
        "[^",
        "^[",
        "<table>",
        "<td rowspan=99 colspan=99>",
        "<tr>",
        "$_ ",
        "$a",
        "$\\frac{",
        "a<br>",
        "\v",
    ],
)
def test_no_mark_makes_reading_hang(piece: str) -> None:
    """As in `test_limits`: these take a second at most, and hours where something is quadratic."""
    began = time.process_time()
    with contextlib.suppress(DeckError):
        read_deck_text("# A\n" + piece * (300_000 // len(piece)))
    assert time.process_time() - began < 8
