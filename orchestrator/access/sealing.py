"""Signed values: who is signed in, in a cookie that any process with the key can check and none has to keep.

A value is JSON and a signature over it (HMAC-SHA-256) and over its purpose, so one made for a purpose is none
for another. It can be read by whoever has it, and changed by nobody without the key.

Source: RFC 2104.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import json
import os
import secrets
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from orchestrator.core.errors import ConfigurationError, HomeError

KEY: Final = "GREENROOM_ACCESS_KEY"
"""The variable with the key, for several machines that have to know the same one."""
KEY_FILE: Final = "access.key"
"""The file of a home with the key, made at first use."""
MIN_KEY_CHARS: Final = 32
"""Minimum length of a key: 32 random characters of base64 are 192 bits."""
KEY_BYTES: Final = 32


@dataclass(frozen=True, slots=True)
class Seal:
    """What signs and checks values."""

    key: bytes
    now: Callable[[], float] = time.time

    def close(self, purpose: str, value: Mapping[str, Any], lasts_s: int) -> str:
        """Return *value* signed, for this purpose and this many seconds."""
        told = {**value, "until": int(self.now()) + lasts_s}
        body = _encoded(json.dumps(told, ensure_ascii=False, separators=(",", ":")).encode())
        return f"{body}.{self._signature(purpose, body)}"

    def open(self, purpose: str, text: str) -> dict[str, Any] | None:
        """Return what `close` signed for this purpose, or None: it was changed, or is over."""
        body, _, signature = text.partition(".")
        expected = self._signature(purpose, body)
        if not hmac.compare_digest(signature.encode(errors="replace"), expected.encode()):
            return None
        value: dict[str, Any] = json.loads(_decoded(body))
        return value if value["until"] > self.now() else None

    def _signature(self, purpose: str, body: str) -> str:
        signed = hmac.new(self.key, f"{purpose}\n{body}".encode(errors="replace"), hashlib.sha256)
        return _encoded(signed.digest())


def seal_of(root: Path, environment: Mapping[str, str]) -> Seal:
    """Return the seal of a home: its key is in the environment, or else in a file, which is made if it is not
    there.

    Raises:
        ConfigurationError: The key in the environment is too short.
        HomeError: The file cannot be made or read, holds no key, or others may read it.
    """
    if (given := environment.get(KEY)) is not None:
        if len(given) < MIN_KEY_CHARS:
            raise ConfigurationError(
                f"{KEY}: must have at least {MIN_KEY_CHARS} characters: make a random one"
            )
        return Seal(hashlib.sha256(given.encode()).digest())
    path = root / KEY_FILE
    try:
        if not path.exists():
            _make(path)
        if path.stat().st_mode & 0o077:
            raise HomeError(f"{path}: may be read by others: run `chmod 600 {path}`, or remove it", file=path)
        key = binascii.unhexlify(path.read_text("ascii").strip())
    except (OSError, ValueError) as error:
        raise HomeError(f"{path}: holds no key ({error}): remove it, and everybody signs in again") from None
    if len(key) < KEY_BYTES:
        raise HomeError(f"{path}: holds no key: remove it, and everybody signs in again", file=path)
    return Seal(key)


def _make(path: Path) -> None:
    """Write a new key, unless another process has just done so: the file is whole from its first moment."""
    aside = path.with_name(f".{path.name}-{os.getpid()}-{secrets.token_hex(4)}")
    fd = os.open(aside, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    try:
        os.write(fd, secrets.token_hex(KEY_BYTES).encode() + b"\n")
        os.fsync(fd)
        os.close(fd)
        with suppress(FileExistsError):
            os.link(aside, path)
    finally:
        aside.unlink(missing_ok=True)


def _encoded(raw: bytes) -> str:
    return base64.urlsafe_b64encode(raw).rstrip(b"=").decode()


def _decoded(text: str) -> bytes:
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
