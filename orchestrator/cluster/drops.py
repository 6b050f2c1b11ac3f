"""What was dropped at one worker, for the others: files by their digest, on the servers for a day.

A start may reach another worker than the drop, with a disk of its own.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from orchestrator.cluster.buckets import objects
from orchestrator.cluster.connection import Connection
from orchestrator.cluster.log import answered
from orchestrator.web.uploads import DIGEST, MAX_AGE_S, Shared

if TYPE_CHECKING:
    from nats.js.object_store import ObjectStore

BUCKET: Final = "g_drops"
_WITHIN_S: Final = 60.0


class Drops(Shared):
    """A folder of this worker's, and behind it what the others were sent."""

    def __init__(self, folder: Path, connection: Connection) -> None:
        """Use *folder*, which only this worker uses."""
        super().__init__(folder)
        self._connection = connection
        self._store: ObjectStore | None = None

    def keep(self, name: str, told: Any) -> None:
        """See `Shared.keep`; it is on the servers then.

        Raises:
            OSError: The disk refused.
            ReplicaAwayError
        """
        super().keep(name, told)
        file = (self.folder / told["file"]).read_bytes() if told.get("file") else None
        self._connection.run(self._put(name, told, file), timeout_s=_WITHIN_S)

    def read(self, name: str) -> Any:
        """See `Shared.read`.

        Raises:
            ReplicaAwayError
        """
        found = super().read(name)
        if found is not None or DIGEST.fullmatch(name) is None:
            return found
        got = self._connection.run(self._get(name), timeout_s=_WITHIN_S)
        if got is None:
            return None
        told, file = got
        if file is not None:
            path = self.folder / told["file"]
            path.parent.mkdir(0o700, exist_ok=True)
            path.write_bytes(file)
        super().keep(name, told)
        return told

    async def _put(self, name: str, told: Any, file: bytes | None) -> None:
        store = await self._open()
        what = "a file that was dropped is to be kept"
        if file is not None:
            await answered(self._connection, lambda: store.put(f"{name}.file", file), what)
        raw = json.dumps(told).encode()
        await answered(self._connection, lambda: store.put(f"{name}.json", raw), what)

    async def _get(self, name: str) -> tuple[Any, bytes | None] | None:
        from nats.js.errors import NotFoundError

        store = await self._open()
        what = "a file that was dropped is to be read"
        try:
            raw = (await answered(self._connection, lambda: store.get(f"{name}.json"), what)).data or b"{}"
            told = json.loads(raw)
            if not told.get("file"):
                return told, None
            return told, (await answered(self._connection, lambda: store.get(f"{name}.file"), what)).data
        except NotFoundError:
            return None

    async def _open(self) -> ObjectStore:
        if self._store is None:
            self._store = await objects(self._connection, BUCKET, MAX_AGE_S)
        return self._store
