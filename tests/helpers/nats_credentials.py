"""An operator of NATS, an account and a user, as `nsc` would make them: a server's part and a .creds file.

Source: docs.nats.io, "JWT authentication": claims signed by Ed25519 keys whose text form is an NKEY.
"""

from __future__ import annotations

import base64
import hashlib
import json
import os
import time
from pathlib import Path
from typing import Any

import nkeys

_UNLIMITED = {"subs": -1, "data": -1, "payload": -1}
_ACCOUNT = {"imports": -1, "exports": -1, "wildcards": True, "conn": -1, "leaf": -1, **_UNLIMITED}
_JETSTREAM = {"mem_storage": -1, "disk_storage": -1, "streams": -1, "consumer": -1}


class Key:
    """A pair of keys in the text form of NATS."""

    def __init__(self, prefix: int) -> None:
        self.seed: bytes = bytes(nkeys.encode_seed(os.urandom(32), prefix))
        self._pair = nkeys.from_seed(bytearray(self.seed))
        self.public: str = bytes(self._pair.public_key).decode()

    def claim(self, subject: str, kind: str, told: dict[str, Any], expires_s: float | None = None) -> str:
        """Sign that *subject* is what *told* says."""
        claims: dict[str, Any] = {"iat": int(time.time()), "iss": self.public, "name": kind, "sub": subject}
        if expires_s is not None:
            claims["exp"] = int(time.time() + expires_s)
        claims["nats"] = {**told, "type": kind, "version": 2}
        digest = hashlib.sha256(json.dumps(claims).encode()).digest()
        claims["jti"] = base64.b32encode(digest).decode().rstrip("=")
        head = _encoded(json.dumps({"typ": "JWT", "alg": "ed25519-nkey"}).encode())
        signed = f"{head}.{_encoded(json.dumps(claims).encode())}"
        return f"{signed}.{_encoded(self._pair.sign(signed.encode()))}"


class Operator:
    """Who signs accounts; `configuration` is what a server needs to know of it."""

    def __init__(self) -> None:
        operator, system = Key(nkeys.PREFIX_BYTE_OPERATOR), Key(nkeys.PREFIX_BYTE_ACCOUNT)
        self._account = Key(nkeys.PREFIX_BYTE_ACCOUNT)
        told = {"system_account": system.public}
        limited = {"limits": {**_ACCOUNT, **_JETSTREAM}}
        known = {
            system.public: operator.claim(system.public, "account", {"limits": _ACCOUNT}),
            self._account.public: operator.claim(self._account.public, "account", limited),
        }
        preloaded = "\n".join(f"  {public}: {token}" for public, token in known.items())
        self.configuration = (
            f"operator: {operator.claim(operator.public, 'operator', told)}\n"
            f"system_account: {system.public}\n"
            f"resolver: MEMORY\nresolver_preload {{\n{preloaded}\n}}"
        )

    def credentials(self, path: Path, expires_s: float | None = None) -> Path:
        """Write the .creds file of a new user."""
        user = Key(nkeys.PREFIX_BYTE_USER)
        token = self._account.claim(user.public, "user", _UNLIMITED, expires_s)
        parts = {"NATS USER JWT": token, "USER NKEY SEED": user.seed.decode()}
        written = [
            f"-----BEGIN {name}-----\n{text}\n------END {name}------\n" for name, text in parts.items()
        ]
        path.write_text("\n".join(written), "utf-8")
        return path


def _encoded(content: bytes) -> str:
    return base64.urlsafe_b64encode(content).decode().rstrip("=")
