"""An answer that is taken back: it counts nowhere, its question is open again, and nothing is deleted."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from orchestrator import Home, Session
from orchestrator.core.errors import SessionStateError
from orchestrator.core.store.history import LEDGER_NAME
from orchestrator.core.store.ledger import Record, held
from orchestrator.material.values import Segment
from orchestrator.memory.facts import FactLog
from orchestrator.memory.past_sessions import exchanges_of
from orchestrator.panel.debrief import phrasing
from orchestrator.panel.engines.protocol import JudgementRequest, Request
from orchestrator.panel.loop import refreshing
from orchestrator.panel.loop.turns import withdrawable
from orchestrator.panel.records import taken_back
from orchestrator.panel.records.kinds import fold
from orchestrator.panel.records.projection import Playback
from orchestrator.panel.records.speech import SpeechHeard
from orchestrator.review.reading import read
from orchestrator.web.timeline import Asked, Speech, Withdrawn, as_markdown, timeline
from tests.helpers.board import facts_of
from tests.helpers.steady import DECK, SteadyEngine

WRONG = "The fund holds ninety million."
RIGHT = "The fund holds 19 million."


class Judge(SteadyEngine):
    """One that keeps what it was asked to judge."""

    def __init__(self) -> None:
        super().__init__()
        self.judged: list[JudgementRequest] = []

    def _reply(self, request: Request[Any]) -> object:
        if isinstance(request, JudgementRequest):
            self.judged.append(request)
        return super()._reply(request)


@pytest.fixture
def judge() -> Judge:
    return Judge()


@pytest.fixture
def session(home: Path, judge: Judge) -> Iterator[Session]:
    """One in which somebody has spoken, and every panelist has a question."""
    with Session.start(Home.open(home), deck_text=DECK, engine=judge, exchanges=9) as made:
        made.slide(1)
        made.add_segment(Segment("Good morning.", 0.0, 1.0))
        refreshing.refresh(made.rehearsal, "slide")
        assert made.ask("skeptic") is not None
        yield made


def said(session: Session) -> list[str]:
    """What counts as said by the presenter."""
    return [segment.text for _, segment in session.rehearsal.said()]


def test_its_question_is_open_again_and_the_new_answer_is_judged_alone(
    session: Session, judge: Judge
) -> None:
    session.answer(WRONG)
    assert [one.outcome for one in session.projection.exchanges] == ["satisfied"]
    assert session.floor().back == "x1"
    again = session.answer_back()
    assert (again.id, again.outcome, [turn.answer for turn in again.turns]) == ("x1", None, [None])
    projection = session.projection
    assert (projection.open, projection.exchanges, projection.state) == (again, [], "answering")
    assert session.floor().phase == "asked"
    assert session.floor().back is None
    assert said(session) == ["Good morning."]
    session.answer("It holds nine million.")
    request = judge.judged[-1]
    assert request.exchange.turns[-1].answer == "It holds nine million."
    assert WRONG not in " ".join(one.text for one in request.scene.segments)
    assert [one.id for one in session.projection.exchanges] == ["x1"]
    assert "takes the answer to" in session.read("shared/presenter-transcript.md")
    assert WRONG in session.read("shared/presenter-transcript.md")
    assert "the answer was taken back" in session.read("shared/exchange-history.md")
    assert session.verify().valid


def test_the_follow_up_falls_with_it(session: Session) -> None:
    session.answer("No.")
    assert session.projection.open is not None
    assert len(session.projection.open.turns) == 2
    assert [turn.answer for turn in session.answer_back().turns] == [None]
    session.answer("Yes.")
    session.answer_back()
    with pytest.raises(SessionStateError, match="there is no answer to take back"):
        session.answer_back()


@pytest.mark.own_memory
def test_each_time_that_an_answer_is_taken_back_costs_the_same_more(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    folds: list[int] = []
    take = taken_back.take

    def counted(*given: Any) -> None:
        folds[-1] += 1
        take(*given)

    monkeypatch.setattr(taken_back, "take", counted)
    for _ in range(20):
        session.take_answer(WRONG)
        folds.append(0)
        session.answer_back()
    assert len({after - before for before, after in pairwise(folds)}) == 1
    with Session.open(None, session.path) as again:
        assert again.projection == session.projection


def test_of_two_answers_the_last_is_taken_back(session: Session) -> None:
    session.answer("No.")
    session.answer("Not quite.")
    again = session.answer_back()
    assert [turn.answer for turn in again.turns] == ["No.", None]
    assert again.turns[0].verdict == "follow_up"


def test_a_question_that_was_put_since_falls_too_and_can_be_put_again(session: Session) -> None:
    session.answer(WRONG)
    refreshing.refresh(session.rehearsal, "slide")
    other = session.ask("analyst")
    assert other is not None
    session.answer_back()
    projection = session.projection
    assert (projection.opened, [one.id for one in projection.asked]) == (1, ["x1"])
    assert projection.waiting["analyst"].status == "ready"
    assert "Status: ready" in session.read("analyst/candidate-question.md")
    session.answer("It holds nine million.")
    put_again = session.ask("analyst")
    assert put_again is not None
    assert put_again.id == "x3"  # a number is given once
    assert session.verify().valid


def test_what_somebody_else_said_meanwhile_stays(session: Session) -> None:
    session.add_segment(Segment("May I?", 5.0, 5.5, "Bob"))
    session.add_segment(Segment(WRONG, 6.0, 9.0))
    session.answer_back()
    assert [one.text for one in session.projection.spoken] == ["Good morning.", "May I?", ""]


def test_not_once_the_next_question_is_being_answered(session: Session) -> None:
    session.answer(WRONG)
    assert session.ask("analyst") is not None
    session.add_segment(Segment("Well,", 5.0, 6.0))
    again = session.answer_back()  # what was begun is
    assert (again.id, session.projection.heard) == ("x2", [])
    session.answer("Ten.")
    assert session.answer_back().id == "x2"
    assert [one.id for one in session.projection.exchanges] == ["x1"]
    with pytest.raises(SessionStateError, match="the next question is being answered"):
        session.answer_back()


def test_a_question_that_was_parked_with_words_is_open_again(session: Session) -> None:
    session.add_segment(Segment("I would rather", 5.0, 6.0))
    parked = session.park()
    assert parked.turns[-1].answer == "I would rather"
    assert session.answer_back().outcome is None


def test_what_was_said_to_a_question_is_its_answer_also_where_more_is_typed(session: Session) -> None:
    session.add_segment(Segment("It grew", 5.0, 6.0))
    session.answer("by four percent.")
    assert session.projection.exchanges[0].turns[0].answer == "It grew by four percent."


def test_an_answer_cut_off_by_the_end_is_kept(session: Session) -> None:
    session.add_segment(Segment("It grew", 5.0, 6.0))
    session.end(without_debrief=True)
    (exchange,) = session.projection.exchanges
    assert (exchange.turns[0].answer, exchange.outcome) == ("It grew", "unjudged")


def test_a_key_ends_what_was_said_and_nothing_else(session: Session) -> None:
    with pytest.raises(SessionStateError, match="nothing was said to this question yet"):
        session.answer_done()
    session.add_segment(Segment("It is so.", 5.0, 6.0))
    assert session.answer_done().verdict == "satisfied"


def test_a_key_has_an_answer_judged_that_was_taken_and_not_judged(session: Session, judge: Judge) -> None:
    session.take_answer("It is so.")
    assert session.answer_done().verdict == "satisfied"
    assert [one.exchange.turns[-1].answer for one in judge.judged] == ["It is so."]


def test_what_off_the_record_hid_stays_hidden(session: Session) -> None:
    hidden = "Off the record: the fund holds ninety million."
    session.answer(hidden)
    session.answer_back()
    assert "ninety million" not in session.context("skeptic").text
    assert "ninety million" not in session.context("analyst").text
    session.answer("It holds nine million.")
    assert "ninety million" not in session.context("skeptic").text


@pytest.mark.own_memory
def test_memory_debrief_review_and_archive_leave_it_out(session: Session) -> None:
    session.answer(WRONG)
    session.answer_back()
    assert exchanges_of(session.path) == ()
    session.answer("It holds nine million.")
    told = " ".join(one.content for one in session.recap().recent_entries)
    assert "ninety" not in told
    log = FactLog()
    store = session.rehearsal.store
    for entry in store.entries():
        log.take(store.record(entry.seq))
    assert not any("ninety" in passage.text for passage in log.waiting.values())
    assert any("nine million" in passage.text for passage in log.waiting.values())
    spoken = [one for one in timeline(session.rehearsal) if isinstance(one, Speech)]
    assert [one.is_taken_back for one in spoken if "ninety" in one.text] == [True]
    session.end()
    assert [len(review.exchange.turns) for review in session.debrief().reviews] == [1]
    assert "ninety" not in (session.path / "debrief.md").read_text("utf-8")
    listed, passages = read(session.id, (session.path / LEDGER_NAME).read_bytes(), None)
    assert listed.outcomes == {"satisfied": 1}
    assert not [one for one in passages if "ninety" in one.text]
    assert facts_of(session.path).exchanges == 1
    assert [one.id for one in exchanges_of(session.path)] == ["x1"]
    assert session.verify().valid


@pytest.mark.nameless
def test_the_review_strikes_what_was_withdrawn_and_shows_each_answer_once(session: Session) -> None:
    session.answer(WRONG)  # typed
    refreshing.refresh(session.rehearsal, "slide")
    assert session.ask("analyst") is not None
    session.answer_back()
    session.add_segment(Segment("It holds", 20.0, 21.0))  # spoken
    session.add_segment(Segment("nineteen million.", 21.0, 23.0))
    session.answer_done()
    session.add_segment(Segment("Now to the pilot.", 30.0, 31.0))
    told = [
        (one.kind, one.speaker, one.text, one.is_taken_back)
        if isinstance(one, Speech)
        else (one.kind, one.id, *(turn.answer for turn in one.turns))
        if isinstance(one, Asked)
        else (one.kind, one.id)
        for one in timeline(session.rehearsal)
        if isinstance(one, Speech | Asked | Withdrawn)
    ]
    assert told == [
        ("speech", "Presenter", "Good morning.", False),
        ("question", "x1", "It holds nineteen million."),
        ("speech", "Presenter", WRONG, True),
        ("withdrawn", "x2"),
        ("speech", "Presenter", "Now to the pilot.", False),
    ]
    written = as_markdown(session, timeline(session.rehearsal))
    assert f"**Presenter:** ~~{WRONG}~~ (taken back as an answer)" in written
    assert "(withdrawn with the answer that was taken back)" in written
    assert (
        phrasing.asked(session.debrief())
        == "1 question: 1 answered. x2 was withdrawn, with the answer before."
    )


def test_words_of_an_earlier_release_are_the_answer_as_they_were(session: Session) -> None:
    """Before 0.3 no record said of what words are part: all of the presenter's were the answer."""
    before = session.projection.copy()
    piece = SpeechHeard(Segment("We are the leading operator.", 0.0, 1.0))
    record = Record(10_000, "append", "transcript", 5.0, "2026-11-23T10:00:00.000001Z", held=held(piece))
    fold(before, record)
    assert [one.text for one in before.heard] == ["We are the leading operator."]


