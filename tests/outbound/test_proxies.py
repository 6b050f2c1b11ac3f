"""No client of the package asks a server on this machine through a proxy, whatever the environment says."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from orchestrator.core.errors import GreenroomError
from orchestrator.core.outbound import aws, client
from tests.helpers.clients import ALL, S3
from tests.helpers.loopback_servers import Answer, Loopback

ROOT = Path(__file__).resolve().parents[2]
NAMES = ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY")


@pytest.fixture
def proxy() -> Iterator[Loopback]:
    """One that writes down what it is asked, and refuses it."""
    with Loopback(lambda method, target: Answer(403)) as made:
        yield made


@pytest.fixture
def server() -> Iterator[Loopback]:
    """One that refuses whatever it is asked, so that each call is one request."""
    with Loopback(lambda method, target: Answer(403)) as made:
        yield made


@pytest.fixture
def _proxied(monkeypatch: pytest.MonkeyPatch, proxy: Loopback) -> None:
    for name in NAMES:
        monkeypatch.setenv(name, proxy.url)
        monkeypatch.setenv(name.lower(), proxy.url)


WRITINGS = (
    "127.0.0.1",
    "127.0.0.2",
    "127.1",
    "0x7f000001",
    "0x7f.1",
    "2130706433",
    "017700000001",
    "0.0.0.0",
    "0",
    "localhost",
    "LocalHost",
    "localhost.",
    "[::ffff:127.0.0.1]",
    "[::ffff:7f00:1]",
)
UNHEARD = ("127.0.0.2", "localhost.")
"""At the first nobody listens, and not every resolver knows the second."""


@pytest.mark.usefixtures("_proxied")
@pytest.mark.parametrize(
    ("name", "host"),
    [*(("embedded", host) for host in WRITINGS), ("listed", "0x7f.1"), ("call", "[::ffff:7f00:1]")],
)
def test_this_machine_is_asked_directly_however_it_is_written(
    name: str, host: str, proxy: Loopback, server: Loopback
) -> None:
    with suppress(GreenroomError):
        ALL[name](f"http://{host}:{server.port}")
    assert proxy.seen == []
    assert server.seen or host in UNHEARD


@pytest.mark.usefixtures("_proxied")
@pytest.mark.parametrize("name", ALL)
def test_every_client_asks_this_machine_directly(name: str, proxy: Loopback, server: Loopback) -> None:
    with pytest.raises(GreenroomError):
        ALL[name](server.url)
    assert (len(server.seen), proxy.seen) == (1, [])
    assert server.headers[0].get("accept-encoding", "identity") == "identity"


@pytest.mark.parametrize(
    ("name", "no_proxy"),
    [
        *(
            ("embedded", odd)
            for odd in ("", "example.com", "[::1]", "[::1", "*.", ",", "127.0.0.1/99", "é", "\n")
        ),
        ("call", "[::1]"),
        ("call", "[::1"),
        ("listed", "[::1]"),
    ],
)
def test_no_value_of_no_proxy_changes_that_or_breaks_a_client(
    name: str, no_proxy: str, proxy: Loopback, server: Loopback, monkeypatch: pytest.MonkeyPatch
) -> None:
    for variable, value in (("HTTP_PROXY", proxy.url), ("NO_PROXY", no_proxy)):
        monkeypatch.setenv(variable, value)
    for address in (server.url, "http://models.example:81"):
        with pytest.raises(GreenroomError, match=r"refused|answered 403|does not let this key"):
            ALL[name](address)
    assert (len(server.seen), len(proxy.seen)) == (1, 1)


@pytest.mark.parametrize("name", ["call", "searched", "embedded", "put"])
def test_another_machine_is_asked_through_the_proxy(
    name: str, proxy: Loopback, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HTTP_PROXY", proxy.url)
    with pytest.raises(GreenroomError):
        ALL[name]("http://models.example:81")
    assert len(proxy.seen) == 1
    assert "http://models.example:81/" in proxy.seen[0]


@pytest.mark.parametrize("name", ["call", "embedded", "listed"])
def test_another_machine_is_asked_through_the_proxys_tunnel_under_tls(
    name: str, proxy: Loopback, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HTTPS_PROXY", proxy.url)
    with pytest.raises(GreenroomError):
        ALL[name]("https://models.example:81")
    assert proxy.seen == ["CONNECT models.example:81"]


@pytest.mark.parametrize("name", ["call", "embedded"])
def test_the_users_netrc_is_not_read(
    name: str, server: Loopback, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for file in (".netrc", "_netrc"):
        (tmp_path / file).write_text("default login me password s3cret\n", "utf-8")
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("NETRC", str(tmp_path / ".netrc"))
    with pytest.raises(GreenroomError):
        ALL[name](server.url)
    (sent,) = server.headers
    assert sent["authorization"] == "Bearer k3y"


# ---------------------------------------------------------------------- whoever gives S3 its keys


KEYS = {"AccessKeyId": "AKIDROLE", "SecretAccessKey": "s", "Token": "t", "Expiration": "2099-01-01T00:00:00Z"}


def _metadata(method: str, target: str) -> Answer:
    """An instance's or a container's metadata."""
    if target.endswith("/security-credentials/"):
        return Answer(body=[b"role"])
    if target.endswith("/token"):
        return Answer(body=[b"t0ken"])
    return Answer(body=[json.dumps({"Code": "Success", **KEYS}).encode()])


def _assumed(method: str, target: str) -> Answer:
    """The service that gives keys for a role."""
    inner = "".join(f"<{name}>{value}</{name}>" for name, value in KEYS.items() if name != "Token")
    found = f"<Credentials>{inner}<SessionToken>t</SessionToken></Credentials>"
    whole = f"<AssumeRoleWithWebIdentityResult>{found}</AssumeRoleWithWebIdentityResult>"
    name = "AssumeRoleWithWebIdentityResponse"
    space = 'xmlns="https://sts.amazonaws.com/doc/2011-06-15/"'
    return Answer(body=[f"<{name} {space}>{whole}</{name}>".encode()])


@pytest.mark.usefixtures("_proxied")
@pytest.mark.parametrize("source", ["instance", "container", "role", "region"])
def test_whoever_gives_s3_its_keys_is_asked_directly(
    source: str, proxy: Loopback, server: Loopback, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.delenv("AWS_ACCESS_KEY_ID")
    monkeypatch.delenv("AWS_SECRET_ACCESS_KEY")
    with Loopback(_assumed if source == "role" else _metadata) as giver:
        if source in ("instance", "region"):
            monkeypatch.setenv("AWS_EC2_METADATA_SERVICE_ENDPOINT", giver.url)
        if source == "region":
            monkeypatch.setenv("AWS_DEFAULTS_MODE", "auto")
        if source == "container":
            monkeypatch.setenv("AWS_CONTAINER_CREDENTIALS_FULL_URI", f"{giver.url}/keys")
        if source == "role":
            token = tmp_path / "token"
            token.write_text("t0ken", "utf-8")
            monkeypatch.setenv("AWS_WEB_IDENTITY_TOKEN_FILE", str(token))
            monkeypatch.setenv("AWS_ROLE_ARN", "arn:aws:iam::123456789012:role/greenroom")
            monkeypatch.setenv("AWS_ENDPOINT_URL_STS", giver.url)
            monkeypatch.setenv("AWS_REGION", "eu-west-1")
        with pytest.raises(GreenroomError, match="refused"):
            S3["listed"](server.url)
        assert giver.seen
        assert "Credential=AKIDROLE/" in server.headers[0]["authorization"]
    assert proxy.seen == []


def test_the_metadata_of_an_instance_is_never_asked_through_a_proxy(
    proxy: Loopback, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HTTP_PROXY", proxy.url)
    session = aws.aws_session(connect_timeout_s=1.0, read_timeout_s=1.0)._session
    fetcher = session.get_component("credential_provider").get_provider("iam-role")._role_fetcher
    assert fetcher._session._proxy_config.proxy_url_for("http://169.254.169.254/") is None


def test_an_endpoint_that_the_environment_names_is_asked_directly(
    proxy: Loopback, server: Loopback, monkeypatch: pytest.MonkeyPatch
) -> None:
    from orchestrator.core.archive.s3 import S3Store

    monkeypatch.setenv("HTTP_PROXY", proxy.url)
    monkeypatch.setenv("AWS_ENDPOINT_URL_S3", server.url)
    with pytest.raises(GreenroomError, match="refused"):
        S3Store("bucket", "boards").list()
    assert (len(server.seen), proxy.seen) == (1, [])


# ---------------------------------------------------------------------- no client is made elsewhere


CLIENTS = (
    "aiohttp", "boto3", "botocore.endpoint", "botocore.httpsession", "botocore.session", "ftplib", "grpc",
    "http.client", "httpcore", "httpcore2", "httpx", "huggingface_hub", "pycurl", "requests",
    "smtplib", "telnetlib", "urllib.request", "urllib3", "websocket", "websockets", "xmlrpc.client",
)  # fmt: skip
"""Modules that ask other servers: imported nowhere but in `outbound/`."""
CONNECTS = ("connect", "connect_ex", "connect_tcp", "create_connection", "open_connection")
NEEDED = {"AsyncAnthropic": {"http_client", "open_telemetry"}, "AsyncOpenAI": {"http_client"}}
"""Arguments without which an SDK makes a client of its own, and may send traces."""
NO_CLIENT = {
    "httpx2": {"ConnectError", "ConnectTimeout", "HTTPError", "InvalidURL"},
    "anthropic": {
        "APIConnectionError",
        "APIStatusError",
        "AnthropicError",
        "AsyncAnthropic",
        "types",
    },
    "openai": {"AsyncOpenAI"},
}
"""What others may use of libraries that also make clients."""
_MAKERS = re.compile(r"outbound(\.| import )(client|aws)\b")


def made_elsewhere(source: str) -> list[str]:
    """What of *source* makes a client of its own, or could, a line each."""
    found = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            names = [f"{node.value.id}.{node.attr}"] if node.value.id in NO_CLIENT else []
            if node.attr in CONNECTS and node.value.id != "sqlite3":
                names = [node.attr]
        elif isinstance(node, ast.Call):
            names = _called(node)
        else:
            continue
        found += [f"line {node.lineno}: {name}" for name in names if _is_client(name)]
    return found


def _called(call: ast.Call) -> list[str]:
    """What a call makes, or imports by a name in words."""
    name = getattr(call.func, "id", getattr(call.func, "attr", ""))
    if name in ("import_module", "__import__"):
        return [str(one.value) for one in call.args if isinstance(one, ast.Constant)]
    given = {word.arg for word in call.keywords}
    return [f"anthropic.{name}-without-a-client"] if NEEDED.get(name, set()) - given else []


def _is_client(name: str) -> bool:
    top, _, rest = name.partition(".")
    if name in CONNECTS or any(f"{name}.".startswith(f"{module}.") for module in CLIENTS):
        return True
    return top in NO_CLIENT and bool(rest) and rest.partition(".")[0] not in NO_CLIENT[top]


def test_no_client_is_made_but_in_the_one_place() -> None:
    package = ROOT / "orchestrator"
    outbound = Path(client.__file__).parent
    sources = {path: path.read_text("utf-8") for path in sorted(package.rglob("*.py"))}
    found = {
        str(path.relative_to(ROOT)): lines
        for path, source in sources.items()
        if outbound not in path.parents and (lines := made_elsewhere(source))
    }
    assert found == {}
    # Whoever asks for a client of the one place is tried by `tests/helpers/clients.py`.
    asks = {str(path.relative_to(package)) for path, source in sources.items() if _MAKERS.search(source)}
    assert asks == {
        "access/provider.py",  # tried against a real provider: tests/web/test_access_openid.py
        "cluster/demo.py",  # its own front, on loopback
        "core/archive/s3.py",
        "panel/engines/claude.py",
        "panel/engines/openai.py",
        "memory/embedding.py",
    }


@pytest.mark.parametrize(
    "source",
    [
        "import httpx2\nwith httpx2.Client() as c: ...",
        "import httpx2\nhttpx2.get('http://x')",
        "from httpx2 import AsyncClient",
        "import urllib.request",
        "from urllib.request import urlopen",
        "from urllib import request",
        "import boto3",
        "from boto3 import client",
        "from boto3.session import Session",
        "from botocore.session import get_session",
        "from anthropic import AsyncAnthropic\nAsyncAnthropic(api_key='k')",
        "import anthropic\nanthropic.Anthropic()",
        "from anthropic import Anthropic",
        "from openai import AsyncOpenAI\nAsyncOpenAI(api_key='k')",
        "import openai\nopenai.OpenAI()",
        "from openai import OpenAI",
        "import http.client",
        "from http import client",
        "import requests",
        "from importlib import import_module\nimport_module('requests')",
        "import socket\nsocket.create_connection(('x', 1))",
        "import socket\nlink = socket.socket()\nlink.connect(('x', 1))",
        "import asyncio\nasyncio.open_connection('x', 1)",
    ],
)
def test_a_client_that_is_made_elsewhere_is_found(source: str) -> None:
    assert made_elsewhere(source)
