"""The engine that asks a model; replies are checked, and a failed call never counts as praise."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import replace
from functools import partial
from time import monotonic, sleep
from typing import Any, Final, Self, TypeVar, cast

from orchestrator.core.context.assemble import Context
from orchestrator.core.context.messages import BYTES_PER_TOKEN, CacheMeter, Messages, ToolUses
from orchestrator.core.errors import EngineError
from orchestrator.core.table import MODERATOR
from orchestrator.panel.config.config import Config
from orchestrator.panel.engines.in_flight import Calls
from orchestrator.panel.engines.model.failures import TooLongError, too_long
from orchestrator.panel.engines.model.probing import Probe, probe, settle
from orchestrator.panel.engines.model.quoting import in_answers
from orchestrator.panel.engines.model.service import Service, perform
from orchestrator.panel.engines.model.settings import MESSAGES, Settings, what_it_costs
from orchestrator.panel.engines.model.tasks import (
    OnPartial,
    Outgoing,
    Recorded,
    Rounds,
    Task,
    addressed,
    guide,
    kind_of,
    outcome_of,
    reading_messages,
    shape_of,
    task_text,
)
from orchestrator.panel.engines.model.wire import MAX_TOKENS
from orchestrator.panel.engines.offline import OfflineEngine
from orchestrator.panel.engines.protocol import (
    CandidateRequest,
    JudgementRequest,
    OnText,
    Request,
    Searched,
    SeatRequest,
)
from orchestrator.panel.engines.together import done, failed, replies
from orchestrator.panel.model.exchange import Judgement
from orchestrator.panel.model.usage import Account, Budget, CallUsage, Total

# ---------------------------------------------------------------------- engine


R = TypeVar("R")

MAX_CACHED_MINIMUM: Final = 4096
"""Tokens: the longest of the models' shortest cacheable prefixes (caching.md), so that no alarm is false."""

MIN_WINDOW: Final = 6_000
"""Tokens of the smallest context that works: the shortest character, its task, its own notes, one slide and a
short reply.
"""
REPLY_SHARE: Final = 4
"""The divisor for the reply: a quarter of a small context is left for it."""
SAFE_SHARE: Final = 0.9
"""The share of the room that is used, since the room is computed from one short question and other texts take
a few tokens more.
"""
HOW_TO_WIDEN: Final = (
    "llama.cpp: --ctx-size 16384 --parallel 1; Ollama: OLLAMA_CONTEXT_LENGTH=16384; "
    "vLLM: --max-model-len 16384"
)

log = logging.getLogger(__name__)


class ModelEngine:
    """An engine that asks one service; it stores no state of a session, only what its calls cost.

    It is safe to use from several threads. Close it when done, or use it as a context manager.
    """

    def __init__(self, settings: Settings, recorded: Recorded | None = None) -> None:
        """Make the engine; *recorded*, if given, answers in place of the service."""
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
        """Whether all of an agent's calls share a schema, as they share a cache; else each task has one.
        True on the Messages API if the service caches marked blocks (caching.md, "One agent, one cache")."""
        self._meter = CacheMeter(minimum_tokens=MAX_CACHED_MINIMUM)
        self._has_cache = settings.is_public  # else once a call has read from one, or written to it

    @property
    def name(self) -> str:
        return self.settings.engine

    @property
    def notices(self) -> list[str]:
        """Return lines about the cost of a separate model for a task, and about features that the service
        lacks.
        """
        return [
            *what_it_costs(self.settings),
            *(line for one in self.probes.values() for line in _lacks(one)),
        ]

    def check(self) -> None:
        """Check now, with a small real question, that the service accepts the key and knows the models.

        Raises:
            EngineError: The service cannot work, or returned nothing usable this time. The message is one
                line; `stops` is set if whoever set up the engine can correct the failure.
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
        """Record how much room the model has for a call.

        Raises:
            EngineError: The model cannot hold the shortest call.
        """
        if found.window is not None:
            self._room = min(found.window, self._room or found.window)
        self._bytes_per_token = found.bytes_per_token or self._bytes_per_token
        if self._room is not None and self._room < MIN_WINDOW:
            raise EngineError(
                f"{self.settings.model} has room for {self._room:,} tokens, and a panelist's question takes "
                f"{MIN_WINDOW:,} at least: start it with 16384 or more ({HOW_TO_WIDEN})",
                stops=True,
            )

    def room_bytes(self, request: SeatRequest[Any]) -> int | None:
        """Return the maximum size in bytes of a context's files together, or None if there is no limit."""
        self._settle()
        if self._room is None:
            return None
        texts = (*guide(request, one_schema=self._one_schema), task_text(request))
        room = (self._room - self._reply_tokens) * self._bytes_per_token * SAFE_SHARE
        return max(0, int(room) - sum(len(text.encode()) for text in texts))

    @property
    def _reply_tokens(self) -> int:
        """Return the number of tokens that a model with little room gets for its reply."""
        return min(MAX_TOKENS, (self._room or 0) // REPLY_SHARE)

    def _too_long(self, messages: Messages) -> EngineError | None:
        """Return an error if the model has no room for this call, or None if the call can be made."""
        if self._room is None:
            return None
        size = sum(len(block.text.encode()) for block in (*messages.system, *messages.user))
        needed = round(size / self._bytes_per_token) + self._reply_tokens
        return too_long(self.settings.model, needed, self._room) if needed > self._room else None

    def _settle(self) -> None:
        """Find out which wire the service speaks, unless the wire is already chosen."""
        if not self._is_settled:
            with self._settling:
                if not self._is_settled:
                    with suppress(EngineError):  # the call that follows fails by itself, and says why
                        self._probe(self.settings.model)
                    self._is_settled = True

    def addressed(self, request: Request[Any], context: Context, layout: str | None = None) -> Context:
        """Return the context with a receipt of what will be sent, which is the receipt to record."""
        if not isinstance(request, SeatRequest):
            return context  # nobody's context goes with it
        self._settle()
        layout = layout or context.receipt.layout or self.settings.layout
        return addressed(context, request, layout, one_schema=self._one_schema)

    def reply(self, request: Request[R], context: Context | None = None) -> R:
        """Return the result that this kind of request asks for, checked against what was said.

        Raises:
            EngineError: No usable reply came in time. The message is one line and contains nothing of what
                was said.
        """
        (reply,) = replies(self, [(request, context)])
        if isinstance(reply, EngineError):
            raise reply
        return reply

    def begin(self, request: Request[R], context: Context | None, on_text: OnText | None = None) -> Future[R]:
        """Start a call without waiting for it; cancelling the future cancels the call.

        Args:
            on_text: Called in the engine's thread while a judgement comes in, with the part of the follow-up
                question that has come so far. It is called only after the judgement's quote was verified as
                the presenter's.
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
        """Start a call with an agent's context."""
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
        """Return the usage of the calls since the last time this was called, in the order of the replies."""
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
        """Cancel the calls in flight and end the engine's thread."""
        self._service.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *raised: object) -> None:
        self.close()


