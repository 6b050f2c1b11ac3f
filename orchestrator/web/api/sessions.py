"""/api/v1/sessions: the list of sessions, one whole session, its verification, and actions on it."""

from __future__ import annotations

import hashlib
import os
from dataclasses import dataclass
from functools import partial
from http import HTTPStatus
from pathlib import Path
from typing import Annotated

from fastapi import APIRouter, Depends, File, Query, UploadFile
from pydantic import Field
from starlette.exceptions import HTTPException
from starlette.responses import Response

from orchestrator.core.errors import (
    ArchiveError,
    DriverBusyError,
    LedgerCorruptError,
    SessionNotFoundError,
    SessionStateError,
)
from orchestrator.documents.erasure import erased_json, erasure_json, left_over_json, only_archived
from orchestrator.documents.listing import archived, listed, local, of_all
from orchestrator.documents.models.sessions import (
    ArchivedDocument,
    ErasedDocument,
    ErasureDocument,
    IntelDocument,
    RecapDocument,
    SearchedIntelDocument,
    SessionDocument,
    SessionList,
    StateDocument,
    VerificationDocument,
)
from orchestrator.documents.opening import AnySession, is_rehearsal, rehearsal_of, store_of
from orchestrator.documents.preparation import intel_json, searched_json
from orchestrator.documents.session import session_json, trace_json, trace_of
from orchestrator.documents.verification import against_head, verification_json
from orchestrator.material.speech.sound import delete_sound, joined, keeps_sound, kept_pieces, seconds_of
from orchestrator.memory.scribe import to_plain
from orchestrator.panel.home import Home
from orchestrator.panel.loop.news import can_search
from orchestrator.panel.records.projection import INTEL
from orchestrator.rehearsal.erasing import Erased, erase_archived, erase_beside
from orchestrator.rehearsal.erasing import erase_session as erase_folder
from orchestrator.rehearsal.rehearsal import Rehearsal
from orchestrator.review.shared import Shared
from orchestrator.review.titles import MAX_CHARS
from orchestrator.web.description import (
    WAV,
    Body,
    ExchangeId,
    Plain,
    Reply,
    SessionId,
    TurnNumber,
    sends,
    sends_file,
)
from orchestrator.web.once import Key, once
from orchestrator.web.open_sessions import reads, takes_long, writes
from orchestrator.web.site import Site, site_of
from orchestrator.web.uploads import aside

# ---------------------------------------------------------------------- kept sound of answers
# Which kept sound answers which question: as the session has it now, whatever was taken back since.


@dataclass(frozen=True, slots=True)
class AnswerSound:
    """The sound of one answer."""

    exchange: str
    turn: int  # from 1
    seconds: float
    pieces: tuple[Path, ...]


def sounds_of(home: Home, found: Rehearsal) -> tuple[AnswerSound, ...]:
    """Return the answers whose sound can be heard again, in the order of asking.

    The sound of a piece that no longer belongs to an answer, or was said off the record, is deleted.
    """
    kept = kept_pieces(home.sessions, found.name)
    if not kept:
        return ()
    projection, off_record = found.projection, found.rehearsal.is_off_record
    number_of = {id(one): number for number, one in enumerate(projection.segments, start=1)}
    heard = {id(one) for one in projection.heard}
    waits = {number for piece, number in number_of.items() if piece in heard}
    sounds, used = [], set()
    for (exchange, turn), answer in projection.answered_in.items():
        numbers = [number_of[id(one)] for one in answer if id(one) in number_of and not off_record(one.text)]
        pieces = tuple(kept[one] for one in numbers if one in kept)
        used.update(numbers)
        if pieces:
            sounds.append(AnswerSound(exchange, turn, seconds_of(pieces), pieces))
    for number, piece in kept.items():
        if number not in used | waits:
            piece.unlink(missing_ok=True)
    return tuple(sounds)


# ---------------------------------------------------------------------- sessions


router = APIRouter(tags=["sessions"])
At = Annotated[Site, Depends(site_of)]


