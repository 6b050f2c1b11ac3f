"""A server behind a proxy: known by its public address, and as closed as before."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import httpx2
import pytest
from starlette.testclient import TestClient

from orchestrator.cli.serve import public_address
from orchestrator.panel.config.public_url import OWN_PATHS, parse_public_url
from orchestrator.panel.home import Home
from orchestrator.web.server import STATIC, application
from orchestrator.web.site import Site
from tests.helpers.commands import Commands
from tests.web.conftest import Served
from tests.web.test_attacks import addresses

TOKEN = "t" * 43
OWN = {"authorization": f"Bearer {TOKEN}"}
PUBLIC = "https://example.org/greenroom"


@contextmanager
def behind(site: Site, url: str, host: str) -> Iterator[TestClient]:
    """The application behind a proxy that passes on *host* as Host."""
    known = replace(site, public=parse_public_url(url), token=TOKEN)
    with TestClient(application(known), base_url=f"http://{host}", follow_redirects=False) as client:
        yield client


HOSTS = ("127.0.0.1:8716", "example.org", "example.org:443", "EXAMPLE.org", "localhost", "[::1]:8716")
"""As nginx sends by itself, as Caddy and `Host $host`, `$http_host`; a browser that is on the machine."""


def goal(client: TestClient, host: str, origin: str) -> tuple[int, str]:
    """Status and detail of a request that a page of *origin* makes to change something."""
    headers = {"host": host, "origin": origin, **OWN}
    sent = client.post("/api/v1/goals", json={"text": "Be brief", "presenter": "Dana"}, headers=headers)
    return sent.status_code, sent.json().get("detail", "")


def test_a_page_of_the_public_address_is_our_own_whatever_the_proxy_calls_us(site: Site) -> None:
    with behind(site, PUBLIC, "localhost") as client:
        for host in HOSTS:
            for origin in ("https://example.org", "HTTPS://Example.org"):
                assert goal(client, host, origin) == (200, ""), (host, origin)
        assert goal(client, "127.0.0.1:8716", "http://127.0.0.1:8716") == (200, "")


FOREIGN = (
    "http://example.org",  # whoever is between the browser and the proxy writes such a page
    "https://example.org:8443",
    "https://evil.example",
    "https://example.org.evil.example",
    "https://example.org@evil.example",
    "http://[",
    "null",
    "",
    "https://example.org, https://evil.example",
)


def test_a_page_of_any_other_address_is_not(site: Site) -> None:
    told = (
        "the request comes from another site's page: this server's own are at "
        "https://example.org/greenroom/, as `public_url` says"
    )
    with behind(site, PUBLIC, "localhost") as client:
        for host in HOSTS:
            for origin in FOREIGN:
                assert goal(client, host, origin) == (403, told), (host, origin)
            same_site = {"host": host, "sec-fetch-site": "same-site", **OWN}
            assert client.get("/api/v1/sessions", headers=same_site).status_code == 403


def test_a_public_address_on_this_machine_leaves_its_other_ports_as_they_were(site: Site) -> None:
    with behind(site, "http://localhost:8080", "localhost") as client:
        assert goal(client, "localhost:8716", "http://localhost:8080") == (200, "")
        assert goal(client, "localhost:8716", "http://localhost:8716") == (200, "")
        assert goal(client, "localhost:8716", "http://localhost:9999")[0] == 403


def test_no_other_name_is_answered_and_the_names_that_are_stand_in_the_refusal(site: Site) -> None:
    told = (
        "this server answers to 127.0.0.1, [::1], example.org, localhost, not to this name: open one of "
        "them, start it with `--host` and the name or address, or, behind a proxy, set `public_url` to the "
        "address that browsers open (`greenroom help http`)"
    )
    foreign = ("evil.example", "example.org.evil.example", "example.org.", "192.0.2.7", "[2001:db8::7]", "")
    with behind(site, PUBLIC, "example.org") as client:
        for host in foreign:
            answer = client.get("/api/v1/sessions", headers={"host": host, **OWN})
            assert (answer.status_code, answer.json()["detail"]) == (421, told), host
        assert client.get("/api/v1/health", headers={"host": "evil.example"}).status_code == 421
        assert client.get("/api/v1/health", headers={"host": ""}).json() == {"status": "ok"}


def test_what_a_proxy_says_of_itself_is_not_believed(site: Site) -> None:
    said = {
        "x-forwarded-host": "evil.example",
        "x-forwarded-proto": "http",
        "x-forwarded-port": "1",
        "x-forwarded-prefix": "/evil",
        "x-script-name": "/evil",
        "forwarded": "host=evil.example;proto=http",
    }
    with behind(site, PUBLIC, "example.org") as client:
        opened = client.get("/", params={"token": TOKEN}, headers=said)
        assert opened.headers["location"] == "/greenroom/"
        assert "; secure" in opened.headers["set-cookie"].lower()
        assert "evil" not in client.get("/new/", headers={**said, **OWN}).headers["location"]
        assert "evil" not in client.get("/", headers={**said, **OWN}).text
        evil = {"origin": "http://evil.example", **said, **OWN}
        assert client.post("/api/v1/goals", json={"text": "x"}, headers=evil).status_code == 403


@pytest.mark.parametrize(
    ("url", "host", "cookie"),
    [
        (
            "https://example.org",
            "127.0.0.1",
            "__Host-greenroom-443=T; HttpOnly; Path=/; SameSite=strict; Secure",
        ),
        (
            "https://example.org:8443/",
            "example.org",
            "__Host-greenroom-8443=T; HttpOnly; Path=/; SameSite=strict; Secure",
        ),
        (
            PUBLIC,
            "127.0.0.1:8716",
            "__Secure-greenroom-443=T; HttpOnly; Path=/greenroom; SameSite=strict; Secure",
        ),
        ("http://intranet/board/", "intranet", "greenroom-80=T; HttpOnly; Path=/board; SameSite=strict"),
        ("http://[2001:DB8::7]:81", "[2001:db8::7]:81", "greenroom-81=T; HttpOnly; Path=/; SameSite=strict"),
    ],
)
def test_the_cookie_is_that_of_the_public_address(site: Site, url: str, host: str, cookie: str) -> None:
    with behind(site, url, host) as client:
        opened = client.get(f"/room/x?watch&token={TOKEN}&q=a%26b")
        base = parse_public_url(url).path
        assert (opened.status_code, opened.headers["location"]) == (303, f"{base}/room/x?watch=&q=a%26b")
        assert opened.headers["set-cookie"].replace(TOKEN, "T") == cookie
        name = cookie.partition("=")[0]
        for shown, status in (
            (f"{name}={TOKEN}", 200),
            (f"a=b;{name}={TOKEN}", 200),
            (f"{name}=old; {name}={TOKEN}", 200),  # of a server below another one's path
            (f"greenroom={TOKEN}", 401),
            (f"x{name}={TOKEN}", 401),
            (f"{name}={TOKEN[1:]}", 401),
            (f"{name}", 401),
        ):
            assert client.get("/review", headers={"cookie": shown}).status_code == status, shown


def test_servers_on_two_ports_of_one_host_keep_a_cookie_each(site: Site) -> None:
    with TestClient(application(replace(site, token=TOKEN)), follow_redirects=False) as client:
        names = [
            client.get("/", params={"token": TOKEN}, headers={"host": host})
            .headers["set-cookie"]
            .partition("=")[0]
            for host in ("localhost:8716", "localhost:8717", "localhost")
        ]
        assert names == ["greenroom-8716", "greenroom-8717", "greenroom-80"]
        other = {"host": "localhost:8717", "cookie": f"{names[0]}={TOKEN}"}
        assert client.get("/", headers=other).status_code == 401


FILE = re.compile(r"/(?:static|api)/|/export\?|/redacted$")
"""Links to what is no page."""


def links(html: str) -> set[str]:
    return set(re.findall(r'(?:href|src|action)="([^"#][^"]*)"', html))


def test_every_address_in_a_first_page_or_a_refusal_is_below_the_public_path(site: Site) -> None:
    with behind(site, PUBLIC, "example.org") as client:
        for path, status in (
            ("/", 200),
            ("/new", 200),
            ("/review", 200),
            ("/nowhere", 404),
            ("/room/x", 404),
        ):
            answer = client.get(path, headers={"accept": "text/html", **OWN})
            assert answer.status_code == status, path
            assert [one for one in links(answer.text) if not one.startswith("/greenroom/")] == [], path
        locked = client.get("/new", headers={"accept": "text/html"})
        assert locked.status_code == 401
        assert (
            "open the link that the server printed at its start (at https://example.org/greenroom/)"
            in locked.text
        )
        assert [one for one in links(locked.text) if not one.startswith("/greenroom/")] == []


@pytest.mark.slow  # two sessions, ended and reviewed
def test_every_address_in_every_page_is_below_the_public_path(site: Site) -> None:
    with behind(site, PUBLIC, "example.org") as client:
        for name in ("s1", "s2"):
            begun = {"sample": True, "id": name, "presenter": "Dana"}
            assert client.post("/api/v1/sessions", json=begun, headers=OWN).status_code == 201
        client.post("/api/v1/sessions/s1/ask", json={}, headers=OWN)
        client.post("/api/v1/sessions/s1/answer", json={"text": "Eight."}, headers=OWN)
        for name in ("s1", "s2"):
            client.post(f"/api/v1/sessions/{name}/end", json={}, headers=OWN)
        seen: set[str] = set()
        waiting = ["/greenroom/", "/greenroom/nowhere", "/greenroom/review?q=nothing+has+this"]
        while waiting:
            path = waiting.pop()
            answer = client.get(path, headers={"accept": "text/html", **OWN})
            if answer.status_code == 303:
                answer = client.get(answer.headers["location"], headers={"accept": "text/html", **OWN})
            assert answer.status_code == (404 if path == "/greenroom/nowhere" else 200), path
            found = {one.replace("&amp;", "&") for one in links(answer.text)}
            assert [one for one in found if not one.startswith("/greenroom/")] == [], path
            waiting += sorted(one for one in found - seen if not FILE.search(one))
            seen |= found
        for kind in (
            "static/",
            "review/s1",
            "review/compare",
            "review/progress",
            "debrief/s1",
            "questions/x1",
            "new",
        ):
            assert any(kind in one for one in seen), kind
        ended = client.get("/room/s1", headers=OWN)
        assert (ended.status_code, ended.headers["location"]) == (303, "/greenroom/debrief/s1")


def test_no_script_names_a_path_from_the_root() -> None:
    named = re.compile(rf"""["'`]/(?:{"|".join(OWN_PATHS)})\b""")
    found = {path.name: named.findall(path.read_text("utf-8")) for path in STATIC.glob("*.js")}
    assert {name: paths for name, paths in found.items() if paths} == {}
    assert len(found) > 5


