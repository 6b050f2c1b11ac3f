"""The board dossier: what will be attacked, by whom, and how to prepare; with and without a session."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from orchestrator import Home, Session
from orchestrator.claims.extract import deck_claims
from orchestrator.claims.model import Place, Tension
from orchestrator.deck.content import find_gaps, slide_texts
from orchestrator.deck.model import Deck
from orchestrator.deck.read import read_deck, read_deck_text
from orchestrator.dossier.build import build_dossier
from orchestrator.dossier.model import BoardMember, Dossier
from orchestrator.dossier.page import dossier_json, dossier_page
from orchestrator.dossier.text import WIDTH, dossier_text
from orchestrator.intel.model import IntelItem
from orchestrator.persona import Seat
from orchestrator.rehearsal import read_seats
from orchestrator.values import from_json
from tests.rehearsals import greenroom, greenroom_json

ROOT = Path(__file__).resolve().parents[1]

DECK = """---
title: Estuary Ferries, plan for 2027
---
# Where we stand

- Revenue grew 18% in 2026
- We are the leading ferry operator on the estuary
- Revenue was EUR 3.6 million in 2025

<!-- notes: If they ask: EUR 4.2 million in the audited accounts. -->

---
# What we promise

- Guaranteed savings of EUR 200,000 a year
- We will improve the timetable

---
# The ask

- We ask for EUR 1.8 million for two electric boats
"""

BOARD = (
    BoardMember("Ines Example", "treasurer", interests=("fuel prices",)),
    BoardMember("Otto Example", "general counsel"),
    BoardMember("Vera Example", "member", interests=("timetable",)),
    BoardMember("Karl Example"),
)


@pytest.fixture(scope="module")
def deck() -> Deck:
    return read_deck_text(DECK)


@pytest.fixture(scope="module")
def seats() -> list[Seat]:
    """The panel of the checkout."""
    home = Home.open(ROOT / "agents")
    layout = home.layout(None)
    read = read_seats(home.read_templates(layout), layout.agents)
    return [read[agent] for agent in layout.panel]


def dossier_of(deck: Deck, seats: Sequence[Seat] = (), **more: object) -> Dossier:
    return build_dossier(deck, deck_claims(deck), find_gaps(deck), seats, **more)  # type: ignore[arg-type]  # the keywords of build_dossier


PAGE = """\
# Board dossier

Estuary Ferries, plan for 2027: 3 slides, 6 claims. Made by rules from the deck's words, figures \
and charts: a reason to prepare, not a forecast.

## Likely attacks

### 1. Slide 3, claim d3.1

> We ask for EUR 1.8 million for two electric boats

- Vulnerable: the sum that is asked for: what a smaller one would buy is not said
- Likely from Ines Example (treasurer): looks at money
- A good answer: what each part buys, what comes back and when, and what you would do with half
- Bring: the offers behind each line of the sum, and the same plan at half of it

### 2. Slide 2, claim d2.2

> We will improve the timetable

- Vulnerable: no figure: from what to what is not said; no date; no owner
- Likely from Vera Example (member): interest in "timetable"
- Likely from Otto Example (general counsel): looks at promises and what was signed
- A good answer: how much, in figures, with the unit; the day on which it is due, and what \
happens if it slips; the one person who answers for it
- Bring: the plan with one name, the next milestone, and what it waits for

### 3. Slide 1, claim d1.2

> We are the leading ferry operator on the estuary

- Vulnerable: ranks itself ("the leading") and names no list, measure or rival
- A good answer: who drew up the list, by which measure, and who comes second
- Bring: the comparison itself: who, by which measure, by whom, when

### 4. Slide 2, claim d2.1

> Guaranteed savings of EUR 200,000 a year

- Vulnerable: a promise without a limit ("Guaranteed")
- Likely from Ines Example (treasurer): looks at money
- Likely from Otto Example (general counsel): looks at promises and what was signed
- A good answer: who pays how much when it fails, and what is excluded
- Bring: the clause that says who pays, how much, and what is excluded; the budget line before \
and after, and who gives it up

### 5. Slide 1, claim d1.1

> Revenue grew 18% in 2026

- Vulnerable: no starting figure; no source on the slide
- Likely from Ines Example (treasurer): looks at money
- A good answer: the figure before and the figure after, not only "18%"; who measured it, in \
which record, on which day
- Bring: the accounts of both periods, side by side
- The deck has: notes to slide 1: "If they ask: EUR 4.2 million in the audited accounts."

## The board

### Ines Example, treasurer

