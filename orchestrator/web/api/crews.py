"""/api/v1/crew/sessions and …/sessions/{id}/notes: sessions of a crew that no program here knows.

The files, contexts, records, proof and archives of such a session are at the same addresses as those of any
session.
"""

from __future__ import annotations

from http import HTTPStatus
from typing import Annotated, Any

from fastapi import APIRouter, Depends
from pydantic import Field

from orchestrator.core.errors import AccessError, SessionExistsError
from orchestrator.core.session import MAX_NAME_CHARS
from orchestrator.core.store.requests import NO_REPLY, find, keep_reply, request_of
from orchestrator.core.store.transaction import Draft
from orchestrator.documents.models.sessions import StartedCrewDocument
from orchestrator.documents.opening import start_crew, store_of
from orchestrator.documents.session import started_json
from orchestrator.web.api.starting import name_by
from orchestrator.web.description import Body, Plain, Reply, SessionId, sends
from orchestrator.web.once import Key, once
from orchestrator.web.open_sessions import writes
from orchestrator.web.site import Site, site_of

router = APIRouter(tags=["crews"])
At = Annotated[Site, Depends(site_of)]


class StartingCrew(Body):
    """What a session of the home's crew begins with."""

    id: str | None = Field(None, description="What the session is called; without one it gets one.")
    title: str = Field("", max_length=MAX_NAME_CHARS, description="What it is about.")
    files: dict[str, str] = Field({}, description="Texts by path: of the files that `start` writes.")
    agents: list[str] | None = Field(None, description="Who takes the table's seats; null: all of the home.")
    date: str | None = Field(None, description="The day that it is about, YYYY-MM-DD.")
    fields: dict[str, Any] = Field({}, description="What the home's blueprints may name besides.")


class NewNote(Body):
    """A decision of a program."""

    type: str = Field(
        max_length=MAX_NAME_CHARS, description="With a prefix of the program's own: review.finding."
    )
    fields: dict[str, Any] = Field({}, description="What it says.")
    by: str = Field(max_length=64, description="Who decided.")


class Noted(Reply):
    """A note as the ledger has it."""

    record: int
    """The record's number, which `at` of a context takes."""


@router.post("/crew/sessions", **sends(StartedCrewDocument, HTTPStatus.CREATED))
def start_crew_session(starting: StartingCrew, site: At, key: Key = None) -> Plain:
    """Start a session of the home's crew, by the home's own table; a rehearsal is `start_session`.

    By an id of the request's own the session has a name that comes of it, where none is given.
    """
    if starting.id is not None and not site.is_keeper:  # or it would tell which ids there are
        raise AccessError("id: a session gets its id here: leave `id` out")
    if key is None:
        return _start(site, starting, starting.id)
    request = request_of(key, "start-crew", starting.model_dump(mode="json"))
    name = starting.id or name_by(key, site.whose)
    with site.keys.alone("", key):
        try:
            reply = _start(site, starting, name)
        except SessionExistsError:
            with site.sessions.using_any(name) as found:
                done = find(store_of(found), request)
            if done is None or done.reply is NO_REPLY:
                raise  # begun by another request
            again: Plain = done.reply
            return again
        with site.sessions.using_any(name) as found:
            keep_reply(store_of(found), request, reply)
        return reply


def _start(site: Site, starting: StartingCrew, name: str | None) -> Plain:
    started = start_crew(
        site.own,
        name,
        starting.files,
        title=starting.title,
        agents=starting.agents,
        date=starting.date,
        fields=starting.fields,
        owner=site.owner,
    )
    site.sessions.begin(started)
    return started_json(started)


@router.post("/sessions/{session}/notes", status_code=HTTPStatus.CREATED)
@writes
def add_note(session: SessionId, note: NewNote, site: At, key: Key = None) -> Noted:
    """Record a decision of a program of one's own, in a session of any crew; `get_session` has them all."""
    found = site.sessions.get_any(session)

    def work() -> Noted:
        return Noted(record=found.note(note.type, note.fields, by=note.by))

    def reply(tx: Draft) -> dict[str, Any]:
        return {"record": next(one.seq for one in reversed(tx.records) if one.type == note.type)}

    asked = ["note", note.model_dump(mode="json")]
    noted: Noted = once(site, session, key, asked, work, effects=[note.type], reply=reply)
    return noted
