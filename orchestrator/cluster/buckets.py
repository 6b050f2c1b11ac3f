"""Buckets of the servers: a value by its key, changed by whoever has seen its last revision."""

from __future__ import annotations

import secrets
from contextlib import suppress
from typing import TYPE_CHECKING, Final

from orchestrator.cluster.connection import Connection
from orchestrator.core.errors import ReplicaAwayError
from orchestrator.web.server import TOKEN_BYTES

if TYPE_CHECKING:
    from nats.js.kv import KeyValue


SITE_BUCKET: Final = "g_site"
_TOKEN_KEY: Final = "token"  # noqa: S105  # the name of an entry


async def bucket(connection: Connection, name: str) -> KeyValue:
    """Return a bucket, after making it where it is not there yet: on disk, in as many copies as all else.

    Raises:
        ReplicaAwayError: The servers do not answer.
    """
    from nats.errors import Error
    from nats.js.api import KeyValueConfig, StorageType
    from nats.js.errors import BadRequestError, BucketNotFoundError

    js = connection.js
    config = KeyValueConfig(
        bucket=name, history=1, storage=StorageType.FILE, replicas=connection.cluster.copies
    )
    try:
        try:
            return await js.key_value(name)
        except BucketNotFoundError:
            with suppress(BadRequestError):  # another process has made it in this very moment
                return await js.create_key_value(config)
            return await js.key_value(name)
    except (Error, TimeoutError) as error:
        raise away(name, error) from error


def away(what: str, error: BaseException) -> ReplicaAwayError:
    """Return our error for one of the library's, about *what*."""
    told = " ".join(str(error).split()) or type(error).__name__
    return ReplicaAwayError(
        f"{what}: the cluster's servers have not answered ({told}): look at them, then try again"
    )


async def site_token(connection: Connection) -> str:
    """Return the token of the cluster's pages, which the first worker or front makes.

    Raises:
        ReplicaAwayError
    """
    from nats.js.errors import KeyNotFoundError, KeyWrongLastSequenceError

    stored = await bucket(connection, SITE_BUCKET)
    with suppress(KeyNotFoundError):
        return ((await stored.get(_TOKEN_KEY)).value or b"").decode()
    made = secrets.token_urlsafe(TOKEN_BYTES)
    try:
        await stored.create(_TOKEN_KEY, made.encode())
    except KeyWrongLastSequenceError:
        return ((await stored.get(_TOKEN_KEY)).value or b"").decode()
    return made
