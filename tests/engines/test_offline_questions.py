"""Without a model: twelve distinct questions on any deck, every quote verbatim, the same each time."""

from __future__ import annotations

import gc
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from orchestrator.core.errors import UsageError
from orchestrator.material.claim import Place, Tension
from orchestrator.material.claims.extract import deck_claims
from orchestrator.material.deck.lines import asserted_lines
from orchestrator.material.deck.read import read_deck_text
from orchestrator.material.values import Deck, Segment
from orchestrator.panel.bank import deck as quotable
from orchestrator.panel.bank.bank import bank
from orchestrator.panel.bank.deck import kind_of
from orchestrator.panel.engines.offline import OfflineEngine
from orchestrator.panel.engines.offline.choosing import all_options, speech_of
from orchestrator.panel.engines.offline.wording import entry_of
from orchestrator.panel.engines.protocol import (
    CandidateRequest,
    DoubtRequest,
    FocusBriefRequest,
    Scene,
    ScribeRequest,
    TensionsRequest,
)
from orchestrator.panel.model.exchange import Candidate, Exchange, Turn
from orchestrator.panel.personas.persona import DomainKnowledge, Persona, Seat

ENGINE = OfflineEngine()
SEATS = tuple(
    Seat(
        Persona(id=name, name=name, title="", role="", color="#000000", voice="", asks=asks),
        DomainKnowledge(),
    )
    for name, asks in (
        ("first", ("money", "people")),
        ("second", ("proof", "substance")),
        ("third", ("fit", "alternatives")),
    )
)
FERRIES = """# A second ferry for Skarholm

---

# What we ask for

- We ask the board for €2.4 million in two tranches
- The harbour permit is not yet granted
- Passengers will reach 400,000 by June 2028

---

# Figures

- We carried 310,000 passengers in 2026
- Fuel costs fell by 12% in 2026

---

# Crew

- Hiring six more sailors takes a year
- Our skippers are the most reliable on this coast
"""


def scene(deck: Deck, exchanges: Sequence[Exchange] = (), **more: Any) -> Scene:
    given_ = {"slide": None, "clock_s": 0.0, "intensity": "moderate", "focus": (), **more}
    return Scene(deck, deck_claims(deck), (), given_.pop("segments", ()), exchanges, **given_)


def asked_all(deck: Deck, count: int, **more: Any) -> list[Candidate]:
    """The questions that three panelists in turn put, none of them answered."""
    put: list[Candidate] = []
    exchanges: list[Exchange] = []
    for number in range(count):
        request = CandidateRequest(SEATS[number % 3], scene(deck, exchanges, **more))
        got = ENGINE.reply(request)
        assert got is not None, f"nothing left after {number} questions"
        put.append(got)
        exchanges.append(
            Exchange(
                f"x{number}", got.agent, got.claim, got.slide, got.said_at_s, got.quote, got.grounded, "",
                0.0, (Turn(got.question),), "unjudged", beside=got.beside, is_missing=got.is_missing,
            )
        )  # fmt: skip
    return put


VOCABULARY = """we will not yet grow by 12 % the €3 million budget in 2027 hope most users pilot costs data
standard open source board migration cloud XX projects ? new team customers from who 40 patients"""
WORDS = st.sampled_from(VOCABULARY.split())
LINES = st.lists(WORDS, min_size=2, max_size=14).map(" ".join)
DECKS = st.lists(st.lists(LINES, min_size=1, max_size=6), min_size=1, max_size=8).filter(
    lambda slides: sum(len(lines) for lines in slides) >= 5
)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(DECKS)
def test_any_deck_gives_twelve_questions_none_twice_and_each_quote_verbatim(slides: list[list[str]]) -> None:
    text = "\n---\n\n".join(
        f"# Part {number} of it\n\n" + "".join(f"- {line}\n" for line in lines) + "\n"
        for number, lines in enumerate(slides, start=1)
    )
    deck = read_deck_text(text)
    put = asked_all(deck, 12)
    assert len({one.question for one in put}) == 12
    topics = [entry.topic for one in put if (entry := entry_of(one.question)) is not None]
    assert len(set(topics)) == len(topics) == 12
    for one in put:
        assert one.grounded == (one.quote is not None) == (one.slide is not None)
        if one.quote is None:
            assert one.claim is None
        elif one.is_missing:
            assert one.quote == deck.slides[(one.slide or 0) - 1].title
        else:
            slide = deck.slides[(one.slide or 0) - 1]
            assert any(one.quote in line for _, line, _ in asserted_lines(slide))


