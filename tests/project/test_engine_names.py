"""An engine is known by what it offers; by its name only in the one module of names, and where it is made."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from orchestrator.panel.config.engine_names import BANK, BUILT_IN

ROOT = Path(__file__).resolve().parents[2] / "orchestrator"
KNOW_NAMES = {"panel/config/engine_names.py", "panel/engines/by_name.py"}
"""Modules that may compare an engine's name: what else must be known by it is a function of theirs."""


def compared(source: str) -> list[str]:
    """Return the comparisons with the bank's name, and the lists of all engines, that *source* holds."""
    found = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Compare):
            parts = [node.left, *node.comparators]
            if any(isinstance(one, ast.Constant) and one.value == BANK for one in parts) or any(
                isinstance(one, ast.Name) and one.id in ("BANK", "SERVICES", "BUILT_IN") for one in parts
            ):
                found.append(f"line {node.lineno}: {ast.unparse(node)}")
        if isinstance(node, ast.Tuple | ast.List | ast.Set | ast.Subscript):
            names = {one.value for one in ast.walk(node) if isinstance(one, ast.Constant)}
            if {*BUILT_IN} <= names:
                found.append(f"line {node.lineno}: {ast.unparse(node)}")
    return found


@pytest.mark.parametrize(
    "path", [path for path in sorted(ROOT.rglob("*.py")) if str(path.relative_to(ROOT)) not in KNOW_NAMES],
    ids=lambda path: str(path.relative_to(ROOT)),
)  # fmt: skip
def test_no_other_module_compares_an_engines_name(path: Path) -> None:
    assert compared(path.read_text("utf-8")) == []


@pytest.mark.parametrize("path", sorted(ROOT.rglob("*.html")), ids=lambda path: path.name)
def test_no_page_compares_an_engines_name(path: Path) -> None:
    assert f'== "{BANK}"' not in path.read_text("utf-8")


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ('engine.name == "offline"', 1),
        ('"offline" != options.engine', 1),
        ("name in SERVICES", 1),
        ('Literal["offline", "claude", "openai", "model"]', 1),
        ('("offline", "claude", "openai", "model")', 1),
        ('by: str = "offline"', 0),
        ("is_bank(engine.name)", 0),
    ],
)
def test_a_comparison_is_found_however_it_is_written(source: str, found: int) -> None:
    assert len({line.partition(":")[0] for line in compared(source)}) == found
