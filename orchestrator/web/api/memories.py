"""/api/v1/memories, scratchpads, goals, briefings: what is remembered, under the presenter's control."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Depends, Query
from pydantic import BaseModel, ConfigDict, Field

from orchestrator.documents import memories as documents
from orchestrator.documents.erasure import forgotten_json, left_over_json
from orchestrator.documents.memories import briefing_json
from orchestrator.memory.model import MemoryType
from orchestrator.web.site import Site, site_of

router = APIRouter(tags=["memory"])
At = Annotated[Site, Depends(site_of)]
Name = Annotated[str, Field(min_length=1, max_length=200)]
Presenter = Annotated[str | None, Query(min_length=1, max_length=200)]
Agent = Annotated[str | None, Query(max_length=32)]
Document = dict[str, Any]


class Change(BaseModel):
    """What a memory says from now on; whatever is left out stays."""

    model_config = ConfigDict(extra="forbid")

    content: str | None = None
    type: str | None = Field(None, description="insight, pattern, strategy, preference or lesson.")
    confidence: float | None = Field(None, allow_inf_nan=False)
    tags: list[str] | None = None


class Page(BaseModel):
    """An agent's scratchpad; empty text removes it."""

    model_config = ConfigDict(extra="forbid")

    content: str
    presenter: Name | None = None


class Consent(BaseModel):
    """Whether a presenter agrees to be remembered."""

    model_config = ConfigDict(extra="forbid")

    presenter: Name
    consented: bool


class Goal(BaseModel):
    """What a presenter wants to get right."""

    model_config = ConfigDict(extra="forbid")

    text: str
    presenter: Name | None = Field(None, description="Needed where several are known here.")


@router.get("/memories")
def memories(
    site: At,
    agent: Agent = None,
    presenter: Presenter = None,
    superseded: bool = False,
    left: bool = False,
    type: Annotated[MemoryType | None, Query(description="Only those of this type.")] = None,
    tag: Annotated[str | None, Query(description="Only those with this tag.", max_length=100)] = None,
) -> Document:
    """Every memory, newest first; with `left`, those that left because the agent had too many."""
    return documents.memories_json(
        site.own, agent=agent, presenter=presenter, superseded=superseded, left=left, type_=type, tag=tag
    )


@router.delete("/memories")
def forget_all(
    site: At, presenter: Annotated[str, Query(min_length=1, max_length=200)], agent: Agent = None
) -> Document:
    """Forget everything about a presenter for good; with `agent`, all that this one keeps."""
    done = documents.forget(site.own, presenter=presenter, agent=agent)
    return forgotten_json(done, left_over_json(site.own, done))


@router.get("/memories/{memory}")
def memory(memory: str, site: At) -> Document:
    """One memory whole."""
    return documents.memory_one_json(site.own, memory)


@router.patch("/memories/{memory}")
def edit(memory: str, change: Change, site: At) -> Document:
    """Change what is remembered; what it said before is wiped."""
    return documents.edited_memory_json(site.own, memory, **change.model_dump())


@router.delete("/memories/{memory}")
def forget(memory: str, site: At) -> Document:
    """Forget one memory for good."""
    done = documents.forget(site.own, [memory])
    return forgotten_json(done, left_over_json(site.own, done))


@router.get("/remembered")
def remembered(site: At, agent: Agent = None, presenter: Presenter = None) -> Document:
    """All that is kept: consent, memories, scratchpads, goals."""
    return documents.wholes_json(documents.wholes(site.own, agent=agent, presenter=presenter))


@router.put("/scratchpads/{agent}")
def scratchpad(agent: str, page: Page, site: At) -> Document:
    """Write an agent's page anew."""
    return documents.edited_scratchpad_json(site.own, agent, page.presenter, page.content)


@router.put("/consent")
def consent(said: Consent, site: At) -> Document:
    """Agree to be remembered, or no longer; what is kept stays, unused, until it is forgotten."""
    return documents.consent_json(site.own, said.presenter, value=said.consented)


@router.get("/goals")
def goals(site: At, presenter: Presenter = None) -> Document:
    """The goals, and the exchanges that moved them."""
    return documents.goals_json(site.own, presenter)


@router.post("/goals")
def add_goal(goal: Goal, site: At) -> Document:
    """Add a goal; one that was heard in speech and says the same is taken up."""
    return documents.added_goal(site.own, goal.presenter, goal.text)[1]


@router.post("/goals/{goal}/done")
def goal_done(goal: str, site: At) -> Document:
    """A goal is reached."""
    return documents.done_goal(site.own, goal)[1]


@router.delete("/goals/{goal}")
def drop_goal(goal: str, site: At) -> Document:
    """Refuse a proposed goal, or give one up: it is removed for good."""
    return documents.dropped_goal(site.own, goal)[1]


@router.get("/briefing/{agent}")
def briefing(agent: str, site: At, presenter: Presenter = None) -> Document:
    """The situation as this agent would be told it now."""
    return briefing_json(site.own, agent, presenter)
