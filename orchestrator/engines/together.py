"""Several requests to one engine at once, where the engine can; each answer or failure in its place.

An engine that offers `Beginning` is asked without waiting; the others are asked one after the other.
The answers are the same either way.
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent import futures as futures_module
from concurrent.futures import CancelledError, Future
from typing import TYPE_CHECKING, Any, TypeVar

from orchestrator.engines.offers import Beginning, OnText
from orchestrator.engines.protocol import Engine, Request
from orchestrator.errors import EngineError

if TYPE_CHECKING:
    from orchestrator.context.assemble import Context

R = TypeVar("R")


def begun(
    engine: Engine, request: Request[R], context: Context | None, on_text: OnText | None = None
) -> Future[R]:
    """The call's future: already done where the engine answers at once, or refuses to begin."""
    try:
        if isinstance(engine, Beginning):
            return engine.begin(request, context, on_text)
        return done(engine.reply(request, context))
    except EngineError as error:
        return failed(error)


def failed(error: EngineError) -> Future[Any]:
    """A future that is over without a result."""
    future: Future[Any] = Future()
    future.set_exception(error)
    return future


def done(result: R) -> Future[R]:
    """A future that is over."""
    future: Future[R] = Future()
    future.set_result(result)
    return future


def replies(engine: Engine, asked: Sequence[tuple[Request[R], Context | None]]) -> list[R | EngineError]:
    """What the engine says to each, in the order of asking. Takes as long as the slowest call."""
    futures = [begun(engine, request, context) for request, context in asked]
    wait(futures)
    return [*map(outcome, futures)]


def wait(futures: Sequence[Future[Any]]) -> None:
    """Wait until all calls are over; who is interrupted meanwhile gives them up."""
    try:
        futures_module.wait(futures)
    except BaseException:
        for future in futures:
            future.cancel()
        raise


def outcome(future: Future[R]) -> R | EngineError:
    """A call's answer, or why there is none; waits for it."""
    try:
        return future.result()
    except EngineError as error:
        return error
    except CancelledError:
        return EngineError("the call was given up")