def test_a_deck_in_another_language_has_its_twelve_too() -> None:
    deck = read_deck_text(
        "# Die zweite Fähre\n\n" + "".join(f"- Zeile Nummer {n} hat Wörter\n" for n in "abcde")
    )
    assert kind_of(deck).id == "any"
    assert len({one.question for one in asked_all(deck, 12)}) == 12


def test_two_runs_ask_the_same_and_two_decks_do_not() -> None:
    deck, other = read_deck_text(FERRIES), read_deck_text(FERRIES.replace("ferry", "boat"))
    assert asked_all(deck, 12) == asked_all(read_deck_text(FERRIES), 12)
    assert [one.question for one in asked_all(deck, 12)] != [one.question for one in asked_all(other, 12)]


def test_what_is_admitted_comes_first_from_whoever_it_concerns() -> None:
    first = ENGINE.reply(CandidateRequest(SEATS[0], scene(read_deck_text(FERRIES))))
    assert first is not None
    assert (first.quote, first.slide) == ("The harbour permit is not yet granted", 2)


CONTRADICTION = Tension(
    "deck-vs-deck",
    Place(2, None, "Passengers will reach 400,000 by June 2028"),
    Place(3, None, "We carried 310,000 passengers in 2026"),
    "made up for this test",
)


@pytest.mark.parametrize("seat", SEATS, ids=lambda seat: seat.persona.id)
def test_a_contradiction_comes_before_all_with_both_quotes_and_once(seat: Seat) -> None:
    deck = read_deck_text(FERRIES)
    got = ENGINE.reply(CandidateRequest(seat, scene(deck, tensions=(CONTRADICTION,))))
    assert got is not None
    assert (got.quote, got.beside) == (CONTRADICTION.a.quote, CONTRADICTION.b)
    assert CONTRADICTION.a.quote in got.question
    assert CONTRADICTION.b.quote in got.question
    standing = CandidateRequest(
        seat, scene(deck, tensions=(CONTRADICTION,)), standing=(replace(got, agent="x"),)
    )
    after = ENGINE.reply(standing)
    assert after is not None
    assert after.beside is None


def test_nothing_is_asked_about_slides_that_were_not_shown() -> None:
    deck = read_deck_text(FERRIES)
    for seat in SEATS:
        got = ENGINE.reply(CandidateRequest(seat, scene(deck, slide=2, tensions=(CONTRADICTION,))))
        assert got is not None
        assert got.slide in (None, 1, 2)
        assert got.beside is None


def test_a_question_that_stands_with_another_panelist_is_left_to_it() -> None:
    deck = read_deck_text(FERRIES)
    theirs = ENGINE.reply(CandidateRequest(SEATS[0], scene(deck)))
    assert theirs is not None
    new_seat = Seat(
        Persona(id="new", name="N", title="", role="", color="#000000", voice=""), DomainKnowledge()
    )
    mine = ENGINE.reply(CandidateRequest(new_seat, scene(deck), standing=(theirs,)))
    assert mine is not None
    assert (mine.question != theirs.question, mine.quote != theirs.quote) == (True, True)


def test_what_the_presenter_has_said_is_not_asked_for() -> None:
    deck = read_deck_text(FERRIES)

    def questions(*segments: Segment) -> set[str]:
        return {one.question for one in asked_all(deck, 24, segments=segments)}

    said = Segment("There is a contingency of ten percent in it, and we leased before.", 1.0, 5.0, None)
    reserve = {"How much of the sum that you ask for is set aside for what goes wrong?"}
    assert questions() & reserve
    assert not questions(said) & reserve


def test_what_a_deck_speaks_of_is_not_said_to_be_left_out() -> None:
    """A first question ("who decides?") is for a deck without one word of its topic."""

    def left_out(deck: str) -> set[str]:
        asked = (entry_of(one.question) for one in asked_all(read_deck_text(deck), 20))
        return {one.topic for one in asked if one is not None and one.is_first}

    told = "\n---\n\n# Open\n\n- A tenth of it is a reserve\n- Two harbours are against it\n"
    assert {"reserve", "against"} <= left_out(FERRIES)
    assert not {"reserve", "against"} & left_out(FERRIES + told)


def test_intensity_is_heard_in_the_questions_themselves() -> None:
    deck = read_deck_text(FERRIES)
    by_mood = {
        mood: {one.question for one in asked_all(deck, 12, intensity=mood)}
        for mood in ("friendly", "moderate", "adversarial")
    }
    assert len(by_mood["friendly"] & by_mood["adversarial"]) <= 6
    assert by_mood["friendly"] != by_mood["moderate"] != by_mood["adversarial"]


