"""How the API describes itself, for generators of clients: names, models, streams and errors.

An operation has the name of its function; `greenroom help http` lists all operations.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from http import HTTPStatus
from typing import Annotated, Any, Final, TypeAlias

from fastapi import FastAPI, Path
from fastapi.openapi.utils import get_openapi
from fastapi.routing import APIRoute
from pydantic import BaseModel, ConfigDict, Field
from pydantic.json_schema import models_json_schema

from orchestrator.documents.models.sessions import ContextMessages, ContextReceipt, LedgerRecord
from orchestrator.web.problems import Problem

# ---------------------------------------------------------------------- parameters

SessionId: TypeAlias = Annotated[str, Path(description="The session's id, as the list has it.")]
AgentId: TypeAlias = Annotated[
    str, Path(description="skeptic, analyst, contrarian, moderator, …; of another crew, its own.")
]
DeckId: TypeAlias = Annotated[str, Path(description="The deck's SHA-256, as it came back when it was sent.")]
SlideNumber: TypeAlias = Annotated[int, Path(description="The slide's number, from 1.")]
FilePath: TypeAlias = Annotated[
    str, Path(description="A file's path within its session: shared/presenter-transcript.md.")
]
ExchangeId: TypeAlias = Annotated[str, Path(description='The exchange\'s id: "x3".')]
TurnNumber: TypeAlias = Annotated[int, Path(description="Which answer of the exchange, from 1.")]
MemoryId: TypeAlias = Annotated[str, Path(description="The memory's id.")]
GoalId: TypeAlias = Annotated[str, Path(description="The goal's id.")]

Plain: TypeAlias = dict[str, Any]
"""A document that `orchestrator.documents` builds; it is sent as it is, and described by its model."""


class Body(BaseModel):
    """What is sent: keys that nobody knows are refused."""

    model_config = ConfigDict(extra="forbid", use_attribute_docstrings=True)


ReceiptId: TypeAlias = Annotated[
    str | None,
    Field(max_length=200, description="Of the context that it was made from: `Greenroom-Receipt`."),
]


def sent_of(body: Body) -> Plain:
    """Return the content by which a repeated request is recognised; the receipt is in it only if there is
    one.

    So a request that was sent to an earlier release, which did not know receipts, is still recognised.
    """
    plain = body.model_dump()
    if plain["receipt"] is None:
        del plain["receipt"]
    return plain


class Reply(BaseModel):
    """What is answered."""

    model_config = ConfigDict(use_attribute_docstrings=True)


# ---------------------------------------------------------------------- responses

WAV: Final = "audio/wav"
EVENTS: Final = "text/event-stream"
LINES: Final = "application/x-ndjson"
_BYTES: Final = {"type": "string", "format": "binary"}
_TEXT: Final = {"type": "string"}


def sends(model: Any, status: HTTPStatus = HTTPStatus.OK) -> dict[str, Any]:
    """Describe a route's reply by *model*, and send what the route returns unchanged.

    The models describe documents that `--json` prints too; a test compares every reply with them. FastAPI
    would pass each document through its model, which changes 0 to 0.0 and adds a missing key as null.
    """
    return {"response_model": None, "status_code": status, "responses": {int(status): {"model": model}}}


def sends_file(*media_types: str, description: str) -> dict[str, Any]:
    """Describe a reply that consists of bytes or text, in one of *media_types*."""
    content = {one: {"schema": _TEXT if one.startswith("text/") else _BYTES} for one in media_types}
    return {"response_model": None, "responses": {200: {"description": description, "content": content}}}


def sends_events(events: Mapping[str, object], *, description: str) -> dict[str, Any]:
    """Describe a stream of server-sent events, with the JSON schema of the data of each event by its name.

    OpenAPI 3.1 cannot describe the events of a stream, so they are added as `x-events` beside its schema.
    """
    return {
        "description": description,
        "content": {EVENTS: {"schema": {**_TEXT, "description": description}, "x-events": dict(events)}},
    }


PICTURE: Final = sends_file("image/png", description="The slide, drawn.")


def component(model: type | str) -> dict[str, str]:
    """Return a reference to a model of the description."""
    return {"$ref": f"#/components/schemas/{model if isinstance(model, str) else model.__name__}"}


# ---------------------------------------------------------------------- description

_TAGS: Final = {
    "server": "Whether the server is there.",
    "decks": "A deck before a session begins with it, and its dossier to prepare with.",
    "materials": "What is brought beside a deck: a recorded talk, a board, news.",
    "sessions": "Sessions: begun, listed, resumed, ended, archived, verified, erased.",
    "room": (
        "The rehearsal while it goes on. Beside these operations, WebSocket "
        "`/api/v1/sessions/{session}/microphone` takes sound as binary frames (PCM, 16 kHz, 16 bits "
        "little-endian, one channel, at most a second each) and sends text frames, each one JSON object: "
        '`{"partial": "…"}` while somebody speaks; `{"final": "…", "doubt": null, "segment": 7}` once a '
        "sentence stands in the transcript as the segment of that number (`doubt` is a word of which the "
        'recogniser is not sure); `{"refused": "…"}` before it closes with 1008; `{"closed": "…"}` before '
        "it closes with 1000, since the session is being ended or another window has the microphone."
    ),
    "debrief": "What a rehearsal came to, and what is done with it.",
    "speech": "What turns speech into text here.",
    "review": "A reviewer's comments, kept beside a session.",
    "crews": "Sessions of a crew that no program here knows, by the home's own table.",
    "contexts": "Exactly what an agent is given, now or then.",
    "files": "Session files; class and writer of the file decide who may write what.",
    "records": "The ledger, record by record.",
    "memory": "What is remembered of presenters, and their control over it.",
}
_BEARER: Final = "token"
_NAMED: Final = (Problem, LedgerRecord, ContextMessages, ContextReceipt)
"""Models to which routes refer only by name."""


def operation_name(route: APIRoute) -> str:
    """Name an operation after its function; generated clients use that name, so it is a contract."""
    return route.name


def describe(app: FastAPI) -> None:
    """Make *app* describe itself completely; the description is made when it is first asked for."""
    app.openapi = partial(_description, app)  # type: ignore[method-assign]  # as FastAPI's own pages do it


def _description(app: FastAPI) -> dict[str, Any]:
    if app.openapi_schema is None:
        made = get_openapi(
            title=app.title,
            version=app.version,
            summary=app.summary,
            routes=app.routes,
            servers=app.servers,
            tags=[{"name": name, "description": text} for name, text in _TAGS.items()],
        )
        schemas = made["components"]["schemas"]
        _, more = models_json_schema(
            [(model, "serialization") for model in _NAMED], ref_template=component("{model}")["$ref"]
        )
        schemas |= more["$defs"]
        made["components"]["securitySchemes"] = {
            _BEARER: {
                "type": "http",
                "scheme": "bearer",
                "description": "The token of the printed link, where the server asks for one.",
            }
        }
        made["security"] = [{_BEARER: []}, {}]
        for one in schemas.values():
            _mark_files(one)
        app.openapi_schema = made
    return app.openapi_schema


def _mark_files(schema: Any) -> None:
    """Mark every file in a form as a file in OpenAPI's older terms as well, which generators read."""
    if isinstance(schema, dict):
        if schema.get("contentMediaType") == "application/octet-stream":
            schema["format"] = "binary"
        for one in schema.values():
            _mark_files(one)
    elif isinstance(schema, list):
        for one in schema:
            _mark_files(one)
