"""Where the rules by which a session was judged differ from those that its table is known for.

A session is judged by the table in its own first record, so whoever forges a ledger could write laxer
rules into it. They are named, and are no fault: a home may change its table and keep its version.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from orchestrator.core.errors import ConfigurationError, HomeError
from orchestrator.core.home.folder import packaged_table
from orchestrator.core.home.table_file import TABLE_NAME, read_table_file
from orchestrator.core.table import Mutability, SessionFile, Table
from orchestrator.core.verify.finding import Report
from orchestrator.panel.records.needs import lacking


def check_table(table: Table, max_revisions: int | None, home: Path | None, report: Report) -> None:
    """Note each rule in which *table* is another than the one known by its name, and what the panel lacks.

    Args:
        max_revisions: Of write-few files, as the first record sets it beside the table; None: it does not.
        home: The home whose table it is compared with beside the packaged one; None: no home is known.
    """
    for known, where in _known(home):
        if known.name == table.name:
            version = "" if known.version == table.version else f" (version {known.version})"
            for difference in differences(table, known):
                told = f"{table.name} {table.version} of {where}{version}"
                report.note(f"the session's table is not {told}: {difference}")
    for lack in lacking(table):
        report.note(f"the session's table is none for the board panel: {lack}")

    for path, row in table.files.items():
        if row.mutability is Mutability.WRITE_FEW and (max_revisions or 0) > row.max_revisions:
            report.note(
                f"{path}: the first record allows {max_revisions} revisions, "
                f"and its table {row.max_revisions}"
            )


def _known(home: Path | None) -> Iterator[tuple[Table, str]]:
    yield packaged_table(), "this release"
    if home is None:
        return
    try:
        own = read_table_file(home / TABLE_NAME)
    except (ConfigurationError, HomeError):  # none, or one that every start refuses by its line
        return
    if own != packaged_table():
        yield own, "the home"


def differences(here: Table, there: Table) -> Iterator[str]:
    """Say each rule that differs: the file, the rule, and what it is in both tables."""
    for path in dict.fromkeys((*here.files, *there.files)):
        one, other = here.files.get(path), there.files.get(path)
        if one is None or other is None:
            yield f"{path}: has {'a' if one else 'no'} row here, and {'one' if other else 'none'} there"
        elif one != other:
            yield from _row_differences(one, other)
    for agent in dict.fromkeys((*here.orders, *there.orders)):
        if here.orders.get(agent) != there.orders.get(agent):
            yield f"the order of {agent}: is another"
    seats, others = ((one.agents, one.min_seats, one.max_seats) for one in (here, there))
    if seats != others:
        yield f"agents and seats: are {_seats(here)} here, and {_seats(there)} there"


def _row_differences(one: SessionFile, other: SessionFile) -> Iterator[str]:
    rules, others = one.plain(), other.plain()
    for rule in dict.fromkeys((*rules, *others)):
        if rules.get(rule) != others.get(rule):
            is_here, is_there = _told(rules.get(rule)), _told(others.get(rule))
            yield f"{one.path}: `{rule}` is {is_here} here, and {is_there} there"


def _told(value: object) -> str:
    if isinstance(value, list):
        return ", ".join(map(str, value))
    return "not set" if value is None else str(value).lower() if isinstance(value, bool) else str(value)


def _seats(table: Table) -> str:
    return f"{', '.join(table.agents)} and {table.min_seats} to {table.max_seats} seats"