def test_the_kind_of_deck_is_shown_and_can_be_set() -> None:
    deck = read_deck_text(FERRIES)
    assert kind_of(deck).shown == "read as: request for money"
    assert kind_of(deck, "talk").shown == "set to: talk"
    with pytest.raises(UsageError, match=r"'tlak': use one of .*request.*talk.*any"):
        kind_of(deck, "tlak")


@pytest.mark.parametrize(
    ("first", "body", "kind"),
    [
        ("# Lindau Pumps: series A", "# The round\n\n- We sell pumps", "investors"),
        ("# Ward 3\n\n- Proposal to the trustees", "# Costs\n\n- New beds", "request"),
        ("# A working group on tides", "# Mission\n\n- We meet", "group"),
        ("# Zoo\n\n- Half-year report to the council", "# Visitors\n\n- Many came", "report"),
        ("# Quay wall renewal", "# Closures\n\n- The lock is closed", "works"),
        ("# Otters", "# Otters\n\n- They swim", "any"),
    ],
)
def test_the_first_slide_and_the_headings_say_which_kind_it_is(first: str, body: str, kind: str) -> None:
    assert kind_of(read_deck_text(f"{first}\n\n---\n\n{body}\n")).id == kind


LIBRARY = """# TidePy: a research library for tides\n\n- Sandbox application\n\n---\n
# Method\n\n- A baseline on a dataset of 40 gauges\n- Published in a paper\n\n---\n
# Status\n\n- On GitHub under Apache 2.0\n- Release 0.9 in May\n- Two maintainers\n"""
GROUP = """# Device Identity WG\n\n---\n\n# Who takes part\n\n- Three chip makers\n\n---\n
# What we will standardise\n\n- Names of keys\n- Statements\n\n---\n
# Proposal\n\n- The TAC approves the group\n"""
UPDATE = """# GridCast: yearly update\n\n---\n\n# This year\n\n- 4 releases, 312 commits\n- Income\n\n---\n
# Community\n\n- 5 maintainers and 21 contributors, more than last year\n"""


@pytest.mark.parametrize(("deck", "kind"), [(LIBRARY, "project"), (GROUP, "group"), (UPDATE, "review")])
def test_a_deck_for_a_technical_council_is_known_by_many_weak_signs(deck: str, kind: str) -> None:
    assert kind_of(read_deck_text(deck)).id == kind


def test_signs_in_a_deck_of_another_language_are_chance() -> None:
    body = "".join(f"- App, API, dashboard, prototype: Zeile {n} über die Fähre\n" for n in range(8))
    deck = read_deck_text(f"# Fähre App\n\n---\n\n# Demo\n\n{body}\n---\n\n# Features\n\n{body}")
    assert (kind_of(deck).id, kind_of(deck, "product").id) == ("any", "product")


def test_a_small_product_is_asked_no_questions_of_a_venture() -> None:
    deck = "# NoteNest app\n\n---\n\n# Features\n\n- Search and tags\n- Export\n\n---\n\n# Demo\n\n- Now\n"
    venture = {"ten-times", "protect", "price", "unit", "stop-using"}

    def topics(text: str) -> set[str]:
        asked = (entry_of(one.question) for one in asked_all(read_deck_text(text), 20))
        return {entry.topic for entry in asked if entry is not None}

    assert not topics(deck) & venture
    assert {"tested", "left-out"} <= topics(deck)
    assert topics(f"{deck}\n---\n\n# Market\n\n- Customers pay a subscription\n") & venture


def test_where_the_signs_are_mixed_boards_of_either_kind_ask_in_turn() -> None:
    deck = read_deck_text(
        "# Quay wall renewal\n\n- Annual report\n\n---\n\n# Works\n\n- We build\n\n---\n\n# Staff\n\n- Many\n"
    )
    mixed = kind_of(deck)
    assert {mixed.id, mixed.beside} == {"works", "report"}
    kinds = []
    for one in asked_all(deck, 12):
        entry = entry_of(one.question)
        assert entry is not None
        assert entry.kind in ("any", "works", "report") or {"works", "report"} & {*entry.kinds}
        kinds.append(entry.kind)
    assert kinds.count("works") >= 2
    assert kinds.count("report") >= 2


def test_the_briefs_divide_the_deck_among_the_seats() -> None:
    deck = read_deck_text(FERRIES)
    briefs = [ENGINE.reply(FocusBriefRequest(seat, scene(deck))) for seat in SEATS]
    assert all(brief for brief in briefs)
    assert len({target.quote for brief in briefs for target in brief[:2]}) >= 3
    for target in briefs[0] + briefs[1] + briefs[2]:
        assert target.is_missing or any(target.quote in line for _, line, _ in asserted_lines(
            deck.slides[(target.slide or 0) - 1]
        ))  # fmt: skip


