"""The wheel of this checkout in an empty environment, as somebody has it who installs Greenroom."""

from __future__ import annotations

import os
import subprocess
import sys
import venv
from pathlib import Path
from typing import Final

import pytest

ROOT: Final = Path(__file__).resolve().parents[2]
NO_INDEX: Final = "pip finds no index that has what the wheel needs"
_NOT_REACHED: Final = ("No matching distribution found", "ConnectionError", "Max retries exceeded")


def installed(folder: Path, *beside: str) -> Path:
    """Build the wheel, install it with what it needs and with *beside*, and return the environment's Python.

    The test that asks is skipped where pip reaches no index.
    """
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", str(folder)],
        cwd=ROOT,
        capture_output=True,
        check=True,
    )
    (wheel,) = folder.glob("greenroom-*.whl")
    venv.create(folder / "venv", with_pip=True)
    python = folder / "venv" / "bin" / "python"
    pins = ROOT / "scripts" / "constraints.txt"
    done = subprocess.run(
        [python, "-m", "pip", "install", "--quiet", "--constraint", pins, wheel, *beside],
        env=outside(),
        capture_output=True,
        text=True,
        check=False,
    )
    if any(line in done.stderr for line in _NOT_REACHED):
        pytest.skip(f"{NO_INDEX}: {done.stderr.strip().splitlines()[-1]}")
    assert done.returncode == 0, done.stderr
    return python


def outside() -> dict[str, str]:
    """The environment variables of who runs this, without those that would lead back into the checkout."""
    return {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
