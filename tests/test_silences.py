"""What is not said: when a panelist asks about it, at which words, and when it keeps quiet."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from orchestrator.claims.extract import deck_claims
from orchestrator.deck.model import Deck, Slide, Table
from orchestrator.deck.read import read_deck
from orchestrator.deck.texts import slide_texts
from orchestrator.engines.offline import OfflineEngine
from orchestrator.engines.protocol import CandidateRequest, FocusBriefRequest
from orchestrator.engines.silences import open_silences
from orchestrator.engines.statements import statements
from orchestrator.exchange import Candidate, Exchange, Turn
from orchestrator.pattern import Pattern
from orchestrator.persona import DomainKnowledge, Persona, Seat, Silence
from orchestrator.speech.model import Segment
from tests.test_offline_engine import DOMAIN, PERSONA, _panel, scene_of

ENGINE = OfflineEngine()


def silence(name: str, words: str, unless: str, asks: str, *kinds: str) -> Silence:
    def alternatives(text: str) -> tuple[tuple[str, ...], ...]:
        return tuple(tuple(one.split("+")) for one in text.split(",") if one)

    pattern = Pattern(
        ("any",), ("number",), f'{{place}} you say "{{quote}}". {asks}', frozenset({"place", "quote"})
    )
    return Silence(name, alternatives(words), alternatives(unless), kinds, "It matters.", pattern)


COST = silence("What it costs", "new bridge,ferry+landing", "budget,price", "What does it cost?", "money")
OWNER = silence("Who keeps it", "new bridge,keys", "caretaker", "Who looks after it?")
SEAT = Seat(PERSONA, replace(DOMAIN, silences=(COST, OWNER)))


def deck_of(*lines: str, title: str = "Part 1") -> Deck:
    return Deck("md", "deck.md", "0" * 64, "Plan", (Slide(1, title, lines),))


def ask(deck: Deck, exchanges: Sequence[Exchange] = ()) -> Candidate | None:
    taken = frozenset(exchange.claim for exchange in exchanges if exchange.claim)
    return ENGINE.reply(CandidateRequest(SEAT, scene_of(deck, exchanges=exchanges), taken=taken))


def test_what_the_words_bring_up_is_asked_at_a_sentence_that_claims_nothing() -> None:
    deck = deck_of("Stonework of the old pier", "The new bridge crosses at the mill")
    assert deck_claims(deck) == ()
    found = ask(deck)
    assert found is not None
    assert (
        found.question,
        found.quote,
        found.claim,
        found.slide,
        found.grounded,
        found.needs,
        found.angle,
    ) == (
        'On slide 1 you say "The new bridge crosses at the mill". What does it cost?',
        "The new bridge crosses at the mill",
        "d1.t2",
        1,
        True,
        ("number",),
        "not said anywhere: what it costs",
    )


@pytest.mark.parametrize(
    ("line", "asked"),
    [
        ("The ferry stops at the northern landing", "What does it cost?"),
        ("The ferry is blue and it is old", None),
        ("Renewed bridges of the county", None),
        ("The KEYS hang beside the door", "Who looks after it?"),
    ],
)
def test_joined_words_must_both_occur_as_whole_words(line: str, asked: str | None) -> None:
    found = ask(deck_of(line))
    assert (found is not None and found.grounded) is (asked is not None)
    assert asked is None or (found is not None and found.question.endswith(asked))


@pytest.mark.parametrize(
    ("deck", "said"),
    [
        (deck_of("The new bridge crosses at the mill", "The budget stands in the annex"), ""),
        (deck_of("The new bridge crosses at the mill", title="Our budget"), ""),
        (deck_of("The new bridge crosses at the mill"), "And the price of it was fixed last week."),
        (deck_of("The new bridge crosses at the mill", "We ask for EUR 1.8M"), ""),
    ],
)
def test_what_is_said_anywhere_or_claimed_is_not_asked(deck: Deck, said: str) -> None:
    scene = scene_of(deck, [Segment(said, 1.0, 5.0)] if said else [])
    assert [one.name for one, _ in open_silences(SEAT, scene)] == ["Who keeps it"]


def test_notes_hidden_slides_and_tables_settle_it_too() -> None:
    shown = Slide(1, "Part 1", ("The new bridge crosses at the mill",))
    for more in (
        Slide(2, "", notes="The budget is in the annex."),
        Slide(2, "Budget", hidden=True),
        Slide(2, "", tables=(Table((("Budget", "x"),)),)),
    ):
        scene = scene_of(Deck("md", "deck.md", "0" * 64, "Plan", (shown, more)))
        assert [one.name for one, _ in open_silences(SEAT, scene)] == ["Who keeps it"]


def test_each_is_asked_once_in_a_session_and_the_first_row_first() -> None:
    deck = deck_of(
        "The new bridge crosses at the mill", "Another new bridge follows", "A third new bridge waits"
    )
    exchanges: list[Exchange] = []
    asked = []
    while (found := ask(deck, exchanges)) and found.grounded and found.claim:
        asked.append(found.question.partition('". ')[2])
        turn = Turn(f"{found.lead_in} {found.question}".strip(), found.needs)
        number = f"x{len(exchanges) + 1}"
        exchanges.append(
            Exchange(number, "tester", found.claim, 1, None, found.quote, True, "", 0.0, (turn,), "satisfied")
        )
    assert asked == ["What does it cost?", "Who looks after it?"]


def test_a_focus_brief_names_each_once_and_says_what_would_answer_it() -> None:
    deck = deck_of(
        "The new bridge crosses at the mill", "Another new bridge follows", "The keys hang at the door"
    )
    found = ENGINE.reply(FocusBriefRequest(SEAT, scene_of(deck)))
    assert [(target.quote, target.angle, target.good_answer) for target in found] == [
        (
            "The new bridge crosses at the mill",
            "not said anywhere: what it costs",
            "What does it cost? It takes the figure itself, with its unit.",
        ),
        (
            "The keys hang at the door",
            "not said anywhere: who keeps it",
            "Who looks after it? It takes the figure itself, with its unit.",
        ),
    ]


@pytest.mark.parametrize(
    "line",
    [
        "Is the new bridge needed?",
        "Please describe the new bridge here",
        "Provide a list of each new bridge",
        "new_bridge = build(new bridge)",
        "© 2026 The new bridge company",
        "new bridge",
    ],
)
def test_questions_instructions_code_and_headings_are_no_statements(line: str) -> None:
    assert statements(deck_of(line)) == ()


def test_criteria_and_footers_are_no_statements() -> None:
    criteria = deck_of("The project must have a new bridge", title="Review criteria")
    assert statements(criteria) == ()
    footer = tuple(Slide(n, f"Part {n}", ("The new bridge company of Ash",)) for n in range(1, 5))
    assert statements(Deck("md", "deck.md", "0" * 64, "Plan", footer)) == ()


def test_a_persona_without_silences_has_none() -> None:
    bare = Seat(PERSONA, DomainKnowledge((), (), ()))
    assert open_silences(bare, scene_of(deck_of("The new bridge crosses at the mill"))) == ()


# -- the tables of this project


def _rows() -> list[tuple[str, Silence]]:
    return [(seat.persona.id, one) for seat in _panel() if seat.domain for one in seat.domain.silences]


def test_the_panelists_of_this_project_have_twenty_each_and_none_twice() -> None:
    counts: dict[str, int] = {}
    for agent, _ in _rows():
        counts[agent] = counts.get(agent, 0) + 1
    assert {agent for agent, count in counts.items() if count >= 15} == {"analyst", "contrarian", "skeptic"}
    names = [one.name for _, one in _rows()]
    questions = [one.question.text for _, one in _rows()]
    assert len(set(names)) == len(names)
    assert len(set(questions)) == len(questions)


@pytest.mark.parametrize(
    "sentence",
    [
        "The perimeter security model has become less effective",
        "The hall was moved in order to save space",
        "The organizations which run the grid",
        "They support the plan of the council",
        "We are open on Saturdays and on Sundays",
        "The rain fell on the roof of the old barn",
        "Our colleagues met in the garden of the school",
    ],
)
def test_ordinary_words_bring_up_nothing(sentence: str) -> None:
    scene = scene_of(deck_of(sentence))
    for seat in _panel():
        silences = seat.domain.silences if seat.domain else ()
        bare = Seat(_without_patterns(seat.persona), DomainKnowledge((), (), (), silences))
        found = ENGINE.reply(CandidateRequest(bare, scene))
        assert found is None or not found.grounded, found


def _without_patterns(persona: Persona) -> Persona:
    return replace(persona, initial=())


@pytest.mark.slow
def test_statements_of_every_real_deck_are_verbatim_and_have_ids_of_their_own(shared: Path) -> None:
    for path in sorted((shared / "decks").iterdir()):
        deck = read_deck(path)
        known = {claim.id for claim in deck_claims(deck)}
        found = statements(deck)
        assert len({one.id for one in found}) == len(found)
        assert not known & {one.id for one in found}
        for one in found:
            assert one.slide
            assert any(one.text in text for _, text in slide_texts(deck.slides[one.slide - 1])), one