- Slide 2, claim d2.1: "Guaranteed savings of EUR 200,000 a year"
  - Because: looks at money
  - Open: a promise without a limit ("Guaranteed")
- Slide 1, claim d1.1: "Revenue grew 18% in 2026"
  - Because: looks at money
  - Open: no starting figure
- Slide 3, claim d3.1: "We ask for EUR 1.8 million for two electric boats"
  - Because: looks at money
  - Open: the sum that is asked for: what a smaller one would buy is not said
- Will miss: No slide speaks of "fuel prices".

### Otto Example, general counsel

- Slide 2, claim d2.1: "Guaranteed savings of EUR 200,000 a year"
  - Because: looks at promises and what was signed
  - Open: a promise without a limit ("Guaranteed")
- Slide 2, claim d2.2: "We will improve the timetable"
  - Because: looks at promises and what was signed
  - Open: no figure: from what to what is not said

### Vera Example, member

- Slide 2, claim d2.2: "We will improve the timetable"
  - Because: interest in "timetable"
  - Open: no figure: from what to what is not said

### Karl Example

- No claim of the deck meets what is known of this person.

## Weak slides

- Slide 2 ("What we promise"): 1 claim without a figure; 1 claim promised without a limit; 1 \
claim without a date
- Slide 1 ("Where we stand"): 1 claim without a starting figure; 1 claim ranked without a ranking
"""
TEXT = """\
Estuary Ferries, plan for 2027: 3 slides, 6 claims.
Made by rules from the deck's words, figures and charts: a reason to prepare, not a forecast.

LIKELY ATTACKS, AND HOW TO PREPARE

 1  Slide 3: "We ask for EUR 1.8 million for two electric boats"
    Weak    the sum that is asked for: what a smaller one would buy is not said
    Who     Ines Example (treasurer), looks at money
    Answer  what each part buys, what comes back and when, and what you would do with half
    Bring   the offers behind each line of the sum, and the same plan at half of it

 2  Slide 2: "We will improve the timetable"
    Weak    no figure: from what to what is not said; no date; no owner
    Who     Vera Example (member), interest in "timetable"; Otto Example (general counsel), looks at
            promises and what was signed
    Answer  how much, in figures, with the unit; the day on which it is due, and what happens if it
            slips; the one person who answers for it
    Bring   the plan with one name, the next milestone, and what it waits for

 3  Slide 1: "We are the leading ferry operator on the estuary"
    Weak    ranks itself ("the leading") and names no list, measure or rival
    Answer  who drew up the list, by which measure, and who comes second
    Bring   the comparison itself: who, by which measure, by whom, when

 4  Slide 2: "Guaranteed savings of EUR 200,000 a year"
    Weak    a promise without a limit ("Guaranteed")
    Who     Ines Example (treasurer), looks at money; Otto Example (general counsel), looks at
            promises and what was signed
    Answer  who pays how much when it fails, and what is excluded
    Bring   the clause that says who pays, how much, and what is excluded; the budget line before
            and after, and who gives it up

 5  Slide 1: "Revenue grew 18% in 2026"
    Weak    no starting figure; no source on the slide
    Who     Ines Example (treasurer), looks at money
    Answer  the figure before and the figure after, not only "18%"; who measured it, in which
            record, on which day
    Bring   the accounts of both periods, side by side
    Have    your notes to slide 1: "If they ask: EUR 4.2 million in the audited accounts."

YOUR BOARD
  Ines Example, treasurer
    * Slide 2: "Guaranteed savings of EUR 200,000 a year" (looks at money)
    * Slide 1: "Revenue grew 18% in 2026" (looks at money)
    * Slide 3: "We ask for EUR 1.8 million for two electric boats" (looks at money)
    * will miss: No slide speaks of "fuel prices".
  Otto Example, general counsel
    * Slide 2: "Guaranteed savings of EUR 200,000 a year" (looks at promises and what was signed)
    * Slide 2: "We will improve the timetable" (looks at promises and what was signed)
  Vera Example, member
    * Slide 2: "We will improve the timetable" (interest in "timetable")
  Karl Example
    * nothing in the deck meets what is known of this person

WEAK SLIDES
  * Slide 2 ("What we promise"): 1 claim without a figure; 1 claim promised without a limit; 1 claim
    without a date
  * Slide 1 ("Where we stand"): 1 claim without a starting figure; 1 claim ranked without a ranking"""
GERMAN = """\
Unsere Fähren: 1 slide, 1 claim.
Made by rules from the deck's words, figures and charts: a reason to prepare, not a forecast.

The deck reads as German. The rules are English, so only its digits, tables and charts were read;
promises, rankings and reasons in its words were not looked for.

