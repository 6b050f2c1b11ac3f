"""One task for the model: what is wanted, who is told what, and the request that goes out for it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from orchestrator.core.context.messages import Messages
from orchestrator.panel.engines.model.outcomes import Outcome
from orchestrator.panel.engines.model.schemas import Part, Reply
from orchestrator.panel.engines.model.turns import Rounds
from orchestrator.panel.model.usage import CallUsage


@dataclass(frozen=True, slots=True)
class Outgoing:
    """One request, and as much of it as the meter must know."""

    plain: Mapping[str, Any]  # the arguments of the SDK's call
    messages: Messages  # what was sent after a first reply stands at the end of the user's blocks
    settings: str  # whatever would break the cache if it differed
    most_tokens: int  # that the reply may have


OnPartial = Callable[[Mapping[str, Any]], None]
OnSent = Callable[[Outgoing, float, CallUsage], None]
"""Told the request, when it went out on a clock that does not run backwards, and what it used."""


@dataclass(frozen=True, slots=True)
class Task:
    """What is wanted of the model, and who is told what."""

    agent: str
    kind: str
    messages: Messages
    outcome_of: Callable[[Any], Outcome]  # of a part of the right shape
    on_sent: OnSent  # after each request that got a reply
    on_partial: OnPartial | None = None  # streams: the object as far as it goes
    tools: Sequence[Mapping[str, Any]] = ()  # definitions that stand in every request
    rounds: Rounds | None = None  # what is done with those that are used
    shape: type[Part] | None = Reply  # of the whole reply; None: any
    deadline_s: float | None = None  # None: the settings'
    model: str | None = None  # None: the settings'
    most_tokens: int | None = None  # of the reply, where the model has little room


Recorded = Callable[[Task, Mapping[str, Any], bool], dict[str, Any]]
"""Gives the message that was recorded for a task's request; whether that is one which was sent back."""
