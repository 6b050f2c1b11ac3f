"""How an engine is asked: one request, or several at once where it can; each answer or failure in its place.

An engine that offers `Beginning` is asked without waiting; the others are asked one after the other.
The answers are the same either way. An engine may be anybody's: a mistake in it is a failure like any other.
All replies come through this door, and nothing of them is taken on trust (`replies`, `grounded`).
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent import futures as futures_module
from concurrent.futures import CancelledError, Future, InvalidStateError
from contextlib import suppress
from threading import Lock
from typing import TYPE_CHECKING, Any, Final, TypeVar

from orchestrator.core.errors import EngineError, GreenroomError
from orchestrator.core.legible import one_line
from orchestrator.panel.engines.protocol import Beginning, Engine, OnText, Request
from orchestrator.panel.engines.replies import checked

if TYPE_CHECKING:
    from orchestrator.core.context.assemble import Context

R = TypeVar("R")

OWN: Final = (
    "orchestrator.panel.engines.offline.",
    "orchestrator.panel.engines.model.",
    "orchestrator.panel.engines.by_name",
)
"""Modules of the package's own engines but the scripted one; what is derived from one is elsewhere."""
MAX_TOLD_CHARS: Final = 600
"""Of an error's line, in ledgers and on screens: an address and what to do, with room to spare."""


def ask(engine: Engine, request: Request[R], context: Context | None = None) -> R:
    """Ask, and wait for the reply.

    Raises:
        EngineError: There is none, or none of the right shape.
    """
    try:
        return _taken(engine, engine.reply(request, context), request)
    except Exception as error:
        raise _failure(engine, error) from error


def begun(
    engine: Engine, request: Request[R], context: Context | None, on_text: OnText | None = None
) -> Future[R]:
    """The call's future: already done where the engine answers at once, or refuses to begin."""
    try:
        if not isinstance(engine, Beginning):
            return done(ask(engine, request, context))
        future = engine.begin(request, context, on_text)
        return future if is_own(engine) else _Looked(engine, request, future)
    except EngineError as error:
        return failed(error)
    except Exception as error:
        why = _failure(engine, error)
        if not isinstance(why, EngineError):
            raise
        return failed(why)


class _Looked(Future[R]):
    """A call of somebody's engine that is under way: its reply is looked at as soon as it is there."""

    def __init__(self, engine: Engine, request: Request[R], call: Future[R]) -> None:
        super().__init__()
        if not isinstance(call, Future):
            raise EngineError(
                f"the engine's begin gave {type(call).__name__}: it must be concurrent.futures.Future"
            )
        self._engine, self._request, self._call = engine, request, call
        self._giving_up = Lock()
        call.add_done_callback(self._over)

    def cancel(self) -> bool:
        """Give the call up; what still comes of it is let go."""
        self._call.cancel()
        return self._give_up()

    def _give_up(self) -> bool:
        with self._giving_up:
            if not self.cancelled() and super().cancel():
                self.set_running_or_notify_cancel()  # else whoever waits would not see it
            return self.cancelled()

    def _over(self, call: Future[R]) -> None:
        if call.cancelled():
            self._give_up()
            return
        with suppress(InvalidStateError):  # it was given up meanwhile
            try:
                self.set_result(_result(self._engine, call, self._request))
            except EngineError as error:
                self.set_exception(error)


def _result(engine: Engine, call: Future[R], request: Request[R]) -> R:
    """What came of a call that is over, looked at.

    Raises:
        EngineError: It failed, or its reply is none.
    """
    error = call.exception()
    if error is not None:
        raise _failure(engine, error)
    try:
        return _taken(engine, call.result(), request)
    except Exception as mistake:
        raise _failure(engine, mistake) from mistake


def is_own(engine: Engine) -> bool:
    """Whether the engine is the package's, which looks at its replies itself: the bank, or a model's.

    A script is somebody's words, as any other engine is.
    """
    return type(engine).__module__.startswith(OWN)


def _taken(engine: Engine, reply: R, request: Request[R]) -> R:
    """The reply as it is used: of somebody's engine its shape is looked at, then where its quotes stand."""
    if is_own(engine):
        return reply
    from orchestrator.panel.engines.replies import standing_in

    return standing_in(checked(reply, request), request)


def _failure(engine: Engine, error: BaseException) -> BaseException:
    """What an error in an engine is told as; of the package's own, what the session itself said stays."""
    if isinstance(error, EngineError):
        if is_own(engine):
            return error
        told = one_line(str(error))[:MAX_TOLD_CHARS]
        return error if told == str(error) else EngineError(told, stops=error.stops, status=error.status)
    return error if is_own(engine) and isinstance(error, GreenroomError) else EngineError(_mistake(error))


def _mistake(error: BaseException) -> str:
    """Say what went wrong in an engine by its kind alone: the error's own words may hold what was said."""
    return f"the engine failed by a mistake of its own ({type(error).__name__}): tell its authors"


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
        error = future.exception()
    except CancelledError:
        return EngineError("the call was given up")
    if error is None or (isinstance(error, GreenroomError) and not isinstance(error, EngineError)):
        return future.result()
    return error if isinstance(error, EngineError) else EngineError(_mistake(error))
