"""PDF decks: whole sentences in reading order, whatever pieces the page was drawn in."""

from __future__ import annotations

import hashlib
from itertools import pairwise
from pathlib import Path

import pytest

from orchestrator.core.errors import DeckError
from orchestrator.material.deck.lines import asserted_lines
from orchestrator.material.deck.read import read_deck
from orchestrator.material.values import Deck, Slide
from tests.helpers.deck_files import PAGE, assembled, pdf, stream
from tests.helpers.pdf_text import text, width


def read(tmp_path: Path, content: bytes) -> Deck:
    path = tmp_path / "deck.pdf"
    path.write_bytes(content)
    return read_deck(path)


def lines_of(tmp_path: Path, *content: bytes) -> tuple[str, ...]:
    """The lines of a page of which the first is its title."""
    (slide,) = read(tmp_path, pdf(text("Title", 40, 370, 30) + b"".join(content))).slides
    assert slide.title == "Title"
    return slide.lines


def test_a_whole_deck(tmp_path: Path) -> None:
    def furniture(number: int) -> bytes:
        return text("Example AG, confidential", 40, 12, 9) + text(f"{number} / 4", 680, 12, 9)

    content = pdf(
        text("Growth plan", 40, 330, 30) + text("For the board, June 2026", 40, 290) + furniture(1),
        text("Revenue", 40, 370, 30)
        + text("Revenue grew 40 % to $4.2 M in the third quarter, which is more than", 40, 320)
        + text("in all of 2025.", 40, 300)
        + text("•", 40, 260)
        + text("New customers in Austria, Germany and Switzerland brought half of", 60, 260)
        + text("it.", 60, 240)
        + text("•", 40, 220)
        + text("Churn stays at 2 %.", 60, 220)
        + furniture(2),
        text("Thanks", 300, 200, 30) + furniture(3),
        b"0 0 100 100 re f" + furniture(4),
    )
    assert read(tmp_path, content) == Deck(
        kind="pdf",
        name="deck.pdf",
        sha256=hashlib.sha256(content).hexdigest(),
        title="Growth plan",
        slides=(
            Slide(1, "Growth plan", ("For the board, June 2026",)),
            Slide(
                2,
                "Revenue",
                (
                    "Revenue grew 40 % to $4.2 M in the third quarter, which is more than in all of 2025.",
                    "New customers in Austria, Germany and Switzerland brought half of it.",
                    "Churn stays at 2 %.",
                ),
            ),
            Slide(3, "Thanks"),
            Slide(4, ""),
        ),
    )


def test_a_page_that_is_only_a_picture_is_named(tmp_path: Path) -> None:
    deck = read(tmp_path, pdf(text("Some words", 40, 300), b"0 0 100 100 re f", b""))
    assert deck.slides[1:] == (Slide(2, ""), Slide(3, ""))
    assert deck.notices == (
        "slides 2 and 3: without any text: a picture or a scan is not read, nor what is damaged",
    )


@pytest.mark.parametrize("mark", ["• ", "- ", "– ", "•"])
def test_bullets_are_taken_away(tmp_path: Path, mark: str) -> None:
    assert lines_of(tmp_path, text(f"{mark}First", 40, 300), text(f"{mark}-5 % in 2026", 40, 280)) == (
        "First",
        "-5 % in 2026",
    )


def test_numbers_of_items_are_kept(tmp_path: Path) -> None:
    assert lines_of(
        tmp_path,
        text("1.", 40, 300) + text("Normalise what comes in from all of the plants that", 60, 300),
        text("we have.", 60, 280),
        text("2. Decide", 40, 260),
    ) == ("1. Normalise what comes in from all of the plants that we have.", "2. Decide")


def test_lines_that_end_early_are_lines_of_their_own(tmp_path: Path) -> None:
    assert lines_of(
        tmp_path,
        text("This line reaches as far to the right as there is room.", 40, 300),
        text("Anna Muster, chair", 40, 260),
        text("Berta Beispiel, finance", 40, 240),
    ) == (
        "This line reaches as far to the right as there is room.",
        "Anna Muster, chair",
        "Berta Beispiel, finance",
    )


