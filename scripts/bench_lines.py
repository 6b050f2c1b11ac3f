"""Where the lines are: a row for each folder of the package, and the size of files and functions.

A line counts once: as docstring (a string that stands as a statement), as a comment by itself, as blank,
or else as code. A comment behind code is counted beside: it costs no line.

scripts/bench lines
"""

from __future__ import annotations

import ast
import io
import sys
import tokenize
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import median

PACKAGE = Path(__file__).resolve().parents[1] / "orchestrator"
KINDS = ("lines", "code", "docstring", "comment", "blank", "behind code")


def counts(text: str) -> Counter[str]:
    """How many lines of a module there are, of each of KINDS."""
    lines = text.splitlines()
    kinds = ["code" if line.strip() else "blank" for line in lines]
    behind = 0
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT:
            own = not token.line[: token.start[1]].strip()
            behind += not own
            if own:
                kinds[token.start[0] - 1] = "comment"
    for node in ast.walk(ast.parse(text)):
        if (
            isinstance(node, ast.Expr)
            and isinstance(node.value, ast.Constant)
            and isinstance(node.value.value, str)
        ):
            first, last = node.lineno - 1, node.end_lineno or node.lineno
            kinds[first:last] = ["docstring"] * (last - first)
    return Counter({**Counter(kinds), "lines": len(lines), "behind code": behind})


def _functions(tree: ast.Module) -> Iterator[tuple[str, int]]:
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node.name, (node.end_lineno or node.lineno) - node.lineno + 1


def _row(name: str, files: Sequence[Path]) -> str:
    found = sum((counts(file.read_text("utf-8")) for file in files), Counter[str]())
    return f"{name:<20} {len(files):>5}" + "".join(f" {found[kind]:>{_width(kind)}}" for kind in KINDS)


def _width(kind: str) -> int:
    return max(7, len(kind))


def main(arguments: Sequence[str]) -> int:
    """Print the table; returns the exit code."""
    files = sorted(file for file in PACKAGE.rglob("*.py"))
    rooms: dict[str, list[Path]] = {}
    for file in files:
        parts = file.relative_to(PACKAGE).parts
        projection = "the top" if len(parts) == 1 else "/".join(parts[:-1])
        rooms.setdefault(projection, []).append(file)
    print(f"{'folder':<20} {'files':>5}" + "".join(f" {kind:>{_width(kind)}}" for kind in KINDS))
    for projection, own in sorted(rooms.items()):
        print(_row(projection, own))
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
