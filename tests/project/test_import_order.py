"""Data flows down a list of folders, and no circle of files stands in any of them."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = "orchestrator"

# The five wings (core, material, panel, memory, the ways in) and what is in them, first to last: each imports
# only from itself and from those before it. `rehearsal` is the public class over panel and memory.
ORDER_LINES = """
core.errors core.clock core.table core.legible core.owner core.packaged core.values core.replica
core.outbound core.privacy core.home core.store core.context core.verify core.guard core.archive
core.starting core.crew core.dry_check core.session
material.values material.claim material.deck material.claims material.speech material.checks material.intel
panel.model panel.render panel.config panel.answers panel.records panel.application panel.home
panel.personas panel.bank panel.comments panel.engines panel.dossier panel.loop panel.debrief
memory review
rehearsal
engines errors access
documents
web mcp cluster cli
"""
ORDER = ORDER_LINES.split()
WINGS = dict.fromkeys(name.partition(".")[0] for name in ORDER if "." in name)


def _modules() -> dict[str, Path]:
    """Every module of the package by its name within it; a folder's own file is the folder."""
    modules = {}
    for path in sorted((ROOT / PACKAGE).rglob("*.py")):
        parts = path.relative_to(ROOT / PACKAGE).with_suffix("").parts
        if len(parts) > 1 and parts[-1] == "__init__":
            parts = parts[:-1]
        modules[".".join(parts)] = path
    return modules


MODULES = _modules()


def _imported(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Line and module of every import of our own, at any depth: also those inside functions."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"line {node.lineno}: a relative import hides where it goes"
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        else:
            continue
        for name in names:
            top, _, rest = name.partition(".")
            if top == PACKAGE and rest != "__version__":  # which is there before anything is imported
                yield node.lineno, _module_of(rest)


def _module_of(name: str) -> str:
    """The module that an imported name is, or is defined in."""
    while name and name not in MODULES:
        name = name.rpartition(".")[0]
    return name or "__init__"


def _unit(module: str) -> str | None:
    """The entry of `ORDER` in which a module lies; None: in none."""
    wing, _, rest = module.partition(".")
    within = f"{wing}.{rest.partition('.')[0]}"
    return next((one for one in (wing, within) if one in ORDER), None)


def breaches(module: str, source: str) -> list[str]:
    """What *source*, as the text of *module*, imports from further down, a line each."""
    if module in ("__init__", *WINGS):  # the public names, each imported when it is first used
        return []
    own = _unit(module)
    if own is None:
        return [f"{module} has no place in ORDER: give it one in tests/project/test_import_order.py"]
    found = []
    for line, imported in _imported(ast.parse(source)):
        other = _unit(imported)
        if other is None or ORDER.index(other) > ORDER.index(own):
            found.append(f"{module}, line {line}: imports {imported}, and {other} does not come before {own}")
    return found


@pytest.mark.parametrize("module", MODULES)
def test_a_folder_imports_only_from_those_before_it(module: str) -> None:
    assert breaches(module, MODULES[module].read_text("utf-8")) == []


def test_every_name_of_the_order_exists() -> None:
    assert [name for name in ORDER if name not in {_unit(module) for module in MODULES}] == []


def test_no_circle_of_files() -> None:
    imports = {
        module: {other for _, other in _imported(ast.parse(path.read_text("utf-8")))} - {module}
        for module, path in MODULES.items()
        if module != "__init__"
    }
    try:
        TopologicalSorter(imports).prepare()
    except CycleError as error:
        pytest.fail(f"these import each other: {' → '.join(error.args[1])}")


@pytest.mark.parametrize(
    ("module", "source", "found"),
    [
        ("core.table", "from orchestrator.core.errors import UsageError", 0),
        ("core.errors", "from orchestrator.core.table import SeatedTable", 1),
        ("core.errors", "from orchestrator.core import table", 1),
        ("core.errors", "import orchestrator.core.table", 1),
        ("core.errors", "def later() -> None:\n    from orchestrator.core.table import SeatedTable", 1),
        ("core.errors", "if TYPE_CHECKING:\n    from orchestrator.core.table import SeatedTable", 1),
        ("core.errors", "from orchestrator import Session", 1),
        ("core.errors", "from orchestrator import __version__", 0),
        ("core.errors", "import json, pydantic", 0),
        ("material.values", "from orchestrator.material.deck.read import read", 1),
        ("material.deck.read", "from orchestrator.material.values import Slide", 0),
        ("core.store.files", "from orchestrator.panel.loop.plan import Plan", 1),
        ("nowhere", "", 1),
    ],
)
def test_a_breach_is_found_wherever_it_stands(module: str, source: str, found: int) -> None:
    assert len(breaches(module, source)) == found