def test_points_without_a_mark_are_told_apart_by_the_space_between(tmp_path: Path) -> None:
    first, second = "A plant in Graz that makes twice as", "We ask the board for all of the money"
    assert lines_of(
        tmp_path,
        *(text(first, 40, 300), text("much as before", 40, 282)),
        *(text(second, 40, 252), text("rent is paid for", 40, 222), text("and some of the rest", 40, 204)),
    ) == (f"{first} much as before", second, "rent is paid for and some of the rest")


def test_a_wrapped_bullet_is_one_line_whatever_else_begins_at_its_place(tmp_path: Path) -> None:
    wide = "A paragraph that is set across the whole of the page, much wider than the bullets below it."
    assert lines_of(
        tmp_path,
        text(wide, 60, 330),
        *(
            text("•", 40, 280),
            text("New customers in Austria and in", 60, 280),
            text("Germany brought", 60, 262),
        ),
        *(text("•", 40, 244), text("Churn stays", 60, 244)),
    ) == (wide, "New customers in Austria and in Germany brought", "Churn stays")


def test_a_bullet_that_is_wrapped_to_its_mark_is_one_line(tmp_path: Path) -> None:
    assert lines_of(
        tmp_path,
        text("- New customers in Austria, Germany and Switzerland brought half of", 40, 300),
        text("Everything that we earn", 40, 282),
        text("- Churn stays at 2 %", 40, 264),
    ) == (
        "New customers in Austria, Germany and Switzerland brought half of Everything that we earn",
        "Churn stays at 2 %",
    )


def test_bullets_side_by_side_are_two(tmp_path: Path) -> None:
    left, right = text("\u2022 Two plants", 40, 300), text("\u2022 Four plants", 147, 300)
    assert lines_of(tmp_path, left + right) == ("Two plants", "Four plants")


def test_points_stand_under_the_one_that_is_less_indented(tmp_path: Path) -> None:
    deck = read(
        tmp_path,
        pdf(
            text("Title", 40, 370, 30)
            + text("We ask for:", 40, 320)
            + b"".join(
                text("\u2022", left, up) + text(words, left + 16, up)
                for words, left, up in (
                    ("money", 44, 300),
                    ("for the plant", 64, 280),
                    ("for the team", 64, 260),
                    ("time", 44, 240),
                )
            )
            + text("And nothing else.", 40, 180)
        ),
    )
    assert list(asserted_lines(deck.slides[0])) == [
        ("title", "Title", None),
        ("line", "We ask for:", None),
        ("line", "money", "We ask for:"),
        ("line", "for the plant", "money"),
        ("line", "for the team", "money"),
        ("line", "time", "We ask for:"),
        ("line", "And nothing else.", None),
    ]


def test_texts_of_a_card_stand_under_its_heading_and_a_band_below_under_none(tmp_path: Path) -> None:
    deck = read(
        tmp_path,
        pdf(
            text("Title", 40, 370, 30)
            + b"".join(
                text(f"{name} plan", left, 300, 20)
                + text(f"{name} text, which says much more", left, 270, 12)
                for name, left in (("First", 40), ("Second", 400))
            )
            + text("A band below all of the cards and across them, from the left to the right", 40, 240, 12)
        ),
    )
    slide = deck.slides[0]
    assert (slide.lines, slide.parents) == (
        (
            "First plan",
            "First text, which says much more",
            "Second plan",
            "Second text, which says much more",
            "A band below all of the cards and across them, from the left to the right",
        ),
        (None, 0, None, 2, None),
    )


def test_a_figure_that_is_shown_off_belongs_to_its_label_and_one_beside_none_to_nothing(
    tmp_path: Path,
) -> None:
    deck = read(
        tmp_path,
        pdf(
            text("Title", 40, 370, 30)
            + text("40 %", 40, 280, 48)
            + text("of customers renew", 40, 258, 14)
            + text("$4.2 M", 300, 280, 48)
            + text("Revenue", 300, 330, 14)
            + text("17", 600, 100, 14)
            + text("A statement about all of that, in a line that is long enough.", 40, 60, 14)
        ),
    )
    assert [line for _, line, _ in asserted_lines(deck.slides[0])][1:] == [
        "40 % of customers renew",
        "Revenue $4.2 M",
        "A statement about all of that, in a line that is long enough.",
    ]
    assert "17" in deck.slides[0].lines


