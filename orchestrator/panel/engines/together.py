"""Asking an engine: one request, or several at once if it can, with each answer or failure in its place.

An engine that offers `SupportsFutures` is asked without waiting, others one request after the other. The
answers are the same either way. An engine may be a third party's, so a mistake in it is a failure like any
other. All replies pass through this module, and none is trusted unchecked (`replies`).
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
from orchestrator.panel.engines.protocol import Engine, OnText, Request, SupportsFutures
from orchestrator.panel.engines.replies import checked

if TYPE_CHECKING:
    from orchestrator.core.context.assemble import Context

R = TypeVar("R")

OWN: Final = (
    "orchestrator.panel.engines.offline.",
    "orchestrator.panel.engines.model.",
    "orchestrator.panel.engines.by_name",
)
"""Modules of the package's own engines except the scripted one.

A class derived from one is in another module.
"""
MAX_TOLD_CHARS: Final = 600
"""Maximum number of characters of an error's line, in ledgers and on screens: an address and what to do, with
room to spare.
"""


def ask(engine: Engine, request: Request[R], context: Context | None = None) -> R:
    """Ask the engine, and wait for the reply.

    Raises:
        EngineError: No reply came, or it has the wrong shape.
    """
    try:
        return _taken(engine, engine.reply(request, context), request)
    except Exception as error:
        raise _failure(engine, error) from error


def begun(
    engine: Engine, request: Request[R], context: Context | None, on_text: OnText | None = None
) -> Future[R]:
    """Start the call and return its future, already done if the engine answers or refuses at once."""
    try:
        if not isinstance(engine, SupportsFutures):
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
    """A call of a third-party engine under way, whose reply is checked as soon as it comes."""

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
        """Cancel the call, and ignore any reply that still comes."""
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
    """Return the checked result of a call that is over.

    Raises:
        EngineError: The call failed, or its reply is invalid.
    """
    error = call.exception()
    if error is not None:
        raise _failure(engine, error)
    try:
        return _taken(engine, call.result(), request)
    except Exception as mistake:
        raise _failure(engine, mistake) from mistake


def is_own(engine: Engine) -> bool:
    """Return whether the engine is one of this package's (the bank, or a model's), which check their own
    replies.

    A script counts as a third-party engine.
    """
    return type(engine).__module__.startswith(OWN)


def _taken(engine: Engine, reply: R, request: Request[R]) -> R:
    """Return the reply for use; for a third-party engine, check its shape, then the places of its quotes."""
    if is_own(engine):
        return reply
    from orchestrator.panel.engines.replies import standing_in

    return standing_in(checked(reply, request), request)


def _failure(engine: Engine, error: BaseException) -> BaseException:
    """Return the error to report for a failed engine.

    The package's own engines keep the session's errors; other errors become an `EngineError`.
    """
    if isinstance(error, EngineError):
        if is_own(engine):
            return error
        told = one_line(str(error))[:MAX_TOLD_CHARS]
        return error if told == str(error) else EngineError(told, stops=error.stops, status=error.status)
    return error if is_own(engine) and isinstance(error, GreenroomError) else EngineError(_mistake(error))


def _mistake(error: BaseException) -> str:
    """Describe a mistake in an engine only by its kind, since the error's own words may contain what was
    said.
    """
    return f"the engine failed by a mistake of its own ({type(error).__name__}): tell its authors"


def failed(error: EngineError) -> Future[Any]:
    """Return a future that is done and has failed with *error*."""
    future: Future[Any] = Future()
    future.set_exception(error)
    return future


def done(result: R) -> Future[R]:
    """Return a future that is done and contains *result*."""
    future: Future[R] = Future()
    future.set_result(result)
    return future


def replies(engine: Engine, asked: Sequence[tuple[Request[R], Context | None]]) -> list[R | EngineError]:
    """Return the engine's replies, in the order of asking; this takes as long as the slowest call."""
    futures = [begun(engine, request, context) for request, context in asked]
    wait(futures)
    return [*map(outcome, futures)]


def wait(futures: Sequence[Future[Any]]) -> None:
    """Wait until all calls are over; an interruption cancels the calls."""
    try:
        futures_module.wait(futures)
    except BaseException:
        for future in futures:
            future.cancel()
        raise


def outcome(future: Future[R]) -> R | EngineError:
    """Wait for a call and return its answer, or the error with which it failed."""
    try:
        error = future.exception()
    except CancelledError:
        return EngineError("the call was given up")
    if error is None or (isinstance(error, GreenroomError) and not isinstance(error, EngineError)):
        return future.result()
    return error if isinstance(error, EngineError) else EngineError(_mistake(error))
