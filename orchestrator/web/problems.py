"""Errors as problem details: what was refused, why, and what to do.

Source: RFC 9457.
"""

from __future__ import annotations

from http import HTTPStatus
from typing import Any, Final

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse, Response

from orchestrator.errors import (
    AlreadyWrittenError,
    ArchiveConflictError,
    ArchiveError,
    EngineError,
    FileTooLargeError,
    GreenroomError,
    InputError,
    PrintError,
    ReceiptError,
    SessionExistsError,
    SessionNotFoundError,
    SessionStateError,
    StoreError,
    StoreWriteError,
    UnknownFileError,
    UsageError,
)
from orchestrator.web.templating import page

STATUS: Final[tuple[tuple[type[GreenroomError], HTTPStatus], ...]] = (
    (SessionNotFoundError, HTTPStatus.NOT_FOUND),
    (UnknownFileError, HTTPStatus.NOT_FOUND),
    (ReceiptError, HTTPStatus.NOT_FOUND),
    (SessionExistsError, HTTPStatus.CONFLICT),
    (SessionStateError, HTTPStatus.CONFLICT),
    (AlreadyWrittenError, HTTPStatus.CONFLICT),
    (ArchiveConflictError, HTTPStatus.CONFLICT),
    (FileTooLargeError, HTTPStatus.REQUEST_ENTITY_TOO_LARGE),
    (StoreWriteError, HTTPStatus.INSUFFICIENT_STORAGE),
    (StoreError, HTTPStatus.UNPROCESSABLE_ENTITY),
    (InputError, HTTPStatus.UNPROCESSABLE_ENTITY),
    (UsageError, HTTPStatus.UNPROCESSABLE_ENTITY),
    (EngineError, HTTPStatus.BAD_GATEWAY),
    (ArchiveError, HTTPStatus.BAD_GATEWAY),
    (PrintError, HTTPStatus.NOT_IMPLEMENTED),  # this machine lacks what it takes
)
"""The first class that an error is of counts; what is none of them is the server's own fault."""


def problem(status: int, detail: str, *, code: str, **more: str | None) -> JSONResponse:
    """One problem document. `code` is the error's name for programs, as on the command line."""
    about = {name: value for name, value in more.items() if value is not None}
    title = HTTPStatus(status).phrase
    return JSONResponse(
        {"type": "about:blank", "title": title, "status": status, "detail": detail, "code": code, **about},
        status,
        media_type="application/problem+json",
    )


def told(request: Request, answer: JSONResponse, detail: str) -> Response:
    """The problem document *answer* for programs; for a person who opened an address, a page that says it."""
    wants = request.headers.get("accept", "")
    if "text/html" not in wants or request.url.path.startswith("/api/"):
        return answer
    title = HTTPStatus(answer.status_code).phrase
    has_home = request.app.state.site.home is not None
    return page("problem.html", answer.status_code, title=title, detail=detail, has_home=has_home)


def status_of(error: GreenroomError) -> int:
    """The HTTP status that says what kind of error it is."""
    own = (status for kind, status in STATUS if isinstance(error, kind))
    return next(own, HTTPStatus.INTERNAL_SERVER_ERROR)


def tell_problems(app: FastAPI) -> None:
    """Answer every error of *app* with a problem document; none with a traceback."""

    @app.exception_handler(GreenroomError)
    def refused(request: Request, error: GreenroomError) -> Response:
        # No path of the server's own disk is told: the file's name is enough, and the message has it.
        answer = problem(status_of(error), str(error), code=error.code, value=error.value)
        return told(request, answer, str(error))

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
        where = ".".join(str(part) for part in first["loc"][1:]) or str(first["loc"][0])
        detail = f"{where}: {first['msg']}"
        return problem(HTTPStatus.UNPROCESSABLE_ENTITY, detail, code="usage", value=where)

    @app.exception_handler(OSError)
    def failed(request: Request, error: OSError) -> Response:
        detail = f"the server's disk refused: {(error.strerror or 'no reason given').lower()}"
        return told(request, problem(HTTPStatus.INTERNAL_SERVER_ERROR, detail, code="system"), detail)


def _code(status: int) -> str:
    return HTTPStatus(status).name.lower()
