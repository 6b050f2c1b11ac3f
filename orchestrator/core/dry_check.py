"""The dry check of a crew's home: what keeps its table, templates and blueprints from beginning a session."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from orchestrator.core import starting
from orchestrator.core.crew import OWN_FIELDS
from orchestrator.core.errors import HomeError, UsageError
from orchestrator.core.home.folder import Home
from orchestrator.core.home.unnamed import blueprint_of, missing_blueprints, unnamed_files
from orchestrator.core.table import AGENT, SeatedTable, Table

_ANY_SEAT = "any-seat"
"""Sits where a table's seats need no folder, so that their rows are checked as well."""


@dataclass(frozen=True, slots=True)
class DryCheck:
    """What a dry check found; each line begins with the file that it is about."""

    wrong: tuple[str, ...]
    notes: tuple[str, ...]  # of what is right, and may not be meant


def dry_check(home: Home) -> DryCheck:
    """Check what a start would: the table, every template and every blueprint, for all who can take a seat.

    Raises:
        ConfigurationError: Something in the table cannot be meant; names the line.
        HomeError: The table cannot be read.
    """
    table = home.table
    seats, wrong = _seats(home, table)
    layout = replace(table, min_seats=0, max_seats=len(seats)).seated(seats)
    wrong += missing_blueprints(home, layout)
    for path in layout.templates:
        try:
            home.read_template(path)
        except HomeError as error:
            wrong.append(str(error))
    notes = list(unnamed_files(home, layout))
    for path in dict.fromkeys(path for path, row in layout.files.items() if row.has_blueprint):
        if blueprint_of(home, layout, path).exists():
            found = _blueprint(home, layout, path)
            wrong += found.wrong
            notes += found.notes
    return DryCheck(tuple(dict.fromkeys(wrong)), tuple(dict.fromkeys(notes)))


def _seats(home: Home, table: Table) -> tuple[Sequence[str], list[str]]:
    """Return those who can take a seat, and a line for each folder or number that is wrong."""
    if not table.max_seats:
        return (), []
    companions = table.companions(AGENT)
    if not companions:
        return (_ANY_SEAT,), []
    seats, wrong = [], []
    for name in home.panelists():
        try:
            replace(table, min_seats=1, max_seats=1).seated((name,))
            seats.append(name)
        except UsageError as error:
            wrong.append(f"{home.templates / name}: {error}")
    if len(seats) < table.min_seats:
        wrong.append(
            f"{home.templates}: {len(seats)} can take a seat, and a session has at least {table.min_seats}: "
            f"write NAME/{companions[0]} for each"
        )
    return seats, wrong


def _blueprint(home: Home, layout: SeatedTable, path: str) -> DryCheck:
    """Check one blueprint: it is rendered, unless it names fields that only a start gives."""
    agents = {name: name for name in layout.agents}
    own = {"session": "dry-check", "title": "", "date": "", "agents": list(agents)}
    try:
        named = starting.names_in(home, layout, path)
        fields = sorted(named - set(OWN_FIELDS))
        # One that names `agent` in a folder that is no agent's fails here, too, whatever it is given.
        if not fields:
            starting.blueprints(home, layout, own, agents)(path)
            return DryCheck((), ())
    except HomeError as error:
        return DryCheck((str(error),), ())
    blueprint = blueprint_of(home, layout, path)
    return DryCheck((), (f"{blueprint}: names {', '.join(fields)}: give each start these `fields`",))
