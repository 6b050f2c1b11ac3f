"""The recipes of http.md behind the real nginx and Caddy: pages, streams, uploads, microphone, login."""

from __future__ import annotations

import json
import os
import re
import shutil
import socket
import ssl
import subprocess
import sys
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import partial
from importlib.util import find_spec
from io import BytesIO
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

import httpx2
import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from tests.helpers.deck_files import saved
from tests.helpers.homes import new_home
from tests.helpers.live_feeds import until
from tests.helpers.recognisers import silence, tone
from tests.helpers.tone_server import WORDS
from tests.web.browser import NO_BROWSER, PATIENCE_MS, Web, chromium
from tests.web.conftest import ROOT
from tests.web.test_records import events

pytestmark = pytest.mark.slow  # real servers, two a case

NAME: Final = "example.org"
"""As in the recipes; here it leads to loopback."""
FRAME: Final = 3200
CERTIFICATE: Final = "/etc/ssl/greenroom/"
Change = Callable[[str], str]


def recipe(kind: str, path: str) -> str:
    """The recipe of the page for this program, at the root or below a path."""
    page = (ROOT / "orchestrator" / "docs" / "http.md").read_text("utf-8")
    found = re.findall(rf"```{kind}\n(.*?)```", page, re.DOTALL)
    one: str
    (one,) = [text for text in found if ("/greenroom/ {" in text or "/greenroom/*" in text) is bool(path)]
    return one


def free_port() -> int:
    with socket.socket() as asked:
        asked.bind(("127.0.0.1", 0))
        port: int = asked.getsockname()[1]
        return port


