"""Whether a host is this machine, in every spelling that a resolver accepts."""

from __future__ import annotations

import socket
from contextlib import suppress
from ipaddress import IPv4Address, IPv6Address, ip_address
from pathlib import Path
from typing import Final

# ---------------------------------------------------------------------- loopback


HOSTS: Final = Path("/etc/hosts")
MAX_HOSTS_BYTES: Final = 1 << 20
"""Maximum bytes of /etc/hosts that are read; files that block advertisements have some 100,000 lines."""


def is_loopback(host: str) -> bool:
    """Return whether a request to *host* stays on this machine; no name is resolved over a network.

    The hosts that stay are `localhost` and all names below it (RFC 6761, section 6.3; nss-myhostname(8)),
    this machine's own name, the loopback addresses, also mapped into IPv6, shortened, in octal, hexadecimal
    or as one number, the addresses 0.0.0.0 and ::, at which a client reaches its own machine, and the names
    that /etc/hosts gives to any of these.
    """
    name = _ascii(host).strip("[]").partition("%")[0].rstrip(".").lower()
    if f".{name}".endswith((".localhost", ".localhost.localdomain")):
        return True
    address = _address(name)
    if address is not None:
        return _is_own(address)
    return bool(name) and (name == socket.gethostname().lower() or name in _own_names())


def is_link_local(host: str) -> bool:
    """Return whether *host* is an address that is valid only on this link (169.254.0.0/16, fe80::/10)."""
    address = _address(host.strip("[]").partition("%")[0])
    return address is not None and address.is_link_local


def _ascii(host: str) -> str:
    """Return the host in the form in which it is looked up, with digits and dots of other scripts as
    ASCII."""
    with suppress(UnicodeError):
        return host.encode("idna").decode("ascii")
    return host


def _address(name: str) -> IPv4Address | IPv6Address | None:
    with suppress(ValueError):
        address = ip_address(name)
        mapped = address.ipv4_mapped if isinstance(address, IPv6Address) else None
        return mapped or address
    with suppress(OSError, ValueError):
        return IPv4Address(socket.inet_aton(name))  # 127.1, 0x7f000001, 2130706433, as getaddrinfo reads them
    return None


def _is_own(address: IPv4Address | IPv6Address) -> bool:
    return address.is_loopback or address.is_unspecified


def _own_names() -> set[str]:
    """Return the names that /etc/hosts gives to this machine; on many machines its own name is among them."""
    try:
        with HOSTS.open("rb") as file:
            text = file.read(MAX_HOSTS_BYTES).decode("utf-8", "replace")
    except OSError:  # a system without such a file has no such names
        return set()
    names: set[str] = set()
    for line in text.splitlines():
        given, *named = line.partition("#")[0].split() or [""]
        address = _address(given.partition("%")[0])
        if address is not None and _is_own(address):
            names.update(name.lower().rstrip(".") for name in named)
    return names


# ---------------------------------------------------------------------- own address
# This machine's address in its network.


def network_address() -> str | None:
    """Return this machine's address in its network, or None if it is in no network.

    It is the address from which a packet would go out; connecting a datagram socket sends no packet.
    """
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asking:
        try:
            asking.connect(("192.0.2.1", 9))  # an address of documentation alone (RFC 5737)
        except OSError:
            return None
        address: str = asking.getsockname()[0]
        return address
