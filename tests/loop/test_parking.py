"""Coming back to a question later: the wish, the moment, and what is left for home."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from orchestrator import Home, Session
from orchestrator.core.errors import SessionStateError
from orchestrator.material.values import Segment
from orchestrator.panel.answers import Answer, wish_to_park
from orchestrator.panel.loop.asking import ask
from orchestrator.panel.loop.refreshing import refresh
from orchestrator.panel.loop.state import Live
from orchestrator.panel.loop.steps import Ask, next_step
from orchestrator.panel.model.exchange import Turn, not_taken_up
from orchestrator.web.view import room_view
from tests.helpers.rehearsals import greenroom, greenroom_json, write_rehearsal
from tests.helpers.steady import DECK, SteadyEngine, course, rehearsed, running_on


@pytest.mark.parametrize(
    "words",
    [
        "Let me come back to that.",
        "Good point. I do not have the figure here. Can we park this? I would rather look it up.",
        "I'll get back to you on that later in the session.",
        "I think it is about thirty percent, but let me come back to that.",
        "We’ll come back to that in a moment.",
        "Could we park that question, please?",
        "I will come back to it on slide 6.",
        "May I return to this when we reach the numbers?",
        "Let's put that aside for now.",
        "Can we leave that for the end?",
        "Can I take a minute and come back to that?",
        "Park it.",
        "Park that please.",
        "Please, park this one.",
        "Later, please.",
        "park",
    ],
)
def test_a_wish_to_come_back_parks(words: str) -> None:
    wish = wish_to_park(words)
    assert wish is not None
    assert wish in words


@pytest.mark.parametrize(
    "words",
    [
        "I'll send it to you after the meeting.",
        "I would have to come back to you on that.",
        "I will get back to you on that.",
        "I'll get back to you by Friday.",
        "I will come back to that with the exact figures next week.",
        "We'll return to that in March.",
        "We'll take that offline.",
        "I can put that in writing.",
        "Let me come back to that. In 2025 churn was 6%, in 2026 it was 4%.",
        "We can come back to that, but the answer is yes, as the auditors and the bank told us twice.",
        "Let me come back to that slide.",
        "I don't want to park this.",
        "We come back to that every quarter.",
        "Our customers come back to us.",
        "Can we park the trucks there? Yes.",
        "We will park it at the depot.",
        "Will we come back to profit? Yes, by 2027.",
        "It was parked for a year.",
        "",
    ],
)
def test_promises_answers_and_other_returns_do_not(words: str) -> None:
    assert wish_to_park(words) is None


def turns(session: Session, exchange: str) -> tuple[Turn, ...]:
    return next(one.turns for one in session.projection.exchanges if one.id == exchange)


def test_what_was_parked_during_the_talk_comes_back_at_its_end(home: Path) -> None:
    answers = (Answer("", park=True), "Two.", "Let me come back to that.", "Four.", "Five.", "Six.")
    speech = running_on(100, slide_s=30)
    with rehearsed(home, speech, *answers, mode="hand-raise", minutes=2, exchanges=6) as session:
        assert course(session) == [
            (0.0, "Opening"),
            (30.0, "Calling on a panelist"),
            (30.0, "x1", "analyst", "parked"),
            (30.0, "Parking"),
            (60.0, "Calling on a panelist"),
            (60.0, "x2", "contrarian", "satisfied"),
            (60.0, "Transition"),
            (90.0, "Calling on a panelist"),
            (90.0, "x3", "skeptic", "parked"),
            (90.0, "Parking"),
            (100.0, "Time warning 80"),
            (100.0, "Coming back"),
            (100.0, "x4", "analyst", "satisfied"),
            (100.0, "Acknowledging an answer"),
            (100.0, "Coming back"),
            (100.0, "x5", "skeptic", "satisfied"),
            (100.0, "Acknowledging an answer"),
            (100.0, "Calling on a panelist"),
            (100.0, "x6", "contrarian", "satisfied"),
            (100.0, "Acknowledging an answer"),
        ]
        wish = "the presenter asked to come back to it"
        first, third = "Question 1 of analyst?", "Question 3 of skeptic?"
        said = "Let me come back to that."
        assert turns(session, "x1") == (Turn(first, ("number",), None, None, wish),)
        assert turns(session, "x3") == (Turn(third, ("number",), said, None, wish, said),)
        assert turns(session, "x4") == (Turn(first, ("number",), "Four.", "satisfied", "as told"),)
        assert [one.comes_back_to for one in session.projection.exchanges] == [
            None,
            None,
            None,
            "x1",
            "x3",
            None,
        ]
        assert not_taken_up(session.projection.exchanges) == ()
        assert "Called on because: the question that was parked as x1 comes back." in session.read(
            "shared/exchange-history.md"
        )


def test_parked_at_the_end_it_comes_back_behind_another_question(home: Path) -> None:
    with rehearsed(
        home, running_on(30), "One.", "Two.", "Three.", "Park it.", "Five.", "Six.", exchanges=6
    ) as session:
        assert [
            (one.id, one.agent, one.comes_back_to, one.outcome) for one in session.projection.exchanges
        ] == [
            ("x1", "analyst", None, "satisfied"),
            ("x2", "contrarian", None, "satisfied"),
            ("x3", "skeptic", None, "satisfied"),
            ("x4", "analyst", None, "parked"),
            ("x5", "contrarian", None, "satisfied"),
            ("x6", "analyst", "x4", "satisfied"),
        ]


def test_it_comes_back_once_and_only_where_exchanges_are_left(home: Path) -> None:
    parks = ["Park it."] * 9
    engine = SteadyEngine(("skeptic", "analyst"))
    options: dict[str, Any] = {"panel": ("skeptic", "analyst"), "engine": engine, "exchanges": 4}
    with rehearsed(home, running_on(30), *parks, **options) as session:
        assert [(one.id, one.comes_back_to, one.outcome) for one in session.projection.exchanges] == [
            ("x1", None, "parked"),
            ("x2", None, "parked"),
            ("x3", "x1", "parked"),
            ("x4", "x2", "parked"),
        ]
        assert [one.id for one in not_taken_up(session.projection.exchanges)] == ["x3", "x4"]
    with rehearsed(home, running_on(30), *parks, exchanges=3) as session:
        assert [one.outcome for one in session.projection.exchanges] == ["parked"] * 3
        assert [one.id for one in not_taken_up(session.projection.exchanges)] == ["x1", "x2", "x3"]


def test_a_follow_up_that_is_parked_comes_back_as_its_question_and_what_it_still_needs(home: Path) -> None:
    answers = ("No.", Answer("", park=True), "Two.", "Three.", "Now.")
    with rehearsed(home, running_on(30), *answers, exchanges=4) as session:
        asked = "Question 1 of analyst?"
        wish = "the presenter asked to come back to it"
        assert turns(session, "x1") == (
            Turn(asked, ("number",), "No.", "follow_up", "as told"),
            Turn("Question x1 again?", ("number",), None, None, wish),
        )
        assert turns(session, "x4") == (Turn(asked, ("number",), "Now.", "satisfied", "as told"),)
        assert "asked" not in session.read("analyst/presenter-profile.md").lower().split("# ")[0]


def test_an_answer_for_the_parked_exchange_is_used_when_it_comes_back(home: Path) -> None:
    answers = (Answer("", exchange="x1", park=True), Answer("Now.", exchange="x1"), "Two.", "Three.")
    with rehearsed(home, running_on(30), *answers, exchanges=4) as session:
        assert turns(session, "x4")[0].answer == "Now."


def test_ask_comes_back_at_the_presenters_wish_or_when_nothing_else_is_there(home: Path) -> None:
    engine = SteadyEngine(("skeptic",))
    with Session.start(Home.open(home), deck_text=DECK, engine=engine) as session:
        assert session.ask(parked=True) is None
        first = session.ask()
        assert first is not None
        session.park()
        second = session.ask()
        assert second is not None
        assert second.comes_back_to is None
        judgement = session.answer("Can we park this?")
        assert (judgement.verdict, judgement.quote) == ("unjudged", "Can we park this?")
        assert session.projection.open is None
        back = session.ask(parked=True)
        assert back is not None
        assert (back.id, back.comes_back_to, back.turns[0].question) == ("x3", "x1", first.turns[0].question)
        with pytest.raises(SessionStateError, match="a question is still open"):
            session.ask(parked=True)
        session.answer("Here it is.")
        engine.ready = ()
        left = session.ask()
        assert left is not None
        assert left.comes_back_to == "x2"
        session.answer("And here.")
        assert session.ask() is None


@pytest.mark.parametrize("exchanges", [2, 8])
def test_a_question_that_is_wanted_now_is_the_parked_one_where_there_is_no_other(
    home: Path, exchanges: int
) -> None:
    engine = SteadyEngine(("skeptic",))
    with Session.start(Home.open(home), deck_text=DECK, engine=engine, exchanges=exchanges) as session:
        for _ in range(2):
            session.ask()
            session.park()
        engine.ready = ()
        assert room_view(session.rehearsal, is_driven_here=True).left == max(2, exchanges - 2)
        for parked in ("x1", "x2"):
            session.questions_now()
            back = ask(session.rehearsal)
            assert back is not None
            assert back.comes_back_to == parked
            session.answer("Here it is.")
        session.questions_now()
        assert ask(session.rehearsal) is None
        assert room_view(session.rehearsal, is_driven_here=True).left == max(0, exchanges - 4)


@pytest.mark.parametrize("mode", ["section-breaks", "hand-raise", "free-flow"])
def test_live_it_comes_back_by_itself_once_something_lies_between(home: Path, mode: str) -> None:
    engine = SteadyEngine(("skeptic",))
    with Session.start(Home.open(home), deck_text=DECK, engine=engine, mode=mode) as session:
        rehearsal = session.rehearsal
        session.slide(1)
        session.add_segment(Segment("Good morning.", 0.0, 1.0, slide=1))
        assert session.ask() is not None
        session.park()
        engine.ready = ()
        rehearsal.store.clock = lambda: 30.0
        at_pause = mode != "section-breaks"
        assert ask(rehearsal, at_pause=at_pause) is None  # nothing was said since
        session.add_segment(Segment("So much for that.", 27.0, 29.0, slide=1))
        refresh(rehearsal, "pause")
        assert ask(rehearsal, at_pause=at_pause) is None  # it is the same place still
        session.slide(2)
        session.add_segment(Segment("We go on.", 29.0, 30.0, slide=2))
        refresh(rehearsal, "pause")
        if at_pause:
            assert next_step(rehearsal.state(Live(silent_s=3.0, is_looking=True))) == Ask(at_pause=True)
        back = ask(rehearsal, at_pause=at_pause)
        assert back is not None
        assert (back.id, back.comes_back_to) == ("x2", "x1")
        assert room_view(rehearsal, is_driven_here=True).parked == ()


def test_once_the_exchanges_are_used_up_what_was_parked_comes_before_a_new_question(home: Path) -> None:
    with Session.start(
        Home.open(home), deck_text=DECK, engine=SteadyEngine(("skeptic",)), exchanges=1
    ) as session:
        session.ask()
        session.park()
        back = session.ask()
        assert back is not None
        assert back.comes_back_to == "x1"


def test_at_the_command_line(home: Path, tmp_path: Path) -> None:
    files = write_rehearsal(tmp_path)
    greenroom(home, "start", files.deck, "--id", "s1")
    nothing = greenroom(home, "ask", "s1", "--parked", check=False)
    assert (nothing.returncode, nothing.stderr) == (
        1,
        "greenroom: no parked question is left to come back to\n",
    )
    greenroom(home, "feed", "s1", files.speech)
    asked = greenroom_json(home, "ask", "s1")
    parked = greenroom_json(home, "answer", "s1", "Let me come back to that later.")
    assert parked == {
        "exchange": "x1",
        "verdict": "unjudged",
        "reason": "the presenter asked to come back to it",
        "quote": "Let me come back to that later.",
        "follow_up": None,
        "outcome": "parked",
    }
    back = greenroom_json(home, "ask", "s1", "--parked")
    assert asked["question"].endswith(back["question"])  # its lead-in is not said twice
    assert (back["exchange"], back["comes_back_to"], back["quote"]) == ("x2", "x1", asked["quote"])
    again = greenroom(home, "answer", "s1", "park").stdout
    assert again == "the presenter asked to come back to it\nThe exchange is closed: parked.\n"


@pytest.mark.parametrize(
    ("written", "answer"),
    [
        ("- {park: true}", Answer("", park=True)),
        ("- {park: yes, exchange: x2}", Answer("", exchange="x2", park=True)),
        ("- {park: true, text: Later.}", Answer("Later.", park=True)),
        ("- {park: false, text: Now.}", Answer("Now.")),
    ],
)
def test_an_answers_file_may_park(tmp_path: Path, written: str, answer: Answer) -> None:
    from orchestrator.panel.answers import read_answers

    path = tmp_path / "answers.yaml"
    path.write_text(written, "utf-8")
    assert read_answers(path) == (answer,)
