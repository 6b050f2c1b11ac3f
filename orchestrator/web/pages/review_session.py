"""GET /review/{session}: one session as a timeline; …/questions/{exchange}: what the panelist knew;
…/export."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from http import HTTPStatus
from typing import Annotated, Literal

from fastapi import APIRouter, Depends
from starlette.responses import HTMLResponse, Response

from orchestrator.core import session as core
from orchestrator.core.context.assemble import Context
from orchestrator.core.context.frames import CARRIED_FOOTER, CARRIED_HEADER, unescape
from orchestrator.core.context.receipt import Receipt
from orchestrator.core.errors import ArchiveError, ArchiveUnavailableError, ReceiptError, UsageError
from orchestrator.core.store.ledger import FILE_OPS
from orchestrator.core.store.store import Store
from orchestrator.core.table import Mutability
from orchestrator.documents.erasure import only_archived
from orchestrator.documents.opening import context_then, is_rehearsal, store_of
from orchestrator.panel.debrief.parts import is_of_bank
from orchestrator.panel.loop.asking import OF_ONES_OWN
from orchestrator.panel.loop.calling_on import digest, is_same_digest
from orchestrator.panel.loop.panelist import made_from
from orchestrator.panel.model.exchange import Exchange
from orchestrator.panel.records.exchanges import CandidateWritten, ExchangeOpened
from orchestrator.panel.records.kinds import value_of
from orchestrator.rehearsal.rehearsal import Rehearsal
from orchestrator.review.catalogue import Row
from orchestrator.web.open_sessions import reads
from orchestrator.web.reviewing import Checked
from orchestrator.web.site import Site, site_of
from orchestrator.web.templating import markdown, page
from orchestrator.web.timeline import as_markdown, as_redacted, timeline

# ---------------------------------------------------------------------- known
# What a panelist knew when it asked: the files of that receipt, and what in them was new to it.


@dataclass(frozen=True, slots=True)
class KnownFile:
    """One file as the panelist was given it, for one question."""

    index: int
    path: str
    mutability: str
    size_bytes: int
    sha256: str
    before: str  # what it had read already
    new: str  # what had come since its receipt before; all of a file that was rewritten
    is_new: bool
    is_private: bool  # nobody else on the panel is given it


@dataclass(frozen=True, slots=True)
class Knowledge:
    """All files that one panelist was given for one question."""

    exchange: Exchange
    name: str
    color: str
    is_of_bank: bool  # the offline panel asked it: nobody has read the files for it
    receipt: Receipt | None  # None: it was not asked for this question; then as of the record before it
    seq: int
    at_s: float  # session clock
    asked_seq: int
    sha256: str
    size_bytes: int
    files: tuple[KnownFile, ...]
    carried: str  # from earlier sessions; "": nothing
    before: Receipt | None  # its receipt before


def knowledge(session: Rehearsal, exchange_id: str) -> Knowledge:
    """Return the files that the panelist was given for this question, rebuilt and compared with the receipt.

    Raises:
        UsageError: There is no such exchange.
        ReceiptError: A file differs from what the receipt says.
    """
    rehearsal = session.rehearsal
    exchange = next((one for one in session.projection.asked if one.id == exchange_id), None)
    if exchange is None:
        raise UsageError(f"there is no question {exchange_id!r} in {session.id}", value=exchange_id)
    asked_seq, made_from = _asked(session, exchange)
    own = [one for one in session.receipts() if one.agent == exchange.agent and one.seq < asked_seq]
    receipt = next((one for one in reversed(own) if is_same_digest(_inputs(one), made_from)), None)
    if receipt is not None:
        context = session.replay(receipt)
    else:
        context = session.context(exchange.agent, at=asked_seq - 1)
    earlier = [one for one in own if one.seq < context.seq and one != receipt]
    before = earlier[-1] if earlier else None
    persona = rehearsal.seats[exchange.agent].persona
    text = context.text
    return Knowledge(
        exchange=exchange,
        name=persona.name,
        color=persona.color,
        is_of_bank=exchange.why_this_agent != OF_ONES_OWN and is_of_bank(rehearsal, exchange.id),
        receipt=receipt,
        seq=context.seq,
        at_s=rehearsal.store.record(context.seq).clock_s,
        asked_seq=asked_seq,
        sha256=context.sha256,
        size_bytes=len(text.encode()),
        files=_files(context, before),
        carried=unescape(context.carried.removeprefix(CARRIED_HEADER).removesuffix(CARRIED_FOOTER)),
        before=before,
    )


def _asked(session: Rehearsal, exchange: Exchange) -> tuple[int, str | None]:
    """Return the number of the record that opened the exchange, and the digest of its question's source
    files.

    The digest is None if the question is not the panelist's own candidate, because somebody else put it, or
    because it was asked before and came back.
    """
    store = session.rehearsal.store
    made_from: str | None = None
    for entry in store.entries():
        if entry.op not in ("note", "replace"):
            continue
        record = store.record(entry.seq)
        match value_of(record):
            case CandidateWritten(waiting) if record.by == exchange.agent:
                is_it = waiting.candidate.question in exchange.turns[0].question and waiting.status == "ready"
                made_from = waiting.input_sha256 if is_it and exchange.brought is None else None
            case ExchangeOpened(opened) if opened.id == exchange.id:
                return entry.seq, made_from
    raise UsageError(f"no record opens {exchange.id}", value=exchange.id)


def _inputs(receipt: Receipt) -> str:
    """Return the digest of a receipt's files in the form that a candidate's record has
    (`loop.refreshing`)."""
    return digest(made_from(receipt))


def _files(context: Context, before: Receipt | None) -> tuple[KnownFile, ...]:
    known = {path: (size, sha256) for path, size, sha256 in before.files} if before is not None else {}
    return tuple(
        KnownFile(
            index=block.index,
            path=block.path,
            mutability=block.mutability,
            size_bytes=block.size_bytes,
            sha256=block.sha256,
            before=parts[0],
            new=parts[1],
            is_new=known.get(block.path, (0, ""))[1] != block.sha256,
            is_private=block.path.startswith((f"{context.agent}/", f"templates/{context.agent}/")),
        )
        for block in context.blocks
        for parts in [_split(unescape(block.inner), block.mutability, known.get(block.path), block.sha256)]
    )


def _split(text: str, mutability: str, known: tuple[int, str] | None, sha256: str) -> Sequence[str]:
    """Return the part of a file's text that the receipt before already had, and the new part."""
    if known is None:
        return "", text
    if known[1] == sha256:
        return text, ""
    if mutability != Mutability.APPEND_ONLY:
        return "", text
    raw = text.encode()
    return raw[: known[0]].decode(errors="ignore"), raw[known[0] :].decode(errors="ignore")