def test_names_in_a_diagram_and_program_text_are_labels(tmp_path: Path) -> None:
    deck = read(
        tmp_path,
        pdf(
            text("Title", 40, 370, 30)
            + b"".join(
                text(name, left, 250) for name, left in (("Studio", 40), ("Vendor", 300), ("Client app", 500))
            )
            + text("for x in xs:", 40, 100, 12, "F2")
            + text("We pay for none of these.", 40, 50)
        ),
    )
    assert [line for _, line, _ in asserted_lines(deck.slides[0])] == ["Title", "We pay for none of these."]


def test_a_word_broken_at_its_hyphen_is_one_word(tmp_path: Path) -> None:
    assert lines_of(
        tmp_path, text("The community publishes end-to-", 40, 300), text("end references.", 40, 280)
    ) == ("The community publishes end-to-end references.",)


def test_spaced_out_letters_are_words(tmp_path: Path) -> None:
    spaced = b"BT /F1 16 Tf 40 300 Td [" + b"-170".join(b"(%c)" % c for c in b"CHIEF OFFICER") + b"] TJ ET\n"
    by_operator = b"BT /F1 16 Tf 4 Tc 40 200 Td (BOARD) Tj ET"
    assert lines_of(tmp_path, spaced, by_operator) == ("CHIEF OFFICER", "BOARD")


def test_words_without_spaces_between_them_are_told_by_their_gaps(tmp_path: Path) -> None:
    assert lines_of(tmp_path, b"BT /F1 16 Tf 40 300 Td [(Six)-300(mon)20(ths)-280(left)] TJ ET") == (
        "Six months left",
    )


def test_columns_are_read_one_after_the_other(tmp_path: Path) -> None:
    assert lines_of(
        tmp_path,
        text("Now", 40, 300, 20),
        text("Two plants in Graz", 40, 270),
        text("Next", 400, 300, 20),
        text("Four plants, two of them in Linz", 400, 270),
    ) == ("Now", "Two plants in Graz", "Next", "Four plants, two of them in Linz")


def test_program_text_keeps_its_lines(tmp_path: Path) -> None:
    assert lines_of(
        tmp_path, text("for x in xs:", 40, 300, 12, "F2"), text("    print(x)", 40, 286, 12, "F2")
    ) == ("for x in xs:", "print(x)")


def test_text_drawn_twice_is_read_once(tmp_path: Path) -> None:
    assert lines_of(tmp_path, text("A shadow", 40, 300), text("A shadow", 40.8, 299.2)) == ("A shadow",)


def test_text_off_the_page_is_not_read(tmp_path: Path) -> None:
    assert lines_of(tmp_path, text("off", 40, -300), text("on the page", 40, 300)) == ("on the page",)


def test_a_page_that_is_turned_is_read_as_shown(tmp_path: Path) -> None:
    turned = PAGE.replace(b"/MediaBox", b"/Rotate 90/MediaBox")
    upwards = b"BT /F1 %d Tf 0 1 -1 0 %d 20 Tm (%s) Tj ET\n"
    content = pdf(upwards % (30, 100, b"Title") + upwards % (16, 200, b"below it"), page=turned)
    assert read(tmp_path, content).slides == (Slide(1, "Title", ("below it",)),)


def test_forms_are_read_where_they_are_drawn(tmp_path: Path) -> None:
    page = PAGE.replace(b"/Resources<<", b"/Resources<</XObject<</X 7 0 R>>")
    form = stream(
        text("in a form", 0, 0), b"/Type/XObject/Subtype/Form/BBox[0 0 9 9]/Matrix[1 0 0 1 0 50]"
        b"/Resources<</Font<</F1 3 0 R>>>>"
    )  # fmt: skip
    drawn = text("Title", 40, 370, 30) + text("last", 40, 100) + b"q 1 0 0 1 40 200 cm /X Do Q"
    assert read(tmp_path, pdf(drawn, page=page, more=[form])).slides == (
        Slide(1, "Title", ("in a form", "last")),
    )


