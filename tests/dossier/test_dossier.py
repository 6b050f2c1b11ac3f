"""The board dossier: what will be asked, by whom, and how to prepare; with and without a session."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from orchestrator import Home, Session
from orchestrator.core.errors import EngineError
from orchestrator.material.checks.grounding import grounded, material
from orchestrator.material.claim import Gap, Passage, Place, Tension
from orchestrator.material.claims.extract import deck_claims
from orchestrator.material.deck.read import read_deck, read_deck_text
from orchestrator.material.values import Deck, IntelItem
from orchestrator.panel.debrief.request import still_to_ask
from orchestrator.panel.dossier.build import build_dossier
from orchestrator.panel.dossier.page import WIDTH, dossier_json, dossier_page, dossier_text
from orchestrator.panel.engines.by_name import engine_named
from orchestrator.panel.engines.model import results, situation
from orchestrator.panel.engines.model.schemas import AttackPart, DossierPart
from orchestrator.panel.engines.protocol import DossierRequest, Engine, FocusBriefRequest
from orchestrator.panel.loop.rehearsal import read_seats
from orchestrator.panel.model.reply import Attack, BoardMember, Dossier
from orchestrator.panel.personas.persona import Seat
from orchestrator.panel.records.start import DossierWritten
from tests.helpers.rehearsals import greenroom, greenroom_json

ROOT = Path(__file__).resolve().parents[2]

DECK = """---
title: Estuary Ferries, plan for 2027
---
# Where we stand

- Revenue grew 18% in 2026
- We are the leading ferry operator on the estuary
- Revenue was EUR 3.6 million in 2025

<!-- notes: If they ask: EUR 4.2 million in the audited accounts. -->

---
# The ask

- We ask for EUR 1.8 million for two electric boats
"""

BOARD = (
    BoardMember("Ines Example", "treasurer", interests=("fuel prices",)),
    BoardMember("Karl Example"),
)
ASK = "We ask for EUR 1.8 million for two electric boats"
GREW = "Revenue grew 18% in 2026"

SUM = Attack(
    question="What would you do with half of the sum?",
    asked_by="Ines Example",
    why="She signs for the money",
    about=Place(2, None, ASK),
    good_answer="one boat, with its date and its return",
    bring=("both offers", "the plan at half"),
)
SOURCE = Attack(
    question="Who counted the revenue?",
    asked_by="Marcus Webb",
    why="No source stands on the slide",
    about=Place(1, None, GREW),
    good_answer="the auditor, and the day",
    have=(Place(1, None, "EUR 4.2 million in the audited accounts"),),
    agent="skeptic",
)
WHOLE = Attack("Why now?", "Karl Example", "", None, "")
MISSING = Attack("Who runs the boats?", "Karl Example", "", Place(2, None, "The ask"), "", is_missing=True)


class Says:
    """An engine that gives one dossier; it keeps what it was asked."""

    name = "model"

    def __init__(self, *said: Attack, failure: str | None = None) -> None:
        self.said, self.failure = said, failure
        self.asked: list[DossierRequest] = []

    def reply(self, request: Any, context: object) -> Any:
        self.asked.append(request)
        if self.failure is not None:
            raise EngineError(self.failure)
        return self.said


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


def dossier_of(engine: Engine, deck: Deck, seats: Sequence[Seat] = (), **more: Any) -> Dossier:
    return build_dossier(engine, deck, deck_claims(deck), (), seats, **more)


PAGE = """\
# Board dossier

Estuary Ferries, plan for 2027: 2 slides, 3 claims. Written by the model engine: a reason to prepare, \
not a forecast.

## Likely questions

### 1. Ines Example, slide 2

> We ask for EUR 1.8 million for two electric boats

- Asked: What would you do with half of the sum?
- Why: She signs for the money
- A good answer: one boat, with its date and its return
- Bring: both offers; the plan at half

### 2. Marcus Webb, slide 1

> Revenue grew 18% in 2026

- Asked: Who counted the revenue?
- Why: No source stands on the slide
- A good answer: the auditor, and the day
- The deck has: slide 1: "EUR 4.2 million in the audited accounts"

### 3. Karl Example (general)

- Asked: Why now?

### 4. Karl Example, slide 2 does not say

- Asked: Who runs the boats?

## Where the deck contradicts itself

- The growth does not follow. (3.6 × 1.18 = 4.25, not 5.1)
  - Slide 1: "Revenue grew 18% in 2026"
  - Slide 1: "Revenue was EUR 3.6 million in 2025"

## Do these agree?

- Leading, and not yet there?
  - Slide 1: "We are the leading ferry operator on the estuary"
  - Slide 2: "The ask"

## The board

- Ines Example, treasurer: question 1
- Karl Example: questions 3, 4

