"""Files of a home that its table does not name, so that no session uses them."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Final

from orchestrator.core.errors import HomeError, UsageError
from orchestrator.core.home.folder import Home
from orchestrator.core.home.table_file import TABLE_NAME
from orchestrator.core.table import AGENT, SeatedTable

SEATS: Final = "panelist"
"""The folder of the blueprints for panelists that have no blueprint of their own."""


def blueprint_of(home: Home, layout: SeatedTable, path: str) -> Path:
    """Return the blueprint of the session file *path*: its own, or the one for all panelists."""
    agent, _, name = path.partition("/")
    own = home.blueprints / path
    return own if agent not in layout.panel or own.is_file() else home.blueprints / SEATS / name


def check_blueprints(home: Home, layout: SeatedTable) -> None:
    """Check that the blueprint of every row that needs one exists.

    Raises:
        HomeError: A blueprint is missing.
    """
    for message in missing_blueprints(home, layout):
        raise HomeError(message)


def no_blueprints(home: Home) -> Iterator[str]:
    """Return a line for each row of the home's table whose blueprint is missing, for any of its seats."""
    one_seat = replace(home.table, min_seats=1, max_seats=1)
    told: dict[str, None] = {}
    for seat in home.panelists():
        with suppress(UsageError):  # of a name that no panelist can have the panel's own check tells
            told |= dict.fromkeys(missing_blueprints(home, one_seat.seated((seat,))))
    return iter(told)


def missing_blueprints(home: Home, layout: SeatedTable) -> Iterator[str]:
    """Yield a line for each row whose blueprint is missing."""
    for path, row in layout.files.items():
        blueprint = blueprint_of(home, layout, path)
        if row.has_blueprint and not os.path.lexists(blueprint):
            yield (
                f"{blueprint}: there is no such blueprint, and {path} begins as one by the table "
                f"{layout.table.name}: write it, or take `blueprint` out of that row in {TABLE_NAME}"
            )


def unnamed_files(home: Home, layout: SeatedTable) -> Iterator[str]:
    """Yield a line for each blueprint and template that no row and no reading order names.

    Seats of this home that take no part in the session are judged by the rows and the order for all seats.
    """
    table = layout.table
    seats = {*home.panelists(), *layout.panel}
    named = {path for path, row in table.files.items() if row.has_blueprint}
    for path in _files(home.blueprints):
        folder, _, name = path.partition("/")
        key = f"{AGENT}/{name}" if folder in seats or folder == SEATS else path
        if key not in named:
            yield (
                f"{home.blueprints / path}: is the blueprint of no session file, and is not used: "
                f"add a row with `blueprint: true` for it to {TABLE_NAME}, or take it away"
            )
    ordered = {path for order in table.orders.values() for path in order}
    for path in _files(home.templates):
        folder, _, name = path.partition("/")
        key = f"{AGENT}/{name}" if folder in seats else path
        if f"templates/{key}" not in ordered:
            yield (
                f"{home.templates / path}: is in no agent's order, and nobody is given it: "
                f"add it to an order in {TABLE_NAME}, or take it away"
            )


def _files(root: Path) -> list[str]:
    """Return the paths of the files below *root*, sorted, without the hidden files of a system or tool."""
    found = []
    for folder, folders, names in os.walk(root):
        folders[:] = [name for name in folders if not name.startswith(".")]
        found += [(Path(folder) / name).relative_to(root).as_posix() for name in names if name[0] != "."]
    return sorted(found)
