"""One task put to the service: sent, retried, validated, and sent back once if it cannot be used.

All of it within the task's deadline on the wall clock. Whatever happens, the outcome is a
validated part of a reply or an `EngineError` of one line that holds nothing of what was said.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from functools import partial
from time import monotonic
from typing import TYPE_CHECKING, Any, Final, TypeVar

from orchestrator.engines.claude.requesting import outgoing
from orchestrator.engines.model.failures import (
    PassingError,
    UnusableError,
    is_refused,
    lacking,
    status_error,
)
from orchestrator.engines.model.outcomes import Fault, Outcome
from orchestrator.engines.model.received import (
    LONGEST_TEXT,
    Received,
    call_usage,
    check_stop,
    part_of,
    plain_of,
    received,
)
from orchestrator.engines.model.service import Service
from orchestrator.engines.model.settings import Settings
from orchestrator.engines.model.task import OnPartial, Task
from orchestrator.engines.model.turns import Turns
from orchestrator.errors import EngineError, OutboundError

if TYPE_CHECKING:
    from anthropic.types import Message

R = TypeVar("R")
LONGEST_WAIT_S: Final = 8.0


async def perform(service: Service, task: Task) -> Outcome:
    """Put *task* to the service; `fault` is what is still wrong with the reply after the one repair.

    Raises:
        EngineError: No usable reply came within the deadline.
    """
    settings = service.settings
    deadline_s = task.deadline_s or settings.deadline_s(task.kind)
    until_s = monotonic() + deadline_s
    try:
        async with asyncio.timeout(deadline_s):
            one, turns = await _in_words(service, task, Turns(), until_s)
            outcome = _outcome(task, one.text)
            if outcome.fault is not None:
                mended = turns.mended(one.text, outcome.fault.sent)
                one, _ = await _in_words(service, task, mended, until_s)
                outcome = _outcome(task, one.text)
    except TimeoutError:
        raise EngineError(f"{settings.where} gave no reply within {deadline_s:g} s") from None
    except PassingError as error:
        line = f"{error}; tried {settings.retries + 1} times"
        raise PassingError(line, is_busy=error.is_busy, stops=error.stops, status=error.status) from None
    if isinstance(outcome.result, EngineError):
        raise outcome.result
    return outcome


def _outcome(task: Task, text: str) -> Outcome:
    try:
        return task.outcome_of(part_of(text, task.kind, task.shape))
    except UnusableError as error:
        why = f"the reply could not be used, and was not mended when sent back: {error}"
        return Outcome(EngineError(why), Fault(str(error)))


# ---------------------------------------------------------------------- one request


async def _in_words(service: Service, task: Task, turns: Turns, until_s: float) -> tuple[Received, Turns]:
    """A reply that uses no tools, and the turns before it: those that it used on the way are answered."""
    while True:
        one = await retried(service.settings, partial(_attempt, service, task, turns), until_s)
        if not one.uses or task.rounds is None:
            return one, turns
        turns = turns.used(await task.rounds.answered(one))


async def retried(settings: Settings, attempt: Callable[[], Awaitable[R]], until_s: float) -> R:
    """What *attempt* gives, made again while that makes sense.

    Raises:
        EngineError: None did, or there is no time left to wait.
    """
    tries = 0
    while True:
        try:
            return await attempt()
        except PassingError as error:
            wait_s = error.wait_s
            if wait_s is None:
                wait_s = min(settings.first_wait_s * 2**tries, LONGEST_WAIT_S)
            tries += 1
            if tries > settings.retries:
                raise
            if monotonic() + wait_s >= until_s:
                line = f"{error}, and there is no time to wait {wait_s:g} s"
                raise EngineError(line, stops=error.stops, status=error.status) from None
            await asyncio.sleep(wait_s)


async def _attempt(service: Service, task: Task, turns: Turns) -> Received:
    """One request; made again at once without a feature that the service turns out not to have.

    A refusal that names no feature is met with one plain request, without any of them. If that is
    taken, the service is asked plainly from then on.
    """
    import anthropic

    settings, is_plain = service.settings, False
    while True:
        async with service.in_flight:
            began_s = monotonic()
            knows = frozenset() if is_plain else frozenset(service.knows)
            out = outgoing(service, task, turns, knows)
            model = out.plain["model"]
            try:
                one = received(await _message(service, task, turns, out.plain))
            except UnusableError as error:
                where = settings.where
                raise PassingError(f"{where} does not answer as the Messages API does: {error}") from None
            except anthropic.APIStatusError as error:
                if is_refused(error) and not is_plain:
                    feature = lacking(error, out.plain)
                    service.knows.discard(feature or "")
                    is_plain = feature is None
                    continue
                raise status_error(error, settings, model) from None
        if one.stop is None:
            raise PassingError(f"{settings.where} broke the reply off")
        if is_plain:
            service.knows.clear()
        seconds = monotonic() - began_s
        usage = call_usage(task.agent, task.kind, model, one.usage, seconds)
        task.on_sent(out, began_s, replace(usage, repair=turns.is_repair, round=turns.rounds))
        check_stop(one, out.plain["max_tokens"])
        return one


async def _message(service: Service, task: Task, turns: Turns, request: Mapping[str, Any]) -> dict[str, Any]:
    """The service's message, or the one that was recorded."""
    if service.recorded is None:
        return await exchanged(service, request, task.on_partial)
    return await asyncio.to_thread(service.recorded, task, request, turns.is_repair)