## From outside

- Slide 1: "Revenue grew 18% in 2026"
  - Against it: "Revenue grew 3% in 2026." (Register, May 2027)

## Missing in the whole deck

- No slide names a risk.
"""
TEXT = """\
Estuary Ferries, plan for 2027: 2 slides, 3 claims. Written by the model engine: a reason to
prepare, not a forecast.

WHERE THE DECK CONTRADICTS ITSELF
  * The growth does not follow. (3.6 × 1.18 = 4.25, not 5.1)
    Slide 1: "Revenue grew 18% in 2026" / Slide 1: "Revenue was EUR 3.6 million in 2025"

DO THESE AGREE?
  * Leading, and not yet there?
    Slide 1: "We are the leading ferry operator on the estuary" / Slide 2: "The ask"

LIKELY QUESTIONS, AND HOW TO PREPARE

 1  What would you do with half of the sum?
    Asks    Ines Example, slide 2: "We ask for EUR 1.8 million for two electric boats"
    Why     She signs for the money
    Answer  one boat, with its date and its return
    Bring   both offers; the plan at half

 2  Who counted the revenue?
    Asks    Marcus Webb, slide 1: "Revenue grew 18% in 2026"
    Why     No source stands on the slide
    Answer  the auditor, and the day
    Have    slide 1: "EUR 4.2 million in the audited accounts"

 3  Why now?
    Asks    Karl Example (general)

 4  Who runs the boats?
    Asks    Karl Example, slide 2 does not say

YOUR BOARD
  * Ines Example, treasurer: question 1
  * Karl Example: questions 3, 4

FROM OUTSIDE
  * Slide 1: "Revenue grew 18% in 2026". Against it: "Revenue grew 3% in 2026." (Register, May 2027)

