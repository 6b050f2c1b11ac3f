"""The rules about time: each is spoken once for its occasion, and stands in the debrief notes."""

from __future__ import annotations

from pathlib import Path

from orchestrator import Session
from tests.helpers.steady import SteadyEngine, course, recording, rehearsed, running_on


def notes(session: Session) -> list[str]:
    """The lines of the debrief notes that are not about an exchange."""
    lines = session.read("moderator/debrief-notes.md").splitlines()
    return [line for line in lines if line.startswith("- ") and not line.startswith("- x")]


def said(session: Session) -> list[tuple[float, str]]:
    """The moderator's lines but the first."""
    return [(one.at_s, one.text) for one in session.projection.said[1:]]


def test_warnings_are_spoken_at_eight_and_nine_tenths(home: Path) -> None:
    with rehearsed(home, running_on(600), minutes=10, exchanges=0) as session:
        assert course(session)[1:] == [
            (300.0, "Pause after a monologue"),
            (480.0, "Time warning 80"),
            (540.0, "Time warning 90"),
        ]
        assert notes(session) == [
            "- At 5:00: 5 min 0 s without another voice or a pause.",
            "- 80% of the time (10 min) was used up.",
            "- 90% of the time (10 min) was used up.",
        ]
        assert session.projection.warned == {0.8, 0.9}


def test_answers_count_for_the_time_also_when_the_recording_is_over(home: Path) -> None:
    """An answer of 225 words takes 90 s."""
    answer = " ".join(["word"] * 225)
    with rehearsed(home, running_on(60), *[answer] * 4, minutes=5, exchanges=4) as session:
        assert [step for step in course(session) if step[1] != "Acknowledging an answer"] == [
            (0.0, "Opening"),
            (60.0, "Calling on a panelist"),
            (60.0, "x1", "analyst", "satisfied"),
            (60.0, "Calling on a panelist"),
            (60.0, "x2", "contrarian", "satisfied"),
            (60.0, "Time warning 80"),
            (60.0, "Calling on a panelist"),
            (60.0, "x3", "skeptic", "satisfied"),
            (60.0, "Time warning 90"),
            (60.0, "Calling on a panelist"),
            (60.0, "x4", "analyst", "satisfied"),
        ]


def test_two_warnings_that_are_due_together_are_one_line(home: Path) -> None:
    answer = " ".join(["word"] * 225)
    with rehearsed(home, running_on(30), answer, minutes=2, exchanges=1) as session:
        assert course(session)[3:] == [(30.0, "Acknowledging an answer"), (30.0, "Time warning 90")]
        assert notes(session) == [
            "- 80% of the time (2 min) was used up.",
            "- 90% of the time (2 min) was used up.",
        ]


def test_minutes_left_are_what_is_left(home: Path) -> None:
    """Eight tenths of 20 minutes: 4 are left; of 5 minutes: one, which is not named."""
    for minutes, left in ((20, "4-minute"), (5, None)):
        with rehearsed(home, running_on(minutes * 60), minutes=minutes, exchanges=0) as session:
            text = next(one.text for one in session.projection.said if one.occasion == "Time warning 80")
            assert (left in text) if left is not None else not any(letter.isdigit() for letter in text)


def test_other_shares_are_warned_of_without_naming_a_share(home: Path) -> None:
    path = home / "templates" / "moderator" / "orchestration.md"
    path.write_text(path.read_text("utf-8").replace("[0.8, 0.9]", "[0.2, 0.5]"), "utf-8")
    with rehearsed(home, running_on(720), minutes=20, exchanges=0) as session:
        warned = [(at_s, text) for at_s, text in said(session) if at_s != 300.0]
        assert [at_s for at_s, _ in warned] == [240.0, 600.0]
        assert ["16" in warned[0][1], "10" in warned[1][1]] == [True, True]


def test_three_minutes_without_a_question_are_an_occasion_for_one(home: Path) -> None:
    with rehearsed(home, running_on(600), minutes=60, exchanges=2) as session:
        assert course(session) == [
            (0.0, "Opening"),
            (180.0, "No question for a while"),
            (180.0, "Calling on a panelist"),
            (180.0, "x1", "analyst", "unjudged"),
            (180.0, "Transition"),
            (360.0, "No question for a while"),
            (360.0, "Calling on a panelist"),
            (360.0, "x2", "contrarian", "unjudged"),
            (360.0, "Transition"),
        ]
        assert notes(session) == [
            "- At 3:00: nobody had asked anything for 3 min 0 s.",
            "- At 6:00: nobody had asked anything for 3 min 0 s.",
        ]


def test_where_nobody_has_a_question_the_floor_goes_back_and_it_is_said_once(home: Path) -> None:
    with rehearsed(home, running_on(590), minutes=60, engine=SteadyEngine(())) as session:
        assert course(session) == [
            (0.0, "Opening"),
            (180.0, "No question for a while"),
            (180.0, "Transition"),
            (300.0, "Pause after a monologue"),
        ]


def test_silence_of_the_panel_is_no_matter_when_its_questions_are_used_up(home: Path) -> None:
    with rehearsed(home, running_on(290), minutes=60, exchanges=0) as session:
        assert course(session) == [(0.0, "Opening")]
        assert notes(session) == []


def test_nobody_is_cut_off_in_the_middle_of_a_sentence(home: Path) -> None:
    """Three minutes are over at 3:05; the sentence ends at 3:10."""
    texts = ["So we"] * 37 + ["grew.", "And so", "on."]
    pieces = ((5 * n, 5 * n + 5, text) for n, text in enumerate(texts))
    with rehearsed(home, recording(*pieces), minutes=60, exchanges=1) as session:
        assert course(session)[1] == (190.0, "No question for a while")


def test_a_sentence_without_an_end_is_not_waited_for(home: Path) -> None:
    pieces = ((5 * n, 5 * n + 5, "and so on") for n in range(60))
    with rehearsed(home, recording(*pieces), minutes=60, exchanges=1) as session:
        assert course(session)[1] == (195.0, "No question for a while")


def test_a_monologue_ends_with_another_voice_a_pause_or_a_question(home: Path) -> None:
    host = recording(*((at, at + 10) for at in range(0, 240, 10)), (240, 245, None, None, "Host"),
                     *((at, at + 10) for at in range(245, 445, 10)))  # fmt: skip
    pause = recording(
        *((at, at + 10) for at in range(0, 240, 10)), *((at, at + 10) for at in range(250, 450, 10))
    )
    breath = recording(
        *((at, at + 10) for at in range(0, 240, 10)), *((at, at + 10) for at in range(249, 449, 10))
    )
    for speech, found in ((host, []), (pause, []), (breath, [(309.0, "Pause after a monologue")])):
        with rehearsed(home, speech, minutes=60, exchanges=0) as session:
            assert course(session)[1:] == found
    with rehearsed(home, running_on(470), minutes=60, exchanges=1) as session:  # a question at 3:00
        assert "Pause after a monologue" not in [one.occasion for one in session.projection.said]


def test_a_recording_that_is_only_fed_is_watched_for_the_time_alone(home: Path) -> None:
    with rehearsed(home, recording(), minutes=10) as session:
        session.load(running_on(600), kind="feed")
        assert session.play()
        assert [one.occasion for one in session.projection.said if one.at_s] == [
            "Time warning 80",
            "Time warning 90",
        ]
