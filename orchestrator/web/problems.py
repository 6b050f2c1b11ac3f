"""Errors as problem documents: what was refused, why, and what to do.

Source: RFC 9457.
"""

from __future__ import annotations

import json
from http import HTTPStatus
from typing import Any, Final

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from pydantic import BaseModel, ConfigDict
from starlette.exceptions import HTTPException
from starlette.responses import Response

from orchestrator.core.errors import (
    AccessError,
    AlreadyWrittenError,
    AppendOnlyError,
    ArchiveConflictError,
    ArchiveError,
    ArchiveMissingError,
    EngineError,
    FileTooLargeError,
    GreenroomError,
    HomeError,
    ImmutableFileError,
    InputError,
    LaterReleaseError,
    NotInstalledError,
    OtherCrewError,
    OutboundError,
    PrintError,
    ReceiptError,
    ReplicaAwayError,
    ReplicaBehindError,
    RequestIdReusedError,
    RevisionLimitError,
    SessionBusyError,
    SessionExistsError,
    SessionNotFoundError,
    SessionStateError,
    StoreError,
    StoreWriteError,
    SupersededError,
    UnknownFileError,
    UsageError,
    WriterNotAllowedError,
)
from orchestrator.core.store import files
from orchestrator.memory.model import NotConsentedError, UnknownGoalError, UnknownMemoryError
from orchestrator.web.site import Site
from orchestrator.web.templating import page

STATUS: Final[tuple[tuple[type[GreenroomError], HTTPStatus], ...]] = (
    (SessionNotFoundError, HTTPStatus.NOT_FOUND),
    (UnknownFileError, HTTPStatus.NOT_FOUND),
    (UnknownMemoryError, HTTPStatus.NOT_FOUND),
    (UnknownGoalError, HTTPStatus.NOT_FOUND),
    (ReceiptError, HTTPStatus.NOT_FOUND),
    (ImmutableFileError, HTTPStatus.FORBIDDEN),
    (WriterNotAllowedError, HTTPStatus.FORBIDDEN),
    (NotConsentedError, HTTPStatus.FORBIDDEN),
    (AccessError, HTTPStatus.FORBIDDEN),
    (HomeError, HTTPStatus.CONFLICT),  # the server shows archives alone
    (SessionExistsError, HTTPStatus.CONFLICT),
    (SessionStateError, HTTPStatus.CONFLICT),
    (AlreadyWrittenError, HTTPStatus.CONFLICT),
    (RevisionLimitError, HTTPStatus.CONFLICT),
    (AppendOnlyError, HTTPStatus.CONFLICT),
    (ArchiveConflictError, HTTPStatus.CONFLICT),
    (ArchiveMissingError, HTTPStatus.NOT_FOUND),
    (FileTooLargeError, HTTPStatus.REQUEST_ENTITY_TOO_LARGE),
    (RequestIdReusedError, HTTPStatus.CONFLICT),
    (SessionBusyError, HTTPStatus.SERVICE_UNAVAILABLE),
    (SupersededError, HTTPStatus.SERVICE_UNAVAILABLE),  # another process has it, or will
    (ReplicaAwayError, HTTPStatus.SERVICE_UNAVAILABLE),
    (ReplicaBehindError, HTTPStatus.SERVICE_UNAVAILABLE),
    (LaterReleaseError, HTTPStatus.NOT_IMPLEMENTED),
    (StoreWriteError, HTTPStatus.INSUFFICIENT_STORAGE),
    (StoreError, HTTPStatus.UNPROCESSABLE_ENTITY),
    (InputError, HTTPStatus.UNPROCESSABLE_ENTITY),
    (UsageError, HTTPStatus.UNPROCESSABLE_ENTITY),
    (NotInstalledError, HTTPStatus.NOT_IMPLEMENTED),  # the server's owner may install the extra
    (EngineError, HTTPStatus.BAD_GATEWAY),
    (OutboundError, HTTPStatus.BAD_GATEWAY),
    (ArchiveError, HTTPStatus.BAD_GATEWAY),
    (PrintError, HTTPStatus.NOT_IMPLEMENTED),  # this machine lacks what it takes
)
"""The HTTP status for each class of errors, of which the first that fits counts. Any other error is the
server's fault."""


RETRY_AFTER_S: Final = 1
"""Seconds after which a refused request may be sent again; it then waits for the session anew, and takes
no thread in between."""

MEDIA_TYPE: Final = "application/problem+json"


class Problem(BaseModel):
    """A refusal or failure."""

    model_config = ConfigDict(use_attribute_docstrings=True)

    type: str = "about:blank"
    title: str
    status: int
    detail: str
    """What is wrong, and what to do."""
    code: str
    """The error's name for programs, as on the command line."""
    value: str | None = None
    """What it is about: the field, the file, the session."""


_CONTENT: Final = {MEDIA_TYPE: {"schema": {"$ref": f"#/components/schemas/{Problem.__name__}"}}}
"""The content of an error's answer; `description` adds the schema to which it refers."""