MISSING IN THE WHOLE DECK
  * No slide names a risk."""

TENSIONS = (
    Tension(
        "growth", Place(1, None, GREW), Place(1, None, "Revenue was EUR 3.6 million in 2025"),
        "The growth does not follow.", sum="3.6 × 1.18 = 4.25, not 5.1",
    ),
    Tension(
        "deck-vs-deck", Place(1, None, "We are the leading ferry operator on the estuary"),
        Place(2, None, "The ask"), "Leading, and not yet there?", "read", "model",
    ),
    Tension("speech-vs-deck", Place(1, 3.0, "it grew 9%"), Place(1, None, GREW), "Said otherwise."),
)  # fmt: skip
NEWS = IntelItem(
    "i1", "Revenue grew 3% in 2026.", "Revenue", "Register", "May 2027", "contradicts", "", "d1.1", 1, GREW
)


def whole(deck: Deck, seats: Sequence[Seat]) -> Dossier:
    return build_dossier(
        Says(SUM, SOURCE, WHOLE, MISSING),
        deck,
        deck_claims(deck),
        [Gap(None, "No slide names a risk.")],
        seats,
        members=BOARD,
        intel=[NEWS],
        tensions=TENSIONS,
    )


def test_the_page_and_the_terminal_whole(deck: Deck, seats: list[Seat]) -> None:
    found = whole(deck, seats)
    assert dossier_page(found) == PAGE
    assert dossier_text(found) == TEXT


def test_the_engine_is_asked_once_with_all_that_is_known(deck: Deck, seats: list[Seat]) -> None:
    engine = Says()
    dossier_of(
        engine, deck, seats, members=BOARD, intel=[NEWS], tensions=TENSIONS, focus=["boats"], kind="review"
    )
    (asked,) = engine.asked
    assert (asked.members, asked.intel, asked.focus, asked.kind) == (BOARD, (NEWS,), ("boats",), "review")
    assert asked.tensions == TENSIONS[:2]  # nobody has spoken yet
    assert [seat.persona.id for seat in asked.seats] == [seat.persona.id for seat in seats]
    assert ASK in [passage.text for passage in asked.passages]


@pytest.mark.parametrize(
    ("about", "kept"),
    [
        (Place(2, None, ASK), True),
        (Place(2, None, ASK.replace(" ", "\n", 1).upper()), True),  # the same words
        (Place(1, None, ASK), False),  # another slide
        (Place(2, None, ASK.replace("1.8", "1.9")), False),
        (Place(2, None, ASK[1:]), False),  # half a word
        (
            Place(1, None, "EUR 4.2 million in the audited accounts"),
            False,
        ),  # speaker notes are quoted to nobody
    ],
)
def test_a_question_stands_only_on_words_of_the_deck(
    deck: Deck, seats: list[Seat], about: Place, kept: bool
) -> None:
    attack = Attack("Why?", "Ines Example", "", about, "")
    found = dossier_of(Says(attack, WHOLE), deck, seats, members=BOARD)
    assert [one.question for one in found.attacks] == (["Why?", "Why now?"] if kept else ["Why now?"])
    assert found.left_out == (0 if kept else 1)
    assert ("1 question was left out" in dossier_page(found)) is not kept


def test_what_is_kept_is_the_decks_own_spelling(deck: Deck) -> None:
    loud = Attack(
        "Why?",
        "",
        "",
        Place(2, None, ASK.upper()),
        "",
        have=(Place(1, None, "GREW 18%"), Place(1, None, "x")),
    )
    (one,) = dossier_of(Says(loud), deck).attacks
    assert (one.about, one.have) == (Place(2, None, ASK), (Place(1, None, "grew 18%"),))


def test_a_question_is_there_once_and_asked_by_somebody_who_is_there(deck: Deck, seats: list[Seat]) -> None:
    again = Attack("WHY  now?", "Karl Example", "", None, "")
    stranger = Attack("Who are you?", "Somebody Else", "", None, "")
    panelist = Attack("And then?", "Somebody Else", "", None, "", agent=seats[0].persona.id)
    found = dossier_of(Says(WHOLE, again, stranger, panelist), deck, seats, members=BOARD)
    assert [(one.question, one.asked_by) for one in found.attacks] == [
        ("Why now?", "Karl Example"),
        ("Who are you?", ""),
        ("And then?", seats[0].persona.name),
    ]
    assert "### 2. The board (general)\n" in dossier_page(found)


def test_twelve_are_shown_and_no_more(deck: Deck) -> None:
    many = [Attack(f"Question {number}?", "", "", None, "") for number in range(20)]
    assert len(dossier_of(Says(*many), deck).attacks) == 12


def test_where_the_engine_fails_the_offline_one_is_asked_and_the_page_says_so(
    deck: Deck, seats: list[Seat]
) -> None:
    found = dossier_of(Says(failure="nobody is there"), deck, seats)
    offline = dossier_of(engine_named("offline"), deck, seats)
    assert found.attacks == offline.attacks
    assert (found.engine, found.failed) == ("offline", "nobody is there")
    said = "The engine asked for failed, so the offline one wrote this: nobody is there"
    assert said in dossier_page(found)
    assert said in dossier_text(found)
    assert offline.failed is None


def test_without_a_board_the_panel_takes_its_place(deck: Deck, seats: list[Seat]) -> None:
    found = dossier_of(Says(SOURCE), deck, seats)
    assert [(one.kind, one.agent, one.asks) for one in found.profiles] == [
        ("panel", seat.persona.id, (1,) if seat.persona.id == "skeptic" else ()) for seat in seats
    ]
    assert "No board was described, so the panel takes its place." in dossier_page(found)


def test_a_deck_that_nobody_has_a_question_about_is_told_so() -> None:
    found = dossier_of(Says(), read_deck_text("# Hello\n\n- Welcome to all of you\n"))
    assert dossier_page(found) == (
        "# Board dossier\n\nHello: 1 slide, 0 claims. Written by the model engine: a reason to prepare, "
        "not a forecast.\n\nNo board was described, so the panel takes its place.\n\nNo question was found. "
        "That is no sign of strength: a board asks about what a deck leaves out.\n"
    )


def test_words_from_outside_stay_inside_their_lines(deck: Deck) -> None:
    member = BoardMember("Ines\n# Forged", "treasurer\n- x")
    evil = Attack("Why?\n# Forged", "Ines\n# Forged", "a\n- b", None, "c\n## d", ("e\n- f",))
    lines = dossier_page(dossier_of(Says(evil), deck, members=[member])).split("\n")
    assert not [line for line in lines if line.startswith(("# F", "## d", "- b", "- x", "- f"))]


def test_every_real_deck_has_a_dossier_whose_quotes_stand(shared: Path, seats: list[Seat]) -> None:
    offline = engine_named("offline")
    for path in sorted((shared / "decks").iterdir()):
        deck = read_deck(path)
        found = dossier_of(offline, deck, seats, members=BOARD)
        passages: tuple[Passage, ...] = material(deck)
        assert found.left_out == 0, path.name
        for attack in found.attacks:
            assert attack.about is None or grounded(attack.about, passages) == attack.about, path.name
            assert attack.question.endswith("?"), (path.name, attack.question)
        text = dossier_text(found)
        assert all(len(line) <= WIDTH or " " not in line.strip() for line in text.split("\n"))
        assert json.loads(json.dumps(dossier_json(found)))["claims"] == found.claims


def test_the_command_and_the_session_say_the_same(home: Path, tmp_path: Path) -> None:
    deck, board, news = tmp_path / "deck.md", tmp_path / "board.yaml", tmp_path / "news.yaml"
    deck.write_text(DECK, "utf-8")
    board.write_text("rules: [Two readings.]\nboard: [{name: Ines Example, role: treasurer}]\n", "utf-8")
    news.write_text("- {finding: It grew 3%., claim: d1.1, stance: contradicts}\n", "utf-8")
    plain = greenroom_json(home, "dossier", deck, "--board", board, "--intel", news)
    assert set(plain) == {
        "deck", "slides", "claims", "language", "attacks", "profiles", "tensions", "gaps", "intel",
        "has_board", "kind", "engine", "failed", "left_out",
    }  # fmt: skip
    assert plain["intel"][0]["quote"] == GREW
    started = greenroom_json(home, "start", deck, "--board", board, "--intel", news, "--id", "s1")
    with Session.open(Home.open(home), started["session"]) as session:
        record = next(
            session.rehearsal.store.record(entry.seq)
            for entry in session.rehearsal.store.entries()
            if entry.file == "shared/board-dossier.md"
        )
        assert record.held is not None
        kept = record.held.read(DossierWritten).dossier
        assert json.loads(json.dumps(dossier_json(kept))) == plain
        assert session.read("shared/board-dossier.md") == dossier_page(kept)
        assert record.held.fields["board"] == [
            {"name": "Ines Example", "role": "treasurer", "rules": ["Two readings."]}
        ]
        assert session.verify().valid
    refused = greenroom(home, "dossier", tmp_path / "none.md", check=False)
    assert (refused.returncode, refused.stdout, refused.stderr.count("\n")) == (1, "", 1)
    nobody = greenroom(home, "dossier", deck, "--engine", "oracle", check=False)
    assert (nobody.returncode, nobody.stdout, nobody.stderr.count("\n")) == (2, "", 1)


# ---------------------------------------------------------------------- what is missing

UNTITLED = """- Revenue grew 18% in 2026

