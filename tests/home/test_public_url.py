"""public_url: read as a browser reads it, and refused with what it must be and where it stands."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

import pytest

from orchestrator.core.errors import ConfigurationError
from orchestrator.panel.config.config import checked, read_config
from orchestrator.panel.config.public_url import OWN_PATHS, PublicUrl, parse_public_url
from orchestrator.web.addresses import PREFIX
from orchestrator.web.server import PAGES


@pytest.mark.parametrize(
    ("text", "read", "origin"),
    [
        ("https://example.org", PublicUrl("https", "example.org", 443, ""), "https://example.org"),
        ("https://example.org/", PublicUrl("https", "example.org", 443, ""), "https://example.org"),
        ("HTTPS://Example.ORG:443//", PublicUrl("https", "example.org", 443, ""), "https://example.org"),
        ("https://example.org:", PublicUrl("https", "example.org", 443, ""), "https://example.org"),
        ("http://example.org:443", PublicUrl("http", "example.org", 443, ""), "http://example.org:443"),
        ("http://intranet/", PublicUrl("http", "intranet", 80, ""), "http://intranet"),
        (
            "https://example.org:8443/Green-room_1.0/~a/",
            PublicUrl("https", "example.org", 8443, "/Green-room_1.0/~a"),
            "https://example.org:8443",
        ),
        (
            "https://example.org/a/../b/./",
            PublicUrl("https", "example.org", 443, "/b"),
            "https://example.org",
        ),
        (
            "https://example.org/board/api",
            PublicUrl("https", "example.org", 443, "/board/api"),
            "https://example.org",
        ),
        (
            "https://Probe.MÜNCHEN.example/x",
            PublicUrl("https", "probe.xn--mnchen-3ya.example", 443, "/x"),
            "https://probe.xn--mnchen-3ya.example",
        ),
        ("http://[2001:DB8:0::7]:80/", PublicUrl("http", "[2001:db8::7]", 80, ""), "http://[2001:db8::7]"),
        ("http://127.1:8080", PublicUrl("http", "127.0.0.1", 8080, ""), "http://127.0.0.1:8080"),
    ],
)
def test_an_address_is_read_as_a_browser_reads_it(text: str, read: PublicUrl, origin: str) -> None:
    assert parse_public_url(text) == read
    assert read.origin == origin
    assert parse_public_url(str(read)) == read


START = "must be an address that begins with http:// or https://, such as https://example.org/greenroom"
TOKEN = "must be without a user's name and password: the server has a token of its own"
END = "must end with its path, without `?` or `#`, such as https://example.org/greenroom"
HOST = "must name a host that a browser can open, such as https://example.org/greenroom"
PATH = "must have a path of letters, digits and `-._~` between single slashes, or none"
PORT = "must be an address such as https://example.org/greenroom (this one has an invalid port number)"
REFUSED = {
    "": START,
    "example.org/greenroom": START,
    "//example.org": START,
    "ftp://example.org": START,
    "https:example.org": START,
    "https:///example.org": START,
    "https://": START,
    "https://example.org/a b": START,
    " https://example.org": START,
    "https://example.org\n": START,
    "https://example.org\\greenroom": START,
    "https://example.org/?q=1": END,
    "https://example.org/?": END,
    "https://example.org/greenroom#top": END,
    "https://exa mple.org": START,
    "https://example.org.": HOST,
    "https://a..example.org": HOST,
    "https://-a.example.org": HOST,
    "https://*.example.org": HOST,
    "https://a,b": HOST,
    f"https://{'a' * 64}.org": HOST,
    "http://0.0.0.0:8716": HOST,
    "http://[::]:8716": HOST,
    "https://example.org:0": "must have a port from 1 to 65535, or none",
    "https://example.org:65536": PORT,
    "https://example.org:x": PORT,
    "https://example.org//greenroom": PATH,
    "https://example.org/green;room": PATH,
    "https://example.org/green%20room": PATH,
    "https://example.org/répétition": PATH,
}


@pytest.mark.parametrize("text", REFUSED)
def test_what_is_none_is_refused_with_its_line_and_what_it_must_be(tmp_path: Path, text: str) -> None:
    path = tmp_path / "greenroom.yaml"
    path.write_text(
        f"# ours\npublic_url: {ascii(text) if text.isascii() else text}\n".replace("'", '"'), "utf-8"
    )
    with pytest.raises(ConfigurationError) as refused:
        read_config(path, {})
    assert str(refused.value) == f"{path}, line 2: public_url is {text!r}, but {REFUSED[text]}"


@pytest.mark.parametrize(
    "text", ["https://user:secret@example.org", "https://user@example.org/x?y", "https://@x"]
)
def test_a_password_is_refused_and_not_repeated(text: str) -> None:
    with pytest.raises(ConfigurationError) as refused:
        checked("public_url", text, "GREENROOM_PUBLIC_URL")
    assert str(refused.value) == f"GREENROOM_PUBLIC_URL: public_url {TOKEN}"


@pytest.mark.parametrize("value", [None, True, 8716, ["https://example.org"]])
def test_another_kind_of_value_is_refused(value: object) -> None:
    with pytest.raises(ConfigurationError) as refused:
        checked("public_url", value, "x")
    assert str(refused.value) == f"x: public_url is {value!r}, but {START}"


def test_a_variable_stands_before_the_file(tmp_path: Path) -> None:
    path = tmp_path / "greenroom.yaml"
    path.write_text("public_url: https://example.org/greenroom\n", "utf-8")
    assert read_config(path, {}).public_url == "https://example.org/greenroom"
    known = {"GREENROOM_PUBLIC_URL": "http://[::1]:8080/"}
    assert read_config(path, known).public_url == "http://[::1]:8080/"


def test_no_public_path_begins_with_one_of_the_servers_own() -> None:
    """A proxy that cuts the public path off and one that does not could not be told apart."""
    pages = [import_module(f"orchestrator.web.pages.{name}").router for name in PAGES]
    first = {route.path.split("/")[1] for page in pages for route in page.routes}
    assert first - {""} | {PREFIX.split("/")[1], "static"} == OWN_PATHS
    for own in OWN_PATHS:
        with pytest.raises(ValueError, match=f"must not begin its path with /{own}, which is a path of"):
            parse_public_url(f"https://example.org/{own}/x")
