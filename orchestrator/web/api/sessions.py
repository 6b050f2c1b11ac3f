"""/api/v1/sessions: what there is, one session whole, its proof and debrief, what is done with it."""

from __future__ import annotations

import hashlib
from functools import partial
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Query, UploadFile
from pydantic import BaseModel, ConfigDict, Field

from orchestrator.core.errors import (
    DriverBusyError,
    LedgerCorruptError,
    SessionNotFoundError,
    SessionStateError,
)
from orchestrator.documents.erasure import erased_json, erasure_json, left_over_json, only_archived
from orchestrator.documents.intel import intel_json, searched_json
from orchestrator.documents.listing import archived, listed, local
from orchestrator.documents.session import session_json, trace_json, trace_of
from orchestrator.documents.verification import against_head, verification_json
from orchestrator.memory.session_context import to_plain
from orchestrator.panel.loop.news import can_search
from orchestrator.panel.records.projection import INTEL
from orchestrator.rehearsal.erasing import erase_archived, erase_session
from orchestrator.review.titles import MAX_CHARS
from orchestrator.web.once import Key, once
from orchestrator.web.site import Site, site_of
from orchestrator.web.threads import reads, takes_long, writes
from orchestrator.web.uploads import aside

router = APIRouter(tags=["sessions"])
At = Annotated[Site, Depends(site_of)]
Document = dict[str, Any]


def unsaid(line: str) -> None:
    """A warning for a terminal: over HTTP the document says the same, as `damaged` or null."""


@router.get("/sessions")
def sessions(
    site: At,
    search: Annotated[
        str | None, Query(max_length=1000, description="Only sessions that hold this text.")
    ] = None,
    archive: Annotated[bool, Query(description="Those of the server's archive instead.")] = False,
) -> Document:
    """The sessions of the server's home, oldest first; of a server without one, its archive's."""
    if archive or site.home is None:
        return listed(archived(site.archives, search, site.s3, unsaid, site.home), search)
    return listed(local(site.home, search, unsaid), search)


@router.get("/sessions/{session}")
@reads
def session(session: str, site: At, trace: bool = False) -> Document:
    """One session: its questions, files and receipts; with `trace`, every step of the loop."""
    found = site.sessions.get(session)
    plain = session_json(found, unsaid)
    return {**plain, "trace": trace_json(trace_of(found))} if trace else plain


@router.delete("/sessions/{session}")
@takes_long
def erase(session: str, site: At, archives: bool = False) -> Document:
    """Remove a session and what was remembered of it; with `archives`, also wherever it was sent."""
    home = site.own
    if only := only_archived(home, session):
        if not archives:
            raise SessionStateError(
                f"{session} is left in an archive only, {', '.join(only)}: archives=true removes it"
            )
        done = erase_archived(home, session, **site.s3)
        site.review.forget(session)
        return erased_json(done, left_over_json(home, done.forgotten))
    try:
        deck = site.sessions.get(session).projection.deck
    except (SessionNotFoundError, LedgerCorruptError):
        if session not in (*home.session_ids(), *home.other_names()):
            raise
        deck = None  # whatever has a session's name there can be removed
    if site.drives.is_driving(session):
        raise DriverBusyError(f"{session} is under way here: pause it first")
    root = home.sessions / session
    site.sessions.forget(session)
    done = erase_session(home, root, archives=archives, **site.s3)
    site.review.forget(session)
    if deck is not None:
        site.pictures.forget(deck.sha256)
    return erased_json(done, left_over_json(home, done.forgotten))


@router.get("/sessions/{session}/erasure")
@reads
def erasure(session: str, site: At) -> Document:
    """What erasing the session would remove, and where its words would still stand; nothing is removed."""
    if not only_archived(site.own, session):
        site.sessions.get(session)
    return erasure_json(site.own, session, len(site.review.comments.of(session)))


class Title(BaseModel):
    """What a person calls a session; "" for nothing but its deck's title."""

    model_config = ConfigDict(extra="forbid")

    title: str = Field(max_length=10 * MAX_CHARS)  # of which some may be signs that nobody sees