def test_what_was_corrected_in_an_answer_falls_with_it(session: Session) -> None:
    before = session.projection.copy()
    session.add_segment(Segment(WRONG, 5.0, 6.0))
    session.correct(2, RIGHT)
    session.answer("That is audited.")
    session.correct(3, "That is not audited.")
    assert [one.id for one in session.projection.speech_claims] == ["s2.1"]
    session.answer_back()
    projection = session.projection
    assert (projection.speech_claims, projection.claims_by_id) == ([], before.claims_by_id)
    assert (projection.misheard, projection.answered_in, projection.heard) == ([], {}, [])
    assert projection.answers_given == set()
    assert said(session) == ["Good morning."]
    assert [one.text for one in projection.segments[1:]] == [RIGHT, "That is not audited."]  # in their place
    assert [(one.text, one.misheard) for one in projection.spoken[1:]] == [("", None), ("", None)]
    moments = [one for one in timeline(session.rehearsal) if isinstance(one, Speech)]
    assert [one.text for one in moments if one.is_taken_back] == [f"{RIGHT} That is not audited."]
    log, store = FactLog(), session.rehearsal.store
    for entry in store.entries():
        log.take(store.record(entry.seq))
    assert not [one.text for one in log.waiting.values() if "million" in one.text or "audited" in one.text]
    with Session.open(None, session.path) as again:
        assert again.projection == projection
    assert session.verify().valid


