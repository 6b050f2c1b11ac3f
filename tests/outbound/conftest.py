"""An environment of these tests' own, since it is what they are about."""

from __future__ import annotations

import os

import pytest

from orchestrator.core.archive import s3


@pytest.fixture(autouse=True)
def _environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """No proxy, no certificates and no keys but those of a test; S3 is not tried again after a pause."""
    for name in list(os.environ):
        if name.lower().endswith("_proxy") or name.startswith(("AWS_", "SSL", "ANTHROPIC_", "GREENROOM_")):
            monkeypatch.delenv(name)
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "AKIDTEST")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "not-a-real-secret-key")
    monkeypatch.setenv("AWS_CONFIG_FILE", os.devnull)
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", os.devnull)
    monkeypatch.setenv("AWS_METADATA_SERVICE_TIMEOUT", "300")  # seconds, in place of one: it may be busy
    monkeypatch.setattr(s3, "BACKOFF_S", [])
