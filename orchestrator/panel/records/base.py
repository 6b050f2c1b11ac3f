"""What every class of the panel's record values is.

A field with a default is written only where it has another value; one that is always written and may be
absent in the ledgers of earlier releases has a `default_factory`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from orchestrator.core.store.ledger import Record
from orchestrator.core.store.value import Value
from orchestrator.panel.model.fact import Passage
from orchestrator.panel.records.telling import Entry, Step

if TYPE_CHECKING:  # a teller needs none of it
    from orchestrator.panel.records.projection import Projection


class PanelValue(Value):
    """The value of one of the panel's records: it folds itself into the projection, and tells of itself."""

    __slots__ = ()
    NEEDED: ClassVar[bool] = True
    """One in another shape stops a session, since what it says cannot be left out; else it is passed over, as
    another program's."""

    def fold(self, projection: Projection, record: Record) -> None:
        """Take the record into the projection; a class that changes nothing there says so itself."""
        raise NotImplementedError(f"{type(self).__name__} does not say what it changes in the projection")

    def entry(self, record: Record) -> Entry | None:
        """Return how the Scribe notes it; None: it does not."""
        return None

    def passage(self, record: Record) -> Passage | None:
        """Return what of it facts may be taken from; None: nothing."""
        return None

    def step(self, record: Record) -> Step | None:
        """Return the step of the trace that it is; None: it is none."""
        return None
