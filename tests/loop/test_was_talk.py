"""What was taken for an answer was the talk: it counts as such, and the question waits for a pause."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from orchestrator import Home, Session
from orchestrator.core.errors import SessionStateError
from orchestrator.material.values import LiveSegment, Segment
from orchestrator.memory.facts import FactLog
from orchestrator.panel.debrief.build import debrief_of
from orchestrator.panel.loop import refreshing, turns
from orchestrator.web.timeline import Speech, timeline
from orchestrator.web.view import room_view
from tests.helpers.steady import DECK, SteadyEngine
from tests.helpers.turn_play import begin, check, played

WORDS = "The fund holds 19 million."


@pytest.fixture
def session(home: Path) -> Iterator[Session]:
    """One in which somebody has spoken, and a question is put."""
    with Session.start(Home.open(home), deck_text=DECK, engine=SteadyEngine(), exchanges=9) as made:
        made.slide(1)
        made.add_segment(Segment("Good morning.", 0.0, 1.0, slide=1))
        refreshing.refresh(made.rehearsal, "slide")
        assert made.ask("skeptic") is not None
        yield made


def said(session: Session) -> list[tuple[str, float, int | None]]:
    """What counts as said, with its time and slide."""
    return [(one.text, one.start_s, one.slide) for _, one in session.rehearsal.said()]


@pytest.mark.parametrize("is_judged", [False, True])
def test_words_of_the_talk_keep_their_times_and_slides(session: Session, is_judged: bool) -> None:
    session.add_segment(Segment(WORDS, 5.0, 6.0, slide=1))
    session.slide(2)
    session.add_segment(Segment("We turn the page.", 7.0, 8.0, slide=2))
    if is_judged:
        session.answer_done()
    waiting = session.answer_was_talk()
    assert (waiting.id, [turn.answer for turn in waiting.turns]) == ("x1", [None])
    assert said(session) == [
        ("Good morning.", 0.0, 1),
        (WORDS, 5.0, 1),
        ("We turn the page.", 7.0, 2),
    ]
    projection = session.projection
    assert (projection.heard, projection.exchanges, projection.withdrawn) == ([], [], set())
    assert [claim.id for claim in projection.speech_claims] == ["s2.1"]
    floor = session.floor()
    assert (floor.phase, floor.back) == ("talk", None)
    assert "was the talk, says the presenter. It counts as such" in session.read(
        "shared/presenter-transcript.md"
    )
    assert "State: presenting" in session.read("moderator/session-state.md")
    with Session.open(None, session.path) as again:
        assert again.projection == projection
    assert session.verify().valid


def test_an_answer_that_was_typed_is_written_again_as_speech(session: Session) -> None:
    session.answer("The fund holds ninety million.")
    session.correct(2, WORDS)
    answered = session.projection.segments[1]
    session.answer_was_talk()
    assert said(session) == [("Good morning.", 0.0, 1), (WORDS, answered.start_s, answered.slide)]
    assert session.projection.segments[2].misheard == "The fund holds ninety million."
    assert debrief_of(session.rehearsal).delivery.others_s == 0
    assert [claim.id for claim in session.projection.speech_claims] == ["s3.1"]
    with Session.open(None, session.path) as again:
        assert again.projection == session.projection
    assert session.verify().valid


def test_what_was_corrected_in_it_is_the_talks_too(session: Session) -> None:
    session.add_segment(Segment("The fund holds ninety million.", 5.0, 6.0, slide=1))
    session.answer_done()
    session.correct(2, WORDS)
    session.answer_was_talk()
    assert said(session) == [("Good morning.", 0.0, 1), (WORDS, 5.0, 1)]
    log, store = FactLog(), session.rehearsal.store
    for entry in store.entries():
        log.take(store.record(entry.seq))
    told = [(one.text, one.kind) for one in log.waiting.values() if "million" in one.text]
    assert told == [(WORDS, "speech")]
    assert session.projection.open is not None
    assert session.projection.open.turns[0].answer is None


def test_nobody_answers_the_question_while_it_waits_and_ask_puts_it_again(session: Session) -> None:
    session.add_segment(Segment(WORDS, 5.0, 6.0))
    session.answer_was_talk()
    for refused in (session.answer_done, session.park, session.answer_back, session.answer_was_talk):
        with pytest.raises(SessionStateError):
            refused()
    with pytest.raises(SessionStateError, match="no question is open"):
        session.answer("Four percent.")
    session.add_segment(Segment("So much for the fund.", 7.0, 8.0))
    again = session.ask()
    assert again is not None
    assert (again.id, again.turns[-1].answer) == ("x1", None)
    session.answer("It is audited.")
    assert [(one.id, one.turns[0].answer) for one in session.projection.exchanges] == [
        ("x1", "It is audited.")
    ]
    assert session.answer_back().turns[-1].answer is None
    assert [text for text, _, _ in said(session)] == ["Good morning.", WORDS, "So much for the fund."]


def test_of_a_follow_up_the_answer_before_stays(session: Session) -> None:
    session.answer("No.")
    session.add_segment(Segment(WORDS, 5.0, 6.0))
    waiting = session.answer_was_talk()
    assert [turn.answer for turn in waiting.turns] == ["No.", None]
    again = session.ask()
    assert again is not None
    assert [turn.answer for turn in again.turns] == ["No.", None]
    assert session.floor().phase == "asked"


def test_debrief_and_review_take_it_as_talk(session: Session) -> None:
    session.add_segment(Segment(WORDS, 5.0, 6.0))
    session.answer_done()
    session.answer_was_talk()
    spoken = [one.text for one in timeline(session.rehearsal) if isinstance(one, Speech)]
    assert WORDS in " ".join(spoken)
    assert WORDS in session.context("skeptic").text
    session.end()
    assert [one.exchange.turns[-1].answer for one in session.debrief().reviews] == [None]
    assert session.verify().valid


def test_what_off_the_record_hid_stays_hidden(session: Session) -> None:
    session.answer("Off the record: the fund holds ninety million.")
    session.answer_was_talk()
    assert "ninety million" not in session.context("skeptic").text
    assert "ninety million" not in session.context("analyst").text


def test_the_question_waits_until_the_presenter_has_gone_on_and_paused(tmp_path: Path) -> None:
    shutil.copytree(begin(tmp_path / "fresh"), tmp_path / "talk")
    with played(tmp_path / "talk") as one:
        one.act("ask", 0.0)
        one.act("speak", 1.0)
        one.pass_time(1.0)
        one.act("talk", 0.0)
        one.pass_time(30.0)
        assert (one.session.projection.asking, one.session.projection.gave_way_s is None) == (None, False)
        one.act("speak", 3.0)
        assert one.session.projection.asking is None
        one.pass_time(4.0)
        assert one.session.floor().phase == "asked"
        assert [turn.answer for turn in one.session.projection.asked[0].turns] == [None]
        one.act("speak", 1.0)
        one.pass_time(12.0)
        assert one.session.projection.asked[0].turns[0].answer == "word3"
        one.act("talk", 0.0)
        one.act("now", 0.0)  # it can be asked for
        assert one.session.floor().phase == "asked"
        assert turns.withdrawable(one.session.projection) is None
        one.pass_time(30.0)
        check(one)


def test_the_clock_never_goes_back_and_captions_stand_by_time(session: Session) -> None:
    session.run_clock()
    rehearsal = session.rehearsal

    def used_s() -> float:
        return room_view(rehearsal, is_driven_here=False).used_s

    def at_clock(seconds: float) -> None:
        rehearsal.clock.stop()
        rehearsal.store.clock = lambda: seconds

    at_clock(10.0)
    used = [used_s()]
    at_clock(14.0)
    session.answer(" ".join(["word"] * 115))
    used.append(used_s())
    at_clock(18.0)
    session.hear(LiveSegment("So much for the fund.", 17.0))
    used.append(used_s())
    session.answer_was_talk()
    used.append(used_s())
    at_clock(20.0)
    session.add_segment(Segment("We go on.", 19.0, 20.0))
    assert used == [10.0, 14.0, 18.0, 18.0]
    shown = room_view(rehearsal, is_driven_here=False).captions
    assert [(one.at_s, one.number) for one in shown] == [(0.0, 1), (14.0, 4), (17.0, 3), (19.0, 5)]
    moments = [(one.kind, one.at_s) for one in timeline(rehearsal)]
    talk = [("speech", 14.0), ("speech", 14.0)]  # the answer that is none, and the same words as talk
    assert moments == [("slide", 0.0), ("speech", 0.0), ("question", 1.0), *talk]