RESPONSES: Final[dict[int | str, dict[str, Any]]] = {
    "default": {
        "description": "Refused or failed: what is wrong, and what to do.",
        "content": _CONTENT,
    },
    HTTPStatus.SERVICE_UNAVAILABLE: {
        "description": "Another writer or worker holds the session, or the server is full: nothing was done.",
        "content": _CONTENT,
        "headers": {"Retry-After": {"description": "Seconds.", "schema": {"type": "integer"}}},
    },
}
"""The answers that every route may give besides its own."""


def problem(status: int, detail: str, *, code: str, value: str | None = None) -> Response:
    """Return an answer with one problem document."""
    title = HTTPStatus(status).phrase
    about = Problem(title=title, status=status, detail=detail, code=code, value=value)
    # In ASCII, because what was sent may hold half a character, which no UTF-8 can say.
    text = json.dumps(about.model_dump(exclude_none=True))
    return Response(text, status, media_type=MEDIA_TYPE)


def told(
    request: Request, answer: Response, detail: str, *, title: str = "", session: str | None = None
) -> Response:
    """Return the problem document *answer* for a program, or a page with *detail* for a person.

    Args:
        title: The title of the page. If "", that of the status.
        session: The session to which the page links. If None, there is no such link.
    """
    wants = request.headers.get("accept", "")
    if "text/html" not in wants or request.url.path.startswith("/api/"):
        return answer
    site: Site = request.app.state.site
    return page(
        "problem.html",
        answer.status_code,
        title=title or HTTPStatus(answer.status_code).phrase,
        detail=detail,
        session=session,
        has_home=site.home is not None,
        base=site.base,
    )


def status_of(error: GreenroomError) -> int:
    """Return the HTTP status for this kind of error."""
    own = (status for kind, status in STATUS if isinstance(error, kind))
    return next(own, HTTPStatus.INTERNAL_SERVER_ERROR)


def tell_problems(app: FastAPI) -> None:
    """Answer every error of *app* with a problem document, and never with a traceback."""

    @app.exception_handler(GreenroomError)
    def refused(request: Request, error: GreenroomError) -> Response:
        detail = _told(request, str(error))
        if isinstance(error, StoreError):
            site: Site = request.app.state.site
            site.metrics.refused(error.code)
        answer = problem(status_of(error), detail, code=error.code, value=error.value)
        if answer.status_code == HTTPStatus.SERVICE_UNAVAILABLE:
            answer.headers["retry-after"] = str(RETRY_AFTER_S)
        if isinstance(error, OtherCrewError):
            return told(request, answer, detail, title="This is no rehearsal", session=error.value)
        return told(request, answer, detail)

    @app.exception_handler(HTTPException)
    def none_such(request: Request, error: HTTPException) -> Response:
        answer = problem(error.status_code, str(error.detail), code=_code(error.status_code))
        answer.headers.update(error.headers or {})
        return told(
            request, answer, "There is no such page here." if error.status_code == 404 else error.detail
        )

    @app.exception_handler(RequestValidationError)
    def unreadable(request: Request, error: RequestValidationError) -> Response:
        first: dict[str, Any] = dict(error.errors()[0])
        if first["type"] == "json_invalid":
            detail = f"the body is no JSON (character {first['loc'][-1]}): {first['ctx']['error']}"
            return problem(HTTPStatus.BAD_REQUEST, detail, code="usage")
        where = ".".join(str(part) for part in first["loc"][1:]) or str(first["loc"][0])
        detail = f"{where}: {first['msg']}"
        return problem(HTTPStatus.UNPROCESSABLE_ENTITY, detail, code="usage", value=where)

    @app.exception_handler(OSError)
    def failed(request: Request, error: OSError) -> Response:
        detail = f"the server's disk refused: {(error.strerror or 'no reason given').lower()}"
        if error.errno in files.NO_DESCRIPTORS:
            detail = (
                "the server has as many files open as it may: end "
                "sessions, or raise the limit (`ulimit -n`) and start it again"
            )
        return told(request, problem(HTTPStatus.INTERNAL_SERVER_ERROR, detail, code="system"), detail)

    @app.exception_handler(Exception)
    def broke(request: Request, error: Exception) -> Response:
        # A message of an error that nobody foresaw could hold anything, also what was said.
        detail = f"the server failed ({type(error).__name__}): this is a fault of the program"
        return problem(HTTPStatus.INTERNAL_SERVER_ERROR, detail, code="internal")


def _told(request: Request, detail: str) -> str:
    """Return *detail* without the paths of this server's disk; a file's name within the home is enough."""
    site: Site = request.app.state.site
    roots = [site.archives] if site.home is None else [str(site.home.root), site.archives]
    for root in roots:
        detail = detail.replace(f"{root}/", "").replace(root, "the server's folder")
    return detail


def _code(status: int) -> str:
    return HTTPStatus(status).name.lower()
