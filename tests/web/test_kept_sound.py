"""One's own answers to hear again: kept where the presenter said so, beside the session, and deletable."""

from __future__ import annotations

import io
import wave
from pathlib import Path
from time import sleep

import pytest
from starlette.testclient import TestClient

from orchestrator.core.errors import SpeechError
from orchestrator.material.speech import sound as kept_sound
from orchestrator.material.speech.sound import allow_sound, keep_sound, kept_pieces, sound_folder, wav
from orchestrator.material.speech.voice import RATE_HZ
from orchestrator.panel.home import Home
from orchestrator.rehearsal.erasing import erase_session
from tests.helpers.recognisers import ToneRecogniser, silence, tone
from tests.web.test_microphone import ADDRESS, WORDS, room, speak, until_final

SOUND = "/api/v1/sessions/one/sound"


def seconds(sound: bytes) -> float:
    """How long a WAV file is, which must be 16 kHz, 16 bits, one channel."""
    with wave.open(io.BytesIO(sound)) as file:
        assert (file.getframerate(), file.getsampwidth(), file.getnchannels()) == (RATE_HZ, 2, 1)
        frames: int = file.getnframes()
    return frames / RATE_HZ


def say(client: TestClient, *tones: int) -> None:
    with client.websocket_connect(ADDRESS) as socket:
        for frequency in tones:
            sleep(0.5)  # sound that comes all at once was begun 0.3 s before it came: after what was put
            speak(socket, silence(0.2) + tone(1.0, frequency) + silence(0.8))
            until_final(socket)


def test_the_sound_of_an_answer_is_kept_by_question_and_that_of_the_talk_is_not(
    home: Path, tmp_path: Path
) -> None:
    with room(home, tmp_path, recogniser=ToneRecogniser(WORDS)) as (client, site, session):
        allow_sound(site.own.sessions, "one")
        session.run_clock()
        say(client, 8000)  # the talk
        assert client.get(SOUND).json() == {"is_kept": True, "answers": []}
        session.put("skeptic", "What grew?")
        say(client, 8000, 4000)
        session.answer_done()
        (kept,) = client.get(SOUND).json()["answers"]
        assert (kept["exchange"], kept["turn"]) == ("x1", 1)
        answer = client.get(f"{SOUND}/x1/1")
        assert answer.headers["content-type"] == "audio/wav"
        assert seconds(answer.content) == pytest.approx(kept["seconds"], abs=0.1)
        assert 1.8 < kept["seconds"] < 4
        assert sorted(kept_pieces(site.own.sessions, "one")) == [2, 3]

        while session.projection.open is not None:
            session.answer_and_judge("Revenue did, by 12 %.")
        session.end()
        page = client.get("/debrief/one").text
        assert f'<audio controls preload="none" src="{SOUND}/x1/1">' in page
        assert 'data-unkeep="x1/1"' in page
        # In no ledger, archive or export: nothing of it lies in the session's folder or the archive.
        for folder in (session.path, site.own.archives):
            assert not [one for one in folder.rglob("*") if one.suffix == ".wav"]

        assert client.delete(f"{SOUND}/x1/1").status_code == 204
        assert client.get(SOUND).json() == {"is_kept": True, "answers": []}
        assert client.get(f"{SOUND}/x1/1").status_code == 404
        assert client.delete(SOUND).status_code == 204
        assert client.get(SOUND).json() == {"is_kept": False, "answers": []}


def test_without_the_presenters_word_no_sound_is_kept(home: Path, tmp_path: Path) -> None:
    with room(home, tmp_path, recogniser=ToneRecogniser(WORDS)) as (client, site, session):
        session.run_clock()
        session.put("skeptic", "What grew?")
        say(client, 8000)
        session.answer_done()
        assert client.get(SOUND).json() == {"is_kept": False, "answers": []}
        assert not (site.own.sessions / ".sound").exists()


def test_an_answer_taken_back_takes_its_sound_along(home: Path, tmp_path: Path) -> None:
    with room(home, tmp_path, recogniser=ToneRecogniser(WORDS)) as (client, site, session):
        allow_sound(site.own.sessions, "one")
        session.run_clock()
        session.put("skeptic", "What grew?")
        say(client, 8000)
        session.answer_done()
        assert kept_pieces(site.own.sessions, "one")
        session.answer_back()
        assert client.get(SOUND).json() == {"is_kept": True, "answers": []}
        assert kept_pieces(site.own.sessions, "one") == {}


def test_the_start_says_it_and_erasing_takes_it_along(api: TestClient, tmp_path: Path) -> None:
    home = Home.open(next(tmp_path.glob("home")))
    for name, choice in (("s1", {"keep_sound": True}), ("s2", {})):
        begun = api.post("/api/v1/sessions", json={"sample": True, "id": name, **choice})
        assert begun.status_code == 201
    assert sound_folder(home.sessions, "s1").is_dir()
    assert not sound_folder(home.sessions, "s2").exists()
    says = ["data-keeps-sound" in api.get(f"/room/{name}").text for name in ("s1", "s2")]
    assert says == [True, False]
    keep_sound(home.sessions, "s1", 1, tone(0.5))
    erase_session(home, home.sessions / "s1", archives=False)
    assert not sound_folder(home.sessions, "s1").exists()


def test_an_hour_is_kept_and_what_goes_beyond_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kept_sound, "MAX_SESSION_BYTES", 2 * len(wav(tone(0.5))))
    allow_sound(tmp_path, "s1")
    keep_sound(tmp_path, "s1", 1, tone(0.5))
    keep_sound(tmp_path, "s1", 2, tone(0.4))
    with pytest.raises(SpeechError, match="goes beyond: delete some"):
        keep_sound(tmp_path, "s1", 3, tone(0.5))
    assert sorted(kept_pieces(tmp_path, "s1")) == [1, 2]
