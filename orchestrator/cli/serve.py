"""Commands that open a view in the browser: serve (room and review), and review, also for archives alone."""

from __future__ import annotations

import os
import sys
from dataclasses import replace
from importlib.util import find_spec
from typing import TYPE_CHECKING, Annotated, Final

import typer

from orchestrator.cli.arguments import Endpoint, guarded, s3_options
from orchestrator.cli.screen import Screen
from orchestrator.cli.stopping import told_if_ended
from orchestrator.core.errors import NotInstalledError, UsageError

if TYPE_CHECKING:
    from orchestrator.panel.config.public_url import PublicUrl
    from orchestrator.panel.home import Home

PUBLIC_URL = "GREENROOM_PUBLIC_URL"
WORKER: Final = ("-m", "orchestrator.cli.worker_process")
GUARD: Final = (*WORKER, "guard")
"""What is run for each worker of `--workers`, and once for all of them, after the interpreter's name."""
METRICS_TOKEN = "GREENROOM_METRICS_TOKEN"  # noqa: S105  # the variable's name
DEFAULT_PORT = 8716  # not 8000 or 8080, where other servers of a developer's listen

Host = Annotated[
    str, typer.Option(metavar="ADDRESS", help="Where to listen; other than loopback only with a token.")
]
Port = Annotated[int, typer.Option(metavar="N", min=0, max=65_535, help="0 takes any that is free.")]

Public = Annotated[
    str | None,
    typer.Option(
        "--public-url",
        metavar="URL",
        help="Where browsers open it through a proxy: see `greenroom help http`.",
    ),
]


def serve(
    host: Host = "127.0.0.1",
    port: Port = DEFAULT_PORT,
    public_url: Public = None,
    workers: Annotated[
        int, typer.Option(metavar="N", min=1, max=64, help="Processes: more than 1 use as many cores.")
    ] = 1,
) -> None:
    """Open the room and the review pages in a browser, until Ctrl-C."""
    home = Screen.current.open_home()
    archives = home.config.archive or str(home.archives)
    _serve(home, archives, s3_options()["endpoint_url"], host, port, public_url, workers)


def review(
    archive: Annotated[
        str | None, typer.Option(metavar="URL", help="Archives elsewhere: a folder or s3://…")
    ] = None,
    endpoint_url: Endpoint = None,
    host: Host = "127.0.0.1",
    port: Port = DEFAULT_PORT,
    public_url: Public = None,
) -> None:
    """Browse sessions and archives in a browser.

    With --archive, that archive alone; a home is not needed then.
    """
    endpoint_url = s3_options(endpoint_url)["endpoint_url"]
    if archive is not None:
        _serve(None, archive, endpoint_url, host, port, public_url)
        return
    home = Screen.current.open_home()
    _serve(home, home.config.archive or str(home.archives), endpoint_url, host, port, public_url)


def _serve(
    home: Home | None,
    archives: str,
    endpoint_url: str | None,
    host: str,
    port: int,
    public_url: str | None,
    workers: int = 1,
) -> None:
    missing = [
        name for name in ("fastapi", "uvicorn", "nh3", "markdown_it", "segno") if find_spec(name) is None
    ]
    if missing:
        raise NotInstalledError("the browser pages need the extra `web`: pip install 'greenroom[web]'")
    if not host:
        raise UsageError("--host needs an address")
    public = public_address(home, public_url)
    from orchestrator.access.gate import gate_of
    from orchestrator.material.speech.recognition import recogniser_or_why
    from orchestrator.web.open_sessions import OpenSessions
    from orchestrator.web.server import serve as run
    from orchestrator.web.site import Site

    screen = Screen.current

    def say(address: str, listens: str, elsewhere: str | None) -> None:
        behind = f", which a proxy must pass on to {listens}" if public is not None else ""
        device = f"\non another device open {elsewhere}" if elsewhere not in (None, address) else ""
        told = {"address": address, "listens": listens, "elsewhere": elsewhere}
        screen.result(told, f"open {address} in a browser{behind}; Ctrl-C ends the server{device}")
        sys.stdout.flush()  # whoever waits for the address reads a pipe

    known = screen.known_home() if home is None else None
    gate = gate_of(home.config.access, home.root, os.environ) if home is not None else None
    site = Site(
        home,
        archives,
        OpenSessions(home),
        public=public,
        metrics_token=os.environ.get(METRICS_TOKEN) or None,
        endpoint_url=endpoint_url,
        known=known,
        gate=gate,
    )
    if home is not None and workers == 1:  # else each worker has its own
        recogniser, why = recogniser_or_why(home.config.stt_model, home.config.stt_language)
        site = replace(site, recogniser=recogniser, no_recogniser=why)
    if workers > 1:
        from orchestrator.cluster.workers import Commands, serve_with_workers

        serve_with_workers(site, host, port, workers, Commands(WORKER, GUARD), say)
    else:
        with guarded(home):
            run(site, host, port, say)
    command = "review" if home is None else "serve"
    told_if_ended(lambda: f"sessions that were open are paused; go on with `{screen.command} {command}`")


def public_address(home: Home | None, option: str | None) -> PublicUrl | None:
    """Return the public address: from the option, or else the environment, or else greenroom.yaml."""
    from orchestrator.panel.config.config import checked
    from orchestrator.panel.config.public_url import parse_public_url

    url = option
    if option is not None:
        checked("public_url", option, "--public-url")
    elif home is not None:
        url = home.config.public_url
    elif (url := os.environ.get(PUBLIC_URL)) is not None:  # archives alone have no home, so no settings
        checked("public_url", url, PUBLIC_URL)
    return parse_public_url(url) if url is not None else None
