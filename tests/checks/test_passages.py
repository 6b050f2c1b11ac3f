"""Passages: every stretch that can be quoted, verbatim, with an id that stays."""

from __future__ import annotations

from orchestrator.material.checks.grounding import deck_passages, grounded, speech_passages
from orchestrator.material.claim import Passage, Place
from orchestrator.material.values import Chart, Deck, Segment, Series, Slide, Table

SERIES = (Series("Power", (4.2, None)), Series("Share", (0.25, 0.3), percent=True))
SLIDE = Slide(
    3,
    "Costs fall",
    ("Why", "- Power", "", "page 3"),
    (Table((("", "2025", "2026"), ("Power", "4.2", ""))),),
    (Chart("column", "EUR m", ("2025", "2026"), SERIES),),
    "First note\n\nSecond note",
    ("A crane",),
    parents=(None, 0, None, None),
    furniture=(3,),
)


def test_all_that_is_asserted_on_a_slide_is_a_passage() -> None:
    found = deck_passages(Deck("md", "d.md", "0" * 64, "", (SLIDE, Slide(4, "Gone", hidden=True))))
    assert [(one.id, one.text, one.origin, one.under) for one in found] == [
        ("d3.title", "Costs fall", "title", ""),
        ("d3.l1", "Why", "line", ""),
        ("d3.l2", "- Power", "line", "Why"),
        ("d3.t1.r1.c2", "2025", "table", ""),
        ("d3.t1.r1.c3", "2026", "table", ""),
        ("d3.t1.r2.c1", "Power", "table", ""),
        ("d3.t1.r2.c2", "4.2", "table", "Power / 2025"),
        ("d3.c1.title", "EUR m", "chart", ""),
        ("d3.c1.k1", "2025", "chart", "EUR m"),
        ("d3.c1.k2", "2026", "chart", "EUR m"),
        ("d3.c1.s1", "Power", "chart", "EUR m"),
        ("d3.c1.s1.v1", "Power 2025: 4.2", "chart", "EUR m"),
        ("d3.c1.s2", "Share", "chart", "EUR m"),
        ("d3.c1.s2.v1", "Share 2025: 25 %", "chart", "EUR m"),
        ("d3.c1.s2.v2", "Share 2026: 30 %", "chart", "EUR m"),
        ("d3.n1", "First note", "notes", ""),
        ("d3.n3", "Second note", "notes", ""),
        ("d3.a1", "A crane", "alt", ""),
    ]
    assert {(one.slide, one.said_at_s) for one in found} == {(3, None)}


def test_speech_is_numbered_as_in_the_transcript() -> None:
    segments = [Segment("One", 1.0, 2.0, slide=2), Segment(" ", 2.0, 3.0), Segment("Three", 3.0, 4.0)]
    assert speech_passages(segments, 17) == (
        Passage("s17", "One", 2, 1.0, "speech"),
        Passage("s19", "Three", None, 3.0, "speech"),
    )


def test_words_stand_among_all_that_was_said_at_one_time() -> None:
    """At the end of a recording the clock stands still, so every answer there has the same time."""
    answers = [Segment(f"This is answer {number}.", 60.0, 60.0, "Ana", 3) for number in range(1, 8)]
    said = speech_passages((Segment("Answer 9 came first.", 1.0, 2.0, "Ana", 3), *answers))
    for quote, found in (("answer 7", True), ("answer 9", False)):
        place = Place(None, 60.0, quote)
        assert grounded(place, said) == (place if found else None)
