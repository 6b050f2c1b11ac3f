"""What looks on while a session goes: the summariser and the step trace.

Neither controls anything: a rehearsal without them is the same rehearsal. Nothing is read before
the first call, so whoever only opens a session pays nothing.
"""

from __future__ import annotations

from functools import cached_property

from orchestrator.memory.summarising import Alike, Schedule, Sitting, Summariser, Summary
from orchestrator.memory.trace import Snapshots


class Watch:
    """One session's summariser and trace in this process."""

    def __init__(
        self, sitting: Sitting, schedule: Schedule, *, traces: bool = True, alike: Alike | None = None
    ) -> None:
        self._sitting = sitting
        self._schedule = schedule
        self._traces = traces
        self._alike = alike

    @cached_property
    def summariser(self) -> Summariser:
        return Summariser(self._sitting, self._schedule, self._alike)

    @cached_property
    def snapshots(self) -> Snapshots:
        return Snapshots(self._sitting.store)

    def after_step(self) -> None:
        """After every step of the loop, outside of a transaction: facts if they are due, then the snapshot.

        Raises:
            SessionFrozenError, SessionDegradedError, StoreWriteError: As any write.
        """
        if self._sitting.store.frozen:
            return
        if self._schedule.runs:
            self.summariser.run_if_due()
        self.snapshot()

    def before_end(self) -> Summary | None:
        """The last run, when the last exchange has been closed and before anything else is made of it."""
        return self.summariser.run_at_end() if self._schedule.at_end else None

    def snapshot(self) -> None:
        """Bring `trace/session.json` up to date: after a step, and right before the freeze."""
        if self._traces:
            self.snapshots.write()
