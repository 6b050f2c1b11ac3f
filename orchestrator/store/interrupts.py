"""Ctrl-C that waits for the end of a few lines.

Python raises `KeyboardInterrupt` between any two instructions of the main thread, also before the first
one of the method that should end a transaction. That transaction would then stay open for ever, and all
that the process writes later would join it and never reach the disk: 21 of 45,262 interrupts did that.

Handlers are read and set by what the module `signal` wraps: in Python 3.11 its wrapper looks up each one as
the value of an enum, which raises and catches an exception. At four calls a write that was a third of what
an append costs beside its sync.
"""

from __future__ import annotations

import _signal  # type: ignore[import-not-found]  # CPython's and PyPy's own, and in no stubs
import signal
import threading
from types import CodeType, FrameType
from typing import Any


class Interrupts:
    """Holds a Ctrl-C back in the main thread; in other threads there is none, and nothing is done.

    `begin` and `end` may stand within each other; between them `let_through` and `is_held` say when.
    """

    def __init__(self, closing: CodeType) -> None:
        """*closing* is the method that sets `is_held` first: not even its beginning is interrupted."""
        self.is_held = False
        """Whether a Ctrl-C waits. An attribute, since a call could be interrupted before it does anything."""
        self._closing = closing
        self._pairs: list[bool] = []  # what `is_held` was before each `begin`
        self._came = False
        self._before: Any = None  # the handler that was there

    def begin(self) -> None:
        """From here on a Ctrl-C waits."""
        if not _is_main_thread():
            return
        was_held = self.is_held
        self.is_held = True  # before the handler is there: the very next instruction may call it
        if not self._pairs:
            before = _signal.getsignal(signal.SIGINT)
            if callable(before):  # else it is ignored, or ends the process as a kill does
                self._before = before if before != self._handle else self._before
                _signal.signal(signal.SIGINT, self._handle)
        self._pairs.append(was_held)

    def let_through(self) -> None:
        """One that came is raised now, others as they come, until `is_held` is set."""
        if self._pairs and _is_main_thread():
            self.is_held = False
            self.look()

    def look(self) -> None:
        """One that came is raised now, also for whoever waits for a lock and holds nothing yet."""
        if self._came and _is_main_thread():
            self._came = False
            self._raise(None)

    def end(self) -> None:
        """The other end of `begin`; one that came is raised now."""
        if not (self._pairs and _is_main_thread()):
            return
        was_held = self._pairs.pop()
        if self._pairs and was_held:
            return  # within something that is held itself, and raises it when it is over
        came, self._came = self._came, False
        if not self._pairs and _signal.getsignal(signal.SIGINT) == self._handle:
            _signal.signal(signal.SIGINT, self._before)
        self.is_held = False
        if came:
            self._raise(None)

    def _handle(self, number: int, frame: FrameType | None) -> None:
        if self._pairs and (self.is_held or (frame is not None and frame.f_code is self._closing)):
            self._came = True
        else:
            self._raise(frame)

    def _raise(self, frame: FrameType | None) -> None:
        # What one leads to, a roll-back, is not interrupted by the next: the key is pressed twice, or held.
        was_held, self.is_held = self.is_held, True
        self._before(signal.SIGINT, frame)
        self.is_held = was_held  # a handler of the program's own, that raised nothing


def _is_main_thread() -> bool:
    return threading.current_thread() is threading.main_thread()
