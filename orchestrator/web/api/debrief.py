"""/api/v1/sessions/{id}/debrief: the debrief in each of its forms, and the actions that a person takes on
it."""

from __future__ import annotations

from functools import partial
from http import HTTPStatus
from threading import Lock
from typing import Annotated, Final, Literal

from fastapi import APIRouter, Depends, Path, Query
from pydantic import Field
from starlette.responses import JSONResponse, Response

from orchestrator.core.errors import AccessError
from orchestrator.documents.models.base import PersonVerdict
from orchestrator.documents.models.debrief import DebriefDocument
from orchestrator.panel.comments import MAX_NAME
from orchestrator.panel.debrief.exchange_json import person_json
from orchestrator.panel.debrief.json_form import as_json
from orchestrator.panel.debrief.page import as_html, as_markdown, as_paper
from orchestrator.panel.debrief.printing import as_pdf
from orchestrator.panel.loop.resolving import MAX_NOTE
from orchestrator.panel.records import exchanges
from orchestrator.panel.records.exchanges import AnswerJudged
from orchestrator.web.description import Body, Plain, Reply, SessionId, sends, sends_file
from orchestrator.web.once import Key, once
from orchestrator.web.open_sessions import Work, takes_long, writes
from orchestrator.web.site import Site, site_of

router = APIRouter(tags=["debrief"])
At = Annotated[Site, Depends(site_of)]

MEDIA: Final = {
    "md": "text/markdown; charset=utf-8",
    "html": "text/html; charset=utf-8",
    "pdf": "application/pdf",
}
_PRINTING = Lock()
"""The lock for printing, so that one page is printed at a time: each starts a browser, which takes some
200 MB."""


@router.get(
    "/sessions/{session}/debrief",
    response_model=None,
    responses={
        200: {
            "model": DebriefDocument,
            "content": {
                **{one.partition(";")[0]: {"schema": {"type": "string"}} for one in MEDIA.values()},
                MEDIA["pdf"]: {"schema": {"type": "string", "format": "binary"}},
            },
        }
    },
)
async def get_debrief(
    session: SessionId,
    site: At,
    format: Annotated[Literal["md", "html", "pdf", "json"], Query(description="In which form.")] = "json",
) -> Response:
    """Give the debrief as it stands. All forms but JSON come as files to keep."""
    work = Work.DRAW if format == "pdf" else Work.READ
    content = await site.threads.run(session, work, partial(_content, site, session, format))
    if format == "json":
        return Response(content, media_type="application/json")
    named = f'attachment; filename="debrief-{session}.{format}"'
    return Response(content, media_type=MEDIA[format], headers={"content-disposition": named})


@router.get(
    "/sessions/{session}/debrief/{form}",
    response_class=Response,
    **sends_file("text/markdown", "text/html", MEDIA["pdf"], description="The page, as a file to keep."),
)
async def download_debrief(
    session: SessionId,
    form: Annotated[Literal["md", "html", "pdf"], Path(description="Markdown, HTML or PDF.")],
    site: At,
) -> Response:
    """Give the debrief as a page: for clients that know one type of answer for each address."""
    return await get_debrief(session, site, form)


def _content(site: Site, session: str, format: str) -> bytes:
    found = site.sessions.get(session).debrief()
    match format:
        case "json":
            return bytes(JSONResponse(as_json(found)).body)
        case "pdf":
            with _PRINTING:
                return as_pdf(as_paper(found))
        case "html":
            return as_html(found).encode()
        case _:
            return as_markdown(found).encode()


class Dismissing(Body):
    """Which contradiction is none."""

    finding: str = Field(max_length=40, description='Its id, as the debrief shows it: "c2".')


class Dismissed(Reply):
    """What was dismissed, and how the session stands."""

    state: str
    """active, ended, …"""
    finding: str
    """The contradiction's id."""


@router.post("/sessions/{session}/dismiss")
@writes
def dismiss_contradiction(session: SessionId, dismissing: Dismissing, site: At, key: Key = None) -> Dismissed:
    """Dismiss a contradiction that is none: it leaves every page for good. Twice is no error."""

    def work() -> Dismissed:
        found = site.sessions.get(session)
        gone = found.dismiss(dismissing.finding)
        return Dismissed(state=found.state, finding=gone.id)

    asked = ["dismiss", dismissing.finding]
    dismissed: Dismissed = once(site, session, key, asked, work, effects=[exchanges.Dismissed.TYPE])
    return dismissed


class Judging(Body):
    """What a person says of an answer."""

    exchange: str = Field(max_length=40, description='Its id, as the debrief shows it: "x3".')
    verdict: Literal["given", "partly", "not"] | None = Field(
        description="Whether the answer gave what was asked; null takes back what was said before."
    )
    turn: int | None = Field(
        None, ge=1, le=10_000, description="Whose answer it is, from 1; without it the last that was given."
    )
    note: str = Field("", max_length=MAX_NOTE, description="Why, in a sentence.")
    by: str | None = Field(
        None, min_length=1, max_length=MAX_NAME, description="Who says so; without it the presenter."
    )


@router.post("/sessions/{session}/judge", **sends(PersonVerdict))
@writes
def judge_answer(session: SessionId, judging: Judging, site: At, key: Key = None) -> Plain:
    """Keep a person's verdict on an answer, beside the panel's: the last one counts.

    After the end it is kept beside the session, never in it, also of one that is reviewed in an archive.
    """

    def work() -> Plain:
        said = site.review.judge(
            session,
            judging.exchange,
            judging.verdict,
            turn=judging.turn,
            note=judging.note,
            by=site.author(judging.by or "") or None,
        )
        return person_json(said)

    if not site.review.is_in_home(session):  # an archive has no keys
        return work()
    asked = ["judge", judging.model_dump()]
    judged: Plain = once(site, session, key, asked, work, effects=[AnswerJudged.TYPE])
    return judged


class Drilling(Body):
    """The question that is put again."""

    exchange: str = Field(max_length=40, description='Its id, as the debrief shows it: "x3".')


class Drilled(Reply):
    """The session that was begun; its question is open."""

    session: str
    """Its id."""


@router.post("/sessions/{session}/drill", status_code=HTTPStatus.CREATED)
@takes_long
def drill_question(session: SessionId, drilling: Drilling, site: At) -> Drilled:
    """Begin a new session on the same deck, whose one exchange is that question."""
    found, owner = site.sessions.get(session), site.owner
    if owner is not None and found.rehearsal.store.opening.owner != owner.identity:
        raise AccessError(f"{session} is somebody else's: its own presenter can put a question of it again")
    begun = found.drill(drilling.exchange, **site.started_as)
    site.sessions.begin(begun)
    return Drilled(session=begun.id)
