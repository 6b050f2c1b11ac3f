"""What a slide asserts: no footer, no dial-in, no lone figure; each line with the line it stands under."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orchestrator.core.values import from_json, to_json
from orchestrator.material.deck.lines import asserted_lines, by_levels, is_lone_figure, marked, slide_texts
from orchestrator.material.deck.read import read_deck_text
from orchestrator.material.deck.shown import shown
from orchestrator.material.values import Deck, Slide


def deck(*slides: Slide) -> Deck:
    return marked(Deck("pdf", "a.pdf", "0", "a", slides))


def unasserted(*lines: str) -> tuple[str, ...]:
    (slide,) = deck(Slide(1, "Title", lines)).slides
    kept = [text for _, text, _ in asserted_lines(slide)]
    assert kept[0] == "Title"
    return tuple(line for line in lines if line not in kept)


def test_a_slide_of_bullets_footers_and_dial_in() -> None:
    text = """\
# Growth plan

We ask for three things:

- 4.2 M to build the second plant
  - of which 3 M in 2027
- a board member
- 40 %

12

Contact: anna@example.org
"""
    (slide,) = read_deck_text(text).slides
    ask = "We ask for three things:"
    assert list(asserted_lines(slide)) == [
        ("title", "Growth plan", None),
        ("line", ask, None),
        ("line", "4.2 M to build the second plant", ask),
        ("line", "of which 3 M in 2027", "4.2 M to build the second plant"),
        ("line", "a board member", ask),
        ("line", "40 %", ask),
    ]


@pytest.mark.parametrize(
    "line",
    [
        "https://zoom.us/j/99028679434?pwd=abc",
        "Slides: www.example.org/slides",
        "github.com/example/deck",
        "Anna Muster, anna.muster@example.org",
        "You can learn more about all of it here: https://www.example.org/curriculum/online",
        "Meeting ID: 990 2867 9434",
        "+1 646 558 8656 US (New York)",
        "+16465588656,,99028679434# US",
        "Tel. (415) 723-9709",
        "© 2026 Example AG. All rights reserved.",
        "Copyright 2026 Example AG",
        "1 Letterman Drive, Suite D4700, San Francisco, CA 94129",
        "Hauptplatz 1, 8010 Graz",
        "→",
        "★ ★ ★",
        "42",
        "€ 4.2 M",
        "< 5 %",
    ],
)
def test_contact_lines_icons_and_figures_without_a_name_are_not_asserted(line: str) -> None:
    assert unasserted("Revenue grew 40 %", line) == (line,)


@pytest.mark.parametrize(
    "line",
    [
        "99.95 % uptime, see https://status.example.org/2026/q3",
        "By June 29, 2026 in Vienna",
        "About 12,000 of 250 000 customers, in Graz and Linz, pay 3 000 000",
        "3 plants, in Graz, make 12000 units",
        "Copyright is transferred to the foundation",
        "Revenue of 123 456 789 in 2026",
        "The service authenticates the user at the gateway of the plant in Graz, by TLS",
        "1.5 bn customers",
        "Q3 was our best",
    ],
)
def test_statements_are(line: str) -> None:
    assert unasserted("Revenue grew 40 %", line) == ()


def test_a_dial_in_is_not_asserted_with_the_lines_between() -> None:
    assert unasserted(
        "Next meeting in May", "https://zoom.us/j/99028679434", "Passcode: 765432", "or", "+1 646 558 8656"
    ) == ("https://zoom.us/j/99028679434", "Passcode: 765432", "or", "+1 646 558 8656")


def test_a_figure_that_is_all_that_a_slide_shows_belongs_to_its_title() -> None:
    (slide,) = deck(Slide(1, "Cost of one examination", ("€ 236",))).slides
    assert [text for _, text, _ in asserted_lines(slide)] == ["Cost of one examination", "€ 236"]


def test_what_many_slides_repeat_is_not_asserted() -> None:
    slides = deck(
        *(
            Slide(n, "Status", ("Example AG", f"page {n} of 5", f"{n}0 % done in week {n}0"))
            for n in range(1, 6)
        )
    ).slides
    assert {tuple(text for _, text, _ in asserted_lines(slide)) for slide in slides} == {
        (f"{n}0 % done in week {n}0",) for n in range(1, 6)
    }


def test_what_few_slides_repeat_is() -> None:
    slides = deck(*(Slide(n, "Plan", ("Twice as much",)) for n in range(1, 4))).slides
    assert all(slide.furniture == () and not slide.title_is_furniture for slide in slides)


@pytest.mark.parametrize(
    ("levels", "texts", "parents"),
    [
        ((0, 1, 1, 0, 1, 2), "abcdef", [None, 0, 0, None, 3, 4]),
        ((1, 0, 2, 1), "abcd", [None, None, 1, 1]),
        ((0, 0, 0, 0, 0), ("a:", "b", "c", "d:", "e"), [None, 0, 0, None, 3]),
        ((0, 1, 0), ("a:", "b", "c"), [None, 0, None]),
        ((0, 1, 1, 1), ("a", "b:", "c", "d"), [None, 0, 1, 1]),
    ],
)
def test_levels_tell_the_parents(
    levels: tuple[int, ...], texts: list[str], parents: list[int | None]
) -> None:
    assert by_levels(texts, levels) == parents


@given(st.lists(st.tuples(st.sampled_from(["a", "b:", "c"]), st.integers(0, 8)), max_size=30))
def test_a_parent_stands_above(paragraphs: list[tuple[str, int]]) -> None:
    parents = by_levels([text for text, _ in paragraphs], [level for _, level in paragraphs])
    assert all(parent is None or parent < index for index, parent in enumerate(parents))


@given(st.text(alphabet="ab *-+#>:\n1.3%/@", max_size=200))
def test_what_is_asserted_stands_on_the_slide(text: str) -> None:
    for slide in read_deck_text(f"# Deck\n{text}").slides:
        pieces = [piece for _, piece in slide_texts(slide)]
        for origin, line, parent in asserted_lines(slide):
            assert (origin, line) in slide_texts(slide)
            assert parent is None or parent in pieces


def test_decks_of_earlier_ledgers_still_fold() -> None:
    old = {"number": 1, "title": "Plan", "lines": ["a", "b"]}
    slide = from_json(Slide, old)
    assert to_json(slide) == old
    assert list(asserted_lines(slide)) == [("title", "Plan", None), ("line", "a", None), ("line", "b", None)]


@pytest.mark.parametrize(
    ("raw", "seen"),
    [
        ("\uf0e0 Next\uf0b7steps", "Next steps"),
        ("\U000f0123", ""),
        ("gr\u200bow\U000e0041\U000e0042th\ufe0f", "growth"),
        ("a\u200db", "ab"),
        ("\u0646\u200c\u0645", "\u0646\u200c\u0645"),
        ("\u3164", ""),
    ],
)
def test_icons_and_invisible_characters(raw: str, seen: str) -> None:
    assert shown(raw) == seen


def test_a_lone_icon_is_no_title() -> None:
    assert [slide.title for slide in read_deck_text("# \uf0e0\n\ntext\n---\n# ★\n\n## Plan\n").slides] == [
        "",
        "Plan",
    ]


@pytest.mark.parametrize(
    ("text", "alone"),
    [
        ("4.2 Mio", True),
        ("USD 3bn", False),
        ("12–14", True),
        ("Q3", True),
        ("abc", False),
        ("IRR: 18%", False),
    ],
)
def test_a_figure_may_have_its_unit(text: str, alone: bool) -> None:
    assert is_lone_figure(text) == alone
