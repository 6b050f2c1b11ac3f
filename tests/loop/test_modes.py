"""Hand raise and free flow: who comes in at which pause, and that a run can be cut off anywhere."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

from orchestrator import Home, Session
from orchestrator.panel.answers import Answer
from orchestrator.panel.loop.state import pauses_in
from orchestrator.panel.records.projection import Playback
from tests.helpers.rehearsals import contents, greenroom, greenroom_json, write_rehearsal
from tests.helpers.steady import DECK, SteadyEngine, course, recording, rehearsed

PAUSES = recording(
    (0, 8, None, 1),
    (10, 30, None, 1),
    (31, 50, None, 2),
    (53, 70, None, 2),
    (74, 90, None, 3),
    (95, 100, None, 3),
)
"""Pauses of 2, 3, 4 and 5 seconds, and one of 1, which is none."""


def test_with_section_breaks_pauses_are_the_presenters_own(home: Path) -> None:
    with rehearsed(home, PAUSES, minutes=4, exchanges=2) as session:
        assert course(session) == [
            (0.0, "Opening"),
            (100.0, "Calling on a panelist"),
            (100.0, "x1", "analyst", "unjudged"),
            (100.0, "Calling on a panelist"),
            (100.0, "x2", "contrarian", "unjudged"),
        ]


def test_a_raised_hand_is_called_on_at_a_pause_and_those_left_at_the_end(home: Path) -> None:
    """Not at the pause at 0:10: who has just begun finishes a point first."""
    with rehearsed(home, PAUSES, mode="hand-raise", minutes=4, exchanges=6) as session:
        assert course(session) == [
            (0.0, "Opening"),
            (52.0, "Calling on a panelist"),
            (52.0, "x1", "analyst", "unjudged"),
            (52.0, "Transition"),
            (72.0, "Calling on a panelist"),
            (72.0, "x2", "contrarian", "unjudged"),
            (72.0, "Transition"),
            (92.0, "Calling on a panelist"),
            (92.0, "x3", "skeptic", "unjudged"),
            (92.0, "Transition"),
            (100.0, "Calling on a panelist"),
            (100.0, "x4", "analyst", "unjudged"),
            (100.0, "Calling on a panelist"),
            (100.0, "x5", "contrarian", "unjudged"),
            (100.0, "Calling on a panelist"),
            (100.0, "x6", "skeptic", "unjudged"),
        ]
        assert [one.why_this_agent.split(";")[0] for one in session.projection.exchanges] == [
            *["raised a hand"] * 3,
            *["last spoke 2 exchanges ago"] * 3,
        ]


def test_in_free_flow_panelists_cut_in_uncalled_and_leave_twenty_seconds(home: Path) -> None:
    """The pause at 0:10 comes too early."""
    with rehearsed(home, PAUSES, mode="free-flow", minutes=4, exchanges=4) as session:
        assert course(session) == [
            (0.0, "Opening"),
            (52.0, "x1", "analyst", "unjudged"),
            (52.0, "Transition"),
            (72.0, "x2", "contrarian", "unjudged"),
            (72.0, "Transition"),
            (92.0, "x3", "skeptic", "unjudged"),
            (92.0, "Transition"),
            (100.0, "Calling on a panelist"),
            (100.0, "x4", "analyst", "unjudged"),
        ]


def test_the_panel_does_not_spend_its_questions_on_the_first_minutes(home: Path) -> None:
    """A pause every ten seconds: one exchange ahead of the clock in hand raise, three in free flow."""
    speech = recording(*((at_s, at_s + 7) for at_s in range(0, 300, 10)))
    asked = {}
    for mode in ("hand-raise", "free-flow"):
        with rehearsed(home, speech, mode=mode, minutes=10, exchanges=6) as session:
            asked[mode] = [one.asked_at_s for one in session.projection.exchanges]
    assert asked == {
        "hand-raise": [29.0, 109.0, 209.0, 297.0, 297.0, 297.0],
        "free-flow": [29.0, 49.0, 69.0, 109.0, 209.0, 297.0],
    }


@pytest.mark.parametrize("mode", ["section-breaks", "hand-raise", "free-flow"])
def test_room_is_left_for_everybody_to_speak_once(home: Path, mode: str) -> None:
    """The contrarian has nothing to say until the end; one exchange waits for it."""

    class Late(SteadyEngine):
        def _candidate(self, request: Any) -> Any:
            self.ready = ("skeptic", "analyst", *(["contrarian"] if request.scene.slide is None else []))
            return super()._candidate(request)

    speech = recording(*((at_s, at_s + 15, None, 1 + at_s // 70) for at_s in range(0, 600, 20)))
    with rehearsed(home, speech, mode=mode, minutes=10, exchanges=4, engine=Late()) as session:
        agents = [one.agent for one in session.projection.exchanges]
        assert (len(agents), agents[-1], agents.count("contrarian")) == (4, "contrarian", 1)


def test_no_exchange_beyond_the_limit(home: Path) -> None:
    for mode in ("hand-raise", "free-flow"):
        with rehearsed(home, PAUSES, mode=mode, minutes=1, exchanges=2) as session:
            assert len(session.projection.exchanges) == 2
        with rehearsed(home, PAUSES, mode=mode, minutes=1, exchanges=0) as session:
            assert session.projection.exchanges == []


def test_session_state_shows_whose_hand_is_up(home: Path) -> None:
    engine = SteadyEngine(("skeptic", "analyst"))
    with rehearsed(home, PAUSES, mode="hand-raise", minutes=4, exchanges=3, engine=engine) as session:
        store = session.rehearsal.store
        state = "moderator/session-state.md"
        shown = [
            store.content(path, at_seq=one.seq) for one in store.entries() if (path := one.file) == state
        ]
        hands = [line for text in shown for line in text.splitlines() if line.startswith("- Hands up")]
        assert list(dict.fromkeys(hands)) == [
            "- Hands up: none",
            "- Hands up: Priya Sharma (analyst), Marcus Webb (skeptic)",
            "- Hands up: Marcus Webb (skeptic)",
            "- Hands up: Priya Sharma (analyst)",
        ]
    with rehearsed(home, PAUSES, minutes=4, exchanges=1) as session:
        assert "Hands up" not in session.read(state)


@pytest.mark.parametrize(
    ("pieces", "found"),
    [
        # 2 s are a pause, 1 s is none
        ([(0, 8, None, 1), (10, 20, None, 1), (21, 30, None, 1)], {1: 10.0}),
        # the first piece goes on under the second, so nobody is silent
        ([(0, 12, "So", 1), (10, 11, "yes", 1), (13, 20, "we go on", 1)], {}),
        # captions that run on: a new slide is a pause, and without slides the end of a sentence
        ([(0, 8, "On", 1), (8, 16, "and", 1), (16, 24, "on", 2), (24, 30, "on", 2)], {2: 16.0}),
        ([(0, 8, "This"), (8, 16, "goes on. And"), (16, 24, 'on."'), (24, 30, "Yes")], {3: 24.0}),
        # each slide for itself: the first had a pause, the second had none
        ([(0, 8, None, 1), (11, 16, None, 1), (16, 24, None, 2), (24, 30, None, 3)], {1: 10.0, 3: 24.0}),
        ([(0, 8, "All"), (8, 16, "in one")], {}),
        ([], {}),
    ],
)
def test_where_a_recording_pauses(pieces: list[tuple[Any, ...]], found: dict[int, float]) -> None:
    playback = Playback("run", "made.vtt", recording(*pieces, slide=None).segments)
    assert pauses_in(playback, 2.0) == found
    later = Playback("run", "made.vtt", recording(*pieces, slide=None).segments, offset_s=100.0)
    assert pauses_in(later, 2.0) == {number: at_s + 100 for number, at_s in found.items()}


EVERYTHING = recording(
    *((at_s, at_s + 9, None, 1 + at_s // 60) for at_s in range(0, 60, 12)),  # with pauses
    *((at_s, at_s + 20, None, 2) for at_s in range(60, 420, 20)),  # then on and on
    (420, 430, None, 3, "Host"),
    (433, 450, None, 3),
)
"""Pauses, a long silence of the panel, a monologue, both time warnings."""
ANSWERS = (Answer("", park=True), "Five.", "Let me come back to that.", "No.", "Seven.", "Nine.", "No.")


@pytest.mark.parametrize("mode", ["section-breaks", "hand-raise", "free-flow"])
def test_it_goes_on_from_wherever_the_ledger_ends(home: Path, tmp_path: Path, mode: str) -> None:
    """Cut the ledger at points all along it: what follows is played again, to the same files."""
    options: dict[str, Any] = {"mode": mode, "minutes": 8, "exchanges": 7}
    with rehearsed(home, EVERYTHING, *ANSWERS, id="whole", **options) as whole:
        whole.end()
        expected = contents(whole.path)
        lines = (whole.path / "ledger" / "ledger.jsonl").read_bytes().splitlines(keepends=True)
        occasions = {said.occasion for said in whole.projection.said}
    assert {"Parking", "Coming back", "No question for a while", "Time warning 90", "Follow-up"} <= occasions
    with rehearsed(home, EVERYTHING, *ANSWERS, id="twin", **options) as twin:
        twin.end()
        assert contents(twin.path) == expected
    began = next(number for number, line in enumerate(lines) if b'"type":"driver"' in line)
    for count in range(began, len(lines) - 1, 37):
        root = tmp_path / "cut" / "sessions" / f"cut-{count}"
        shutil.copytree(home / "sessions" / "whole", root)
        for path in [root, *root.rglob("*")]:
            path.chmod(0o755 if path.is_dir() else 0o644)
        (root / "ledger" / "ledger.jsonl").write_bytes(b"".join(lines[:count]))
        for path in root.glob("debrief.*"):
            path.unlink()
        with Session.open(None, root, engine=SteadyEngine()) as session:
            session.play()
            session.end()
            found = contents(root)
        assert [name for name in expected if found.get(name) != expected[name]] == [], count
        shutil.rmtree(root)


def test_a_run_is_in_its_session_from_the_first_moment(home: Path) -> None:
    """A process that is killed right after the start loses no recording."""
    from orchestrator.panel.loop.recorded import Loading

    loading = Loading(PAUSES, "run", (Answer("Yes."),))
    Session.start(Home.open(home), deck_text=DECK, engine=SteadyEngine(), loading=loading, id="s1").close()
    with Session.open(Home.open(home), "s1", engine=SteadyEngine()) as session:
        assert session.has_more_to_play
        assert session.play()
        assert session.projection.played == len(PAUSES.segments)
        assert session.projection.exchanges[0].turns[0].answer == "Yes."


def test_a_recording_that_is_refused_leaves_no_session(home: Path, tmp_path: Path) -> None:
    files = write_rehearsal(tmp_path)
    refused = greenroom(home, "run", files.deck, "--speech", files.speech, "--speaker", "Nobody", check=False)
    assert refused.returncode == 2, refused.stderr
    assert [path for path in home.glob("sessions/*") if path.name != ".records"] == []


@pytest.mark.parametrize("mode", ["hand-raise", "free-flow"])
def test_the_command_line_takes_the_mode(home: Path, tmp_path: Path, mode: str) -> None:
    files = write_rehearsal(tmp_path)
    run = greenroom_json(
        home, "run", files.deck, "--speech", files.speech, "--mode", mode, "--exchanges", "3"
    )
    assert len(run["exchanges"]) == 3
    assert run["exchanges"][0]["id"] == "x1"
    (home / "greenroom.yaml").write_text(f"mode: {mode}\n", "utf-8")
    started = greenroom_json(home, "start", files.deck, "--id", "s1")
    with Session.open(None, Path(started["path"])) as session:
        assert session.rehearsal.options.mode == mode
