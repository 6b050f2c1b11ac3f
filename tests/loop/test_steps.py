"""What comes next is seen from the state alone: nothing is written, nobody is asked, and it is repeatable."""

from __future__ import annotations

import copy
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from orchestrator import Home, Session
from orchestrator.material.values import Segment
from orchestrator.panel.loop import contradiction_looks, moderator, recorded, refreshing
from orchestrator.panel.loop.state import Live
from orchestrator.panel.loop.state_page import show_state_again
from orchestrator.panel.loop.steps import (
    Ask,
    End,
    Judge,
    Listen,
    Look,
    Piece,
    Refresh,
    ShowState,
    Speak,
    Step,
    TakeAnswer,
    next_step,
)
from orchestrator.panel.records.kinds import KINDS, fold
from orchestrator.panel.records.projection import Projection
from tests.helpers.rehearsals import loaded, write_rehearsal
from tests.helpers.steady import DECK, SteadyEngine

QUIET = Live(silent_s=0.0)


@pytest.mark.parametrize("mode", ["section-breaks", "hand-raise", "free-flow"])
def test_a_recording_is_a_row_of_steps_that_only_the_driver_carries_out(
    home: Path, tmp_path: Path, mode: str
) -> None:
    taken: list[Step] = []
    with loaded(home, write_rehearsal(tmp_path), mode=mode) as session:
        rehearsal = session.rehearsal
        while True:
            before, head = copy.deepcopy(session.projection), session.ledger_head
            state = rehearsal.state()
            taken.append(next_step(state))
            assert next_step(state) == taken[-1]
            assert (session.projection, session.ledger_head) == (before, head)
            if not recorded.step(rehearsal):
                break
    assert taken[0] == Speak(moderator.OPENING)
    assert taken[-1] == End()
    kinds = Counter(type(step) for step in taken)
    assert kinds[Listen] > 8 < kinds[Refresh]
    assert kinds[TakeAnswer] == kinds[Judge] >= kinds[Ask] - 1 > 0  # the last Ask may find nobody
    pieces = [step.piece for step in taken if isinstance(step, Listen)]
    assert pieces.count(Piece.SEGMENT) == 8
    assert pieces.count(Piece.PLAYED_OUT) == 1
    assert (Piece.SECTION_END in pieces) is (mode == "section-breaks")
    assert any(one.at_pause for one in taken if isinstance(one, Ask)) is (mode != "section-breaks")


@pytest.fixture
def session(home: Path) -> Iterator[Session]:
    """One in which somebody has spoken, and every panelist has a question."""
    given: dict[str, Any] = {"engine": SteadyEngine(), "mode": "hand-raise", "exchanges": 3}
    with Session.start(Home.open(home), deck_text=DECK, **given) as made:
        made.slide(1)
        made.add_segment(Segment("Good morning", 0.0, 1.0, "Ines"))
        refreshing.refresh(made.rehearsal, "slide")
        yield made


def step(session: Session, live: Live) -> Step:
    return next_step(session.rehearsal.state(live))


def test_live_the_panel_comes_in_at_a_silence_and_waits_for_the_answer(session: Session) -> None:
    contradiction_looks.look_if_due(session.rehearsal)
    assert step(session, QUIET) == Listen()
    silent = replace(QUIET, silent_s=3.0)
    assert step(session, silent) == Listen()  # the presenter has only begun
    session.projection.quiet_from_s = -30.0  # and now has had half a minute
    assert step(session, silent) == Ask(at_pause=True)
    assert session.ask("skeptic") is not None
    assert step(session, silent) == Listen()  # nothing was said to it
    session.add_segment(Segment("It is so.", 2.0, 3.0, "Ines"))
    assert step(session, QUIET) == Listen()
    assert step(session, silent) == Listen()  # a pause within an answer is no end of it
    assert step(session, replace(QUIET, silent_s=9.9)) == Listen()
    assert step(session, replace(QUIET, silent_s=10.0)) == TakeAnswer()
    assert step(session, replace(QUIET, is_over=True)) == TakeAnswer()
    session.take_answer("It is so.")
    assert step(session, silent) == Listen()  # it is judged elsewhere
    assert step(session, replace(silent, owes_verdict=True)) == Judge()


