"""Whether a host is this machine."""

from __future__ import annotations

import socket
from pathlib import Path

import pytest

from orchestrator.core.outbound import loopback
from orchestrator.core.outbound.loopback import is_link_local, is_loopback

OWN = (
    "127.0.0.1", "127.1", "127.255.255.254", "0x7f.1", "0x7f000001", "2130706433", "017700000001",
    "0177.0.0.01", "::1", "[::1]", "0:0:0:0:0:0:0:1", "::1%lo", "::ffff:127.0.0.1", "::ffff:7f00:1",
    "[::FFFF:127.9.9.9]", "0.0.0.0", "0", "::", "::ffff:0:0", "localhost", "LOCALHOST", "localhost.",
    "a.b.localhost", "x.localhost.", "localhost.localdomain", "①②⑦.0.0.1", "127。0。0。1",
)  # fmt: skip
OTHERS = (
    "", ".", "128.0.0.1", "126.255.255.255", "1.0.0.127", "10.0.0.1", "169.254.169.254", "::2", "fe80::1",
    "64:ff9b::7f00:1", "2002:7f00:1::", "localhost.example", "notlocalhost", "localhost-1",
    "127.0.0.1.example", "api.anthropic.com", "0x80.1", "é" * 300,
)  # fmt: skip


@pytest.mark.parametrize("host", OWN)
def test_every_writing_of_this_machine(host: str) -> None:
    assert is_loopback(host)


@pytest.mark.parametrize("host", OTHERS)
def test_no_other_machine(host: str) -> None:
    assert not is_loopback(host)


def test_the_resolver_takes_the_numbers_in_the_same_way() -> None:
    """Each address above that is no name leads the resolver to this machine as well."""
    for host in ("127.1", "0x7f.1", "2130706433", "017700000001", "0177.0.0.01"):
        (found, *_) = socket.getaddrinfo(host, 1, socket.AF_INET, socket.SOCK_STREAM)
        assert found[4][0] == "127.0.0.1"


def test_the_names_that_the_hosts_file_gives_to_this_machine(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hosts = tmp_path / "hosts"
    hosts.write_bytes(
        b"# a comment 127.0.0.1 no\n127.0.1.1\tMyBox.lan mybox # mine\n::1 ip6-localhost\n"
        b"10.0.0.7 other\n0.0.0.0 blocked\n\n127.0.0.1\nnonsense here\n\xff\xfe 1\n"
    )
    monkeypatch.setattr(loopback, "HOSTS", hosts)
    known = ("mybox", "MYBOX.LAN.", "ip6-localhost", "blocked", socket.gethostname())
    assert [name for name in (*known, "no", "other", "mine", "here", "1") if is_loopback(name)] == list(known)
    hosts.unlink()
    assert not is_loopback("mybox")


def test_addresses_of_the_link() -> None:
    assert all(map(is_link_local, ("169.254.169.254", "169.254.170.2", "[fe80::1]", "fe80::1%eth0")))
    assert not any(map(is_link_local, ("127.0.0.1", "10.0.0.1", "example.com", "")))
