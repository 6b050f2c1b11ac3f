"""A module imports only what comes before it: the order of the table below is the order of the data."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = "orchestrator"

# One line a layer, first to last; names are relative to the package and stand for all that lies
# below them, unless a longer name (as `deck.model`) has a place of its own. Within a layer a module
# may import from its own folder, but no other name of that line.
ORDER = """
errors
model.values clock claims.currencies
model.claim model.slide model.segment
model.exchange model.carryover model.fact privacy.masking context.tooling model.proposal model.reply model.intel
layout home.user_file
home.config home.user_list
home.folder
archive.register
model.usage engines.prices
templates.fault
templates.front_matter
templates.outline
templates.orchestration
templates.persona
templates.seat_check
templates.panel_check
store.files
store.ledger
store.views
store.history
store.rules store.mending
store.store
privacy.off_record
deck
claims
speech
checks
checks.grounding
model.dossier
render
context.frames
context.messages
context.meter
context.assemble
verify
loop.state
loop.pauses
engines
loop.new_figures
intel
dossier
engines.bill
loop.rehearsal
loop.driver
loop.state_page loop.phrases loop.contradictions
loop.looking
loop.panelist
loop.refreshing
loop.choosing
loop.moderator loop.time_rules loop.news
loop.recorded
loop.start
debrief
debrief.request
memory
archive
session
loop.moderator_lines
loop.live_panel
loop.live cli.finish memory.erase
__init__
web
mcp
doctor
cli
__main__
"""
LAYERS = {name: layer for layer, line in enumerate(ORDER.strip().splitlines()) for name in line.split()}


def _modules() -> dict[str, Path]:
    """Every module of the package by its name within it; the package's own file is `__init__`."""
    modules = {}
    for path in sorted((ROOT / PACKAGE).rglob("*.py")):
        parts = path.relative_to(ROOT / PACKAGE).with_suffix("").parts
        if len(parts) > 1 and parts[-1] == "__init__":
            parts = parts[:-1]
        modules[".".join(parts)] = path
    return modules


MODULES = _modules()


def _entry(module: str) -> str | None:
    """The longest name of the order that *module* is or lies below."""
    while module and module not in LAYERS:
        module = module.rpartition(".")[0]
    return module or None


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


def breaches(module: str, source: str) -> list[str]:
    """What *source*, as the text of *module*, imports too early, a line each."""
    own = _entry(module)
    if own is None:
        return [f"{module} has no place in ORDER: give it one in tests/test_import_order.py"]
    found = []
    for line, imported in _imported(ast.parse(source)):
        other = _entry(imported)
        if other is not None and other != own and LAYERS[other] >= LAYERS[own]:
            found.append(f"{module}, line {line}: imports {imported}, and {other} does not come before {own}")
    return found


@pytest.mark.parametrize("module", MODULES)
def test_a_module_imports_only_what_comes_before_it(module: str) -> None:
    assert breaches(module, MODULES[module].read_text("utf-8")) == []


@pytest.mark.parametrize(
    ("module", "source", "found"),
    [
        ("layout", "from orchestrator.errors import UsageError", 0),
        ("errors", "from orchestrator.layout import Layout", 1),
        ("errors", "from orchestrator import layout", 1),
        ("errors", "import orchestrator.layout", 1),
        ("errors", "def later() -> None:\n    from orchestrator.layout import Layout", 1),
        ("errors", "if TYPE_CHECKING:\n    from orchestrator.layout import Layout", 1),
        ("errors", "from orchestrator import Session", 1),
        ("errors", "from orchestrator import __version__", 0),
        ("errors", "import json, pydantic", 0),
        ("deck.model", "from orchestrator.speech.model import Segment", 1),
        ("deck", "from orchestrator.deck.model import Slide", 0),
        ("nowhere", "", 1),
    ],
)
def test_a_breach_is_found_wherever_it_stands(module: str, source: str, found: int) -> None:
    assert len(breaches(module, source)) == found