def _lacks(probe: Probe) -> list[str]:
    """Return one line for each feature that matters and that the service turned out to lack."""
    if probe.failure is not None:
        return []  # that is told as it happens
    told = []
    if not probe.enforces:
        told.append("enforces no schema, so the shape of a reply is asked for in words")
    if not probe.is_verbatim:
        told.append("did not copy a quote exactly, so much of what it says may be dropped")
    return [f"{probe.answered} {one}" for one in told]


def _shown(request: Request[Any], on_text: OnText | None) -> OnPartial | None:
    """Return a callback that passes the follow-up question on as it comes, once its quote is verified.

    Return None if there is nothing to show.
    """
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


# ---------------------------------------------------------------------- fallback
# A model's engine, and the offline engine where the model cannot go on.
#
# What was spent stands in the ledger's records of calls, so a process that starts anew goes on from there:
# it gives their sum to the engine that it makes.


FAILS_BEFORE: Final = 3
"""Number of calls that must fail in a row, with none ever answered, before the offline panel takes over."""
NOT_READY: Final = 503
"""The status with which a server answers while it loads its model (llama.cpp: "Loading model")."""
LOADS_S: Final = 120.0
"""Seconds to wait at a start for a server that loads its model: some gigabytes from a slow disk, with room to
spare.
"""
LOOK_S: Final = 2.0
"""Seconds until a server that answered that it is not ready is asked again."""


def engine_of(
    settings: Settings,
    config: Config,
    *,
    spent: Total | None = None,
    say: Callable[[str], None] = lambda line: None,
    calls: Calls | None = None,
) -> FallbackEngine:
    """Make an engine that asks a service within the home's budget and falls back on the question bank."""
    engine = ModelEngine(settings)
    if calls is not None:
        engine.calls = calls
    return FallbackEngine(engine, Budget(config.session_tokens, config.session_usd), spent=spent, say=say)


