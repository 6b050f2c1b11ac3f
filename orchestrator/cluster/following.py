"""Following a stream of the servers from its beginning, whatever connections and servers are lost.

Whoever follows hears every message once, in the order of the stream, and knows whether it has heard all.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from datetime import datetime
from time import monotonic
from typing import TYPE_CHECKING, Final

from orchestrator.cluster.connection import ANSWER_WITHIN_S, Connection
from orchestrator.cluster.log import WRONG_SEQUENCE
from orchestrator.core.errors import ReplicaAwayError

if TYPE_CHECKING:
    from nats.aio.msg import Msg

LOOK_S: Final = 1.0
"""Seconds of silence after which the servers are asked whether something was missed."""
OLD_AFTER_S: Final = ANSWER_WITHIN_S
"""Seconds without a word from the servers after which what was heard may be old."""
CATCH_UP_WITHIN_S: Final = 60.0
_AGAIN_S: Final = 0.2


class Following:
    """One stream that is followed. `take` and `begin_anew` are called in the connection's loop."""

    def __init__(
        self,
        connection: Connection,
        stream: str,
        subject: str,
        take: Callable[[Msg], None],
        begin_anew: Callable[[], None],
    ) -> None:
        """Prepare to follow; nothing is asked yet.

        Args:
            take: Called with each message; it must not wait.
            begin_anew: Called when the stream was made anew, so that what was heard of it counts no more.
        """
        self._connection = connection
        self._stream, self._subject = stream, subject
        self._take, self._begin_anew = take, begin_anew
        self._seq = 0  # of the last message that was heard
        self._end = 0  # up to which nothing is missing
        self._made: datetime | None = None  # when the stream was made
        self._heard = monotonic()
        self._task: asyncio.Task[None] | None = None
        self._lost: asyncio.Event
        self._known: asyncio.Event

    def open(self) -> None:
        """Begin to follow; return once everything that is in the stream at this moment was heard.

        Raises:
            ReplicaAwayError: The servers do not answer.
        """
        self._connection.run(self._open(), timeout_s=CATCH_UP_WITHIN_S)

    def close(self) -> None:
        """Follow no more."""
        if self._task is not None:
            with suppress(RuntimeError):  # the loop has ended, and the task with it
                self._connection.loop.call_soon_threadsafe(self._task.cancel)

    @property
    def silent_s(self) -> float:
        """Seconds since the servers said something last."""
        return monotonic() - self._heard

    async def _open(self) -> None:
        self._lost, self._known = asyncio.Event(), asyncio.Event()
        self._connection.on_reconnected.append(self._lost.set)
        self._task = asyncio.create_task(self._run())
        await self._known.wait()

    async def _run(self) -> None:
        while True:
            try:
                await self._follow()
            except asyncio.CancelledError:
                raise
            except Exception:  # noqa: BLE001  # whatever the library raises while no server answers
                await asyncio.sleep(_AGAIN_S)

    async def _follow(self) -> None:
        """Follow with one consumer, until it is lost."""
        from nats.errors import TimeoutError as NothingCame
        from nats.js.api import ConsumerConfig, DeliverPolicy

        self._lost.clear()
        made, end = await self._state()
        if self._made not in (None, made):
            self._seq = self._end = 0
            self._begin_anew()
        self._made = made
        sub = await self._connection.js.subscribe(
            self._subject,
            stream=self._stream,
            ordered_consumer=True,
            config=ConsumerConfig(
                deliver_policy=DeliverPolicy.BY_START_SEQUENCE, opt_start_seq=self._seq + 1
            ),
        )
        try:
            info = await sub.consumer_info()
            delivered = info.delivered.consumer_seq if info.delivered is not None else 0
            left = (info.num_pending or 0) + delivered
            while not self._lost.is_set():
                if left <= 0 and not self._known.is_set():
                    self._known.set()
                if left <= 0:
                    self._end = max(self._end, end, self._seq)
                try:
                    message = await sub.next_msg(timeout=LOOK_S)
                except NothingCame:
                    if left > 0 or await self._state() != (made, self._end):
                        return  # consumer or stream went with a server: another one goes on where it ended
                    continue
                left -= 1
                self._heard = monotonic()
                self._seq = message.metadata.sequence.stream
                self._take(message)
        finally:
            with suppress(Exception):  # the connection or the consumer may be gone
                await sub.unsubscribe()

    async def _state(self) -> tuple[datetime | None, int]:
        """Return when the stream was made, and the sequence of its last message, also of one that was
        removed."""
        info = await self._connection.js.stream_info(self._stream)
        self._heard = monotonic()
        return info.created, info.state.last_seq


def why_old(connection: Connection, *followed: Following) -> str | None:
    """Return why what was heard may be old, or None if it is not."""
    silent_s = max(one.silent_s for one in followed)
    if silent_s < OLD_AFTER_S:
        return None
    return f"the cluster's servers ({', '.join(connection.cluster.servers)}) have not answered for a while"


async def sent(
    connection: Connection, stream: str, subject: str, content: bytes, headers: dict[str, str]
) -> int | None:
    """Send one message and return its sequence, or None if another one is the last of its subject.

    Raises:
        ReplicaAwayError: It was not kept in time, as far as is known.
    """
    from nats.errors import Error
    from nats.js.errors import APIError

    try:
        ack = await connection.js.publish(
            subject, content, timeout=SEND_WITHIN_S, stream=stream, headers=headers
        )
    except APIError as error:
        if error.err_code == WRONG_SEQUENCE:
            return None
        raise ReplicaAwayError(
            f"{stream}: the cluster's servers refuse ({error.description}): look at them, then try again"
        ) from error
    except (Error, OSError, TimeoutError) as error:
        raise ReplicaAwayError(
            f"{stream}: the cluster's servers have not answered for {SEND_WITHIN_S:g} s: look at them, then "
            "try again"
        ) from error
    return ack.seq


SEND_WITHIN_S: Final = 2.0
"""Seconds for one message beside a session: a person waits, and it is sent again if it takes longer."""
