"""The panel speaks through a model. What it answers is checked; a failure is never praise."""

from __future__ import annotations

import logging
import threading
from collections.abc import Mapping
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import Any, Final, Self, TypeVar, cast

from orchestrator.core.context.assemble import Context
from orchestrator.core.context.messages import Messages
from orchestrator.core.context.meter import BYTES_PER_TOKEN, CacheMeter
from orchestrator.core.context.tooling import ToolUses
from orchestrator.core.errors import EngineError
from orchestrator.core.table import MODERATOR
from orchestrator.panel.engines.in_flight import Calls
from orchestrator.panel.engines.model.calls import perform
from orchestrator.panel.engines.model.failures import TooLongError, too_long
from orchestrator.panel.engines.model.probing import Probe, probe, settle
from orchestrator.panel.engines.model.quoting import in_answers
from orchestrator.panel.engines.model.service import Service
from orchestrator.panel.engines.model.settings import MESSAGES, Settings, what_it_costs
from orchestrator.panel.engines.model.standalone import reading_messages
from orchestrator.panel.engines.model.task import (
    OnPartial,
    Outgoing,
    Recorded,
    Task,
)
from orchestrator.panel.engines.model.tasks import (
    addressed,
    guide,
    kind_of,
    outcome_of,
    shape_of,
    task_text,
)
from orchestrator.panel.engines.model.turns import Rounds
from orchestrator.panel.engines.model.wire import MAX_TOKENS
from orchestrator.panel.engines.offers import OnText
from orchestrator.panel.engines.protocol import (
    CandidateRequest,
    JudgementRequest,
    Request,
    SeatRequest,
)
from orchestrator.panel.engines.together import done, failed, replies
from orchestrator.panel.model.exchange import Judgement
from orchestrator.panel.model.usage import Account, CallUsage

R = TypeVar("R")

MOST_CACHED_MINIMUM: Final = 4096
"""Tokens; the longest of the models' shortest cached prefixes (caching.md), so that no alarm is false."""

LEAST_WINDOW: Final = 6_000
"""Tokens: the shortest character, what it is to do, its own notes, one slide and a short reply."""
REPLY_SHARE: Final = 4
"""A quarter of a small context is left for the reply."""
SAFE_SHARE: Final = 0.9
"""Of the room by the count of one short question: other texts take a few tokens more."""
HOW_TO_WIDEN: Final = (
    "llama.cpp: --ctx-size 16384 --parallel 1; Ollama: OLLAMA_CONTEXT_LENGTH=16384; "
    "vLLM: --max-model-len 16384"
)

log = logging.getLogger(__name__)


