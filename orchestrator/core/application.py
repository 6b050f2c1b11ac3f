"""What a program knows of its own sessions beyond their table, handed to the core as values.

The core reads tables, writes, receipts and proof. What a record's value means, which files a program's code
counts on, and what only that program's first release wrote, the program says itself: `panel/application.py`
does so for the board panel. A session of a crew that nobody knows is served with `PLAIN`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from orchestrator.core.store.ledger import Record
    from orchestrator.core.store.opening import Opening
    from orchestrator.core.store.value import Kinds
    from orchestrator.core.table import Layout, Table


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
