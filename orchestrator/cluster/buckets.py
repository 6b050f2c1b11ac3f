"""Buckets of the servers: a value by its key, changed by whoever has seen its last revision."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from orchestrator.cluster.connection import Connection, reason
from orchestrator.cluster.log import MADE_WITHIN_S, START_WITHIN_S, answered
from orchestrator.core.errors import ReplicaAwayError

if TYPE_CHECKING:
    from nats.js.kv import KeyValue
    from nats.js.object_store import ObjectStore


async def bucket(connection: Connection, name: str) -> KeyValue:
    """Return a bucket, after making it where it is not there yet: on disk, in as many copies as all else.

    Raises:
        ReplicaAwayError: The servers do not answer.
    """
    from nats.js.api import KeyValueConfig, StorageType
    from nats.js.errors import BadRequestError, BucketNotFoundError

    js = connection.js
    config = KeyValueConfig(
        bucket=name, history=1, storage=StorageType.FILE, replicas=connection.cluster.copies
    )

    async def made() -> KeyValue:
        try:
            return await js.key_value(name)
        except BucketNotFoundError:
            with suppress(BadRequestError):  # another process has made it in this very moment
                return await js.create_key_value(config)
            return await js.key_value(name)

    what = f"the bucket {name} is to be opened"
    return await answered(connection, made, what, START_WITHIN_S, MADE_WITHIN_S)


async def objects(
    connection: Connection, name: str, ttl_s: float, within_s: float | None = None
) -> ObjectStore:
    """Return a bucket of larger objects, after making it where it is not there yet, in as many copies as all
    else.

    Args:
        ttl_s: Seconds for which an object stays there.
        within_s: As of `answered`.

    Raises:
        ReplicaAwayError: The servers do not answer.
    """
    from nats.js.errors import NotFoundError

    js, copies = connection.js, connection.cluster.copies

    async def made() -> ObjectStore:
        try:
            return await js.object_store(name)
        except NotFoundError:
            return await js.create_object_store(name, replicas=copies, ttl=ttl_s)

    return await answered(connection, made, f"the bucket {name} is to be opened", within_s, MADE_WITHIN_S)


def away(what: str, error: BaseException) -> ReplicaAwayError:
    """Return our error for one of the library's, about *what*."""
    return ReplicaAwayError(
        f"{what}: the cluster's servers have not answered ({reason(error)}): look at them, then try again"
    )
