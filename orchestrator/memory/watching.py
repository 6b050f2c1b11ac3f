"""What looks on while a session goes: the summariser and the step trace.

Neither controls anything: a rehearsal without them is the same rehearsal. Nothing is read before
the first call, so whoever only opens a session pays nothing. Where one of them raises what it does
not foresee, the ledger gets one warning, and it is left alone until the session ends or is opened
again: asked at every step, it would fail, and a model would be paid for, at every step.
"""

from __future__ import annotations

from contextlib import suppress
from functools import cached_property
from typing import Final

from orchestrator.errors import SessionFrozenError
from orchestrator.memory.embedding import Embedder, careful
from orchestrator.memory.guard import Guard
from orchestrator.memory.summarising import Schedule, Sitting, Summariser, Summary
from orchestrator.memory.trace import Snapshots

SUMMARISER: Final = "summariser"
TRACE: Final = "trace"
EMBEDDINGS: Final = "embeddings"


class Watch:
    """One session's summariser and trace in this process."""

    def __init__(
        self, sitting: Sitting, schedule: Schedule, *, traces: bool = True, embed: Embedder | None = None
    ) -> None:
        """*embed*: facts are compared by meaning as well; None: by their words alone."""
        self._sitting = sitting
        self._schedule = schedule
        self._traces = traces
        self.embed = careful(embed)
        self._guard = Guard()
        self._shown = 0  # record

    @cached_property
    def summariser(self) -> Summariser:
        return Summariser(self._sitting, self._schedule, self.embed)

    @cached_property
    def snapshots(self) -> Snapshots:
        return Snapshots(self._sitting.store)

    def after_step(self) -> None:
        """After every step of the loop, outside of a transaction: facts if they are due, then the trace."""
        if self._sitting.store.frozen:
            return
        if self._schedule.runs and not self._guard.has_failed(SUMMARISER):
            self._guard.call(SUMMARISER, lambda: self.summariser.run_if_due(), None)
        if not self._guard.has_failed(TRACE):
            self.snapshot()
        self._tell()

    def before_end(self) -> Summary | None:
        """The last run, when the last exchange has been closed and before anything else is made of it."""
        if not self._schedule.at_end:
            return None
        found = self._guard.call(SUMMARISER, lambda: self.summariser.run_at_end(), None)
        self._tell()
        return found

    def snapshot(self) -> None:
        """Bring `trace/session.json` up to date: after a step, and right before the freeze."""
        if self._traces:
            self._guard.call(TRACE, self._show, None)
            self._guard.tell(self._sitting.store)

    def _tell(self) -> None:
        if self.embed is not None and (why := self.embed.take_failure()) is not None:
            self._guard.note(EMBEDDINGS, why)
        self._guard.tell(self._sitting.store)

    def _show(self) -> None:
        """Under the session's lock: written behind the back of an end elsewhere, the file would be one
        that the record of the end does not know, and the session would not be valid."""
        store, snapshots = self._sitting.store, self.snapshots
        if store.catch_up() == self._shown:
            return
        with suppress(SessionFrozenError), store.transaction():
            self._guard.call(TRACE, lambda: snapshots.write(), False)
            self._shown = store.seq
