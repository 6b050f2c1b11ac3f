"""What lets people in at whichever worker they reach: the token of all pages, and the codes for other devices
(`web.pairing`), each in a bucket."""

from __future__ import annotations

import json
import secrets
from collections.abc import Callable
from dataclasses import asdict
from typing import Final, TypeVar

from orchestrator.cluster.buckets import away, bucket
from orchestrator.cluster.connection import Connection
from orchestrator.cluster.log import MADE_WITHIN_S, START_WITHIN_S, answered
from orchestrator.core.errors import ReplicaAwayError
from orchestrator.core.values import from_json
from orchestrator.web.pairing import Offers
from orchestrator.web.server import TOKEN_BYTES

T = TypeVar("T")

SITE_BUCKET: Final = "g_site"
_TOKEN_KEY: Final = "token"  # noqa: S105  # the name of an entry
BUCKET: Final = "g_codes"
_KEY: Final = "offers"
_TRIES: Final = 50
"""Changes at the same time of which each gets its turn: a room offers two codes when its page is opened."""


class BucketCodes:
    """The offers of all workers. Safe to use from any thread but the connection's loop."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def change(self, work: Callable[[Offers], tuple[Offers, T]]) -> T:
        """Store what *work* makes of the offers, and return its result.

        Raises:
            ReplicaAwayError: The servers do not answer.
        """
        return self._connection.run(self._change(work))

    async def _change(self, work: Callable[[Offers], tuple[Offers, T]]) -> T:
        from nats.errors import Error
        from nats.js.errors import KeyNotFoundError, KeyWrongLastSequenceError

        stored = await bucket(self._connection, BUCKET)
        for _ in range(_TRIES):
            try:
                try:
                    entry = await stored.get(_KEY)
                    offers, revision = from_json(Offers, json.loads(entry.value or b"{}")), entry.revision
                except KeyNotFoundError:
                    offers, revision = Offers(), None
                changed, result = work(offers)
                await stored.update(_KEY, json.dumps(asdict(changed)).encode(), last=revision)
            except KeyWrongLastSequenceError:  # another process was first
                continue
            except (Error, TimeoutError) as error:
                raise away(BUCKET, error) from error
            return result
        raise ReplicaAwayError(f"{BUCKET}: others change it all the time: try again")


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
