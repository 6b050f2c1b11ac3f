"""PowerPoint decks: everything on a slide that can be quoted, in the order in which it is read."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from pptx import Presentation
from pptx.chart import data as chart_data
from pptx.enum.chart import XL_CHART_TYPE
from pptx.util import Inches, Pt

from orchestrator.core.errors import DeckError
from orchestrator.material.deck.lines import asserted_lines, slide_texts
from orchestrator.material.deck.pptx_charts import read_charts
from orchestrator.material.deck.read import read_deck
from orchestrator.material.deck.shown import shown
from orchestrator.material.values import Chart, Deck, Series, Slide, Table
from tests.helpers.deck_files import SLIDE, changed, saved

TITLE_AND_CONTENT, TITLE_ONLY, BLANK = 1, 5, 6

# python-pptx does not say what these return
categories_of_a_chart: Any = chart_data.CategoryChartData
points_of_a_chart: Any = chart_data.XyChartData


def read(tmp_path: Path, content: bytes) -> Deck:
    path = tmp_path / "deck.pptx"
    path.write_bytes(content)
    return read_deck(path)


def text_box(
    slide: Any, text: str, left: float, top: float, width: float = 2, size: float | None = None
) -> Any:
    box = slide.shapes.add_textbox(Inches(left), Inches(top), Inches(width), Inches(0.5))
    box.text_frame.text = text
    if size:
        box.text_frame.paragraphs[0].runs[0].font.size = Pt(size)
    return box


def test_a_whole_deck(tmp_path: Path) -> None:
    presentation = Presentation()
    first = presentation.slides.add_slide(presentation.slide_layouts[TITLE_AND_CONTENT])
    first.shapes.title.text = "Growth plan"
    body = first.placeholders[1].text_frame
    body.text = "Revenue grew 40\u00a0% to $4.2 M.\vCosts did not."
    body.add_paragraph().text = "  "
    body.add_paragraph().text = "Pro\ufb01t follows in 2027."
    first.notes_slide.notes_text_frame.text = "Pause here.\nAsk for questions."

    second = presentation.slides.add_slide(presentation.slide_layouts[TITLE_ONLY])
    second.shapes.title.text = "Numbers"
    table = second.shapes.add_table(2, 2, Inches(1), Inches(2), Inches(4), Inches(1)).table
    for row, column, text in ((0, 0, "Quarter"), (0, 1, "Revenue"), (1, 0, "Q3"), (1, 1, "$4.2 M")):
        table.cell(row, column).text = text
    data = categories_of_a_chart()
    data.categories = ["Q1", "Q2", "Q3"]
    data.add_series("Revenue", (3.0, None, 4.2))
    frame = second.shapes.add_chart(
        XL_CHART_TYPE.COLUMN_STACKED, Inches(5), Inches(2), Inches(4), Inches(3), data
    )
    frame.chart.has_title = True
    frame.chart.chart_title.text_frame.text = "Revenue in $ M"
    frame._element.nvGraphicFramePr.cNvPr.set("descr", "Revenue rises by quarter")
    second._element.set("show", "0")

    content = saved(presentation)
    assert read(tmp_path, content) == Deck(
        kind="pptx",
        name="deck.pptx",
        sha256=hashlib.sha256(content).hexdigest(),
        title="Growth plan",
        slides=(
            Slide(
                number=1,
                title="Growth plan",
                lines=("Revenue grew 40 % to $4.2 M.", "Costs did not.", "Profit follows in 2027."),
                notes="Pause here.\nAsk for questions.",
            ),
            Slide(
                number=2,
                title="Numbers",
                tables=(Table((("Quarter", "Revenue"), ("Q3", "$4.2 M"))),),
                charts=(
                    Chart(
                        kind="column stacked",
                        title="Revenue in $ M",
                        categories=("Q1", "Q2", "Q3"),
                        series=(Series("Revenue", (3.0, None, 4.2)),),
                    ),
                ),
                alt_texts=("Revenue rises by quarter",),
                hidden=True,
            ),
        ),
    )


def lines_of(tmp_path: Path, presentation: Any) -> tuple[str, ...]:
    return read(tmp_path, saved(presentation)).slides[0].lines


def test_rows_are_read_from_the_top_and_each_row_from_the_left(tmp_path: Path) -> None:
    presentation = Presentation()
    slide = presentation.slides.add_slide(presentation.slide_layouts[BLANK])
    for text, left, top in (("d", 5, 3), ("c", 1, 3.05), ("b", 5, 1), ("a", 1, 1)):
        text_box(slide, text, left, top)
    assert lines_of(tmp_path, presentation) == ("a", "b", "c", "d")


def test_cards_drawn_one_by_one_are_read_one_by_one(tmp_path: Path) -> None:
    presentation = Presentation()
    slide = presentation.slides.add_slide(presentation.slide_layouts[BLANK])
    for card, left in (("First", 1), ("Second", 4), ("Third", 7)):
        text_box(slide, f"{card} card", left, 2)
        text_box(slide, f"{card} text, which says more", left, 2.6)
    assert lines_of(tmp_path, presentation) == (
        "First card",
        "First text, which says more",
        "Second card",
        "Second text, which says more",
        "Third card",
        "Third text, which says more",
    )


def test_labels_are_read_with_the_text_beside_them(tmp_path: Path) -> None:
    presentation = Presentation()
    slide = presentation.slides.add_slide(presentation.slide_layouts[BLANK])
    for row, label in enumerate(("Cost", "Time", "Risk")):
        text_box(slide, label, 1, 1 + row)
    for row in range(3):
        text_box(slide, f"A statement about row number {row}", 4, 1 + row, 5)
    assert lines_of(tmp_path, presentation) == (
        "Cost",
        "A statement about row number 0",
        "Time",
        "A statement about row number 1",
        "Risk",
        "A statement about row number 2",
    )


def test_a_bullet_stands_under_the_one_above_it_that_is_less_deep(tmp_path: Path) -> None:
    presentation = Presentation()
    slide = presentation.slides.add_slide(presentation.slide_layouts[TITLE_AND_CONTENT])
    slide.shapes.title.text = "Ask"
    body = slide.placeholders[1].text_frame
    body.text = "Money"
    for text, level in (("for the plant", 1), ("in Graz", 2), ("Time", 0)):
        paragraph = body.add_paragraph()
        paragraph.text, paragraph.level = text, level
    assert list(asserted_lines(read(tmp_path, saved(presentation)).slides[0])) == [
        ("title", "Ask", None),
        ("line", "Money", None),
        ("line", "for the plant", "Money"),
        ("line", "in Graz", "for the plant"),
        ("line", "Time", None),
    ]


def test_figures_belong_to_their_labels_or_to_none_and_cards_to_their_headings(tmp_path: Path) -> None:
    presentation = Presentation()
    slide = presentation.slides.add_slide(presentation.slide_layouts[TITLE_ONLY])
    slide.shapes.title.text = "Numbers"
    group = slide.shapes.add_group_shape()
    for text, left, top, size in (("40 %", 1, 2, 40), ("of customers renew", 1, 2.5, 12)):
        box = group.shapes.add_textbox(Inches(left), Inches(top), Inches(2), Inches(0.5))
        box.text_frame.text = text
        box.text_frame.paragraphs[0].runs[0].font.size = Pt(size)
    group.left, group.top = Inches(3), Inches(2)  # what is inside moves with it
    text_box(slide, "17", 8, 5.3, size=12)
    for card, left in (("First", 0), ("Second", 4)):
        text_box(slide, f"{card} plan", left, 4, size=20)
        text_box(slide, f"{card} text, which says more", left, 4.5, size=12)
    for name in ("Studio", "Vendor", "Client"):
        text_box(slide, name, 3 * "SVC".index(name[0]), 6.5, size=12)
    read_slide = read(tmp_path, saved(presentation)).slides[0]
    assert list(asserted_lines(read_slide)) == [
        ("title", "Numbers", None),
        ("line", "40 % of customers renew", None),
        ("line", "First plan", None),
        ("line", "First text, which says more", "First plan"),
        ("line", "Second plan", None),
        ("line", "Second text, which says more", "Second plan"),
    ]
    assert {read_slide.lines[index] for index in read_slide.labels} == {"17", "Studio", "Vendor", "Client"}


def test_a_group_is_read_as_one_piece_with_its_own_order_inside(tmp_path: Path) -> None:
    presentation = Presentation()
    slide = presentation.slides.add_slide(presentation.slide_layouts[BLANK])
    text_box(slide, "right of the group", 6, 2)
    group = slide.shapes.add_group_shape()
    for text, top in (("lower", 3), ("upper", 1)):
        box = group.shapes.add_textbox(Inches(1), Inches(top), Inches(2), Inches(0.5))
        box.text_frame.text = text
    inner = group.shapes.add_group_shape()
    inner.shapes.add_textbox(Inches(1), Inches(4), Inches(2), Inches(0.5)).text_frame.text = "innermost"
    assert lines_of(tmp_path, presentation) == ("upper", "lower", "innermost", "right of the group")


def test_numbers_dates_and_footers_are_left_out(tmp_path: Path) -> None:
    presentation = Presentation()
    slide = presentation.slides.add_slide(presentation.slide_layouts[TITLE_ONLY])
    slide.shapes.title.text = "Title"
    for kind in ("sldNum", "dt", "ftr"):
        box = text_box(slide, f"said by {kind}", 1, 6)
        properties = box._element.nvSpPr.nvPr
        properties.append(properties.makeelement(f"{{{properties.nsmap['p']}}}ph", {"type": kind}))
    assert lines_of(tmp_path, presentation) == ()


def test_a_slide_without_a_title_placeholder_is_titled_by_what_stands_out(tmp_path: Path) -> None:
    presentation = Presentation()
    slide = presentation.slides.add_slide(presentation.slide_layouts[BLANK])
    text_box(slide, "TEAM UPDATE", 1, 0.3, size=10)
    text_box(slide, "What we built", 1, 1, size=28)
    text_box(slide, "100%", 1, 2, size=40)
    text_box(slide, "of it is tested", 1, 3, size=12)
    read_slide = read(tmp_path, saved(presentation)).slides[0]
    assert (read_slide.title, read_slide.lines) == (
        "What we built",
        ("TEAM UPDATE", "100% of it is tested"),
    )


def test_only_alt_texts_that_a_person_wrote_are_kept(tmp_path: Path) -> None:
    presentation = Presentation()
    slide = presentation.slides.add_slide(presentation.slide_layouts[BLANK])
    for text in (
        "The plant in Graz, seen from above",
        "A close up of a logo\n\nDescription automatically generated",
        "Ein Bild, das Text enthält.\n\nKI-generierte Inhalte können fehlerhaft sein.",
        "image12.png",
        "C:\\pictures\\plant.jpg",
        "Picture 7",
        "https://example.org/plant",
    ):
        box = slide.shapes.add_textbox(Inches(1), Inches(1), Inches(1), Inches(1))
        box._element.nvSpPr.cNvPr.set("descr", text)
    assert read(tmp_path, saved(presentation)).slides[0].alt_texts == ("The plant in Graz, seen from above",)


def test_sections_are_those_that_the_deck_declares(tmp_path: Path) -> None:
    presentation = Presentation()
    for _ in range(3):
        presentation.slides.add_slide(presentation.slide_layouts[BLANK])
    ids = [entry.get("id") for entry in presentation.slides._sldIdLst]
    sections = (
        '<p:extLst><p:ext uri="{521415D9-36F7-43E2-AB2F-B90AF26B5E84}"><p14:sectionLst '
        'xmlns:p14="http://schemas.microsoft.com/office/powerpoint/2010/main">'
        '<p14:section name="Why &amp; how">'
        f'<p14:sldIdLst><p14:sldId id="{ids[1]}"/><p14:sldId id="{ids[2]}"/></p14:sldIdLst></p14:section>'
        "</p14:sectionLst></p:ext></p:extLst></p:presentation>"
    )
    content = changed(
        saved(presentation),
        {"ppt/presentation.xml": lambda xml: xml.replace(b"</p:presentation>", sections.encode())},
    )
    assert [slide.section for slide in read(tmp_path, content).slides] == [None, "Why & how", "Why & how"]


def test_the_first_alternative_with_shapes_is_read(tmp_path: Path) -> None:
    presentation = Presentation()
    slide = presentation.slides.add_slide(presentation.slide_layouts[BLANK])
    text_box(slide, "E = mc²", 1, 1)

    def wrap(xml: bytes) -> bytes:
        shape = re.search(rb"<p:sp>.*</p:sp>", xml, re.DOTALL)
        assert shape
        space = b'xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006"'
        fallback = shape[0].replace("E = mc²".encode(), b"a picture of it")
        return xml.replace(
            shape[0],
            b"<mc:AlternateContent %s><mc:Choice Requires='a14'>%s</mc:Choice><mc:Fallback>%s</mc:Fallback>"
            b"</mc:AlternateContent>" % (space, shape[0], fallback),
        )

    assert read(tmp_path, changed(saved(presentation), {SLIDE: wrap})).slides == (Slide(1, "E = mc²"),)


def test_files_saved_as_strict_open_xml_are_read_alike(tmp_path: Path) -> None:
    presentation = Presentation()
    slide = presentation.slides.add_slide(presentation.slide_layouts[TITLE_AND_CONTENT])
    slide.shapes.title.text, slide.placeholders[1].text_frame.text = "Strict", "As ISO has it"
    content = saved(presentation)

    def strict(xml: bytes) -> bytes:
        for kind in (b"drawingml", b"officeDocument", b"presentationml"):
            xml = xml.replace(
                b"http://schemas.openxmlformats.org/%s/2006/" % kind, b"http://purl.oclc.org/ooxml/%s/" % kind
            )
        return xml

    parts = (SLIDE, "ppt/presentation.xml", "ppt/_rels/presentation.xml.rels", "_rels/.rels")
    assert read(tmp_path, changed(content, dict.fromkeys(parts, strict))).slides[0] == Slide(
        1, "Strict", ("As ISO has it",)
    )


def test_a_part_that_is_broken_costs_a_notice_and_not_the_deck(tmp_path: Path) -> None:
    presentation = Presentation()
    for title in ("First", "Second"):
        slide = presentation.slides.add_slide(presentation.slide_layouts[TITLE_ONLY])
        slide.shapes.title.text = title
    data = categories_of_a_chart()
    data.categories = ["a"]
    data.add_series("s", (1,))
    slide.shapes.add_chart(XL_CHART_TYPE.PIE, Inches(1), Inches(1), Inches(1), Inches(1), data)
    content = saved(presentation)
    (chart,) = set(re.findall(rb"ppt/charts/chart\d+\.xml", content))
    deck = read(
        tmp_path, changed(content, {SLIDE: lambda xml: xml[:200], chart.decode(): lambda _: b"no xml"})
    )
    assert deck.slides == (Slide(1, ""), Slide(2, "Second"))
    assert [notice.split(":")[0] for notice in deck.notices] == [
        "slide 1 was left out",
        "slide 2",
    ]
    assert "a chart cannot be read and was left out" in deck.notices[1]


def test_notes_that_are_broken_cost_a_notice_and_not_the_slide(tmp_path: Path) -> None:
    presentation = Presentation()
    slide = presentation.slides.add_slide(presentation.slide_layouts[TITLE_ONLY])
    slide.shapes.title.text = "Still here"
    slide.notes_slide.notes_text_frame.text = "gone"
    content = changed(saved(presentation), {"ppt/notesSlides/notesSlide1.xml": lambda _: b"<a>"})
    deck = read(tmp_path, content)
    assert deck.slides == (Slide(1, "Still here"),)
    assert [notice.split(": the file")[0] for notice in deck.notices] == ["slide 1: its notes were left out"]


def test_what_the_file_names_its_parts_stays_on_one_short_line(tmp_path: Path) -> None:
    presentation = Presentation()
    presentation.slides.add_slide(presentation.slide_layouts[BLANK])
    parts = b"slides/a&#10;" + b"b" * 5000
    content = changed(
        saved(presentation),
        {"ppt/_rels/presentation.xml.rels": lambda xml: xml.replace(b"slides/slide1.xml", parts)},
    )
    with pytest.raises(DeckError) as refused:
        read(tmp_path, content)
    assert str(refused.value).isprintable()
    assert str(refused.value).endswith("b is missing; save the presentation again")
    assert len(str(refused.value)) < len(str(tmp_path)) + 200


def test_pictures_that_are_missing_do_not_matter(tmp_path: Path) -> None:
    presentation = Presentation()
    slide = presentation.slides.add_slide(presentation.slide_layouts[TITLE_ONLY])
    slide.shapes.title.text = "Still here"
    broken = b'<Relationship Id="rId9" Type="http://x/image" Target="NULL"/></Relationships>'
    content = changed(
        saved(presentation),
        {
            "ppt/slides/_rels/slide1.xml.rels": lambda xml: xml.replace(b"</Relationships>", broken),
            "[Content_Types].xml": lambda _: b"not needed",
        },
    )
    deck = read(tmp_path, content)
    assert (deck.slides, deck.notices) == ((Slide(1, "Still here"),), ())


def test_a_deck_without_slides_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DeckError, match=r"deck\.pptx has no slides; add one, or give another file$"):
        read(tmp_path, saved(Presentation()))


# Charts, from their XML: what python-pptx cannot write.

C = 'xmlns:c="http://schemas.openxmlformats.org/drawingml/2006/chart"'


def charts(plots: str, head: str = "") -> list[Chart]:
    xml = f"<c:chartSpace {C}>{head}<c:chart><c:plotArea>{plots}</c:plotArea></c:chart></c:chartSpace>"
    found, _ = read_charts(ElementTree.fromstring(xml))
    return found


def cache(kind: str, values: dict[int, str], code: str = "General") -> str:
    points = "".join(f'<c:pt idx="{index}"><c:v>{value}</c:v></c:pt>' for index, value in values.items())
    code = f"<c:formatCode>{code}</c:formatCode>" if kind == "num" else ""
    return f"<c:{kind}Ref><c:{kind}Cache>{code}{points}</c:{kind}Cache></c:{kind}Ref>"


def series(name: str, categories: str, values: str) -> str:
    tx = f"<c:tx>{cache('str', {0: name})}</c:tx>" if name else ""
    return f"<c:ser>{tx}<c:cat>{categories}</c:cat><c:val>{values}</c:val></c:ser>"


def test_bars_with_a_line_over_them_are_one_chart() -> None:
    quarters = cache("str", {0: "Q1", 1: "Q2"})
    bars = series("Revenue", quarters, cache("num", {0: "3", 1: "4.2"}))
    line = series("Margin", quarters, cache("num", {0: "0.25", 1: "0.3"}, "0%"))
    assert charts(
        f'<c:barChart><c:barDir val="bar"/>{bars}</c:barChart><c:lineChart>{line}</c:lineChart>'
    ) == [
        Chart(
            "bar, line",
            "",
            ("Q1", "Q2"),
            (Series("Revenue", (3.0, 4.2)), Series("Margin", (0.25, 0.3), percent=True)),
        )
    ]


@pytest.mark.parametrize(
    ("head", "code", "label"),
    [
        ("", "yyyy\\-mm", "2026-11-22"),
        ('<c:date1904 val="1"/>', "d. mmm", "2030-11-23"),
        ("", "#,##0", "46348"),
        ("", '0 "days"', "46348"),
    ],
)
def test_categories_that_are_dates_are_written_as_dates(head: str, code: str, label: str) -> None:
    drawn = series("s", cache("num", {0: "46348"}, code), cache("num", {0: "1"}))
    (chart,) = charts(f"<c:lineChart>{drawn}</c:lineChart>", head)
    assert chart.categories == (label,)


def test_labels_of_two_levels_are_joined() -> None:
    labels = (
        "<c:multiLvlStrRef><c:multiLvlStrCache>"
        '<c:lvl><c:pt idx="0"><c:v>H1</c:v></c:pt><c:pt idx="1"><c:v>H2</c:v></c:pt>'
        '<c:pt idx="2"><c:v>H1</c:v></c:pt></c:lvl>'
        '<c:lvl><c:pt idx="0"><c:v>2025</c:v></c:pt><c:pt idx="2"><c:v>2026</c:v></c:pt></c:lvl>'
        "</c:multiLvlStrCache></c:multiLvlStrRef>"
    )
    drawn = series("s", labels, cache("num", {0: "1", 2: "3"}))
    (chart,) = charts(f"<c:barChart>{drawn}</c:barChart>")
    assert (chart.categories, chart.series) == (
        ("2025 / H1", "2025 / H2", "2026 / H1"),
        (Series("s", (1.0, None, 3.0)),),
    )


def test_a_waterfall_is_read() -> None:
    cx = 'xmlns:cx="http://schemas.microsoft.com/office/drawing/2014/chartex"'
    names = '<cx:pt idx="0">Start</cx:pt><cx:pt idx="1">Loss</cx:pt>'
    values = '<cx:pt idx="0">10</cx:pt><cx:pt idx="1">-4</cx:pt>'
    xml = (
        f'<cx:chartSpace {cx}><cx:chartData><cx:data id="0">'
        f'<cx:strDim type="cat"><cx:lvl ptCount="2">{names}</cx:lvl></cx:strDim>'
        f'<cx:numDim type="val"><cx:lvl ptCount="2" formatCode="General">{values}</cx:lvl></cx:numDim>'
        "</cx:data></cx:chartData><cx:chart><cx:plotArea><cx:plotAreaRegion>"
        '<cx:series layoutId="waterfall"><cx:tx><cx:txData><cx:v>Cash</cx:v></cx:txData></cx:tx>'
        '<cx:dataId val="0"/></cx:series>'
        "</cx:plotAreaRegion></cx:plotArea></cx:chart></cx:chartSpace>"
    )
    waterfall = Chart("waterfall", "", ("Start", "Loss"), (Series("Cash", (10.0, -4.0)),))
    assert read_charts(ElementTree.fromstring(xml)) == ([waterfall], True)


def test_a_chart_that_lies_about_its_length_is_cut() -> None:
    drawn = series("s", cache("str", {0: "a"}), cache("num", {0: "1", 999_999_999: "2"}))
    (chart,) = charts(f"<c:barChart>{drawn}</c:barChart>")
    assert chart.series == (Series("s", (1.0,)),)


def test_each_scatter_series_keeps_its_own_places(tmp_path: Path) -> None:
    presentation = Presentation()
    slide = presentation.slides.add_slide(presentation.slide_layouts[BLANK])
    data = points_of_a_chart()
    for name, points in (("North", ((1, 10), (2, 20))), ("South", ((5, 50),))):
        drawn = data.add_series(name)
        for x, y in points:
            drawn.add_data_point(x, y)
    slide.shapes.add_chart(XL_CHART_TYPE.XY_SCATTER, Inches(1), Inches(1), Inches(4), Inches(3), data)
    assert read(tmp_path, saved(presentation)).slides[0].charts == (
        Chart("scatter", "", ("1", "2"), (Series("North", (10.0, 20.0)),)),
        Chart("scatter", "", ("5",), (Series("South", (50.0,)),)),
    )


# The real decks.

REAL = {
    "ccc_certifier_2025.pptx": (7, 6, "Added static analysis (still need dynamic)"),
    "ccc_euac_2023.pptx": (1, 1, "Website to be updated by January 27, 2023"),
    "ccc_grc_sig_q1_2023.pptx": (3, 2, "Confidential Computing project 100% approved"),
    "goit_product_pitch_2026.pptx": (10, 6, "100% Python stdlib — не потрібен pip install"),
    "lfe_annual_review_template.pptx": (12, 2, "Review of progress towards Early Adoption Stage"),
    "lfe_opendsm_2026.pptx": (9, 3, "5x faster than previous hourly model"),
    "openchain_basic_ja.pptx": (12, 10, "OpenChain規格への適合を自己認証"),
    "openchain_onboarding_de.pptx": (
        4,
        3,
        "Nachweis, dass die Anforderungen der Specification erfüllt werden",
    ),
    "openchain_onboarding_en.pptx": (10, 3, "Friction Points Resolved"),
}


@pytest.mark.parametrize("name", REAL)
def test_real_decks_hold_their_slides_and_sentences(shared: Path, name: str) -> None:
    slides, number, line = REAL[name]
    deck = read_deck(shared / "decks" / name)
    assert (deck.kind, len(deck.slides), deck.notices) == ("pptx", slides, ())
    assert line in deck.slides[number - 1].lines


def test_a_real_deck_of_cards_is_read_card_by_card(shared: Path) -> None:
    slide = read_deck(shared / "decks" / "goit_product_pitch_2026.pptx").slides[5]
    assert slide == Slide(
        number=6,
        title="Технічні переваги",
        lines=(
            "TDD з Auto-Xfail",
            "Тести першими; NotImplementedError → xfail, а не failure",
            "Нуль залежностей",
            "100% Python stdlib — не потрібен pip install",
            "Strict mypy Typing",
            "disallow_untyped_defs = true для кожної функції",
            "Signal Handling",
            "SIGTERM/SIGHUP graceful shutdown зі збереженням даних",
            "AI-Powered Workflow",
            "Claude + Copilot для розробки та рев’ю",
            "8 Parallel CI Jobs",
            "Кожен тестовий модуль працює в окремому CI job",
        ),
        parents=(None, 0, None, 2, None, 4, None, 6, None, 8, None, 10),
    )


def test_smartart_of_a_real_deck_is_read_in_the_order_of_its_model(shared: Path) -> None:
    slide = read_deck(shared / "decks" / "openchain_onboarding_de.pptx").slides[1]
    assert slide == Slide(
        number=2,
        title="Die OpenChain-fähige Lieferkette",
        lines=(
            "Zielvorstellung",
            "Erfüllung der FOSS-Lizenzpflichten",
            "Niedrige Transaktionskosten",
            "OpenChain-fähige Lieferkette",
        ),
    )


def test_sections_of_a_real_deck(shared: Path) -> None:
    deck = read_deck(shared / "decks" / "ccc_certifier_2025.pptx")
    assert [slide.section for slide in deck.slides] == [
        "Intro",
        *["Motivation"] * 3,
        *["Certifier framework architecture"] * 3,
    ]


@pytest.mark.parametrize("name", REAL)
def test_no_word_that_another_library_finds_is_missing(shared: Path, name: str) -> None:
    path = shared / "decks" / name
    deck = read_deck(path)
    for slide, other in zip(deck.slides, Presentation(str(path)).slides, strict=True):
        ours = {word for _, text in slide_texts(slide) for word in text.split()}
        assert {word for text in _texts(other.shapes) for word in shown(text).split()} <= ours
        if other.has_notes_slide:
            frame = other.notes_slide.notes_text_frame
            assert slide.notes == "\n".join(
                line for paragraph in frame.paragraphs if (line := shown(paragraph.text))
            )


def _texts(shapes: Any) -> Iterator[str]:
    for shape in shapes:
        if shape.shape_type == 6:  # a group
            yield from _texts(shape.shapes)
        elif shape.has_text_frame:
            kind = shape.placeholder_format.type if shape.is_placeholder else None
            if str(kind).split(" ")[0] not in ("SLIDE_NUMBER", "DATE", "FOOTER"):
                yield from (paragraph.text for paragraph in shape.text_frame.paragraphs)
