"""What looks on while a session goes: the summariser and the step trace.

Neither controls anything: a rehearsal without them is the same rehearsal. Nothing is read before
the first call, so whoever only opens a session pays nothing. Where one of them raises what it does
not foresee, the ledger gets one warning, and it is left alone until the session ends or is opened
again: asked at every step, it would fail, and a model would be paid for, at every step.
"""

from __future__ import annotations

from functools import cached_property
from typing import Final

from orchestrator.loop.rehearsal import Rehearsal
from orchestrator.memory.embedding import Embedder, careful
from orchestrator.memory.guard import Guard
from orchestrator.memory.summariser import Schedule, Summariser, Summary
from orchestrator.memory.trace import Snapshots

SUMMARISER: Final = "summariser"
TRACE: Final = "trace"
EMBEDDINGS: Final = "embeddings"


class Watch:
    """One session's summariser and trace in this process."""

    def __init__(
        self, rehearsal: Rehearsal, schedule: Schedule, *, traces: bool = True, embed: Embedder | None = None
    ) -> None:
        """*embed*: facts are compared by meaning as well; None: by their words alone."""
        self._rehearsal = rehearsal
        self._schedule = schedule
        self._traces = traces
        self.embed = careful(embed)
        self._guard = Guard()

    @cached_property
    def summariser(self) -> Summariser:
        return Summariser(self._rehearsal, self._schedule, self.embed)

    @cached_property
    def snapshots(self) -> Snapshots:
        return Snapshots(self._rehearsal.store)

    def after_step(self) -> None:
        """After every step of the loop, outside of a transaction: facts if they are due, then the trace."""
        if self._rehearsal.store.frozen:
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
            self._guard.call(TRACE, lambda: self.snapshots.write(), False)
            self._guard.tell(self._rehearsal.store)

    def _tell(self) -> None:
        if self.embed is not None and (why := self.embed.take_failure()) is not None:
            self._guard.note(EMBEDDINGS, why)
        self._guard.tell(self._rehearsal.store)
