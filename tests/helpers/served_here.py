"""A server in this process, for what no command can give it: a recogniser of a test's own."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Thread

import uvicorn

from orchestrator.web.server import application
from orchestrator.web.site import Site
from tests.helpers.live_feeds import until


@contextmanager
def served_here(site: Site) -> Iterator[str]:
    """The address at which *site* is served by a thread, without a slash at its end."""
    listening = socket.socket()
    listening.bind(("127.0.0.1", 0))
    config = uvicorn.Config(application(site), log_level="critical", timeout_graceful_shutdown=1)
    server = uvicorn.Server(config)
    thread = Thread(target=server.run, kwargs={"sockets": [listening]}, daemon=True)
    thread.start()
    until("a server", lambda: server.started)
    try:
        yield f"http://127.0.0.1:{listening.getsockname()[1]}"
    finally:
        site.closing.set()
        server.should_exit = True
        thread.join(20)
        listening.close()
