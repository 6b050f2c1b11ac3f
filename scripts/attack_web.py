"""The server as it runs: foreign names and pages, paths, methods, sizes, slow clients; what pages hold."""

from __future__ import annotations

import http.client
import socket
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

from scripts.attack_ground import DATA, REFUSED, Ground, difference, picture
from tests.helpers.homes import new_home
from tests.web.conftest import Served, start_server
from tests.web.test_attacks import OUTSIDE, SCRIPTS, deck_of_scripts, once, twice

NONE: Final[Mapping[str, str]] = {}
JSON: Final = {"content-type": "application/json"}
FOREIGN_HOSTS: Final = (
    "evil.example", "127.0.0.1.evil.example", "evil.example:80", "", "[::2]", "127.0.0.1@evil.example",
)  # fmt: skip
FOREIGN_PAGES: Final = (
    {"origin": "http://evil.example"}, {"origin": "null"}, {"origin": "http://127.0.0.1:1"}, {"origin": "file://"},
    {"sec-fetch-site": "cross-site"}, {"sec-fetch-site": "same-site"},
)  # fmt: skip
PATHS: Final = (
    ("GET", "/api/v1/sessions/{}"), ("DELETE", "/api/v1/sessions/{}"), ("GET", "/api/v1/sessions/{}/verify"),
    ("GET", "/api/v1/sessions/s1/files/{}"), ("GET", "/api/v1/sessions/s1/contexts/{}"),
    ("GET", "/static/{}"), ("GET", "/room/{}"), ("GET", "/api/v1/sessions/s1/slides/{}.png"),
    ("PUT", "/api/v1/scratchpads/{}"),
    ("GET", "/api/v1/briefing/{}"),
)  # fmt: skip


PAGES: Final = (
    "/", "/new", "/room/p1", "/debrief/p1", "/review", "/review/p1", "/review/p1/questions/x1",
    "/review/compare",
    "/review/progress", "/review/p1/export", "/review/p1/redacted", "/api/v1/sessions/p1/debrief?format=html",
    "/api/v1/sessions/p1/contexts/skeptic", "/nowhere/<b>x</b>",
)  # fmt: skip


class Web:
    """A server of its own, and requests as no browser would send them."""

    def __init__(self, ground: Ground) -> None:
        self.ground = ground
        self.home = new_home(ground.folder / "served" / "home")
        self.served: Served = start_server(self.home)
        self.port = int(self.served.url.rpartition(":")[2])

    def ask(
        self, method: str, path: str, body: bytes | None = None, headers: Mapping[str, str] = NONE
    ) -> tuple[int, str]:
        """Status and text; status 0: the connection was closed without an answer, -1: it hangs."""
        sender = http.client.HTTPConnection("127.0.0.1", self.port, timeout=10)
        try:
            sender.putrequest(method, path, skip_host="host" in headers, skip_accept_encoding=True)
            for name, value in headers.items():
                sender.putheader(name, value)
            if body is not None and "content-length" not in headers:
                sender.putheader("content-length", str(len(body)))
            sender.endheaders(body)
            answer = sender.getresponse()
            return answer.status, answer.read().decode("utf-8", "replace")
        except TimeoutError:
            return -1, ""
        except (OSError, http.client.HTTPException):
            return 0, ""
        finally:
            sender.close()

    def attempt(
        self, group: str, tried: str, method: str, path: str, body: bytes | None = None,
        headers: Mapping[str, str] = NONE, *, expect: str = REFUSED, status: int | None = None,
    ) -> None:  # fmt: skip
        """Try a request; *status*: the only one that will do."""
        before = picture(self.home)
        got, text = self.ask(method, path, body, headers)
        verdict = REFUSED if got == 0 or got >= 400 else DATA
        found = "hangs for 10 s" if got == -1 else f"status {got}" if got >= 500 else ""
        if "Traceback" in text or "root:" in text or "canary" in text:
            found = "the answer holds what it must not"
        if not found and (verdict != expect or (status is not None and got not in (0, status))):
            found = f"status {got}"
        if not found and verdict == REFUSED and (moved := difference(before, picture(self.home))):
            found = f"refused, and yet {moved} changed"
        self.ground.note(group, "http", f"{method} {tried}", f"{got} {text}", verdict, found)