def test_what_needs_reading_is_left_to_a_model() -> None:
    assert ENGINE.reply(TensionsRequest(())) == ()
    assert ENGINE.reply(DoubtRequest((), ())) == ()
    assert ENGINE.reply(ScribeRequest(())) == ()


def test_a_line_is_quoted_whole_though_an_abbreviation_stands_in_it() -> None:
    line = "Heating the hall costs approx. EUR 40,000 a winter"
    deck = read_deck_text(f"# The hall\n\n---\n\n# Costs\n\n- {line}\n- The roof is old and it leaks\n")
    assert any(f"“{line}”" in one.question for one in asked_all(deck, 12))


def test_a_deck_without_money_is_no_request_for_any() -> None:
    deck = read_deck_text("# Ward 3\n\n- Proposal to the trustees\n\n---\n\n# Options\n\n- New rota\n")
    assert kind_of(deck).id == "any"


def questions_on(text: str, count: int = 12) -> list[str]:
    return [one.question for one in asked_all(read_deck_text(text), count)]


SHED = """# Request for funding: a boat shed\n\n---\n
# Costs\n\n- The shed costs €40,000\n- The slip costs €9,000\n"""
WHAT_ELSE = "What did you look at besides the plan, and why did the second best fall out?"


def test_a_plain_question_gives_way_to_the_slide_that_tells_it() -> None:
    told = f"{SHED}\n---\n\n# Options compared\n\n- Rent a hall\n- Build a shed\n- Stay outside\n"
    assert WHAT_ELSE in questions_on(SHED, 20)
    assert WHAT_ELSE not in questions_on(told, 20)
    assert any(one.startswith("Under “Options compared”") for one in questions_on(told, 20))


def test_a_name_in_code_is_no_heading() -> None:
    deck = "# GridCast: product demo\n\n---\n\n# {}\n\n- Loads the net\n- Solves the flow\n"
    assert any("Under “The problem”" in one for one in questions_on(deck.format("The problem"), 20))
    assert not any("gridcast.problem" in one for one in questions_on(deck.format("gridcast.problem"), 20))


def test_of_a_line_with_a_gap_the_sentence_with_the_gap_is_quoted() -> None:
    deck = (
        "# Moving the store\n\n---\n\n# Who\n\n- The move is led by the store. The helpline is XXXX today\n"
    )
    assert "The slide still reads “The helpline is XXXX today”. What belongs there?" in questions_on(deck, 3)


def test_a_question_to_the_listeners_of_a_talk_is_not_thrown_back() -> None:
    deck = (
        "# {}\n\n---\n\n# Our own numbers\n\n- Is the north shop really the safer one of both?\n"
        "- Or is it only the quieter one?\n\n---\n\n# Until next week\n\n- Talk to one person a day\n"
    )
    thrown_back = "You ask it yourselves"
    assert any(
        thrown_back in one for one in questions_on(deck.format("Proposal to the board: cash and costs"))
    )
    talk = read_deck_text(deck.format("Workshop: how to talk about near misses"))
    assert kind_of(talk).id == "talk"
    assert not any(thrown_back in one.question for one in asked_all(talk, 12))


def test_what_is_asked_of_any_deck_names_no_bare_it() -> None:
    plain_ones = [one for one in bank().entries if one.kind == "any" and not one.has_quote and not one.kinds]
    assert [one.id for one in plain_ones for ask in one.ask if {"it", "its"} & set(ask.lower().split())] == []


def test_a_deck_is_worked_out_once_however_many_others_are_asked_about_and_let_go_with_its_session() -> None:
    scenes = [scene(read_deck_text(FERRIES.replace("Skarholm", f"Port {one}"))) for one in range(40)]
    known = len(quotable._kept)
    first = [all_options(one) for one in scenes]
    again = [all_options(one) for one in scenes]
    pairs = zip(first, again, strict=True)
    assert all(a is b for one, other in pairs for a, b in zip(one, other, strict=True))
    del scenes, first, again, pairs
    gc.collect()
    assert len(quotable._kept) <= known


def test_what_was_admitted_aloud_follows_the_segments_also_where_some_are_taken_back() -> None:
    deck = read_deck_text(FERRIES)
    said = [
        Segment(f"{text} today.", float(at), float(at))
        for at, text in enumerate(["The permit is not granted", "We grow", "The crew is not hired yet"])
    ]
    for count in (1, 2, 3, 1, 0, 3):
        asked = scene(deck, segments=tuple(said[:count]))
        fresh = scene(read_deck_text(FERRIES), segments=tuple(said[:count]))
        assert all_options(asked) == all_options(fresh)
        assert speech_of(asked) == speech_of(fresh)
