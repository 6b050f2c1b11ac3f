"""The figures of this process for Prometheus: counted as requests are answered, written as text when asked.

No label holds an id, a name or a word of anybody: routes stand as their templates. The text format is written
here, since it is three rules and the library for it takes 80 ms to import.

Source: prometheus.io, "Exposition formats", version 0.0.4, and "Writing client libraries" for `process_*`.
"""

from __future__ import annotations

import os
import resource
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from typing import Final

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from orchestrator import __version__
from orchestrator.core.clock import SYNCS, Timings
from orchestrator.web.addresses import PREFIX

PATH: Final = "/metrics"
MEDIA_TYPE: Final = "text/plain; version=0.0.4; charset=utf-8"
COUNTER, GAUGE, HISTOGRAM = "counter", "gauge", "histogram"
REQUEST_BOUNDS_S: Final = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
"""Upper bounds in seconds of a request's time: those that Prometheus's own libraries take by default."""
METHODS: Final = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
UNKNOWN_ROUTE: Final = "none"
"""The route of a request that no route answered: refused before, or of an unknown address. Its path is not
shown, since it could hold anything, and each would be a series of its own."""
_HOLDER: Final = "greenroom.measured"

Labels = tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Family:
    """A metric with all its samples.

    Args:
        name: With its unit at the end; `_total` at the end of a counter.
        samples: By labels, the value or, of a histogram, its timings.
    """

    name: str
    kind: str
    about: str
    samples: Mapping[Labels, float | Timings]


def one(name: str, kind: str, about: str, value: float | Timings) -> Family:
    """Return a metric with one sample, without labels."""
    return Family(name, kind, about, {(): value})


class Metrics:
    """What one server counts. Safe to use from many threads."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._requests: Counter[Labels] = Counter()
        self._seconds: dict[Labels, Timings] = {}
        self._streams: Counter[Labels] = Counter({(("kind", kind),): 0 for kind in ("sse", "websocket")})
        self._refused: Counter[Labels] = Counter()
        self.sources: dict[str, Callable[[], Iterable[Family]]] = {"store": _store, "process": _process}
        """Called at each scrape, by part of the process; whoever adds a part adds its figures."""

    def answered(self, route: str, method: str, status: int, seconds: float) -> None:
        """Count a request whose answer began after *seconds*."""
        labels = (("route", route), ("method", method if method in METHODS else "other"))
        with self._lock:
            self._requests[*labels, ("status", f"{status // 100}xx")] += 1
            timings = self._seconds.setdefault(labels, Timings(REQUEST_BOUNDS_S))
        timings.observe(seconds)

    def refused(self, code: str) -> None:
        """Count a write that the store refused, by the error's name for programs."""
        with self._lock:
            self._refused[(("code", code),)] += 1

    def stream(self, kind: str, change: int) -> None:
        """Count a stream that begins (1) or ends (-1)."""
        with self._lock:
            self._streams[(("kind", kind),)] += change

    def text(self) -> str:
        """Return all figures in Prometheus's text format."""
        with self._lock:
            requests, seconds = dict(self._requests), dict(self._seconds)
            streams, refused = dict(self._streams), dict(self._refused)
        families = [
            Family("greenroom_requests_total", COUNTER, "Requests answered.", requests),
            Family(
                "greenroom_request_seconds", HISTOGRAM, "Seconds until a request's answer began.", seconds
            ),
            Family("greenroom_streams_open", GAUGE, "Streams and WebSockets that are open.", streams),
            Family("greenroom_refused_writes_total", COUNTER, "Writes refused by the store.", refused),
        ]
        for source in tuple(self.sources.values()):
            families += source()
        return written(families)


def written(families: Iterable[Family]) -> str:
    """Return *families* in the text format."""
    lines: list[str] = []
    for family in families:
        lines.append(f"# HELP {family.name} {_escaped(family.about, is_label=False)}")
        lines.append(f"# TYPE {family.name} {family.kind}")
        for labels, value in family.samples.items():
            lines += (
                _histogram(family.name, labels, value)
                if isinstance(value, Timings)
                else [_sample(family.name, labels, value)]
            )
    return "\n".join(lines) + "\n"


