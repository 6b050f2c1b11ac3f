"""The words of PowerPoint's text boxes: marks, breaks, formulas, tabs, and what is struck out."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orchestrator.material.deck.formulas import formula, lowered, raised
from orchestrator.material.deck.pptx_text import paragraphs
from orchestrator.material.deck.tables import split_tabs
from orchestrator.material.values import Slide, Table
from tests.helpers.slides_by_hand import box, deck_of, frame, paragraph, run

A = 'xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"'
UP, DOWN = 'baseline="30000"', 'baseline="-25000"'


def lines_of(*runs: str) -> list[str]:
    return paragraphs(ElementTree.fromstring(f"<a:txBody {A}>{paragraph(*runs)}</a:txBody>"))


@pytest.mark.parametrize(
    ("runs", "line"),
    [
        (("It costs $320", run("1", UP), " a seat"), "It costs $320¹ a seat"),
        (("It costs $320", run("1", UP), run("2", UP), " a seat"), "It costs $320¹² a seat"),
        (("It costs $320", run("1,2", 'baseline="33%"'), " a seat"), "It costs $320¹,² a seat"),
        (("Saved 10", run("-6", UP), " s"), "Saved 10⁻⁶ s"),
        (("Growth of 12", run("a", UP)), "Growth of 12ᵃ"),
        (("Up 12", run("Q1", UP)), "Up 12^(Q1)"),
        (("CO", run("2", DOWN), " on 450 m", run("2", UP)), "CO₂ on 450 m²"),
        (("The 2", run("nd", UP), " draft of Greenroom", run("TM", UP)), "The 2nd draft of GreenroomTM"),
        ((run("1", UP), " Without VAT"), "¹ Without VAT"),
        ((run("320 sites", UP),), "320 sites"),  # all of it is raised: nothing is a mark of anything
        (("320", run("1", 'baseline="0"'), " sites"), "3201 sites"),
    ],
)
def test_what_is_raised_or_lowered_is_no_digit_of_the_number_beside_it(
    runs: tuple[str, ...], line: str
) -> None:
    assert lines_of(*runs) == [line]


@given(st.integers(0, 10**6), st.integers(0, 10**3))
def test_a_number_and_its_mark_never_make_a_longer_number(number: int, mark: int) -> None:
    (line,) = lines_of(f"{number}", run(f"{mark}", UP), " sites")
    (index,) = lines_of(f"{number}", run(f"{mark}", DOWN), " sites")
    assert line == f"{number}{raised(str(mark))} sites"
    assert index == f"{number}{lowered(str(mark))} sites"
    assert not any("0" <= character <= "9" for character in raised(str(mark)) + lowered(str(mark)))


BREAK = "<a:br/>"


@pytest.mark.parametrize(
    ("runs", "lines"),
    [
        (
            ("Revenue 2025:", BREAK, "8 million", BREAK, "Costs:", BREAK, "7 million"),
            ["Revenue 2025:", "8 million", "Costs:", "7 million"],
        ),
        (("Revenue 8 million", BREAK, "costs 7 million"), ["Revenue 8 million", "costs 7 million"]),
        (("Revenue 8 million_x000B_Costs 7 million",), ["Revenue 8 million", "Costs 7 million"]),
        (("Individual strategies", BREAK, "for people"), ["Individual strategies for people"]),
        (("4.2 M", BREAK, "Revenue"), ["4.2 M Revenue"]),
        (("Revenue:", BREAK, "4.2 M", BREAK, "Costs:", BREAK, "3 M"), ["Revenue: 4.2 M", "Costs: 3 M"]),
        (("4.2 M", BREAK, "3.1 M"), ["4.2 M", "3.1 M"]),
        ((BREAK, " ", BREAK), []),
    ],
)
def test_a_break_ends_a_line_unless_it_parts_a_sentence_or_a_figure_from_its_name(
    runs: tuple[str, ...], lines: list[str]
) -> None:
    assert lines_of(*runs) == lines


def test_words_that_are_struck_out_or_without_colour_are_left_out_and_named(tmp_path: Path) -> None:
    struck, clear = run("5.0", 'strike="sngStrike"'), run("draft", inside="<a:noFill/>")
    outlined = run("plan", inside="<a:ln><a:noFill/></a:ln><a:noFill/>")
    shapes = box(
        paragraph("We cut ", struck, " 4.2 million.", clear)
        + paragraph(run("Kept", 'strike="noStrike"'), outlined)
    )
    deck = deck_of(tmp_path, shapes)
    assert deck.slides == (Slide(1, "", ("We cut 4.2 million.", "Keptplan")),)
    assert deck.notices == ("slide 1: words that are struck out, or drawn without a colour, were left out",)


M = 'xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math"'


def math(text: str) -> str:
    return f"<m:r><m:t>{text}</m:t></m:r>"


def part(name: str, text: str) -> str:
    return f"<m:{name}>{math(text)}</m:{name}>"


@pytest.mark.parametrize(
    ("xml", "said"),
    [
        (f"<m:f>{part('num', '12')}{part('den', '48')}</m:f>", "12/48"),
        (f"<m:f>{part('num', 'a+b')}{part('den', '2c')}</m:f>", "(a+b)/2c"),
        (f"<m:sSup>{part('e', '2')}{part('sup', '3')}</m:sSup>", "2³"),
        (f"<m:sSup>{part('e', 'a+b')}{part('sup', 'xy')}</m:sSup>", "(a+b)^(xy)"),
        (f"<m:sSub>{part('e', 'x')}{part('sub', '12')}</m:sSub>", "x₁₂"),
        (f"<m:sSubSup>{part('e', 'x')}{part('sub', 'i')}{part('sup', '2')}</m:sSubSup>", "x_(i)²"),
        (f"<m:sPre>{part('sub', '6')}{part('sup', '14')}{part('e', 'C')}</m:sPre>", "₆¹⁴C"),
        (f"<m:rad>{part('deg', '3')}{part('e', '27')}</m:rad>", "³√(27)"),
        (f"<m:rad><m:deg/>{part('e', '9')}</m:rad>", "√(9)"),
        (
            (
                f"<m:nary><m:naryPr><m:chr m:val='∑'/></m:naryPr>{part('sub', 'i=1')}{part('sup', 'n')}"
                f"{part('e', '5')}</m:nary>"
            ),
            "∑_(i=1)ⁿ (5)",
        ),
        (f"<m:d>{part('e', '4')}{part('e', '5')}</m:d>", "(4|5)"),
        (f"<m:d><m:dPr><m:begChr m:val='['/><m:endChr m:val=']'/></m:dPr>{part('e', '4')}</m:d>", "[4]"),
        (f"<m:func>{part('fName', 'log')}{part('e', '8')}</m:func>", "log(8)"),
        (f"<m:limLow>{part('e', 'lim')}{part('lim', '0')}</m:limLow>", "lim_(0)"),
        (
            (
                f"<m:m><m:mr>{part('e', '1')}{part('e', '2')}</m:mr>"
                f"<m:mr>{part('e', '3')}{part('e', '4')}</m:mr></m:m>"
            ),
            "[1 2; 3 4]",
        ),
        (f"<m:eqArr>{part('e', 'a=1')}{part('e', 'b=2')}</m:eqArr>", "a=1; b=2"),
    ],
)
def test_a_formula_keeps_its_meaning(xml: str, said: str) -> None:
    assert formula(ElementTree.fromstring(f"<m:oMath {M}>{xml}</m:oMath>")) == said


def test_a_formula_stands_in_its_sentence_and_of_alternatives_the_first(tmp_path: Path) -> None:
    half = f"<a14:m><m:oMath><m:f>{part('num', '1')}{part('den', '2')}</m:f></m:oMath></a14:m>"
    other = "<mc:Fallback><a14:m><m:oMath><m:r><m:t>12</m:t></m:r></m:oMath></a14:m></mc:Fallback>"
    shapes = box(
        paragraph(
            "Half is ",
            f"<mc:AlternateContent><mc:Choice Requires='a14'>{half}</mc:Choice>{other}</mc:AlternateContent>",
        )
    )
    assert deck_of(tmp_path, shapes).slides == (Slide(1, "Half is 1/2"),)


def tabbed(*lines: str) -> tuple[list[str], tuple[Table, ...]]:
    found, tables = split_tabs([(line, 0) for line in lines])
    return [line for line, _ in found], tables


def test_lines_in_columns_by_tabs_are_a_table_between_other_lines(tmp_path: Path) -> None:
    texts = ("Costs of the sites", "\t2024\t2025", "Rent\t4\t5", "Pay\t3\t4", "Total\t7\t9", "All in €m")
    slide = deck_of(tmp_path, box("".join(map(paragraph, texts)))).slides[0]
    table = Table((("", "2024", "2025"), ("Rent", "4", "5"), ("Pay", "3", "4"), ("Total", "7", "9")))
    assert slide == Slide(1, "", ("Costs of the sites", "All in €m"), tables=(table,))


def test_columns_may_take_as_many_tabs_as_they_need_or_leave_a_place_empty() -> None:
    assert tabbed("Rent\t\t\t4\t", "Pay for all\t3", "Total\t\t7") == (
        [],
        (Table((("Rent", "4"), ("Pay for all", "3"), ("Total", "7"))),),
    )
    assert tabbed("Site\t2024\t2025", "Oslo\t\t5", "Bergen\t3\t4") == (
        [],
        (Table((("Site", "2024", "2025"), ("Oslo", "", "5"), ("Bergen", "3", "4"))),),
    )


@pytest.mark.parametrize(
    "lines",
    [
        ("9:00\tWelcome", "9:30\tPlan", "10:00\tQuestions"),  # no figure behind the label
        ("Rent\t4", "Pay\t3"),  # two lines
        ("\tWe ask for 3 million", "\tIt earns 12 %", "\tIt takes 9 months"),  # only indented
        ("Rent\t4", "Pay\t3\t5\t6", "Total\t7"),  # no columns
    ],
)
def test_other_lines_with_tabs_stay_lines(lines: tuple[str, ...]) -> None:
    found, tables = tabbed(*lines)
    assert ([line.replace(" / ", " ") for line in found], tables) == (
        [" ".join(line.split()) for line in lines],
        (),
    )


def test_figures_that_a_tab_or_a_line_parts_never_make_one(tmp_path: Path) -> None:
    rows = frame(
        f"<a:tbl><a:tr><a:tc><a:txBody>{paragraph('4') + paragraph('500')}</a:txBody></a:tc></a:tr></a:tbl>"
    )
    box_ = box(paragraph("Rent\t4\t500") + paragraph("Pay", BREAK, "12 in 2025"))
    slide = deck_of(tmp_path, box_ + rows).slides[0]
    assert (slide.lines, slide.tables) == (("Rent 4 / 500", "Pay 12 in 2025"), (Table((("4 / 500",),)),))
    title = box(paragraph("Plan 2025", BREAK, "300 sites"))
    assert deck_of(tmp_path, title).slides == (Slide(1, "Plan 2025 / 300 sites"),)


@given(st.lists(st.text("ab1 \t", max_size=12), max_size=8))
def test_no_word_is_lost_between_lines_and_tables(lines: list[str]) -> None:
    found, tables = tabbed(*lines)
    cells = [cell for table in tables for row in table.rows for cell in row]
    kept = " ".join([*found, *cells]).replace(" / ", " ")
    assert sorted(kept.split()) == sorted(" ".join(lines).split())
