"""Growth that does not follow from its endpoints, and growth that does."""

from __future__ import annotations

import pytest

from orchestrator.checks.find import index_of, tensions, tensions_of_segment
from orchestrator.claims.model import Tension
from orchestrator.deck.model import Chart, Deck, Series, Slide, Table
from orchestrator.speech.model import Segment


def found(*slides: Slide) -> list[Tension]:
    """The growth tensions of a deck of these slides."""
    return [t for t in tensions(Deck("md", "d", "", "", slides), ()) if t.kind == "growth"]


WRONG = [
    "Revenue grew 40% from €3.0 million to €3.6 million",
    "Capital expenditure dropped from USD 12 M in 2025 to $11 M in 2026, down 24 percent",
    "Operating costs: USD 1.2m (2024) to $1,530,000 (2025), an increase of 38 %",
    "Revenue doubled from €3.0 million to €4.1 million",
]
RIGHT = [
    "Revenue grew 20% from €3.0 million to €3.6 million",
    "Revenue grew about 20% from €3.0 million to €3.7 million",
    "Revenue nearly doubled from €2.2 million to €4.1 million",
    "Churn fell from 8% to 6%, down 2 points",
    "Revenue rose from €3.0 million to €3.6 million",
    "Revenue will grow 40%, and costs fall from €3.0 million to €2.6 million",
]


@pytest.mark.parametrize("line", WRONG)
def test_one_sentence_that_contradicts_itself(line: str) -> None:
    (tension,) = found(Slide(1, "", (line,)))
    assert tension.a.quote == tension.b.quote == line


@pytest.mark.parametrize("line", RIGHT)
def test_one_sentence_that_adds_up(line: str) -> None:
    assert found(Slide(1, "", (line,))) == []


LEVELS = (Slide(2, "", ("Revenue 2025: €22.6 million",)), Slide(3, "", ("Revenue 2026: €31.2 million",)))


@pytest.mark.parametrize(
    ("claim", "wrong"),
    [
        ("Revenue grew 38%", False),
        ("Revenue grew 60%", True),
        ("Revenue grew 60% in 2026", True),
        ("Revenue grew 60% in 2019", False),
        ("We expect revenue to grow 60%", False),
        ("Revenue in Germany grew 60%", False),
        ("The market grew 60%", False),
    ],
)
def test_growth_is_held_against_the_levels_of_other_slides(claim: str, wrong: bool) -> None:
    tensions_ = found(Slide(1, "", (claim,)), *LEVELS)
    assert [(t.a.quote, t.b.slide) for t in tensions_] == ([(claim, 3)] if wrong else [])


def test_growth_is_held_against_a_table() -> None:
    table = Table((("EUR million", "2025", "2026"), ("Revenue", "22.6", "31.2")))
    assert found(Slide(1, "", ("Revenue grew 38%",)), Slide(2, "Figures", (), (table,))) == []
    (tension,) = found(Slide(1, "", ("Revenue grew 55%",)), Slide(2, "Figures", (), (table,)))
    assert (tension.b.slide, tension.b.quote) == (2, "31.2")
    assert "+38.1%" in tension.note


def test_growth_is_held_against_a_chart() -> None:
    chart = Chart(
        "bar", "Revenue, EUR million", ("2024", "2025", "2026"), (Series("Revenue", (20.0, 22.6, 31.2)),)
    )
    slides = Slide(1, "", ("Revenue grew 55% in 2026",)), Slide(2, "", charts=(chart,))
    (tension,) = found(*slides)
    assert tension.b.slide == 2


def test_growth_over_several_years_may_be_a_rate_a_year() -> None:
    table = Table((("EUR million", "2021", "2025"), ("Revenue", "12.0", "24.9")))
    assert found(Slide(1, "", ("Revenue CAGR 2021–2025: 20%",)), Slide(2, "F", (), (table,))) == []
    assert len(found(Slide(1, "", ("Revenue CAGR 2021–2025: 27%",)), Slide(2, "F", (), (table,)))) == 1


def test_growth_said_aloud_is_held_against_the_deck() -> None:
    index = index_of(Deck("md", "d", "", "", LEVELS), ())
    wrong = Segment("Revenue grew by sixty percent in twenty twenty-six.", 5.0, 9.0)
    assert [t.kind for t in tensions_of_segment(index, wrong)] == ["growth"]
    right = Segment("Revenue grew by nearly forty percent.", 5.0, 9.0)
    assert tensions_of_segment(index, right) == ()
