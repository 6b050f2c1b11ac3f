"""Questions and verdicts of a loop outside: it asks and judges by itself, and Greenroom keeps the proof."""

from __future__ import annotations

from functools import partial
from http import HTTPStatus
from typing import Annotated, Any, Literal, Self

from fastapi import APIRouter, Depends
from pydantic import BaseModel, ConfigDict, Field, model_validator

from orchestrator.panel.debrief.exchange_json import exchange_json
from orchestrator.panel.records.exchanges import ExchangeClosed, ExchangeOpened, VerdictGiven
from orchestrator.panel.records.moderator import QuestionsWanted
from orchestrator.web.once import Key, once
from orchestrator.web.site import Site, site_of
from orchestrator.web.threads import takes_long, writes

router = APIRouter(tags=["room"])
At = Annotated[Site, Depends(site_of)]
Words = Annotated[str, Field(min_length=1, max_length=20_000)]


class Question(BaseModel):
    """A question that the panel's own engine did not make; empty: the panel is to ask one of its own, now."""

    model_config = ConfigDict(extra="forbid")

    agent: str | None = Field(None, max_length=32, description="The panelist who puts it.")
    question: Words | None = None
    quote: Words | None = Field(
        None, description="The words it is about, as they stand on a slide or were said."
    )

    @model_validator(mode="after")
    def _is_whole(self) -> Self:
        if (self.agent is None) != (self.question is None):
            raise ValueError("a question of your own needs both the agent who puts it and its words")
        if self.question is None and self.quote is not None:
            raise ValueError("a quote goes with a question of your own: give that as well")
        return self


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
@writes
def put_question(session: str, own: Question, site: At, key: Key = None) -> dict[str, Any]:
    """Put a question of your own; returns its exchange.

    With an empty object: the presenter asks the panel for one now, wherever the talk stands. Who drives the
    session puts it, so nothing is returned yet.
    """

    def work() -> dict[str, Any]:
        site.drives.go_on(site.sessions.get(session))
        if own.question is None:
            site.sessions.get(session).questions_now()
            return {}
        asked = site.sessions.get(session).ask(own.agent, question=own.question, quote=own.quote)
        assert asked is not None  # noqa: S101  # only a question that the panel is to find can be missing
        return exchange_json(asked)

    what, again = ["question", own.model_dump()], partial(_last, site, session)
    effects = [ExchangeOpened.TYPE]
    if own.question is None:
        effects, again = [QuestionsWanted.TYPE], partial(dict[str, Any])
    put: dict[str, Any] = once(site, session, key, what, work, effects=effects, again=again)
    return put


@router.post("/sessions/{session}/verdict")
@takes_long
def judge(session: str, own: Verdict, site: At, key: Key = None) -> dict[str, Any]:
    """Judge the open question's answer: what was said since it was asked. Returns the exchange."""

    def work() -> dict[str, Any]:
        with site.sessions.using(session) as found:
            judged = found.judge(own.verdict, reason=own.reason, quote=own.quote, follow_up=own.follow_up)
            return exchange_json(judged)

    what, again = ["verdict", own.model_dump()], partial(_last, site, session)
    effects = [VerdictGiven.TYPE, ExchangeClosed.TYPE]
    judged: dict[str, Any] = once(site, session, key, what, work, effects=effects, again=again)
    return judged


def _last(site: Site, session: str) -> dict[str, Any]:
    """The last exchange as it stands, for a request that was cut off before its reply."""
    return exchange_json(site.sessions.get(session).projection.asked[-1])
