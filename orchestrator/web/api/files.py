"""/api/v1/sessions/{id}/files/{path}: session files as the ledger has them; refusals are the store's own."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Depends
from pydantic import Field
from starlette.responses import PlainTextResponse

from orchestrator.core.store.transaction import Draft
from orchestrator.web.description import Body, FilePath, Reply, SessionId
from orchestrator.web.once import Key, once
from orchestrator.web.open_sessions import reads, writes
from orchestrator.web.site import Site, site_of

router = APIRouter(tags=["files"])
At = Annotated[Site, Depends(site_of)]


class FileText(Body):
    """What is written, and by whom."""

    text: str
    """UTF-8; a missing final newline is added."""
    by: str = Field(
        max_length=64, description="The writer, as the file's row names it: an agent, transcript, …"
    )


class Appended(Reply):
    """The file after an append."""

    path: str
    bytes: int
    """All that it holds."""


class Written(Reply):
    """The file after a write."""

    path: str
    revision: int
    """From 1."""


@router.get("/sessions/{session}/files/{path:path}", response_class=PlainTextResponse)
@reads
def read_file(session: SessionId, path: FilePath, site: At) -> PlainTextResponse:
    """Give the file's whole text; empty where nothing was written yet."""
    found = site.sessions.get(session)
    text = found.read(path)
    digest = found.rehearsal.store.state(path).sha256
    return PlainTextResponse(text, headers={"etag": f'"{digest}"'})


@router.post("/sessions/{session}/files/{path:path}")
@writes
def append_to_file(session: SessionId, path: FilePath, text: FileText, site: At, key: Key = None) -> Appended:
    """Add to an append-only file. Durable once it is answered."""
    found = site.sessions.get(session)

    def work() -> Appended:
        return Appended(path=path, bytes=found.append(path, text.text, by=text.by))

    def reply(tx: Draft) -> dict[str, Any]:
        return {"path": path, "bytes": tx.state(found.rehearsal.store.layout.file(path)).size_bytes}

    asked = ["append", path, text.model_dump()]
    appended: Appended = once(site, session, key, asked, work, effects=[path], reply=reply)
    return appended


@router.put("/sessions/{session}/files/{path:path}")
@writes
def write_file(session: SessionId, path: FilePath, text: FileText, site: At, key: Key = None) -> Written:
    """Write a whole file: once, a few times or always, by its class. Durable once it is answered."""
    found = site.sessions.get(session)

    def work() -> Written:
        return Written(path=path, revision=found.write(path, text.text, by=text.by))

    def reply(tx: Draft) -> dict[str, Any]:
        return {"path": path, "revision": tx.state(found.rehearsal.store.layout.file(path)).revisions}

    asked = ["write", path, text.model_dump()]
    written: Written = once(site, session, key, asked, work, effects=[path], reply=reply)
    return written