async def exchanged(
    service: Service, request: Mapping[str, Any], on_partial: OnPartial | None = None
) -> dict[str, Any]:
    """The message that came for a request, as plain values.

    Raises:
        anthropic.APIStatusError: The service refused it.
        PassingError: Nothing came, or nothing that is a message.
        EngineError: It may not be asked, or its reply not be taken: it redirects, or sends too much.
    """
    import anthropic
    import httpx2

    where = service.settings.where
    try:
        if on_partial is None:
            return plain_of(await service.client.messages.create(**request))
        return plain_of(await _streamed(service, request, on_partial))
    except anthropic.APIStatusError:
        raise
    except OutboundError as error:
        raise EngineError(str(error), stops=True) from None
    except (anthropic.APIConnectionError, httpx2.HTTPError) as error:
        if isinstance(error.__cause__, OutboundError):  # the SDK makes this of whatever stops a request
            raise EngineError(str(error.__cause__), stops=True) from None
        is_nobody = isinstance(
            error.__cause__, httpx2.ConnectError | httpx2.ConnectTimeout
        )  # else somebody was there
        line = f"{where} cannot be reached, or broke the connection off"
        raise PassingError(line, stops=is_nobody) from None
    except (anthropic.AnthropicError, UnusableError, *_BROKEN):
        raise PassingError(f"{where} sent what is no reply of the Messages API", stops=True) from None


_BROKEN = (ValueError, TypeError, LookupError, AttributeError, RuntimeError, AssertionError)
"""What the SDK raises on bodies and events that are not what the API sends; it trusts them as they come."""


async def _streamed(service: Service, request: Mapping[str, Any], on_partial: OnPartial) -> Message:
    """The message whose text is shown while it comes."""
    from jiter import from_json

    text, length = "", 0
    async with service.client.messages.stream(**request) as stream:
        async for event in stream:
            if event.type == "content_block_delta":
                length += _length(event.delta)
                if length > LONGEST_TEXT:  # the SDK copies all of it at every event
                    what = f"more than {LONGEST_TEXT} characters, which no task asks for"
                    raise EngineError(f"{service.settings.where} sent {what}")
            if event.type != "text":
                continue
            text += event.text
            start = text.find('{"kind"') if '{"kind"' in text else text.find("{")
            if start < 0:
                continue
            try:
                partial = from_json(text[start:].encode(), partial_mode="trailing-strings")
            except ValueError:
                continue  # words around the object; the whole text is read in the end
            if isinstance(partial, dict):
                on_partial(partial)
        return await stream.get_final_message()


def _length(delta: object) -> int:
    """Characters that a delta adds to the message: of its text, its thought or its arguments."""
    return sum(len(value) for name, value in vars(delta).items() if name != "type" and isinstance(value, str))
