"""Where the lines are: a row for each folder of the package, and the size of files and functions.

scripts/bench lines
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import median

PACKAGE = Path(__file__).resolve().parents[1] / "orchestrator"


def _functions(tree: ast.Module) -> Iterator[tuple[str, int]]:
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node.name, (node.end_lineno or node.lineno) - node.lineno + 1


def _row(name: str, files: Sequence[Path]) -> str:
    lines = [len(file.read_text("utf-8").splitlines()) for file in files]
    return f"{name:<20} {len(files):>4} {sum(lines):>7}"


def main(arguments: Sequence[str]) -> int:
    """Print the table; returns the exit code."""
    files = sorted(file for file in PACKAGE.rglob("*.py"))
    rooms: dict[str, list[Path]] = {}
    for file in files:
        parts = file.relative_to(PACKAGE).parts
        room = "the top" if len(parts) == 1 else "/".join(parts[:-1])
        rooms.setdefault(room, []).append(file)
    print(f"{'folder':<20} {'files':>4} {'lines':>7}")
    for room, own in sorted(rooms.items()):
        print(_row(room, own))
    print(_row("all", files))
    sizes = sorted((len(file.read_text("utf-8").splitlines()), file) for file in files)
    functions = sorted(
        (lines, f"{file.relative_to(PACKAGE)}: {name}")
        for file in files
        for name, lines in _functions(ast.parse(file.read_text("utf-8")))
    )
    largest, file = sizes[-1]
    print(f"\na file: median {median(lines for lines, _ in sizes):.0f}, largest {largest} ({file.name})")
    longest, name = functions[-1]
    print(f"a function: median {median(lines for lines, _ in functions):.0f}, largest {longest} ({name})")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