In what could be read, nothing specific was found to attack."""


def test_the_page_and_the_terminal_whole(deck: Deck) -> None:
    found = dossier_of(deck, members=BOARD)
    assert dossier_page(found) == PAGE
    assert dossier_text(found) == TEXT


def test_without_a_board_the_panel_takes_its_place(deck: Deck, seats: list[Seat]) -> None:
    found = dossier_of(deck, seats)
    assert [(one.kind, one.agent) for one in found.profiles] == [("panel", seat.persona.id) for seat in seats]
    assert all(one.kind == "panel" for attack in found.attacks for one in attack.challengers)
    assert all(attack.challengers and attack.question.count("?") == 1 for attack in found.attacks)
    assert len({attack.question for attack in found.attacks}) == len(found.attacks)
    assert "No board was described, so the panel takes its place." in dossier_page(found)


def test_with_a_board_a_panelist_still_words_the_question(deck: Deck, seats: list[Seat]) -> None:
    found = dossier_of(deck, seats, members=BOARD)
    ask = next(attack for attack in found.attacks if attack.slide == 3)
    assert [(one.kind, one.why) for one in ask.challengers[:1]] == [("board", "looks at money")]
    assert ask.challengers[-1].kind == "panel"
    assert ask.question.endswith("?")


FERRY = "We are the leading ferry operator on the estuary"
GREW = "Revenue grew 18% in 2026"
SAVES = "Guaranteed savings of EUR 200,000 a year"
LAUNCH = "The new terminal will be launched by March 2027"
FASTER = "The new boats are faster than the old boats"


@pytest.mark.parametrize(
    ("member", "claim", "why"),
    [
        (BoardMember("A", "CFO"), GREW, "looks at money"),
        (BoardMember("A", "chief operating officer"), LAUNCH, "looks at dates and delivery"),
        (BoardMember("A", "company lawyer"), SAVES, "looks at promises and what was signed"),
        (BoardMember("A", "CTO"), FASTER, "looks at how it was measured"),
        (BoardMember("A", "sales"), FERRY, "looks at customers and rivals"),
        (BoardMember("A", interests=("ferry operators",)), FERRY, 'interest in "ferry operators"'),
        (BoardMember("A", background="ran a bank"), GREW, "background (ran a bank): money"),
    ],
)
def test_roles_interests_and_background_meet_claims(member: BoardMember, claim: str, why: str) -> None:
    found = dossier_of(read_deck_text(f"# Ferries\n\n- {claim}\n- The weather is mild\n"), members=[member])
    assert [(aim.quote, aim.why) for aim in found.profiles[0].aims] == [(claim, why)]


def test_a_contradiction_comes_first_and_only_once(deck: Deck) -> None:
    tension = Tension(
        "deck-vs-deck",
        Place(1, None, "Revenue grew 18% in 2026"),
        Place(1, None, "Revenue was EUR 3.6 million in 2025"),
        "The growth does not follow from its ends.",
    )
    found = dossier_of(deck, tensions=[tension])
    first = found.attacks[0]
    assert first.quote == "Revenue grew 18% in 2026"
    assert (
        first.weaknesses[0].note == "contradicted on the same slide: The growth does not follow from its ends"
    )
    assert first.answer[0] == "which of the two holds, and why the other one is there"
    assert "Revenue was EUR 3.6 million in 2025" not in [attack.quote for attack in found.attacks]
    assert (
        "## Where the deck contradicts itself\n\n- The growth does not follow from its ends.\n"
        in dossier_page(found)
    )
    spoken = Tension("speech-vs-deck", tension.a, Place(1, 3.0, "it grew 9%"), "The speech says otherwise.")
    assert dossier_of(deck, tensions=[spoken]) == dossier_of(deck)


def test_what_contradicts_from_outside_makes_a_claim_vulnerable(deck: Deck) -> None:
    item = IntelItem(
        "i1", "Revenue grew 3% in 2026.", "Revenue", "Register", "May 2027", "contradicts", "", "d1.1", 1,
        "Revenue grew 18% in 2026", "news.md",
    )  # fmt: skip
    first = dossier_of(deck, intel=[item]).attacks[0]
    assert (first.claim, first.weaknesses[0].kind) == ("d1.1", "intel")
    assert (
        first.weaknesses[0].note
        == 'contradicted from outside: "Revenue grew 3% in 2026." (Register, May 2027)'
    )
    assert "FROM OUTSIDE" in dossier_text(dossier_of(deck, intel=[item]))


def test_what_the_presenter_asked_to_look_at_weighs_more(deck: Deck) -> None:
    assert dossier_of(deck, focus=["savings"]).attacks[0].quote == "Guaranteed savings of EUR 200,000 a year"


def test_a_deck_of_another_language_is_told_so() -> None:
    deck = read_deck_text(
        "# Unsere Fähren\n\n- Wir sind die führende Reederei und werden auch im nächsten Jahr wachsen\n"
        "- Der Umsatz ist im Jahr 2026 auf 4,2 Mio. Euro gestiegen\n"
    )
    assert dossier_text(dossier_of(deck)) == GERMAN


def test_a_deck_that_says_nothing_is_told_so() -> None:
    found = dossier_of(read_deck_text("# Hello\n\n- Welcome to all of you\n"))
    assert dossier_page(found) == (
        "# Board dossier\n\nHello: 1 slide, 0 claims. Made by rules from the deck's words, figures and "
        "charts: a reason to prepare, not a forecast.\n\nNo board was described, so the panel takes its "
        "place.\n\nNo claim was found that rules can read, so nothing specific can be prepared here. That is "
        "no sign of strength: a board asks about what a deck leaves out.\n"
    )


def test_words_from_outside_stay_inside_their_lines(deck: Deck) -> None:
    member = BoardMember("Ines\n# Forged", "treasurer\n- x", "", ("fuel\n## prices",))
    lines = dossier_page(dossier_of(deck, members=[member])).split("\n")
    assert [line for line in lines if line.startswith("#") and "Forged" in line] == [
        "### Ines # Forged, treasurer - x"
    ]
    assert not [line for line in lines if line.startswith(("# F", "## p", "- x"))]


def test_every_real_deck_has_a_dossier_whose_quotes_are_verbatim(shared: Path, seats: list[Seat]) -> None:
    for path in sorted((shared / "decks").iterdir()):
        deck = read_deck(path)
        found = dossier_of(deck, seats, members=BOARD)
        texts = {slide.number: [text for _, text in slide_texts(slide)] for slide in deck.slides}
        for attack in found.attacks:
            assert any(attack.quote in text for text in texts[attack.slide or 0]), (path.name, attack.quote)
            assert attack.weaknesses, (path.name, attack.quote)
            assert attack.bring, (path.name, attack.quote)
            for support in attack.have:
                assert any(support.quote in text for text in texts[support.slide]), (path.name, support)
        for text in (dossier_text(found), dossier_text(dossier_of(deck, seats))):
            assert all(len(line) <= WIDTH or " " not in line.strip() for line in text.split("\n"))
            assert len(text.split("\n")) <= 120
        assert json.loads(json.dumps(dossier_json(found)))["claims"] == found.claims


def test_the_command_and_the_session_say_the_same(home: Path, tmp_path: Path) -> None:
    deck, board, news = tmp_path / "deck.md", tmp_path / "board.yaml", tmp_path / "news.txt"
    deck.write_text(DECK, "utf-8")
    board.write_text("- {name: Ines Example, role: treasurer, interests: [fuel prices]}\n", "utf-8")
    news.write_text("Revenue grew 3% in 2026.\n\nThe sun shone all day long.\n", "utf-8")
    done = greenroom(home, "dossier", deck, "--board", board, "--intel", news, "--json")
    assert done.stderr == (
        "note: 1 paragraph of these files was left out: no number, no date, and no word of the deck.\n"
    )
    plain = json.loads(done.stdout)
    assert set(plain) == {
        "deck", "slides", "claims", "language", "attacks", "profiles", "tensions", "weak_slides", "gaps",
        "intel", "has_board",
    }  # fmt: skip
    assert plain["attacks"][0]["weaknesses"][0]["kind"] == "intel"
    started = greenroom_json(home, "start", deck, "--board", board, "--intel", news, "--id", "s1")
    with Session.open(Home.open(home), started["session"]) as session:
        record = next(
            session.rehearsal.store.record(entry.seq)
            for entry in session.rehearsal.store.entries()
            if entry.file == "shared/board-dossier.md"
        )
        assert record.value is not None
        kept = from_json(Dossier, record.value["dossier"])
        assert json.loads(json.dumps(dossier_json(kept))) == plain
        assert session.read("shared/board-dossier.md") == dossier_page(kept)
        assert record.value["board"] == [
            {"name": "Ines Example", "role": "treasurer", "interests": ["fuel prices"]}
        ]
        assert session.verify().valid
    refused = greenroom(home, "dossier", tmp_path / "none.md", check=False)
    assert (refused.returncode, refused.stdout, refused.stderr.count("\n")) == (1, "", 1)
