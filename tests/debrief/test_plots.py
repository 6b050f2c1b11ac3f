"""Delivery as drawings: the values that go in can be read off what comes out, in any colours."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orchestrator.material.speech.delivery import said_in
from orchestrator.material.speech.times import Stretch
from orchestrator.material.values import Segment
from orchestrator.panel.debrief import plots


def minutes(*figures: int) -> list[Stretch]:
    return [Stretch(60.0 * number, 60.0 * number + 60, one) for number, one in enumerate(figures)]


def drawn(svg: str) -> ElementTree.Element:
    """A drawing, parsed as a page's HTML parser would place it."""
    return ElementTree.fromstring(svg)


def texts(svg: str) -> list[str]:
    return [one.text or "" for one in drawn(svg).iter("text")]


def shapes(svg: str, name: str) -> list[ElementTree.Element]:
    return [one for one in drawn(svg).iter() if one.get("class") == name]


def share(one: ElementTree.Element, attribute: str) -> float:
    value = one.get(attribute) or ""
    assert value.endswith("%")
    return float(value[:-1])


ALL = {
    "pace": plots.pace(minutes(140, 190, 90)),
    "slide_bar": plots.slide_bar(80, 60, 120),
    "marks": plots.marks(said_in([Segment("We, um, may perhaps grow. " * 9, 0, 60)]) or (), 60),
    "talk": plots.talk(374, 110, 11),
}


@pytest.mark.parametrize("plot", ALL)
def test_each_has_a_name_and_nothing_that_a_page_forbids(plot: str) -> None:
    svg = drawn(ALL[plot])
    assert svg.get("role") == "img"
    assert svg.get("aria-label") or (svg.find("title") is not None and svg.findtext("title"))
    names = {name for one in svg.iter() for name in one.attrib}
    assert not names & {"style", "href", "fill", "color"}
    assert "url(" not in ALL[plot]


def test_a_minute_outside_the_band_has_another_shape_and_its_figure() -> None:
    svg = plots.pace(minutes(140, 190, 90))
    assert len(shapes(svg, "p-dot")) == 1
    assert len(shapes(svg, "p-off")) == 2
    assert {"140", "190", "90", "100", "180", "0:00", "3:00"} <= set(texts(svg))
    assert "Words a minute over the talk: 90 to 190; 100 to 180 is easy to follow" in svg


def test_faster_stands_higher() -> None:
    dots = shapes(plots.pace(minutes(120, 150, 170)), "p-dot")
    heights = [float(dot.get("cy") or 0) for dot in dots]
    assert heights == sorted(heights, reverse=True)
    assert [share(dot, "cx") for dot in dots] == sorted(share(dot, "cx") for dot in dots)


def test_where_nothing_was_measured_there_is_no_line() -> None:
    measured = minutes(140, 141, 142, 143)
    assert len(shapes(plots.pace(measured), "p-line")) == 3
    assert len(shapes(plots.pace([measured[0], measured[1], measured[3]]), "p-line")) == 1


def test_in_other_languages_there_is_no_band_and_no_fault() -> None:
    svg = plots.pace(minutes(140, 250), has_band=False)
    assert (shapes(svg, "p-band"), shapes(svg, "p-off")) == ([], [])
    assert "easy to follow" not in svg


def test_a_long_talk_names_only_what_is_off() -> None:
    told = texts(plots.pace(minutes(*[140] * 44, 200)))
    assert "140" not in told
    assert "200" in told
    assert sum(":" in one for one in told) <= plots.MAX_TICKS + 1


def test_a_slides_bar_shows_time_share_and_what_is_over() -> None:
    svg = plots.slide_bar(80, 60, 120)
    (bar,), (outline,), (over,) = (shapes(svg, name) for name in ("p-bar", "p-outline", "p-stripes"))
    assert (share(bar, "width"), share(outline, "width")) == (50, 50)
    assert (share(over, "x1"), share(over, "x2")) == (50, 66.67)
    assert drawn(svg).get("aria-label") == "1:20 of 1:00, over its share"
    within = plots.slide_bar(30, 60, 120)
    assert shapes(within, "p-stripes") == []
    assert drawn(within).get("aria-label") == "0:30 of 1:00"
    hidden = plots.slide_bar(30, 0, 120)  # of a hidden slide, which has no share
    assert shapes(hidden, "p-outline") == []
    assert drawn(hidden).get("aria-label") == "0:30"


def test_each_filler_and_hedge_has_its_stroke_in_its_lane() -> None:
    said = said_in(
        [
            Segment("We, um, are all here and the plan is what you have read about before.", 0, 30),
            Segment("Um, and perhaps it will, um, be done in spring, and maybe it will cost less.", 30, 60),
        ]
    )
    assert said is not None
    svg = plots.marks(said, 60)
    lanes = [stroke.get("y2") for stroke in shapes(svg, "p-mark")]
    assert lanes.count("34") == sum(one.mark.kind == "filler" for one in said) == 3
    assert lanes.count("84") == sum(one.mark.kind == "hedge" for one in said) == 2
    assert "3 fillers and 2 hedges" in svg


def test_who_spoke_is_told_in_figures_and_by_three_patterns() -> None:
    svg = plots.talk(374, 110, 11)
    assert texts(svg) == ["Presenting", "6:14", "Answering", "1:50", "Other voices", "0:11"]
    assert [len(shapes(svg, name)) for name in ("p-bar", "p-stripes", "p-outline")] == [1, 1, 1]


@given(st.lists(st.integers(0, 900), min_size=1, max_size=200), st.booleans())
def test_every_pace_stays_inside_its_drawing(figures: list[int], has_band: bool) -> None:
    svg = plots.pace(minutes(*figures), has_band=has_band)
    for one in drawn(svg).iter():
        for name in ("x", "x1", "x2", "cx"):
            if one.get(name):
                assert 0 <= share(one, name) <= 100
        for name in ("y", "y1", "y2", "cy"):
            assert 0 <= float(one.get(name) or 0) <= 160


@given(st.floats(0, 1e6), st.floats(0, 1e6), st.floats(0, 1e6))
def test_no_bar_is_longer_than_the_whole_width(presenting: float, answering: float, others: float) -> None:
    longest = max(presenting, answering)
    for svg in (plots.talk(presenting, answering, others), plots.slide_bar(presenting, answering, longest)):
        for one in drawn(svg).iter():
            assert share(one, "width") <= 100 if one.get("class") in ("p-bar", "p-outline") else True
