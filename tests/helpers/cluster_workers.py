"""A worker as the rest of a cluster sees it: what it says each second, and its answer to `drain`."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager, suppress
from time import time
from typing import TYPE_CHECKING, Any

from orchestrator.cluster.connection import Connection

if TYPE_CHECKING:
    from nats.aio.msg import Msg

Answers = Callable[["Msg"], Coroutine[Any, Any, None]]


@contextmanager
def said_alive(connection: Connection, worker: str, **told: Any) -> Iterator[None]:
    """Say five times a second that *worker* is alive, with *told* in place of its own values."""
    clock_s = told.pop("clock_s", 0.0)

    async def say() -> None:
        while True:
            plain = {"worker": worker, "at": time() + clock_s, "sessions": 0, "draining": False}
            alive = {**plain, "pid": 1, "behind": 0, **told}
            await connection.nc.publish(f"g.alive.{worker}", json.dumps(alive).encode())
            await asyncio.sleep(0.2)

    saying = connection.spawn(say())
    try:
        yield
    finally:
        saying.cancel()


@contextmanager
def drained_by(connection: Connection, worker: str, answer: Answers) -> Iterator[None]:
    """Answer the requests to drain *worker* by *answer*."""
    subject = f"g.to.{worker}.drain"
    subscription = connection.run(connection.nc.subscribe(subject, cb=answer))
    connection.run(connection.nc.flush())
    try:
        yield
    finally:
        connection.run(subscription.unsubscribe())


def put_owners(connection: Connection, owners: dict[str, Any]) -> None:
    """Write entries of the bucket `g_owner`, which is made anew."""
    from nats.js.errors import NotFoundError

    async def put() -> None:
        with suppress(NotFoundError):
            await connection.js.delete_key_value("g_owner")
        copies = connection.cluster.copies
        bucket = await connection.js.create_key_value(bucket="g_owner", replicas=copies)
        for session, owner in owners.items():
            content = owner if isinstance(owner, bytes) else json.dumps(owner).encode()
            await bucket.put(session, content)

    connection.run(put())
