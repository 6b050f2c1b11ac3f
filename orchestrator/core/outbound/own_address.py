"""This machine's address in its network."""

from __future__ import annotations

import socket


def network_address() -> str | None:
    """Return this machine's address in its network, None where it is in none.

    It is the one from which a packet would go out; connecting a datagram socket sends none.
    """
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asking:
        try:
            asking.connect(("192.0.2.1", 9))  # an address of documentation alone (RFC 5737)
        except OSError:
            return None
        address: str = asking.getsockname()[0]
        return address
