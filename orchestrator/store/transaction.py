"""One `with` block of writes that count all or none.

A class and not a generator: the end of a generator's block is reached through a method of the standard
library, which a Ctrl-C can keep from ever beginning; then nobody would end the transaction.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from types import TracebackType
from typing import Final

from orchestrator.store.history import History
from orchestrator.store.interrupts import Interrupts

LOOK_S: Final = 0.2
"""How long another thread's transaction is waited for before a Ctrl-C that came meanwhile is looked at. A
person waits that long without noticing; looking more often would only cost processor time."""


class Transaction:
    """Holds the mutex, and in the outermost block the session's lock, from its beginning to its end."""

    __slots__ = ("_begin", "_end", "_history", "_interrupts", "_mutex", "_owner")

    def __init__(
        self,
        interrupts: Interrupts,
        history: History,
        begin: Callable[[], None],
        end: Callable[[BaseException | None], None],
    ) -> None:
        """*begin* and *end* are called with the mutex held; *end* with the error that left the block."""
        self._interrupts = interrupts
        self._history = history
        self._begin = begin
        self._end = end

    def __enter__(self) -> None:
        self._interrupts.begin()
        try:
            # A process that forks inside the block runs its end twice; only the one that began it may commit.
            self._owner = os.getpid()
            self._mutex = self._history.mutex
            while not self._mutex.acquire(timeout=LOOK_S):
                self._interrupts.look()
            try:
                self._begin()
                try:
                    self._interrupts.let_through()
                except BaseException as error:
                    self._end(error)
                    raise
            except BaseException:
                self._mutex.release()
                raise
        except BaseException:
            self._interrupts.end()
            raise

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._interrupts.is_held = True
        try:
            if os.getpid() == self._owner:
                self._end(error)
        finally:
            self._mutex.release()
            self._interrupts.end()