def test_a_first_page_without_a_title_gives_the_deck_its_first_line(tmp_path: Path) -> None:
    content = pdf(
        text("Growth plan, June 2026.", 40, 300) + text("A plan.", 40, 200), text("Next", 40, 370, 30)
    )
    assert read(tmp_path, content).title == "Growth plan, June 2026."


def test_what_names_the_lines_below_it_is_not_the_decks_title(tmp_path: Path) -> None:
    page = text("A first line that says all of it, " * 4, 40, 350) + text("Mission:", 40, 250)
    content = pdf(page + text("To grow.", 40, 150), text("Next", 40, 370, 30))
    assert read(tmp_path, content).title == "Next"


def test_a_form_that_draws_itself_ends(tmp_path: Path) -> None:
    page = PAGE.replace(b"/Resources<<", b"/Resources<</XObject<</X 7 0 R>>")
    form = stream(b"/X Do", b"/Type/XObject/Subtype/Form/BBox[0 0 9 9]/Resources<</XObject<</X 7 0 R>>>>")
    assert read(tmp_path, pdf(text("Title", 40, 370, 30) + b"/X Do", page=page, more=[form])).slides == (
        Slide(1, "Title"),
    )


def test_tags_tell_which_lines_belong_together(tmp_path: Path) -> None:
    """Two lines that look like one sentence are two paragraphs, and a figure has an alt text."""
    tagged = [
        b"<</Type/StructTreeRoot/K[9 0 R 11 0 R 12 0 R]/ParentTree 8 0 R>>",
        b"<</Nums[0 [9 0 R 10 0 R 9 0 R 11 0 R]]>>",
        b"<</Type/StructElem/S/P/P 7 0 R/Pg 5 0 R/K[0 2]>>",
        b"<</Type/StructElem/S/Span/P 12 0 R/Pg 5 0 R/K 1>>",
        b"<</Type/StructElem/S/Figure/P 7 0 R/Pg 5 0 R/K 3/Alt(The plant in Graz)>>",
        b"<</Type/StructElem/S/P/P 7 0 R/K 10 0 R>>",
    ]
    content = (
        b"/P <</MCID 0>> BDC " + text("The first half of a sentence that", 40, 300) + b"EMC "
        b"/P <</MCID 2>> BDC " + text("Goes on in spite of its capital", 40, 280) + b"EMC "
        b"/Span <</MCID 1>> BDC " + text("another paragraph", 40, 260) + b"EMC "
        b"/Artifact BMC " + text("page furniture", 40, 20) + b"EMC"
    )
    page = PAGE.replace(b"/Parent", b"/StructParents 0/Parent")
    deck = read(
        tmp_path,
        pdf(content, page=page, more=tagged, catalog=b"/MarkInfo<</Marked true>>/StructTreeRoot 7 0 R"),
    )
    assert deck.slides == (
        Slide(
            1,
            "The first half of a sentence that Goes on in spite of its capital",
            ("another paragraph",),
            alt_texts=("The plant in Graz",),
        ),
    )


def test_what_letters_really_say_is_taken_from_the_file(tmp_path: Path) -> None:
    spoken = b"/Span <</ActualText (efficient)>> BDC " + text("e?cient", 40, 300) + b"EMC"
    assert lines_of(tmp_path, spoken) == ("efficient",)


def test_letters_that_take_two_units_of_utf_16_are_whole(tmp_path: Path) -> None:
    font = b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica/ToUnicode 8 0 R>>"
    said = stream(
        b"1 begincodespacerange <00> <FF> endcodespacerange "
        b"3 beginbfchar <41> <D83DDE00> <42> <D840DC0B> <43> <D835DC65> endbfchar"
    )
    page = PAGE.replace(b"/F2 4 0 R", b"/F2 7 0 R")
    content = text("Title", 40, 370, 30) + text("AB C", 40, 300, font="F2")
    deck = read(tmp_path, pdf(content, page=page, more=[font, said]))
    assert deck.slides == (Slide(1, "Title", ("\U0001f600\U0002000b \U0001d465",)),)


