"""/api/v1/sessions/{id}/files/{path}: session files as the ledger records them; the store refuses bad
writes."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Depends
from pydantic import Field
from starlette.responses import PlainTextResponse

from orchestrator.core.store.transaction import Draft
from orchestrator.documents.opening import store_of
from orchestrator.web.description import Body, FilePath, ReceiptId, Reply, SessionId, sent_of
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
    receipt: ReceiptId = None


class Appended(Reply):
    """The file after an append."""

    path: str
    bytes: int
    """All that it holds."""
    record: int | None = None
    """The record's number, which `at` of a context takes; null: an earlier release gave the first reply."""


class Written(Reply):
    """The file after a write."""

    path: str
    revision: int
    """From 1."""
    record: int | None = None
    """The record's number, which `at` of a context takes; null: an earlier release gave the first reply."""


@router.get("/sessions/{session}/files/{path:path}", response_class=PlainTextResponse)
@reads
def read_file(session: SessionId, path: FilePath, site: At) -> PlainTextResponse:
    """Give the file's whole text; empty where nothing was written yet."""
    found = site.sessions.get_any(session)
    text = found.read(path)
    digest = store_of(found).state(path).sha256
    return PlainTextResponse(text, headers={"etag": f'"{digest}"'})


@router.post("/sessions/{session}/files/{path:path}")
@writes
def append_to_file(session: SessionId, path: FilePath, text: FileText, site: At, key: Key = None) -> Appended:
    """Add to an append-only file. Durable once it is answered."""
    store = store_of(site.sessions.get_any(session))

    def work() -> Appended:
        record = store.append(path, text.text, by=text.by, receipt=text.receipt)
        return Appended(path=path, bytes=store.size_at(path, record)[0], record=record)

    def reply(tx: Draft) -> dict[str, Any]:
        size_bytes = tx.state(store.layout.file(path)).size_bytes
        return {"path": path, "bytes": size_bytes, "record": _record_of(tx, path)}

    asked = ["append", path, sent_of(text)]
    appended: Appended = once(site, session, key, asked, work, effects=[path], reply=reply)
    return appended


@router.put("/sessions/{session}/files/{path:path}")
@writes
def write_file(session: SessionId, path: FilePath, text: FileText, site: At, key: Key = None) -> Written:
    """Write a whole file: once, a few times or always, by its class. Durable once it is answered."""
    store = store_of(site.sessions.get_any(session))

    def work() -> Written:
        record = store.write(path, text.text, by=text.by, receipt=text.receipt)
        return Written(path=path, revision=store.state(path).revisions, record=record)

    def reply(tx: Draft) -> dict[str, Any]:
        revisions = tx.state(store.layout.file(path)).revisions
        return {"path": path, "revision": revisions, "record": _record_of(tx, path)}

    asked = ["write", path, sent_of(text)]
    written: Written = once(site, session, key, asked, work, effects=[path], reply=reply)
    return written


def _record_of(tx: Draft, path: str) -> int:
    return next(one.seq for one in reversed(tx.records) if one.file == path)
