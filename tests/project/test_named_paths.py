"""The pages for whoever works on the code name files of today's tree."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "orchestrator"
PAGES = [PACKAGE / "README.md", PACKAGE / "memory" / "README.md", ROOT / "CONTRIBUTING.md"]

ELSEWHERE = {
    "facts", "ledger", "moderator", "trace",  # folders of a session
    "sessions", ".briefings", ".savant",  # of a home, and of the project that a seed was written for
    ".venv",  # made by the first command
    "", "recap",  # addresses: of a server, of a resource
}  # fmt: skip
"""First parts of what looks like a path and is none of the tree."""


def named(text: str) -> list[str]:
    """Every path in backticks: each word with a slash, or that ends in `.py`."""
    words = [word for code in re.findall(r"`([^`\n]+)`", text) for word in code.split()]
    return [word for word in words if "/" in word or word.endswith(".py")]


def missing(page: Path, text: str) -> list[str]:
    """Which of the paths in *text* lead nowhere.

    They start at *page*, the package, the checkout, or a folder that their own paragraph names.
    """
    found = []
    for paragraph in text.splitlines():
        bases = [page.parent, PACKAGE, ROOT]
        for path in named(paragraph):
            if path.split("/")[0] in ELSEWHERE:
                continue
            if not any((base / path).exists() for base in bases):
                found.append(path)
            elif path.endswith("/"):
                bases.append(PACKAGE / path)
    return found


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_path_that_a_page_names_exists(page: Path) -> None:
    assert missing(page, page.read_text("utf-8")) == []


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("`core/session.py` `../tests/project` `web/`", []),
        ("`loop/refresh_rules.py` and `store/`", ["loop/refresh_rules.py", "store/"]),
        ("in `core/context/`: `frames.py`", []),
        ("in `core/context/`:\n\n`frames.py`", ["frames.py"]),
        ("what a session has: `ledger/driver.lock`", []),
        ("`core/session.py core/sessions.py`", ["core/sessions.py"]),
    ],
)
def test_a_path_that_leads_nowhere_is_found(text: str, found: list[str]) -> None:
    assert missing(PACKAGE / "README.md", text) == found