class ModelEngine:
    """Asks one service. It holds no state of a session, only what its calls cost.

    Safe to use from several threads. Close it when done, or use it as a context manager.
    """

    def __init__(self, settings: Settings, recorded: Recorded | None = None) -> None:
        """*recorded* answers in the place of the service."""
        self.settings = settings
        self.account = Account()  # of what its calls cost
        self.calls = Calls()  # under way, and what came of those that are over
        self._service = Service(settings, recorded)
        self._is_settled = settings.wire is not None or recorded is not None
        self.probes: dict[str, Probe] = {}  # what the service was seen to do, by model
        self._lock, self._settling = threading.Lock(), threading.Lock()
        self._room: int | None = None  # tokens of a call, where the service says so
        self._bytes_per_token = float(BYTES_PER_TOKEN)
        self._one_schema = settings.keeps_what_is_marked
        """All of an agent's calls share a schema, as they share a cache; else each task has a small one.
        On the Messages API, where the service keeps what is marked (caching.md, "One agent, one cache")."""
        self._meter = CacheMeter(minimum_tokens=MOST_CACHED_MINIMUM)
        self._has_cache = settings.is_public  # else once a call has read from one, or written to it

    @property
    def name(self) -> str:
        return self.settings.engine

    @property
    def notices(self) -> list[str]:
        """What a model of its own for a task costs, and what the service turned out not to do."""
        return [
            *what_it_costs(self.settings),
            *(line for one in self.probes.values() for line in _lacks(one)),
        ]

    def check(self) -> None:
        """Find out now whether the service takes the key and knows the models, by a small real question.

        Raises:
            EngineError: It cannot work, and where it has `stops` whoever set it up can put that right; or it
                brought nothing usable this time. One line.
        """
        if self._service.recorded is not None:
            return
        for model in sorted({self.settings.model, *self.settings.models.values()}):
            self._probe(model)

    def _probe(self, model: str) -> None:
        ask = probe if self._is_settled else settle
        self.probes[model] = found = ask(self._service, model, self._note)
        if found.failure is not None:
            raise found.failure
        self._is_settled = True
        self._one_schema = self._one_schema or (found.wire == MESSAGES and found.enforces and found.is_cached)
        self._fits(found)

    def _fits(self, found: Probe) -> None:
        """Take in how much room the model has.

        Raises:
            EngineError: It cannot hold the shortest call.
        """
        if found.window is not None:
            self._room = min(found.window, self._room or found.window)
        self._bytes_per_token = found.bytes_per_token or self._bytes_per_token
        if self._room is not None and self._room < LEAST_WINDOW:
            raise EngineError(
                f"{self.settings.model} has room for {self._room:,} tokens, and a panelist's question takes "
                f"{LEAST_WINDOW:,} at least: start it with 16384 or more ({HOW_TO_WIDEN})",
                stops=True,
            )

    def room_bytes(self, request: SeatRequest[Any]) -> int | None:
        """Bytes that a context's files may have together; None: as many as they like."""
        self._settle()
        if self._room is None:
            return None
        texts = (*guide(request, one_schema=self._one_schema), task_text(request))
        room = (self._room - self._reply_tokens) * self._bytes_per_token * SAFE_SHARE
        return max(0, int(room) - sum(len(text.encode()) for text in texts))

    @property
    def _reply_tokens(self) -> int:
        """Tokens that are left for the reply of a model with little room."""
        return min(MAX_TOKENS, (self._room or 0) // REPLY_SHARE)

    def _too_long(self, messages: Messages) -> EngineError | None:
        """Why a call is not made at all: the model has no room for it."""
        if self._room is None:
            return None
        size = sum(len(block.text.encode()) for block in (*messages.system, *messages.user))
        needed = round(size / self._bytes_per_token) + self._reply_tokens
        return too_long(self.settings.model, needed, self._room) if needed > self._room else None

    def _settle(self) -> None:
        """Find out which wire to speak, where nobody has looked yet."""
        if not self._is_settled:
            with self._settling:
                if not self._is_settled:
                    with suppress(EngineError):  # the call that follows fails by itself, and says why
                        self._probe(self.settings.model)
                    self._is_settled = True

    def addressed(self, request: Request[Any], context: Context, layout: str | None = None) -> Context:
        """The context with a receipt of what will be sent; whoever records receipts records this one."""
        if not isinstance(request, SeatRequest):
            return context  # nobody's context goes with it
        self._settle()
        layout = layout or context.receipt.layout or self.settings.layout
        return addressed(context, request, layout, one_schema=self._one_schema)

    def reply(self, request: Request[R], context: Context | None = None) -> R:
        """The result that this kind of request asks for, checked against what was said.

        Raises:
            EngineError: No usable reply came in time; one line that holds nothing of what was said.
        """
        (reply,) = replies(self, [(request, context)])
        if isinstance(reply, EngineError):
            raise reply
        return reply

    def begin(self, request: Request[R], context: Context | None, on_text: OnText | None = None) -> Future[R]:
        """Start a call and do not wait for it; cancelling the future gives the call up.

        Args:
            on_text: Called in the engine's thread while a judgement comes in, with as much of the
                follow-up question as there is; only once its quote is known to be the presenter's.
        """
        if isinstance(request, JudgementRequest) and not (request.exchange.turns[-1].answer or "").strip():
            return done(cast(R, Judgement("unjudged", "no answer was given")))
        self._settle()
        if isinstance(request, SeatRequest):
            return self._begin_of_agent(request, context, on_text)
        return self._submit(request, MODERATOR, reading_messages(request))

    def _begin_of_agent(
        self, request: SeatRequest[R], context: Context | None, on_text: OnText | None
    ) -> Future[R]:
        """A call with an agent's context."""
        if context is None:
            raise EngineError(f"the {self.name} engine needs an assembled context")
        if context.receipt.layout is None or not context.receipt.extra:  # it does not say what is sent
            context = self.addressed(request, context)
        kind, tooling = kind_of(request), context.tooling if context.receipt.tools else None
        uses = tooling.begin(context.agent, kind, context.receipt.id) if tooling is not None else None
        is_live = isinstance(request, CandidateRequest) and request.occasion == "refresh"
        return self._submit(
            request,
            context.agent,
            context.laid_out(),
            uses,
            on_partial=_shown(request, on_text),
            tools=tooling.definitions if tooling is not None else (),
            rounds=Rounds(kind, uses, lambda: self.account.share < 1.0) if uses is not None else None,
            deadline_s=self.settings.deadline_s(kind, is_live=is_live),
        )

    def _submit(
        self, request: Request[R], agent: str, messages: Messages, uses: ToolUses | None = None, **more: Any
    ) -> Future[R]:
        if not isinstance(request, SeatRequest) and (error := self._too_long(messages)) is not None:
            return failed(error)
        task = Task(
            agent=agent,
            kind=kind_of(request),
            messages=messages,
            outcome_of=partial(outcome_of, request, by=self.name),
            on_sent=self._note,
            shape=shape_of(request, one_schema=self._one_schema),
            most_tokens=self._reply_tokens if self._room is not None else None,
            **more,
        )
        return self._service.submit(self._result(task, uses))

    async def _result(self, task: Task, uses: ToolUses | None) -> Any:
        is_done = False
        try:
            with self.calls.under_way(task.agent, task.kind):
                result = (await perform(self._service, task)).result
            is_done = True
            return result
        except TooLongError as error:
            self._room = error.window or self._room  # the next call is made to fit
            raise
        finally:
            if uses is not None:
                uses.close(counts=is_done)

    # ------------------------------------------------------------------ what it costs

    def take_usage(self) -> list[CallUsage]:
        """What was called since this was last asked, in the order in which replies came."""
        return self.account.take()

    def _note(self, out: Outgoing, began_s: float, usage: CallUsage) -> None:
        with self._lock:
            expected = self._meter.call(began_s, out.messages, settings=out.settings)
            if self._has_cache:
                usage = replace(usage, promised=round(expected.read / max(1, expected.total), 4))
            self._has_cache |= usage.read + usage.written > 0
            is_news = usage.alarm and not self.account.spent.alarms  # the bill counts the others
            self.account.add(usage)
        log.log(logging.WARNING if is_news else logging.INFO, "%s", usage)

    def close(self) -> None:
        """Give up what is in flight and end the engine's thread."""
        self._service.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *raised: object) -> None:
        self.close()


def _lacks(probe: Probe) -> list[str]:
    """What a service turned out not to do that matters, a line each."""
    if probe.failure is not None:
        return []  # that is told as it happens
    told = []
    if not probe.enforces:
        told.append("enforces no schema, so the shape of a reply is asked for in words")
    if not probe.is_verbatim:
        told.append("did not copy a quote exactly, so much of what it says may be dropped")
    return [f"{probe.answered} {one}" for one in told]


def _shown(request: Request[Any], on_text: OnText | None) -> OnPartial | None:
    """Shows the follow-up question while it comes, once what it rests on is known to have been said."""
    if on_text is None or not isinstance(request, JudgementRequest):
        return None
    exchange = request.exchange

    def show(plain: Mapping[str, Any]) -> None:
        part = plain.get("judgement") if "kind" in plain else plain  # or the small schema's
        if not isinstance(part, dict) or request.is_last:
            return
        quote, text = part.get("quote", ""), part.get("follow_up")
        said = quote is None or (isinstance(quote, str) and in_answers(quote, exchange) is not None)
        if part.get("verdict") in ("follow_up", "escalate") and said and isinstance(text, str) and text:
            on_text(text)

    return show