---
# The ask

- We ask for EUR 1.8 million
"""


@pytest.mark.parametrize(
    ("slide", "shown"),
    [(1, "slide 1 does not say"), (2, "slide 2 does not say"), (None, "the deck does not say")],
)
def test_what_a_slide_or_the_deck_does_not_say_is_asked_without_a_quote(
    slide: int | None, shown: str
) -> None:
    deck = read_deck_text(UNTITLED)
    request = DossierRequest(deck, (), (), (), members=BOARD)
    part = AttackPart(
        question="Which stage do you apply for?",
        asked_by="Karl Example",
        why="Each stage has rules of its own.",
        have=[],
        bring=[],
        good_answer="The stage, and its conditions.",
        slide=slide,
        is_missing=True,
    )
    outcome = results.dossier(request, DossierPart(attacks=[part]))
    assert outcome.fault is None
    made = build_dossier(Says(*outcome.result), deck, (), (), (), members=BOARD)
    (attack,) = made.attacks
    assert made.left_out == 0
    assert (attack.is_missing, attack.about and attack.about.slide) == (True, slide)
    assert "Which stage" not in (attack.about.quote if attack.about else "")
    assert f"### 1. Karl Example, {shown}\n\n- Asked: Which stage do you apply for?" in dossier_page(made)
    assert f"Asks    Karl Example, {shown}" in dossier_text(made)


def test_a_missing_thing_of_no_slide_of_the_deck_is_dropped() -> None:
    request = DossierRequest(read_deck_text(UNTITLED), (), (), (), members=BOARD)
    part = {"question": "Why?", "asked_by": "Karl Example", "why": "So.", "have": [], "bring": []}
    sent = DossierPart.model_validate(
        {"attacks": [{**part, "good_answer": "", "slide": 9, "is_missing": True}]}
    )
    assert results.dossier(request, sent).fault is not None


# ---------------------------------------------------------------------- in a session


def test_the_focus_briefs_are_made_with_it_and_still_wanted_has_what_nobody_asked(home: Path) -> None:
    with Session.start(Home.open(home), deck_text=DECK) as session:
        likely = session.projection.likely
        assert likely
        assert likely == session.rehearsal.projection.likely
        request = FocusBriefRequest(
            session.rehearsal.seats["skeptic"], session.rehearsal.scene(), likely=likely
        )
        told = situation.focus_brief(request)["likely"]
        assert [one["question"] for one in told] == [one.question for one in likely]
        first = likely[0]
        session.ask(first.agent, question=first.question)
        session.answer("I do not know.")
        while session.projection.open is not None:
            session.answer("I do not know.")
        wanted = [one.question for one in still_to_ask(session.projection)]
        assert first.question not in wanted
        assert likely[1].question in wanted
        session.end()
        assert likely[1].question in session.debrief().still_wanted
