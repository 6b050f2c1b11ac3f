"""The end of a session: decisions and open questions become memories, with consent, once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from orchestrator.material.values import Deck, Slide, Table
from orchestrator.memory.database import MemoryDatabase
from orchestrator.memory.flush import Flushed, flush
from orchestrator.memory.memories import edit_memory, forget, forget_session, memories, rehearsals_of
from orchestrator.memory.model import MemoryRefusedError
from orchestrator.memory.past_sessions import deck_tag, open_points
from orchestrator.memory.presenter import add_goal, goals, set_consent
from orchestrator.memory.scribe import Noted, SessionContext
from orchestrator.panel.model.exchange import Exchange, Turn
from tests.helpers.memories import INES, NOW, at, opened

DECK = Deck("md", "ferries.md", "0" * 64, "Harbour ferries", ())
QUOTE = "Revenue grew 18% in 2026"
TAG = "deck:harbour-ferries"


def asked(id: str, outcome: str, quote: str | None = QUOTE, **more: Any) -> Exchange:
    agent = more.pop("agent", "skeptic")
    question = more.pop("question", f'You say "{quote}". From which base?')
    turn = Turn(question, answer="Well.", verdict="follow_up")
    return Exchange(id, agent, None, 1, None, quote, quote is not None, "", 0.0, (turn,), outcome, **more)


@pytest.fixture
def db(tmp_path: Path) -> Iterator[MemoryDatabase]:
    with opened(tmp_path) as found:
        yield found


def flushed(
    db: MemoryDatabase,
    session: str,
    exchanges: Sequence[Exchange] = (),
    context: SessionContext | None = None,
    **more: Any,
) -> Flushed:
    given = {"now": NOW, "deck": DECK, **more}
    return flush(context or SessionContext(), db, INES, session=session, exchanges=exchanges, **given)


def kept(db: MemoryDatabase, *, all_: bool = False) -> list[tuple[str, str]]:
    found = memories(db, presenter=INES, include_superseded=all_)
    return sorted((one.agent, one.content) for one in found)


def test_each_decision_becomes_a_memory_of_whom_it_was_told_to(db: MemoryDatabase) -> None:
    decisions = (
        Noted("We decided to postpone the order.", 12),
        Noted("We chose Nordbank as our lender.", 12),
        Noted("We decided to sell the pier.", 40, "Ines", "x2", "analyst"),
    )
    done = flushed(db, "s1", context=SessionContext(decisions=decisions))
    assert [
        (one.agent, one.type, one.content, one.tags, one.source, one.confidence) for one in done.memories
    ] == [
        ("moderator", "insight", f'Decided: "{decisions[0].text}"', ("decision", TAG), "s1/12", 0.8),
        ("moderator", "insight", f'Decided: "{decisions[1].text}"', ("decision", TAG), "s1/12.2", 0.8),
        ("analyst", "insight", f'Decided: "{decisions[2].text}"', ("decision", TAG), "s1/40", 0.8),
    ]


def test_what_was_not_answered_becomes_a_memory_of_who_asked(db: MemoryDatabase) -> None:
    silent = asked("x3", "unjudged", "two boats")
    exchanges = [
        asked("x1", "unresolved"),
        asked("x2", "parked", "the fleet doubles", agent="analyst"),
        replace(silent, turns=(replace(silent.turns[0], answer=None),)),
        asked("x6", "unjudged", "three piers"),  # answered: the presenter's to judge, and nothing left open
        asked("x4", "satisfied", "charging costs 380,000"),
        asked("x5", "unresolved", None, question="What would you drop first?"),
    ]
    done = flushed(db, "s1", exchanges)
    assert [(one.agent, one.content, one.type, one.confidence, one.source) for one in done.memories] == [
        ("skeptic", f'Left open: "{QUOTE}"', "pattern", 0.8, "s1/x1"),
        ("analyst", 'Left open: "the fleet doubles"', "pattern", 0.7, "s1/x2"),
        ("skeptic", 'Left open: "two boats"', "pattern", 0.8, "s1/x3"),
        ("skeptic", "Left open: What would you drop first?", "pattern", 0.8, "s1/x5"),
    ]
    assert {one.tags for one in done.memories} == {("open", TAG)}


def test_of_a_parked_question_that_came_back_only_the_later_exchange_counts(db: MemoryDatabase) -> None:
    flushed(db, "s1", [asked("x1", "parked"), asked("x2", "satisfied", comes_back_to="x1")])
    assert kept(db) == []


def test_twice_adds_nothing(db: MemoryDatabase) -> None:
    context = SessionContext(
        decisions=(Noted("We decided to wait.", 3),), goals=(Noted("Our goal is to win.", 4),)
    )
    first = flushed(db, "s1", [asked("x1", "unresolved")], context)
    before = kept(db), goals(db, INES)
    assert flushed(db, "s1", [asked("x1", "unresolved")], context) == Flushed()
    assert (kept(db), goals(db, INES)) == before
    assert len(first.memories) == 2


def test_what_was_forgotten_does_not_come_back(db: MemoryDatabase) -> None:
    (memory,) = flushed(db, "s1", [asked("x1", "unresolved")]).memories
    forget(db, memory.id, now=NOW)
    flushed(db, "s1", [asked("x1", "unresolved")])
    assert kept(db) == []


def test_what_an_older_session_says_again_undoes_nothing(db: MemoryDatabase) -> None:
    flushed(db, "s1", [asked("x1", "satisfied")])
    flushed(db, "s2", [asked("x1", "unresolved")])
    flushed(db, "s1", [asked("x1", "satisfied"), asked("x2", "unresolved", "two boats")])
    assert kept(db) == [("skeptic", f'Left open: "{QUOTE}"'), ("skeptic", 'Left open: "two boats"')]


def test_a_later_answer_takes_the_place_of_what_was_open_whoever_asked(db: MemoryDatabase) -> None:
    flushed(db, "s1", [asked("x1", "unresolved"), asked("x2", "parked", agent="analyst")])
    flushed(db, "s2", [asked("x1", "satisfied", agent="contrarian")])
    assert kept(db) == [("analyst", f'Answered: "{QUOTE}"'), ("skeptic", f'Answered: "{QUOTE}"')]
    assert len(kept(db, all_=True)) == 4
    assert open_points(db, INES, DECK) == ()


def test_a_question_about_no_words_of_the_deck_is_answered_and_opened_again_as_well(
    db: MemoryDatabase,
) -> None:
    def general(id_: str, outcome: str, lead_in: str = "") -> Exchange:
        one = asked(id_, outcome, None, question=f"{lead_in}Who runs it day by day?")
        return replace(one, turns=(replace(one.turns[0], lead_in=lead_in), *one.turns[1:]))

    flushed(db, "s1", [general("x1", "unresolved", "Let me begin there. ")])
    assert kept(db) == [("skeptic", "Left open: Who runs it day by day?")]
    flushed(db, "s2", [general("x1", "satisfied")])
    assert kept(db) == [("skeptic", "Answered: Who runs it day by day?")]
    flushed(db, "s3", [general("x1", "parked", "One more. ")])
    assert kept(db) == [("skeptic", "Left open: Who runs it day by day?")]


def test_and_what_is_left_open_again_takes_the_place_of_the_answer(db: MemoryDatabase) -> None:
    flushed(db, "s1", [asked("x1", "unresolved")])
    flushed(db, "s2", [asked("x1", "satisfied")])
    flushed(db, "s3", [asked("x1", "unresolved")])
    assert kept(db) == [("skeptic", f'Left open: "{QUOTE}"')]
    assert [point.session for point, _ in open_points(db, INES, DECK)] == ["s3"]


def test_left_open_ten_times_is_one_memory(db: MemoryDatabase) -> None:
    for number in range(10):
        flushed(db, f"s{number}", [asked("x1", "unresolved")])
    assert kept(db, all_=True) == [("skeptic", f'Left open: "{QUOTE}"')]


def test_an_answer_about_another_deck_settles_nothing(db: MemoryDatabase) -> None:
    flushed(db, "s1", [asked("x1", "unresolved")])
    flushed(db, "s2", [asked("x1", "satisfied")], deck=replace(DECK, title="Another plan"))
    assert kept(db) == [("skeptic", f'Left open: "{QUOTE}"')]


def test_a_long_quotation_is_kept_in_whole_words_and_says_that_it_is_cut(db: MemoryDatabase) -> None:
    quote = "Revenue " + " ".join(f"grew{number}" for number in range(60))
    (memory,) = flushed(db, "s1", [asked("x1", "unresolved", quote)]).memories
    assert len(memory.content) <= 200
    assert memory.content.endswith('" …')
    ((point, _),) = open_points(db, INES, DECK)
    assert quote.startswith(f"{point.quote} ")
    assert len(point.quote) > 150
    flushed(db, "s2", [asked("x1", "satisfied", quote)])
    assert open_points(db, INES, DECK) == ()


@pytest.mark.parametrize("agreed", [None, False])
def test_without_consent_nothing_is_written(tmp_path: Path, agreed: bool | None) -> None:
    with MemoryDatabase.open(tmp_path) as db:
        if agreed is not None:
            set_consent(db, INES, agreed, NOW)
        context = SessionContext(decisions=(Noted("We decided to wait.", 3),))
        assert flushed(db, "s1", [asked("x1", "unresolved")], context) == Flushed()
        assert kept(db, all_=True) == []
        assert open_points(db, INES, DECK) == ()


def test_nobody_named_is_nobody_remembered(db: MemoryDatabase) -> None:
    with pytest.raises(MemoryRefusedError, match="nobody is named"):
        flush(SessionContext(), db, "Presenter", session="s1", deck=DECK, exchanges=(), now=NOW)


def test_people_s_addresses_are_masked_and_secrets_left_out(db: MemoryDatabase) -> None:
    decisions = (Noted("We decided to write to a@example.com.", 3), Noted("We agreed to sell Nordbank.", 4))
    exchanges = [asked("x1", "unresolved", "call 020 7946 0958"), asked("x2", "unresolved", "sell Nordbank")]
    context = SessionContext(decisions=decisions, goals=(Noted("Our goal is to leave Nordbank.", 5),))
    done = flushed(db, "s1", exchanges, context, stays=lambda text: "Nordbank" in text)
    assert done.left_out == 3
    assert kept(db) == [
        ("moderator", 'Decided: "We decided to write to [e-mail address]."'),
        ("skeptic", 'Left open: "call [phone number]"'),
    ]
    assert goals(db, INES) == ()


def test_goals_that_were_stated_are_proposed(db: MemoryDatabase) -> None:
    flushed(db, "s1", context=SessionContext(goals=(Noted("Our goal is to win approval.", 4),)))
    (goal,) = goals(db, INES)
    assert (goal.text, goal.state, goal.source) == ("Our goal is to win approval.", "proposed", "s1/4")


def test_two_goals_of_one_record_are_both_proposed(db: MemoryDatabase) -> None:
    goals_ = (Noted("the churn figure", 1), Noted("the fleet", 1))
    done = flushed(db, "s1", context=SessionContext(goals=goals_))
    assert [(goal.text, goal.source) for goal in done.goals] == [
        ("the churn figure", "s1/1"),
        ("the fleet", "s1/1.2"),
    ]


def test_an_answered_question_moves_the_goal_that_it_is_about(db: MemoryDatabase) -> None:
    goal = add_goal(db, INES, "Defend the revenue growth with its source", NOW)
    other = add_goal(db, INES, "Keep calm", NOW)
    exchanges = [
        asked("x1", "satisfied", question="Revenue growth from which base?"),
        asked("x2", "unresolved", question="Revenue growth from which base?"),
        asked("x3", "satisfied", "two boats", question="Why two?"),
    ]
    flushed(db, "s1", exchanges)
    moved = {one.id: one.moved_by for one in goals(db, INES)}
    assert moved == {goal.id: ("s1/x1",), other.id: ()}


def test_a_disk_that_refuses_leaves_nothing_half_done(
    db: MemoryDatabase, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: Any, **__: Any) -> None:
        raise OSError("no space left")

    monkeypatch.setattr("orchestrator.memory.flush._Flush.propose", refuse)
    context = SessionContext(decisions=(Noted("We decided to wait.", 3),), goals=(Noted("Win.", 4),))
    with pytest.raises(OSError, match="no space"):
        flushed(db, "s1", [asked("x1", "unresolved")], context)
    assert kept(db, all_=True) == []
    monkeypatch.undo()
    assert len(flushed(db, "s1", [asked("x1", "unresolved")], context).memories) == 2


def test_a_memory_that_the_presenter_rewrote_is_no_open_point_any_more(db: MemoryDatabase) -> None:
    (memory,) = flushed(db, "s1", [asked("x1", "unresolved")]).memories
    edit_memory(db, memory.id, content="The base of the growth is the audited year 2025.", now=NOW)
    assert open_points(db, INES, DECK) == ()


@pytest.mark.parametrize(
    ("title", "tag"),
    [
        ("Harbour ferries, plan for 2027", "deck:harbour-ferries-plan-for-2027"),
        ("  HARBOUR — Ferries!  Plan for 2027", "deck:harbour-ferries-plan-for-2027"),
        ("渡船計画", "deck:渡船計画"),
        ("", "deck:ferries"),
        ("?!", "deck:untitled"),
    ],
)
def test_a_deck_is_known_by_its_title(title: str, tag: str) -> None:
    assert deck_tag(replace(DECK, title=title)) == tag


def test_long_titles_fit_and_are_told_apart() -> None:
    tags = {deck_tag(replace(DECK, title=f"{'A very long title ' * 5}{number}")) for number in range(50)}
    assert len(tags) == 50
    assert max(map(len, tags)) <= 40


def test_what_is_left_open_again_has_the_source_and_date_of_the_last_rehearsal(db: MemoryDatabase) -> None:
    for number in (1, 2, 3):
        flushed(db, f"s{number}", [asked(f"x{number}", "unresolved")], now=at(number))
    (memory,) = memories(db, presenter=INES)
    assert (memory.source, memory.created_at) == ("s3/x3", at(3))
    assert rehearsals_of(db, INES) == {memory.id: 3}
    ((point, _),) = open_points(db, INES, DECK)
    assert (point.session, point.asked_on) == ("s3", at(3)[:10])


def test_erasing_a_session_takes_only_what_rests_on_it_alone(db: MemoryDatabase) -> None:
    flushed(db, "s1", [asked("x1", "unresolved"), asked("x2", "unresolved", "two boats")], now=at(1))
    flushed(db, "s2", [asked("x1", "unresolved")], now=at(2))
    flushed(db, "s3", [asked("x7", "unresolved")], now=at(3))
    (gone,) = forget_session(db, "s1", now=at(4)).ids
    (memory,) = memories(db, presenter=INES)
    assert memory.id != gone
    assert (memory.content, memory.source) == (f'Left open: "{QUOTE}"', "s3/x7")
    assert forget_session(db, "s3", now=at(4)).ids == ()
    (memory,) = memories(db, presenter=INES)
    assert (memory.source, memory.created_at) == ("s2/x1", at(2))
    assert forget_session(db, "s2", now=at(4)).ids == (memory.id,)
    assert memories(db, presenter=INES) == ()


def test_what_the_presenter_edited_or_took_up_outlives_the_session(db: MemoryDatabase) -> None:
    context = SessionContext(goals=(Noted("Our goal is to win.", 4), Noted("Our goal is to be brief.", 5)))
    (memory,) = flushed(db, "s1", [asked("x1", "unresolved")], context).memories
    edit_memory(db, memory.id, content="Growth: name the base.", now=NOW)
    add_goal(db, INES, "Our goal is to win.", NOW)
    forget_session(db, "s1", now=NOW)
    assert [one.content for one in memories(db, presenter=INES)] == ["Growth: name the base."]
    assert [(one.text, one.state) for one in goals(db, INES)] == [("Our goal is to win.", "open")]


COSTS = Table((("Item", "2025", "2026"), ("Churn rate", "0.4", "0.3"), ("Engine wear", "12%", "0.3")))
TABLED = replace(DECK, slides=(Slide(1, "Costs", tables=(COSTS,)),))


@pytest.mark.parametrize(
    ("quote", "question", "content"),
    [
        ("0.4", 'You say "0.4". Of what?', 'Left open: "0.4" (Churn rate, 2025)'),
        ("0.3", 'Engine wear: "0.3". Why?', 'Left open: "0.3" (Engine wear, 2026)'),
        ("0.3", 'You say "0.3". Of what?', "Left open: \"0.3\", asked: You say '0.3'. Of what?"),
        ("41", 'You say "41". Of what?', "Left open: \"41\", asked: You say '41'. Of what?"),
        ("two boats", "Which?", 'Left open: "two boats"'),
    ],
)
def test_a_bare_number_is_kept_with_what_it_is_about(
    db: MemoryDatabase, quote: str, question: str, content: str
) -> None:
    flushed(db, "s1", [asked("x1", "unresolved", quote, question=question)], deck=TABLED)
    assert kept(db) == [("skeptic", content)]
    ((point, _),) = open_points(db, INES, TABLED)
    assert point.quote == quote
    flushed(db, "s2", [asked("x1", "satisfied", quote, question=question)], deck=TABLED)
    assert open_points(db, INES, TABLED) == ()


def test_a_long_question_about_a_bare_number_fits_a_memory(db: MemoryDatabase) -> None:
    flushed(db, "s1", [asked("x1", "unresolved", "41", question="Why is that so? " * 40)])
    ((_, content),) = kept(db)
    assert len(content) <= 200
    assert content.startswith('Left open: "41", asked: Why is that so?')


def test_words_of_any_talk_do_not_tie_an_answer_to_a_goal(db: MemoryDatabase) -> None:
    add_goal(db, INES, "One figure on each slide", NOW)
    flushed(db, "s1", [asked("x1", "satisfied", question="Which figure on this slide is booked?")])
    assert goals(db, INES)[0].moved_by == ()
