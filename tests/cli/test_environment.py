"""An environment that is odd costs no result: it is shown as far as it can be, or one line says why not."""

from __future__ import annotations

import json
import os
import pwd
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Never

import pytest

from orchestrator.core.errors import HomeError, SpeechError
from orchestrator.material.speech import recognition
from orchestrator.panel.home import find_home
from orchestrator.review.catalogue import of_archives
from tests.conftest import ROOT
from tests.helpers.commands import Commands
from tests.helpers.homes import new_home
from tests.helpers.rehearsals import write_rehearsal

GREENROOM = [sys.executable, "-m", "orchestrator.cli"]
NO_UTF8 = {"LC_ALL": "POSIX", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
ENCODINGS: Mapping[str, tuple[Mapping[str, str], str]] = {
    "ascii": ({"PYTHONIOENCODING": "ascii"}, "ascii"),
    "a locale without UTF-8": (NO_UTF8, "ascii"),
}


@pytest.fixture(scope="module")
def ended(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home with one session that has ended, whose pages hold signs beyond ASCII."""
    folder = tmp_path_factory.mktemp("ended")
    home = new_home(folder / "home")
    files = write_rehearsal(folder)
    given: list[str | Path] = [
        "--speech",
        files.speech,
        "--answers",
        files.answers,
        "--presenter",
        "Inès",
        "--id",
        "s1",
    ]
    done = called(home, "--quiet", "run", files.deck, *given)
    assert done.returncode == 0, done.stderr
    return home


def called(
    home: Path | None, *arguments: str | Path, environment: Mapping[str, str] = {}, shell: str = '"$@"'
) -> subprocess.CompletedProcess[bytes]:
    """A real process, begun by a shell that may redirect its streams."""
    given = [*GREENROOM, *(["--home", str(home)] if home is not None else []), *map(str, arguments)]
    return subprocess.run(
        ["sh", "-c", shell, "sh", *given],
        env={**os.environ, "PYTHONPATH": str(ROOT), **environment},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
    )


@pytest.mark.parametrize(
    "encoding", ["ascii", pytest.param("a locale without UTF-8", marks=pytest.mark.slow)]
)
def test_a_result_is_shown_whatever_signs_the_terminal_has(
    ended: Path, tmp_path: Path, encoding: str
) -> None:
    environment, codec = ENCODINGS[encoding]
    files = write_rehearsal(tmp_path)
    given = ("--speech", files.speech, "--presenter", "Ines", "--exchanges", "1")
    done = called(new_home(tmp_path / "home"), "run", files.deck, *given, environment=environment)
    assert done.returncode == 0, done.stderr
    assert "Verified        yes" in done.stdout.decode(codec)
    shown = called(ended, "show", "s1", "--json", environment=environment)
    assert json.loads(shown.stdout.decode(codec))["presenter"] == "Inès"
    assert (shown.returncode, shown.stderr) == (0, b"")


def test_what_has_an_encoding_of_its_own_keeps_it(ended: Path) -> None:
    usual = {
        form: called(ended, *form.split()).stdout
        for form in ("debrief s1 --format html", "context s1 skeptic")
    }
    for form, content in usual.items():
        assert not content.isascii()
        assert called(ended, *form.split(), environment={"PYTHONIOENCODING": "ascii"}).stdout == content


@pytest.mark.slow
@pytest.mark.parametrize("streams", ["2>/dev/full", "2>&- <&-", "2> >(exec true)"])
def test_a_stderr_that_takes_nothing_costs_no_result(tmp_path: Path, streams: str) -> None:
    files = write_rehearsal(tmp_path)
    shell = f'exec bash -c \'"$@" {streams}\' bash "$@"'
    done = called(new_home(tmp_path / "home"), "run", files.deck, "--speech", files.speech, shell=shell)
    assert (done.returncode, b"Verified        yes" in done.stdout) == (0, True)


@pytest.mark.parametrize(
    "command",
    ["--version", "--help", "list --json", "debrief s1 --format html"],
)
def test_a_stdout_that_takes_nothing_is_one_line_and_1(ended: Path, command: str) -> None:
    done = called(ended, *command.split(), shell='"$@" >/dev/full')
    assert done.returncode == 1
    (line,) = done.stderr.decode().splitlines()
    assert line.startswith("greenroom: stdout: no space left on device: what the command had to do is done")


def test_an_error_that_stdout_does_not_take_is_said_on_stderr(ended: Path) -> None:
    done = called(ended, "--json", "show", "none", shell='"$@" >/dev/full')
    assert done.returncode == 1
    assert done.stderr.decode().splitlines()[0].startswith("greenroom: there is no session 'none'")


def test_a_reader_that_goes_away_is_no_error(ended: Path) -> None:
    read, write = os.pipe()
    os.close(read)
    try:
        command = [*GREENROOM, "--home", str(ended), "show", "s1"]
        done = subprocess.run(command, stdout=write, stderr=subprocess.PIPE, check=False, cwd=ROOT)
    finally:
        os.close(write)
    assert (done.returncode, done.stderr) == (141, b"")


def test_a_folder_that_is_gone_under_the_command_stops_nothing_that_needs_none(
    ended: Path, tmp_path: Path
) -> None:
    shell = f'mkdir -p {tmp_path}/gone && cd {tmp_path}/gone && rmdir ../gone && "$@"'
    done = called(ended, "verify", "s1", shell=shell)
    assert (done.returncode, done.stderr, done.stdout[:6]) == (0, b"", b"valid;")
    refused = called(Path("home"), "list", shell=shell)
    said = "the current folder is not there any more: change to one that is, then try again"
    assert (refused.returncode, refused.stderr.decode()) == (1, f"greenroom: {said}\n")


def test_a_umask_takes_no_rights_from_the_owner(tmp_path: Path) -> None:
    files, home = write_rehearsal(tmp_path), new_home(tmp_path / "home")
    done = called(home, "--quiet", "start", files.deck, "--id", "s1", shell='umask 0777; "$@"')
    assert (done.returncode, done.stderr) == (0, b"")
    modes = [path.stat().st_mode for path in (home / "sessions").rglob("*")]
    assert all(mode & 0o400 for mode in modes)
    assert not any(mode & 0o077 for mode in modes)


def test_a_user_whose_files_are_nowhere_is_told_which_variable(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def unknown(uid: int) -> Never:
        raise KeyError(uid)

    monkeypatch.setattr(pwd, "getpwuid", unknown)
    for name in ("HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(tmp_path)
    with pytest.raises(HomeError, match=r"HOME is not set .*: set HOME, or name a home with --home"):
        find_home(None, {})
    with pytest.raises(HomeError, match="HOME is not set"):
        of_archives(str(tmp_path))
    monkeypatch.setattr(recognition, "find_spec", lambda name: object())  # as if the extra were installed
    with pytest.raises(SpeechError, match="set HOME"):
        recognition.model_folder("~/whisper")
    assert list(tmp_path.iterdir()) == []


def test_a_home_that_cannot_be_set_up_names_the_folder_and_the_variable(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "file"))
    with pytest.raises(HomeError) as refused:
        find_home(None, {})
    assert "not a directory): set HOME or XDG_DATA_HOME to a folder that may be written" in str(refused.value)
    assert "Errno" not in str(refused.value)


def test_names_that_are_no_text_are_refused_or_shown(
    home: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    files = write_rehearsal(tmp_path)
    speech = files.speech.rename(tmp_path / "speech\udcff.vtt")
    greenroom = Commands(home, capsys)
    greenroom("--quiet", "run", str(files.deck), "--speech", str(speech), "--id", "s1")
    refused = greenroom("archive", "s1", "--to", str(tmp_path / "to\udcff"), check=False)
    assert (refused.returncode, refused.stderr.count("\n")) == (1, 1)
    assert "url is not valid Unicode text" in refused.stderr


def test_the_scripts_run_this_checkout_whatever_the_variables_name() -> None:
    """`scripts/greenroom` reads setup.sh, and what that unsets no program of .venv sees."""
    environment = {"PATH": os.environ["PATH"], "PYTHONPATH": "/theirs", "PYTHONHOME": "/theirs"}
    shell = f"here={ROOT}/scripts; . {ROOT}/scripts/setup.sh; env"
    done = subprocess.run(["sh", "-c", shell], env=environment, capture_output=True, text=True, check=True)
    assert "theirs" not in done.stdout
