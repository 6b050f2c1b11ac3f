"""Putting back into the log what only a worker's disk has, as the workers are asked for it.

Each worker is asked whether its folder holds all that is left of the log; the first that does makes the log
anew from it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from orchestrator.cluster.connection import Connection
from orchestrator.cluster.owners import TO
from orchestrator.cluster.status import object_in, read
from orchestrator.core.errors import SessionNotFoundError, SessionStateError

_WITHIN_S: Final = 60.0
NO_FOLDER: Final = SessionNotFoundError("").code
"""What a worker answers under `code` that has no folder of the session."""


@dataclass(frozen=True, slots=True)
class PutBack:
    """What a worker has put back into a session's log."""

    session: str
    worker: str
    records: int

    def __str__(self) -> str:
        return f"{self.session}: {self.worker} has put back {self.records} records; it goes on there"


def put_back(connection: Connection, session: str) -> PutBack:
    """Make a session's log anew from the disk of a worker that has all of it.

    Raises:
        SessionNotFoundError: No worker has a folder of it.
        SessionStateError: None can: the log has gone on in another way, or a ledger is damaged.
        ReplicaAwayError
    """
    refused: list[str] = []
    for worker in (one.name for one in read(connection).workers):
        answer = _asked(connection, worker, session)
        if answer is None:
            continue
        if "records" in answer:
            return PutBack(session, worker, int(answer["records"]))
        if answer.get("code") != NO_FOLDER:
            refused.append(f"{worker}: {answer.get('refused', 'it gave no answer')}")
    if not refused:
        raise SessionNotFoundError(f"{session}: no worker that is there has a folder of it", value=session)
    raise SessionStateError(f"{session}: nothing was put back; {'; '.join(refused)}")


def _asked(connection: Connection, worker: str, session: str) -> Mapping[str, Any] | None:
    from nats.errors import Error

    async def asked() -> Mapping[str, Any] | None:
        try:
            answer = await connection.nc.request(
                f"{TO}.{worker}.put_back", session.encode(), timeout=_WITHIN_S
            )
        except Error:  # it is not there any more
            return None
        return object_in(answer.data)

    return connection.run(asked(), timeout_s=_WITHIN_S + 1)