@router.put("/sessions/{session}/title")
@writes
def name(session: str, titled: Title, site: At) -> Title:
    """Give the session a title of one's own; it is kept beside it, never in it or its archive."""
    row = site.review.row(session)
    return Title(title=site.review.titles.give(row.entry.session, titled.title))


@router.post("/sessions/{session}/resume")
@writes
def resume(session: str, site: At) -> Document:
    """Repair what an unclean end left; whatever drives the session goes on by itself."""
    found = site.sessions.get(session)
    if found.state == "ended":
        raise SessionStateError(f"{session} has ended: there is nothing to go on with")
    repaired = [f"{repair.path}: {repair.what}" for repair in found.repair()]
    if found.state == "interrupted":
        found.settle()
    return {"state": found.state, "repaired": repaired}


class Archiving(BaseModel):
    """Where an ended session goes."""

    model_config = ConfigDict(extra="forbid")

    to: str | None = Field(
        None, min_length=1, max_length=1000, description="A folder, file://… or s3://…; null: as is set."
    )


@router.post("/sessions/{session}/archive")
@takes_long
def archive(session: str, archiving: Archiving, site: At) -> Document:
    """Archive an ended session as a bag, read it back, and compare. Again sends only what is missing."""
    found = site.sessions.get(session)
    if not found.projection.ended:
        raise SessionStateError(f"{session} has not ended: end it first")
    done = found.archive(archiving.to, **site.s3)
    return {"session": done.session, "archive": done.archive, "objects": done.objects, "sent": done.sent}


@router.get("/sessions/{session}/intel")
@reads
def intel(session: str, site: At) -> Document:
    """What is known from outside."""
    return intel_json(site.sessions.get(session))


@router.post("/sessions/{session}/intel")
@takes_long
def add_intel(session: str, files: list[UploadFile], site: At, key: Key = None) -> Document:
    """A new revision of external-intel, from files: Markdown, text, or a YAML or JSON list of findings."""
    with aside(files) as paths, site.sessions.using(session) as found:

        def work() -> Document:
            found.add_intel(paths)
            return intel_json(found)

        sent = [[one.name, hashlib.sha256(one.read_bytes()).hexdigest()] for one in paths]
        again = partial(intel_json, found)
        done: Document = once(site, session, key, ["intel", sent], work, effects=[INTEL], again=again)
        return done


class Searching(BaseModel):
    """Names that no query may hold, besides the presenter's, the company's and the deck's figures."""

    model_config = ConfigDict(extra="forbid")

    without: list[Annotated[str, Field(max_length=200)]] = Field([], max_length=100)


@router.post("/sessions/{session}/intel/search")
@takes_long
def search_intel(session: str, searching: Searching, site: At, key: Key = None) -> Document:
    """A new revision of external-intel from the web, by an engine that can search it; queries are shown."""

    def work() -> Document:
        with site.sessions.using(session) as found:
            if not can_search(found.rehearsal):
                engine = found.rehearsal.engine.name
                raise SessionStateError(f"the {engine} engine cannot search the web: send files")
            return searched_json(found, found.search_intel(without=searching.without))

    asked, again = ["search", searching.without], partial(_intel, site, session)
    done: Document = once(site, session, key, asked, work, effects=[INTEL], again=again)
    return done


def _intel(site: Site, session: str) -> Document:
    return intel_json(site.sessions.get(session))


@router.get("/sessions/{session}/verify")
@takes_long
def verify(
    session: str,
    site: At,
    head: Annotated[str | None, Query(max_length=64, description="The ledger head that was kept.")] = None,
    archive: Annotated[bool, Query(description="Its archive, though it is in the home as well.")] = False,
) -> Document:
    """Whether every write kept the rules and nothing was changed since; `valid` says it, not the status.

    Looked at is what lies there now: the session's folder, or its archive where the home has none.
    """
    return verification_json(against_head(site.review.verify(session, archive=archive), head))


@router.get("/sessions/{session}/recap")
@reads
def recap(session: str, site: At) -> Document:
    """What the session came to: said, decided and left open."""
    return to_plain(site.sessions.get(session).recap())
