"""/api/v1/memories, scratchpads, goals, briefings: what is remembered, which the presenter controls."""

from __future__ import annotations

from contextlib import suppress
from typing import Annotated

from fastapi import APIRouter, Depends, Query
from pydantic import Field

from orchestrator.documents import memories as documents
from orchestrator.documents.erasure import forgotten_json, left_over_json
from orchestrator.documents.memories import briefing_json
from orchestrator.documents.models.memories import (
    BriefingDocument,
    ConsentDocument,
    ForgottenDocument,
    GoalsDocument,
    MemoriesDocument,
    RememberedDocument,
    ScratchpadsDocument,
)
from orchestrator.memory.model import MemoryType, UnknownGoalError, UnknownMemoryError
from orchestrator.memory.presenter import same_name
from orchestrator.web.description import AgentId, Body, GoalId, MemoryId, Plain, sends
from orchestrator.web.site import Site, site_of

router = APIRouter(tags=["memory"])
At = Annotated[Site, Depends(site_of)]
Name = Annotated[str, Field(min_length=1, max_length=200)]
Presenter = Annotated[
    str | None, Query(min_length=1, max_length=200, description="Whose; without it everybody's.")
]
Agent = Annotated[str | None, Query(max_length=32, description="Only what this agent keeps.")]


class MemoryChange(Body):
    """What a memory says from now on; whatever is left out stays."""

    content: str | None = None
    type: str | None = Field(None, description="insight, pattern, strategy, preference or lesson.")
    confidence: float | None = Field(None, allow_inf_nan=False)
    tags: list[str] | None = None


class ScratchpadText(Body):
    """An agent's scratchpad; empty text removes it."""

    content: str
    presenter: Name | None = None


class Consent(Body):
    """Whether a presenter agrees to be remembered."""

    presenter: Name
    consented: bool


class NewGoal(Body):
    """What a presenter wants to get right."""

    text: str
    presenter: Name | None = Field(None, description="Needed where several are known here.")


@router.get("/memories", **sends(MemoriesDocument))
def list_memories(
    site: At,
    agent: Agent = None,
    presenter: Presenter = None,
    superseded: Annotated[bool, Query(description="Also those that a newer one corrects.")] = False,
    left: Annotated[bool, Query(description="In their place those that left.")] = False,
    type: Annotated[MemoryType | None, Query(description="Only those of this type.")] = None,
    tag: Annotated[str | None, Query(description="Only those with this tag.", max_length=100)] = None,
) -> Plain:
    """List every memory, newest first; with `left`, those that left because the agent had too many."""
    return documents.memories_json(
        site.own,
        agent=agent,
        presenter=site.of_whom(presenter),
        superseded=superseded,
        left=left,
        type_=type,
        tag=tag,
    )


@router.delete("/memories", **sends(ForgottenDocument))
def forget_presenter(
    site: At,
    presenter: Annotated[str, Query(min_length=1, max_length=200, description="Who is forgotten.")],
    agent: Agent = None,
) -> Plain:
    """Forget everything about a presenter for good; with `agent`, all that this one keeps."""
    done = documents.forget(site.own, presenter=site.of_whom(presenter), agent=agent)
    return forgotten_json(done, left_over_json(site.own, done))


@router.get("/memories/{memory}", **sends(MemoriesDocument))
def get_memory(memory: MemoryId, site: At) -> Plain:
    """Give one memory whole."""
    return _own_memory(site, memory)


@router.patch("/memories/{memory}", **sends(MemoriesDocument))
def edit_memory(memory: MemoryId, change: MemoryChange, site: At) -> Plain:
    """Change what is remembered; what it said before is wiped."""
    _own_memory(site, memory)
    return documents.edited_memory_json(site.own, memory, **change.model_dump())


@router.delete("/memories/{memory}", **sends(ForgottenDocument))
def forget_memory(memory: MemoryId, site: At) -> Plain:
    """Forget one memory for good."""
    _own_memory(site, memory)
    done = documents.forget(site.own, [memory])
    return forgotten_json(done, left_over_json(site.own, done))


@router.get("/remembered", **sends(RememberedDocument))
def get_remembered(site: At, agent: Agent = None, presenter: Presenter = None) -> Plain:
    """Give all that is kept: consent, memories, scratchpads, goals."""
    return documents.wholes_json(documents.wholes(site.own, agent=agent, presenter=site.of_whom(presenter)))


@router.put("/scratchpads/{agent}", **sends(ScratchpadsDocument))
def write_scratchpad(agent: AgentId, page: ScratchpadText, site: At) -> Plain:
    """Write an agent's page anew."""
    return documents.edited_scratchpad_json(site.own, agent, site.of_whom(page.presenter), page.content)


@router.put("/consent", **sends(ConsentDocument))
def set_consent(said: Consent, site: At) -> Plain:
    """Agree to be remembered, or no longer; what is kept stays, unused, until it is forgotten."""
    return documents.consent_json(site.own, site.of_whom(said.presenter), value=said.consented)


@router.get("/goals", **sends(GoalsDocument))
def list_goals(site: At, presenter: Presenter = None) -> Plain:
    """List the goals, and the exchanges that moved them."""
    return documents.goals_json(site.own, site.of_whom(presenter))


@router.post("/goals", **sends(GoalsDocument))
def add_goal(goal: NewGoal, site: At) -> Plain:
    """Add a goal; one that was heard in speech and says the same is taken up."""
    return documents.added_goal(site.own, site.of_whom(goal.presenter), goal.text)[1]


@router.post("/goals/{goal}/done", **sends(GoalsDocument))
def complete_goal(goal: GoalId, site: At) -> Plain:
    """Say that a goal is reached."""
    _own_goal(site, goal)
    return documents.done_goal(site.own, goal)[1]


@router.delete("/goals/{goal}", **sends(GoalsDocument))
def drop_goal(goal: GoalId, site: At) -> Plain:
    """Refuse a proposed goal, or give one up: it is removed for good."""
    _own_goal(site, goal)
    return documents.dropped_goal(site.own, goal)[1]


@router.get("/briefing/{agent}", **sends(BriefingDocument))
def get_briefing(agent: AgentId, site: At, presenter: Presenter = None) -> Plain:
    """Tell the situation as this agent would be told it now."""
    return briefing_json(site.own, agent, site.of_whom(presenter))


# ---------------------------------------------------------------------- one's own


def _own_memory(site: Site, memory: str) -> Plain:
    """Return a memory, if it is of who asks: another's is unknown, as one that there is not.

    Raises:
        UnknownMemoryError
    """
    if site.is_keeper:
        return documents.memory_one_json(site.own, memory)
    with suppress(UnknownMemoryError):
        found = documents.memory_one_json(site.own, memory)
        if same_name(found["memories"][0]["presenter"], site.whose):
            return found
    raise UnknownMemoryError(f"there is no memory {memory[:40]!r} of yours")


def _own_goal(site: Site, goal: str) -> None:
    """Refuse a goal of somebody else as one that there is not.

    Raises:
        UnknownGoalError
    """
    if site.is_keeper:
        return
    known = documents.goals_json(site.own, site.of_whom(None))["goals"]
    if all(one["id"] != goal for one in known):
        raise UnknownGoalError(f"there is no goal {goal[:40]!r} of yours")
