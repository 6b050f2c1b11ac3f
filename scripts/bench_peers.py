"""Greenroom's store beside the session stores of four agent frameworks, on the same work in one run.

    scripts/bench peers [--json] [--page]

The frameworks (scripts/peers-constraints.txt) are installed into `.venv-peers`, once, from the package
index: the one thing here that needs a network, which is why CI does not run it. Each runs in processes of
its own. `--page` writes the table into orchestrator/docs/peers.md.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from scripts.bench import ROOT, folder
from tests.helpers.figures import not_run, note

PINS = ROOT / "scripts" / "peers-constraints.txt"
VENV = ROOT / ".venv-peers"
PAGE = ROOT / "orchestrator" / "docs" / "peers.md"
TABLE = "<!-- table -->"
NAMES = {
    "greenroom": "Greenroom",
    "openai-agents": "OpenAI Agents SDK, SQLiteSession",
    "langgraph": "LangGraph, SqliteSaver",
    "google-adk": "Google ADK, DatabaseSessionService on SQLite",
    "agent-framework": "Microsoft Agent Framework, FileHistoryProvider",
}
WORKS = {"append": "lengths", "load": "lengths", "writers": "writers", "torn": "torn"}
LIMIT_S = 900.0
EVENTS = 50
"""In the session whose end is cut off."""


def install() -> Path:
    """The interpreter that has the frameworks.

    Raises:
        OSError, subprocess.CalledProcessError: They could not be installed.
    """
    python, ready = VENV / "bin" / "python", VENV / ".ready"
    if not ready.exists() or ready.read_bytes() != PINS.read_bytes():
        print("installing the frameworks into .venv-peers, this once", file=sys.stderr)
        subprocess.run([sys.executable, "-m", "venv", "--clear", VENV], check=True)
        command = [str(python), "-m", "pip", "install", "-qq", "--disable-pip-version-check", "-r", str(PINS)]
        subprocess.run(command, check=True, stdout=sys.stderr)
        shutil.copyfile(PINS, ready)
    return python


def measured(python: Path, name: str, at: Path) -> dict[str, Any]:
    """What one store did with each work; {"failed": why} in the place of what it could not do."""
    found: dict[str, Any] = {}
    for work, where in WORKS.items():
        (at / name / where).mkdir(parents=True, exist_ok=True)
        program = str(ROOT / "scripts" / "peer_stores.py")
        command = [str(python), program, name, work, str(at / name / where)]
        environment = {**os.environ, "PYTHONWARNINGS": "ignore", "OTEL_SDK_DISABLED": "true"}
        try:
            done = subprocess.run(
                command, capture_output=True, text=True, timeout=LIMIT_S, check=True, env=environment
            )
            found[work] = json.loads(done.stdout.splitlines()[-1])
        except subprocess.TimeoutExpired:
            found[work] = {"failed": f"not done after {LIMIT_S:g} s"}
        except subprocess.CalledProcessError as error:
            found[work] = {"failed": (error.stderr.splitlines() or ["no word"])[-1][:160]}
    return found


def rows(found: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """The table, in Markdown."""
    return [
        "| store | one append | open and load | 400 appends by 4 processes | the last 7 bytes cut off |",
        "|---|---|---|---|---|",
        *(
            f"| {NAMES[name]} | {_ratios(one['append'])} | {_ratios(one['load'])} | "
            f"{_writers(one['writers'])} | {_torn(one['torn'])} |"
            for name, one in found.items()
        ),
    ]


def _ratios(came: Mapping[str, Any]) -> str:
    if "failed" in came:
        return f"failed: {came['failed']}"
    return ", ".join(f"{ours / floor:,.1f}" for ours, floor in came.values())


def _writers(came: Mapping[str, Any]) -> str:
    if "failed" in came:
        return f"failed: {came['failed']}"
    acknowledged, kept = came["acknowledged"], came["kept"]
    refused = f", {came['asked'] - acknowledged} refused" if acknowledged < came["asked"] else ""
    return f"{acknowledged} acknowledged{refused}; {kept} of these kept"


def _torn(came: Mapping[str, Any]) -> str:
    if "failed" in came:
        return f"failed: {came['failed']}"
    if came["read"] is None:
        return f"does not open ({came['error'].partition(':')[0]})"
    lost = f"opens; {EVENTS - came['read']} of {EVENTS} lost"
    then = "" if came["after"] is not None else f"; cannot go on ({came['error'].partition(':')[0]})"
    return f"{lost}{then}, {'and says so' if came['said'] else 'nothing said'}"


def _busy() -> str:
    """These include this bench's own, which is one, or four."""
    return "the machine had other work" if os.getloadavg()[2] > 2 else "the machine had no other work"


def where() -> str:
    """The day and the kind of machine."""
    command = ["df", "--output=fstype", str(ROOT)]
    system = subprocess.run(command, capture_output=True, text=True, check=False).stdout.split()
    kernel = ".".join(platform.release().split(".")[:2])
    return (
        f"{datetime.now(UTC):%d %B %Y}, {platform.system()} {kernel}, {os.cpu_count()} cores, "
        f"{system[-1] if system else 'unknown file system'}, Python {platform.python_version()}; "
        f"{os.getloadavg()[2]:.1f} processes wanted to run at once, so {_busy()}"
    )


def main(arguments: Sequence[str]) -> int:
    """Print the table; 1 where the frameworks could not be installed, or Greenroom lost something."""
    parser = argparse.ArgumentParser(
        prog="scripts/bench peers", description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--page", action="store_true")
    chosen = parser.parse_args(arguments)
    try:
        python = install()
    except (OSError, subprocess.CalledProcessError) as error:
        why = f"the frameworks could not be installed ({error}): this needs a package index"
        not_run("peers", "the same work through other stores", why)
        print(f"bench peers: {why}", file=sys.stderr)
        return 1
    found = {}
    with folder() as at:
        for name in NAMES:
            own = Path(sys.executable) if name == "greenroom" else python
            found[name] = measured(own, name, at)
    table = rows(found)
    if chosen.page:
        head, _, rest = PAGE.read_text("utf-8").partition(TABLE)
        tail = rest.partition(TABLE)[2]
        made = "\n".join([head + TABLE, f"Measured on {where()}.", "", *table, TABLE + tail])
        PAGE.write_text(made, "utf-8")
    pins = [line for line in PINS.read_text("utf-8").splitlines() if not line.startswith("#")]
    if chosen.json:
        print(json.dumps({"where": where(), "pins": pins, "stores": found}, indent=1))
    else:
        print("\n".join([where(), ", ".join(pins), *table]))
    for name, one in found.items():
        writers = one["writers"]
        lost = writers.get("acknowledged", 0) - writers.get("kept", 0)
        note(
            "peers",
            f"400 appends by 4 processes, acknowledged and lost: {NAMES[name]}",
            count=writers.get("asked", 0),
            wrong=lost if name == "greenroom" else 0,  # another store's losses are no fault of this one
            told=f"{_writers(writers)}; append {_ratios(one['append'])}; load {_ratios(one['load'])}; "
            f"torn: {_torn(one['torn'])}",
        )
    own = found["greenroom"]["writers"]
    return 0 if own.get("acknowledged") == own.get("kept") == own.get("asked") else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
