"""A real OpenID provider on loopback, and a browser of no more than forms that signs in there."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from html import unescape
from pathlib import Path
from typing import Final
from urllib.parse import urljoin

import httpx2
import pytest

ROOT: Final = Path(__file__).resolve().parents[2]
PYTHON: Final = ROOT / ".venv-openid" / "bin" / "python"
MISSING: Final = "no OpenID provider: `scripts/slow` sets it up in .venv-openid"
PASSWORD: Final = "a-password-of-the-test"
SECRET: Final = "of-the-client"
BACK: Final = "http://127.0.0.1/sign-in/back"
"""Where it sends a browser of the application in the test's own process."""


@dataclass
class Provider:
    """The provider, running."""

    issuer: str
    process: subprocess.Popen[str]

    def allow(self, back: str) -> None:
        """Let it send browsers to this address as well."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(f"{back}\n")
        self.process.stdin.flush()
        assert self.process.stdout.readline() == "taken\n"


@contextmanager
def openid_provider() -> Iterator[Provider]:
    """The provider, until the end of the block; the test is skipped where it is not set up."""
    if not PYTHON.exists():
        pytest.skip(MISSING)
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    with subprocess.Popen(
        [PYTHON, ROOT / "tests" / "helpers" / "openid_program.py"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env=environment,
    ) as process:
        try:
            assert process.stdout is not None
            issuer = process.stdout.readline().strip()
            assert issuer, "the OpenID provider ended at its start: see above"
            yield Provider(issuer, process)
        finally:
            process.kill()


def signed_in_there(address: str, login: str, *, back: str = BACK) -> str:
    """Sign in at the provider, from the address to which we sent; return that to which it sends back."""
    with httpx2.Client(timeout=30) as browser:
        answer = browser.get(address)
        for filled in ({"login": login}, {"password": PASSWORD}, {}):
            while answer.is_redirect:
                to = urljoin(str(answer.request.url), answer.headers["location"])
                if to.startswith(back):
                    return to
                answer = browser.get(to)
            if filled:
                token = re.search(r'name="csrf_token"[^>]*value="([^"]+)"', answer.text)
                assert token is not None, answer.text[:2000]
                form = {"csrf_token": unescape(token[1]), "answer": "", **filled}
                answer = browser.post(answer.request.url, data=form)
    raise AssertionError(f"it sent nobody back: {answer.status_code} at {answer.request.url}")
