"""The first page and the topic pages: short, in step with the program, and what they show runs."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import typer

from orchestrator.cli.app import ALIASES, COMMANDS, GROUPS, build
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


PAGES_OF_HELP: dict[tuple[str, ...], list[str]] = {
    (): [*COMMANDS, *GROUPS],
    **{(group,): list(names) for group, names in GROUPS.items()},
    ("memory", "goal"): ["add", "done", "drop", "list"],
}


@pytest.mark.parametrize("words", PAGES_OF_HELP, ids=" ".join)
def test_help_lists_each_command_with_a_summary_that_fits_its_line(
    home: Path, capsys: pytest.CaptureFixture[str], words: tuple[str, ...]
) -> None:
    shown = Commands(home, capsys)(*words, "--help").stdout
    rows = shown.partition("Commands:\n")[2].splitlines()
    assert sorted(row.split()[0] for row in rows) == sorted(PAGES_OF_HELP[words])
    assert [row for row in rows if row.endswith("...") or len(row) > 79] == []


def test_twelve_commands_stand_alone_and_the_others_in_four_groups() -> None:
    assert (len(COMMANDS), list(GROUPS)) == (12, ["session", "memory", "panel", "cluster"])


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
    assert shown.startswith("## run DECK\n\nRun a whole rehearsal")
    page = command("help", "commands").stdout
    assert shown.rstrip("\n") in page
    assert command("help", "session").stdout in page
    assert command("help", "goal").stdout == command("help", "memory", "goal").stdout
    feed = command("help", "feed").stdout
    assert feed.startswith("## session feed SESSION FILE|-\n\nTake speech in")
    assert feed == command("help", "session", "feed").stdout


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


def test_the_first_pages_python_runs_as_it_stands(tmp_path: Path) -> None:
    (example,) = re.findall(r"```python\n(.*?)```", README.read_text("utf-8"), re.DOTALL)
    shutil.copytree(ROOT / "scripts" / "examples", tmp_path / "checkout" / "scripts" / "examples")
    done = subprocess.run(
        [sys.executable, "-c", example],
        cwd=tmp_path / "checkout",
        env={"PYTHONPATH": str(ROOT), "PATH": "/usr/bin:/bin"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


CALLS: list[tuple[str, ...]] = [(name,) for name in (*COMMANDS, *ALIASES) if name != "help"]
CALLS += [(group, name) for group, names in GROUPS.items() for name in names]


def commands_of(words: tuple[str, ...]) -> list[str]:
    """What is made for a call of *words*, in one line each."""
    made = typer.main.get_command(build(words)).commands  # type: ignore[attr-defined]  # a group
    return [" ".join([name, *getattr(one, "commands", {})]) for name, one in made.items()]


@pytest.mark.parametrize("words", CALLS, ids=" ".join)
def test_only_the_command_that_is_called_is_made(words: tuple[str, ...]) -> None:
    parts = ["add", "done", "drop", "list"] if words == ("goal",) else []  # a group of its own
    assert commands_of(words) == [" ".join([*words, *parts])]


def test_the_first_page_loads_no_command_of_a_group() -> None:
    assert commands_of(()) == [*COMMANDS, *GROUPS]


@pytest.mark.parametrize("name", ALIASES)
def test_an_old_name_is_the_command_of_the_group(
    home: Path, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    """Its help is the same below the line of usage, and so are its code and message."""
    command, group = Commands(home, capsys), ALIASES[name]
    for arguments in (("--help",), ("--no-such-option",)):
        [old, new] = [command(*words, *arguments, check=False) for words in ([name], [group, name])]
        below = [one.stdout.partition("\n\n")[2] for one in (old, new)]
        assert (old.returncode, old.stderr, below[0]) == (new.returncode, new.stderr, below[1])


@pytest.mark.parametrize(
    ("wrong", "right"),
    [("session show", "show"), ("panel demo", "demo"), ("session goal", "memory goal")],
)
def test_a_command_in_another_place_is_told_with_its_place(
    home: Path, capsys: pytest.CaptureFixture[str], wrong: str, right: str
) -> None:
    refused = Commands(home, capsys)(*wrong.split(), "last", check=False)
    assert (refused.returncode, refused.stdout, refused.stderr) == (
        2,
        "",
        f"greenroom: there is no command '{wrong}': use `greenroom {right}`\n",
    )


def test_a_command_that_there_is_not_is_told_the_nearest(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    refused = Commands(home, capsys)("shwo", "last", check=False)
    assert (refused.returncode, refused.stderr) == (
        2,
        "greenroom: No such command 'shwo'. Did you mean 'show'?\n",
    )
