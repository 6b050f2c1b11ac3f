"""One service: its thread, the wire that it speaks, and the features that it turned out to have.

Calls run in one event loop in a separate thread, so engines can be asked from any thread, several at once,
and a call that hangs blocks only its own callers.
"""

from __future__ import annotations

import asyncio
import atexit
import threading
from collections.abc import Awaitable, Callable, Coroutine, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import replace
from functools import partial
from importlib import import_module
from time import monotonic
from typing import TYPE_CHECKING, Any, Final, TypeVar

from orchestrator.core.errors import EngineError
from orchestrator.panel.engines.model.failures import (
    PassingError,
    RefusedError,
    UnusableError,
    UselessError,
    error_of,
)
from orchestrator.panel.engines.model.quoting import Fault, Outcome
from orchestrator.panel.engines.model.received import Received, call_usage, check_stop, part_of
from orchestrator.panel.engines.model.schemas import Reply
from orchestrator.panel.engines.model.settings import CHAT, MESSAGES, Settings
from orchestrator.panel.engines.model.tasks import Task, Turns

if TYPE_CHECKING:
    from orchestrator.panel.engines.model.tasks import Recorded
    from orchestrator.panel.engines.model.wire import Wire


# ---------------------------------------------------------------------- service


WIRES: Final = {
    MESSAGES: ("orchestrator.panel.engines.claude", "MessagesWire"),
    CHAT: ("orchestrator.panel.engines.openai", "ChatWire"),
}
"""Maps each wire to its module and class, which are loaded when they are used."""

R = TypeVar("R")

_CLOSE_S: Final = 5.0


class Service:
    """One service with a thread, which starts at the first call.

    It is safe for several threads. Close it when done.
    """

    def __init__(self, settings: Settings, recorded: Recorded | None = None) -> None:
        """Make the service; *recorded*, if given, answers instead of a server, and no server is contacted."""
        self.settings = settings
        self.recorded = recorded
        self._lock = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None
        self.in_flight = asyncio.Semaphore(settings.in_flight)
        self._wires: list[Wire] = []  # all that were spoken; each may have connections that are open
        self.speak(settings.wire or MESSAGES)

    def speak(self, wire: str) -> None:
        """Use this wire, one of WIRES, from now on, and forget the service's features."""
        module, name = WIRES[wire]
        self.wire: Wire = getattr(import_module(module), name)(self.settings)
        self._wires.append(self.wire)
        self.spoken = wire
        self.knows: set[str] = set(self.wire.features)
        """Features that the service has not refused so far; found once for a service, not for each call."""

    def _load(self) -> None:
        """Import the wire's package, which takes up to a second, before the first call's deadline starts.

        Raises:
            EngineError: The package is not installed; the line says how to install it.
        """
        package = self.wire.sdk
        try:
            if self.recorded is None:
                import_module(package)
        except ModuleNotFoundError as error:
            if error.name != package:
                raise
            raise EngineError(
                f"the {self.settings.engine} engine needs the package {package}: "
                f"pip install 'greenroom[{package}]'",
                stops=True,
            ) from None

    def submit(self, work: Coroutine[Any, Any, R]) -> Future[R]:
        """Run *work* in the service's thread; cancelling the future cancels the call."""
        try:
            self._load()
            with self._lock:
                if self._loop is None:
                    self._loop = asyncio.new_event_loop()
                    self._thread = threading.Thread(target=self._loop.run_forever, name="model", daemon=True)
                    self._thread.start()
                    atexit.register(self.close)  # for who forgets to: sockets left open are warned about
                return asyncio.run_coroutine_threadsafe(work, self._loop)
        except BaseException:  # a Ctrl-C, say
            work.close()  # else Python complains on the screen that nobody awaited it
            raise

    def close(self) -> None:
        """Cancel the calls in flight and end the thread; a later call starts a new thread."""
        with self._lock:
            loop, thread = self._loop, self._thread
            self._loop = self._thread = None
            self.in_flight = asyncio.Semaphore(self.settings.in_flight)  # it belongs to a loop
        if loop is None or thread is None:
            return
        atexit.unregister(self.close)
        asyncio.run_coroutine_threadsafe(_wind_up(self._wires), loop).result(_CLOSE_S)
        loop.call_soon_threadsafe(loop.stop)
        thread.join(_CLOSE_S)
        if not thread.is_alive():
            loop.close()


