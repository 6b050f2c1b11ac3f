"""What a program knows of its own sessions beyond their table, handed to the core as values.

The core reads tables, writes, receipts and proof. What a record's value means, which files a program's code
counts on, and what only that program's first release wrote, the program says itself: `panel/application.py`
does so for the board panel. A session of a crew that nobody knows is served with `PLAIN`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final

from orchestrator.core.errors import ConfigurationError
from orchestrator.core.store.ledger import WITHOUT_TABLE, Record
from orchestrator.core.store.opening import Opening
from orchestrator.core.store.value import Kinds
from orchestrator.core.table import Keys, Layout, Table


def _no_lacks(table: Table) -> Iterator[str]:
    return iter(())


def _no_faults(record: Record, layout: Layout | None) -> Iterator[tuple[str, str]]:
    return iter(())


@dataclass(frozen=True, slots=True)
class Application:
    """One program: the values of its records, the files that it needs, its own rules, its first table."""

    kinds: Kinds = field(default_factory=dict)
    """The classes of its records' values, by type and version."""
    owns: Callable[[Opening], bool] = lambda opening: True
    """Whether a session is its own, by the session's first record."""
    lacks: Callable[[Table], Iterator[str]] = _no_lacks
    """What it needs and a table lacks, a line each."""
    faults: Callable[[Record, Layout | None], Iterator[tuple[str, str]]] = _no_faults
    """What breaks its own rules in a note: what its rule expects, and what was found."""
    counts: Mapping[str, int] = field(default_factory=dict)
    """What a record of a type adds to the exchanges that an archive names."""
    first_table: Callable[[], Table] | None = None
    """Gives the table of its sessions whose ledger has version 1, and so none; None: it has no such ones."""


PLAIN: Final = Application()


def table_of(opened: Opening, application: Application) -> Table:
    """Return the table of the session whose first record this is.

    Raises:
        ConfigurationError: The record holds no table, or one in which something cannot be meant.
    """
    if opened.version == WITHOUT_TABLE:
        if application.first_table is None:
            raise ConfigurationError(
                "the session's ledger has version 1 and holds no table of files: it is a rehearsal, which "
                "`orchestrator.Session` and `greenroom` read"
            )
        return application.first_table()
    return Table.read(opened.table, _place)


def _place(keys: Keys) -> str:
    named = ", ".join(key[:140] if key.isprintable() else ascii(key)[:60] for key in keys[:2])
    return f"the table in the first record{', ' if named else ''}{named}"
