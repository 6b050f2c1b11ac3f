"""The check at a start: one small real question, of the kind that follows, with all that will be used.

It shows a bad key, an unknown model or a server that answers otherwise before a rehearsal begins, and
finds out once what the service lacks, so that nothing is refused in the middle.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import closing, suppress
from dataclasses import dataclass, replace
from time import monotonic
from typing import Any, Final

from orchestrator.checks.grounding import found_in
from orchestrator.engines.model.calls import perform
from orchestrator.engines.model.failures import PassingError
from orchestrator.engines.model.outcomes import Fault, Outcome
from orchestrator.engines.model.service import FEATURES, Service
from orchestrator.engines.model.settings import Settings
from orchestrator.engines.model.standalone import alone
from orchestrator.engines.model.standalone_schemas import ReadyPart
from orchestrator.engines.model.task import OnSent, Outgoing, Task
from orchestrator.engines.model.tasks import prompt
from orchestrator.errors import EngineError
from orchestrator.layout import MODERATOR
from orchestrator.model.usage import CallUsage

CHECK_S: Final = 120.0
"""How long it may take: a server on the user's own machine first loads its model."""
TOOL: Final[Mapping[str, Any]] = {
    "name": "look_up",
    "description": "Looks a word up. Not needed now.",
    "input_schema": {"type": "object", "properties": {"word": {"type": "string"}}, "required": ["word"]},
}


@dataclass(frozen=True, slots=True)
class Probe:
    """What a service can do, and how quick it is."""

    seconds: float  # of one small question
    knows: frozenset[str]  # of FEATURES
    is_cached: bool  # it says what it read from its cache and wrote to it
    is_verbatim: bool  # it copied the quote word for word


def probe(service: Service, model: str, on_sent: OnSent, *, tools: bool = False) -> Probe:
    """Ask *model* the small question.

    Args:
        tools: Offer a tool as well, to see whether the service takes any.

    Raises:
        EngineError: No key, key refused, model unknown, nobody there (these have `stops`), or no usable
            reply, as of a service that is only busy; one line.
    """
    return service.submit(_probed(service, model, on_sent, tools)).result()


def probe_settings(settings: Settings) -> Probe:
    """The same for a service that nobody has asked yet."""
    with closing(Service(settings)) as service:
        return probe(service, settings.model, lambda out, began_s, usage: None, tools=True)


async def _probed(service: Service, model: str, on_sent: OnSent, tools: bool) -> Probe:
    used: list[CallUsage] = []

    def note(out: Outgoing, began_s: float, usage: CallUsage) -> None:
        used.append(usage)
        on_sent(out, began_s, usage)

    task = _task(model, note, tools)
    began_s = monotonic()
    try:
        is_verbatim = (await perform(service, task)).result
    except PassingError as error:
        if not error.stops:
            raise
        raise EngineError(f"{error}: check the network and the address", stops=True) from None
    seconds = monotonic() - began_s
    if not service.knows:  # it refused for a reason that it did not name
        await _tried_each(service, task)
    is_cached = any(one.reported for one in used)
    return Probe(round(seconds, 1), frozenset(service.knows), is_cached, is_verbatim)


async def _tried_each(service: Service, task: Task) -> None:
    """One feature after the other is added, once: those that are taken are used from then on."""
    taken: set[str] = set()
    for feature in FEATURES:
        service.knows = {*taken, feature}
        with suppress(EngineError):
            await perform(service, task)  # a refusal empties what the service knows
            taken |= service.knows
    service.knows = taken


def _task(model: str, on_sent: OnSent, tools: bool) -> Task:
    messages = alone("check")

    def outcome_of(part: ReadyPart) -> Outcome:
        is_verbatim = found_in(part.quote, prompt("check")[0]) is not None
        return Outcome(is_verbatim, None if is_verbatim else Fault("the quote is not copied exactly"))

    return Task(
        agent=MODERATOR,
        kind="check",
        messages=replace(messages, user=tuple(replace(block, marked=True) for block in messages.user)),
        outcome_of=outcome_of,
        on_sent=on_sent,
        tools=(TOOL,) if tools else (),
        shape=ReadyPart,
        deadline_s=CHECK_S,
        model=model,
    )