def test_live_the_others_are_refreshed_once_the_answer_is_complete(session: Session) -> None:
    """Before that nothing can come of it: no other question can be put, and half an answer is none."""
    contradiction_looks.look_if_due(session.rehearsal)
    assert session.ask("skeptic") is not None

    def model_step(live: Live) -> Step:
        now_s = session.projection.refreshed_at_s + 60
        return next_step(replace(session.rehearsal.state(live), has_model=True, now_s=now_s))

    session.add_segment(Segment("It is", 2.0, 3.0, "Ines"))
    assert model_step(QUIET) == ShowState()
    session.take_answer("It is so.")
    assert model_step(replace(QUIET, owes_verdict=True)) == Judge()
    judging = replace(QUIET, is_judging=True)
    assert model_step(judging) == Refresh("timer", leave_out="skeptic")
    assert step(session, judging) == Listen()  # without a model no verdict takes time
    session.judge("satisfied", reason="it is")
    assert session.projection.open is None
    assert model_step(replace(QUIET, is_looking=True)) == Refresh("timer")


def test_live_nobody_is_refreshed_while_the_last_exchange_is_open(session: Session) -> None:
    contradiction_looks.look_if_due(session.rehearsal)
    for _ in range(session.rehearsal.options.exchanges - 1):
        session.ask()
        session.answer("It is so.")
    assert session.ask() is not None
    session.take_answer("It is so.")
    state = session.rehearsal.state(replace(QUIET, is_judging=True))
    later = replace(state, has_model=True, now_s=state.now_s + 60)
    assert next_step(later) == ShowState()  # no other question can be put any more


def test_live_candidates_that_cost_nothing_are_looked_at_while_an_answer_lasts(session: Session) -> None:
    contradiction_looks.look_if_due(session.rehearsal)
    assert session.ask("skeptic") is not None
    session.add_segment(Segment("It is", 2.0, 3.0, "Ines"))
    session.rehearsal.playing_s = session.projection.refreshed_at_s + 14.9
    assert step(session, QUIET) == Listen()
    session.rehearsal.playing_s = session.projection.refreshed_at_s + 15.0
    assert step(session, QUIET) == Refresh("timer")
    refreshing.refresh(session.rehearsal, "timer")
    assert step(session, QUIET) == Listen()
    session.slide(2)
    assert step(session, QUIET) == Refresh("slide")


def test_the_state_is_shown_anew_every_15_s_while_a_question_is_open_and_no_sooner(session: Session) -> None:
    contradiction_looks.look_if_due(session.rehearsal)
    assert session.ask("skeptic") is not None
    put_s, pages = session.rehearsal.now_s(), []
    for after_s in (5.0, 14.0, 15.0, 16.0, 29.0, 30.0, 30.5):
        session.rehearsal.playing_s = put_s + after_s
        state = replace(session.rehearsal.state(QUIET), has_model=True)
        if (found := next_step(state)) == ShowState():
            show_state_again(session.rehearsal)
            pages.append((after_s, session.read("moderator/session-state.md").count("0:30 answering")))
            assert next_step(replace(session.rehearsal.state(QUIET), has_model=True)) == Listen()
        else:
            assert found == Listen()
    assert pages == [(15.0, 0), (30.0, 1)]


def test_live_a_look_goes_on_beside_everything_else(session: Session) -> None:
    assert step(session, QUIET) == Look()
    assert step(session, replace(QUIET, is_looking=True)) == Listen()


def test_live_a_break_waits_for_questions_that_are_being_made(session: Session) -> None:
    contradiction_looks.look_if_due(session.rehearsal)
    session.projection.break_due = True
    assert step(session, QUIET) == Listen()  # the words so far end no sentence
    silent = replace(QUIET, silent_s=2.0)
    assert step(session, silent) == Ask()
    assert step(session, replace(silent, is_asking=True)) == Listen()
    assert step(session, replace(silent, is_asking=True, waited_s=6.0)) == Ask()


def test_live_the_end_waits_for_what_is_under_way_and_begins_nothing(session: Session) -> None:
    over = replace(QUIET, is_over=True)
    assert step(session, over) == End()
    assert step(session, replace(over, is_judging=True)) == Listen()
    session.projection.state = "closing"
    assert step(session, replace(QUIET, silent_s=60.0)) == Listen()
    assert step(session, over) == End()
    session.end(without_debrief=True)
    assert step(session, QUIET) == End()


def test_every_value_of_a_ledger_that_has_a_row_folds_to_the_same_room(home: Path, tmp_path: Path) -> None:
    with loaded(home, write_rehearsal(tmp_path)) as session:
        assert session.play()
        store, again = session.rehearsal.store, Projection()
        seen = set()
        for entry in store.entries():
            record = store.record(entry.seq)
            fold(again, record)
            seen.add(record.type)
        assert again == session.projection
        assert len(seen & {type_ for type_, _ in KINDS}) > 15
