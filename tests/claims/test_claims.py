"""Claims of decks and of speech: each line, sentence or cell with a number or a date, and its place."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orchestrator.material.claim import CLAIM_KINDS
from orchestrator.material.claims.extract import deck_claims, speech_claims
from orchestrator.material.claims.language import language_of
from orchestrator.material.claims.sentences import sentences
from orchestrator.material.deck.lines import slide_texts
from orchestrator.material.deck.read import read_deck, read_deck_text
from orchestrator.material.values import Chart, Deck, Segment, Series, Slide, Table

Measured = tuple[str, float, str | None, str | None, str | None]


def deck(*slides: Slide) -> Deck:
    return Deck("md", "deck.md", "0" * 64, "A deck", slides)


def measured(line: str) -> list[Measured]:
    claims = deck_claims(deck(Slide(1, "Where we stand", (line,))))
    return [(q.text, q.value, q.unit, q.period, q.subject) for claim in claims for q in claim.quantities]


@pytest.mark.parametrize(
    ("line", "kinds"),
    [
        ("We ask for EUR 1.8M", ("money",)),
        ("94% of passengers would recommend us", ("percent",)),
        ("Revenue grew 18% to EUR 4.2M", ("money", "percent")),
        ("Installation takes 3 days", ("duration",)),
        ("We serve 140 customers", ("count",)),
        ("Margins improved by 2 percentage points", ("percent",)),
        ("Our option on the berth ends on 31 March 2027", ("date",)),
        ("Twelve pilots by June 2027 for €40k in nine weeks", ("money", "count", "duration", "date")),
    ],
)
def test_the_kinds_of_a_claim_are_those_of_its_numbers(line: str, kinds: tuple[str, ...]) -> None:
    (claim,) = deck_claims(deck(Slide(1, "Where we stand", (line,))))
    assert (claim.text, claim.kinds) == (line, kinds)


@pytest.mark.parametrize(
    "line",
    [
        "Will churn be below 5 % next year?",
        "We are the best in our industry and everybody knows it",
        "45",
        "Annual report 2025",
        "Slide 7",
        "Phase 2",
        "ISO 27001 and SOC 2 in place for all of our sites",
        "Call +49 30 1234567",
        "Licensed under CC BY 4.0",
        "",
    ],
)
def test_a_line_that_measures_nothing_is_no_claim(line: str) -> None:
    assert deck_claims(deck(Slide(1, "Where we stand", (line,)))) == ()


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("Gross margin: 64%", [("64%", 64, "%", None, "Gross margin")]),
        ("Churn is 2.1% per month", [("2.1%", 2.1, "%", "per month", "Churn")]),
        (
            "Revenue grew 20% to $4.2M in Q3 2026",
            [("20%", 20, "%", None, "Revenue grew"), ("$4.2M", 4.2e6, "USD", "Q3 2026", None)],
        ),
        (
            "€4 million in February 2027, €2.4 million in September 2027",
            [
                ("€4 million", 4e6, "EUR", "February 2027", None),
                ("€2.4 million", 2.4e6, "EUR", "September 2027", None),
            ],
        ),
        ("We won 29 new members", [("29", 29, "members", None, "members")]),
        ("We pay 49 EUR/month", [("49 EUR", 49, "EUR", "/month", "pay")]),
    ],
)
def test_a_quantity_has_the_time_and_the_words_beside_it(line: str, expected: list[Measured]) -> None:
    assert measured(line) == expected


def test_ids_places_and_origins() -> None:
    table = Table(
        (("Use", "2026", "2027 plan"), ("Boats (EUR)", "1,400,000", "900,000"), ("Crew", "31", "49"))
    )
    slides = (
        Slide(1, "Revenue grew 18% in 2026", ("Churn is 2% per month. We save 30% on fuel.",)),
        Slide(2, "Hidden", ("We will double revenue to €3m",), hidden=True),
        Slide(3, "The ask", notes="We will never pay back 5%", alt_texts=("A rise of 40%",), tables=(table,)),
        Slide(4, "Growth", charts=(Chart("line", "Passengers by year", ("2025", "2026"),
                                         (Series("Passengers", (180.0, 212.0)),)),)),
    )  # fmt: skip
    found = [(c.id, c.slide, c.said_at_s, c.origin, c.text) for c in deck_claims(deck(*slides))]
    assert found == [
        ("d1.1", 1, None, "title", "Revenue grew 18% in 2026"),
        ("d1.2", 1, None, "line", "Churn is 2% per month"),
        ("d1.3", 1, None, "line", "We save 30% on fuel"),
        ("d3.1", 3, None, "table", "1,400,000"),
        ("d3.2", 3, None, "table", "900,000"),
        ("d3.3", 3, None, "table", "31"),
        ("d3.4", 3, None, "table", "49"),
        ("d4.1", 4, None, "chart", "Passengers by year"),
    ]


def test_a_cell_takes_its_subject_from_the_row_and_period_and_unit_from_the_heading() -> None:
    table = Table(
        (
            ("Line", "2026", "2027 plan (EUR thousand)"),
            ("Revenue ($M)", "2.9", "4,200"),
            ("Churn", "2.1%", "-"),
            ("Loss", "(12)", "n/a"),
        )
    )
    claims = deck_claims(deck(Slide(1, "Budget", tables=(table,))))
    assert [(q.value, q.unit, q.period, q.subject, q.text) for c in claims for q in c.quantities] == [
        (2.9e6, "USD", "2026", "Revenue ($M)", "2.9"),
        (4.2e6, "EUR", "2027", "Revenue ($M)", "4,200"),
        (2.1, "%", "2026", "Churn", "2.1%"),
        (-12.0, None, "2026", "Loss", "(12)"),
    ]


def test_a_cell_takes_money_from_its_heading_or_the_corner_and_no_percent_of_a_figure() -> None:
    cases = Table((("Case", "NPV €m", "IRR"), ("EBITDA 20% lower", "5.8", "14%")))
    years = Table((("€m", "2027 (H2)", "2028"), ("Trays (m)", "7.9", "58.6"), ("Revenue", "1.1", "8.2")))
    claims = deck_claims(deck(Slide(1, "Line 4", tables=(cases, years))))
    assert [(one.text, one.quantities[0].value, one.quantities[0].unit) for one in claims] == [
        ("5.8", 5_800_000, "EUR"),
        ("14%", 14, "%"),
        ("7.9", 7.9, None),
        ("58.6", 58.6, None),
        ("1.1", 1_100_000, "EUR"),
        ("8.2", 8_200_000, "EUR"),
    ]


def test_a_chart_claims_from_its_first_to_its_last_value() -> None:
    chart = Chart("line", "", ("2025", "2026", "2027"), (Series("Passengers", (180.0, None, 212.0)),))
    (claim,) = deck_claims(deck(Slide(1, "Growth", charts=(chart,))))
    assert (claim.text, claim.kinds) == ("Passengers", ("count",))
    assert [(q.value, q.period) for q in claim.quantities] == [(180.0, "2025"), (212.0, "2027")]


def test_a_sentence_on_several_slides_is_claimed_once_and_furniture_never() -> None:
    slides = [Slide(n, f"Slide {n}", ("We save 30% on fuel",)) for n in range(1, 4)]
    assert [claim.id for claim in deck_claims(deck(*slides))] == ["d1.1"]
    marked = [Slide(n, f"Slide {n}", ("We save 30% on fuel",), furniture=(0,)) for n in range(1, 4)]
    assert deck_claims(deck(*marked)) == ()


def test_speech_is_numbered_by_segment_and_sentence() -> None:
    text = "Good morning. We grew twelve percent last year. Twenty nine percent. Churn is 2%, and that's low."
    claims = speech_claims(Segment(text, 12.4, 17.9, "Ines", slide=3), 17)
    assert [(c.id, c.text, c.slide, c.said_at_s, c.speaker, c.origin) for c in claims] == [
        ("s17.1", "We grew twelve percent last year", 3, 12.4, "Ines", "speech"),
        ("s17.2", "Churn is 2%, and that's low", 3, 12.4, "Ines", "speech"),
    ]
    assert [claim.quantities[0].value for claim in claims] == [12.0, 2.0]


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("Revenue of the company was higher than in the year before", "en"),
        ("Die Zahlen sind gut und wir sind zufrieden", "de"),
        ("Les revenus sont en hausse pour la société", "fr"),
        ("Das ist 5 %", "de"),
        ("Управління контактами та їх валідація", "uk"),
        ("オープンソースのライセンス適合", "ja"),
        ("Revenue 20%", "und"),
        ("", "und"),
    ],
)
def test_language(text: str, language: str) -> None:
    assert language_of(text) == language


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("We raised $2.3M. Next, e.g. Dr. Roe and J. Doe of Acme Inc. agree. Done!", [
            "We raised $2.3M.", "Next, e.g. Dr. Roe and J. Doe of Acme Inc. agree.", "Done!"]),
        ("• First point\t", ["First point"]),
        ("1. Normalizer. Robust handling.", ["Normalizer.", "Robust handling."]),
        ("It costs 3.5. That is all", ["It costs 3.5.", "That is all"]),
        ("Really? Yes.", ["Really?", "Yes."]),
        ("", []),
    ],
)  # fmt: skip
def test_sentences(text: str, expected: list[str]) -> None:
    assert [text[start:end] for start, end in sentences(text)] == expected


WORDS = (
    "we will double revenue by 20% in Q3 the best because of customers $4.2M million forty two ( ) , . ; "
    ": — - which 1. 2) • guaranteed compared than up to no cost must ? © n=3 Dr. e.g. | 2026 a month"
)
TEXTS = st.text(max_size=200) | st.lists(st.sampled_from(WORDS.split(" ")), max_size=40).map(" ".join)


@given(TEXTS, TEXTS, TEXTS)
def test_every_claim_is_verbatim_on_its_slide(title: str, line: str, cell: str) -> None:
    table = Table((("Line", "2026"), (cell[:20], cell)))
    slide = Slide(1, title, (line,), (table,), (Chart("bar", title, (), (Series(cell, (1.0, None, 2.0)),)),))
    pieces = slide_texts(slide)
    claims = deck_claims(deck(slide))
    assert [claim.id for claim in claims] == [f"d1.{n}" for n in range(1, len(claims) + 1)]
    for claim in claims:
        assert any(piece[0] == claim.origin and claim.text in piece[1] for piece in pieces)
        assert claim.kinds
        assert set(claim.kinds) <= set(CLAIM_KINDS)
        if claim.origin != "chart":
            assert all(quantity.text in claim.text for quantity in claim.quantities)


@given(TEXTS)
def test_every_claim_is_verbatim_in_its_segment(text: str) -> None:
    for claim in speech_claims(Segment(text, 0.0, 1.0), 3):
        assert claim.text
        assert claim.text in text


# What was counted when each of these decks was read beside its claims; a change here is to be read again.
REAL_DECKS = {
    "aswf_atlassian_migration_2024.pdf": 7,
    "ccc_grc_sig_q1_2023.pptx": 5,
    "lfe_opendsm_2026.pptx": 9,
    "lfe_trolie_2023.pdf": 2,
    "openchain_onboarding_de.pptx": 0,
}


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(REAL_DECKS))
def test_real_decks_hold_these_many_claims_and_each_is_on_its_slide(shared: Path, name: str) -> None:
    found = read_deck(shared / "decks" / name)
    claims = deck_claims(found)
    assert len(claims) == REAL_DECKS[name]
    for claim in claims:
        assert claim.slide is not None
        assert any(claim.text in piece[1] for piece in slide_texts(found.slides[claim.slide - 1]))


@pytest.mark.parametrize("line", ["Zero Trust for every vendor's tools", "All of it works with one approach"])
def test_a_nought_or_a_one_in_letters_without_a_unit_is_a_word(line: str) -> None:
    assert deck_claims(read_deck_text(f"# Tools\n\n- {line}\n")) == ()
