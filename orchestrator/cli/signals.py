"""SIGTERM and SIGHUP: each ends a command as Ctrl-C does, also in the first process of a container.

The first process of a container gets only signals to which it listens, so the system's default does not end
it on SIGTERM. Both signals become a Ctrl-C, for which all code is prepared: a step is finished first, a
prompt is left at once, a write is complete or was not begun.

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
"""Seconds that a step may still take after a signal, since a call may hang; containers are killed 10 s
after SIGTERM."""
STOPPED: Final = 1
"""The exit code after a Ctrl-C; after another signal it is 128 plus the signal's number, as in shells."""


class _Ended:
    by: signal.Signals | None = None  # a signal belongs to a process, and so does what it leaves


def listen() -> None:
    """Listen to the signals from now on; a signal that is ignored (`nohup`) stays ignored."""
    _Ended.by = None
    for number in ENDING:
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, _end)


def exit_code() -> int:
    """Return the exit code of a command that was stopped: 143 after SIGTERM, 129 after SIGHUP, else 1."""
    return STOPPED if _Ended.by is None else 128 + _Ended.by


def ended_by() -> signal.Signals | None:
    """Return the one of the two signals that came, or None."""
    return _Ended.by


def ignore() -> None:
    """Ignore all signals, once everything is printed and the exit code is fixed."""
    for number in (signal.SIGINT, *ENDING):
        signal.signal(number, signal.SIG_IGN)


@contextmanager
def undisturbed() -> Iterator[None]:
    """Ignore all signals in the block, which prints the state, so that a second signal does not prevent
    that."""
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, *ENDING)}
    ignore()
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def press_again_after_grace() -> None:
    """Press Ctrl-C again after `GRACE_S` if one of the two signals came, since nobody does so by hand."""
    if _Ended.by is not None:
        signal.signal(signal.SIGALRM, _press)
        signal.setitimer(signal.ITIMER_REAL, GRACE_S)


def press_no_more() -> None:
    """Cancel `press_again_after_grace`, since the step has finished."""
    if _Ended.by is not None:
        signal.setitimer(signal.ITIMER_REAL, 0)


def leave_at_once() -> None:
    """Exit at once from now on: at a signal with one line and without clearing up, at Ctrl-C as if killed."""
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
    """Do what Ctrl-C does at this moment, by the handler that is then installed for it."""
    if signal.getsignal(signal.SIGINT) in (signal.SIG_IGN, signal.SIG_DFL, None):
        signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's `&` has it ignored
    signal.raise_signal(signal.SIGINT)
