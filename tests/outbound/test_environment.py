"""An environment that cannot be used is told in one line: which variable, and what to do; its value never."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from orchestrator.cli.doctor import checks
from orchestrator.core.archive.s3 import S3Store
from orchestrator.core.errors import ArchiveError, EngineError, GreenroomError
from orchestrator.core.outbound.environment import environment_faults
from orchestrator.memory.embedding import HttpEmbedder
from orchestrator.memory.model import EmbeddingError
from orchestrator.panel.config.config import Config
from orchestrator.panel.engines.model.probing import probe_settings
from orchestrator.panel.engines.model.settings import model_settings
from orchestrator.panel.home import Home
from tests.helpers.clients import ALL, TIMEOUT_S
from tests.helpers.loopback_servers import Answer, Loopback
from tests.helpers.rehearsals import greenroom

AWAY = "https://models.example"
NO_PROXY = "is no address of a proxy: set it as in http://proxy.example:3128, or unset it"
SOCKS = (
    "names a SOCKS proxy, which needs the package socksio: install it (pip install socksio), "
    "set it as in http://proxy.example:3128, or unset it"
)
OTHER = "names a proxy of another kind than http: set it as in http://proxy.example:3128, or unset it"
S3_SOCKS = (
    "names a SOCKS proxy, which S3's client cannot use: set it as in http://proxy.example:3128, or unset it"
)
NO_KEYS_FILE = "names a file that cannot be written: correct it, or unset it"
NO_KEY = "holds a line break, a blank or a character that is not ASCII: set it to the key alone"
NO_FILE = "names no file of certificates (PEM) that can be read: correct it, or unset it"
NO_HEADER = "holds what no header can: write a line `Name: value` in ASCII for each"
NO_ADDRESS = "is no address of a server: begin it with http:// or https://, as in http://127.0.0.1:11434"
PROXIES = [
    ("socks5://s3cret@proxy.example:1080", SOCKS),
    ("socks5h://proxy.example:1080", SOCKS),
    ("socks4://proxy.example:1", OTHER),
    ("http://s3cret@[::1", NO_PROXY),
    ("http://proxy.example:s3cret", NO_PROXY),
    ("http://proxy.example:99999", NO_PROXY),
    ("http://", NO_PROXY),
    (":::s3cret", NO_PROXY),
    ("http://proxy.example\n", NO_PROXY),
    ("http://a b", NO_PROXY),
]  # fmt: skip


@pytest.mark.parametrize("variable", ["HTTPS_PROXY", "https_proxy", "ALL_PROXY"])
@pytest.mark.parametrize(("value", "said"), PROXIES, ids=range(len(PROXIES)))
def test_a_proxy_that_cannot_be_used_is_named(
    variable: str, value: str, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(variable, value)
    for name in ("embedded", "call"):
        with pytest.raises(GreenroomError) as caught:
            ALL[name](AWAY)
        assert str(caught.value) == f"{variable} {said}"
    assert environment_faults(os.environ) == [f"{variable} {said}"]


@pytest.mark.parametrize(
    ("variable", "value", "said"),
    [
        ("HTTPS_PROXY", "socks5://proxy.example:1", f"HTTPS_PROXY {S3_SOCKS}"),
        ("HTTPS_PROXY", "http://[::1", f"HTTPS_PROXY {NO_PROXY}"),
        ("AWS_CA_BUNDLE", "/nowhere/at.pem", f"AWS_CA_BUNDLE {NO_FILE}"),
        ("SSLKEYLOGFILE", "/nowhere/at/keys", f"SSLKEYLOGFILE {NO_KEYS_FILE}"),
        ("AWS_ACCESS_KEY_ID", "AKID\n", f"AWS_ACCESS_KEY_ID {NO_KEY}"),
        ("AWS_SECRET_ACCESS_KEY", "s3cret s3cret", f"AWS_SECRET_ACCESS_KEY {NO_KEY}"),
        ("AWS_SESSION_TOKEN", "s3crét", f"AWS_SESSION_TOKEN {NO_KEY}"),
    ],
)
def test_the_same_of_s3_as_an_error_of_the_archive(
    variable: str, value: str, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(variable, value)
    with pytest.raises(ArchiveError) as caught:
        S3Store("bucket", "boards", "https://store.example").list()
    assert str(caught.value) == f"s3://bucket/boards: {said}"


@pytest.mark.parametrize("variable", ["SSL_CERT_FILE", "SSL_CERT_DIR"])
@pytest.mark.parametrize("place", ["/nowhere/at.pem", __file__])
def test_certificates_that_are_none_are_named(
    variable: str, place: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(variable, place)
    said = NO_FILE if variable == "SSL_CERT_FILE" else "names no folder: correct it, or unset it"
    with pytest.raises(EmbeddingError) as caught:
        ALL["embedded"](AWAY)
    assert str(caught.value) == f"{variable} {said}"
    assert environment_faults(os.environ) == [f"{variable} {said}"]


@pytest.mark.parametrize(
    "set_as",
    [
        {"HTTPS_PROXY": "http://[::1", "NO_PROXY": "example.com, *"},
        {"HTTPS_PROXY": "http://[::1", "https_proxy": "http://127.0.0.1:9"},
        {"HTTPS_PROXY": ""},
    ],
)
def test_a_proxy_that_does_not_count_is_not_in_the_way(
    set_as: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    from orchestrator.core.outbound.client import client

    for name, value in set_as.items():
        monkeypatch.setenv(name, value)
    client(AWAY, "model_url", timeout_s=1.0).close()
    assert environment_faults(os.environ) == []


def test_nothing_of_this_is_in_the_way_of_this_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    broken = {
        "HTTP_PROXY": "socks5://proxy.example:1080",
        "ALL_PROXY": "http://[::1",
        "NO_PROXY": "[::1",
        "SSL_CERT_FILE": "/nowhere/at.pem",
        "AWS_CA_BUNDLE": "/nowhere/at.pem",
    }
    for name, value in broken.items():
        monkeypatch.setenv(name, value)
    with Loopback(lambda method, target: Answer(403)) as server:
        for name in ("call", "streamed", "embedded", "listed"):
            with pytest.raises(GreenroomError, match=r"403|does not let this key"):
                ALL[name](server.url)
        assert len(server.seen) == 4


def test_tls_keys_of_a_models_server_are_never_written(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    from orchestrator.core.outbound.client import client

    import certifi  # isort: skip

    monkeypatch.setenv("SSL_CERT_FILE", certifi.where())
    monkeypatch.setenv("SSLKEYLOGFILE", str(tmp_path / "keys"))
    client(AWAY, "model_url", timeout_s=1.0).close()
    assert list(tmp_path.iterdir()) == []


# ---------------------------------------------------------------------- keys


KEYS = [
    "s3cret\ns3cret",
    "s3cret s3cret",
    "s3crét",
    "s3cret\x00",
    "s3cret\u2019",
    "s3cret\r\ns3cret",
    "s3\tcret",
]


@pytest.mark.parametrize("key", KEYS)
def test_a_key_that_cannot_be_sent_is_named_and_not_shown(key: str) -> None:
    with Loopback() as server:
        for name, ask in asks(server.url, key).items():
            with pytest.raises(GreenroomError) as caught:
                ask()
            assert str(caught.value) == f"{name} {NO_KEY}"
        assert server.seen == []


@pytest.mark.parametrize("key", ["k3y\n", "k3y\r\n", "  k3y ", "\nk3y", "\u00a0k3y\u3000"])
def test_white_space_around_a_key_is_not_part_of_it(key: str) -> None:
    for name in asks(AWAY, key):
        with Loopback(lambda method, target: Answer(403)) as server:
            with pytest.raises(GreenroomError):
                asks(server.url, key)[name]()
            assert {sent["authorization"] for sent in server.headers} == {"Bearer k3y"}


def asks(url: str, key: str) -> dict[str, Callable[[], Any]]:
    """A request for each variable that holds a key."""
    own = Config(model="m", model_url=url, retries=0)
    public = Config(model="m", retries=0)
    known = {"ANTHROPIC_BASE_URL": url}
    settings = {
        "ANTHROPIC_API_KEY": model_settings(public, environment=known | {"ANTHROPIC_API_KEY": key}),
        "ANTHROPIC_AUTH_TOKEN": model_settings(public, environment=known | {"ANTHROPIC_AUTH_TOKEN": key}),
        "OPENAI_API_KEY": model_settings(
            public, environment={"OPENAI_BASE_URL": url, "OPENAI_API_KEY": key}, engine="openai"
        ),
        "GREENROOM_MODEL_KEY": model_settings(
            own, environment=known | {"GREENROOM_MODEL_KEY": key}, engine="model"
        ),
    }
    return {
        **{name: partial(probe_settings, made) for name, made in settings.items()},
        "GREENROOM_EMBEDDINGS_KEY": lambda: HttpEmbedder(url, "small", key, timeout_s=TIMEOUT_S).embed(
            ["one"]
        ),
    }


# ---------------------------------------------------------------------- addresses and headers


@pytest.mark.parametrize(
    "address",
    ["localhost:1", "ftp://h", "http://", "http://[::1", "http://h:99999", "http://h:x", "http://a b", "x"],
)
def test_an_address_that_is_none_is_told_by_the_name_of_its_setting(address: str) -> None:
    url = model_settings(Config(), environment={"ANTHROPIC_BASE_URL": address, "ANTHROPIC_API_KEY": "k"})
    with pytest.raises(EngineError) as caught:
        probe_settings(url)
    assert str(caught.value) == f"ANTHROPIC_BASE_URL {NO_ADDRESS}"
    with pytest.raises(EmbeddingError) as refused:
        HttpEmbedder(address, "small").embed(["one"])
    assert str(refused.value) == f"embeddings {NO_ADDRESS}"


def test_a_password_in_an_address_is_in_no_message() -> None:
    with Loopback(lambda method, target: Answer(404)) as server:
        with pytest.raises(EmbeddingError) as caught:
            HttpEmbedder(f"http://me:s3cret@{server.host}", "small").embed(["one"])
        assert str(caught.value) == f"{server.url}/v1/embeddings: answered 404: has it the model 'small'?"


@pytest.mark.parametrize("lines", ["X-Org: é", "X Org: a", "X-Org: a\x00", ": a", "X-Org: a\r"])
def test_headers_that_cannot_be_sent_are_told(lines: str, monkeypatch: pytest.MonkeyPatch) -> None:
    if "\x00" in lines:
        assert environment_faults({"ANTHROPIC_CUSTOM_HEADERS": lines})
        return
    monkeypatch.setenv("ANTHROPIC_CUSTOM_HEADERS", lines)
    with Loopback() as server, pytest.raises(EngineError) as caught:
        ALL["call"](server.url)
    assert str(caught.value) == f"ANTHROPIC_CUSTOM_HEADERS {NO_HEADER}"


def test_headers_for_anthropic_go_to_its_address_and_not_to_a_model_of_ones_own(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("ANTHROPIC_CUSTOM_HEADERS", "X-Org: a1\nx-api-key: s3cret")
    with Loopback(lambda method, target: Answer(403)) as server:
        known = {"ANTHROPIC_BASE_URL": server.url, "ANTHROPIC_API_KEY": "k"}
        own = Config(model="m", model_url=server.url)
        for settings in (model_settings(Config(), environment=known), model_settings(own, engine="model")):
            with pytest.raises(EngineError):
                probe_settings(settings)
        first, *others = server.headers
    assert (first["x-org"], first["x-api-key"]) == ("a1", "s3cret")
    assert [sorted({"x-org", "x-api-key"} & set(one)) for one in others] == [[], []]  # both wires are tried


# ---------------------------------------------------------------------- where it is told


BROKEN = [
    ("HTTPS_PROXY", "socks5://proxy.example:1080", SOCKS),
    ("ALL_PROXY", "http://[::1", NO_PROXY),
    ("SSL_CERT_FILE", "/nowhere/at.pem", NO_FILE),
    ("ANTHROPIC_API_KEY", "s3cret\ns3cret", NO_KEY),
]


@pytest.mark.parametrize(("name", "value", "said"), BROKEN)
def test_doctor_has_a_row_for_it(
    home: Path, name: str, value: str, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "k")
    monkeypatch.setenv(name, value)
    rows = {one.name: (one.state, one.detail) for one in checks(Home.open(home))}
    assert rows["network"] == ("warning", f"{name} {said}")
    assert rows["engine claude"] == ("missing", f"claude-sonnet-5-5 at api.anthropic.com: {name} {said}")


def test_doctor_says_which_proxy_is_used(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def network() -> tuple[str, str]:
        return next((one.state, one.detail) for one in checks(Home.open(home)) if one.name == "network")

    assert network() == ("ok", "no proxy is set")
    monkeypatch.setenv("HTTPS_PROXY", "http://me:s3cret@proxy.example:3128")
    monkeypatch.setenv("NO_PROXY", "[::1]")
    said = "other machines are asked through the proxy of HTTPS_PROXY; this one never is"
    assert network() == ("ok", said)


@pytest.mark.slow
@pytest.mark.parametrize(("name", "value", "said"), BROKEN)
def test_the_command_line_says_it_in_one_line_and_exits_with_1(
    home: Path, name: str, value: str, said: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    deck = tmp_path / "deck.md"
    deck.write_text("# Costs\n\n- Costs were EUR 3.1 million in 2026\n", "utf-8")
    monkeypatch.setenv("ANTHROPIC_API_KEY", "k")
    monkeypatch.setenv(name, value)
    unread = "warning: the claude engine did not read all of it: "  # its arithmetic is printed all the same
    for command, before in (("start", ""), ("check", unread)):
        done = greenroom(home, command, deck, "--engine", "claude", check=False)
        assert (done.returncode, done.stderr.splitlines()[-1]) == (1, f"greenroom: {before}{name} {said}")
    told = greenroom(home, "--json", "start", deck, "--engine", "claude", check=False)
    assert json.loads(told.stdout or told.stderr)["error"]["message"] == f"{name} {said}"
