"""One service that speaks the Messages API: its client, its thread, and what it turned out to know.

Calls run in one event loop in a thread of its own, so that engines can be asked from any
thread, several at once, and a call that hangs holds up nobody but who waits for it.
"""

from __future__ import annotations

import asyncio
import atexit
import logging
import os
import threading
from collections.abc import Coroutine
from concurrent.futures import Future
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final, TypeVar

from orchestrator.engines.model.settings import PUBLIC_URL, Settings
from orchestrator.errors import EngineError, OutboundError
from orchestrator.outbound.environment import check_headers, check_key

if TYPE_CHECKING:
    from anthropic import AsyncAnthropic

    from orchestrator.engines.model.task import Recorded

FEATURES: Final = ("blocks", "schemas", "effort", "tools", "cache", "length")
"""What a server may lack: content as a list of blocks, output schemas, effort, tools, cache marks (which
stand on blocks), and room for a long reply."""

R = TypeVar("R")

_CLOSE_S: Final = 5.0


class Service:
    """Starts its thread at the first call. Safe to use from several threads; close it when done."""

    def __init__(self, settings: Settings, recorded: Recorded | None = None) -> None:
        """*recorded* answers in the place of a server, which then nobody looks for."""
        self.settings = settings
        self.recorded = recorded
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
            EngineError: There is no key, or the environment does not let it be used or the server be asked.
        """
        if self._client is None:
            try:
                self._client = _client(self.settings)
            except OutboundError as error:
                raise EngineError(str(error), stops=True) from None
        return self._client

    def submit(self, work: Coroutine[Any, Any, R]) -> Future[R]:
        """Run *work* in the service's thread; cancelling the future gives the call up."""
        try:
            import_module("anthropic")  # takes a second or more: not out of the first call's deadline
            with self._lock:
                if self._loop is None:
                    self._loop = asyncio.new_event_loop()
                    self._thread = threading.Thread(target=self._loop.run_forever, name="claude", daemon=True)
                    self._thread.start()
                    atexit.register(self.close)  # for who forgets to: sockets left open are warned about
                return asyncio.run_coroutine_threadsafe(work, self._loop)
        except BaseException:  # a Ctrl-C, say
            work.close()  # else Python complains on the screen that nobody awaited it
            raise

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

    from orchestrator.outbound.client import async_client

    # At DEBUG the SDK logs whole requests, and with them what was said in a session.
    for name in ("anthropic", "httpx2", "httpcore2"):
        logging.getLogger(name).setLevel(logging.WARNING)
    key = settings.api_key
    if key is None and settings.auth_token is None:
        if settings.base_url is None:
            raise EngineError(
                f"the {settings.engine} engine needs a key: set ANTHROPIC_API_KEY, or ANTHROPIC_BASE_URL "
                "for a server of your own",
                stops=True,
            )
        key = "none"  # the SDK wants one; a local server does not look at it
    check_key(settings.key_name, key)
    check_key("ANTHROPIC_AUTH_TOKEN", settings.auth_token)
    url = settings.base_url or PUBLIC_URL
    is_own = settings.address_name == "model_url"
    if not is_own:
        check_headers(os.environ)
    client = AsyncAnthropic(
        api_key=key,
        auth_token=None if key is not None else settings.auth_token,
        base_url=url,
        max_retries=0,
        open_telemetry=False,  # a collector would be one more place to which something goes
        http_client=async_client(url, settings.address_name),
    )
    if is_own:
        client._custom_headers = {}  # those of ANTHROPIC_CUSTOM_HEADERS may hold a key of Anthropic's
    return client
