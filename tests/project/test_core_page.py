"""`greenroom help core`: the crew of the page, built from what the page shows and from nothing else."""

from __future__ import annotations

import inspect
import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from orchestrator.core import Home, Session, verify_archive
from orchestrator.core.errors import GreenroomError
from orchestrator.core.table import _ROW_KEYS, _TABLE_KEYS
from tests.helpers.commands import Commands

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "orchestrator" / "docs" / "core.md").read_text("utf-8")


def blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", PAGE, re.DOTALL)


@pytest.fixture
def jury(tmp_path: Path) -> Path:
    """The page's home, from its own blocks: both jurors get a role like the chair's, as it says."""
    role, talk, vote = blocks("markdown")
    table, _ = blocks("yaml")
    files = {
        "table.yaml": table,
        **{f"templates/{agent}/role.md": role for agent in ("chair", "typographer", "printer")},
        "session-templates/shared/talk.md": talk,
        "session-templates/panelist/vote.md": vote,
    }
    assert {name for name in files if "/" not in name or f"jury/{name}" in PAGE} >= {
        "table.yaml", "templates/chair/role.md", "session-templates/shared/talk.md",
        "session-templates/panelist/vote.md",
    }  # fmt: skip
    for name, text in files.items():
        (tmp_path / "jury" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "jury" / name).write_text(text, "utf-8")
    return tmp_path / "jury"


def test_the_pages_session_is_held_as_it_says(
    jury: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.chdir(jury.parent)
    example, elsewhere = blocks("python")
    names: dict[str, Any] = {"my_model": lambda text: f"For it, of {text.count('^^^ file')} files.\n"}
    exec(example, names)
    exec(elsewhere, names)
    assert names["votes"] == ["For it, of 6 files.\n"] * 2
    assert names["folder"] == Path("back/poster-7")
    assert caplog.messages == []  # nothing of the home is unused
    with Home(jury).session("poster-7") as session:
        assert {path: session.read(path) for path in session.files} == {
            "shared/brief.md": "A poster for the night train.\n",
            "shared/sketches.md": "",
            "shared/talk.md": "# Jury on The night train for the railway, 2026-11-27: "
            "chair, typographer, printer\n"
            "Ines: the sketch is on the table.\n",
            "shared/decisions.md": "Printed in two colours.\n",
            "typographer/vote.md": "For it, of 6 files.\n",
            "printer/vote.md": "For it, of 6 files.\n",
        }
        assert [(note.type, note.by, note.fields) for note in session.notes()] == [
            ("jury.decision", "chair", {"colours": 2})
        ]
        assert "Printed in two colours." not in names["before"].text
        assert "For it" in names["before"].text
    archived = verify_archive(str(jury / "archives"), "poster-7")
    assert (archived.valid, archived.head) == (True, names["head"])


def test_every_key_of_a_table_is_explained() -> None:
    explained = re.findall(r"^\| `?([a-z]+)`? \|", PAGE, re.MULTILINE)
    assert set(_ROW_KEYS) <= set(explained)
    for table in blocks("yaml"):
        assert re.findall(r"^([a-z]+):", table, re.MULTILINE) == list(_TABLE_KEYS)


def test_the_pages_crew_without_seats_has_a_chair_who_reads_all(jury: Path) -> None:
    _, table = blocks("yaml")
    (jury / "table.yaml").write_text(table, "utf-8")
    with Home(jury).start("small", {"shared/brief.md": "A poster.\n"}, say=lambda _: None) as session:
        for agent in ("typographer", "printer"):
            receipt = session.context(agent).receipt
            session.write(f"{agent}/vote.md", f"{agent}: for it.\n", by=agent, receipt=receipt)
        read = session.context("chair").text
        assert [f"{agent}: for it." in read for agent in ("typographer", "printer")] == [True, True]
        assert session.verify().valid


def test_the_pages_dry_check_finds_nothing_wrong(jury: Path, capsys: pytest.CaptureFixture[str]) -> None:
    done = Commands(jury, capsys)("panel", "check")
    assert (done.stdout, done.stderr) == (
        "valid\n",
        (
            "note: this home is of the crew design-jury and has no panel: its table, templates and "
            "blueprints are checked\n"
            f"note: {jury}/session-templates/shared/talk.md: names client: give each start these `fields`\n"
        ),
    )


def test_every_call_of_a_session_is_named() -> None:
    public = {name for name, _ in inspect.getmembers(Session) if not name.startswith("_")}
    assert public - set(re.findall(r"[a-z_]+", PAGE)) == set()


def test_every_error_that_the_page_names_is_one() -> None:
    named = set(re.findall(r"`([A-Z]\w+Error)`", PAGE))
    known = {one.__name__ for one in _below(GreenroomError)}
    assert named - known == {"GreenroomError"}


def _below(kind: type[Exception]) -> set[type[Exception]]:
    return {one for sub in kind.__subclasses__() for one in (sub, *_below(sub))}


CALLS = sorted({
    (words.strip(), *re.findall(r" (--[a-z]+)", options))
    for words, options in re.findall(r"greenroom --home jury ((?:session )?[a-z]+)([^\n]*)", PAGE)
})  # fmt: skip


@pytest.mark.parametrize("call", CALLS, ids=" ".join)
def test_every_command_of_the_page_takes_the_options_that_it_shows(
    home: Path, capsys: pytest.CaptureFixture[str], call: tuple[str, ...]
) -> None:
    words, *options = call
    shown = Commands(home, capsys)(*words.split(), "--help").stdout
    assert [option for option in options if option != "--json" and option not in shown] == []


SHELL = """\
set -eu
greenroom() {{ "{python}" -m orchestrator.cli "$@"; }}
python3() {{ "{python}" "$@"; }}
files() {{ python3 -c 'import json, sys; print(json.load(sys.stdin)["text"].count("^^^ file"), "files")'; }}
my-model() {{ files; }}
"""


@pytest.mark.slow
def test_the_pages_loop_of_a_shell_runs_as_it_stands(jury: Path, tmp_path: Path) -> None:
    """All of it, with a folder where the page has a bucket."""
    lines = [line[2:] for block in blocks("console") for line in block.splitlines()]
    (tmp_path / "brief.txt").write_text("A poster.\n", "utf-8")
    script = SHELL.format(python=sys.executable) + "\n".join(lines)
    done = subprocess.run(
        ["bash", "-c", script.replace("s3://bucket/juries", "bags")],
        cwd=tmp_path,
        env={"PATH": "/usr/bin:/bin", "PYTHONPATH": str(ROOT), "HOME": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    with Session.open(Home(jury), tmp_path / "back" / "poster-8") as session:
        assert session.read("printer/vote.md") == "6 files\n"
        (receipt,) = session.receipts()
        assert (
            session.replay(receipt).text == json.loads((tmp_path / "context.json").read_text("utf-8"))["text"]
        )
        assert [(note.type, note.fields) for note in session.notes()] == [("jury.decision", {"colours": 2})]
        assert session.verify().valid