@pytest.mark.parametrize("base", ["", "/greenroom"])
def test_an_address_works_with_the_public_path_and_without(site: Site, base: str) -> None:
    with behind(site, PUBLIC, "example.org") as client:
        client.headers.update(OWN)
        for method, template in addresses(client):
            if method == "GET" and "{" not in template:
                answer = client.get(base + template, headers=OWN)
                assert answer.status_code == client.get(template, headers=OWN).status_code, template
                assert answer.status_code in (200, 422), template
        assert client.get(f"{base}/static/place.js").status_code == 200
        assert client.get(f"{base}/api/v1/health").json()["status"] == "ok"
        old = client.get(f"{base}/api/sessions", headers=OWN)
        assert old.headers["link"] == '</greenroom/api/v1/sessions>; rel="successor-version"'
        for path, to in (
            ("/new/", "/greenroom/new"),
            ("/api/v1/sessions/?search=a", "/greenroom/api/v1/sessions?search=a"),
        ):
            moved = client.get(base + path, headers=OWN)
            assert (moved.status_code, moved.headers["location"]) == (307, to)
        assert (
            client.get(f"http://example.org{base}//evil.example/?token={TOKEN}").headers["location"]
            == "/greenroom/evil.example/"
        )


def test_a_path_that_only_begins_like_the_public_one_is_another(site: Site) -> None:
    with behind(site, PUBLIC, "example.org") as client:
        assert client.get("/greenroom", headers=OWN).status_code == 200
        for path in ("/greenroomx/new", "/Greenroom/new", "/greenroom/greenroom/new"):
            assert client.get(path, headers=OWN).status_code == 404, path