def test_a_correction_of_the_talk_stays_where_an_answer_is_taken_back(session: Session) -> None:
    session.answer(WRONG)
    session.correct(1, "Good evening.")
    session.answer_back()
    assert said(session) == ["Good evening."]
    assert session.projection.segments[0].misheard == "Good morning."
    session.answer("No.")
    session.correct(3, "Nor.")
    session.answer_back()  # numbers count what was taken back before
    assert [one.text for one in session.projection.segments] == ["Good evening.", WRONG, "Nor."]
    assert said(session) == ["Good evening."]


def test_what_was_taken_back_is_not_corrected(session: Session) -> None:
    session.answer(WRONG)
    session.answer_back()
    with pytest.raises(SessionStateError, match="segment 2 was taken back as an answer"):
        session.correct(2, RIGHT)
    assert session.projection.speech_claims == []


def test_a_search_finds_each_correction_by_its_segment(session: Session) -> None:
    session.answer(WRONG)
    session.correct(2, RIGHT)
    session.answer_back()
    session.answer("It holds nine million.")
    session.add_segment(Segment("Let us go on.", 9.0, 10.0))
    session.correct(4, "Let us go home.")
    _, passages = read("s1", (session.path / LEDGER_NAME).read_bytes(), None)
    found = " ".join(one.text for one in passages)
    assert "Let us go home." in found
    assert "Let us go on." not in found
    assert WRONG not in found
    assert RIGHT not in found