def web(ground: Ground) -> None:
    """Whatever comes over HTTP."""
    room = Web(ground)
    try:
        begun = room.ask("POST", "/api/v1/sessions", b'{"sample": true, "id": "s1"}', JSON)
        if begun[0] != 201:
            ground.note("Web", "http", "a session to try it on", begun[1], REFUSED, f"status {begun[0]}")
            return
        goal = b'{"presenter": "Dana", "text": "Be brief"}'
        room.ask("POST", "/api/v1/goals", goal, JSON)  # a home that was used: its memory is there
        slow = list(_slow(room))
        for host in FOREIGN_HOSTS:
            room.attempt(
                "Web", f"Host: {host}", "GET", "/api/v1/sessions", headers={"host": host}, status=421
            )
        for page in FOREIGN_PAGES:
            room.attempt("Web", f"from {page}", "POST", "/api/v1/goals", b"{}", {**page, **JSON}, status=403)
        for method, path in PATHS:
            for outside in OUTSIDE:
                for encoded in (once, twice):
                    name = encoded(outside)
                    room.attempt(
                        "Web", path.format(f"{outside!r} {encoded.__name__}"), method, path.format(name)
                    )
        for method in ("TRACE", "CONNECT", "PROPFIND", "PATCH", "DEBUG"):
            room.attempt("Web", "/api/v1/health", method, "/api/v1/health")
        room.attempt("Web", "headers of 64 kB", "GET", "/api/v1/health", headers={"x-long": "x" * 65_536})
        room.attempt(
            "Web", "10,000 headers", "GET", "/api/v1/health", headers={f"x-{n}": "x" for n in range(10_000)}
        )
        for length in ("-1", "1e3", "999999999999", "0x10"):
            headers = {"content-length": length, **JSON}
            room.attempt("Web", f"a length of {length}", "POST", "/api/v1/goals", b"{}", headers)
        bodies = {
            "no JSON": b"{", "a list": b"[]", "deep brackets": b"[" * 100_000,
            "no UTF-8": b'{"text": "\xff"}',
            "half a character": b'{"text": "\\ud800"}', "NUL": b'{"text": "a\\u0000b"}',
            "a long number": b'{"text": %s}' % (b"9" * 5_000),
            "10 MB": b'{"text": "%s"}' % (b"x" * 10_000_000),
        }  # fmt: skip
        for what, body in bodies.items():
            for path in (
                "/api/v1/sessions/s1/segments",
                "/api/v1/sessions/s1/answer",
                "/api/v1/goals",
                "/api/v1/sessions",
            ):
                # A list of segments may be empty, and what no screen shows is left out of a goal or replaced.
                is_data = (path.rpartition("/")[2], what) in {
                    ("segments", "a list"),
                    ("segments", "NUL"),
                    ("goals", "NUL"),
                    ("goals", "half a character"),
                }
                expect = DATA if is_data else REFUSED
                room.attempt("Web", f"{path} with {what}", "POST", path, body, JSON, expect=expect)
        form = {"content-type": "text/plain"}
        room.attempt("Web", "a form of another kind", "POST", "/api/v1/goals", b"text=x", form)
        _bound_to_loopback(room)
        _ended_in_time(room, slow)
        _page(room)
        status, text = room.ask("GET", "/api/v1/sessions/s1/verify")
        found = "" if '"valid":true' in text.replace(" ", "") else f"status {status}"
        ground.note("Web", "http", "verify after all of it", text, DATA, found)
    finally:
        room.served.process.terminate()
        room.served.process.wait(10)
        if room.served.process.stdout is not None:
            room.served.process.stdout.close()


def _slow(room: Web) -> Iterator[tuple[str, socket.socket]]:
    """Connections on which a request begins and does not go on."""
    head = b"POST /api/v1/goals HTTP/1.1\r\nhost: 127.0.0.1\r\n"
    head += b"content-type: application/json\r\ncontent-length: 9\r\n"
    for what, sent in {
        "nothing": b"",
        "half a head": head[:40],
        "a body of which a byte comes": head + b"\r\n{",
    }.items():
        one = socket.create_connection(("127.0.0.1", room.port), timeout=90)
        one.sendall(sent)
        yield what, one


def _ended_in_time(room: Web, slow: list[tuple[str, socket.socket]], within_s: float = 75.0) -> None:
    """A slow sender is sent away, and held nobody up meanwhile: all else was answered before this."""
    began = time.monotonic()
    for what, one in slow:
        one.settimeout(max(1.0, began + within_s - time.monotonic()))
        try:
            while one.recv(65_536):
                pass
            found = ""
        except TimeoutError:
            found = f"is still open after {within_s:g} s"
        except ConnectionResetError:
            found = ""
        one.close()
        room.ground.note("Web", "http", f"a slow client that sends {what}", "closed", REFUSED, found)


def _bound_to_loopback(room: Web) -> None:
    """The socket that listens, as the kernel lists it."""
    table = Path("/proc/net/tcp")
    if not table.exists():
        room.ground.say("NOT RUN: where the server listens: there is no /proc/net/tcp here")
        return
    listening = [
        line.split()[1] for line in table.read_text("ascii").splitlines()[1:] if line.split()[3] == "0A"
    ]
    own = [one for one in listening if int(one.partition(":")[2], 16) == room.port]
    found = "" if own == [f"0100007F:{room.port:04X}"] else f"it listens at {own}"
    room.ground.note("Web", "http", "bound to loopback alone", ", ".join(own), REFUSED, found)


def _page(room: Web) -> None:
    """30 scripts as titles, lines, names and speech: no page holds one as markup, each has its policy."""
    deck = deck_of_scripts(room.ground.given / "scripts.pptx")
    with room.served.client() as client:
        sent = client.post("/api/v1/decks", files={"deck": (deck.name, deck.read_bytes())}).json()["deck"]
        options = {"deck": sent, "id": "p1", "presenter": SCRIPTS[6][:80], "focus": list(SCRIPTS[:3])}
        client.post("/api/v1/sessions", json=options).raise_for_status()
        for script in SCRIPTS:
            said = {"text": f"{script} is 4 million", "speaker": script}
            client.post("/api/v1/sessions/p1/segments", json=said).raise_for_status()
        client.post("/api/v1/sessions/p1/ask", json={})
        client.post("/api/v1/sessions/p1/answer", json={"text": SCRIPTS[0]})
        client.post("/api/v1/sessions/p1/end", json={})
        markup = [script for script in SCRIPTS if "<" in script]
        for path in PAGES:
            answer = client.get(path, headers={"accept": "text/html"})
            kind = answer.headers.get("content-type", "")
            held = (
                [script for script in markup if script in answer.text] if kind.startswith("text/html") else []
            )
            policy = answer.headers.get("content-security-policy", "")
            found = (
                f"it holds {held[0]}"
                if held
                else ""
                if policy.startswith("default-src 'none'")
                else "no policy"
            )
            found = found or (f"status {answer.status_code}" if answer.status_code >= 500 else "")
            verdict = REFUSED if answer.status_code >= 400 else DATA
            told = f"{answer.status_code} {kind}"
            room.ground.note("Page", "http", f"GET {path} with 30 scripts in it", told, verdict, found)
