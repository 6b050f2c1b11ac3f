"""The debrief as PDF: by a real browser where there is one, and a clear word where there is none."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from time import sleep

import pytest

from orchestrator.cli.app import run
from orchestrator.cli.doctor import checks
from orchestrator.core.errors import PrintError
from orchestrator.panel.debrief.page import as_paper
from orchestrator.panel.debrief.printing import as_pdf, find_browser
from orchestrator.panel.home import Home
from orchestrator.rehearsal.session import Session
from tests.debrief.test_page import PAGE
from tests.helpers.pdf_pages import read_pdf

browser = pytest.mark.skipif(
    find_browser() is None, reason="NO BROWSER: install Chromium or Chrome, or nothing here is printed"
)


def browser_that(folder: Path, monkeypatch: pytest.MonkeyPatch, does: str) -> None:
    """The only browser on the PATH: a script."""
    script = folder / "chromium"
    script.write_text(f"#!/bin/sh\n{does}\n")
    script.chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}:/usr/bin:/bin")
    monkeypatch.setattr("orchestrator.panel.debrief.printing.BROWSERS", (str(script),))


def _runs(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return "(zombie)" not in Path(f"/proc/{pid}/status").read_text()


@pytest.mark.slow
@browser
def test_the_page_is_printed_and_nothing_is_left_behind(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with tempfile.TemporaryDirectory(dir="/tmp") as folder:  # pytest's own is too long for a browser
        monkeypatch.setattr(tempfile, "tempdir", folder)
        printed = read_pdf(as_pdf(as_paper(PAGE)))
        assert list(Path(folder).iterdir()) == []
    assert len(printed.pages) == 3
    text = printed.text
    assert PAGE.fix is not None
    for words in ("Question 2, on", PAGE.fix.why, "Harbour ferries", "4. Bo", "Who spoke", "1 / 3", "3 / 3"):
        assert words in text
    assert printed.title == "Debrief: Harbour ferries"
    assert "greenroom-" not in text  # the temporary folder


@pytest.mark.slow
@browser
def test_a_page_that_wants_something_from_elsewhere_is_printed_without_it() -> None:
    page = '<title>T</title><p>Here</p><img src="http://127.0.0.1:1/x.png"><img src="file:///etc/hostname">'
    assert "Here" in read_pdf(as_pdf(page)).text


def test_without_a_browser_it_says_what_to_install(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("orchestrator.panel.debrief.printing.BROWSERS", ("no-such-browser",))
    with pytest.raises(PrintError, match=r"^no browser that prints was found: install Chromium"):
        as_pdf("<p>Here</p>")
    (told,) = [one for one in checks(Home.open(home)) if one.name == "browser"]
    assert told.state == "missing"
    assert "apt install chromium" in told.detail


def test_doctor_names_the_browser_that_is_found(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    browser_that(tmp_path, monkeypatch, "exit 0")
    (told,) = [one for one in checks(Home.open(home)) if one.name == "browser"]
    assert (told.state, told.detail) == ("ok", f"{tmp_path / 'chromium'} prints debriefs as PDF")


def test_a_browser_that_prints_nothing_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    browser_that(tmp_path, monkeypatch, "exit 3")
    with pytest.raises(PrintError, match=r"chromium printed nothing .* install Chromium"):
        as_pdf("<p>Here</p>")


def test_what_a_browser_started_ends_with_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    browser_that(tmp_path, monkeypatch, f"sleep 600 & echo $! > {tmp_path}/pid")
    with pytest.raises(PrintError):
        as_pdf("<p>Here</p>")
    child = int((tmp_path / "pid").read_text())
    while _runs(child):  # the kernel takes its moment; a child that lives on is the suite's timeout
        sleep(0.01)


def test_a_browser_that_hangs_is_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("orchestrator.panel.debrief.printing.PRINTED_WITHIN_S", 0.01)
    browser_that(tmp_path, monkeypatch, f"echo $$ > {tmp_path}/pid; exec sleep 600")
    with pytest.raises(PrintError, match="did not print within"):
        as_pdf("<p>Here</p>")


def test_a_browser_knows_nothing_of_its_users_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    saw = tmp_path / "saw"
    browser_that(tmp_path, monkeypatch, f'echo "$HOME $XDG_CONFIG_HOME $@" > {saw}')
    with pytest.raises(PrintError):
        as_pdf("<p>Here</p>")
    home, config, *flags = saw.read_text().split()
    assert home == config != os.environ.get("HOME")
    assert f"--user-data-dir={home}/profile" in flags
    assert "--disable-background-networking" in flags
    assert not Path(home).exists()


@pytest.mark.slow
@browser
def test_a_long_path_to_temporary_files_is_no_hindrance(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    deep = tmp_path / ("d" * 60)
    deep.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(deep))
    assert as_pdf("<p>Here</p>").startswith(b"%PDF")


@pytest.mark.slow
@browser
def test_the_command_gives_the_pdf_itself(home: Path, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    with Session.start(Home.open(home), deck_text="# Ferries\n\n- We grew 40%\n", id="s1") as session:
        session.end()
    assert run(["--home", str(home), "debrief", "s1", "--format", "pdf"]) == 0
    printed, told = capfdbinary.readouterr()
    assert told == b""
    text = read_pdf(printed).pages[0]
    assert "No question was asked, so nothing was tested." in text


def test_at_a_terminal_it_becomes_a_file(
    home: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("orchestrator.panel.debrief.printing.as_pdf", lambda page: b"%PDF")
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    monkeypatch.chdir(tmp_path)
    with Session.start(Home.open(home), deck_text="# Ferries\n", id="s1"):
        pass
    assert run(["--home", str(home), "debrief", "s1", "--format", "pdf"]) == 0
    assert capsys.readouterr().out == "debrief-s1.pdf\n"
    assert Path("debrief-s1.pdf").read_bytes() == b"%PDF"