def certify(folder: Path) -> Path:
    """Write a certificate for `NAME` that nobody but this test trusts, and its key."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, NAME)])
    now = datetime.now(UTC)
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName(NAME)]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    pem = serialization.Encoding.PEM
    (folder / "fullchain.pem").write_bytes(made.public_bytes(pem))
    (folder / "key.pem").write_bytes(
        key.private_bytes(pem, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    )
    return folder / "fullchain.pem"


def nginx(text: str, folder: Path, port: int) -> list[str]:
    """nginx with the recipe as a site; what surrounds it says where files may lie."""
    text = text.replace("listen 443 ssl", f"listen 127.0.0.1:{port} ssl").replace(CERTIFICATE, f"{folder}/")
    paths = "".join(
        f"{kind}_temp_path {folder}/{kind};\n"
        for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    )
    user = "user root;\n" if os.getuid() == 0 else ""  # who else may not enter the test's folder
    (folder / "nginx.conf").write_text(
        f"{user}daemon off;\npid {folder}/pid;\nerror_log stderr;\nevents {{}}\n"
        f"http {{\naccess_log off;\ngzip on;\n{paths}{text}\n}}\n",
        "utf-8",
    )
    return ["nginx", "-e", "stderr", "-p", str(folder), "-c", str(folder / "nginx.conf")]


def caddy(text: str, folder: Path, port: int) -> list[str]:
    """Caddy with the recipe; its certificate is given, since no authority knows this machine."""
    site = f"{NAME} {{\n"
    assert text.startswith(site)
    text = text.replace(site, f"{site}\ttls {folder}/fullchain.pem {folder}/key.pem\n")
    options = f"\tadmin off\n\tauto_https disable_redirects\n\thttps_port {port}\n\tdefault_bind 127.0.0.1\n"
    options += f"\tstorage file_system {folder}/storage\n"
    (folder / "Caddyfile").write_text(f"{{\n{options}}}\n{text}", "utf-8")
    return ["caddy", "run", "--adapter", "caddyfile", "--config", str(folder / "Caddyfile")]


PROGRAMS: Final = {"nginx": nginx, "caddy": caddy}


@dataclass(frozen=True)
class Proxied:
    """A server behind a proxy: the address of its first page, the link with the token, and who is trusted."""

    url: str
    link: str
    trusted: Path

    @property
    def path(self) -> str:
        return urlsplit(self.url).path

    @property
    def origin(self) -> str:
        return self.url.removesuffix(self.path)

    def client(self) -> httpx2.Client:
        context = ssl.create_default_context(cafile=self.trusted)
        return httpx2.Client(base_url=self.url, verify=context, trust_env=False, timeout=120)


@contextmanager
def running(command: list[str], folder: Path) -> Iterator[subprocess.Popen[str]]:
    """A program while it is needed; what it complains of is in `complaints`."""
    with (folder / "complaints").open("a") as complaints:
        process = subprocess.Popen(
            command,
            stdout=subprocess.PIPE,
            stderr=complaints,
            text=True,
            cwd=ROOT,
            env={
                "PATH": f"{os.environ['PATH']}:/usr/sbin",
                "HOME": str(folder),
                "XDG_DATA_HOME": str(folder),
            },
        )
    assert process.stdout is not None
    try:
        yield process
    finally:
        process.terminate()
        process.wait(60)
        process.stdout.close()


def answers(port: int, process: subprocess.Popen[str], folder: Path) -> bool:
    assert process.poll() is None, (folder / "complaints").read_text()
    with socket.socket() as asked:
        return asked.connect_ex(("127.0.0.1", port)) == 0


@contextmanager
def proxied(kind: str, path: str, folder: Path, change: Change = str) -> Iterator[Proxied]:
    """The server behind a proxy with the recipe of the page, or with one that *change* makes of it."""
    if shutil.which(kind, path=f"{os.environ['PATH']}:/usr/sbin") is None:
        pytest.skip(f"NO {kind.upper()}: the recipe of http.md is not tried")
    port = free_port()
    trusted = certify(folder)
    url = f"https://{NAME}:{port}{path}/"
    server = [sys.executable, "-m", "tests.helpers.tone_server", str(new_home(folder / "home")), url]
    with running(server, folder) as served:
        assert served.stdout is not None
        link, listens = json.loads(served.stdout.readline())
        text = recipe(kind, path).replace("127.0.0.1:8716", urlsplit(listens).netloc)
        with running(PROGRAMS[kind](change(text), folder, port), folder) as proxy:
            until("the proxy", lambda: answers(port, proxy, folder))
            yield Proxied(url, link, trusted)


@pytest.fixture(autouse=True)
def _only_loopback(monkeypatch: pytest.MonkeyPatch) -> None:
    """`NAME` is this machine, and no other name is anything."""
    real = socket.getaddrinfo

    def resolved(host: Any, *arguments: Any, **options: Any) -> Any:
        assert host in (NAME, "127.0.0.1"), host
        return real("127.0.0.1", *arguments, **options)

    monkeypatch.setattr(socket, "getaddrinfo", resolved)


def without_host(text: str) -> str:
    """nginx as it comes: the Host is the address that it passes on to."""
    assert "proxy_set_header Host $host;" in text
    return text.replace("proxy_set_header Host $host;", "")


def cut_off(text: str) -> str:
    """The public path is not passed on."""
    changed = text.replace("reverse_proxy /greenroom/*", "uri strip_prefix /greenroom\n\treverse_proxy")
    changed = re.sub(r"(proxy_pass http://[^;/]+);", r"\1/;", changed)
    assert changed != text
    return changed


CASES: Final[dict[str, tuple[str, str, Change]]] = {
    "nginx at the root": ("nginx", "", str),
    "nginx below a path": ("nginx", "/greenroom", str),
    "nginx that names us as it likes and cuts the path off": (
        "nginx",
        "/greenroom",
        lambda text: cut_off(without_host(text)),
    ),
    "Caddy at the root": ("caddy", "", str),
    "Caddy below a path": ("caddy", "/greenroom", str),
    "Caddy that cuts the path off": ("caddy", "/greenroom", cut_off),
}


@pytest.mark.parametrize("case", CASES)
def test_all_of_it_works_behind_the_proxy(tmp_path: Path, case: str) -> None:
    kind, path, change = CASES[case]
    with proxied(kind, path, tmp_path, change) as at, at.client() as client:
        assert client.get("api/v1/health").json() == {"status": "ok"}
        assert client.get("").status_code == 401
        _log_in(client, at)
        _open_pages(client, at)
        own = {"origin": at.origin}
        begun = client.post("api/v1/sessions", json={"sample": True, "id": "one"}, headers=own)
        assert begun.status_code == 201, begun.text
        for origin in ("https://evil.example", f"http://{NAME}", f"https://{NAME}"):
            assert client.post("api/v1/sessions", json={}, headers={"origin": origin}).status_code == 403
        _upload(client, own)
        _follow(client)
        _speak(client, at)


def _log_in(client: httpx2.Client, at: Proxied) -> None:
    token = urlsplit(at.link).query.removeprefix("token=")
    assert at.link == f"{at.url}?token={token}"
    opened = client.get("", params={"token": token})
    assert (opened.status_code, opened.headers["location"]) == (303, at.path)
    port = urlsplit(at.url).port
    start, where = ("__Host", "/") if at.path == "/" else ("__Secure", "/greenroom")
    assert opened.headers["set-cookie"] == (
        f"{start}-greenroom-{port}={token}; HttpOnly; Path={where}; SameSite=strict; Secure"
    )


def _open_pages(client: httpx2.Client, at: Proxied) -> None:
    for page in ("", "new", "review", "new/", "review?q=x"):
        opened = client.get(page, follow_redirects=True)
        assert (opened.status_code, str(opened.url)) == (200, at.url + page.rstrip("/"))
        for link in set(re.findall(r'(?:href|src|action)="([^"#][^"]*)"', opened.text)):
            assert link.startswith(at.path), link
            assert client.get(at.origin + link, follow_redirects=True).status_code == 200, link
    if at.path != "/":
        without_slash = client.get(at.url.rstrip("/"), follow_redirects=True)
        assert (without_slash.status_code, "Greenroom" in without_slash.text) == (200, True)
    lost = client.get("nowhere", headers={"accept": "text/html"})
    assert (lost.status_code, f'href="{at.path}static/style.css"' in lost.text) == (404, True)
    described = client.get("api/v1/openapi.json").json()
    assert described["servers"] == [{"url": at.url.rstrip("/")}]


@pytest.mark.parametrize("case", ["nginx below a path", "Caddy at the root"])
def test_a_browser_rehearses_behind_the_proxy(tmp_path: Path, case: str) -> None:
    """Scripts, stream, microphone and redirects find their way; two tabs show the same room."""
    if find_spec("playwright") is None:
        pytest.skip(NO_BROWSER)
    from playwright.sync_api import expect

    flags = ["--use-fake-device-for-media-stream", "--use-fake-ui-for-media-stream"]
    kind, path, change = CASES[case]
    with (
        chromium(*flags, f"--host-resolver-rules=MAP {NAME} 127.0.0.1") as browser,
        proxied(kind, path, tmp_path, change) as at,
    ):
        web = Web(browser, hosts=frozenset({NAME}))
        page = web.open(at.link, ignore_https_errors=True)
        assert page.url == at.url
        page.click("text=New rehearsal >> nth=0")
        page.click("#sample")
        page.wait_for_selector("#understood:not([hidden])")
        page.click("#begin")
        page.wait_for_url(f"{at.url}room/*")
        page.wait_for_selector("[data-connected=yes]")
        page.keyboard.press("Space")
        page.wait_for_selector("#pause:not([hidden])")
        with page.expect_websocket() as opened:
            page.keyboard.press("m")
        expect(page.locator("#microphone-state")).to_have_text("Microphone on", timeout=PATIENCE_MS)
        opened.value.wait_for_event("framesent")  # sound: it goes on as long as the microphone is open
        page.keyboard.press("m")
        expect(page.locator("#microphone-state")).to_have_text("Microphone off", timeout=PATIENCE_MS)
        other = page.context.new_page()
        other.goto(f"{page.url}?watch")
        page.fill("#words", "We open a second hub in May.")
        page.press("#words", "Enter")
        for shown in (page, other):
            expect(shown.locator("#captions")).to_contain_text("a second hub in May", timeout=PATIENCE_MS)
        page.locator("#words").blur()
        page.keyboard.press("e")
        page.click("#ending-yes")
        page.wait_for_url(f"{at.url}debrief/*")
        page.click("text=Review >> nth=0")
        page.wait_for_url(f"{at.url}review")
        web.finish()


def _upload(client: httpx2.Client, own: dict[str, str]) -> None:
    pptx = pytest.importorskip("pptx", reason="NO PYTHON-PPTX: no deck of 30 MB is made")
    made = pptx.Presentation()
    slide = made.slides.add_slide(made.slide_layouts[5])
    slide.shapes.title.text = "Revenue grew 18% in 2026"
    deck = BytesIO(saved(made))
    with zipfile.ZipFile(deck, "a") as parts:
        parts.writestr("ppt/media/film.mp4", os.urandom(30_000_000))
    sent = client.post("api/v1/decks", files={"deck": ("film.pptx", deck.getvalue())}, headers=own)
    assert sent.status_code == 201, sent.text
    too_large = client.post("api/v1/decks", files={"deck": ("film.pptx", bytes(64_000_000))}, headers=own)
    assert too_large.status_code == 413


def _follow(client: httpx2.Client) -> None:
    """Each event arrives while the stream is open, and a page that was cut off goes on where it was."""
    with client.stream("GET", "api/v1/sessions/one/room/events") as stream:
        views = (json.loads(data) for _, data in events(stream.iter_lines()))
        shown = next(views)["slide"]
        for slide in (2, 3, 4):
            assert client.put("api/v1/sessions/one/slide", json={"slide": slide}).status_code == 200
            while (now := next(views)["slide"]) == shown:
                pass
            shown = now
            assert shown == slide
    records = client.get("api/v1/sessions/one/records", headers={"accept": "application/x-ndjson"})
    last = len(records.text.splitlines())
    resumed = {"last-event-id": str(last - 1)}
    with client.stream("GET", "api/v1/sessions/one/records", headers=resumed) as stream:
        found = events(stream.iter_lines())
        assert next(found)[0] == last
        client.put("api/v1/sessions/one/slide", json={"slide": 5})
        assert next(found)[0] == last + 1


def _speak(client: httpx2.Client, at: Proxied) -> None:
    from websockets.exceptions import InvalidStatus
    from websockets.sync.client import connect

    url = f"{at.url.replace('https', 'wss', 1)}api/v1/sessions/one/microphone"
    context = ssl.create_default_context(cafile=at.trusted)
    cookie = {"cookie": "; ".join(f"{one.name}={one.value}" for one in client.cookies.jar)}
    opening = partial(connect, url, ssl=context, proxy=None, open_timeout=PATIENCE_MS / 1000)
    for headers in ({"origin": at.origin}, {"origin": "https://evil.example", **cookie}):
        with pytest.raises(InvalidStatus), opening(additional_headers=headers):
            pass
    own = {"origin": at.origin, **cookie}
    with opening(additional_headers=own) as microphone:
        sound = silence(0.2) + tone(1.5) + silence(0.8)
        for begin in range(0, len(sound), FRAME):
            microphone.send(sound[begin : begin + FRAME])
        while "final" not in (said := json.loads(microphone.recv(timeout=300))):
            pass
        assert said == {"final": WORDS[8000], "segment": 1, "doubt": None}
    assert WORDS[8000] in client.get("api/v1/sessions/one/files/shared/presenter-transcript.md").text
