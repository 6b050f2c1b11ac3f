"""What nobody sees and a terminal obeys: cleaned where it comes in, and never printed."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from orchestrator import Home, Session
from orchestrator.core.errors import ConfigurationError, UsageError
from orchestrator.core.legible import (
    UNSEEN,
    one_line,
    page,
    printable,
)
from orchestrator.material.speech.segment_json import piece_of
from orchestrator.mcp.server import _Requests
from orchestrator.panel.config.config import checked
from tests.helpers.commands import Commands

NASTY = "cash \x1b[2J\x1b]0;pwn\x07 \x9b2J\b \u202e7202\u202c \U000e0041\U000e0042 end"
CLEAN = "cash [2J ]0;pwn 2J 7202 end"
DECK = "# Ferries\n\n- Revenue grew 18% to EUR 4.2M in 2026\n"


@pytest.fixture
def commands(home: Path, capsys: pytest.CaptureFixture[str]) -> Commands:
    return Commands(home, capsys)


@pytest.fixture
def session(home: Path) -> Session:
    return Session.start(Home.open(home), deck_text=DECK, id="z", focus=[NASTY])


def test_a_line_and_a_page_keep_what_a_reader_sees_and_nothing_else() -> None:
    assert one_line(NASTY) == CLEAN
    assert page("# A\n\tb\r\nc\x1b[2J\rd\n") == "# A\n\tb\r\nc [2J d\n"
    assert printable("a\n\tb\x1b[2J\u202ec") == "a\n\tb�[2J�c"
    assert one_line("می\u200cخواهم") == "می\u200cخواهم"  # a joiner that Persian is written with


def test_all_that_comes_into_a_session_is_cleaned(session: Session, home: Path) -> None:
    session.ask(agent="skeptic", question=f"Why? {NASTY}")
    session.take_answer(f"We signed {NASTY}.")
    session.judge("satisfied", reason=NASTY)
    with session:
        written = [path for path in session.path.rglob("*") if path.is_file() and path.suffix == ".md"]
        texts = [path.read_text("utf-8") for path in written] + [
            json.dumps(json.loads(line), ensure_ascii=False)
            for line in (session.path / "ledger" / "ledger.jsonl").read_text("utf-8").splitlines()
        ]
        assert session.rehearsal.options.focus == (CLEAN,)
        assert session.projection.asked[0].turns[0].answer == f"We signed {CLEAN}."
    assert [text for text in texts if UNSEEN.search(text) or "\\u00" in text] == []


def test_speech_holds_no_signs_of_direction_and_no_tags() -> None:
    piece = piece_of({"text": NASTY, "speaker": NASTY}, "line 1")
    assert piece is not None
    assert (piece.text, piece.speaker) == (CLEAN, CLEAN)


def test_what_an_older_session_holds_is_shown_and_not_obeyed(
    session: Session, commands: Commands, monkeypatch: pytest.MonkeyPatch
) -> None:
    with session:
        session.append("shared/presenter-transcript.md", f"[0:00] Ines: {NASTY}\n", by="transcript")
        text = session.context("skeptic").text
    assert commands("context", "z", "skeptic").stdout == text  # its bytes, whose digest the receipt has
    assert NASTY in text
    assert commands.json("context", "z", "skeptic")["text"] == text
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    for arguments in (("context", "z", "skeptic"), ("recap", "z"), ("--json", "context", "z", "skeptic")):
        assert UNSEEN.search(commands(*arguments).stdout) is None
    assert UNSEEN.search(commands(f"--{NASTY}", check=False).stderr) is None


def test_a_scratchpad_page_is_cleaned_and_keeps_its_lines(
    commands: Commands, monkeypatch: pytest.MonkeyPatch
) -> None:
    commands("memory", "on", "--presenter", "Zoe")
    text = f"# Page\n\n- {NASTY}\n"
    commands("memory", "edit", "--scratchpad", "skeptic", "--presenter", "Zoe", "--content", text)
    shown = commands("memory", "show", "--presenter", "Zoe").stdout
    assert "# Page\n\n- cash  [2J ]0;pwn" in shown
    assert UNSEEN.search(shown) is None


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"presenter": ""}, "--presenter is blank: give a name, or leave it out"),
        ({"presenter": " \t"}, "--presenter is blank: give a name, or leave it out"),
        ({"presenter": "", "remember": True}, "--presenter is blank: give a name, or leave it out"),
        (
            {"presenter": "x" * 300},
            "--presenter has 300 characters; at most 100 are taken: shorten it",
        ),
    ],
)
def test_a_name_that_is_none_begins_no_session(home: Path, options: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError) as refused:
        Session.start(Home.open(home), deck_text=DECK, id="n", **options)
    assert str(refused.value) == message
    assert not (home / "sessions" / "n").exists()


def test_the_configuration_takes_no_address_of_another_kind_for_embeddings() -> None:
    assert checked("embeddings", "local", "here") == "local"
    with pytest.raises(ConfigurationError) as refused:
        checked("embeddings", "ftp://x", "here")
    assert str(refused.value) == (
        "here: embeddings is 'ftp://x', but must be \"local\" or an address that begins with http:// or https://"
    )


def test_a_request_with_half_a_character_can_be_read_by_the_sdk(tmp_path: Path) -> None:
    file = tmp_path / "requests"
    file.write_text(r'{"a": "\ud800 \\ud800 \ud83d\ude00 \udc00\u00e9"}' + "\n")
    with file.open("rb") as raw, _Requests(raw, encoding="utf-8") as requests:
        assert json.loads(requests.readline()) == {"a": "\ufffd \\ud800 \U0001f600 \ufffd\u00e9"}
