"""What a program knows of its own sessions beyond their table, handed to the core as values.

The core reads tables, writes, receipts and proof. What a record's value means, which files a program's code
counts on, and what only that program's first release wrote, the program says itself: `panel/application.py`
does so for the board panel. A session of a crew that nobody knows is served with `PLAIN`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final

from orchestrator.core.store.ledger import WITHOUT_TABLE, Record
from orchestrator.core.store.opening import Opening
from orchestrator.core.store.value import Kinds
from orchestrator.core.table import Keys, SeatedTable, Table


def _no_lacks(table: Table) -> Iterator[str]:
    return iter(())


def _no_faults(record: Record, layout: SeatedTable | None) -> Iterator[tuple[str, str]]:
    return iter(())


@dataclass(frozen=True, slots=True)
class Application:
    """One program: the values of its records, the files that it needs, its own rules, its first table."""

    kinds: Kinds = field(default_factory=dict)
    """The classes of its records' values, by type and version."""
    owns: Callable[[Opening], bool] = lambda opening: bool(opening.crew)
    """Whether a session is its own, by the session's first record. By default those that the core started."""
    lacks: Callable[[Table], Iterator[str]] = _no_lacks
    """What it needs and a table lacks, a line each."""
    faults: Callable[[Record, SeatedTable | None], Iterator[tuple[str, str]]] = _no_faults
    """What breaks its own rules in a note: what its rule expects, and what was found."""
    counts: Mapping[str, int] = field(default_factory=dict)
    """What a record of a type adds to the exchanges that an archive names."""
    first_table: Callable[[], Table] | None = None
    """Gives the table of its sessions whose ledger has version 1, and so none; None: it has no such ones."""


PLAIN: Final = Application()
REHEARSAL_OF_1: Final = (
    "version 1, which holds no table of files: a rehearsal of release 0.1.0, which `greenroom` and "
    "`orchestrator.Session` read"
)
"""What a ledger of that version is, to a program that does not know its table."""


def table_of(opened: Opening, application: Application) -> Table:
    """Return the table of the session whose first record this is.

    Raises:
        ConfigurationError: The record holds no table, or one in which something cannot be meant.
    """
    if opened.version == WITHOUT_TABLE and application.first_table is not None:
        return application.first_table()
    return Table.read(opened.table, _place)


def lacks_first_table(opened: Opening, application: Application) -> bool:
    """Return whether the session's ledger has version 1, whose table *application* does not know."""
    return opened.version == WITHOUT_TABLE and application.first_table is None


def _place(keys: Keys) -> str:
    named = ", ".join(key[:140] if key.isprintable() else ascii(key)[:60] for key in keys[:2])
    return f"the table in the first record{', ' if named else ''}{named}"
