"""A code opens one window of one session on another device, once, for ten minutes, and nothing else."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from html import unescape
from urllib.parse import urlsplit

import httpx2
import pytest
from playwright.sync_api import expect
from starlette.testclient import TestClient

from orchestrator.core.outbound.loopback import network_address
from orchestrator.web import pairing
from orchestrator.web.pairing import Opened, Pairings
from orchestrator.web.server import application
from orchestrator.web.site import Site
from tests.web.browser import Web
from tests.web.conftest import Served

AUDIENCE = Opened("s1", "audience")
API = "/api/v1/sessions/s1"
ASKED = {
    "audience": [("GET", "/room/s1/audience"), ("PUT", f"{API}/slide"), ("PUT", f"{API}/blank")],
    "presenter": [
        ("GET", "/room/s1/presenter"),
        ("PUT", f"{API}/slide"),
        ("PUT", f"{API}/blank"),
        ("GET", f"{API}/delivery"),
        ("POST", f"{API}/drive"),
        ("POST", f"{API}/pause"),
        ("POST", f"{API}/answer/done"),
        ("POST", f"{API}/park"),
    ],
}  # fmt: skip
"""What each window asks of its own session, but for its stream and pictures."""
NEVER = [
    ("GET", "/"), ("GET", "/new"), ("GET", "/review"), ("GET", "/room/s1"), ("GET", "/room/s1/devices"),
    ("GET", "/room/s1/here"), ("GET", "/room/s2/audience"), ("GET", "/room/s2/presenter"), ("GET", API),
    ("GET", "/api/v1/sessions"), ("GET", f"{API}/room"), ("PUT", "/api/v1/sessions/s2/slide"),
    ("POST", f"{API}/segments"), ("POST", f"{API}/answer"), ("POST", f"{API}/ask"), ("POST", f"{API}/end"),
    ("DELETE", API), ("GET", f"{API}/slides/1.png/../../room"), ("GET", "/room/s1/audience/"),
    ("GET", "/room/s1/%61udience%0a"),
]  # fmt: skip
"""What no window's pass opens."""


@pytest.fixture
def site(site: Site) -> Site:
    """A site that listens beyond this machine."""
    return replace(site, token="secret", takes_addresses=True, elsewhere="http://192.0.2.7:8716/")


@pytest.fixture
def api(site: Site) -> Iterator[TestClient]:
    """The application, asked by somebody who has the token."""
    with TestClient(application(site), headers={"authorization": "Bearer secret"}) as client:
        client.base_url = httpx2.URL("http://127.0.0.1:8716")
        yield client


@pytest.fixture
def device(api: TestClient, session: str) -> TestClient:
    """Another device, with nothing yet."""
    return TestClient(api.app, base_url="http://192.0.2.7:8716")


def codes(api: TestClient) -> dict[str, str]:
    """The codes of the page for other devices, by window."""
    told = re.findall(r"<code>192.0.2.7:8716/w/(\w+)</code>", api.get("/room/s1/devices").text)
    return dict(zip(("presenter", "audience"), told, strict=True))


@pytest.mark.parametrize("window", ["audience", "presenter"])
def test_a_code_opens_its_window_and_nothing_else(api: TestClient, device: TestClient, window: str) -> None:
    assert device.get(f"/room/s1/{window}").status_code == 401
    opened = device.get(f"/w/{codes(api)[window].lower()}")
    assert f'content="0; url=/room/s1/{window}"' in opened.text
    assert "secret" not in opened.headers["set-cookie"]
    assert "HttpOnly; Path=/; SameSite=strict" in opened.headers["set-cookie"]
    asked = [
        (method, path, device.request(method, path, json={}).status_code) for method, path in ASKED[window]
    ]
    assert [one for one in asked if one[2] == 401] == []
    others = [one for one in ASKED["presenter"] if one not in ASKED[window]]
    told = {
        device.request(method, path, follow_redirects=False).status_code for method, path in NEVER + others
    }
    assert told == {401}


def test_a_code_opens_once(api: TestClient, device: TestClient) -> None:
    code = codes(api)["audience"]
    assert [device.get(f"/w/{code}").status_code for _ in range(2)] == [200, 404]


def test_who_has_the_token_keeps_it(api: TestClient, session: str) -> None:
    assert "set-cookie" not in api.get(f"/w/{codes(api)['audience']}").headers


