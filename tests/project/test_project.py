"""The project itself: what is pinned, what the wheel holds, and the scripts that set it up."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tomllib
import zipfile
from collections.abc import Iterable
from importlib import metadata
from pathlib import Path

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

import orchestrator

ROOT = Path(__file__).resolve().parents[2]
SHELLS = {
    "scripts/greenroom": "/bin/sh",
    "scripts/test": "/bin/sh",
    "scripts/check": "/bin/sh",
    "scripts/bench": "/bin/sh",
    "scripts/trust": "/bin/sh",
    "scripts/attack": "/bin/sh",
    ".ci/run": "/usr/bin/env bash",
}
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
ASKED_FOR = [
    Requirement(text)
    for texts in (
        PROJECT["build-system"]["requires"],
        PROJECT["project"]["dependencies"],
        *PROJECT["project"]["optional-dependencies"].values(),
    )
    for text in texts
    if not text.startswith(f"{PROJECT['project']['name']}[")  # its own extras
]


def pins() -> dict[str, str]:
    lines = (ROOT / "scripts" / "constraints.txt").read_text("utf-8").splitlines()
    return dict(line.split("==") for line in lines if not line.startswith("#"))


def installed(requirements: Iterable[Requirement]) -> list[Requirement]:
    """Those that are here: scripts/slow alone installs the large extras, and looks at their pins."""
    here = {canonicalize_name(one.name) for one in metadata.distributions()}
    return [one for one in requirements if canonicalize_name(one.name) in here]


def all_that_comes_with(requirements: Iterable[Requirement]) -> set[str]:
    """The names of these and of everything that they need here, as installed."""
    seen: set[tuple[str, str]] = set()
    waiting = [(requirement, extra) for requirement in requirements for extra in ("", *requirement.extras)]
    while waiting:
        requirement, extra = waiting.pop()
        name = canonicalize_name(requirement.name)
        if (name, extra) in seen:
            continue
        seen.add((name, extra))
        for text in metadata.requires(name) or ():
            needed = Requirement(text)
            if needed.marker is None or needed.marker.evaluate({"extra": extra}):
                waiting += [(needed, wanted) for wanted in ("", *needed.extras)]
    return {name for name, _ in seen}


def test_constraints_are_exact_versions_in_order_and_nothing_else() -> None:
    lines = (ROOT / "scripts" / "constraints.txt").read_text("utf-8").splitlines()
    rows = [line for line in lines if not line.startswith("#")]
    assert [row for row in rows if not re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*==[0-9][0-9a-z.]*", row)] == []
    assert rows == sorted(rows, key=lambda row: row.split("==")[0])
    assert len(pins()) == len(rows)


@pytest.mark.slow
def test_everything_that_is_installed_for_us_is_pinned_with_the_large_extras_as_well() -> None:
    assert installed(ASKED_FOR) == ASKED_FOR
    assert all_that_comes_with(ASKED_FOR) - set(pins()) == set()


def test_everything_that_is_installed_for_us_is_pinned() -> None:
    assert all_that_comes_with(installed(ASKED_FOR)) - set(pins()) == set()


def test_every_pin_is_one_that_the_project_allows() -> None:
    pinned = pins()
    wrong = [str(r) for r in ASKED_FOR if pinned[canonicalize_name(r.name)] not in r.specifier]
    assert wrong == []


def test_the_version_is_written_once() -> None:
    """In `orchestrator.__version__`, from where the build reads it."""
    built = subprocess.run(
        [sys.executable, "-m", "hatchling", "version"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert built.stdout == f"{orchestrator.__version__}\n"
    assert "version" not in PROJECT["project"]


def test_the_oldest_python_is_the_same_wherever_it_is_named() -> None:
    assert PROJECT["project"]["requires-python"] == ">=3.11"
    assert PROJECT["tool"]["ruff"]["target-version"] == "py311"
    assert PROJECT["tool"]["mypy"]["python_version"] == "3.11"
    assert "sys.version_info < (3, 11)" in (ROOT / "scripts" / "setup.sh").read_text("utf-8")


def test_the_wheel_holds_the_package_and_the_home(tmp_path: Path) -> None:
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", str(tmp_path)],
        cwd=ROOT,
        capture_output=True,
        check=True,
    )
    (wheel,) = tmp_path.glob("greenroom-*.whl")
    agents = ROOT / "agents"
    with zipfile.ZipFile(wheel) as archive:
        held = {name: archive.read(name) for name in archive.namelist() if ".dist-info/" not in name}
    expected = {
        f"orchestrator/home_files/{path.relative_to(agents).as_posix()}": path.read_bytes()
        for part in ("README.md", "table.yaml", "templates/**/*", "session-templates/**/*")
        for path in agents.glob(part)
        if path.is_file()
    } | {
        path.relative_to(ROOT).as_posix(): path.read_bytes()
        for path in (ROOT / "orchestrator").rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    assert held == expected


@pytest.mark.parametrize(("script", "shell"), SHELLS.items())
def test_a_script_can_be_run_and_parses(script: str, shell: str) -> None:
    assert os.access(ROOT / script, os.X_OK)
    assert (ROOT / script).read_text("utf-8").splitlines()[0] == f"#!{shell}"
    subprocess.run([*shell.split(), "-n", str(ROOT / script)], check=True)


def test_what_the_scripts_share_parses() -> None:
    subprocess.run(["sh", "-n", str(ROOT / "scripts" / "setup.sh")], check=True)


def test_ci_runs_what_people_run_without_a_secret_and_with_actions_of_one_major_version() -> None:
    workflow = (ROOT / ".github" / "workflows" / "ci.yml").read_text("utf-8")
    job = yaml.safe_load(workflow)["jobs"]["run"]
    assert [step["run"] for step in job["steps"] if "run" in step] == [".ci/run"]
    actions = [step["uses"] for step in job["steps"] if "uses" in step]
    assert [action for action in actions if not re.fullmatch(r"actions/[a-z-]+@v\d+", action)] == []
    assert "secrets" not in workflow.partition("jobs:")[2]


def test_the_changelog_has_the_version_that_the_package_names() -> None:
    assert f"\n## {orchestrator.__version__}, " in (ROOT / "CHANGELOG.md").read_text("utf-8")


def test_no_licence_and_no_author_is_claimed_until_the_owner_has_chosen() -> None:
    """Once there is one, this goes, with the line in the README and the comment in pyproject.toml."""
    assert not {"license", "authors"} & set(PROJECT["project"])
    assert "No licence is given yet" in (ROOT / "README.md").read_text("utf-8")
