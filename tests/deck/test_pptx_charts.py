"""What a chart of PowerPoint says beside its numbers, and which of its numbers nobody sees."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

import pytest

from orchestrator.core.values import from_json, to_json
from orchestrator.material.deck.content import render_deck_content
from orchestrator.material.deck.pptx_charts import read_charts
from orchestrator.material.values import Chart, Deck, Series, Slide
from tests.helpers.slides_by_hand import deck_of, frame, paragraph

NAMES = (
    'xmlns:c="http://schemas.openxmlformats.org/drawingml/2006/chart" '
    'xmlns:c15="http://schemas.microsoft.com/office/drawing/2012/chart" '
    'xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"'
)
CX = (
    'xmlns:cx="http://schemas.microsoft.com/office/drawing/2014/chartex" '
    'xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"'
)
NO_FILL = "<c:spPr><a:noFill/></c:spPr>"


def chart_of(plots: str) -> str:
    return f"<c:chartSpace {NAMES}><c:chart><c:plotArea>{plots}</c:plotArea></c:chart></c:chartSpace>"


def read(plots: str) -> tuple[list[Chart], bool]:
    return read_charts(ElementTree.fromstring(chart_of(plots)))


def numbers(*values: float, code: str = "General") -> str:
    points = "".join(f'<c:pt idx="{at}"><c:v>{value}</c:v></c:pt>' for at, value in enumerate(values))
    return f"<c:numLit><c:formatCode>{code}</c:formatCode>{points}</c:numLit>"


def series(name: str, *values: float, more: str = "", code: str = "General") -> str:
    names = '<c:strLit><c:pt idx="0"><c:v>Q1</c:v></c:pt><c:pt idx="1"><c:v>Q2</c:v></c:pt></c:strLit>'
    return (
        f"<c:ser><c:tx><c:v>{name}</c:v></c:tx>{more}<c:cat>{names}</c:cat>"
        f"<c:val>{numbers(*values, code=code)}</c:val></c:ser>"
    )


def titled(text: str) -> str:
    return f"<c:title><c:tx><c:rich>{paragraph(text)}</c:rich></c:tx></c:title>"


SALES = series("Sales", 1, 3.5)


def test_titles_of_axes_and_labels_that_somebody_wrote_are_read(tmp_path: Path) -> None:
    label = f"<c:dLbls><c:dLbl><c:tx><c:rich>{paragraph('Record: +75 %')}</c:rich></c:tx></c:dLbl></c:dLbls>"
    field = '<a:fld type="CELLRANGE"><a:t>[CELLRANGE]</a:t></a:fld>'
    ranged = f"<c:dLbls><c:dLbl><c:tx><c:rich>{paragraph(field)}</c:rich></c:tx></c:dLbl></c:dLbls>"
    cells = "<c15:dlblRangeCache><c:pt idx='0'><c:v>our first</c:v></c:pt></c15:dlblRangeCache>"
    drawn = series("Sales", 1, 3.5, more=label) + series("Costs", 1, 2, more=ranged + cells)
    plots = (
        f"<c:barChart>{drawn}</c:barChart>"
        f"<c:catAx><c:delete val='0'/>{titled('Quarter')}</c:catAx>"
        f"<c:valAx>{titled('EUR million')}</c:valAx>"
        f"<c:valAx><c:delete val='1'/>{titled('not drawn')}</c:valAx>"
    )
    over = f"<c:userShapes {NAMES}>{paragraph('New store')}</c:userShapes>"
    parts = {"rId9": ("chart", chart_of(plots)), "rId8": ("chartUserShapes", over)}
    chart = Chart(
        "column",
        "",
        ("Q1", "Q2"),
        (Series("Sales", (1.0, 3.5)), Series("Costs", (1.0, 2.0))),
        axes=("EUR million", "Quarter"),
        labels=("Record: +75 %", "our first", "New store"),
    )
    deck = deck_of(tmp_path, frame('<c:chart r:id="rId9"/>'), parts)
    assert (deck.slides, deck.notices) == ((Slide(1, "", charts=(chart,)),), ())


def test_what_a_chart_says_stands_in_the_file_that_the_panel_reads() -> None:
    sales = Series("Sales", (1.0, 3.5), unit="€")
    chart = Chart("column", "By quarter", ("Q1", "Q2"), (sales,), ("EUR million",), ("Record",))
    deck = Deck("pptx", "deck.pptx", "0" * 64, "Plan", (Slide(1, "Plan", charts=(chart,)),))
    text = render_deck_content(deck, (), ())
    assert text.endswith(
        "Chart: column\n> By quarter\n> EUR million\n> Record\n\n"
        "|  | Sales |\n|---|---|\n| Q1 | 1 € |\n| Q2 | 3.5 € |\n"
    )


@pytest.mark.parametrize(
    ("code", "percent", "unit"),
    [
        ("General", False, ""),
        ("#,##0.0", False, ""),
        ("0%", True, ""),
        ("0.0%;-0.0%", True, ""),
        ('0.0"%"', False, "%"),  # 25 is shown as 25%, not as 2,500 %
        ("0\\%", False, "%"),
        ('"€"#,##0', False, "€"),
        ("[$€-407] #,##0", False, "€"),
        ("[$-409]#,##0", False, ""),
        ("[Red]0.0", False, ""),
        ('#,##0" sites";-#,##0" sites"', False, "sites"),
        ('0.0,,"M"', False, ""),  # 3,500,000 is shown as 3.5M
    ],
)
def test_a_number_format_says_what_a_value_is_shown_with(code: str, percent: bool, unit: str) -> None:
    escaped = code.replace('"', "&quot;")
    (chart,), _ = read(f"<c:barChart>{series('Sales', 1, 3.5, code=escaped)}</c:barChart>")
    assert chart.series == (Series("Sales", (1.0, 3.5), percent, unit),)


LABELLED = "<c:dLbls><c:showVal val='1'/></c:dLbls>"
UNLINED = "<c:spPr><a:ln><a:noFill/></a:ln></c:spPr>"
UNMARKED = "<c:marker><c:symbol val='none'/></c:marker>"
SHADED = "<a:schemeClr val='bg1'><a:lumMod val='75000'/></a:schemeClr>"
TRANSPARENT = "<a:srgbClr val='FF0000'><a:alpha val='0'/></a:srgbClr>"
A_POINT = "<c:dPt><c:spPr><a:solidFill/></c:spPr></c:dPt>"


@pytest.mark.parametrize(
    ("plot", "more", "seen"),
    [
        ("barChart", NO_FILL, False),
        ("areaChart", NO_FILL, False),
        ("barChart", "<c:spPr><a:noFill/><a:ln><a:noFill/></a:ln></c:spPr>", False),
        ("barChart", "<c:spPr><a:noFill/><a:ln><a:solidFill/></a:ln></c:spPr>", True),
        ("barChart", NO_FILL + LABELLED, True),
        ("barChart", NO_FILL + A_POINT, True),
        ("barChart", "<c:spPr><a:solidFill/></c:spPr>", True),
        ("barChart", "", True),
        ("barChart", "<c:spPr><a:solidFill><a:schemeClr val='bg1'/></a:solidFill></c:spPr>", False),
        ("barChart", f"<c:spPr><a:solidFill>{SHADED}</a:solidFill></c:spPr>", True),
        ("barChart", f"<c:spPr><a:solidFill>{TRANSPARENT}</a:solidFill></c:spPr>", False),
        ("lineChart", UNLINED + UNMARKED, False),
        ("lineChart", UNLINED, True),
        ("lineChart", UNLINED + UNMARKED + LABELLED, True),  # totals over a stack
        ("lineChart", NO_FILL + UNMARKED, True),
        ("scatterChart", UNLINED, True),
    ],
)
def test_a_series_that_nobody_sees_is_left_out(plot: str, more: str, seen: bool) -> None:
    charts, is_all = read(
        f"<c:barChart>{SALES}</c:barChart><c:{plot}>{series('Base', 7, 8, more=more)}</c:{plot}>"
    )
    names = [one.name for one in charts[0].series]
    assert (names, is_all) == ((["Sales", "Base"], True) if seen else (["Sales"], False))


@pytest.mark.parametrize(("plot", "values"), [("barChart", (1.0, None)), ("pieChart", (1.0, 3.5))])
def test_a_column_that_nobody_sees_is_a_gap_and_a_slice_counts_in_its_pie(
    plot: str, values: tuple[float | None, ...]
) -> None:
    clear = f"<c:dPt><c:idx val='1'/>{NO_FILL}</c:dPt>"
    charts, _ = read(f"<c:{plot}>{series('Sales', 1, 3.5, more=clear)}</c:{plot}>")
    assert charts[0].series == (Series("Sales", values),)


def test_a_series_that_is_left_out_is_named(tmp_path: Path) -> None:
    parts = {
        "rId9": ("chart", chart_of(f"<c:barChart>{series('Base', 7, 8, more=NO_FILL)}{SALES}</c:barChart>"))
    }
    deck = deck_of(tmp_path, frame('<c:chart r:id="rId9"/>'), parts)
    chart = Chart("column", "", ("Q1", "Q2"), (Series("Sales", (1.0, 3.5)),))
    assert (deck.slides, deck.notices) == (
        (Slide(1, "", charts=(chart,)),),
        ("slide 1: a series that a chart draws without a colour was left out",),
    )


def test_sizes_of_bubbles_are_a_chart_beside_their_places() -> None:
    bubbles = (
        f"<c:ser><c:tx><c:v>Sites</c:v></c:tx><c:xVal>{numbers(1, 2)}</c:xVal>"
        f"<c:yVal>{numbers(10, 20)}</c:yVal><c:bubbleSize>{numbers(300, 400)}</c:bubbleSize></c:ser>"
    )
    assert read(f"<c:bubbleChart>{bubbles}</c:bubbleChart>") == (
        [
            Chart("bubble", "", ("1", "2"), (Series("Sites", (10.0, 20.0)),)),
            Chart("bubble sizes", "", ("1", "2"), (Series("Sites", (300.0, 400.0)),)),
        ],
        True,
    )


def test_levels_of_a_treemap_and_its_axis_are_read_and_hidden_series_are_not() -> None:
    def points(*texts: str) -> str:
        return "".join(f'<cx:pt idx="{at}">{text}</cx:pt>' for at, text in enumerate(texts) if text)

    xml = (
        f'<cx:chartSpace {CX}><cx:chartData><cx:data id="0"><cx:strDim type="cat">'
        f"<cx:lvl>{points('Rent', 'Pay', 'Rent')}</cx:lvl>"
        f"<cx:lvl>{points('Oslo', '', 'Bergen')}</cx:lvl></cx:strDim>"
        f'<cx:numDim type="size"><cx:lvl formatCode="0%">{points("0.5", "0.3", "0.2")}</cx:lvl></cx:numDim>'
        "</cx:data></cx:chartData><cx:chart><cx:plotArea><cx:plotAreaRegion>"
        '<cx:series layoutId="treemap"><cx:dataId val="0"/></cx:series>'
        '<cx:series layoutId="treemap" hidden="1"><cx:dataId val="0"/></cx:series></cx:plotAreaRegion>'
        f"<cx:axis><cx:title>{paragraph('Share of costs')}</cx:title></cx:axis>"
        f'<cx:axis hidden="1"><cx:title>{paragraph("unseen")}</cx:title></cx:axis>'
        "</cx:plotArea></cx:chart></cx:chartSpace>"
    )
    shares = Series("", (0.5, 0.3, 0.2), percent=True)
    places = ("Oslo / Rent", "Oslo / Pay", "Bergen / Rent")
    assert read_charts(ElementTree.fromstring(xml)) == (
        [Chart("treemap", "", places, (shares,), axes=("Share of costs",))],
        True,
    )


def test_decks_of_earlier_ledgers_have_charts_without_axes() -> None:
    plain = {
        "kind": "column",
        "title": "",
        "categories": ["Q1"],
        "series": [{"name": "Sales", "values": [1.0]}],
    }
    chart = Chart("column", "", ("Q1",), (Series("Sales", (1.0,)),))
    assert (from_json(Chart, plain), to_json(chart)) == (chart, plain)
