"""Each route of the web application is passed to the owner of the session that it is about."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

from orchestrator.cluster.front import KEYS, SESSION, Place, Routes
from orchestrator.web.server import routers

VALUES = {
    SESSION: "s1", "deck": "d" * 64, "material": "e" * 64, "number": "2", "form": "page", "exchange": "x3",
    "turn": "1", "agent": "skeptic", "path": "contrarian/notes.md", "memory": "m1", "goal": "g1",
    "kind": "speech", "receipt": "r1", "code": "ABCDEFGH",
}  # fmt: skip
"""A value for every parameter that a route has; a new one is to be looked at here: names it a session?"""
ELSEWHERE = {
    "number",
    "form",
    "exchange",
    "turn",
    "agent",
    "path",
    "memory",
    "goal",
    "kind",
    "receipt",
    "code",
}
"""Parameters that no process holds in memory: any worker answers."""


def routes() -> Iterator[tuple[str, str | None]]:
    """Every route's path and methods; None: a WebSocket."""
    for router, prefix in routers():
        for route in router.routes:
            for method in sorted(getattr(route, "methods", None) or [None]):
                yield f"{prefix}{getattr(route, 'path', '')}", method


ALL = sorted(routes(), key=str)


def filled(path: str) -> str:
    """A path with a value in place of each parameter."""
    return re.sub(r"{(\w+)(?::\w+)?}", lambda found: VALUES[found[1]], path)


def place(path: str, method: str | None, base: str = "") -> Place:
    kind = "http" if method is not None else "websocket"
    return Routes(base).place({"type": kind, "method": method, "path": path})


@pytest.mark.parametrize(("path", "method"), ALL)
def test_a_route_leads_to_its_sessions_owner(path: str, method: str | None) -> None:
    names = set(re.findall(r"{(\w+)", path))
    assert names <= {SESSION, *KEYS, *ELSEWHERE}
    found = place(filled(path), method)
    assert found.session == ("s1" if SESSION in names else None)
    if SESSION not in names:
        assert (found.key is not None) == (bool(names & set(KEYS)) or path == "/example")


def test_there_are_routes_of_each_kind() -> None:
    """Else the test above would pass with nothing to look at."""
    assert len(ALL) > 80
    assert sum(SESSION in path for path, _ in ALL) > 40
    assert {None, "GET", "POST", "PUT", "PATCH", "DELETE"} <= {method for _, method in ALL}


@pytest.mark.parametrize(
    ("path", "method", "session"),
    [
        ("/api/sessions/s1/room", "GET", "s1"),  # a former address
        ("/greenroom/api/v1/sessions/s1/room", "GET", "s1"),  # below the public path
        ("/room/s1", "HEAD", "s1"),
        ("/room/s1", "POST", "s1"),  # no method of this address: its owner says so
        ("/review/compare", "GET", None),
        ("/review/progress", "GET", None),
        ("/api/v1/decks/sample", "GET", None),
        ("/api/v1/sessions/../s1/room", "GET", None),
        ("/api/v1/sessions/a%20b/room", "GET", None),
        ("/api/v1/sessions/s1/nothing", "GET", None),
        ("/static/room.js", "GET", None),
        ("/nowhere", "GET", None),
    ],
)
def test_an_address_of_another_form(path: str, method: str, session: str | None) -> None:
    assert place(path, method, "/greenroom").session == session


def test_a_deck_is_looked_for_at_the_same_worker_by_every_address() -> None:
    """What one process holds of it, such as a dossier in the making, is found again."""
    deck = VALUES["deck"]
    keys = {
        place(path, "GET").key
        for path in (f"/api/v1/decks/{deck}", f"/api/v1/decks/{deck}/dossier", f"/dossier/{deck}")
    }
    assert keys == {f"deck {deck}"}