def test_text_whose_letters_the_file_does_not_tell_is_named(tmp_path: Path) -> None:
    composite = b"<</Type/Font/Subtype/Type0/BaseFont/X/Encoding/Identity-H/DescendantFonts[8 0 R]>>"
    descendant = b"<</Type/Font/Subtype/CIDFontType2/BaseFont/X/DW 500>>"
    page = PAGE.replace(b"/F2 4 0 R", b"/F2 7 0 R")
    content = text("Title", 40, 370, 30) + b"BT /F2 16 Tf 40 300 Td <00480065> Tj ET"
    deck = read(tmp_path, pdf(content, page=page, more=[composite, descendant]))
    assert (deck.slides, deck.notices) == (
        (Slide(1, "Title"),),
        ("slide 1: some of the text is in a font that does not say its letters: it is not read",),
    )


def test_a_page_that_is_broken_costs_a_notice_and_not_the_deck(tmp_path: Path) -> None:
    content = pdf(text("Whole", 40, 300), text("Broken", 40, 300)).replace(b"/FlateDecode", b"/FlatDecoder")
    deck = read(tmp_path, content.replace(b"/FlatDecoder", b"/FlateDecode", 1))
    assert deck.slides == (Slide(1, "Whole"), Slide(2, ""))
    assert deck.notices == (
        "slide 2: without any text: a picture or a scan is not read, nor what is damaged",
    )


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (
            b"%PDF-1.7 and nothing else",
            "is damaged or has no pages, and cannot be read as a PDF; export it again",
        ),
        (
            assembled([b"<</Type/Catalog/Pages 2 0 R>>", b"<</Kids[]/Count 0>>"]),
            "is damaged or has no pages, and cannot be read as a PDF; export it again",
        ),
        (
            assembled([b"<</Type/Catalog/Pages 2 0 R>>", b"<</Type/Pages/Kids[2 0 R]/Count 9>>"]),
            "is damaged: none of its pages can be read; export it as PDF again",
        ),
    ],
)
def test_a_pdf_without_pages_is_refused(tmp_path: Path, content: bytes, message: str) -> None:
    with pytest.raises(DeckError) as refused:
        read(tmp_path, content)
    assert str(refused.value) == f"{tmp_path / 'deck.pdf'} {message}"


def test_numbers_that_no_operator_takes_cost_no_more_than_their_length(tmp_path: Path) -> None:
    # Where each token looked at all numbers behind it, this took minutes, and the deck was refused.
    assert lines_of(tmp_path, b"1 " * 100_000 + b"n\n", text("We grew.", 40, 300)) == ("We grew.",)


# What is no digit of a number.


def raised(words: str, left: float, up: float, size: float = 10.5) -> bytes:
    """A mark behind text of 16 points, set as Word and LaTeX set it."""
    return text(words, left, up + 5.5, size)


WIDTH = 16 * 0.556  # of a digit of Helvetica


@pytest.mark.parametrize(
    ("mark", "read_as"),
    [
        ("12", "320¹²"),
        ("2,3", "320²,³"),
        ("(4)", "320⁽⁴⁾"),
        ("1-3", "320¹⁻³"),
        ("**", "320**"),
        ("a", "320ᵃ"),
    ],
)
def test_a_raised_mark_is_no_digit_of_its_number(tmp_path: Path, mark: str, read_as: str) -> None:
    content = text("320", 40, 300) + raised(mark, 40 + 3 * WIDTH, 300) + text("in all of it", 86, 300)
    assert lines_of(tmp_path, content) == (f"{read_as} in all of it",)


