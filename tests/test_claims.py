"""Claims of decks and of speech: what counts as one, of which kind, and where it stands."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orchestrator.claims.extract import deck_claims, speech_claims
from orchestrator.claims.language import language_of
from orchestrator.claims.model import CLAIM_KINDS
from orchestrator.claims.sentences import sentences
from orchestrator.deck.model import Chart, Deck, Series, Slide, Table
from orchestrator.deck.read import read_deck
from orchestrator.deck.texts import slide_texts
from orchestrator.speech.model import Segment


def deck(*slides: Slide) -> Deck:
    return Deck("md", "deck.md", "0" * 64, "A deck", slides)


def kinds(*lines: str, title: str = "Where we stand") -> dict[str, tuple[str, ...]]:
    return {claim.text: claim.kinds for claim in deck_claims(deck(Slide(1, title, lines)))}


def said(text: str) -> dict[str, tuple[str, ...]]:
    return {claim.text: claim.kinds for claim in speech_claims(Segment(text, 1.0, 5.0), 1)}


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("We ask for EUR 1.8M", ("money",)),
        ("Total revenue was 196.4 million", ("money",)),
        ("94% of passengers would recommend us", ("percent",)),
        ("40% of revenue comes from our largest customer", ("share", "percent")),
        ("Revenue grew 18% to EUR 4.2M", ("growth", "money")),
        ("Scale of use continues to grow", ("growth",)),
        ("Installation takes 3 days", ("duration",)),
        ("We serve 140 customers", ("count",)),
        ("Two outside contributors", ("count",)),
        ("5x faster than the previous model", ("comparison",)),
        ("The perimeter model has become less effective", ("comparison",)),
        ("The only platform that predicts failure", ("superlative",)),
        ("We are a leading ferry operator", ("superlative",)),
        ("99.95% uptime guaranteed", ("percent", "promise")),
        ("There is no cost to the projects", ("promise",)),
        ("Improved security", ("promise",)),
        ("Eliminate hosting costs for on-prem licences", ("promise",)),
        ("Static analysis added, dynamic analysis still needed", ("promise", "future", "date")),
        ("We will double the fleet by 2028", ("promise", "future", "date")),
        ("The market is expected to reach $8bn", ("money", "future")),
        ("Churn fell because of the new timetable", ("growth", "causal")),
        ("Single sign-on reduces friction for the artist", ("promise", "causal")),
        ("Saltmere will break even in its second year", ("promise", "future")),
        ("The boat pays for itself within 4 years", ("promise", "duration")),
        ("If we wait, a competitor will take the berth", ("future",)),
        ("There is nothing else like it in our region", ("superlative",)),
        ("Our option on the berth ends on 31 March 2027", ("date",)),
        ("In the last twelve months churn was 6%", ("percent",)),
        ("Website to be updated by January 27, 2027", ("promise", "future", "date")),
        ("June 14, 2027: rehearsal for all project teams", ("promise", "future", "date")),
    ],
)
def test_kinds_of_a_line_the_most_telling_first(line: str, expected: tuple[str, ...]) -> None:
    assert kinds(line) == {line: expected}


@pytest.mark.parametrize(
    "line",
    [
        "What is the reason for the move?",
        "© 2023 Example Ltd. All rights reserved",
        "Licensed under Apache License 2.0",
        "Contact: jane@example.org",
        "Code: https://example.org/repo",
        "For more information see our site",
        "A README file must be there",
        "The maintainers will have the access to groups",
        "French grid, 7k+ buses",
        "License MPL-2.0",
        "OpenChain 2.1 (ISO/IEC 5230:2020)",
        "We have met on June 26 and it was published",
        "Thank you",
        "Our financial year ends on 30 September",
        "A word for the two new members of this board",
        "trainer.train(n_epochs=10)",
    ],
)
def test_what_claims_nothing(line: str) -> None:
    assert kinds(line) == {}


def test_what_is_to_come_is_not_asked_about_as_if_it_had_been_measured() -> None:
    assert kinds("We will cut churn by 20% by 2028") == {
        "We will cut churn by 20% by 2028": ("promise", "future", "date")
    }


def test_a_line_under_a_heading_of_plans_is_a_promise() -> None:
    assert kinds("Publish a position paper") == {}
    assert kinds("Publish a position paper", title="Q2 plans") == {
        "Publish a position paper": ("promise", "future", "date")
    }


def test_on_a_slide_of_criteria_only_what_was_filled_in_counts() -> None:
    lines = ("At least five members of the committee", "Growth in committers (29 unique committers)")
    assert list(kinds(*lines, title="Review criteria")) == ["Growth in committers (29 unique committers)"]


def test_ids_places_and_origins() -> None:
    table = Table(
        (("Use", "2026", "2027 plan"), ("Boats (EUR)", "1,400,000", "900,000"), ("Crew", "31", "49"))
    )
    slides = (
        Slide(1, "Revenue grew 18% in 2026", ("Churn is 2% per month. We save 30% on fuel.",)),
        Slide(2, "Hidden", ("We will double revenue",), hidden=True),
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


def test_a_cell_takes_its_subject_from_the_row_and_its_period_from_the_column() -> None:
    table = Table((("Line", "2026", "2027 plan"), ("Revenue ($M)", "2.9", "4.2"), ("Churn", "2.1%", "-")))
    claims = deck_claims(deck(Slide(1, "Budget", tables=(table,))))
    quantities = [(q.value, q.unit, q.period, q.subject, q.text) for c in claims for q in c.quantities]
    assert quantities == [
        (2.9e6, "USD", "2026", "Revenue ($M)", "2.9"),
        (4.2e6, "USD", "2027", "Revenue ($M)", "4.2"),
        (2.1, "%", "2026", "Churn", "2.1%"),
    ]


def test_a_chart_claims_from_its_first_to_its_last_value() -> None:
    chart = Chart("line", "", ("2025", "2026"), (Series("Passengers", (180.0, None, 212.0)),))
    (claim,) = deck_claims(deck(Slide(1, "Growth", charts=(chart,))))
    assert (claim.text, claim.kinds) == ("Passengers", ("growth",))
    assert [(q.value, q.period) for q in claim.quantities] == [(180.0, "2025"), (212.0, None)]


def test_a_sentence_on_several_slides_is_claimed_once_and_a_footer_never() -> None:
    slides = [Slide(n, f"Slide {n}", ("We save 30% on fuel",) if n < 3 else (), ()) for n in range(1, 4)]
    assert [claim.id for claim in deck_claims(deck(*slides))] == ["d1.1"]
    footers = [Slide(n, f"Slide {n}", ("We save 30% on fuel",)) for n in range(1, 4)]
    assert deck_claims(deck(*footers)) == ()


def test_speech_is_numbered_by_segment_and_sentence() -> None:
    text = "Good morning. We grew twelve percent last year. Churn is 2%, and that's low."
    claims = speech_claims(Segment(text, 12.4, 17.9, "Ines", slide=3), 17)
    found = [(c.id, c.text, c.slide, c.said_at_s, c.speaker, c.origin) for c in claims]
    assert found == [
        ("s17.1", "We grew twelve percent last year", 3, 12.4, "Ines", "speech"),
        ("s17.2", "Churn is 2%, and that's low", 3, 12.4, "Ines", "speech"),
    ]
    assert claims[0].quantities[0].value == 12


@pytest.mark.parametrize(
    "text",
    [
        "I will now turn the call over to our chair.",
        "We will take your questions at the end of the session.",
        "Let me walk you through the next slide, please.",
        "We'll call this approach the second one.",
        "Is it the best one of them all?",
        "Twenty nine percent.",
    ],
)
def test_speech_that_leads_through_the_talk_claims_nothing(text: str) -> None:
    assert said(text) == {}


def test_a_sentence_that_a_segment_cuts_off_is_a_claim_only_with_a_number() -> None:
    assert said("of cash. We will invest in areas that") == {}
    assert list(said("of our sale, finishing the quarter with 350 million of cash, a part of which")) == [
        "of our sale, finishing the quarter with 350 million of cash, a part of which"
    ]


def test_in_another_language_only_digits_are_read() -> None:
    german = deck(Slide(1, "Die Lage", ("Der Umsatz stieg um 20 % und wir sind die Besten in der Branche",)))
    assert [(c.text, c.kinds) for c in deck_claims(german)] == [
        ("Der Umsatz stieg um 20 % und wir sind die Besten in der Branche", ("percent",))
    ]
    assert deck_claims(deck(Slide(1, "Die Lage", ("Wir sind mit Abstand die Besten in der Branche",)))) == ()


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
    ": — - which 1. 2) • guaranteed compared than up to no cost must ? © n=3 Dr. e.g. |"
)
TEXTS = st.text(max_size=200) | st.lists(st.sampled_from(WORDS.split(" ")), max_size=40).map(" ".join)


@given(TEXTS, TEXTS, TEXTS)
def test_every_claim_is_verbatim_on_its_slide(title: str, line: str, cell: str) -> None:
    table = Table((("Line", "2026"), (cell[:20], cell)))
    slide = Slide(1, title, (line,), (table,), (Chart("bar", title, (), (Series(cell, (1.0, None, 2.0)),)),))
    pieces = {(origin, text) for origin, text in slide_texts(slide)}
    claims = deck_claims(deck(slide))
    assert [claim.id for claim in claims] == [f"d1.{n}" for n in range(1, len(claims) + 1)]
    for claim in claims:
        assert any(origin == claim.origin and claim.text in text for origin, text in pieces)
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
    "aswf_atlassian_migration_2024.pdf": 20,
    "aswf_zerotrust_wg_2024.pdf": 6,
    "ccc_grc_sig_q1_2023.pptx": 6,
    "lfe_opendsm_2026.pptx": 7,
    "lfe_trolie_2023.pdf": 9,
}


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(REAL_DECKS))
def test_real_decks_hold_claims(shared: Path, name: str) -> None:
    found = read_deck(shared / "decks" / name)
    claims = deck_claims(found)
    assert len(claims) >= REAL_DECKS[name]
    for claim in claims:
        assert claim.slide is not None
        assert any(claim.text in text for _, text in slide_texts(found.slides[claim.slide - 1]))


@pytest.mark.slow
@pytest.mark.parametrize("name", ["lfe_annual_review_template.pptx", "openchain_onboarding_de.pptx"])
def test_real_decks_without_claims_have_none(shared: Path, name: str) -> None:
    assert deck_claims(read_deck(shared / "decks" / name)) == ()
