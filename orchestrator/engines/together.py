"""How an engine is asked: one request, or several at once where it can; each answer or failure in its place.

An engine that offers `Beginning` is asked without waiting; the others are asked one after the other.
The answers are the same either way. An engine may be anybody's: a mistake in it is a failure like any other.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent import futures as futures_module
from concurrent.futures import CancelledError, Future
from typing import TYPE_CHECKING, Any, Final, TypeVar, cast

from orchestrator.engines import protocol
from orchestrator.engines.offers import Beginning, OnText
from orchestrator.engines.protocol import Engine, Request
from orchestrator.errors import EngineError, GreenroomError
from orchestrator.model.exchange import Candidate, Judgement
from orchestrator.model.reply import DebriefWords

if TYPE_CHECKING:
    from orchestrator.context.assemble import Context

R = TypeVar("R")

SHAPES: Final[Mapping[type[Request[Any]], tuple[type, ...]]] = {
    protocol.CandidateRequest: (Candidate, type(None)),
    protocol.JudgementRequest: (Judgement,),
    protocol.ScratchpadRequest: (str,),
    protocol.DebriefRequest: (DebriefWords,),
}
"""What a reply to each request is; to the others a tuple, or a list."""


def ask(engine: Engine, request: Request[R], context: Context | None = None) -> R:
    """Ask, and wait for the reply.

    Raises:
        EngineError: There is none, or none of the right kind.
    """
    try:
        return _checked(engine.reply(request, context), request)
    except GreenroomError:
        raise
    except Exception as error:
        raise EngineError(_mistake(error)) from error


def _checked(reply: R, request: Request[R]) -> R:
    shapes = SHAPES.get(type(request), (tuple, list))
    if not isinstance(reply, shapes):
        told = " or ".join("None" if one is type(None) else one.__name__ for one in shapes)
        kind = type(request).__name__
        raise EngineError(f"the engine gave {type(reply).__name__} for a {kind}: it must be {told}")
    return cast(R, tuple(reply)) if isinstance(reply, list) else reply  # a record holds no list


def _mistake(error: BaseException) -> str:
    """Say what went wrong in an engine by its kind alone: the error's own words may hold what was said."""
    return f"the engine failed by a mistake of its own ({type(error).__name__}): tell its authors"


def begun(
    engine: Engine, request: Request[R], context: Context | None, on_text: OnText | None = None
) -> Future[R]:
    """The call's future: already done where the engine answers at once, or refuses to begin."""
    try:
        if isinstance(engine, Beginning):
            return engine.begin(request, context, on_text)
        return done(ask(engine, request, context))
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
        error = future.exception()
    except CancelledError:
        return EngineError("the call was given up")
    if error is None or (isinstance(error, GreenroomError) and not isinstance(error, EngineError)):
        return future.result()
    return error if isinstance(error, EngineError) else EngineError(_mistake(error))
