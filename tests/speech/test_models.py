"""Which model recognises speech is a setting; nothing is fetched but by the command that says so."""

from __future__ import annotations

import sys
from pathlib import Path
from types import ModuleType

import pytest

from orchestrator.cli.doctor import checks
from orchestrator.core.errors import ConfigurationError, SpeechError
from orchestrator.material.speech import recognition
from orchestrator.panel.config.config import read_config
from orchestrator.panel.home import Home
from tests.helpers.commands import Commands

ENGLISH, MANY = 51_864, 51_865


@pytest.fixture
def hub(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, bool]]:
    """What faster-whisper is asked for, each with whether it may use the network; `small` can be had."""
    asked: list[tuple[str, bool]] = []
    fetched = write_model(tmp_path / "cache", MANY)

    def download_model(name: str, *, local_files_only: bool = False) -> str:
        asked.append((name, not local_files_only))
        if "/" not in name and name != "small":
            raise ValueError(f"Invalid model size {name!r}, expected one of: tiny, small")
        if name != "small" or (local_files_only and ("small", True) not in asked):
            raise OSError("an appropriate snapshot folder cannot be found")
        return str(fetched)

    utils = ModuleType("faster_whisper.utils")
    utils.download_model = download_model  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "faster_whisper", ModuleType("faster_whisper"))
    monkeypatch.setitem(sys.modules, "faster_whisper.utils", utils)
    monkeypatch.setattr(recognition, "find_spec", lambda name: object())
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")  # put back after the test
    return asked


def write_model(folder: Path, tokens: int) -> Path:
    """A folder with the files of a model, and a vocabulary of so many tokens."""
    folder.mkdir()
    for name in recognition.FILES:
        (folder / name).write_text("{}", "utf-8")
    (folder / "vocabulary.txt").write_text("\n".join(map(str, range(tokens))) + "\n", "utf-8")
    return folder


def test_a_folders_model_says_what_it_hears(tmp_path: Path, hub: list[tuple[str, bool]]) -> None:
    english = recognition.model_of(str(write_model(tmp_path / "en", ENGLISH)), "de")
    assert (english.hears, english.knows_many) == ("English alone", False)
    assert english.warning is not None
    assert "stt_language is de" in english.warning
    many = str(write_model(tmp_path / "many", MANY))
    assert recognition.model_of(many).hears == "whatever language it finds"
    assert recognition.model_of(many, "de").hears == "the language de"
    assert recognition.model_of(many, "de").warning is None
    assert hub == []


def test_a_name_is_fetched_only_by_the_command(
    home: Path, hub: list[tuple[str, bool]], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SpeechError, match="not on this machine: `greenroom fetch small` fetches it"):
        recognition.model_of("small")
    assert hub == [("small", False)]
    done = Commands(home, capsys)("fetch", "small")
    assert "set `stt_model: small` in greenroom.yaml" in done.stdout
    assert recognition.model_of("small", "it").hears == "the language it"
    assert hub == [("small", False), ("small", True), ("small", False)]


def test_what_cannot_be_fetched_is_one_line(hub: list[tuple[str, bool]]) -> None:
    with pytest.raises(SpeechError, match=r"the model nobody/has-it cannot be fetched \(an appropriate snap"):
        recognition.fetch_model("nobody/has-it")
    with pytest.raises(SpeechError, match=r"stt_model is huge, which is no folder, and: Invalid model size"):
        recognition.model_of("huge")
    with pytest.raises(SpeechError, match="is no name of a model"):
        recognition.fetch_model("../../etc")


def test_a_model_by_its_name_has_all_its_files_or_is_none(
    tmp_path: Path, hub: list[tuple[str, bool]]
) -> None:
    recognition.fetch_model("small")
    (tmp_path / "cache" / "tokenizer.json").unlink()  # faster-whisper would look for it in the network
    lacks = "lacks tokenizer.json: name a Whisper model in the form of CTranslate2"
    with pytest.raises(SpeechError, match=f"the model small {lacks}"):
        recognition.fetch_model("small")
    with pytest.raises(SpeechError, match=f"stt_model is small, which {lacks}"):
        recognition.model_of("small")


def test_doctor_warns_of_a_language_that_the_model_does_not_know(
    home: Path, tmp_path: Path, hub: list[tuple[str, bool]]
) -> None:
    def told() -> tuple[str, str]:
        (check,) = (one for one in checks(Home.open(home)) if one.name == "speech-to-text")
        return check.state, check.detail

    folder = write_model(tmp_path / "en", ENGLISH)
    (home / "greenroom.yaml").write_text(f"stt_model: {folder}\nstt_language: de\n", "utf-8")
    warned = f"stt_language is de, and the model {folder} knows English alone: set stt_model to a model"
    assert told() == ("warning", f"{warned} of many languages, such as small")
    many = write_model(tmp_path / "many", MANY)
    (home / "greenroom.yaml").write_text(f"stt_model: {many}\nstt_language: de\n", "utf-8")
    assert told() == ("ok", f"the model {many} hears the language de, on this machine alone (not loaded)")


def test_a_language_is_a_code(tmp_path: Path) -> None:
    path = tmp_path / "greenroom.yaml"
    for wrong in ("German", "DE", "d", "1"):
        path.write_text(f"stt_language: {wrong}\n", "utf-8")
        with pytest.raises(ConfigurationError, match="a language as Whisper names it, such as de"):
            read_config(path, {})
    path.write_text("stt_language: de\n", "utf-8")
    assert read_config(path, {}).stt_language == "de"
