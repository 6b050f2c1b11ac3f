"""A model's engine, and the offline engine where the model cannot go on.

What was spent stands in the ledger's records of calls, so a process that starts anew goes on
from there: it gives their sum to the engine that it makes.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import replace
from time import monotonic, sleep
from typing import Any, Final, TypeVar

from orchestrator.core.context.assemble import Context
from orchestrator.core.errors import EngineError
from orchestrator.core.table import MODERATOR
from orchestrator.panel.config.config import Config
from orchestrator.panel.engines.in_flight import Calls
from orchestrator.panel.engines.model.engine import ModelEngine
from orchestrator.panel.engines.model.settings import MESSAGES, Settings
from orchestrator.panel.engines.offers import OnText, Searched
from orchestrator.panel.engines.offline import OfflineEngine
from orchestrator.panel.engines.protocol import Request, SeatRequest
from orchestrator.panel.engines.together import done
from orchestrator.panel.model.usage import (
    Account,
    Budget,
    CallUsage,
    Total,
)

R = TypeVar("R")

FAILS_BEFORE: Final = 3
"""Calls that failed one after the other, with none ever answered, before the offline panel takes over."""
NOT_READY: Final = 503
"""What a server answers while it loads its model (llama.cpp: "Loading model")."""
LOADS_S: Final = 120.0
"""How long that is waited for at a start: some gigabytes from a slow disk, with room to spare."""
LOOK_S: Final = 2.0
"""How long after such an answer it is asked again."""


def engine_of(
    settings: Settings,
    config: Config,
    *,
    spent: Total | None = None,
    say: Callable[[str], None] = lambda line: None,
    calls: Calls | None = None,
) -> FallbackEngine:
    """An engine that asks a service within the home's budget, with the question bank behind it."""
    engine = ModelEngine(settings)
    if calls is not None:
        engine.calls = calls
    return FallbackEngine(engine, Budget(config.session_tokens, config.session_usd), spent=spent, say=say)


class FallbackEngine:
    """A model's engine with the offline engine behind it: at the budget's end, or if the model never answers.

    A call that is in flight when the budget is reached is let finish, so the bill may pass it by
    the calls in flight. A model that has answered once is asked on, however often it fails then.
    """

    def __init__(
        self,
        engine: ModelEngine,
        budget: Budget,
        *,
        spent: Total | None = None,
        say: Callable[[str], None] = lambda line: None,
    ) -> None:
        """Ask *engine* within *budget*.

        Args:
            spent: What earlier processes have spent on this session.
            say: Told in one line at 80 % and at 100 %, and when the offline panel takes over: once each.
        """
        self.engine = engine
        self.account = engine.account = Account(budget, spent)
        self._say = say
        self._rules = OfflineEngine()
        self.took_over: str | None = None
        """Why the offline panel answers although a model was asked for; None: it does not.
        That a budget is used up is no such reason: what was paid for was had."""
        self._lock = threading.Lock()

    def join(self, *, spent: Total | None, say: Callable[[str], None], calls: Calls | None) -> None:
        """Take part in a session: what it has spent, who is told, and where its calls are seen."""
        self.account = self.engine.account = Account(self.account.budget, spent)
        self._say = say
        if calls is not None:
            self.engine.calls = calls

    @property
    def name(self) -> str:
        return self.engine.name

    @property
    def notices(self) -> list[str]:
        """As `ModelEngine.notices`."""
        return self.engine.notices

    @property
    def is_used_up(self) -> bool:
        """Whether the session's budget is."""
        self._tell()
        return self.account.share >= 1.0

    @property
    def _is_offline(self) -> bool:
        """Whether the offline engine answers now."""
        self._look()
        return self.took_over is not None or self.is_used_up

    def addressed(self, request: Request[Any], context: Context, layout: str | None = None) -> Context:
        """As `ModelEngine.addressed`; a context for the rules stays as it is, since nothing is sent."""
        return context if self._is_offline else self.engine.addressed(request, context, layout)

    def room_bytes(self, request: SeatRequest[Any]) -> int | None:
        """As `ModelEngine.room_bytes`; nothing is sent for the rules."""
        return None if self._is_offline else self.engine.room_bytes(request)

    def reply(self, request: Request[R], context: Context | None = None) -> R:
        """As `ModelEngine.reply`, within the budget."""
        if self._is_offline:
            return self._rules.reply(request)
        try:
            return self.engine.reply(request, context)
        finally:
            self._tell()
            self._look()

    def begin(self, request: Request[R], context: Context | None, on_text: OnText | None = None) -> Future[R]:
        """As `ModelEngine.begin`, within the budget."""
        if not self._is_offline:
            return self.engine.begin(request, context, on_text)
        return done(self._rules.reply(request))

    def search(self, queries: Sequence[str]) -> Searched:
        """As `searching.search`, within the budget; what it costs is in the result."""
        if self.is_used_up:
            raise EngineError("the session's budget is used up")
        from orchestrator.panel.engines.claude.searching import search

        if self.engine.settings.wire != MESSAGES:
            raise EngineError(f"the {self.name} engine has no search of the web")
        searched = search(self.engine.settings, queries)
        usage = tuple(map(self.account.charge, searched.usage))
        self._tell()
        return replace(searched, usage=usage)

    def take_usage(self) -> list[CallUsage]:
        """As `ModelEngine.take_usage`."""
        self._tell()
        return self.engine.take_usage()

    @property
    def calls(self) -> Calls:
        """As `Watched.calls`."""
        return self.engine.calls

    def check(self) -> None:
        """Find out now whether the model can be asked; nothing is asked once the budget is used up.

        A service that is there and fails is told of, counts as a call that failed, and stops nothing.

        Raises:
            EngineError: Who set it up has to put it right: no key, key refused, model unknown, nobody there.
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
        """Check; a server that says it is not ready yet is asked again until it is, or `LOADS_S` are over."""
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
        """As `ModelEngine.close`."""
        self.engine.close()

    def _look(self) -> None:
        """Let the offline panel take over where the first calls failed, all of them."""
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
