"""The command that serves memory and sessions over MCP."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Annotated

from orchestrator.cli import signals
from orchestrator.cli.arguments import flag, option
from orchestrator.cli.screen import Screen
from orchestrator.cli.stopping import told_if_ended
from orchestrator.core.errors import UsageError

if TYPE_CHECKING:
    from orchestrator.access.people import Person
    from orchestrator.panel.home import Home

DEFAULT_PORT = 8717  # the one behind that of `serve`, so that both can run


def mcp(
    http: Annotated[bool, flag("--http", "Over HTTP on this machine, not stdio.")] = False,
    port: Annotated[int | None, option("N", f"With --http: {DEFAULT_PORT} without it; 0 takes any.")] = None,
    presenter: Annotated[
        str | None, option("NAME", "Serve this presenter's memory and sessions alone.")
    ] = None,
) -> None:
    """Serve memory, sessions, contexts and receipts to MCP clients."""
    from orchestrator.cli.arguments import guarded
    from orchestrator.mcp.scope import Scope
    from orchestrator.mcp.server import serve_http, serve_stdio
    from orchestrator.memory.embedding import embedder

    if port is not None and not http:
        raise UsageError("--port is for --http: stdio has none")
    if port is not None and not 0 <= port <= 65_535:
        raise UsageError(f"--port {port}: give a number from 0 to 65535")
    screen = Screen.current
    home = screen.open_home()
    person = _person(home, presenter, http=http)
    if person is not None:
        presenter = person.identity
    key = os.environ.get("GREENROOM_EMBEDDINGS_KEY")
    embed = embedder(home.config.embeddings, model=home.config.embeddings_model, key=key)
    scope = Scope(home, presenter, embed, person)
    if not http:
        # A thread waits for the next line, and nothing but a line or the end wakes it: a signal must not wait
        # as well. Every write here stands a kill at any moment.
        signals.leave_at_once()
        with guarded(home):
            serve_stdio(scope)
        return

    def say(address: str) -> None:
        screen.result({"address": address}, f"serving MCP at {address}")
        sys.stdout.flush()  # whoever waits for the address reads a pipe

    with guarded(home):
        serve_http(scope, DEFAULT_PORT if port is None else port, say)
    told_if_ended(lambda: f"go on with `{screen.command} mcp --http`")


def _person(home: Home, presenter: str | None, *, http: bool) -> Person | None:
    """Return who asks where people sign in, and None where nobody has to.

    Whoever starts a program in this home can read its files anyway, so the name is taken at its word; over
    HTTP anybody on the machine could ask, so that is refused.

    Raises:
        UsageError: The setting `access` is set, and no identity is named, or the server would use HTTP.
    """
    if home.config.access is None:
        return None
    from orchestrator.access.people import presenter_alone

    if http:
        raise UsageError("--http: nobody signs in there, and `access` is set: use stdio, with --presenter")
    if presenter is None:
        raise UsageError("`access` is set: say with --presenter whose memory and sessions are served")
    try:
        return presenter_alone(presenter)
    except ValueError as error:
        raise UsageError(f"--presenter: {error}: write it as your provider does") from None
