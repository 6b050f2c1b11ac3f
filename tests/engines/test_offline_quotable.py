"""Dossier and debrief without a model: from the bank, from contradictions and from verdicts."""

from __future__ import annotations

from dataclasses import replace

from orchestrator.material.claim import Place, Tension
from orchestrator.material.claims.extract import deck_claims
from orchestrator.material.deck.read import read_deck_text
from orchestrator.panel.bank.deck import pages_of
from orchestrator.panel.engines.offline import OfflineEngine
from orchestrator.panel.engines.protocol import DebriefRequest, DossierRequest, Scene
from orchestrator.panel.model.exchange import Candidate, Exchange, Turn
from orchestrator.panel.model.reply import BoardMember, DebriefWords, RubricCheck
from orchestrator.panel.personas.persona import DomainKnowledge, Persona, Seat

DECK = read_deck_text(
    "# A second ferry\n\n---\n\n# What we ask for\n\n- We ask the board for €2.4 million in two tranches\n"
    "- The harbour permit is not yet granted\n\n---\n\n# Costs\n\n- The ferry costs €2.1 million in all\n"
)
SEAT = Seat(
    Persona(id="a", name="Ana Ruiz", title="", role="", color="#000000", voice="", asks=("people",)),
    DomainKnowledge(),
)
TENSION = Tension(
    "deck-vs-deck",
    Place(2, None, "We ask the board for €2.4 million in two tranches"),
    Place(3, None, "The ferry costs €2.1 million in all"),
    "the ask is larger than the cost",
    sum="2.4 is not 2.1",
)
ASKED = Exchange(
    "x1", "a", None, None, None, None, False, "", 0.0,
    (Turn("Who owns it?", (), "I don't know."),), "unresolved",
)  # fmt: skip


def dossier(*tensions: Tension, limit: int = 12) -> DossierRequest:
    treasurer = BoardMember("Kim Berg", "treasurer", "", ("cash",))
    return DossierRequest(DECK, deck_claims(DECK), (), (SEAT,), (treasurer,), tensions=tensions, limit=limit)


def debrief(*exchanges: Exchange, **more: object) -> DebriefWords:
    scene = Scene(DECK, (), (), (), exchanges, None, 0.0, "moderate", ())
    return OfflineEngine().reply(replace(DebriefRequest(SEAT, scene), **more))  # type: ignore[arg-type]


def test_the_contradiction_comes_first_and_each_attack_once() -> None:
    attacks = OfflineEngine().reply(dossier(TENSION))
    assert len(attacks) == 12
    assert (attacks[0].about, attacks[0].have) == (TENSION.a, (TENSION.b,))
    assert len({attack.question for attack in attacks}) == 12
    assert [one.about for one in attacks[1:] if one.about in (TENSION.a, TENSION.b)] == []


def test_whoever_fits_asks_a_member_of_the_board_before_a_panelist() -> None:
    askers = {(attack.asked_by, attack.agent) for attack in OfflineEngine().reply(dossier())}
    assert askers == {("Kim Berg", None), ("Ana Ruiz", "a")}


def test_the_first_questions_are_spread_over_the_panel() -> None:
    seats = tuple(
        replace(SEAT, persona=replace(SEAT.persona, id=name, name=name, asks=asks))
        for name, asks in (
            ("a", ("money", "people")),
            ("b", ("proof", "substance")),
            ("c", ("fit", "alternatives")),
        )
    )
    attacks = OfflineEngine().reply(DossierRequest(DECK, deck_claims(DECK), (), seats))
    assert {one.agent for one in attacks[:6]} == {"a", "b", "c"}
    assert [sum(one.agent == name for one in attacks) for name in "abc"] == [4, 4, 4]


def test_every_quote_of_the_dossier_stands_on_its_slide() -> None:
    for attack in OfflineEngine().reply(dossier()):
        if attack.about is not None:
            slide = DECK.slides[(attack.about.slide or 0) - 1]
            assert attack.about.quote in (slide.title, *slide.lines)


def test_a_line_that_the_next_one_goes_on_with_is_no_statement_to_quote() -> None:
    deck = read_deck_text(
        "# A second ferry\n\n---\n\n# The harbour\n\n- Readiness is an umbrella term for three permits:\n"
        "- Noise, traffic and fire\n- We carried many more people than in\n- the year before the storm\n"
        "- The pier was built twice\n  - because of the storm\n"
    )
    assert [line.text for line in pages_of(deck, deck_claims(deck)).pages[1].lines] == [
        "Noise, traffic and fire",
        "the year before the storm",
        "The pier was built twice",
        "because of the storm",
        "The harbour",
    ]


def test_what_to_fix_first_is_left_to_whoever_counts_verdicts() -> None:
    assert debrief(ASKED, tensions=(TENSION,)) == DebriefWords()


def test_where_nothing_is_certain_nothing_is_to_be_fixed() -> None:
    assert debrief(replace(ASKED, outcome="unjudged")) == DebriefWords()


def test_checks_that_need_a_reader_are_not_judged_and_open_questions_are_kept() -> None:
    wanted = Candidate("a", "Why now?", None, None, None, None, False, (), 0.5, "", "")
    got = debrief(checks=("The ask is clear",), never_asked=(wanted,))
    assert got.checks == (RubricCheck("The ask is clear", "not judged", "only reading can tell"),)
    assert got.still_wanted == ("Why now?",)
