"""One service that speaks the Messages API: its client, its thread, and what it turned out to know.

Calls run in one event loop in a thread of its own, so that engines can be asked from any
thread, several at once, and a call that hangs holds up nobody but who waits for it.
"""

from __future__ import annotations

import asyncio
import atexit
import logging
import threading
from collections.abc import Coroutine
from concurrent.futures import Future
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final, TypeVar

from orchestrator.engines.claude.settings import Settings
from orchestrator.errors import EngineError

if TYPE_CHECKING:
    from anthropic import AsyncAnthropic

FEATURES: Final = ("blocks", "schemas", "effort", "tools", "cache", "length")
"""What a server may lack: content as a list of blocks, output schemas, effort, tools, cache marks (which
stand on blocks), and room for a long reply."""

R = TypeVar("R")

_CLOSE_S: Final = 5.0


class Service:
    """Starts its thread at the first call. Safe to use from several threads; close it when done."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.knows: set[str] = set(FEATURES)
        """Features not refused so far. Found out once for a service, not once a call."""
        self._lock = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None
        self._client: AsyncAnthropic | None = None
        self.in_flight = asyncio.Semaphore(settings.in_flight)

    @property
    def client(self) -> AsyncAnthropic:
        """The SDK's client. Its own retries are off: ours know the deadline of the whole task.

        Raises:
            EngineError: There is no key.
        """
        if self._client is None:
            self._client = _client(self.settings)
        return self._client

    def submit(self, work: Coroutine[Any, Any, R]) -> Future[R]:
        """Run *work* in the service's thread; cancelling the future gives the call up."""
        import_module("anthropic")  # takes a second or more: not out of the first call's deadline
        with self._lock:
            if self._loop is None:
                self._loop = asyncio.new_event_loop()
                self._thread = threading.Thread(target=self._loop.run_forever, name="claude", daemon=True)
                self._thread.start()
                atexit.register(self.close)  # for who forgets to: sockets left open are warned about
            return asyncio.run_coroutine_threadsafe(work, self._loop)

    def close(self) -> None:
        """Give up what is in flight and end the thread. A later call starts anew."""
        with self._lock:
            loop, thread, client = self._loop, self._thread, self._client
            self._loop = self._thread = self._client = None
            self.in_flight = asyncio.Semaphore(self.settings.in_flight)  # it belongs to a loop
        if loop is None or thread is None:
            return
        atexit.unregister(self.close)
        asyncio.run_coroutine_threadsafe(_wind_up(client), loop).result(_CLOSE_S)
        loop.call_soon_threadsafe(loop.stop)
        thread.join(_CLOSE_S)
        if not thread.is_alive():
            loop.close()


async def _wind_up(client: AsyncAnthropic | None) -> None:
    others = [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
    for task in others:
        task.cancel()
    await asyncio.gather(*others, return_exceptions=True)
    if client is not None:
        await client.close()


def _client(settings: Settings) -> AsyncAnthropic:
    from anthropic import AsyncAnthropic

    # At DEBUG the SDK logs whole requests, and with them what was said in a session.
    for name in ("anthropic", "httpx2", "httpcore2"):
        logging.getLogger(name).setLevel(logging.WARNING)
    key = settings.api_key
    if key is None and settings.auth_token is None:
        if settings.base_url is None:
            raise EngineError(
                f"the {settings.engine} engine needs a key: set ANTHROPIC_API_KEY, or ANTHROPIC_BASE_URL "
                "for a server of your own"
            )
        key = "none"  # the SDK wants one; a local server does not look at it
    return AsyncAnthropic(
        api_key=key,
        auth_token=None if key is not None else settings.auth_token,
        base_url=settings.base_url or None,
        max_retries=0,
    )
