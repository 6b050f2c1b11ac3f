"""Buckets of the servers: a value by its key, changed by whoever has seen its last revision."""

from __future__ import annotations

import secrets
from contextlib import suppress
from typing import TYPE_CHECKING, Final

from orchestrator.cluster.connection import Connection
from orchestrator.cluster.log import MADE_WITHIN_S, START_WITHIN_S, answered
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

    what = "the token of the cluster's pages is to be read"
    stored = await bucket(connection, SITE_BUCKET)

    async def made() -> str:
        try:
            return ((await stored.get(_TOKEN_KEY)).value or b"").decode()
        except KeyNotFoundError:
            token = secrets.token_urlsafe(TOKEN_BYTES)
        try:
            await stored.create(_TOKEN_KEY, token.encode())
        except (KeyWrongLastSequenceError, KeyNotFoundError) as error:
            # Another process was first. The library looks for what that one wrote, and a server that lags
            # has not got it yet.
            raise TimeoutError("another process makes it at this moment") from error
        return token

    return await answered(connection, made, what, START_WITHIN_S, MADE_WITHIN_S)
