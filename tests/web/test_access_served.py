"""Sign-in as an organisation sets it up: a real server, a real provider, and a real browser between them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx2
import pytest
import yaml

from tests.helpers.homes import new_home
from tests.helpers.openid import PASSWORD, SECRET, Provider, openid_provider
from tests.web.browser import Web, faults_of_axe
from tests.web.conftest import ROOT
from tests.web.people import BEN, DANA, KIM, OF_BEN, OF_DANA, SETTING, home_of_several
from tests.web.test_access_openid import setting

pytestmark = pytest.mark.slow


@contextmanager
def served(home: Path, *options: str, **environment: str) -> Iterator[str]:
    """`greenroom serve` of this home, and the address that it printed."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("GREENROOM_")}
    with subprocess.Popen(
        [
            sys.executable,
            "-m",
            "orchestrator.cli",
            "--home",
            home,
            "serve",
            "--port",
            "0",
            *options,
        ],
        stdout=subprocess.PIPE,
        text=True,
        cwd=ROOT,
        env={**kept, **environment},
    ) as process:
        try:
            assert process.stdout is not None
            yield process.stdout.readline().split()[1].rstrip("/")
        finally:
            process.terminate()


def _refused(home: Path, *options: str) -> str:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("GREENROOM_")}
    done = subprocess.run(
        [sys.executable, "-m", "orchestrator.cli", "--home", home, "serve", "--port", "0", *options],
        capture_output=True,
        text=True,
        cwd=ROOT,
        env=kept,
        timeout=60,
    )
    assert done.returncode == 2, done.stderr
    return done.stderr


def _set(home: Path, access: dict[str, Any]) -> None:
    (home / "greenroom.yaml").write_text(yaml.safe_dump({"access": access}), "utf-8")


@pytest.fixture(scope="module")
def provider() -> Iterator[Provider]:
    with openid_provider() as running:
        yield running


def test_a_person_signs_in_rehearses_and_signs_out_in_a_browser(
    tmp_path: Path, provider: Provider, web: Web
) -> None:
    home = new_home(tmp_path / "home")
    _set(home, setting(provider.issuer))
    web.forgive("401")  # the page that asks to sign in is one
    web.forgive(provider.issuer)
    with served(home, GREENROOM_ACCESS_SECRET=SECRET) as address:
        assert "token" not in address
        provider.allow(f"{address}/sign-in/back")
        page = web.open(f"{address}/new")
        assert faults_of_axe(page) == []
        page.get_by_role("link", name="Sign in").click()
        page.locator("input[name=login]").fill("dana")
        page.get_by_role("button", name="Continue").click()
        page.locator("input[name=password]").fill(PASSWORD)
        page.locator("form button[type=submit]").first.click()
        page.wait_for_url(f"{address}/new")
        assert page.get_by_text("Dana Whitfield", exact=True).is_visible()
        page.locator("#sample").click()
        page.locator("#choices").wait_for(state="visible")
        assert page.locator("#presenter").input_value() == "Dana Whitfield"
        assert page.locator("#presenter").get_attribute("readonly") is not None
        page.locator("#begin").click()
        page.wait_for_url(f"{address}/room/*")
        session = page.url.rpartition("/")[2].partition("#")[0].partition("?")[0]
        page.goto(f"{address}/review")
        assert page.locator(".session-line a").first.is_visible()
        assert faults_of_axe(page) == []
        page.get_by_role("button", name="Sign out").click()
        page.get_by_role("heading", name="You are signed out").wait_for()
        page.goto(f"{address}/review/{session}")
        assert page.get_by_role("heading", name="Sign in").is_visible()
    lines = [json.loads(line) for line in (home / "log" / "access.jsonl").read_text("utf-8").splitlines()]
    assert {one["who"] for one in lines} == {"dana@acme.example", None}
    assert (home / "access.key").stat().st_mode & 0o777 == 0o600


def test_a_stream_and_a_microphone_of_another_are_refused_by_a_real_server(tmp_path: Path) -> None:
    """As they are asked by a program through the proxy, here on this machine."""
    home = home_of_several(tmp_path / "home").root
    _set(home, {**SETTING, "proxy": {"addresses": ["127.0.0.1"]}})
    with served(home) as address, httpx2.Client(base_url=address, timeout=30) as client:
        for path in ("room/events", "records"):
            at = f"/api/v1/sessions/{OF_DANA}/{path}"
            with client.stream("GET", at, headers=DANA.headers) as own:
                assert own.status_code == 200
                assert next(own.iter_lines())
            assert client.get(at, headers=BEN.headers).status_code == 404
            assert client.get(at).status_code == 401
        assert client.get("/api/v1/sessions", headers=KIM.headers).status_code == 200
        assert client.get(f"/review/{OF_BEN}", headers=DANA.headers).status_code == 404


def test_beyond_loopback_a_provider_needs_the_public_address(tmp_path: Path) -> None:
    home = new_home(tmp_path / "home")
    _set(home, setting("https://id.acme.example"))
    told = _refused(home, "--host", "0.0.0.0")
    assert "the provider has to know the one address" in told
    assert "set `public_url` to it, or listen on loopback" in told


def test_beyond_loopback_a_proxy_opens_nothing_to_others(tmp_path: Path) -> None:
    """No token is made, and whoever does not come from the proxy is nobody."""
    home = home_of_several(tmp_path / "home").root
    _set(home, SETTING)
    with served(home, "--host", "0.0.0.0") as address, httpx2.Client(base_url=address) as client:
        assert "token" not in address
        assert client.get("/api/v1/health").json() == {"status": "ok"}
        assert client.get("/api/v1/sessions").status_code == 401
        assert client.get("/api/v1/sessions", headers=KIM.headers).status_code == 401
