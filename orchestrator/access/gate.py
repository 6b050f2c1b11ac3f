"""All that is needed at the door: who may come in, who asks, and the log of who did what."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from orchestrator.access.audit import Audit
from orchestrator.access.provider import SignIn
from orchestrator.access.sealing import Seal, seal_of
from orchestrator.core.errors import NotInstalledError
from orchestrator.panel.config.access import Access

SECRET: Final = "GREENROOM_ACCESS_SECRET"  # noqa: S105  # a name
"""The variable with the secret that the OpenID provider gave to this client; a public client has none."""

HOW_TO_GET_SIGN_IN: Final = "access.oidc needs the extra `access`: pip install 'greenroom[access]'"


@dataclass(frozen=True)
class Gate:
    """What a server needs to know who asks."""

    access: Access
    seal: Seal
    audit: Audit
    sign_in: SignIn | None  # None: people come through a proxy alone


def gate_of(access: Access | None, root: Path, environment: Mapping[str, str]) -> Gate | None:
    """Return the gate of the home at *root*, or None if nobody has to sign in.

    Raises:
        NotInstalledError: The extra `access` is needed and is not installed.
        ConfigurationError, HomeError: The key that signs cookies cannot be used.
    """
    if access is None:
        return None
    if access.oidc is not None and find_spec("authlib") is None:
        raise NotInstalledError(HOW_TO_GET_SIGN_IN)
    sign_in = SignIn(access.oidc, environment.get(SECRET)) if access.oidc is not None else None
    return Gate(access, seal_of(root, environment), Audit(root), sign_in)
