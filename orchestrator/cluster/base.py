"""What a ledger names by its digest alone: copies of templates, the deck's source, and, once the session has
ended, what was written beside the ledger, such as the debrief. Kept on the servers too.

Templates are shared by all sessions and known by their content; a deck belongs to its session and is removed
with it.

Source: cluster.md, "Parts".
"""

from __future__ import annotations

import asyncio
import hashlib
import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

from orchestrator.cluster.buckets import objects
from orchestrator.cluster.connection import Connection
from orchestrator.cluster.log import START_WITHIN_S, answered, ends, restored
from orchestrator.core.errors import ReplicaBehindError
from orchestrator.core.starting import keep_copy
from orchestrator.core.store.history import LEDGER_NAME

if TYPE_CHECKING:
    from nats.js.object_store import ObjectStore

BUCKET: Final = "g_base"
FOLDERS: Final = ("ledger/templates", "source")
"""The folders of a session that its ledger names by digest and does not contain."""
_SHARED: Final = FOLDERS[0]
KEPT_FOR: Final = timedelta(days=30)
"""How long an object stays after it was put: longer than any session lives."""
_FRESH_FOR: Final = timedelta(days=15)
"""How long an object that is there need not be put again."""
_WITHIN_S: Final = 60.0
_MAX_SHARED: Final = 256
"""Shared objects that are kept in memory, so that whoever takes many sessions over reads each template once:
a session has about a dozen."""
_MAX_SHARED_BYTES: Final = 256 * 1024
"""Largest of them: templates and blueprints have some kilobytes."""


@dataclass(frozen=True, slots=True)
class Part:
    """One file of a session's base."""

    path: str  # within the session's folder
    sha256: str

    def key(self, session: str) -> str:
        """Return the name under which the file is kept."""
        return f"t/{self.sha256}" if self.path.startswith(f"{_SHARED}/") else f"s/{session}/{self.sha256}"


