"""Processes that begin together on servers that have just started agree, and wait for nothing."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Self

import pytest

from orchestrator.cluster import codes
from orchestrator.cluster.codes import site_token
from orchestrator.cluster.connection import Connection
from orchestrator.cluster.owners import Owner, Owners
from orchestrator.cluster.server import Servers

pytestmark = pytest.mark.slow  # real servers
TOGETHER = 5


def test_all_have_one_token_and_one_owner(tmp_path: Path) -> None:
    servers = Servers(tmp_path / "nats", 3)
    servers.start()
    try:
        with ExitStack() as open_:
            made = [Connection.open(servers.cluster, f"w{at}") for at in range(TOGETHER)]
            for one in made:
                open_.callback(one.close)

            def begin(connection: Connection) -> tuple[str, int | None]:
                owners = Owners(connection)
                owners.open()
                token = connection.run(site_token(connection), timeout_s=60)
                return token, connection.run(owners.claim("s1", Owner(connection.name, 1), 0))

            with ThreadPoolExecutor(TOGETHER) as pool:
                found = list(pool.map(begin, made))
    finally:
        servers.stop()
    assert len({token for token, _ in found}) == 1
    assert sum(claimed is not None for _, claimed in found) == 1


class LaggingBucket:
    """One whose server has not got yet what another process wrote: as the library tells it."""

    def __init__(self) -> None:
        self.asked = 0

    async def opened(self, *_: object) -> Self:
        return self

    async def get(self, _key: str) -> Any:
        from nats.js.errors import KeyNotFoundError

        self.asked += 1
        if self.asked < 3:
            raise KeyNotFoundError
        return SimpleNamespace(value=b"theirs")

    async def create(self, key: str, _value: bytes) -> None:
        await self.get(key)


def test_a_server_that_lags_is_asked_again(connection: Connection, monkeypatch: pytest.MonkeyPatch) -> None:
    lagging = LaggingBucket()
    monkeypatch.setattr(codes, "bucket", lagging.opened)
    assert connection.run(site_token(connection)) == "theirs"
    assert lagging.asked == 3
