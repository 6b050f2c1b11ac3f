"""The table by which a session is judged: the one that its first record holds.

A ledger of version 1 (release 0.1.0) holds none, and has the board panel's as it stood then.
"""

from __future__ import annotations

from typing import Final

from orchestrator.core.home.table_file import packaged_table_file
from orchestrator.core.packaged import PACKAGE
from orchestrator.core.store.ledger import WITHOUT_TABLE
from orchestrator.core.store.opening import Opening
from orchestrator.core.table import Keys, Table

_TABLE_1: Final = PACKAGE / "core" / "store" / "table_1.yaml"


def table_of(opened: Opening) -> Table:
    """Return the table of the session whose first record this is.

    Raises:
        ConfigurationError: The record holds no table, or one in which something cannot be meant.
    """
    if opened.version == WITHOUT_TABLE:
        return table_of_version_1()
    return Table.read(opened.table, _place)


def table_of_version_1() -> Table:
    """The board panel's table as it stood in release 0.1.0.

    Raises:
        InstallationError: The file is missing or is not the one that was shipped.
    """
    return packaged_table_file(_TABLE_1)


def _place(keys: Keys) -> str:
    named = ", ".join(key[:140] if key.isprintable() else ascii(key)[:60] for key in keys[:2])
    return f"the table in the first record{', ' if named else ''}{named}"