class Base:
    """The base objects of all sessions. Safe to use from many threads."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._store: ObjectStore | None = None
        self._known: dict[str, datetime] = {}  # when each shared object that is there was put
        self._shared: dict[str, bytes] = {}  # shared objects that were read, the latest last

    def set_up(self) -> None:
        """Make the bucket if it is missing.

        Raises:
            ReplicaAwayError
        """
        self._connection.run(self._open(), timeout_s=_WITHIN_S)

    def put(self, session: str, folder: Path) -> None:
        """Keep the base of the session in *folder*.

        Raises:
            ReplicaAwayError: The servers do not take it.
            OSError: A file cannot be read.
        """
        files = {part: (folder / part.path).read_bytes() for part in parts_of(folder)}
        self._connection.run(self._put(session, files), timeout_s=_WITHIN_S)

    def get(self, session: str, folder: Path) -> None:
        """Write the base of a session into *folder*, each file as a start leaves it; it is on the disk then.

        Raises:
            ReplicaBehindError: A file is missing, or is not what its digest says.
            ReplicaAwayError
            OSError: The disk refused.
        """
        for part, content in self._connection.run(self._get(session), timeout_s=_WITHIN_S).items():
            path = folder / part.path
            if path.exists() and not part.path.startswith(FOLDERS) and path.read_bytes() != content:
                path.unlink()  # of before the end, on a worker that had the session earlier
            if not path.exists():
                keep_copy(path, content)

    def forget(self, session: str) -> None:
        """Remove what belongs to this session alone."""
        self._connection.run(self._forget(session), timeout_s=_WITHIN_S)

    async def _open(self) -> ObjectStore:
        if self._store is None:
            self._store = await objects(self._connection, BUCKET, KEPT_FOR.total_seconds(), START_WITHIN_S)
        return self._store

    async def _put(self, session: str, files: dict[Part, bytes]) -> None:
        store = await self._open()
        await asyncio.gather(*(self._put_one(store, part.key(session), raw) for part, raw in files.items()))
        told = json.dumps([asdict(part) for part in files]).encode()
        what = f"{session}: the list of its base is to be kept"
        await answered(self._connection, lambda: store.put(_list_key(session), told), what)

    async def _put_one(self, store: ObjectStore, key: str, raw: bytes) -> None:
        from nats.js.errors import NotFoundError

        what = "a file of a session's base is to be kept"
        now = datetime.now(UTC)
        if (since := self._known.get(key)) is None:
            try:
                info = await answered(self._connection, lambda: store.get_info(key), what)
                since = _moment(info.mtime)
            except NotFoundError:
                since = None
        if since is None or now - since > _FRESH_FOR:
            await answered(self._connection, lambda: store.put(key, raw), what)
            since = now
        if key.startswith("t/"):
            self._known[key] = since

    async def _get(self, session: str) -> dict[Part, bytes]:
        store = await self._open()
        parts = [Part(**one) for one in json.loads(await self._got(store, session, _list_key(session)))]
        raws = await asyncio.gather(*(self._got(store, session, part.key(session)) for part in parts))
        for part, raw in zip(parts, raws, strict=True):
            if hashlib.sha256(raw).hexdigest() != part.sha256:
                raise ReplicaBehindError(
                    f"{session}: the cluster's copy of {part.path} is not what its digest says: "
                    f"{restored(session)}"
                )
        return dict(zip(parts, raws, strict=True))

    async def _got(self, store: ObjectStore, session: str, key: str) -> bytes:
        from nats.js.errors import NotFoundError

        if (known := self._shared.get(key)) is not None:
            return known
        try:
            found = await answered(
                self._connection, lambda: store.get(key), f"{session}: its base is to be read"
            )
        except NotFoundError as error:
            raise ReplicaBehindError(
                f"{session}: the cluster has no copy of a file that its ledger names: {restored(session)}"
            ) from error
        raw = found.data or b""
        if key.startswith("t/") and len(raw) <= _MAX_SHARED_BYTES:
            self._shared[key] = raw
            while len(self._shared) > _MAX_SHARED:
                del self._shared[next(iter(self._shared))]
        return raw

    async def _forget(self, session: str) -> None:
        from nats.js.errors import NotFoundError

        store = await self._open()
        try:
            parts = [Part(**one) for one in json.loads(await self._got(store, session, _list_key(session)))]
        except (ReplicaBehindError, ValueError):
            return  # nothing of it is here
        own = [key for key in (part.key(session) for part in parts) if not key.startswith("t/")]
        for key in (*own, _list_key(session)):
            try:
                what = f"{session}: its base is to be removed"
                await answered(self._connection, partial(store.delete, key), what)
            except NotFoundError:
                continue


def parts_of(folder: Path) -> Iterator[Part]:
    """Yield the files of a session's folder that belong to its base, in the order of their names."""
    for name in FOLDERS:
        for path in sorted((folder / name).rglob("*")):
            if path.is_file() and not path.is_symlink():
                digest = hashlib.sha256(path.read_bytes()).hexdigest()
                yield Part(path.relative_to(folder).as_posix(), digest)
    for name, digest in sorted(beside(folder / LEDGER_NAME).items()):
        if not name.startswith(FOLDERS):
            yield Part(name, digest)


def beside(path: Path) -> dict[str, str]:
    """Return the digests of the files that the end of a ledger names and no other record of it holds; none if
    the session has not ended."""
    content = path.read_bytes() if path.exists() else b""
    if not ends(content):
        return {}
    records = [json.loads(line) for line in content.splitlines()]
    held = {one.get("file") for one in records}
    return {name: digest for name, digest in records[-1]["value"]["files"].items() if name not in held}


def _list_key(session: str) -> str:
    return f"s/{session}/base"


def _moment(text: str | None) -> datetime | None:
    try:
        return datetime.fromisoformat(text) if text else None
    except ValueError:
        return None
