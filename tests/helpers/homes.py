"""A home of a test's own."""

from __future__ import annotations

import shutil
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def new_home(folder: Path) -> Path:
    """The same folder, with the checkout's templates and blueprints and no session yet."""
    for name in ("templates", "session-templates"):
        shutil.copytree(ROOT / "agents" / name, folder / name)
    return folder