def unsaid(line: str) -> None:
    """Drop a warning that is meant for a terminal; over HTTP the document says the same, as `damaged` or
    null."""


@router.get("/sessions", **sends(SessionList))
def list_sessions(
    site: At,
    search: Annotated[
        str | None, Query(max_length=1000, description="Only sessions that hold this text.")
    ] = None,
    archive: Annotated[bool, Query(description="Those of the server's archive instead.")] = False,
) -> Plain:
    """List the sessions of the server's home, oldest first; of a server without one, its archive's."""
    if archive or site.home is None:
        return listed(_seen(site, archived(site.archives, search, site.s3, unsaid, site.home)), search)
    if site.shelf is not None:
        return of_all(site.home, search, unsaid, site.shelf, partial(_read, site), partial(_seen, site))
    return listed(_seen(site, local(site.home, search, unsaid)), search)


def _seen(site: Site, rows: list[Plain]) -> list[Plain]:
    """Return the rows of the sessions that who asks may see."""
    if site.is_keeper:  # of which alone the catalogue knows whose they are
        return rows
    site.review.refresh(is_needed=True)
    seen = site.catalogue.among([row["session"] for row in rows])
    return [row for row in rows if row["session"] in seen]


def _read(site: Site, session: str) -> AnySession:
    return site.review.session_any(site.review.row(session))


@router.get("/sessions/{session}", **sends(SessionDocument))
@reads
def get_session(
    session: SessionId,
    site: At,
    trace: Annotated[bool, Query(description="With every step of the loop.")] = False,
) -> Plain:
    """Give one session: its questions, files and receipts; with `trace`, every step of the loop.

    Of another crew: its files, notes and receipts.
    """
    found = site.sessions.get_any(session)
    plain = session_json(found, unsaid)
    return {**plain, "trace": trace_json(trace_of(rehearsal_of(found)))} if trace else plain


@router.delete("/sessions/{session}", **sends(ErasedDocument))
@takes_long
def erase_session(
    session: SessionId,
    site: At,
    archives: Annotated[bool, Query(description="Also wherever it was sent.")] = False,
) -> Plain:
    """Remove a session and what was remembered of it; with `archives`, also wherever it was sent."""
    home = site.own
    if site.shelf is not None:
        return _erase_everywhere(site, site.shelf, session, archives=archives)
    if only := only_archived(home, session):
        if not archives:
            raise SessionStateError(
                f"{session} is left in an archive only, {', '.join(only)}: archives=true removes it"
            )
        done = erase_archived(home, session, **site.s3)
        site.review.forget(session)
        return erased_json(done, left_over_json(home, done.forgotten))
    done = _erase_here(site, session, archives=archives)
    return erased_json(done, left_over_json(home, done.forgotten))


def _erase_everywhere(site: Site, shelf: Shared, session: str, *, archives: bool) -> Plain:
    """Remove a session on every worker. Who is away now removes it when it comes back.

    Raises:
        SessionNotFoundError: No worker has such a session.
        ReplicaAwayError: It is removed here, and the servers do not answer; erasing it again tells them.
    """
    home = site.own
    known = session in shelf.rows or only_archived(home, session)
    if os.path.lexists(home.sessions / session):
        done = _erase_here(site, session, archives=archives)
    elif known:
        done = erase_archived(home, session, **site.s3) if archives else erase_beside(home, session)
    else:
        raise SessionNotFoundError(f"there is no session {session!r} here", value=session)
    site.review.forget(session)
    shelf.erase(session)
    return erased_json(done, left_over_json(home, done.forgotten))


def _erase_here(site: Site, session: str, *, archives: bool) -> Erased:
    """Remove a session with its folder in this home."""
    home = site.own
    try:
        found = site.sessions.get_any(session)
        deck = found.projection.deck if is_rehearsal(found) else None
    except (SessionNotFoundError, LedgerCorruptError, ArchiveError):
        if session not in (*home.session_ids(), *home.other_names()):
            raise
        deck = None  # whatever has a session's name there can be removed
    if site.drives.is_driving(session):
        raise DriverBusyError(f"{session} is under way here: pause it first")
    root = home.sessions / session
    site.sessions.erase(session)
    done = erase_folder(home, root, archives=archives, **site.s3)
    site.review.forget(session)
    if deck is not None:
        site.pictures.forget(deck.sha256)
    return done


