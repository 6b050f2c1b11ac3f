"""The setting `access`: how people sign in, and which group gives which role. Without it nobody has to.

Source: `greenroom help organisation`; OpenID Connect Core 1.0 for the names of claims.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from ipaddress import ip_network
from typing import Any, Final
from urllib.parse import urlsplit

from orchestrator.core.outbound.loopback import is_loopback
from orchestrator.core.owner import MAX_GROUP_CHARS, MAX_GROUPS

ANY: Final = "*"
"""In place of a group: everybody who is signed in, or, of a reviewer, the sessions of every group."""
_HEADER: Final = re.compile(r"[a-z0-9!#$%&'*+.^`|~-]{1,100}")
"""A header's name in small letters (RFC 9110, section 5.1), without `_`, which some proxies take for `-`."""


@dataclass(frozen=True, slots=True)
class Provider:
    """An OpenID provider, and the claims of its tokens that are read."""

    issuer: str
    client_id: str
    identity: str = "email"  # the claim by which a person is known for good
    name: str = "name"
    groups: str = "groups"
    scopes: tuple[str, ...] = ("openid", "profile", "email")


@dataclass(frozen=True, slots=True)
class Proxy:
    """A proxy that signs people in, and the headers in which it says who they are."""

    addresses: tuple[str, ...]  # of the proxy: addresses, or networks as 10.1.0.0/24
    identity: str = "x-forwarded-email"
    name: str = "x-forwarded-preferred-username"
    groups: str = "x-forwarded-groups"  # separated by commas


@dataclass(frozen=True, slots=True)
class Access:
    """Who may come in, and as what."""

    oidc: Provider | None = None
    proxy: Proxy | None = None
    presenters: tuple[str, ...] = (ANY,)  # groups whose members rehearse
    reviewers: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # by group: whose sessions it sees
    keepers: tuple[str, ...] = ()  # groups whose members may do everything

    @property
    def named(self) -> frozenset[str]:
        """Every group that the setting names; no other is kept of anybody."""
        seen = (one for groups in self.reviewers.values() for one in groups)
        return frozenset((*self.presenters, *self.reviewers, *seen, *self.keepers)) - {ANY}


def read_access(plain: Any) -> Access | None:
    """Read the setting, or return None if there is none.

    Raises:
        ValueError: Something in it is wrong; the message names the key, and says what it must be.
    """
    if plain is None:
        return None
    given = _mapping("", plain, ("oidc", "proxy", "presenters", "reviewers", "keepers"))
    reviewers = given.get("reviewers") or {}
    if not isinstance(reviewers, Mapping):
        raise ValueError(
            "reviewers must name groups, each with those whose sessions it sees: `{coaches: [sales]}`"
        )
    found = Access(
        oidc=_provider(given["oidc"]) if given.get("oidc") is not None else None,
        proxy=_proxy(given["proxy"]) if given.get("proxy") is not None else None,
        presenters=_groups("presenters", given.get("presenters", [ANY])),
        reviewers={
            _group("reviewers", str(one)): _groups(f"reviewers.{one}", seen)
            for one, seen in reviewers.items()
        },
        keepers=_groups("keepers", given.get("keepers", [])),
    )
    if found.oidc is None and found.proxy is None:
        raise ValueError("must say how people come: `oidc`, or `proxy`, or both")
    if not found.keepers or ANY in found.keepers:
        raise ValueError(
            "keepers must name the groups that may do everything, at least one and not all: `[staff]`"
        )
    if len(found.named) > MAX_GROUPS:
        raise ValueError(f"names {len(found.named)} groups, but at most {MAX_GROUPS} are taken")
    return found


def _provider(plain: Any) -> Provider:
    given = _mapping("oidc", plain, Provider.__slots__)
    issuer, client_id = (_text(f"oidc.{key}", given.get(key)) for key in ("issuer", "client_id"))
    try:
        at = urlsplit(issuer)
        is_safe = at.scheme == "https" or (at.scheme == "http" and is_loopback(at.hostname or ""))
    except ValueError:
        is_safe = False
    if not is_safe or at.query or at.fragment or at.username is not None:
        raise ValueError("oidc.issuer must be the provider's address: https://, or http:// on this machine")
    claims = {key: _text(f"oidc.{key}", given[key]) for key in ("identity", "name", "groups") if key in given}
    scopes = given.get("scopes", list(Provider(issuer, client_id).scopes))
    if (
        not isinstance(scopes, list)
        or "openid" not in scopes
        or not all(isinstance(one, str) for one in scopes)
    ):
        raise ValueError(
            "oidc.scopes must be a list with `openid` in it, such as [openid, profile, email, groups]"
        )
    return Provider(issuer, client_id, scopes=tuple(scopes), **claims)


def _proxy(plain: Any) -> Proxy:
    given = _mapping("proxy", plain, Proxy.__slots__)
    addresses = given.get("addresses")
    if not isinstance(addresses, list) or not addresses:
        raise ValueError("proxy.addresses must list the proxy's addresses, such as [10.0.0.5, 10.1.0.0/24]")
    for one in addresses:
        try:
            network = ip_network(str(one))
        except ValueError:
            raise ValueError(
                f"proxy.addresses has {str(one)[:80]!r}, which is no address and no network"
            ) from None
        if not network.prefixlen:
            raise ValueError(f"proxy.addresses has {one}, which is everybody: name the proxy")
    headers = {}
    for key in ("identity", "name", "groups"):
        if key in given:
            headers[key] = _text(f"proxy.{key}", given[key]).lower()
            if not _HEADER.fullmatch(headers[key]):
                raise ValueError(
                    f"proxy.{key} must be a header's name without `_`, such as X-Forwarded-Email"
                )
    return Proxy(tuple(map(str, addresses)), **headers)


def _mapping(part: str, plain: Any, keys: tuple[str, ...]) -> Mapping[str, Any]:
    name = f"{part}." if part else ""
    if not isinstance(plain, Mapping):
        raise ValueError(f"{part or 'it'} must have keys: {', '.join(keys)}".removeprefix("it "))
    for key in plain:
        if key not in keys:
            raise ValueError(f"{name}{str(key)[:80]} is no key: there are {', '.join(keys)}")
    return plain


def _text(key: str, value: Any) -> str:
    if not isinstance(value, str) or not value.strip() or not value.isprintable() or len(value) > 500:
        raise ValueError(f"{key} must be a line of text")
    return value.strip()


def _groups(key: str, value: Any) -> tuple[str, ...]:
    if not isinstance(value, list):
        raise ValueError(f"{key} must be a list of groups, such as [sales]")
    return tuple(_group(key, one) for one in value)


def _group(key: str, value: Any) -> str:
    name = _text(key, value)
    if len(name) > MAX_GROUP_CHARS or "," in name:
        raise ValueError(f"{key}: a group's name has at most {MAX_GROUP_CHARS} characters and no comma")
    return name
