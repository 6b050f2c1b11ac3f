"""Who may reach the server: our own pages and programs that know the token, and nobody else."""

from __future__ import annotations

from contextlib import ExitStack
from http.client import HTTPConnection
from socket import create_connection, socket
from urllib.parse import urlsplit

import pytest
from starlette.testclient import TestClient

from orchestrator import __version__
from orchestrator.web.server import MAX_CONNECTIONS
from tests.helpers.figures import note
from tests.web.conftest import Serve, Served


@pytest.mark.parametrize(
    ("method", "headers", "status"),
    [
        ("GET", {}, 200),
        ("GET", {"host": "evil.example"}, 421),
        ("GET", {"host": "evil.example:80"}, 421),
        ("GET", {"host": "127.0.0.1.evil.example"}, 421),
        ("POST", {"origin": "http://evil.example"}, 403),
        ("POST", {"origin": "null"}, 403),
        ("POST", {"sec-fetch-site": "cross-site"}, 403),
        ("GET", {"host": "127.0.0.1:8716.evil.example"}, 421),
        ("GET", {"host": "127.0.0.1:8716,evil.example"}, 421),
        ("GET", {"host": "127.0.0.1:"}, 421),
        ("GET", {"host": "127.0.0.1:8716"}, 200),
        ("GET", {"host": "[::1]:8716"}, 200),
        ("GET", {"host": "192.0.2.7"}, 421),
        ("GET", {"origin": "http://evil.example"}, 403),
        ("GET", {"sec-fetch-site": "cross-site"}, 403),
        ("GET", {"sec-fetch-site": "same-site"}, 403),
        ("GET", {"sec-fetch-site": "same-origin"}, 200),
        ("GET", {"sec-fetch-site": "none"}, 200),
        ("HEAD", {"sec-fetch-site": "cross-site"}, 403),
        ("DELETE", {}, 405),
    ],
)
def test_a_request_is_taken_only_from_our_own_pages(
    server: Served, method: str, headers: dict[str, str], status: int
) -> None:
    with server.client() as client:
        answered = client.request(method, "/api/v1/health", headers=headers).status_code
    note("page", "requests of other pages to a real server", count=1, wrong=int(answered != status))
    assert answered == status


def test_a_page_elsewhere_may_link_to_a_page_here_and_gets_no_receipt_recorded(
    api: TestClient, session: str
) -> None:
    elsewhere = {"sec-fetch-site": "cross-site", "sec-fetch-mode": "no-cors"}
    before = api.get(f"/api/v1/sessions/{session}").json()
    answered = api.get(f"/api/v1/sessions/{session}/contexts/skeptic?as=receipt", headers=elsewhere)
    assert (answered.status_code, answered.json()["detail"]) == (
        403,
        "the request comes from another site's page",
    )
    assert api.get(f"/api/v1/sessions/{session}").json() == before
    followed = {"sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate"}
    assert api.get("/", headers=followed, follow_redirects=False).status_code in (200, 303)


def test_a_request_to_another_name_is_told_the_names_that_work(server: Served) -> None:
    with server.client() as client:
        told = client.get("/api/v1/health", headers={"host": "evil.example"}).json()["detail"]
    assert told == (
        "this server answers to 127.0.0.1, [::1], localhost, not to this name: open one of them, start it "
        "with `--host` and the name or address, or, behind a proxy, set `public_url` to the address that "
        "browsers open (`greenroom help http`)"
    )


def test_a_body_beyond_the_bound_is_refused_before_it_is_read(server: Served) -> None:
    address = server.url.removeprefix("http://")
    sender = HTTPConnection(address, timeout=30)
    sender.putrequest("POST", "/api/v1/health")
    sender.putheader("content-length", "999999999999")
    sender.endheaders()
    assert sender.getresponse().status == 413
    sender.close()


def test_every_answer_forbids_whatever_comes_from_elsewhere(server: Served) -> None:
    with server.client() as client:
        for path in ("/", "/api/v1/health", "/static/style.css", "/nowhere"):
            headers = client.get(path).headers
            assert headers["content-security-policy"].startswith("default-src 'none'; script-src 'self'")
            assert headers["x-content-type-options"] == "nosniff"
            assert "server" not in headers