def test_marks_that_are_drawn_one_by_one_are_marks(tmp_path: Path) -> None:
    pieces = (("320", 0.0), ("2", 3 * WIDTH), (",", 3 * WIDTH + 5.84), ("3", 3 * WIDTH + 8.76))
    content = b"".join(
        text(words, 40 + at, 300) if not at else raised(words, 40 + at, 300) for words, at in pieces
    )
    assert lines_of(tmp_path, content) == ("320²,³",)


def test_a_mark_that_leads_its_footnote_and_a_power_are_raised(tmp_path: Path) -> None:
    footnote = raised("1", 40, 200) + text("Not audited", 49, 200)
    power = text("450 m", 40, 300) + raised("2", 40 + 16 * (3 * 0.556 + 0.278 + 0.833), 300)
    assert lines_of(tmp_path, power, footnote) == ("450 m²", "¹ Not audited")


@pytest.mark.parametrize(
    ("before", "size", "words", "small"),
    [
        ("4", 16, "th quarter", 10.5),  # an ordinal is no mark
        ("40", 48, "in 2025", 14),  # a label beside a figure that is shown off
        ("4.2", 48, "M", 24),  # a magnitude
    ],
)
def test_raised_words_are_left_as_they_are(
    tmp_path: Path, before: str, size: float, words: str, small: float
) -> None:
    width = sum(0.278 if character == "." else 0.556 for character in before) * size
    content = text(before, 40, 250, size) + text(words, 40 + width + 0.05 * size, 250 + 0.3 * size, small)
    (slide,) = read(tmp_path, pdf(content + text("A sentence of the slide.", 40, 60))).slides
    (line,) = {slide.title, *slide.lines} - {"", "A sentence of the slide."}
    assert line.replace(" ", "") == f"{before}{words}".replace(" ", "")


def test_a_fraction_keeps_its_digits(tmp_path: Path) -> None:
    fraction = raised("1", 40, 300) + text("/", 46, 300) + text("2", 50.5, 300, 10.5)
    assert lines_of(tmp_path, text("3", 31, 300) + fraction + text("years", 61, 300)) == ("3 1/2 years",)


@pytest.mark.parametrize(
    "rows",
    [
        (("1,250", "Oslo depot"), ("980", "Bergen depot"), ("2,230", "All of them")),
        (("1,250", "4,170"), ("980", "3,330"), ("2,230", "7,500")),
    ],
)
@pytest.mark.parametrize("by_column", [True, False])
def test_a_figure_that_touches_the_next_column_is_kept_apart(
    tmp_path: Path, rows: tuple[tuple[str, str], ...], *, by_column: bool
) -> None:
    ups = (300, 276, 252)
    figures = [text(row[0], 200 - width(row[0], 16), up) for row, up in zip(rows, ups, strict=True)]
    others = [text(row[1], 200.5, up) for row, up in zip(rows, ups, strict=True)]
    in_order = (
        figures + others if by_column else [one for row in zip(figures, others, strict=True) for one in row]
    )
    lines = lines_of(tmp_path, *in_order)
    assert {row[0] for row in rows} <= set(lines)
    assert sorted(" ".join(lines).split()) == sorted(" ".join(map(" ".join, rows)).split())


def test_letters_that_are_drawn_one_by_one_are_no_columns(tmp_path: Path) -> None:
    def by_letter(words: str, up: float) -> bytes:
        return b"".join(text(letter, 40 + at * WIDTH, up) for at, letter in enumerate(words))

    content = b"".join(by_letter(words, up) for words, up in (("1250", 300), ("9803", 270), ("2230", 240)))
    assert lines_of(tmp_path, content) == ("1250", "9803", "2230")


# Text from right to left.

HEBREW = "אבגדהוזחטיךכלםמןנסעףפץצקרשת"
_CODES = {letter: chr(ord("A") + at) for at, letter in enumerate(HEBREW)}
TO_HEBREW = stream(
    b"1 begincodespacerange <00> <FF> endcodespacerange 1 beginbfrange <41> <5B> <05D0> endbfrange "
    b"1 beginbfrange <20> <3F> <0020> endbfrange"
)
HEBREW_FONT = b"<</Type/Font/Subtype/Type1/BaseFont/Courier/ToUnicode 8 0 R>>"


