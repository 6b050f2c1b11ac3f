"""POST /api/v1/sessions/{id}/comments: a reviewer's comments on a session, stored beside it and never in
it."""

from __future__ import annotations

from http import HTTPStatus
from typing import Annotated

from fastapi import APIRouter, Depends
from pydantic import Field

from orchestrator.panel.comments import MAX_CHARS, MAX_NAME, Comment
from orchestrator.web.description import Body, SessionId
from orchestrator.web.open_sessions import reads, writes
from orchestrator.web.site import Site, site_of

router = APIRouter(tags=["review"])


class NewComment(Body):
    """A comment as it is sent."""

    author: str = Field(min_length=1, max_length=MAX_NAME)
    text: str = Field(min_length=1, max_length=MAX_CHARS)
    about: str = Field("", pattern="^(x[0-9]{1,4})?$", description="The exchange that it is about.")


@router.post("/sessions/{session}/comments", status_code=HTTPStatus.CREATED)
@writes
def add_comment(session: SessionId, remark: NewComment, site: Annotated[Site, Depends(site_of)]) -> Comment:
    """Add a comment to a session, here or in the archive."""
    name = site.review.row(session).entry.session
    return site.review.comments.add(name, site.author(remark.author), remark.text, remark.about)


@router.get("/sessions/{session}/comments")
@reads
def list_comments(session: SessionId, site: Annotated[Site, Depends(site_of)]) -> list[Comment]:
    """List all comments on a session, oldest first."""
    return site.review.comments.of(site.review.row(session).entry.session)