@router.get("/sessions/{session}/erasure", **sends(ErasureDocument))
@reads
def preview_erasure(session: SessionId, site: At) -> Plain:
    """Say what erasing would remove, and where its words would still stand; nothing is removed."""
    if not only_archived(site.own, session):
        site.sessions.get_any(session)
    return erasure_json(site.own, session, len(site.review.comments.of(session)))


class SessionTitle(Body):
    """What a person calls a session; "" for nothing but its deck's title."""

    title: str = Field(
        max_length=10 * MAX_CHARS,  # of which some may be signs that nobody sees
        description="It is kept beside the session.",
    )


@router.put("/sessions/{session}/title")
@writes
def title_session(session: SessionId, titled: SessionTitle, site: At) -> SessionTitle:
    """Give the session a title of one's own; it is kept beside it, never in it or its archive."""
    row = site.review.row(session)
    return SessionTitle(title=site.review.titles.give(row.entry.session, titled.title))


@router.post("/sessions/{session}/resume", **sends(StateDocument))
@writes
def resume_session(session: SessionId, site: At) -> Plain:
    """Repair what an unclean end left; whatever drives the session goes on by itself."""
    found = site.sessions.get_any(session)
    if found.state == "ended":
        raise SessionStateError(f"{session} has ended: there is nothing to go on with")
    repaired = [f"{repair.path}: {repair.what}" for repair in found.repair()]
    if is_rehearsal(found) and found.state == "interrupted":
        found.settle()
    return {"state": found.state, "repaired": repaired}


class Archiving(Body):
    """Where an ended session goes."""

    to: str | None = Field(
        None, min_length=1, max_length=1000, description="A folder, file://… or s3://…; null: as is set."
    )


@router.post("/sessions/{session}/archive", **sends(ArchivedDocument))
@takes_long
def archive_session(session: SessionId, archiving: Archiving, site: At) -> Plain:
    """Archive an ended session as a bag, read it back, and compare. Again sends only what is missing."""
    found = site.sessions.get_any(session)
    if not store_of(found).frozen:
        raise SessionStateError(f"{session} has not ended: end it first")
    done = found.archive(archiving.to, **site.s3)
    return {"session": done.session, "archive": done.archive, "objects": done.objects, "sent": done.sent}


@router.get("/sessions/{session}/intel", **sends(IntelDocument))
@reads
def get_intel(session: SessionId, site: At) -> Plain:
    """Give what is known from outside."""
    return intel_json(site.sessions.get(session))


@router.post("/sessions/{session}/intel", **sends(IntelDocument))
@takes_long
def add_intel(
    session: SessionId,
    files: Annotated[list[UploadFile], File(description="Markdown, text, YAML or JSON.")],
    site: At,
    key: Key = None,
) -> Plain:
    """Write a new revision of external-intel: Markdown, text, or a YAML or JSON list of findings."""
    with aside(files) as paths, site.sessions.using(session) as found:

        def work() -> Plain:
            found.add_intel(paths)
            return intel_json(found)

        sent = [[one.name, hashlib.sha256(one.read_bytes()).hexdigest()] for one in paths]
        again = partial(intel_json, found)
        done: Plain = once(site, session, key, ["intel", sent], work, effects=[INTEL], again=again)
        return done


class Searching(Body):
    """Names that no query may hold, besides the presenter's, the company's and the deck's figures."""

    without: list[Annotated[str, Field(max_length=200)]] = Field(
        [], max_length=100, description="Names that stay here."
    )