# ---------------------------------------------------------------------- review session


router = APIRouter()
At = Annotated[Site, Depends(site_of)]


@router.get("/review/{session}", response_class=HTMLResponse)
@reads
def review_session(session: str, site: At, check: bool = False) -> HTMLResponse:
    """Return the timeline of a session. If *check* is true, the session is verified again now."""
    row = site.review.row(session)
    try:
        checked = site.review.checked(row, again=True) if check else None
        if checked and not (row.is_here or checked[-1].is_shown):
            return _refused(site, row, checked[-1])
        found = site.review.session_any(row)
        checked = checked or site.review.checked(row)
    except ArchiveError as error:
        return _not_right(site, row, error)
    if not is_rehearsal(found):
        return _crew_page(site, row, found, checked)
    return page(
        "review_session.html",
        has_home=site.home is not None,
        base=site.base,
        row=row,
        standing=site.review.standing(row),
        session=found,
        drilled=found.rehearsal.drilled,
        drilled_row=_drilled_row(site, found),
        moments=timeline(found.rehearsal, site.review.persons(found)),
        slides=found.rehearsal.scene().deck.slides,
        contradictions=found.contradictions,
        checked=checked,
        # Without a token and a sign-in, whoever reads here is whose rehearsals these are.
        is_own=_is_own(site, row),
        counts=site.review.outcomes(row),
        comments=site.review.comments.of(session),
        title=site.review.titles.of(session),
        runs=site.catalogue.runs_beside(row),
        is_ours=(is_ours := site.review.is_ours(row)),
        only_in=() if site.home is None or is_ours else only_archived(site.home, session),
    )


def _is_own(site: Site, row: Row) -> bool:
    if site.gate is not None:
        return site.asker is not None and site.asker.owns(row.entry.owner)
    return site.home is not None and site.token is None


@dataclass(frozen=True, slots=True)
class WrittenFile:
    """A file of another crew's session, as it is now."""

    path: str
    mutability: str
    writers: tuple[str, ...]
    size_bytes: int
    revisions: int
    text: str


@dataclass(frozen=True, slots=True)
class Moment:
    """A write or a note in another crew's session."""

    seq: int
    at: str
    by: str
    what: str  # the file, or the type of the note
    op: str
    told: str  # the text, or what the note says as JSON
    receipt: str | None  # of the context that it came from


def _crew_page(site: Site, row: Row, found: core.Session, checked: Sequence[Checked]) -> HTMLResponse:
    """Return the page of another crew's session: its files, each write with its context, and its
    verification."""
    store = store_of(found)
    states = {path: store.state(path) for path in store.layout.files}
    return page(
        "review_crew.html",
        has_home=site.home is not None,
        base=site.base,
        row=row,
        standing=site.review.standing(row),
        session=found,
        table=store.layout.table,
        head=store.head,
        records=store.seq,
        files=[
            WrittenFile(
                path,
                one.mutability.value,
                one.writers,
                states[path].size_bytes,
                states[path].revisions,
                store.content(path),
            )
            for path, one in store.layout.files.items()
        ],
        moments=list(_moments(store, found)),
        receipts=found.receipts(),
        checked=checked,
        comments=site.review.comments.of(row.entry.session),
        title=site.review.titles.of(row.entry.session),
        is_ours=(is_ours := site.review.is_ours(row)),
        only_in=() if site.home is None or is_ours else only_archived(site.home, row.entry.session),
    )


