"""The session's clock: in the process that runs it a stopwatch, in every other what that process last said.

No wall clock takes part, so setting one stops nothing and costs nothing. Whoever runs the clock writes once
a second, without a sync, where it stands into the driver's lock file, beside the machine's monotonic clock,
which all processes share. So others, and whoever goes on after a crash, know it to the second, and time in
which nobody was there costs nothing.

Source: DESIGN.md, section 6 ("Clocks").
"""

from __future__ import annotations

import os
import threading
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from orchestrator.core.clock import MAX_GAP_S, ClockState, Stopwatch
from orchestrator.core.store import files
from orchestrator.core.store.store import DRIVER_LOCK
from orchestrator.core.verify.shape import MAX_CLOCK_S

BEAT_S: Final = 1.0
PID_BYTES: Final = 16
"""Of the lock file, for the driver's process id; the clock stands behind it."""
_BEAT_BYTES: Final = 96
_ENDS_WITHIN_S: Final = 5.0


class SessionClock:
    """The clock of one open session. Safe to use from many threads."""

    def __init__(self, root: Path) -> None:
        """Stand still until `run`; *root* is the session's folder."""
        self._path = root / DRIVER_LOCK
        self._stopwatch = Stopwatch()
        self._own: _Running | None = None

    def now_s(self, state: ClockState) -> float:
        """Return session seconds, to the millisecond, where the ledger has *state* as the last setting."""
        if state.live_since is None:
            return state.at_s
        own = self._of(state)
        return own.now_s() if own is not None else _beaten(self._path, state)

    def there_s(self) -> float:
        """Return seconds since the session was opened here, as far as this process was there."""
        return self._stopwatch.seconds()

    def run(self, state: ClockState, from_s: float) -> None:
        """Run the clock here, which the ledger set to *state* when `there_s` was *from_s*."""
        self.stop()
        self._own = _Running(state, self._stopwatch, from_s, self._path)

    def stop(self) -> None:
        """Leave off running it; what others know of it stays. Twice is no error."""
        own, self._own = self._own, None
        if own is not None:
            own.stop()

    def is_running(self, state: ClockState) -> bool:
        """Whether some process runs it: this one, or one that said so within `MAX_GAP_S`."""
        if state.live_since is None or self._of(state) is not None:
            return state.live_since is not None
        beat = _last_beat(self._path, state)
        return beat is not None and 0 <= beat.age_s <= MAX_GAP_S

    def has_gap(self, state: ClockState) -> bool:
        """Whether the clock that was set to *state* runs here, and time was left out since."""
        own = self._of(state)
        return own is not None and own.has_gap()

    def _of(self, state: ClockState) -> _Running | None:
        own = self._own
        return own if own is not None and own.is_of(state) else None


class _Running:
    """A clock that runs in this process, and the thread that says so to the others."""

    def __init__(self, state: ClockState, stopwatch: Stopwatch, from_s: float, path: Path) -> None:
        self.state = state
        self._stopwatch, self._from_s = stopwatch, from_s
        self._left_out_s = stopwatch.left_out_s
        self._pid = os.getpid()
        self._fd = _opened(path)
        self._stopped = threading.Event()
        self._stopwatch.seconds()
        self._stopwatch.leaves_out_gaps = True
        self._beat()
        self._thread = threading.Thread(target=self._run, name="clock", daemon=True)
        self._thread.start()

    def now_s(self) -> float:
        return round(self.state.at_s + self._stopwatch.seconds() - self._from_s, 3)

    def is_of(self, state: ClockState) -> bool:
        """Whether the ledger has no later setting, and this is no forked child: the clock is its parent's."""
        return self.state == state and self._pid == os.getpid()

    def has_gap(self) -> bool:
        self._stopwatch.seconds()
        return self._stopwatch.left_out_s > self._left_out_s

    def stop(self) -> None:
        if os.getpid() != self._pid:
            return  # the thread is the parent's as well
        self._stopped.set()
        self._thread.join(_ENDS_WITHIN_S)
        self._stopwatch.seconds()
        self._stopwatch.leaves_out_gaps = False

    def _run(self) -> None:
        try:
            while not self._stopped.wait(BEAT_S):
                self._beat()
            self._beat()
        finally:
            if self._fd >= 0:
                os.close(self._fd)

    def _beat(self) -> None:
        """Look at the stopwatch, and write down where the clock stands."""
        now_s = self.now_s()
        if self._fd >= 0:
            beat = f"{self.state.live_since} {time.monotonic():.3f} {now_s:.3f}\n".encode()
            # Where it cannot be written (a full disk), others see the clock stand at the last record.
            with suppress(OSError):
                os.pwrite(self._fd, beat.ljust(_BEAT_BYTES), PID_BYTES)


def _opened(path: Path) -> int:
    """Return a descriptor of the lock file, or -1 where there can be none: the clock runs all the same."""
    try:
        return os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, files.FILE_MODE)
    except OSError:
        return -1


@dataclass(frozen=True, slots=True)
class _Beat:
    """What the process that runs a clock wrote last."""

    at_s: float
    age_s: float  # below 0, or of any length, where it is of another start of the machine


def _last_beat(path: Path, state: ClockState) -> _Beat | None:
    """Return the last beat of the clock that was set to *state*, or None if there is none that can be one."""
    try:
        fd = os.open(path, files.READ)
    except OSError:
        return None
    try:
        since, beaten, at_s = os.pread(fd, _BEAT_BYTES, PID_BYTES).decode("ascii").split()
        beat = _Beat(float(at_s), time.monotonic() - float(beaten))
    except (OSError, ValueError):  # none yet, or something else stands there
        return None
    finally:
        os.close(fd)
    return beat if since == state.live_since and state.at_s <= beat.at_s <= MAX_CLOCK_S else None


def _beaten(path: Path, state: ClockState) -> float:
    """Return where a clock stands that another process runs, or ran; without a beat the last record says it.

    Since its last beat at most the time until the next one has passed: behind that, nobody was there.
    """
    beat = _last_beat(path, state)
    if beat is None:
        return state.at_s
    return round(beat.at_s + (beat.age_s if 0 <= beat.age_s <= BEAT_S else 0.0), 3)
