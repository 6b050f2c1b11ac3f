"""The measure of a spoken rehearsal: words right, misheard, in another's turn, and not heard."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from orchestrator.material.values import LiveSegment
from tests.helpers.turn_play import begin, played
from tests.web.spoken_words import TAKEN_BACK, TALK, Landed, Outcome, Spoken, landed_in, outcomes

SAID = (
    Spoken("We carry chilled food and medicine for hospitals.", TALK, "x1", 0, 4),
    Spoken("Our drivers told us so themselves.", "x1.1", "x1", 10, 12),
    Spoken("Every depot has three chargers now.", "x2.1", "x2", 20, 23),
)
HEARD = tuple(Landed(one.text, one.turn, one.start_s + 0.2, one.end_s + 0.3) for one in SAID)


def test_words_in_their_turn_are_right() -> None:
    assert outcomes(SAID, HEARD) == [Outcome("x1", 14), Outcome("x2", 6)]


def test_words_are_misheard_one_by_one_and_a_stretch_without_any_is_lost() -> None:
    heard = [
        replace(HEARD[0], text="We carry killed food and the medicine for hospitals"),
        replace(HEARD[1], text="Our drivers"),
        HEARD[2],
    ]
    assert outcomes(SAID, heard) == [Outcome("x1", 9, 2, lost=("told us so themselves",)), Outcome("x2", 6)]
    assert outcomes(SAID, HEARD[:2])[1] == Outcome("x2", lost=("every depot has three chargers now",))


def test_other_words_in_their_place_are_no_loss() -> None:
    said = Spoken("The insurance covers the loss of a whole load of medicine.", "x1.1", "x1", 0, 4)
    heard = Landed("The insurance cameras that lost in the full load on Madison.", "x1.1", 0, 4)
    assert outcomes([said], [heard]) == [Outcome("x1", 3, 8)]


def test_words_are_sought_by_their_time_whatever_they_say() -> None:
    heard = [HEARD[0], replace(HEARD[1], text="Or drive us", turn=TALK), HEARD[2]]
    in_talk = ("or (talk, not x1.1)", "drive (talk, not x1.1)", "us (talk, not x1.1)")
    first, second = outcomes(SAID, heard)
    assert (first.wrong, first.is_good) == (in_talk, False)
    assert (second, second.is_good) == (Outcome("x2", 6), True)


def test_what_is_recognised_where_nobody_spoke_belongs_to_nobody() -> None:
    assert outcomes(SAID, [*HEARD, Landed("Thank you.", TALK, 40, 41)]) == outcomes(SAID, HEARD)


def test_the_turn_of_each_piece_is_read_from_the_records(tmp_path: Path) -> None:
    with played(begin(tmp_path)) as one:

        def say(text: str) -> None:
            one.hear(LiveSegment(text, one.clock.at_s, one.clock.at_s + 1))
            one.pass_time(1)
            one.look()

        say("This is the talk.")
        one.act("ask", 0)
        say("This will not do.")
        one.act("done", 0)
        one.act("back", 0)
        say("This is the answer.")
        one.act("done", 0)
        say("This is the talk again.")
        found = [(piece.text, piece.turn) for piece in landed_in(one.session)]
    assert found == [
        ("This is the talk.", TALK),
        ("This will not do.", TAKEN_BACK),
        ("This is the answer.", "x1.1"),
        ("This is the talk again.", TALK),
    ]