def _moments(store: Store, session: core.Session) -> Iterator[Moment]:
    notes = {one.seq: one for one in session.notes()}
    for entry in store.entries():
        if entry.op in FILE_OPS:
            record = store.record(entry.seq)
            what = record.file or ""
            yield Moment(record.seq, record.at, record.by, what, record.op, record.text or "", record.receipt)
        elif entry.seq in notes:
            note = notes[entry.seq]
            told = json.dumps(dict(note.fields), ensure_ascii=False)
            yield Moment(note.seq, note.at, note.by, note.type, "note", told, None)


@router.get("/review/{session}/contexts/{receipt}", response_class=HTMLResponse)
@reads
def given(session: str, receipt: str, site: At) -> HTMLResponse:
    """Return the page with the files that an agent was given, rebuilt and compared with the receipt."""
    row = site.review.row(session)
    failed, context, before = None, None, None
    try:
        found = site.review.session_any(row)
        of_it = found.receipt(receipt)
        context = context_then(found, receipt, of_it.agent)
        earlier = [one for one in found.receipts() if one.agent == of_it.agent and one.seq < of_it.seq]
        before = earlier[-1] if earlier else None
    except ArchiveError as error:
        return _not_right(site, row, error)
    except ReceiptError as error:
        failed = str(error)
    return page(
        "review_context.html",
        404 if failed else 200,
        has_home=site.home is not None,
        base=site.base,
        row=row,
        failed=failed,
        receipt=None if context is None else context.receipt,
        before=before,
        sha256="" if context is None else context.sha256,
        size_bytes=0 if context is None else len(context.text.encode()),
        files=() if context is None else _files(context, before),
    )


@router.get("/review/{session}/questions/{exchange}", response_class=HTMLResponse)
@reads
def question(session: str, exchange: str, site: At) -> HTMLResponse:
    """Return the page with the files that the panelist was given for this question."""
    row = site.review.row(session)
    try:
        found = site.review.session(row)
        known, failed = knowledge(found, exchange), None
    except ArchiveError as error:
        return _not_right(site, row, error)
    except ReceiptError as error:
        known, failed = None, str(error)
    return page(
        "review_question.html",
        409 if failed else 200,
        has_home=site.home is not None,
        base=site.base,
        row=row,
        exchange=exchange,
        known=known,
        failed=failed,
    )


@router.get("/review/{session}/export")
@reads
def export(session: str, site: At, format: Literal["md", "html"] = "md") -> Response:
    """Return the timeline as a file, with the ledger's head, by which it can be checked later."""
    row = site.review.row(session)
    found: Rehearsal = site.review.session(row)
    moments = timeline(found.rehearsal, site.review.persons(found))
    return _file(as_markdown(found, moments), row.entry.deck, session, format)


@router.get("/review/{session}/redacted")
@reads
def redacted(session: str, site: At, format: Literal["md", "html"] = "html") -> Response:
    """Return the timeline for sharing, without the names of those who spoke."""
    row = site.review.row(session)
    found = site.review.session(row)
    moments = timeline(found.rehearsal, site.review.persons(found))
    return _file(as_redacted(found, moments), "Redacted session", "redacted", format)


def _file(text: str, title: str, name: str, format: str) -> Response:
    """Return Markdown as a file: unchanged, or as a complete HTML page."""
    if format == "html":
        answer: Response = page("review_export.html", title=title, body=markdown(text))
    else:
        answer = Response(text, media_type="text/markdown; charset=utf-8")
    answer.headers["content-disposition"] = f'attachment; filename="{name}.{format}"'
    return answer


def _drilled_row(site: Site, found: Rehearsal) -> Row | None:
    """Return the session whose question a drill repeats, or None if the session is not a drill or that one
    is not here."""
    drilled = found.rehearsal.drilled
    return site.catalogue.get(drilled.session) if drilled is not None else None


def _not_right(site: Site, row: Row, error: ArchiveError) -> HTMLResponse:
    """Return the page that replaces an archive that has a fault, or that cannot be read now."""
    if isinstance(error, ArchiveUnavailableError):
        return _refused(site, row, Checked("", None, "", row.entry.head, why=str(error)))
    checked = site.review.checked(row, again=True)
    if checked and not checked[-1].is_shown:
        return _refused(site, row, checked[-1], first=str(error))
    # What was wrong a moment ago is right now: somebody is at work there.
    return _refused(site, row, Checked("", False, "", row.entry.head, why=str(error)))


def _refused(site: Site, row: Row, checked: Checked, *, first: str = "") -> HTMLResponse:
    """Return the page that replaces an archive that was just verified; *first* is an earlier error."""
    is_unavailable = checked.is_valid is None
    return page(
        "review_refused.html",
        HTTPStatus.BAD_GATEWAY if is_unavailable else HTTPStatus.CONFLICT,
        has_home=site.home is not None,
        base=site.base,
        row=row,
        why=checked.why or first or f"{checked.archive}: is not what was archived there",
        findings=checked.findings,
        is_unavailable=is_unavailable,
    )