def _histogram(name: str, labels: Labels, timings: Timings) -> Iterator[str]:
    counts, sum_s = timings.read()
    below = 0
    for bound, count in zip((*timings.bounds_s, None), counts, strict=True):
        below += count
        upper = "+Inf" if bound is None else f"{bound:g}"
        yield _sample(f"{name}_bucket", (*labels, ("le", upper)), below)
    yield _sample(f"{name}_sum", labels, sum_s)
    yield _sample(f"{name}_count", labels, below)


def _sample(name: str, labels: Labels, value: float) -> str:
    inside = ",".join(f'{key}="{_escaped(text, is_label=True)}"' for key, text in labels)
    return f"{name}{{{inside}}} {value!r}" if labels else f"{name} {value!r}"


def _escaped(text: str, *, is_label: bool) -> str:
    escaped = text.replace("\\", r"\\").replace("\n", r"\n")
    return escaped.replace('"', r"\"") if is_label else escaped


def _store() -> list[Family]:
    """Return what all stores of this process have done: one sync is one transaction."""
    counts, _ = SYNCS.read()
    return [
        one("greenroom_writes_total", COUNTER, "Transactions that are on this disk.", sum(counts)),
        one("greenroom_sync_seconds", HISTOGRAM, "Seconds of the syncs of ledgers.", SYNCS),
    ]


_STARTED_AT: Final = time.time()


def _process() -> Iterator[Family]:
    yield Family("greenroom_info", GAUGE, "The release.", {(("version", __version__),): 1})
    used = resource.getrusage(resource.RUSAGE_SELF)
    cpu_s = round(used.ru_utime + used.ru_stime, 6)
    yield one("process_cpu_seconds_total", COUNTER, "Seconds of processor time.", cpu_s)
    yield one("process_start_time_seconds", GAUGE, "When it started, in Unix time.", _STARTED_AT)
    with suppress(OSError):  # Linux alone has it
        pages = int(Path("/proc/self/statm").read_text("ascii").split()[1])
        yield one(
            "process_resident_memory_bytes", GAUGE, "Memory in use.", pages * os.sysconf("SC_PAGE_SIZE")
        )
    with suppress(OSError):
        fds = len(os.listdir("/dev/fd")) - 1  # less the one that lists them
        yield one("process_open_fds", GAUGE, "Open files.", fds)
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft != resource.RLIM_INFINITY:
        yield one("process_max_fds", GAUGE, "Limit of open files.", soft)


class Measured:
    """The outermost layer: counts every request, also one that another layer refuses.

    A request's time ends where its answer begins, since a stream's end says when somebody left.
    """

    def __init__(self, app: ASGIApp, metrics: Metrics) -> None:
        self._app = app
        self._metrics = metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        start = time.perf_counter()
        inner: list[Scope] = []  # the layers within copy the scope; the innermost puts its own here
        stream: str | None = None

        async def sending(message: Message) -> None:
            nonlocal stream
            if message["type"] == "http.response.start":
                took_s = time.perf_counter() - start
                self._metrics.answered(_route(inner), scope["method"], message["status"], took_s)
                if (
                    Headers(raw=message.get("headers", []))
                    .get("content-type", "")
                    .startswith("text/event-stream")
                ):
                    stream = "sse"
                    self._metrics.stream(stream, 1)
            elif message["type"] == "websocket.accept":
                stream = "websocket"
                self._metrics.stream(stream, 1)
            await send(message)

        try:
            await self._app({**scope, _HOLDER: inner}, receive, sending)
        finally:
            if stream is not None:
                self._metrics.stream(stream, -1)


class Routed:
    """The innermost layer: lets `Measured` see the scope into which the router writes the route."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if (inner := scope.get(_HOLDER)) is not None:
            inner.append(scope)
        await self._app(scope, receive, send)


def _route(inner: list[Scope]) -> str:
    """Return the template of the route that answers, such as `/api/v1/sessions/{session}`."""
    if not inner:
        return UNKNOWN_ROUTE
    scope = inner[-1]
    path = getattr(scope.get("route"), "path", None)
    if not isinstance(path, str):
        return scope.get("root_path") or UNKNOWN_ROUTE  # of files, the folder under which they lie
    # The framework names a route within its router, whose prefix is the API's or none.
    is_within = scope["path"].startswith(f"{PREFIX}/") and not path.startswith(PREFIX)
    return f"{PREFIX}{path}" if is_within else path