def test_a_code_is_valid_for_ten_minutes_and_until_the_next() -> None:
    now = 0.0
    pairings = Pairings(lambda: now)
    first, second = pairings.offer(AUDIENCE), pairings.offer(AUDIENCE)
    assert pairings.redeem(first) is None
    now = pairing.CODE_VALID_S
    assert pairings.redeem(second) is None
    third = pairings.offer(AUDIENCE)
    now += pairing.CODE_VALID_S - 1
    made, opened = pairings.redeem(third) or ("", None)
    assert opened == AUDIENCE
    now += 1e6  # a pass lasts as long as the server
    assert pairings.may(made, "GET", "/room/s1/audience")


def test_who_guesses_has_ten_guesses() -> None:
    pairings = Pairings()
    code = pairings.offer(AUDIENCE)
    assert [pairings.redeem("AAAAAAAA") for _ in range(pairing.MAX_WRONG)] == [None] * pairing.MAX_WRONG
    assert pairings.redeem(code) is None
    assert pairings.redeem(pairings.offer(AUDIENCE)) is not None


def test_a_server_for_this_machine_alone_says_what_to_start_instead(site: Site) -> None:
    local = replace(site, token=None, takes_addresses=False, elsewhere=None)
    with TestClient(application(local), base_url="http://127.0.0.1:8716") as client:
        client.post("/api/v1/sessions", json={"sample": True, "id": "s1"})
        told = unescape(client.get("/room/s1/devices").text)
    assert "<code>greenroom serve --host 0.0.0.0 --port 8716</code>" in told
    assert "/w/" not in told


def test_both_addresses_are_printed_this_machines_own_first(serve: Callable[..., Served]) -> None:
    served = serve(None, "--host", "0.0.0.0")
    assert served.process.stdout is not None
    port, query = urlsplit(served.url).port, urlsplit(served.url).query
    assert served.line == f"open http://127.0.0.1:{port}/?{query} in a browser; Ctrl-C ends the server\n"
    device = served.process.stdout.readline()
    assert re.fullmatch(rf"on another device open http://[^/:]+:{port}/\?{re.escape(query)}\n", device)


@pytest.mark.slow
def test_a_phone_gets_the_presenters_window_by_the_code_that_it_types(
    serve: Callable[..., Served], web: Web
) -> None:
    served = serve(None, "--host", "0.0.0.0")
    local = f"http://127.0.0.1:{urlsplit(served.url).port}"
    laptop = web.open(served.url)
    laptop.request.post(f"{local}/api/v1/sessions", data={"sample": True, "id": "s1"})
    laptop.goto(f"{local}/room/s1")
    laptop.click("#more")
    with laptop.expect_popup() as opened:
        laptop.get_by_role("link", name="On another device").click()
    shown = opened.value.locator(".devices code").first.inner_text()
    phone = web.open(f"{local}/w/{shown.rpartition('/')[2]}", viewport={"width": 390, "height": 844})
    phone.wait_for_url("**/room/s1/presenter")
    phone.wait_for_selector("[data-connected=yes]")
    phone.click("#next")
    expect(laptop.locator("#slide-name")).to_contain_text("2 of")


@pytest.mark.slow
def test_a_room_opened_by_the_networks_address_leads_to_this_machines_own(
    serve: Callable[..., Served], web: Web
) -> None:
    address = network_address()
    if address is None:
        pytest.skip("NOT TESTED: this machine is in no network, so it has one address alone")
    web.hosts |= {address}
    web.forgive("Cross-Origin-Opener-Policy header has been ignored")  # as of every page without https
    served = serve(None, "--host", address)
    at = urlsplit(served.url)
    local, by_network = f"http://127.0.0.1:{at.port}", f"http://{address}:{at.port}"
    laptop = web.open(f"{by_network}/?{at.query}")
    laptop.request.post(f"{by_network}/api/v1/sessions", data={"sample": True, "id": "s1"})
    laptop.goto(f"{by_network}/room/s1")
    laptop.click("text=at this machine’s own address")
    laptop.wait_for_url(f"{local}/room/s1")
    laptop.wait_for_selector("[data-connected=yes]")
    assert laptop.get_by_text("at this machine’s own address").count() == 0
    assert laptop.evaluate("isSecureContext")