def as_drawn(words: str) -> str:
    """Words as they stand on the page: each from its last letter to its first, figures as they are."""
    turned = [word if any(map(str.isdigit, word)) else word[::-1] for word in reversed(words.split(" "))]
    return "".join(_CODES.get(letter, letter) for letter in " ".join(turned))


@pytest.mark.parametrize("at_once", [True, False])
@pytest.mark.parametrize(
    "words",
    [
        "התקציב הוא 12 מיליון",
        "12 מיליון הוא התקציב",
        "מכרנו 1,250 יחידות בשנת 2025",
        "המחיר הוא 4.5 עד 6.5 מיליון",
    ],
)
def test_a_line_from_right_to_left_is_read_in_the_order_it_is_said_in(
    tmp_path: Path, words: str, *, at_once: bool
) -> None:
    drawn = as_drawn(words)
    pieces = [(drawn, 0)]
    if not at_once:
        ends = [0, *(at + 1 for at, letter in enumerate(drawn) if letter == " "), len(drawn)]
        pieces = [(drawn[first:end].strip(), first) for first, end in pairwise(ends)]
    content = b"".join(text(piece, 300 + first * 9.6, 300, font="F2") for piece, first in pieces)
    page = PAGE.replace(b"/F2 4 0 R", b"/F2 7 0 R")
    drawn_deck = pdf(text("Title", 40, 370, 30) + content, page=page, more=[HEBREW_FONT, TO_HEBREW])
    assert read(tmp_path, drawn_deck).slides[0].lines == (words,)


# Furniture.


@pytest.mark.parametrize("first", [1, 12])
def test_only_what_counts_up_with_the_pages_is_a_page_number(tmp_path: Path, first: int) -> None:
    feet = ("180", "169", "265", "385")
    pages = [
        text(f"Stores of region {name}", 40, 370, 30)
        + text(f"All that stands on page {name} of it.", 40, 200)
        + text(foot, 40, 20, 12)
        + text(f"Page {first + at}", 600, 20, 12)
        for at, (name, foot) in enumerate(zip("ABCD", feet, strict=True))
    ]
    assert [slide.lines for slide in read(tmp_path, pdf(*pages)).slides] == [
        (f"All that stands on page {name} of it.", foot) for name, foot in zip("ABCD", feet, strict=True)
    ]


def artifact(content: bytes, properties: bytes = b"") -> bytes:
    return (b"/Artifact <<%s>> BDC " % properties if properties else b"/Artifact BMC ") + content + b"EMC "


RENT = text("Rent is 4 million a year.", 40, 200)
PAID = text("Half of it is paid by the city of Graz.", 40, 130)
FOOT = text("Example AG", 40, 12, 9)
RENT_LINE, PAID_LINE = "Rent is 4 million a year.", "Half of it is paid by the city of Graz."


@pytest.mark.parametrize(
    ("content", "lines"),
    [
        (artifact(RENT), (RENT_LINE,)),  # nothing else stands on the page
        (artifact(RENT, b"/Type/Pagination"), (RENT_LINE,)),
        (artifact(RENT) + PAID, (RENT_LINE, PAID_LINE)),
        (artifact(RENT + PAID, b"/Type/Page") + FOOT, (RENT_LINE, PAID_LINE, "Example AG")),
        (artifact(FOOT) + RENT, (RENT_LINE,)),
        (artifact(RENT, b"/Type/Pagination") + PAID, (PAID_LINE,)),
        (artifact(FOOT), ()),
    ],
)
def test_an_artifact_is_furniture_only_beside_content_and_where_furniture_stands(
    tmp_path: Path, content: bytes, lines: tuple[str, ...]
) -> None:
    (slide,) = read(tmp_path, pdf(content)).slides
    assert tuple(filter(None, (slide.title, *slide.lines))) == lines


# The real decks.

