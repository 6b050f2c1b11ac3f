"""The check at a start: small real questions like those that follow, with all features that will be used.

The questions reveal a bad key, an unknown model or a server that answers in another form, before a rehearsal
begins. Only its replies show what a service can do: many a server accepts a schema, a tool or an address and
ignores it.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import closing, suppress
from dataclasses import dataclass, replace
from functools import partial
from importlib.util import find_spec
from time import monotonic
from typing import Any, Final

from orchestrator.core.errors import EngineError
from orchestrator.core.table import MODERATOR
from orchestrator.material.checks.grounding import found_in
from orchestrator.panel.engines.model.failures import (
    NoApiError,
    PassingError,
    RefusedError,
    UselessError,
)
from orchestrator.panel.engines.model.quoting import Fault, Outcome
from orchestrator.panel.engines.model.schemas import MARK, ReadyPart
from orchestrator.panel.engines.model.service import Service, attempt, perform, retried
from orchestrator.panel.engines.model.settings import (
    API,
    CHAT,
    MESSAGES,
    Settings,
)
from orchestrator.panel.engines.model.tasks import OnSent, Outgoing, Task, Turns, alone, prompt
from orchestrator.panel.model.usage import CallUsage

CHECK_S: Final = 120.0
"""Seconds that one question may take, since a server on the user's own machine first loads its model."""
MAX_TOKENS: Final = 2_000
"""Maximum number of tokens of a reply, thinking included: a model that never stops would take minutes."""
TOOL: Final[Mapping[str, Any]] = {
    "name": "look_up",
    "description": "Looks a word up.",
    "input_schema": {"type": "object", "properties": {"word": {"type": "string"}}, "required": ["word"]},
}


@dataclass(frozen=True, slots=True)
class Probe:
    """The features and the speed that a service has shown when it was asked."""

    wire: str
    seconds: float  # of the first small question
    knows: frozenset[str] = frozenset()  # features of its wire that it was seen to have, or not to refuse
    answered: str = ""  # the model, as the service says; "": nothing usable came
    is_cached: bool = False  # it says what it read from its cache and wrote to it
    is_verbatim: bool = False  # it copied the quote word for word
    uses_tools: bool = False  # it used the tool that it was told to use
    window: int | None = None  # tokens of a call, input and output, as it says
    bytes_per_token: float | None = None  # of the question, by its own count
    failure: EngineError | None = None  # nothing usable came

    @property
    def why(self) -> str:
        """Return in one line why nothing usable came, or "" if something usable came."""
        return "" if self.failure is None else str(self.failure)

    @property
    def enforces(self) -> bool:
        """Return whether the service enforced a schema."""
        return "schemas" in self.knows and bool(self.answered)

    @property
    def score(self) -> tuple[bool, ...]:
        """Return the criteria by which the wires of a service are ranked, the most important first."""
        return bool(self.answered), self.enforces, self.is_verbatim, self.is_cached


def probe(service: Service, model: str, on_sent: OnSent, *, tools: bool = False) -> Probe:
    """Ask *model* the small questions, and return what they show.

    Args:
        tools: Whether to check also if the model uses a tool.

    Raises:
        EngineError: The key is missing or refused, the model is unknown, or nothing responds. The message is
            one line.
    """
    return service.submit(_probed(service, model, on_sent, tools)).result()


def settle(service: Service, model: str, on_sent: OnSent, *, tools: bool = False) -> Probe:
    """Choose the wire on which *service* works better, and use it from now on.

    Raises:
        EngineError: The service works on no wire; otherwise as for `probe`.
    """
    found: list[Probe] = []
    errors: list[EngineError] = []
    for wire in (CHAT, MESSAGES):
        service.speak(wire)
        if wire == CHAT and find_spec(service.wire.sdk) is None:
            continue  # its package is an extra
        try:
            found.append(probe(service, model, on_sent, tools=tools))
        except EngineError as error:
            if error.status is None:
                raise  # nobody is there, or it may not be asked
            errors.append(error)
        if found and (found[-1].enforces or not found[-1].answered):
            break  # the other cannot do more, or the server is not fit to be asked now
    if not found:
        where, both = service.settings.where, " nor a ".join(API.values())
        told = [error for error in errors if not isinstance(error, NoApiError)]
        line = f"{where} has neither a {both}: check the address"
        raise told[0] if told else EngineError(line, stops=True)
    best = max(found, key=lambda one: one.score)
    if service.spoken != best.wire:
        service.speak(best.wire)
        service.knows = set(best.knows)
    return best


