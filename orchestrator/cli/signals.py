"""SIGTERM and SIGHUP: each ends a command as Ctrl-C does, also in the first process of a container.

The first process of a container gets no signal that it does not listen to, so the system's own way to end
on SIGTERM is none there. Both become the Ctrl-C that whatever runs just now is ready for: a step is finished
first, a prompt is left at once, a write is whole or was not begun.

Source: signal(7); pid_namespaces(7), "The namespace init process".
"""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from types import FrameType
from typing import Final

ENDING: Final = (signal.SIGTERM, signal.SIGHUP)
GRACE_S: Final = 3.0
"""Seconds that a step may still take, since a call may hang; containers are killed 10 s after SIGTERM."""
STOPPED: Final = 1
"""The exit code at a Ctrl-C; at another signal it is 128 and the signal's number, as shells have it."""


class _Ended:
    by: signal.Signals | None = None  # a signal belongs to a process, and so does what it leaves


def listen() -> None:
    """Listen from now on; a signal that is ignored (`nohup`) stays so."""
    _Ended.by = None
    for number in ENDING:
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, _end)


def exit_code() -> int:
    """Return the exit code of a command that was stopped: 143 at SIGTERM, 129 at SIGHUP, else 1."""
    return STOPPED if _Ended.by is None else 128 + _Ended.by


def ended_by() -> signal.Signals | None:
    """Return which of the two signals came, or None."""
    return _Ended.by


def ignore() -> None:
    """Ignore all signals: everything is said, and the exit code stands."""
    for number in (signal.SIGINT, *ENDING):
        signal.signal(number, signal.SIG_IGN)


@contextmanager
def undisturbed() -> Iterator[None]:
    """Ignore all signals in the block, which says how things stand: a second one takes nobody's line away."""
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, *ENDING)}
    ignore()
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def press_again_after_grace() -> None:
    """Press Ctrl-C again in `GRACE_S` if one of the two signals came: nobody presses it a second time."""
    if _Ended.by is not None:
        signal.signal(signal.SIGALRM, _press)
        signal.setitimer(signal.ITIMER_REAL, GRACE_S)


def press_no_more() -> None:
    """Cancel `press_again_after_grace`: the step has come to its end."""
    if _Ended.by is not None:
        signal.setitimer(signal.ITIMER_REAL, 0)


def leave_at_once() -> None:
    """Leave from now on at any of the signals, with one line and no clearing up; at Ctrl-C as a kill does."""
    for number in (signal.SIGINT, *ENDING):
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, _leave)


def _leave(number: int, _frame: FrameType | None) -> None:
    if number == signal.SIGINT:
        signal.signal(number, signal.SIG_DFL)
        signal.raise_signal(number)  # which does nothing to the first process of a container
    with suppress(OSError):  # its terminal is gone
        os.write(2, b"greenroom: stopped\n")
    os._exit(STOPPED if number == signal.SIGINT else 128 + number)


def _end(number: int, frame: FrameType | None) -> None:
    if _Ended.by is None:  # a second one changes nothing, and disturbs no clearing up
        _Ended.by = signal.Signals(number)
        _press(number, frame)


def _press(_number: int, _frame: FrameType | None) -> None:
    """Do what Ctrl-C does now, by its own handler, whichever stands there when this one is left."""
    if signal.getsignal(signal.SIGINT) in (signal.SIG_IGN, signal.SIG_DFL, None):
        signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's `&` has it ignored
    signal.raise_signal(signal.SIGINT)
