"""/api/v1/sessions/{id}/records: the ledger as a stream of records, also while it grows."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Iterator
from functools import partial
from http import HTTPStatus
from typing import Annotated, Final

from fastapi import APIRouter, Depends, Header, Query
from sse_starlette import EventSourceResponse, ServerSentEvent
from starlette.responses import Response, StreamingResponse

from orchestrator.core.errors import SessionNotFoundError
from orchestrator.core.store.store import Store
from orchestrator.documents.models.sessions import LedgerRecord
from orchestrator.documents.opening import store_of
from orchestrator.web.api.room import LOOK_S
from orchestrator.web.description import LINES, SessionId, component, sends_events
from orchestrator.web.open_sessions import Work
from orchestrator.web.site import Site, site_of

router = APIRouter(tags=["records"])

PING_S: Final = 15
"""Seconds between two pings; some proxies cut a stream that sends nothing for longer."""
AT_ONCE: Final = 500
"""Maximum number of records that are read at a time, so that a long ledger is not in memory for each
reader."""


_STREAM: Final = sends_events(
    {"message": component(LedgerRecord)},
    description="Each event has no name; its id is the record's number, its data the ledger's line, as JSON. "
    "With `Accept: application/x-ndjson` the lines themselves.",
)
_STREAM["content"][LINES] = {"schema": {"type": "string"}, "x-line": component(LedgerRecord)}


@router.get(
    "/sessions/{session}/records",
    response_class=EventSourceResponse,
    response_model=None,
    responses={
        200: _STREAM,
        204: {"description": "The session has ended; nothing follows."},
    },
)
async def stream_records(
    session: SessionId,
    site: Annotated[Site, Depends(site_of)],
    after: Annotated[int, Query(ge=0, le=10**15, description="The last record that is known; 0: none.")] = 0,
    accept: Annotated[str, Header(include_in_schema=False)] = "",
    last_event_id: Annotated[
        str | None,
        Header(pattern="^[0-9]{0,15}$", description="In place of `after`, once a stream broke off."),
    ] = None,
) -> Response:
    """Send every record behind `after` as a server-sent event, its number as the event's id; and all to come.

    Each event's data is one line of the ledger as it stands, hash and all. The stream ends with the
    session. With `Accept: application/x-ndjson`: those up to the present, a line each.
    """
    store = await site.threads.run(session, Work.READ, partial(_store, site, session))
    if LINES in accept:
        return StreamingResponse(_to_now(store, after), media_type=LINES)
    if last_event_id:  # a browser asks again by the address it has, and adds how far it came
        after = int(last_event_id)
    if store.frozen and after >= store.seq:
        return Response(status_code=HTTPStatus.NO_CONTENT)  # tells an EventSource to come back no more
    return EventSourceResponse(_following(site, session, after), ping=PING_S)


def _store(site: Site, session: str) -> Store:
    """Return the session's store, brought up to date. Call this for each use: a store kept may be closed."""
    return store_of(site.sessions.get_any(session))


def _to_now(store: Store, after: int) -> Iterator[bytes]:
    while lines := store.history.lines(after, AT_ONCE):
        after += len(lines)
        yield b"\n".join(lines) + b"\n"


async def _following(site: Site, session: str, after: int) -> AsyncIterator[ServerSentEvent]:
    seen = -1
    while not site.closing.is_set():
        try:
            store = await site.threads.run(session, Work.READ, partial(_store, site, session))
        except SessionNotFoundError:  # it was erased
            return
        while lines := await site.threads.run(
            session, Work.READ, partial(store.history.lines, after, AT_ONCE)
        ):
            for line in lines:
                after += 1
                yield ServerSentEvent(line.decode(), id=str(after))
        if store.frozen:
            return
        while (
            seen == (seen := await site.threads.run(session, Work.READ, partial(_size, store)))
            and not site.closing.is_set()
        ):
            await asyncio.sleep(LOOK_S)


def _size(store: Store) -> int:
    try:
        return os.stat(store.ledger_path).st_size
    except FileNotFoundError:
        return 0
