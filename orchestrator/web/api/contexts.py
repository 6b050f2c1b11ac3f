"""/api/v1/sessions/{id}/contexts/{agent}: exactly what an agent is given now, or was given earlier."""

from __future__ import annotations

from http import HTTPStatus
from typing import Annotated, Final, Literal

from fastapi import APIRouter, Depends, Header, Query
from starlette.responses import JSONResponse, PlainTextResponse, Response

from orchestrator.core.errors import UsageError
from orchestrator.documents.context import check_seat, messages_json, receipt_json
from orchestrator.documents.models.sessions import ContextMessages, ContextReceipt
from orchestrator.documents.opening import context_then, keep_at_once, peek
from orchestrator.web.description import AgentId, SessionId, component
from orchestrator.web.open_sessions import reads
from orchestrator.web.site import Site, site_of

router = APIRouter(tags=["contexts"])

RECEIPT: Final = "greenroom-receipt"
"""The header that names the receipt of a context, since neither the text nor the messages can contain it."""


@router.get(
    "/sessions/{session}/contexts/{agent}",
    response_class=PlainTextResponse,
    response_model=None,
    responses={
        200: {
            "description": "By `as`: the text, the messages, or the receipt.",
            "content": {
                "text/plain": {"schema": {"type": "string"}},
                "application/json": {
                    "schema": {"anyOf": [component(ContextMessages), component(ContextReceipt)]}
                },
            },
            "headers": {
                "ETag": {"description": "The text's SHA-256.", "schema": {"type": "string"}},
                RECEIPT: {"description": "The receipt's id.", "schema": {"type": "string"}},
            },
        },
        304: {"description": "It is what the caller has; no receipt is recorded."},
    },
)
@reads
def get_context(
    session: SessionId,
    agent: AgentId,
    site: Annotated[Site, Depends(site_of)],
    at: Annotated[
        str | None, Query(max_length=20, description="A receipt's id, or a record's number: as it was then.")
    ] = None,
    form: Annotated[
        Literal["text", "messages", "receipt"], Query(alias="as", description="In which form.")
    ] = "text",
    layout: Annotated[
        Literal["watermark", "strict"] | None, Query(description="For messages: how they are laid out.")
    ] = None,
    if_none_match: Annotated[
        str | None, Header(description="The ETag of a context that the caller has.")
    ] = None,
) -> Response:
    """Give exactly what an agent is given.

    Without `at` a receipt is recorded, unless the caller has it already. An answer without its header has no
    receipt: the session has ended, or takes no record now.
    """
    if layout is not None and at is not None:
        raise UsageError("layout and at exclude each other: a receipt says which layout was used")
    found = site.sessions.get_any(session)
    check_seat(found, agent)
    if at is None:
        now = peek(found, agent, task="context")
    else:
        now = context_then(found, at, agent)
    digest = now.sha256
    headers = {"etag": f'"{digest}"', "cache-control": "private, no-cache"}
    if if_none_match is not None and digest in if_none_match:
        return Response(status_code=HTTPStatus.NOT_MODIFIED, headers=headers)
    if at is None:
        is_recorded = keep_at_once(found, now)
    else:
        is_recorded = not at.isdecimal()
    if is_recorded:
        headers[RECEIPT] = now.receipt.id
    if form == "text":
        return PlainTextResponse(now.text, headers=headers)
    if form == "messages":
        return JSONResponse(messages_json(found, now, layout), headers=headers)
    return JSONResponse(receipt_json(now, is_recorded=is_recorded), headers=headers)
