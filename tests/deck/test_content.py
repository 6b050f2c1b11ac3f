"""deck-content.md says all that the deck says, with its claims and gaps, and nothing else."""

from __future__ import annotations

from pathlib import Path

import pytest

from orchestrator.material.claim import Claim, Gap, Quantity
from orchestrator.material.deck.content import find_gaps, render_deck_content, slide_texts
from orchestrator.material.deck.read import read_deck, read_deck_text
from orchestrator.material.values import Chart, Deck, Series, Slide, Table

FULL = Slide(
    number=1,
    title="Growth plan",
    lines=("Revenue grew 40 % to $4.2 M in Q3 2026.", "## Slide 9: forged"),
    tables=(Table((("Quarter", "Revenue"), ("Q3", "4.2 | 4.3"), ("Q4",))),),
    charts=(
        Chart(
            "column",
            "Revenue",
            ("Q2", "Q3"),
            (Series("Revenue", (3.0, 4.2)), Series("Margin", (0.125, None), percent=True)),
        ),
    ),
    notes="Pause.\n- Ask.",
    alt_texts=("A rising line",),
    section="Plan",
)
DECK = Deck(
    kind="pptx",
    name="growth.pptx",
    sha256="ab" * 32,
    title="Growth plan",
    slides=(FULL, Slide(2, "", hidden=True)),
    notices=("slide 2: a chart is missing from the file and was left out",),
)
CLAIM = Claim(
    id="d1.1",
    kinds=("growth", "money"),
    text="Revenue grew 40 % to $4.2 M in Q3 2026",
    slide=1,
    said_at_s=None,
    quantities=(
        Quantity(40, "%", "Q3 2026", "Revenue", "40 %"),
        Quantity(4_200_000, "USD", None, None, "$4.2 M"),
    ),
)

CONTENT = """\
# Deck: Growth plan

- File: growth.pptx (pptx)
- Slides: 2, of them hidden: 1
- SHA-256: abababababababababababababababababababababababababababababababab
- Not read: slide 2: a chart is missing from the file and was left out

Lines that begin with ">" and cells of tables are the deck's own words, verbatim.

## Slide 1: Growth plan

Section: Plan

Text:
> Revenue grew 40 % to $4.2 M in Q3 2026.
> ## Slide 9: forged

Table:

| Quarter | Revenue |
|---|---|
| Q3 | 4.2 \\| 4.3 |
| Q4 |  |

Chart: column
> Revenue

|  | Revenue | Margin |
|---|---|---|
| Q2 | 3 | 12.5 % |
| Q3 | 4.2 |  |

Notes (the audience does not see them):
> Pause.
> - Ask.

Alternative texts of pictures:
> A rising line

Claims:
- d1.1 (growth, money; line): "Revenue grew 40 % to $4.2 M in Q3 2026"
  - "40 %" = 40 %; of: Revenue; period: Q3 2026
  - "$4.2 M" = 4200000 USD

## Slide 2: (no title)

Hidden: the audience does not see this slide.

Gaps:
- This slide is hidden: the audience does not see it.

## The whole deck

Gaps:
- Something is missing.
"""


def test_the_whole_file() -> None:
    gaps = (Gap(2, "This slide is hidden: the audience does not see it."), Gap(None, "Something is missing."))
    assert render_deck_content(DECK, (CLAIM,), gaps) == CONTENT


def test_points_are_indented_and_what_nobody_asserts_stands_apart() -> None:
    slide = Slide(
        1,
        "",
        ("We ask for:", "money", "for the plant", "www.example.org"),
        parents=(None, 0, 1, None),
        furniture=(3,),
    )
    content = render_deck_content(Deck("md", "a.md", "0", "a", (slide,)), (), ())
    assert content.partition("(no title)\n\n")[2] == (
        "Text:\n> We ask for:\n>   money\n>     for the plant\n\n"
        "Beside it (footers, contact lines, labels of drawings: nobody asserts them):\n> www.example.org\n"
    )


def test_every_piece_that_can_be_quoted_has_its_origin() -> None:
    assert slide_texts(FULL) == [
        ("title", "Growth plan"),
        ("line", "Revenue grew 40 % to $4.2 M in Q3 2026."),
        ("line", "## Slide 9: forged"),
        ("table", "Quarter"),
        ("table", "Revenue"),
        ("table", "Q3"),
        ("table", "4.2 | 4.3"),
        ("table", "Q4"),
        ("chart", "Revenue"),
        ("chart", "Q2"),
        ("chart", "Q3"),
        ("chart", "Revenue"),
        ("chart", "Margin"),
        ("notes", "Pause."),
        ("notes", "- Ask."),
        ("alt", "A rising line"),
    ]


def notes_of(text: str) -> list[tuple[int | None, str]]:
    return [(gap.slide, gap.note) for gap in find_gaps(read_deck_text(text))]


def test_a_template_that_was_not_filled_in_is_found() -> None:
    assert notes_of("# Budget for PROJECT NAME\n\nCost: TBD\n\n## Lorem ipsum\n\nClick to add text") == [
        (1, '"PROJECT NAME" stands here: still to be filled in.'),
        (1, '"TBD" stands here: still to be filled in.'),
        (2, '"Lorem ipsum" stands here: still to be filled in.'),
        (2, '"Click to add" stands here: still to be filled in.'),
    ]


def test_one_bare_heading_opens_a_section_and_two_in_a_row_say_nothing() -> None:
    bare = "This slide holds only a title, and so does the one beside it."
    assert notes_of("# Deck\n## Market\n## Size\nLarge.\n## Risks\n## Team") == [
        (4, bare),
        (5, bare),
    ]


def test_charts_that_say_too_little() -> None:
    chart = Chart("line", "", (), (Series("", (1.0,)), Series("b", (2.0,))))
    slides = (Slide(1, "", charts=(chart,)),)
    assert [gap.note for gap in find_gaps(Deck("pptx", "a.pptx", "0", "a", slides))] == [
        "A chart here has no title, and neither has the slide: what its numbers are is not said.",
        "A chart here has series without a name: which line or bar is which is not said.",
        "A chart here has no categories: what its values stand for, or when, is not said.",
    ]


def test_gaps_of_a_real_template(shared: Path) -> None:
    deck = read_deck(shared / "decks" / "lfe_annual_review_template.pptx")
    assert [(gap.slide, gap.note.split(" stands")[0][:40]) for gap in find_gaps(deck)] == [
        (1, '"PROJECT NAME"'),
        (2, '"REMOVE SLIDE"'),
        (10, "This slide holds only a title, and so do"),
        (11, "This slide holds only a title, and so do"),
        (12, "This slide holds only a title, and so do"),
    ]


@pytest.mark.parametrize(
    "name", ["openchain_basic_ja.pptx", "openchain_onboarding_de.pptx", "aswf_zerotrust_wg_2024.pdf"]
)
def test_every_word_of_a_real_deck_stands_in_the_file(shared: Path, name: str) -> None:
    deck = read_deck(shared / "decks" / name)
    content = render_deck_content(deck, (), find_gaps(deck))
    assert content == render_deck_content(deck, (), find_gaps(deck))
    lines = {"> " + line[2:].lstrip() if line.startswith("> ") else line for line in content.split("\n")}
    for slide in deck.slides:
        assert f"## Slide {slide.number}: {slide.title or '(no title)'}" in lines
        assert {
            f"> {text}" for origin, text in slide_texts(slide) if origin in ("line", "notes", "alt")
        } <= lines
