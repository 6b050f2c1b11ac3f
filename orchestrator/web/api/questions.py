"""Questions and verdicts of a loop outside: it asks and judges by itself, and Greenroom keeps the proof."""

from __future__ import annotations

from http import HTTPStatus
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Depends
from pydantic import BaseModel, ConfigDict, Field

from orchestrator.debrief.exchange_json import exchange_json
from orchestrator.web.site import Site, site_of

router = APIRouter(tags=["room"])
At = Annotated[Site, Depends(site_of)]
Words = Annotated[str, Field(min_length=1, max_length=20_000)]


class Question(BaseModel):
    """A question that the panel's own engine did not make."""

    model_config = ConfigDict(extra="forbid")

    agent: str = Field(max_length=32, description="The panelist who puts it.")
    question: Words
    quote: Words | None = Field(
        None, description="The words it is about, as they stand on a slide or were said."
    )


class Verdict(BaseModel):
    """What the last answer was worth."""

    model_config = ConfigDict(extra="forbid")

    verdict: Literal["satisfied", "follow_up", "escalate", "unjudged"]
    reason: Words
    quote: Words | None = Field(
        None, description="The presenter's words behind it, as they stand in the answer."
    )
    follow_up: Words | None = Field(
        None, description="The next question; without one the exchange is closed."
    )


@router.post("/sessions/{session}/questions", status_code=HTTPStatus.CREATED)
def put_question(session: str, own: Question, site: At) -> dict[str, Any]:
    """Put a question of your own; returns its exchange."""
    asked = site.sessions.get(session).ask(own.agent, question=own.question, quote=own.quote)
    assert asked is not None  # noqa: S101  # only a question that the panel is to find can be missing
    return exchange_json(asked)


@router.post("/sessions/{session}/verdict")
def judge(session: str, own: Verdict, site: At) -> dict[str, Any]:
    """Judge the open question's answer: what was said since it was asked. Returns the exchange."""
    found = site.sessions.get(session)
    judged = found.judge(own.verdict, reason=own.reason, quote=own.quote, follow_up=own.follow_up)
    return exchange_json(judged)