def test_beyond_loopback_nothing_is_shown_without_the_token(serve: Serve) -> None:
    served = serve(None, "--host", "0.0.0.0")
    address, _, token = served.url.partition("/?token=")
    address = address.replace("0.0.0.0", "127.0.0.1")
    served.url = address
    with served.client() as client:
        own = {"host": address.removeprefix("http://").replace("127.0.0.1", "0.0.0.0")}
        assert client.get("/api/v1/sessions", headers=own).status_code == 401
        assert client.get("/api/v1/sessions", headers={"host": "192.0.2.7:8716"}).status_code == 401
        assert client.get("/api/v1/sessions", headers={"host": "[2001:db8::7]"}).status_code == 401
        elsewhere = client.get("/api/v1/sessions", headers={"host": "evil.example"})
        assert elsewhere.status_code == 421
        assert " and to the IP addresses of this machine, not to this name: " in elsewhere.text
        assert client.get("/static/style.css", headers=own).status_code == 200
        person = client.get("/", headers={"accept": "text/html", **own})
        assert (person.status_code, person.headers["content-type"]) == (401, "text/html; charset=utf-8")
        assert token not in person.text
        wrong = {"authorization": "Bearer " + token[:-1], **own}
        assert client.get("/api/v1/sessions", headers=wrong).status_code == 401
        right = {"authorization": "Bearer " + token, **own}
        assert client.get("/api/v1/sessions", headers=right).status_code == 200
        opened = client.get("/", params={"token": token}, headers=own)
        assert opened.status_code == 303
        assert opened.headers["location"] == "/"
        cookie = opened.headers["set-cookie"]
        assert "HttpOnly" in cookie
        assert "SameSite=strict" in cookie
        assert cookie.startswith(f"greenroom-{urlsplit(address).port}={token}; ")  # no other port's


def test_health_needs_no_token_and_then_says_that_alone(serve: Serve) -> None:
    served = serve(None, "--host", "0.0.0.0")
    address, _, token = served.url.partition("/?token=")
    served.url = address.replace("0.0.0.0", "127.0.0.1")
    with served.client() as client:
        for host in (
            "localhost",
            "localhost:8716",
            "127.0.0.1",
            "[::1]:80",
            "192.0.2.7:8716",
            "greenroom:80",
        ):
            answer = client.get("/api/v1/health", headers={"host": host})
            assert (answer.status_code, answer.json()) == (200, {"status": "ok"}), host
            assert client.head("/api/v1/health", headers={"host": host}).status_code == 200
        for host in ("evil.example", "evil.example:8716", "127.0.0.1.evil.example", "greenroom:x", "a b"):
            assert client.get("/api/v1/health", headers={"host": host}).status_code == 421, host
        assert client.get("/api/v1/health", headers={"origin": "http://evil.example"}).status_code == 403
        assert client.put("/api/v1/health").status_code == 401
        assert client.get("/api/v1/health/../sessions").status_code == 401
        assert client.get("/api/v1/sessions", headers={"host": "localhost"}).status_code == 401
        assert client.get("/api/v1/sessions", headers={"host": "greenroom"}).status_code == 421
        told = client.get("/api/v1/health", headers={"authorization": f"Bearer {token}"}).json()
        assert told == {"status": "ok", "version": __version__}
    with create_connection(("127.0.0.1", urlsplit(served.url).port), timeout=30) as probe:
        probe.sendall(b"GET /api/v1/health HTTP/1.0\r\n\r\n")  # as load balancers ask that know no name
        assert probe.recv(12) == b"HTTP/1.1 200"


@pytest.mark.parametrize("path", ["/static/../app.py", "/static/%2e%2e/app.py", "/static/%252e%252e/app.py"])
def test_static_files_stay_in_their_folder(server: Served, path: str) -> None:
    with server.client() as client:
        assert client.get(path).status_code == 404


UNFINISHED = (
    b"POST /api/v1/sessions HTTP/1.1\r\nhost: %s\r\ncontent-type: application/json\r\n"
    b"content-length: 9\r\nexpect: 100-continue\r\n\r\n"
)
ANSWERED = b"GET /static/style.css HTTP/1.1\r\nhost: %s\r\n\r\n"


@pytest.mark.parametrize("asks_once", [False, True])
def test_silent_connections_however_many_keep_nobody_out(serve: Serve, asks_once: bool) -> None:
    served = serve()
    address = urlsplit(served.url)
    place = address.hostname, address.port
    with ExitStack() as held:

        def connect() -> socket:
            return held.enter_context(create_connection(place, timeout=30))

        silent = [connect() for _ in range(MAX_CONNECTIONS)]
        for one in silent if asks_once else ():
            one.sendall(ANSWERED % address.netloc.encode())
            assert one.recv(12) == b"HTTP/1.1 200"
        came = [connect() for _ in range(20)]  # together
        for one in came:
            one.sendall(ANSWERED % address.netloc.encode())
        assert [one.recv(12) for one in came] == [b"HTTP/1.1 200"] * 20


def test_beyond_its_connections_the_server_says_so_in_a_problem_document(serve: Serve) -> None:
    served = serve()
    address = urlsplit(served.url)
    with ExitStack() as held:
        for _ in range(MAX_CONNECTIONS):
            sender = held.enter_context(create_connection((address.hostname, address.port), timeout=30))
            sender.sendall(UNFINISHED % address.netloc.encode())
            assert sender.recv(12) == b"HTTP/1.1 100"  # its head was read
        with served.client() as client:
            answered = client.get("/api/v1/health")
    assert (answered.status_code, answered.headers["content-type"]) == (503, "application/problem+json")
    assert answered.json() == {
        "type": "about:blank",
        "title": "Service Unavailable",
        "status": 503,
        "detail": "400 connections are open, and that is all there may be: ask again in some seconds",
        "code": "service_unavailable",
    }
    assert "content-security-policy" in answered.headers
