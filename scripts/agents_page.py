"""The tables of agents/README.md that are made from agents/table.yaml: in which order each agent reads what.

`python -m scripts.agents_page` writes them anew between the page's marks; tests/project/test_agents_page.py
compares.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

import yaml

ROOT: Final = Path(__file__).resolve().parents[1]
PAGE: Final = ROOT / "agents" / "README.md"
TABLE: Final = ROOT / "agents" / "table.yaml"
BEGIN: Final = "<!-- made from table.yaml: the order of {agent} -->"
END: Final = "<!-- end -->"
AGENT: Final = "<agent>"

_DEFAULT_MAX: Final = "16 MiB"
_DEFAULT_REVISIONS: Final = 5


def read_table(path: Path = TABLE) -> dict[str, Any]:
    """Return the table of session files as its YAML has it."""
    table: dict[str, Any] = yaml.safe_load(path.read_text("utf-8"))
    return table


def order_table(table: Mapping[str, Any], agent: str) -> str:
    """Draw the files that *agent* is given, in order, as a Markdown table."""
    lines = ["| # | Folder | File | Class | Written by | At most |", "|---|---|---|---|---|---|"]
    lines += [f"| {number} | {row} |" for number, row in enumerate(_rows(table, agent), 1)]
    return "\n".join(lines)


def _rows(table: Mapping[str, Any], agent: str) -> Iterator[str]:
    for path in table["order"][agent]:
        folder, _, name = path.rpartition("/")
        if path.startswith("templates/"):
            yield f"`{folder}/` | `{name}` | immutable | people, in git |"
            continue
        row = table["files"][path]
        limit = row.get("max", _DEFAULT_MAX)
        if row["class"] == "write-few":
            limit += f", {row.get('revisions', _DEFAULT_REVISIONS)} revisions"
        writers = ", ".join(f"`{name}`" for name in row["by"])
        yield f"`sessions/<id>/{folder}/` | `{name}` | {row['class']} | {writers} | {limit}"


def with_tables(page: str, table: Mapping[str, Any]) -> str:
    """Put each agent's table between the marks of *page* that name it.

    Raises:
        ValueError: An agent of the table has no marks in the page.
    """
    for agent in table["order"]:
        before, mark, rest = page.partition(BEGIN.format(agent=agent))
        _, end, after = rest.partition(END)
        if not end:
            raise ValueError(f"{PAGE}: has no {BEGIN.format(agent=agent)} with {END} behind it")
        page = f"{before}{mark}\n{order_table(table, agent)}\n{end}{after}"
    return page


if __name__ == "__main__":
    PAGE.write_text(with_tables(PAGE.read_text("utf-8"), read_table()), "utf-8")
