"""Several requests to one engine at once, where the engine can; each answer or failure in its place.

An engine whose answers take time has `begin`, which starts a call and gives a future; the others
are asked one after the other. The answers are the same either way.
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import CancelledError, Future
from typing import TYPE_CHECKING, Protocol, TypeVar, runtime_checkable

from orchestrator.engines.protocol import Engine, Request
from orchestrator.errors import EngineError

if TYPE_CHECKING:
    from orchestrator.context import Context

R = TypeVar("R")


@runtime_checkable
class Beginning(Protocol):
    """An engine that can be asked without waiting."""

    def begin(self, request: Request[R], context: Context | None) -> Future[R]:
        """Start a call; cancelling the future gives it up."""


def begun(engine: Engine, request: Request[R], context: Context | None) -> Future[R]:
    """The call's future: already done where the engine answers at once."""
    if isinstance(engine, Beginning):
        return engine.begin(request, context)
    future: Future[R] = Future()
    try:
        future.set_result(engine.reply(request, context))
    except EngineError as error:
        future.set_exception(error)
    return future


def replies(engine: Engine, asked: Sequence[tuple[Request[R], Context | None]]) -> list[R | EngineError]:
    """What the engine says to each, in the order of asking. Takes as long as the slowest call."""
    futures = [_safely_begun(engine, request, context) for request, context in asked]
    got: list[R | EngineError] = []
    try:
        for future in futures:
            one = outcome(future)
            got.append(one)
        return got
    except BaseException:
        for future in futures:
            future.cancel()
        raise


def _safely_begun(engine: Engine, request: Request[R], context: Context | None) -> Future[R]:
    try:
        return begun(engine, request, context)
    except EngineError as error:
        failed: Future[R] = Future()
        failed.set_exception(error)
        return failed


def outcome(future: Future[R]) -> R | EngineError:
    """A call's answer, or why there is none; waits for it."""
    try:
        return future.result()
    except EngineError as error:
        return error
    except CancelledError:
        return EngineError("the call was given up")
