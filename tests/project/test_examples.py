"""The examples do what they show: from this checkout, and from the wheel in an empty environment."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from orchestrator.core import Home, Session, verify_archive
from scripts.examples import code_review
from tests.core.crews import FINDINGS, MEETING, QUESTION
from tests.helpers.installed import ROOT, installed, outside

EXAMPLES = ROOT / "scripts" / "examples"
SCRIPTS = sorted(path.name for path in EXAMPLES.glob("*.py"))


@pytest.mark.parametrize("name", SCRIPTS)
def test_an_example_is_at_most_60_lines_and_a_home(name: str) -> None:
    assert len((EXAMPLES / name).read_text("utf-8").splitlines()) <= 60
    home = (EXAMPLES / name).with_suffix("")
    there = {path.name for path in home.iterdir()}
    assert there - {"sessions", "archives"} == {"session-templates", "table.yaml", "templates"}


@pytest.mark.parametrize("name", SCRIPTS)
def test_an_examples_home_holds_nothing_that_its_table_does_not_name(tmp_path: Path, name: str) -> None:
    home = Home(shutil.copytree((EXAMPLES / name).with_suffix(""), tmp_path / "crew"))
    told: list[str] = []
    home.start(say=told.append).close()
    assert told == []


def test_the_code_review_is_held_proven_and_archived(tmp_path: Path) -> None:
    head = code_review.main(tmp_path / "crew")
    archived = verify_archive(str(tmp_path / "crew" / "archives"), "pr-42")
    assert (archived.valid, archived.ended, archived.head, archived.notes) == (True, True, head, ())
    with Home(tmp_path / "crew").session("pr-42") as session:
        assert session.read(MEETING) == "# Meeting on PR 42\n\nAlice: I simplified the total.\n"
        assert session.read(FINDINGS) == "tester asks: Which test fails where a row has no total?\n"
        assert asked_in(session) == [
            ("architect", "Ask one question.", "my-model-1"),
            ("security", "Ask one question.", "my-model-1"),
            ("tester", "Ask one question.", "my-model-1"),
        ]
        assert [(note.type, note.by, note.fields) for note in session.notes()] == [
            ("review.finding", "coordinator", {"severity": "high"})
        ]
        assert session.replay(session.receipts()[-1]).text.count(QUESTION) == 2  # its own page, still empty


def asked_in(session: Session) -> list[tuple[str, str, str]]:
    return [(receipt.agent, receipt.purpose, receipt.engine) for receipt in session.receipts()]


# ---------------------------------------------------------------------- from the wheel


@pytest.fixture(scope="module")
def python(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The Python of an environment that holds the wheel, what it needs, and LangGraph."""
    return installed(tmp_path_factory.mktemp("installed"), "langgraph")


def run(python: Path, folder: Path, *arguments: str) -> str:
    """Run that Python away from the checkout; return its stdout."""
    done = subprocess.run(
        [python, "-I", *arguments], cwd=folder, env=outside(), capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


@pytest.mark.slow
@pytest.mark.parametrize(("name", "session"), [("code_review", "pr-42"), ("langgraph_crew", "bridge")])
def test_an_example_runs_with_the_wheel_alone(python: Path, tmp_path: Path, name: str, session: str) -> None:
    shutil.copytree(EXAMPLES, tmp_path / "examples")
    head = run(python, tmp_path, f"examples/{name}.py", "crew").strip()
    archived = verify_archive(str(tmp_path / "crew" / "archives"), session)
    assert (archived.valid, archived.ended, archived.head) == (True, True, head)


@pytest.mark.slow
def test_langgraph_sends_the_writer_back_until_the_checker_is_content(python: Path, tmp_path: Path) -> None:
    shutil.copytree(EXAMPLES, tmp_path / "examples")
    run(python, tmp_path, "examples/langgraph_crew.py", "crew")
    with Home(tmp_path / "crew").session("bridge") as session:
        assert asked_in(session) == [
            (agent, f"Your turn, after: {after}", "my-model-1")
            for agent, after in (
                ("researcher", "the sources"),
                ("writer", "Closed on 3 May; voted 7 to 4."),
                ("checker", "The council closed the bridge on 3 May."),
                ("writer", "how many voted for it?"),
                ("checker", "The council closed the bridge on 3 May, 7 votes to 4."),
            )
        ]
        assert session.read("shared/draft.md") == "The council closed the bridge on 3 May, 7 votes to 4.\n"
        assert session.read("shared/checks.md") == "how many voted for it?\nnothing is missing\n"


@pytest.mark.slow
def test_the_first_pages_python_runs_with_the_wheel_alone(python: Path, tmp_path: Path) -> None:
    (example,) = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text("utf-8"), re.DOTALL)
    shutil.copytree(EXAMPLES, tmp_path / "scripts" / "examples")
    assert run(python, tmp_path, "-c", example) == ""
