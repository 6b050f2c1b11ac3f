"""Requests with a client's own id: each is done once, and a repeated request gets the first reply."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Annotated, Any, Final, TypeAlias

from fastapi import Header
from fastapi.encoders import jsonable_encoder

from orchestrator.core.errors import SessionFrozenError
from orchestrator.core.store.ledger import FILE_OPS, Record
from orchestrator.core.store.requests import (
    MAX_ID_CHARS,
    NO_REPLY,
    Done,
    do_once,
    keep_reply,
    request_of,
)
from orchestrator.core.store.transaction import Draft
from orchestrator.documents.opening import store_of
from orchestrator.web.site import Site

HEADER: Final = "Idempotency-Key"
Key: TypeAlias = Annotated[
    str | None,
    Header(
        alias=HEADER,
        min_length=1,
        max_length=MAX_ID_CHARS,
        description="An id of your own for this request: asked again by it, the request counts once and gets "
        "the first reply; another request by it is refused with 409.",
    ),
]
"""The header with the request's id, as a parameter of a route."""


def once(
    site: Site,
    session: str,
    key: str | None,
    asked: Sequence[Any],
    work: Callable[[], Any],
    *,
    effects: Sequence[str] = (),
    again: Callable[[], Any] | None = None,
    reply: Callable[[Draft], Any] | None = None,
) -> Any:
    """Do *work* for a request and return its reply; if the request was done before, return the first reply.

    Args:
        asked: The content of the request, and all that it depends on, as JSON.
        effects: The types of the records, or the paths of the files, that are written for the request. Empty
            if it leaves nothing in the ledger.
        again: Called if the first request was cut off before its reply. If None, *work* is called.
        reply: Returns the reply, if it is known when the effect is written.
    """
    if key is None:
        return work()
    store = store_of(site.sessions.get_any(session))
    request = request_of(key, *asked)

    def is_effect(record: Record) -> bool:
        if record.op in FILE_OPS and record.file in effects:
            return True
        return record.type in effects

    def first_reply(done: Done) -> Any:
        return done.reply if done.reply is not NO_REPLY else jsonable_encoder((again or work)())

    with site.keys.alone(session, key):
        given = do_once(
            store,
            request,
            lambda: jsonable_encoder(work()),
            is_effect=is_effect,
            again=first_reply,
            reply=reply,
        )
        done = store.requests.get(key)
        if done is None or done.reply is NO_REPLY:
            with suppress(SessionFrozenError):  # it ended meanwhile, and takes no record
                keep_reply(store, request, given)
        return given