class FallbackEngine:
    """A model's engine that falls back on the offline engine when the budget is used up or the model never
    answers.

    Calls in flight when the budget is reached may finish, so the bill may exceed the budget by these calls. A
    model that has answered once is still asked, however often it fails afterwards.
    """

    def __init__(
        self,
        engine: ModelEngine,
        budget: Budget,
        *,
        spent: Total | None = None,
        say: Callable[[str], None] = lambda line: None,
    ) -> None:
        """Make an engine that asks *engine* within *budget*.

        Args:
            spent: The usage of earlier processes on this session.
            say: Called with one line when 80 % and 100 % of the budget are used, and when the offline panel
                takes over, once each.
        """
        self.engine = engine
        self.account = engine.account = Account(budget, spent)
        self._say = say
        self._rules = OfflineEngine()
        self.took_over: str | None = None
        """Why the offline panel answers although a model was asked for, or None if it does not.
        A used-up budget is not such a reason, since its calls were paid for and answered."""
        self._lock = threading.Lock()

    def join(self, *, spent: Total | None, say: Callable[[str], None], calls: Calls | None) -> None:
        """Join a session.

        *spent* is the usage so far, *say* is called with lines for the user, and *calls* records the calls.
        """
        self.account = self.engine.account = Account(self.account.budget, spent)
        self._say = say
        if calls is not None:
            self.engine.calls = calls

    @property
    def name(self) -> str:
        return self.engine.name

    @property
    def notices(self) -> list[str]:
        """Return what `ModelEngine.notices` returns."""
        return self.engine.notices

    @property
    def is_used_up(self) -> bool:
        """Return whether the session's budget is used up."""
        self._tell()
        return self.account.share >= 1.0

    @property
    def _is_offline(self) -> bool:
        """Return whether the offline engine answers now."""
        self._look()
        return self.took_over is not None or self.is_used_up

    def addressed(self, request: Request[Any], context: Context, layout: str | None = None) -> Context:
        """Do what `ModelEngine.addressed` does; while the offline engine answers, return the context
        unchanged.
        """
        return context if self._is_offline else self.engine.addressed(request, context, layout)

    def room_bytes(self, request: SeatRequest[Any]) -> int | None:
        """Return what `ModelEngine.room_bytes` returns; while the offline engine answers, there is no
        limit.
        """
        return None if self._is_offline else self.engine.room_bytes(request)

    def reply(self, request: Request[R], context: Context | None = None) -> R:
        """Do what `ModelEngine.reply` does, within the budget."""
        if self._is_offline:
            return self._rules.reply(request)
        try:
            return self.engine.reply(request, context)
        finally:
            self._tell()
            self._look()

    def begin(self, request: Request[R], context: Context | None, on_text: OnText | None = None) -> Future[R]:
        """Do what `ModelEngine.begin` does, within the budget."""
        if not self._is_offline:
            return self.engine.begin(request, context, on_text)
        return done(self._rules.reply(request))

    def search(self, queries: Sequence[str]) -> Searched:
        """Search the web as `claude.search` does, within the budget; the result contains the cost."""
        if self.is_used_up:
            raise EngineError("the session's budget is used up")
        from orchestrator.panel.engines.claude import search

        if self.engine.settings.wire != MESSAGES:
            raise EngineError(f"the {self.name} engine has no search of the web")
        searched = search(self.engine.settings, queries)
        usage = tuple(map(self.account.charge, searched.usage))
        self._tell()
        return replace(searched, usage=usage)

    def take_usage(self) -> list[CallUsage]:
        """Do what `ModelEngine.take_usage` does."""
        self._tell()
        return self.engine.take_usage()

    @property
    def calls(self) -> Calls:
        """Return the model's calls, as `Watched.calls` says."""
        return self.engine.calls

    def check(self) -> None:
        """Check now that the model can be asked; if the budget is used up, ask nothing.

        If the service responds with a failure, that is reported and counts as a failed call, but stops
        nothing.

        Raises:
            EngineError: Whoever set up the engine has to correct this: the key is missing or refused, the
                model is unknown, or nothing responds.
        """
        if self.is_used_up:
            return
        try:
            with self.calls.under_way(MODERATOR, "check", is_trial=True):
                self._check_until_loaded()
        except EngineError as error:
            if error.stops:
                raise
            self._say(
                f"the model gave no usable reply at the start ({error}): it is asked again at each call, "
                f"and where the first {FAILS_BEFORE} fail, this one among them, the offline panel takes over"
            )

    def _check_until_loaded(self) -> None:
        """Check the model; repeat this for up to `LOADS_S` seconds while the server is not ready."""
        until_s, is_told = monotonic() + LOADS_S, False
        while True:
            try:
                self.engine.check()
                return
            except EngineError as error:
                if error.status != NOT_READY or monotonic() + LOOK_S > until_s:
                    raise
            if not is_told:
                where = self.engine.settings.where
                self._say(f"{where} is not ready yet: it is waited for, for at most {LOADS_S:g} s")
                is_told = True
            sleep(LOOK_S)

    def close(self) -> None:
        """Do what `ModelEngine.close` does."""
        self.engine.close()

    def _look(self) -> None:
        """Let the offline panel take over if all of the first calls failed."""
        calls, settings = self.calls, self.engine.settings
        with self._lock:
            if self.took_over or calls.has_ever_answered or calls.failed_in_a_row < FAILS_BEFORE:
                return
            where = settings.where
            self.took_over = f"{settings.model} at {where} gave no usable reply to {calls.failures(where)}"
        self._say(f"the offline panel takes over: {self.took_over}")

    def _tell(self) -> None:
        for line in self.account.news():
            self._say(line)
