"""One service that is asked: its thread, the wire that it speaks, and what it turned out to know.

Calls run in one event loop in a thread of its own, so that engines can be asked from any
thread, several at once, and a call that hangs holds up nobody but who waits for it.
"""

from __future__ import annotations

import asyncio
import atexit
import threading
from collections.abc import Coroutine, Sequence
from concurrent.futures import Future
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final, TypeVar

from orchestrator.core.errors import EngineError
from orchestrator.panel.engines.model.settings import CHAT, MESSAGES, Settings

if TYPE_CHECKING:
    from orchestrator.panel.engines.model.task import Recorded
    from orchestrator.panel.engines.model.wire import Wire

WIRES: Final = {
    MESSAGES: ("orchestrator.panel.engines.claude.wire", "MessagesWire"),
    CHAT: ("orchestrator.panel.engines.openai.wire", "ChatWire"),
}
"""Each wire's module and class, loaded where it is used."""

R = TypeVar("R")

_CLOSE_S: Final = 5.0


class Service:
    """Starts its thread at the first call. Safe to use from several threads; close it when done."""

    def __init__(self, settings: Settings, recorded: Recorded | None = None) -> None:
        """*recorded* answers in the place of a server, which then nobody looks for."""
        self.settings = settings
        self.recorded = recorded
        self._lock = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None
        self.in_flight = asyncio.Semaphore(settings.in_flight)
        self._wires: list[Wire] = []  # all that were spoken; each may have connections that are open
        self.speak(settings.wire or MESSAGES)

    def speak(self, wire: str) -> None:
        """Use this wire from now on, one of WIRES; nothing is known of the service in it yet."""
        module, name = WIRES[wire]
        self.wire: Wire = getattr(import_module(module), name)(self.settings)
        self._wires.append(self.wire)
        self.spoken = wire
        self.knows: set[str] = set(self.wire.features)
        """Features not refused so far. Found out once for a service, not once a call."""

    def _load(self) -> None:
        """Load the wire's package, which takes up to a second: not out of the first call's deadline.

        Raises:
            EngineError: It is not installed; the line says how to install it.
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
        """Run *work* in the service's thread; cancelling the future gives the call up."""
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
        """Give up what is in flight and end the thread. A later call starts anew."""
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