def probe_settings(settings: Settings) -> Probe:
    """Probe a service that has not been asked yet, given its settings."""

    def unheard(out: Outgoing, began_s: float, usage: CallUsage) -> None:
        """Ignore the usage of a call, since nobody keeps a bill here."""

    with closing(Service(settings)) as service:
        ask = settle if settings.wire is None else probe
        return ask(service, settings.model, unheard, tools=True)


@dataclass(frozen=True, slots=True)
class _Ready:
    is_verbatim: bool
    is_marked: bool


async def _probed(service: Service, model: str, on_sent: OnSent, tools: bool) -> Probe:
    used: list[CallUsage] = []
    sizes: list[int] = []

    def note(out: Outgoing, began_s: float, usage: CallUsage) -> None:
        used.append(usage)
        sizes.append(sum(len(block.text.encode()) for block in (*out.messages.system, *out.messages.user)))
        on_sent(out, began_s, usage)

    task, began_s = _task(model, note), monotonic()
    try:
        ready = await _ready(service, task)
    except PassingError as error:
        if error.stops:
            raise EngineError(f"{error}: check the network and the address", stops=True) from None
        return _silent(service, began_s, error)
    except EngineError as error:
        if error.stops:
            raise
        return _silent(service, began_s, error)
    seconds = monotonic() - began_s
    if not service.knows:  # it refused for a reason that it did not name
        ready = await _tried_each(service, task) or ready
    if not ready.is_marked:
        service.knows.discard("schemas")  # it takes one, and replies as it likes
    uses = tools and "tools" in service.knows and await _uses_tool(service, model, note)
    last = used[-1]
    return Probe(
        service.spoken,
        round(seconds, 1),
        frozenset(service.knows),
        last.answered or model,
        any(one.reported for one in used) and not {"cache"} & set(service.wire.features) - service.knows,
        ready.is_verbatim,
        uses,
        await _window(service, model),
        round(sizes[-1] / last.input, 2) if last.input else None,
    )


async def _ready(service: Service, task: Task) -> _Ready:
    """Return what the reply shows; if a schema spoils the reply, ask once more without the schema."""
    try:
        ready: _Ready = (await perform(service, task)).result
    except UselessError:
        if "schemas" not in service.knows:
            raise
        service.knows.discard("schemas")
        ready = (await perform(service, task)).result
    return ready


def _silent(service: Service, began_s: float, error: EngineError) -> Probe:
    return Probe(service.spoken, round(monotonic() - began_s, 1), failure=error)


async def _tried_each(service: Service, task: Task) -> _Ready | None:
    """Add one feature after the other, each once, and keep using those that the service accepts.

    Return what the last reply to a request with any feature shows, or None if no reply came.
    """
    taken: set[str] = set()
    ready: _Ready | None = None
    for feature in service.wire.features:
        service.knows = {*taken, feature}
        with suppress(EngineError):
            found: _Ready = (await perform(service, task)).result  # a refusal empties what it knows
            taken |= service.knows
            ready = found if service.knows else ready
    service.knows = taken
    return ready


async def _uses_tool(service: Service, model: str, on_sent: OnSent) -> bool:
    messages, knew = alone("check_tool"), frozenset(service.knows)
    task = replace(_task(model, on_sent), messages=messages, tools=(TOOL,), shape=None)
    try:
        one = await retried(service.settings, partial(attempt, service, task, Turns()), monotonic() + CHECK_S)
    except EngineError:
        return False
    finally:
        if not service.knows:  # it refused, and did not say why: the tools are what was new in the request
            service.knows = set(knew - {"tools"})
    return any(use.name == TOOL["name"] and use.arguments.get("word") for use in one.uses)


async def _window(service: Service, model: str) -> int | None:
    try:
        return await service.wire.window(model)
    except (RefusedError, EngineError):
        return None  # it does not say; a refusal of a longer request will


def _task(model: str, on_sent: OnSent) -> Task:
    messages = alone("check")

    def outcome_of(part: ReadyPart) -> Outcome:
        is_verbatim = found_in(part.quote, prompt("check")[0]) is not None
        ready = _Ready(is_verbatim, part.mark == MARK)
        return Outcome(ready, None if is_verbatim else Fault("the quote is not copied exactly"))

    return Task(
        agent=MODERATOR,
        kind="check",
        messages=replace(messages, user=tuple(replace(block, marked=True) for block in messages.user)),
        outcome_of=outcome_of,
        on_sent=on_sent,
        shape=ReadyPart,
        deadline_s=CHECK_S,
        model=model,
        most_tokens=MAX_TOKENS,
    )