def test_the_description_names_the_public_address(site: Site, api: TestClient) -> None:
    assert "servers" not in api.get("/api/v1/openapi.json").json()
    with behind(site, PUBLIC, "127.0.0.1") as client:
        described = client.get("/greenroom/api/v1/openapi.json", headers=OWN).json()
    assert described["servers"] == [{"url": "https://example.org/greenroom"}]


def test_without_a_public_address_nothing_is_different(api: TestClient) -> None:
    for path in ("/new/", "/api/v1/sessions/"):
        moved = api.get(path, follow_redirects=False)
        assert (moved.status_code, moved.headers["location"]) == (307, path.rstrip("/"))
    assert api.get("/greenroom/new").status_code == 404
    sent = api.post("/api/v1/goals", json={"text": "x"}, headers={"origin": "https://example.org"})
    told = "the request comes from another site's page: behind a proxy, set `public_url` to the address that "
    assert (sent.status_code, sent.json()["detail"]) == (403, f"{told}browsers open")
    assert [
        one for one in links(api.get("/").text) if not one.startswith(("/static/", "/new", "/review", "/"))
    ] == []


def test_serve_prints_the_public_address_with_a_token_and_where_it_listens(
    serve: Callable[..., Served], home: Path
) -> None:
    (home / "greenroom.yaml").write_text(f"public_url: {PUBLIC}\n", "utf-8")
    found = re.fullmatch(
        rf"open {PUBLIC}/\?token=(?P<token>[\w-]{{43}}) in a browser, which a proxy must pass on to "
        r"(?P<listens>http://127\.0\.0\.1:[0-9]+/); Ctrl-C ends the server\n",
        serve(home).line,
    )
    assert found is not None
    with httpx2.Client(base_url=found["listens"], timeout=30) as client:
        assert client.get("/").status_code == 401  # whoever reaches the proxy reaches us
        opened = client.get("/greenroom/", params={"token": found["token"]}, headers={"host": "example.org"})
        assert (opened.status_code, opened.headers["location"]) == (303, "/greenroom/")


