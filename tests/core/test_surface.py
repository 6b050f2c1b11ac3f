"""The core is a library of its own: importing it loads nothing, and the page that designed it runs."""

from __future__ import annotations

import importlib
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import orchestrator.core
from orchestrator.core import Home, Verification, restore, verify_archive, verify_session
from tests.core.crews import MEETING, QUESTION, bytes_of
from tests.helpers.strict_s3 import KEY, SECRET, StrictS3, strict_s3

LOADED = """
import json, sys
before = set(sys.modules)
{code}
print(json.dumps(sorted(set(sys.modules) - before)))
"""

# The example of the design page, line by line as it is printed there.
DESIGN_PAGE = """
from orchestrator.core import Home

home = Home("crew")                                          # templates/ session-templates/ table.yaml sessions/
with home.start("pr-42", {"shared/pull-request.md": diff}, title="PR 42") as session, session.guard():
    session.append("shared/meeting.md", "Alice: I simplified the total.", by="minutes")
    for agent in ("architect", "security", "tester"):
        context = session.context(agent, task="Ask one question.", engine="my-model-1")
        session.write(f"{agent}/question.md", my_model(context.text), by=agent, receipt=context.receipt)
    with session.transaction() as tx:
        tx.append("shared/findings.md", "tester asks: …", by="coordinator")
        tx.note("review.finding", {"severity": "high"}, by="coordinator")
    assert session.replay(context.receipt).text == context.text
    session.end()
    assert session.verify().valid
    session.archive("s3://reviews/2026")
"""  # noqa: E501  # the page's own line


def loaded_by(code: str) -> list[str]:
    """The modules that a fresh interpreter has loaded after *code* and had not before."""
    done = subprocess.run(
        [sys.executable, "-c", LOADED.format(code=code)], capture_output=True, text=True, check=True
    )
    return list(json.loads(done.stdout))


def wings_of(names: list[str]) -> set[str]:
    """The wings of the package that are among the modules with these names."""
    return {".".join(name.split(".")[:2]) for name in names if name.startswith("orchestrator.")}


def test_importing_the_core_loads_nothing_but_the_core() -> None:
    names = loaded_by("import orchestrator.core")
    assert [name for name in names if name.partition(".")[0] not in sys.stdlib_module_names] == [
        "orchestrator",
        "orchestrator.core",
    ]


def test_its_classes_load_no_other_wing_and_no_library_before_it_is_used() -> None:
    names = loaded_by("from orchestrator.core import GreenroomError, Home, Session, Table")
    assert wings_of(names) == {"orchestrator.core"}
    assert {name.partition(".")[0] for name in names} - sys.stdlib_module_names == {"orchestrator"}


def test_a_session_of_a_crew_is_held_without_another_wing_or_a_cloud(crew: Path) -> None:
    code = f"""
from orchestrator.core import Home
with Home({str(crew)!r}).start("s", {{"shared/pull-request.md": "+"}}) as session:
    session.context("tester")
    session.end()
    assert session.verify().valid
    session.archive()
"""
    names = loaded_by(code)
    assert wings_of(names) == {"orchestrator.core"}
    assert {name.partition(".")[0] for name in names} & {"boto3", "botocore", "watchdog", "pydantic"} == set()


def test_the_public_names_are_sorted_and_each_is_there() -> None:
    names = orchestrator.core.__all__
    assert names == sorted(names)
    assert sorted(orchestrator.core._PARTS) == names
    assert [name for name in names if getattr(orchestrator.core, name).__name__ != name] == []
    with pytest.raises(AttributeError, match="has no attribute 'Rehearsal'"):
        _ = importlib.import_module("orchestrator.core").Rehearsal  # mypy knows it is none


@pytest.fixture
def reviews(monkeypatch: pytest.MonkeyPatch) -> Iterator[StrictS3]:
    """An S3 server with the example's bucket, which the environment names."""
    with strict_s3(bucket="reviews") as server:
        monkeypatch.setenv("AWS_ACCESS_KEY_ID", KEY)
        monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", SECRET)
        monkeypatch.setenv("GREENROOM_S3_ENDPOINT", server.endpoint_url)
        yield server


def test_the_design_pages_example_runs_as_it_stands(
    crew: Path, reviews: StrictS3, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    given: list[str] = []

    def my_model(text: str) -> str:
        given.append(text)
        return "Why?\n"

    exec(DESIGN_PAGE, {"diff": "- a\n+ b\n", "my_model": my_model})  # the page is what is tested
    assert [text.splitlines()[0] for text in given] == [
        f"^^^ file 1 of 5: templates/{agent}/role.md (immutable)"
        for agent in ("architect", "security", "tester")
    ]
    ended = crew / "sessions" / "pr-42"
    assert (ended / MEETING).read_text("utf-8") == "# Meeting on PR 42\n\nAlice: I simplified the total.\n"
    assert (ended / QUESTION).read_text("utf-8") == "Why?\n"
    assert {key.partition("/pr-42/")[0] for key in reviews.objects} == {"2026"}
    endpoint = reviews.endpoint_url
    assert verify_archive("s3://reviews/2026", "pr-42", endpoint_url=endpoint).valid
    back = restore("pr-42", "s3://reviews/2026", tmp_path / "back", endpoint_url=endpoint)
    assert bytes_of(back) == bytes_of(ended)


def test_every_door_to_the_proof_says_by_which_table_it_judged(crew: Path, tmp_path: Path) -> None:
    home = Home(crew)
    table = home.table
    with home.start("s", {"shared/pull-request.md": "+\n"}) as session:
        live = session.verify()
        session.end()
        ended = session.verify()
        session.archive(str(tmp_path / "bags"))
    doors: list[Verification] = [
        live,
        ended,
        verify_session(crew / "sessions" / "s"),
        verify_archive(str(tmp_path / "bags"), "s"),
        verify_session(restore("s", str(tmp_path / "bags"), tmp_path / "back")),
    ]
    judged = [(door.table.name, door.table.version, door.table.sha256) for door in doors if door.table]
    assert judged == [("code-review", 1, table.sha256)] * 5
    assert [door.valid for door in doors] == [True] * 5
