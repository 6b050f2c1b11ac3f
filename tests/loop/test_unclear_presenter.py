"""Where it is not clear who presents, nobody is judged until `--speaker` says who."""

from __future__ import annotations

from pathlib import Path

from orchestrator.documents.check import check
from orchestrator.material.speech.read import read_speech
from orchestrator.panel.home import Home
from orchestrator.panel.loop.recorded import Loading
from orchestrator.rehearsal.session import Session
from tests.helpers.steady import SteadyEngine

TALK = """Mia Falk: Revenue grew to 4 million euros in 2025.

Tom Reed: I believe that it grew to 9 million euros.

Mia Falk: It will be 6 million euros in two years.

Tom Reed: And I say that it is 7 million euros.
"""


def played(home: Path, speech: Path, speaker: str | None) -> tuple[str | None, str | None, list[str], str]:
    loading = Loading(read_speech(speech), "run")
    with Session.start(
        Home.open(home),
        deck_text="# Plan\n",
        engine=SteadyEngine(()),
        loading=loading,
        exchanges=0,
        speaker=speaker,
    ) as session:
        assert session.play()
        projection = session.projection
        claims = [one.text for one in projection.speech_claims]
        return projection.presenter, projection.presenter_how, claims, session.debrief().speaker or "nobody"


def test_nobody_is_judged_until_it_is_said_who_presents(home: Path, tmp_path: Path) -> None:
    speech, deck = tmp_path / "talk.txt", tmp_path / "deck.md"
    speech.write_text(TALK, "utf-8")
    deck.write_text("# Plan\n", "utf-8")
    own = ["Revenue grew to 4 million euros in 2025", "It will be 6 million euros in two years"]
    assert played(home, speech, None) == (None, "unclear", [], "nobody")
    assert played(home, speech, "Falk") == ("Mia Falk", "given", own, "Mia Falk")
    unclear, told = (check(deck, read_speech(speech), None, None, one) for one in (None, "Mia Falk"))
    shares = "Tom Reed 51 %, Mia Falk 49 %"
    asked = f"nobody is judged: which of these is you? {shares}: say it with --speaker LABEL"
    assert list(unclear.claims) == []
    assert unclear.notices == [f"who presents is not clear, so {asked}"]
    assert ([one.text for one in told.claims], told.notices) == (own, [])