UPTIME = (
    "99.95% uptime guaranteed for Atlassian Cloud Enterprise products with no downtime required for "
    "upgrades or maintenance."
)
SHARING = (
    "Sharing authentication data between media applications, with a single sign on, reduces friction "
    "for the artist."
)
OTHERS = (
    "Other organizations who may have interest in TROLIE include FERC, NERC, NATF, and NAESB. Some "
    "specific vendors include Siemens, Open System International, OATI, EIDSN, GridBright, and PCI "
    "Energy Solutions, among others."
)
REAL = {
    "aswf_atlassian_migration_2024.pdf": (15, 6, UPTIME),
    "aswf_opentrackio_2025.pdf": (
        15,
        6,
        "It was developed by the SMPTE RIS OSVP group and v1 published in January 2025.",
    ),
    "aswf_zerotrust_wg_2024.pdf": (8, 6, SHARING),
    "lfe_energnn_2026.pdf": (17, 12, "99% of risky outages correctly predicted."),
    "lfe_trolie_2023.pdf": (4, 3, OTHERS),
}


@pytest.mark.parametrize("name", REAL)
def test_real_decks_hold_their_pages_and_sentences(shared: Path, name: str) -> None:
    pages, number, line = REAL[name]
    deck = read_deck(shared / "decks" / name)
    assert (deck.kind, len(deck.slides), deck.notices) == ("pdf", pages, ())
    assert line in deck.slides[number - 1].lines


LIBRARY = (
    "Modular and parametrizable GNN library designed for H2MG data, robust to structure variations, "
    "and made of interchangeable flax.nnx.Module bricks."
)
COUPLER = "3. Coupler. Propagates information throughout the input graph (message passing, neural ode, etc.)."


def test_pages_of_real_decks(shared: Path) -> None:
    slides = read_deck(shared / "decks" / "aswf_opentrackio_2025.pdf").slides
    assert slides[2] == Slide(
        number=3,
        title="THE THREE JAMES'S",
        lines=(
            "JAMES UREN",
            "Technical Director, Mo-Sys Engineering",
            "Technical Lead of OpenTrackIO",
            "JIM GEDULDICK",
            "VFX/VP Supervisor",
            "SMPTE RIS Chair",
            "JIM HELMAN",
            "CTO, Movielabs",
            "SMPTE RIS Chair",
        ),
        alt_texts=("Team member headshot", "James Uren", "Jim Helman", "Jim Geduldick"),
        parents=(None, 0, 0, None, 3, None, None, 6, None),
    )
    assert slides[4].title == "PROBLEM"  # it stands at the foot of the page
    energy = read_deck(shared / "decks" / "lfe_energnn_2026.pdf").slides[7]
    assert energy == Slide(
        number=8,
        title="energnn.model",
        lines=(
            LIBRARY,
            "1. Normalizer. Robust handling of real-world multi-modal and multi-scale data distributions.",
            "2. Encoder. Embeds input features into a latent space.",
            COUPLER,
            "4. Decoder. Converts latent variables into meaningful predictions.",
        ),
    )


def test_text_from_right_to_left_is_read_as_it_is_said(shared: Path) -> None:
    assert "مرحبا بالعالم" in read_deck(shared / "hostile" / "pypdf_multilang.pdf").slides[0].lines


def test_a_file_that_breaks_its_reader_is_refused_in_one_line(tmp_path: Path) -> None:
    with pytest.raises(DeckError) as refused:
        read(tmp_path, pdf(b"BT /F1 9 Tf " + b"0 1 Td (a) Tj " * 4_000_000 + b"ET"))
    assert "\n" not in str(refused.value)


def test_protection_with_an_empty_password_is_no_hindrance(shared: Path) -> None:
    deck = read_deck(shared / "hostile" / "pypdf_encryption_r6-owner-password.pdf")
    assert deck.slides == (Slide(1, "pdf encryption test password: asdfzxcv"),)


def test_a_password_is(shared: Path) -> None:
    with pytest.raises(DeckError, match=r"user-password\.pdf is encrypted; save it without a password$"):
        read_deck(shared / "hostile" / "pypdf_encryption_r2-user-password.pdf")
