"""The first page and the topic pages: short, in step with the program, and what they show runs."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import typer

from orchestrator.cli.app import COMMANDS, build
from orchestrator.cli.topics import TOPICS, commands_page
from tests.helpers.commands import Commands

ROOT = Path(__file__).resolve().parents[2]
README = ROOT / "README.md"
DOCS = ROOT / "orchestrator" / "docs"
PAGES = [
    README,
    *sorted(DOCS.glob("*.md")),
    ROOT / "orchestrator" / "README.md",
    ROOT / "agents" / "README.md",
    *(ROOT / name for name in ("CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md", "docs/decisions.md")),
]


def test_the_page_of_commands_is_made_from_help() -> None:
    made = commands_page(typer.main.get_command(build()).commands)  # type: ignore[attr-defined]  # a group
    assert (DOCS / "commands.md").read_text("utf-8") == made, (
        "write it anew: scripts/greenroom help commands > orchestrator/docs/commands.md"
    )
    assert "\n\n\n" not in made


def test_the_summary_of_every_command_fits_its_line(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    shown = Commands(home, capsys)("--help").stdout
    rows = shown.partition("Commands:\n")[2].splitlines()
    assert len(rows) > 30
    assert [row for row in rows if row.endswith("...") or len(row) > 79] == []


def test_every_topic_is_a_page_and_every_page_a_topic() -> None:
    assert sorted(TOPICS) == sorted(path.stem for path in DOCS.glob("*.md"))


@pytest.mark.parametrize("topic", TOPICS)
def test_help_prints_the_page_as_it_stands(
    home: Path, capsys: pytest.CaptureFixture[str], topic: str
) -> None:
    shown = Commands(home, capsys)("help", topic).stdout
    assert shown.rstrip("\n") == (DOCS / f"{topic}.md").read_text("utf-8").rstrip("\n")


def test_an_unknown_topic_is_refused_with_those_that_there_are(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    refused = Commands(home, capsys)("help", "cooking", check=False)
    assert (refused.returncode, refused.stdout, refused.stderr) == (
        2,
        "",
        f"greenroom: there is no topic 'cooking': take one of {', '.join(TOPICS)}, or a command.\n",
    )
    assert Commands(home, capsys)("help", "rom", check=False).stderr.endswith("Did you mean 'room'?\n")


def test_a_commands_name_shows_its_part_of_the_page_of_commands(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    command = Commands(home, capsys)
    shown = command("help", "run").stdout
    assert shown.startswith("## run DECK\n\nA whole rehearsal")
    assert shown.rstrip("\n") in command("help", "commands").stdout


def test_the_first_page_is_short() -> None:
    assert len(README.read_bytes()) <= 9_000


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_link_leads_somewhere(page: Path) -> None:
    targets = re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", page.read_text("utf-8"))
    assert [target for target in targets if not (page.parent / target).exists()] == []


def test_every_command_that_a_page_names_exists() -> None:
    known = set(typer.main.get_command(build()).commands)  # type: ignore[attr-defined]  # a group
    named = {
        (page.name, name)
        for page in PAGES
        for name in re.findall(
            r"^\$? ?(?:scripts/)?greenroom ([a-z]+)", page.read_text("utf-8"), re.MULTILINE
        )
    }
    assert {(page, name) for page, name in named if name not in known} == set()


def test_the_first_pages_python_runs_as_it_stands(home: Path, tmp_path: Path) -> None:
    (example,) = re.findall(r"```python\n(.*?)```", README.read_text("utf-8"), re.DOTALL)
    shutil.copytree(home, tmp_path / "checkout" / "agents")
    done = subprocess.run(
        [sys.executable, "-c", example],
        cwd=tmp_path / "checkout",
        env={"PYTHONPATH": str(ROOT), "PATH": "/usr/bin:/bin"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_each_command_is_built_alone() -> None:
    """Called by its name, each is found, and no other is loaded."""
    for name in COMMANDS:
        wanted = sorted(COMMANDS if name == "help" else [name])
        assert sorted(typer.main.get_command(build(name)).commands) == wanted  # type: ignore[attr-defined]  # a group


def test_a_command_that_there_is_not_is_told_the_nearest(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    refused = Commands(home, capsys)("shwo", "last", check=False)
    assert (refused.returncode, refused.stderr) == (
        2,
        "greenroom: No such command 'shwo'. Did you mean 'show'?\n",
    )
