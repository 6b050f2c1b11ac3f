"""A recording is played the same every time, and from wherever it was cut off."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path
from typing import Any

import pytest

from orchestrator import Home, Session
from orchestrator.core.errors import SessionStateError
from orchestrator.material.deck.content import slide_texts
from orchestrator.material.speech.read import read_speech
from orchestrator.panel.model.exchange import Exchange
from orchestrator.panel.render import quoted
from tests.helpers.rehearsals import contents, loaded, played, write_rehearsal


def records(session: Session) -> list[dict[str, Any]]:
    """The ledger without what interfaces.md lets differ: the session's id, wall-clock times, hashes.

    Nor the names of what was kept in the home's memory, which are made up by chance.
    """
    text = (session.path / "ledger" / "ledger.jsonl").read_text("utf-8").replace(session.id, "ID")
    plain = [json.loads(line) for line in re.sub(r'"[mg][0-9a-f]{12}"', '"KEPT"', text).splitlines()]
    for record in plain:
        del record["at"], record["hash"]
        if record["op"] == "freeze":
            digests = record["value"]["files"]
            record["value"]["files"] = {
                path: digest for path, digest in digests.items() if not path.startswith(("facts/", "trace/"))
            }
    return plain


@pytest.fixture
def elsewhere(home: Path, tmp_path: Path) -> Path:
    """A home like the other, where nobody knows of its sessions, nor remembers them."""
    return Path(shutil.copytree(home, tmp_path / "elsewhere"))


def test_two_runs_give_the_same_files_and_the_same_records(
    home: Path, elsewhere: Path, tmp_path: Path
) -> None:
    files = write_rehearsal(tmp_path)
    with played(home, files, id="rehearsal-a") as one, played(elsewhere, files, id="rehearsal-b") as two:
        one.end()
        two.end()
        assert contents(one.path) == contents(two.path)
        assert records(one) == records(two)


def test_it_goes_on_from_wherever_the_ledger_ends(home: Path, tmp_path: Path) -> None:
    """Cut the ledger behind every seventh record: what follows is played again, to the same files."""
    files = write_rehearsal(tmp_path)
    with played(home, files, id="whole") as whole:
        whole.end()
        expected = contents(whole.path)
        lines = (whole.path / "ledger" / "ledger.jsonl").read_bytes().splitlines(keepends=True)
        loading = next(n for n, line in enumerate(lines) if b'"type":"playback"' in line)
    began = loading + 2  # the transaction that loads the recording ends with the speaker's record
    for count in range(began, len(lines) - 1, 7):
        root = tmp_path / "cut" / "sessions" / f"cut-{count}"
        shutil.copytree(home / "sessions" / "whole", root)
        for path in [root, *root.rglob("*")]:
            path.chmod(0o755 if path.is_dir() else 0o644)
        (root / "ledger" / "ledger.jsonl").write_bytes(b"".join(lines[:count]))
        for name in ("debrief.md", "debrief.json"):
            (root / name).unlink()
        with Session.open(None, root) as session:
            session.play()
            session.end()
            found = contents(root)
            assert session.verify().valid
        assert found.keys() == expected.keys(), count
        assert [name for name in found if found[name] != expected[name]] == [], count


def test_stopped_after_any_step_it_goes_on_to_the_same_end(
    home: Path, elsewhere: Path, tmp_path: Path
) -> None:
    files = write_rehearsal(tmp_path)
    with played(home, files, id="whole") as whole:
        whole.end()
        expected = contents(whole.path)
    steps = 0
    session = loaded(elsewhere, files, id="halting")
    while True:
        asked = 0

        def stop() -> bool:
            nonlocal asked
            asked += 1
            return asked > 2

        finished = session.play(stop=stop)
        steps += 1
        if finished:
            break
        assert session.state == "interrupted"
        session.close()
        session = Session.open(None, session.path)
    assert steps > 10
    session.end()
    assert contents(session.path) == expected
    assert session.verify().valid
    session.close()


def test_every_quote_stands_where_the_exchange_says(home: Path, tmp_path: Path) -> None:
    files = write_rehearsal(tmp_path)
    with played(home, files) as session:
        slides = {slide.number: slide for slide in session.rehearsal.scene().deck.slides}
        grounded = [exchange for exchange in session.projection.exchanges if exchange.grounded]
        assert grounded
        for exchange in grounded:
            assert exchange.quote is not None
            if exchange.said_at_s is not None:
                said = [one.text for one in session.projection.segments if one.start_s == exchange.said_at_s]
                assert any(exchange.quote in text for text in said)
            else:
                assert exchange.slide is not None
                texts = [text for _, text in slide_texts(slides[exchange.slide])]
                assert any(exchange.quote in text for text in texts)
            assert any(exchange.quote in line for line in quoted(exchange))


@pytest.mark.nameless  # else the one who is named as the presenter is it
def test_only_the_presenter_is_judged(home: Path, tmp_path: Path) -> None:
    files = write_rehearsal(tmp_path)
    with played(home, files) as session:
        assert session.projection.presenter == "Ines"
        assert session.projection.presenter_how == "speaks most"
        assert {claim.speaker for claim in session.projection.speech_claims} == {"Ines"}


def test_no_session_file_holds_id_path_or_wall_clock(home: Path, tmp_path: Path) -> None:
    files = write_rehearsal(tmp_path)
    with played(home, files, id="unmistakable-id") as session:
        session.end()
        for name, content in contents(session.path).items():
            text = content.decode()
            assert "unmistakable-id" not in text, name
            assert str(tmp_path) not in text, name
            assert not re.search(r"\d{2}:\d{2}:\d{2}(\.\d+)?Z", text), name


def test_a_recording_that_was_cut_off_is_not_dropped_for_another(home: Path, tmp_path: Path) -> None:
    files = write_rehearsal(tmp_path)
    with loaded(home, files, id="s1") as session:
        stops = iter([False] * 6)
        assert not session.play(stop=lambda: next(stops, True))
        left = len(read_speech(files.speech).segments) - session.projection.played
        with pytest.raises(SessionStateError, match=f"{left} of 8 segments of speech.vtt still to come"):
            session.load(read_speech(files.speech), kind="feed")
        assert session.play()
        assert len(read_speech(files.speech).segments) == session.projection.played


def test_a_second_recording_goes_on_where_the_first_one_ended(home: Path, tmp_path: Path) -> None:
    speech = tmp_path / "speech.srt"
    speech.write_text("1\n00:00:01,000 --> 00:00:09,000\nWe sail every morning.\n", "utf-8")
    with Session.start(Home.open(home), deck_text="# Boats\n\n- Two boats sail.\n", id="s1"):
        pass
    for _ in range(2):  # each as a command of its own would
        with Session.open(Home.open(home), "s1") as session:
            session.load(read_speech(speech), kind="feed")
            session.play()
    with Session.open(Home.open(home), "s1") as session:
        assert [(one.start_s, one.end_s) for one in session.projection.segments] == [(1.0, 9.0), (10.0, 18.0)]


@pytest.mark.parametrize("parks", [True, False])
def test_an_answer_or_a_wish_from_elsewhere_stands_and_the_run_goes_on(
    home: Path, tmp_path: Path, parks: bool
) -> None:
    with loaded(home, write_rehearsal(tmp_path), id="run") as session:

        def prompt(exchange: Exchange) -> str:
            if exchange.id == "x1":
                with Session.open(Home.open(home), "run") as other:
                    other.park() if parks else other.answer("Yes, from the audited accounts.")
            return "We did."

        assert session.play(prompt=prompt)
        first, *others = session.projection.exchanges
        if parks:
            assert (first.outcome, first.turns[0].answer) == ("parked", None)
        else:
            assert first.turns[0].answer == "Yes, from the audited accounts."
        assert {turn.answer for exchange in others for turn in exchange.turns} == {"We did."}


def test_an_end_from_elsewhere_ends_the_run(home: Path, tmp_path: Path) -> None:
    with loaded(home, write_rehearsal(tmp_path), id="run") as session:

        def prompt(exchange: Exchange) -> str:
            with Session.open(Home.open(home), "run") as other:
                other.end()
            return "We did."

        assert session.play(prompt=prompt)
        assert session.projection.ended
