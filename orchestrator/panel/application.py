"""What the board panel tells the core about its own sessions."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from orchestrator.core.home.table_file import packaged_table_file
from orchestrator.core.packaged import PACKAGE
from orchestrator.core.store.application import Application, Opening
from orchestrator.core.store.ledger import Record
from orchestrator.core.table import SeatedTable, Table
from orchestrator.panel.model.exchange import VERDICTS
from orchestrator.panel.records.exchanges import ExchangeClosed, VerdictGiven
from orchestrator.panel.records.kinds import KINDS
from orchestrator.panel.records.setup import lacking
from orchestrator.panel.records.taken_back import ExchangeReopened

_TABLE_1: Final = PACKAGE / "panel" / "records" / "table_1.yaml"


def table_of_version_1() -> Table:
    """Return the panel's table as it was in release 0.1.0, whose ledgers contain no table.

    Raises:
        InstallationError: The file is missing or is not the one that was shipped.
    """
    return packaged_table_file(_TABLE_1)


def _is_rehearsal(opening: Opening) -> bool:
    return not opening.crew


def _faults(record: Record, layout: SeatedTable | None) -> Iterator[tuple[str, str]]:
    """Yield what is wrong with a judgement: its writer is not a panelist, or its verdict is an unknown word.

    Source: DESIGN.md, section 5.
    """
    if record.type != VerdictGiven.TYPE or record.held is None:
        return
    word = VerdictGiven.word_in(record.held)
    if layout is not None and layout.panel and record.by not in layout.panel:
        yield "a verdict by a panelist", record.by
    if word not in VERDICTS:
        yield f"a verdict of {', '.join(VERDICTS)}", str(word)


BOARD: Final = Application(
    kinds=KINDS,
    owns=_is_rehearsal,
    lacks=lacking,
    faults=_faults,
    counts={ExchangeClosed.TYPE: 1, ExchangeReopened.TYPE: -1},
    first_table=table_of_version_1,
)