@router.post("/sessions/{session}/intel/search", **sends(SearchedIntelDocument))
@takes_long
def search_intel(session: SessionId, searching: Searching, site: At, key: Key = None) -> Plain:
    """Write a new revision of external-intel from the web, by an engine that can search it."""

    def work() -> Plain:
        with site.sessions.using(session) as found:
            if not can_search(found.rehearsal):
                engine = found.rehearsal.engine.name
                raise SessionStateError(f"the {engine} engine cannot search the web: send files")
            return searched_json(found, found.search_intel(without=searching.without))

    asked, again = ["search", searching.without], partial(_intel, site, session)
    done: Plain = once(site, session, key, asked, work, effects=[INTEL], again=again)
    return done


def _intel(site: Site, session: str) -> Plain:
    return intel_json(site.sessions.get(session))


@router.get("/sessions/{session}/verify", **sends(VerificationDocument))
@takes_long
def verify_session(
    session: SessionId,
    site: At,
    head: Annotated[str | None, Query(max_length=64, description="The ledger head that was kept.")] = None,
    archive: Annotated[bool, Query(description="Its archive, though it is in the home as well.")] = False,
) -> Plain:
    """Say whether every write kept the rules and nothing was changed since; `valid` says it, not the status.

    Looked at is what lies there now: the session's folder, or its archive where the home has none.
    """
    return verification_json(against_head(site.review.verify(session, archive=archive), head))


@router.get("/sessions/{session}/recap", **sends(RecapDocument))
@reads
def get_recap(session: SessionId, site: At) -> Plain:
    """Recap what the session came to: said, decided and left open."""
    return to_plain(site.sessions.get(session).recap())


# ---------------------------------------------------------------------- routes of kept sound
# /api/v1/sessions/{id}/sound: one's own answers, to hear again: kept where the presenter said so.


class Sound(Reply):
    """The sound of one answer."""

    exchange: str
    turn: int
    """1: the answer to the first question."""
    seconds: float


class KeptSound(Reply):
    """Whether sound is kept of a session, and what there is."""

    is_kept: bool
    """The presenter said so at the start."""
    answers: list[Sound]


@router.get("/sessions/{session}/sound")
@reads
def list_sound(session: SessionId, site: At) -> KeptSound:
    """List the answers that can be heard again."""
    found = site.sessions.get(session)
    answers = [
        Sound(exchange=one.exchange, turn=one.turn, seconds=one.seconds) for one in sounds_of(site.own, found)
    ]
    return KeptSound(is_kept=keeps_sound(site.own.sessions, found.name), answers=answers)


@router.get(
    "/sessions/{session}/sound/{exchange}/{turn}",
    response_class=Response,
    **sends_file(WAV, description="16 kHz, 16 bits, one channel."),
)
@reads
def get_sound(session: SessionId, exchange: ExchangeId, turn: TurnNumber, site: At) -> Response:
    """Give an answer as it was spoken: WAV, 16 kHz, one channel."""
    one = _answer(session, exchange, turn, site)
    name = f"{exchange}-{turn}.wav"
    headers = {"content-disposition": f'inline; filename="{name}"', "cache-control": "no-store"}
    return Response(joined(one.pieces), media_type=WAV, headers=headers)


@router.delete("/sessions/{session}/sound/{exchange}/{turn}", status_code=HTTPStatus.NO_CONTENT)
@reads
def delete_answer_sound(session: SessionId, exchange: ExchangeId, turn: TurnNumber, site: At) -> None:
    """Delete the sound of one answer; its words stay in the transcript."""
    for piece in _answer(session, exchange, turn, site).pieces:
        piece.unlink(missing_ok=True)


@router.delete("/sessions/{session}/sound", status_code=HTTPStatus.NO_CONTENT)
@reads
def delete_session_sound(session: SessionId, site: At) -> None:
    """Delete all sound of a session; none is kept of it from then on."""
    delete_sound(site.own.sessions, site.sessions.get(session).name)


def _answer(session: str, exchange: str, turn: int, site: Site) -> AnswerSound:
    for one in sounds_of(site.own, site.sessions.get(session)):
        if (one.exchange, one.turn) == (exchange, turn):
            return one
    raise HTTPException(HTTPStatus.NOT_FOUND, f"no sound is kept of answer {turn} to {exchange}")
