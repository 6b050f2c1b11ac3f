"""session-state.md: the slide that is shown and the time that is used up, whatever goes on."""

from __future__ import annotations

from pathlib import Path

from orchestrator import Home, Session
from orchestrator.material.speech.read import read_speech
from orchestrator.material.values import Segment
from orchestrator.panel.loop import refreshing
from orchestrator.panel.loop.answers import take_heard
from tests.helpers.rehearsals import write_rehearsal
from tests.helpers.steady import DECK, SteadyEngine


def line(session: Session, name: str) -> str:
    page = session.read("moderator/session-state.md")
    return next(one for one in page.splitlines() if one.startswith(f"- {name}: "))


def test_a_fed_talk_is_followed_slide_by_slide(home: Path, tmp_path: Path) -> None:
    files = write_rehearsal(tmp_path)
    with Session.start(Home.open(home), files.deck, engine="offline") as session:
        assert line(session, "Slide") == "- Slide: none yet"
        session.load(read_speech(files.speech), kind="feed")
        seen: list[str] = []
        times: list[str] = []

        def look(_: object) -> None:
            seen.append(line(session, "Slide"))
            times.append(line(session, "Time"))
            assert session.projection.slide is None or seen[-1] == f"- Slide: {session.projection.slide}"

        assert session.play(on_step=look)
        assert list(dict.fromkeys(seen)) == [f"- Slide: {number}" for number in (1, 2, 3, 4)]
        assert times[-1].startswith("- Time: 1:")  # it is 1:45 by now: the page follows by the minute


def test_a_slide_that_is_changed_while_a_question_is_open_leaves_the_question(home: Path) -> None:
    with Session.start(Home.open(home), deck_text=DECK, engine=SteadyEngine()) as session:
        session.slide(1)
        asked = session.ask("skeptic")
        assert asked is not None
        session.slide(2)
        assert (line(session, "State"), line(session, "Slide")) == ("- State: answering", "- Slide: 2")
        assert line(session, "Exchange").startswith("- Exchange: x1")


def test_live_the_clock_that_runs_while_a_question_is_open_is_answering(home: Path) -> None:
    with Session.start(Home.open(home), deck_text=DECK, engine=SteadyEngine()) as session:
        rehearsal = session.rehearsal
        rehearsal.playing_s = 60.0  # as the wall clock would have it
        session.add_segment(Segment("Good morning.", 0.0, 60.0, "Ines"))
        assert session.ask("skeptic") is not None
        rehearsal.playing_s = 90.0
        session.add_segment(Segment("It is so.", 62.0, 90.0, "Ines"))
        take_heard(rehearsal)
        assert line(session, "Time") == "- Time: 1:30 of 20:00 (1:00 presenting, 0:30 answering)"
        session.judge("satisfied", reason="it is")
        rehearsal.playing_s = 125.0
        refreshing.refresh(rehearsal, "timer")
        assert line(session, "Time") == "- Time: 2:05 of 20:00 (1:35 presenting, 0:30 answering)"
        found = session.debrief()
        assert (found.speech_s, found.answers_s, found.used_s) == (95.0, 30.0, 125.0)


def test_in_a_recording_the_clock_waits_and_the_words_of_the_answer_count(home: Path) -> None:
    with Session.start(Home.open(home), deck_text=DECK, engine=SteadyEngine()) as session:
        session.rehearsal.playing_s = 60.0
        session.add_segment(Segment("Good morning.", 0.0, 60.0, "Ines"))
        assert session.ask("skeptic") is not None
        session.answer(" ".join(["word"] * 75))
        session.slide(2)
        assert line(session, "Time") == "- Time: 1:30 of 20:00 (1:00 presenting, 0:30 answering)"


def test_the_question_that_the_end_closes_is_counted(home: Path) -> None:
    with Session.start(Home.open(home), deck_text=DECK, engine=SteadyEngine()) as session:
        session.ask("skeptic", question="Why?")
        session.end(without_debrief=True)
        assert (line(session, "State"), line(session, "Exchanges")) == (
            "- State: closing",
            "- Exchanges: 1 of 8",
        )