async def _wind_up(wires: Sequence[Wire]) -> None:
    others = [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
    for task in others:
        task.cancel()
    await asyncio.gather(*others, return_exceptions=True)
    for wire in wires:
        await wire.close()


# ---------------------------------------------------------------------- calls
# One task put to the service: sent, retried, validated, and sent back once if it cannot be used.
#
# All of it within the task's deadline on the wall clock. Whatever happens, the outcome is a validated part
# of a reply or an `EngineError` of one line that holds nothing of what was said.


MAX_WAIT_S: Final = 8.0


async def perform(service: Service, task: Task) -> Outcome:
    """Send *task* to the service, with one repair if the reply has a fault.

    The outcome's `fault` is what is still wrong after the repair.

    Raises:
        EngineError: No usable reply came within the deadline.
    """
    settings = service.settings
    deadline_s = task.deadline_s or settings.deadline_s(task.kind)
    try:
        # The time begins with the call's turn: a server that answers one at a time keeps the others waiting.
        async with service.in_flight, asyncio.timeout(deadline_s):
            until_s = monotonic() + deadline_s
            one, turns = await _in_words(service, task, Turns(), until_s)
            outcome = _outcome(task, one.text)
            if outcome.fault is not None:
                mended = turns.mended(one.text, outcome.fault.sent)
                one, _ = await _in_words(service, task, mended, until_s)
                outcome = _outcome(task, one.text)
    except TimeoutError:
        raise UselessError(f"{settings.where} gave no reply within {deadline_s:g} s") from None
    except PassingError as error:
        line = f"{error}; tried {settings.retries + 1} times"
        raise PassingError(line, is_busy=error.is_busy, stops=error.stops, status=error.status) from None
    if isinstance(outcome.result, EngineError):
        raise outcome.result
    return outcome


def _outcome(task: Task, text: str) -> Outcome:
    try:
        return task.outcome_of(part_of(text, task.kind, task.shape or Reply))
    except UnusableError as error:
        why = f"the reply could not be used, and was not mended when sent back: {error}"
        return Outcome(UselessError(why), Fault(str(error)))


# ---------------------------------------------------------------------- one request


async def _in_words(service: Service, task: Task, turns: Turns, until_s: float) -> tuple[Received, Turns]:
    """Return a reply that uses no tools, and the turns before it.

    The uses of tools on the way are answered.
    """
    while True:
        one = await retried(service.settings, partial(attempt, service, task, turns), until_s)
        if not one.uses or task.rounds is None:
            return one, turns
        turns = turns.used(await task.rounds.answered(one))


async def retried(settings: Settings, once: Callable[[], Awaitable[R]], until_s: float) -> R:
    """Return the result of *once*, which is called again as long as another try may succeed.

    Raises:
        EngineError: No call succeeded, or there is no time left to wait.
    """
    tries = 0
    while True:
        try:
            return await once()
        except PassingError as error:
            wait_s = error.wait_s
            if wait_s is None:
                wait_s = min(settings.first_wait_s * 2**tries, MAX_WAIT_S)
            tries += 1
            if tries > settings.retries:
                raise
            if monotonic() + wait_s >= until_s:
                line = f"{error}, and there is no time to wait {wait_s:g} s"
                raise EngineError(line, stops=error.stops, status=error.status) from None
            await asyncio.sleep(wait_s)


async def attempt(service: Service, task: Task, turns: Turns) -> Received:
    """Make one request, and repeat it at once without a feature that the service turns out to lack.

    After a refusal that names no feature, one plain request is sent, without any. If that is accepted, the
    service is asked plainly from then on.
    """
    settings, wire, is_plain = service.settings, service.wire, False
    while True:
        began_s = monotonic()
        out = wire.outgoing(task, turns, frozenset() if is_plain else frozenset(service.knows))
        model = out.plain["model"]
        try:
            one = wire.received(await _message(service, task, turns, out.plain))
        except UnusableError as error:
            raise PassingError(f"{settings.where} does not answer as the {wire.api} does: {error}") from None
        except RefusedError as refusal:
            if refusal.is_of_form and not is_plain:
                # Where no reason is given, tools go first: without the rest every reply is worth less.
                feature = wire.lacking(refusal.said, out.plain) or ("tools" if "tools" in out.plain else None)
                service.knows.discard(feature or "")
                is_plain = feature is None
                continue
            raise error_of(refusal, settings, model, wire.api) from None
        if one.stop is None:
            raise PassingError(f"{settings.where} broke the reply off")
        if is_plain:
            service.knows.clear()
        seconds = monotonic() - began_s
        usage = call_usage(task.agent, task.kind, model, one.tokens, seconds)
        answered = one.model if one.model != model else None
        usage = replace(usage, repair=turns.is_repair, round=turns.rounds, answered=answered or None)
        task.on_sent(out, began_s, usage)
        check_stop(one, out.most_tokens, model)
        return one


async def _message(service: Service, task: Task, turns: Turns, request: Mapping[str, Any]) -> dict[str, Any]:
    """Return the service's message, or the recorded message if the service has a recording."""
    if service.recorded is None:
        return await service.wire.sent(request, task.on_partial)
    return await asyncio.to_thread(service.recorded, task, request, turns.is_repair)
