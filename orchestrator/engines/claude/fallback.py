"""A model's engine, and the offline engine where the model cannot go on.

What was spent stands in the ledger's records of calls, so a process that starts anew goes on
from there: it gives their sum to the engine that it makes.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final, TypeVar

from orchestrator.engines.claude.engine import ClaudeEngine
from orchestrator.engines.claude.searching import search
from orchestrator.engines.offers import OnText, Searched
from orchestrator.engines.offline import OfflineEngine
from orchestrator.engines.protocol import Request
from orchestrator.errors import EngineError
from orchestrator.spending import CallUsage, Total, total

if TYPE_CHECKING:
    from orchestrator.context import Context

R = TypeVar("R")

WARNS_AT: Final = 0.8
FAILS_BEFORE: Final = 3
"""Calls that failed one after the other, with none ever answered, before the offline panel takes over."""


@dataclass(frozen=True, slots=True)
class Budget:
    """The most that a session's calls may use; None: no limit.

    A model without a known price uses up no money, so only tokens bound it.
    """

    tokens: int | None = None  # input and output
    usd: float | None = None

    @property
    def is_set(self) -> bool:
        """Whether there is any limit."""
        return self.tokens is not None or self.usd is not None

    def share(self, spent: Total) -> float:
        """How much of it is used up, 1.0 being all."""
        shares = [0.0]
        if self.tokens is not None:
            shares.append(spent.tokens / max(1, self.tokens))
        if self.usd is not None and spent.cost_usd is not None:
            shares.append(spent.cost_usd / max(1e-9, self.usd))
        return max(shares)


class FallbackEngine:
    """A model's engine with the offline engine behind it: at the budget's end, or if the model never answers.

    A call that is in flight when the budget is reached is let finish, so the bill may pass it by
    the calls in flight. A model that has answered once is asked on, however often it fails then.
    """

    def __init__(
        self,
        engine: ClaudeEngine,
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
        self._budget, self._say = budget, say
        self._rules = OfflineEngine()
        self._took_over: str | None = None
        self._lock = threading.Lock()
        self._taken: list[CallUsage] = []
        self.spent = spent or Total()
        share = budget.share(self.spent)
        engine.may_go_on = self._may_go_on
        engine.has_warned = self.spent.alarms > 0
        self._told = {at for at in (WARNS_AT, 1.0) if share >= at}

    @property
    def name(self) -> str:
        return self.engine.name

    @property
    def took_over(self) -> str | None:
        """Why the offline panel answers although a model was asked for; None: it does not.

        That a budget is used up is no such reason: what was paid for was had.
        """
        return self._took_over

    @property
    def notices(self) -> list[str]:
        """As `ClaudeEngine.notices`."""
        return self.engine.notices

    @property
    def is_used_up(self) -> bool:
        """Whether the session's budget is."""
        self._count()
        return self._budget.share(self.spent) >= 1.0

    @property
    def _is_offline(self) -> bool:
        """Whether the offline engine answers now."""
        self._look()
        return self._took_over is not None or self.is_used_up

    def addressed(self, request: Request[Any], context: Context, layout: str | None = None) -> Context:
        """As `ClaudeEngine.addressed`; a context for the rules stays as it is, since nothing is sent."""
        return context if self._is_offline else self.engine.addressed(request, context, layout)

    def reply(self, request: Request[R], context: Context | None = None) -> R:
        """As `ClaudeEngine.reply`, within the budget.

        Raises:
            EngineError: As there.
        """
        if self._is_offline:
            return self._rules.reply(request)
        try:
            return self.engine.reply(request, context)
        finally:
            self._count()
            self._look()

    def begin(self, request: Request[R], context: Context | None, on_text: OnText | None = None) -> Future[R]:
        """As `ClaudeEngine.begin`, within the budget."""
        if not self._is_offline:
            return self.engine.begin(request, context, on_text)
        done: Future[R] = Future()
        done.set_result(self._rules.reply(request))
        return done

    def search(self, queries: Sequence[str]) -> Searched:
        """As `searching.search`, within the budget; what it costs is in the result.

        Raises:
            EngineError: As there, or the budget is used up.
        """
        if self.is_used_up:
            raise EngineError("the session's budget is used up")
        searched = search(self.engine.settings, queries)
        usage = []
        with self._lock:
            for one in searched.usage:
                self.spent += total([one])
                share = round(self._budget.share(self.spent), 4) if self._budget.is_set else None
                usage.append(replace(one, budget_share=share))
        self._count()
        return replace(searched, usage=tuple(usage))

    def take_usage(self) -> list[CallUsage]:
        """As `ClaudeEngine.take_usage`."""
        self._count()
        with self._lock:
            taken, self._taken = self._taken, []
        return taken

    def check(self) -> None:
        """As `ClaudeEngine.check`; nothing is asked once the budget is used up."""
        if not self.is_used_up:
            self.engine.check()

    def close(self) -> None:
        """As `ClaudeEngine.close`."""
        self.engine.close()

    def _look(self) -> None:
        """Let the offline panel take over where the first calls failed, all of them."""
        engine = self.engine
        with self._lock:
            if self._took_over or engine.has_ever_answered or engine.failed_in_a_row < FAILS_BEFORE:
                return
            self._took_over = f"{engine.settings.model} never answered: {engine.last_failure}"
        self._say(f"the offline panel takes over: {self._took_over}")

    def _may_go_on(self) -> bool:
        """Whether there is anything left, what has not been taken yet included. From any thread."""
        with self._lock:
            return self._budget.share(self.spent + total(self.engine.so_far())) < 1.0

    def _count(self) -> None:
        with self._lock:
            for one in self.engine.take_usage():
                self.spent += total([one])
                share = round(self._budget.share(self.spent), 4) if self._budget.is_set else None
                self._taken.append(replace(one, budget_share=share))
            share = self._budget.share(self.spent)
            passed = [at for at in (WARNS_AT, 1.0) if share >= at and at not in self._told]
            self._told.update(passed)
        for at in passed:
            self._say(
                "the session's budget is used up: from here on the panel works offline"
                if at >= 1.0
                else f"{WARNS_AT:.0%} of the session's budget is used up"
            )