def test_the_delivery_counts_no_word_that_was_taken_back_or_not_said(session: Session) -> None:
    before = session.debrief().delivery
    session.add_segment(Segment("Um, the fund holds, um, ninety million.", 20.0, 60.0))
    session.answer_done()
    session.answer_back()
    session.add_segment(Segment("I can't believe that.", 100.0, 101.0))
    session.correct(len(session.projection.segments), "")
    after = session.debrief().delivery
    assert (before.words, before.spoken_s) == (2, 1.0)
    assert replace(after, pauses=before.pauses, monologue=before.monologue) == before


def test_every_panelists_notes_say_that_a_contradiction_was_taken_back(session: Session) -> None:
    words = "That is 3 million for boats, 4 million for piers and 5 million for staff, 14 million in total."
    session.add_segment(Segment(words, 5.0, 9.0))
    session.answer_done()
    session.answer_back()
    for agent in session.rehearsal.options.panel:
        noted = session.read(f"{agent}/exchange-notes.md").splitlines()
        assert [line.partition(" (")[0] for line in noted if "(sum)" in line] == [
            "- Found while listening",
            "- No contradiction, its words were taken back",
        ]


def test_no_answer_of_a_recording_that_is_played_is_offered_to_be_taken_back(session: Session) -> None:
    session.answer(WRONG)
    projection = session.projection.copy()
    assert withdrawable(projection) is not None
    projection.playback = Playback("run", "talk.vtt", ())
    assert withdrawable(projection) is None
