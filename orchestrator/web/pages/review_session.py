"""GET /review/{session}: one session as a timeline, …/questions/{exchange}: what was known, …/export."""

from __future__ import annotations

from http import HTTPStatus
from typing import Annotated, Literal

from fastapi import APIRouter, Depends
from starlette.responses import HTMLResponse, Response

from orchestrator.core.errors import ArchiveError, ArchiveUnavailableError, ReceiptError
from orchestrator.documents.erasure import only_archived
from orchestrator.rehearsal.session import Session
from orchestrator.review.catalogue import Row
from orchestrator.web.known import knowledge
from orchestrator.web.reviewing import Checked
from orchestrator.web.site import Site, site_of
from orchestrator.web.templating import markdown, page
from orchestrator.web.threads import reads
from orchestrator.web.timeline import timeline
from orchestrator.web.timeline_export import as_markdown, as_redacted

router = APIRouter()
At = Annotated[Site, Depends(site_of)]


@router.get("/review/{session}", response_class=HTMLResponse)
@reads
def review_session(session: str, site: At, check: bool = False) -> HTMLResponse:
    """The timeline. *check*: verify the session now, also where that was done before."""
    row = site.review.row(session)
    try:
        checked = site.review.checked(row, again=True) if check else None
        if checked and not (row.is_here or checked[-1].is_shown):
            return _refused(site, row, checked[-1])
        found = site.review.session(row)
        checked = checked or site.review.checked(row)
    except ArchiveError as error:
        return _not_right(site, row, error)
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
        # Nobody else's token is asked for: whoever reads here is whose rehearsals these are.
        is_own=site.home is not None and site.token is None,
        counts=site.review.outcomes(row),
        comments=site.review.comments.of(session),
        title=site.review.titles.of(session),
        runs=site.review.catalogue.runs_beside(row),
        only_in=() if site.home is None or row.is_here else only_archived(site.home, session),
    )


@router.get("/review/{session}/questions/{exchange}", response_class=HTMLResponse)
@reads
def question(session: str, exchange: str, site: At) -> HTMLResponse:
    """The files that the panelist was given for this question."""
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
    """The timeline as a file of its own, with the head by which it can be checked."""
    row = site.review.row(session)
    found: Session = site.review.session(row)
    moments = timeline(found.rehearsal, site.review.persons(found))
    return _file(as_markdown(found, moments), row.entry.deck, session, format)


@router.get("/review/{session}/redacted")
@reads
def redacted(session: str, site: At, format: Literal["md", "html"] = "html") -> Response:
    """The timeline for sharing, without the names of those who spoke."""
    row = site.review.row(session)
    found = site.review.session(row)
    moments = timeline(found.rehearsal, site.review.persons(found))
    return _file(as_redacted(found, moments), "Redacted session", "redacted", format)


def _file(text: str, title: str, name: str, format: str) -> Response:
    """Markdown as a file, as it is or as a page of its own."""
    if format == "html":
        answer: Response = page("review_export.html", title=title, body=markdown(text))
    else:
        answer = Response(text, media_type="text/markdown; charset=utf-8")
    answer.headers["content-disposition"] = f'attachment; filename="{name}.{format}"'
    return answer


def _drilled_row(site: Site, found: Session) -> Row | None:
    """The session whose question a drill puts again; None: it is no drill, or that session is not here."""
    drilled = found.rehearsal.drilled
    return site.review.catalogue.get(drilled.session) if drilled is not None else None


def _not_right(site: Site, row: Row, error: ArchiveError) -> HTMLResponse:
    """The page in place of an archive that is not right, or cannot be read now."""
    if isinstance(error, ArchiveUnavailableError):
        return _refused(site, row, Checked("", None, "", row.entry.head, why=str(error)))
    checked = site.review.checked(row, again=True)
    if checked and not checked[-1].is_shown:
        return _refused(site, row, checked[-1], first=str(error))
    # What was wrong a moment ago is right now: somebody is at work there.
    return _refused(site, row, Checked("", False, "", row.entry.head, why=str(error)))


def _refused(site: Site, row: Row, checked: Checked, *, first: str = "") -> HTMLResponse:
    """The page in place of an archive that was looked at just now; *first*: what was met before that."""
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
