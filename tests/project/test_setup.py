"""What `scripts/greenroom` promises about its set-up, with a Python that only notes what it is asked."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]

# Stands for python3 and for .venv/bin/python: makes a folder for `-m venv`, writes down what
# `-m pip` installs, and does nothing else but run the few lines of setup.sh.
PYTHON = """#!/bin/sh
case "$*" in
*"-m venv"*) mkdir -p "$4/bin"; rm -f "$4/.ready"; cp "$0" "$4/bin/python"; echo venv >>"{log}" ;;
*"-m pip"*)
    for last; do :; done
    echo "pip $last" >>"{log}"
    [ ! -e "{log}.fail" ] || exit 3
    printf '%s\\n' '#!/bin/sh' 'echo "$GREENROOM_HOME" "$@"; exit 7' >"${{0%/*}}/greenroom"
    chmod +x "${{0%/*}}/greenroom" ;;
*) exec "{real}" "$@" ;;
esac
"""


@dataclass(frozen=True)
class Checkout:
    root: Path
    log: Path

    def run(self, *args: str, script: str = "greenroom", cwd: Path | None = None) -> tuple[int, str, str]:
        """Exit code, stdout and stderr of one of the checkout's scripts."""
        path = f"{self.root.parent / 'bin'}:{os.environ['PATH']}"
        done = subprocess.run(
            [self.root / "scripts" / script, *args],
            cwd=cwd or self.root.parent,
            env={"PATH": path},
            capture_output=True,
            text=True,
        )
        return done.returncode, done.stdout, done.stderr

    def noted(self) -> list[str]:
        """What the stand-in was asked to do since the last look."""
        lines = self.log.read_text().splitlines() if self.log.exists() else []
        self.log.unlink(missing_ok=True)
        return lines


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    root = tmp_path / "a check out"
    shutil.copytree(ROOT / "scripts", root / "scripts")
    shutil.copy(ROOT / "pyproject.toml", root)
    (root / "agents" / "templates").mkdir(parents=True)
    (tmp_path / "bin").mkdir()
    python = tmp_path / "bin" / "python3"
    python.write_text(PYTHON.format(log=tmp_path / "log", real=sys.executable))
    python.chmod(0o755)
    return Checkout(root, tmp_path / "log")


def test_the_first_call_sets_up_and_says_so_and_the_second_only_runs(checkout: Checkout) -> None:
    home = checkout.root / "agents"
    assert checkout.run("--json", "a b") == (
        7,
        f"{home} --json a b\n",
        "greenroom: setting up .venv, this once (about a minute)\n",
    )
    assert checkout.noted() == ["venv", "pip .[mcp,openai,web]"]
    assert checkout.run("--json", "a b") == (7, f"{home} --json a b\n", "")
    assert checkout.noted() == []


def test_a_home_in_the_current_folder_is_left_to_greenroom(checkout: Checkout) -> None:
    checkout.run()
    assert checkout.run(cwd=checkout.root)[1] == "\n"
    assert checkout.run(cwd=checkout.root / "agents")[1] == f"{checkout.root / 'agents'}\n"


def test_the_scripts_work_through_a_link(checkout: Checkout, tmp_path: Path) -> None:
    (tmp_path / "bin" / "gr").symlink_to(checkout.root / "scripts" / "greenroom")
    checkout.run()
    done = subprocess.run([tmp_path / "bin" / "gr", "x"], capture_output=True, text=True, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (7, f"{checkout.root / 'agents'} x\n")


def test_an_install_that_was_interrupted_or_failed_is_redone(checkout: Checkout) -> None:
    failing = checkout.log.with_name("log.fail")
    failing.touch()
    code, out, err = checkout.run()
    assert (code, out) == (1, "")
    assert err.splitlines()[-1] == (
        "greenroom: could not install what pyproject.toml asks for (see above): mend that and run this again"
    )
    failing.unlink()
    assert checkout.noted() == ["venv", "pip .[mcp,openai,web]"]
    assert checkout.run()[0] == 7
    assert checkout.noted() == ["venv", "pip .[mcp,openai,web]"]


@pytest.mark.parametrize("name", ["pyproject.toml", "scripts/constraints.txt"])
def test_what_is_installed_follows_what_is_asked_for(checkout: Checkout, name: str) -> None:
    checkout.run()
    checkout.noted()
    with (checkout.root / name).open("a") as file:
        file.write("# changed\n")
    assert checkout.run()[2] == "greenroom: bringing .venv up to date\n"
    assert checkout.noted() == ["pip .[mcp,openai,web]"]


def test_the_test_extra_is_added_once_and_kept(checkout: Checkout) -> None:
    checkout.run()
    checkout.run(script="test")
    assert checkout.noted() == ["venv", "pip .[mcp,openai,web]", "pip .[mcp,openai,web,test]"]
    checkout.run()
    assert checkout.noted() == []
    (checkout.root / "scripts" / "constraints.txt").write_text("# changed\n")
    checkout.run()
    assert checkout.noted() == ["pip .[mcp,openai,web,test]"]


def test_a_checkout_that_has_moved_gets_a_new_environment(checkout: Checkout) -> None:
    checkout.run()
    checkout.noted()
    moved = Checkout(checkout.root.rename(checkout.root.with_name("moved")), checkout.log)
    assert moved.run()[:2] == (7, f"{moved.root / 'agents'}\n")
    assert moved.noted() == ["venv", "pip .[mcp,openai,web]"]


def test_scripts_started_at_once_set_up_once(checkout: Checkout) -> None:
    path = f"{checkout.root.parent / 'bin'}:{os.environ['PATH']}"
    started = [
        subprocess.Popen(
            [checkout.root / "scripts" / "greenroom"],
            env={"PATH": path},
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        for _ in range(4)
    ]
    answers = [process.communicate()[0] for process in started]
    assert [process.returncode for process in started] == [7, 7, 7, 7]
    assert len(set(answers)) == 1
    assert checkout.noted() == ["venv", "pip .[mcp,openai,web]"]


def test_without_a_python_there_is_one_clear_line(checkout: Checkout, tmp_path: Path) -> None:
    """Only the programs that the scripts themselves need are on the path."""
    bare = tmp_path / "bare"
    bare.mkdir()
    for name in ("sh", "dirname", "readlink", "cat", "cksum"):
        found = shutil.which(name)
        assert found is not None
        (bare / name).symlink_to(found)
    done = subprocess.run(
        [checkout.root / "scripts" / "greenroom"], env={"PATH": str(bare)}, capture_output=True, text=True
    )
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == (
        "greenroom: needs Python 3.11 or later with venv, and found none: "
        "install it, e.g. apt-get install python3 python3-venv\n"
    )
