"""The panel speaks through a model. What it answers is checked; a failure is never praise."""

from __future__ import annotations

import logging
import threading
from collections.abc import Mapping
from concurrent.futures import Future
from dataclasses import replace
from functools import partial
from typing import Any, Final, Self, TypeVar, cast

from orchestrator.context.assemble import Context
from orchestrator.context.messages import Messages
from orchestrator.context.meter import CacheMeter
from orchestrator.context.tooling import ToolUses
from orchestrator.engines.in_flight import Calls
from orchestrator.engines.model.calls import perform
from orchestrator.engines.model.probing import probe
from orchestrator.engines.model.quoting import in_answers
from orchestrator.engines.model.service import Service
from orchestrator.engines.model.settings import Settings, what_it_costs
from orchestrator.engines.model.standalone import reading_messages
from orchestrator.engines.model.task import OnPartial, Outgoing, Recorded, Task
from orchestrator.engines.model.tasks import KINDS, addressed, kind_of, outcome_of
from orchestrator.engines.model.turns import Rounds
from orchestrator.engines.offers import OnText
from orchestrator.engines.protocol import CandidateRequest, JudgementRequest, Request, SeatRequest
from orchestrator.engines.together import done, replies
from orchestrator.errors import EngineError
from orchestrator.layout import MODERATOR
from orchestrator.model.exchange import Judgement
from orchestrator.model.usage import Account, CallUsage

R = TypeVar("R")

MOST_CACHED_MINIMUM: Final = 4096
"""Tokens; the longest of the models' shortest cached prefixes (caching.md), so that no alarm is false."""

log = logging.getLogger(__name__)


class ClaudeEngine:
    """Asks one service. It holds no state of a session, only what its calls cost.

    Safe to use from several threads. Close it when done, or use it as a context manager.
    """

    def __init__(self, settings: Settings, recorded: Recorded | None = None) -> None:
        """*recorded* answers in the place of the service."""
        self.settings = settings
        self.account = Account()  # of what its calls cost
        self.calls = Calls()  # under way, and what came of those that are over
        self._service = Service(settings, recorded)
        self._lock = threading.Lock()
        self._meter = CacheMeter(minimum_tokens=MOST_CACHED_MINIMUM)
        self._has_cache = settings.is_public  # else once a call has read from one, or written to it

    @property
    def name(self) -> str:
        return self.settings.engine

    @property
    def notices(self) -> list[str]:
        """What a model of its own for a task costs, a line each."""
        return what_it_costs(self.settings)

    def check(self) -> None:
        """Find out now whether the service takes the key and knows the models, by a small real question.

        Raises:
            EngineError: It does not; one line says what to do.
        """
        if self._service.recorded is not None:
            return
        for model in sorted({self.settings.model, *self.settings.models.values()}):
            probe(self._service, model, self._note)

    def addressed(self, request: Request[Any], context: Context, layout: str | None = None) -> Context:
        """The context with a receipt of what will be sent; whoever records receipts records this one."""
        if not isinstance(request, SeatRequest):
            return context  # nobody's context goes with it
        return addressed(context, request, layout or context.receipt.layout or self.settings.layout)

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
        task = Task(
            agent=agent,
            kind=kind_of(request),
            messages=messages,
            outcome_of=partial(outcome_of, request, by=self.name),
            on_sent=self._note,
            shape=KINDS[type(request)].shape,
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


def _shown(request: Request[Any], on_text: OnText | None) -> OnPartial | None:
    """Shows the follow-up question while it comes, once what it rests on is known to have been said."""
    if on_text is None or not isinstance(request, JudgementRequest):
        return None
    exchange = request.exchange

    def show(plain: Mapping[str, Any]) -> None:
        part = plain.get("judgement")
        if plain.get("kind") != "judgement" or not isinstance(part, dict) or request.is_last:
            return
        quote, text = part.get("quote", ""), part.get("follow_up")
        said = quote is None or (isinstance(quote, str) and in_answers(quote, exchange) is not None)
        if part.get("verdict") in ("follow_up", "escalate") and said and isinstance(text, str) and text:
            on_text(text)

    return show