def test_an_option_stands_before_the_variable_and_that_before_the_file(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (home / "greenroom.yaml").write_text("public_url: https://file.example\n", "utf-8")
    assert str(public_address(Home.open(home), None)) == "https://file.example/"
    assert public_address(None, None) is None
    monkeypatch.setenv("GREENROOM_PUBLIC_URL", "https://variable.example")
    assert str(public_address(Home.open(home), None)) == "https://variable.example/"
    assert str(public_address(None, None)) == "https://variable.example/"  # of archives alone
    assert str(public_address(Home.open(home), "https://option.example")) == "https://option.example/"
    assert str(public_address(None, "https://option.example")) == "https://option.example/"


@pytest.mark.parametrize("command", [["serve"], ["review", "--archive", "."]])
@pytest.mark.parametrize("by", ["option", "variable"])
def test_a_public_address_that_is_none_is_refused_before_anything_is_served(
    home: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    command: list[str],
    by: str,
) -> None:
    if by == "variable":
        monkeypatch.setenv("GREENROOM_PUBLIC_URL", "example.org")
        where = "GREENROOM_PUBLIC_URL"
    else:
        command, where = [*command, "--public-url", "example.org"], "--public-url"
    refused = Commands(home, capsys)(*command, check=False)
    assert (refused.returncode, refused.stdout) == (2, "")
    assert f"{where}: public_url is 'example.org', but must be an address that begins with" in refused.stderr
