"""A session's budget: a warning at 80 % of it, and rules in place of the model when it is used up.

What was spent stands in the ledger's records of calls, so a process that starts anew goes on
from there: it gives their sum to the engine that it makes.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final, TypeVar

from orchestrator.engines.claude.engine import ClaudeEngine, OnText
from orchestrator.engines.claude.searching import Searched, search
from orchestrator.engines.claude.settings import Settings
from orchestrator.engines.offline import OfflineEngine
from orchestrator.engines.protocol import Request
from orchestrator.errors import EngineError
from orchestrator.spending import CallUsage, Total, total

if TYPE_CHECKING:
    from orchestrator.context import Context

R = TypeVar("R")

WARNS_AT: Final = 0.8


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


class BudgetedEngine:
    """A claude engine that stops at its budget; from then on the offline engine answers.

    A call that is in flight when the budget is reached is let finish, so the bill may pass it by
    the calls in flight.
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
            say: Told once at 80 % and once at 100 %, in one line.
        """
        self.engine = engine
        self._budget, self._say = budget, say
        self._rules = OfflineEngine()
        self._lock = threading.Lock()
        self._taken: list[CallUsage] = []
        self.spent = spent or Total()
        share = budget.share(self.spent)
        engine.may_go_on = self._may_go_on
        self._told = {at for at in (WARNS_AT, 1.0) if share >= at}

    @property
    def name(self) -> str:
        return "claude"

    @property
    def settings(self) -> Settings:
        """How the service is used."""
        return self.engine.settings

    @property
    def is_used_up(self) -> bool:
        """Whether the offline engine answers now."""
        self._count()
        return self._budget.share(self.spent) >= 1.0

    def addressed(self, request: Request[Any], context: Context, layout: str | None = None) -> Context:
        """As `ClaudeEngine.addressed`; a context for the rules stays as it is, since nothing is sent."""
        return context if self.is_used_up else self.engine.addressed(request, context, layout)

    def reply(self, request: Request[R], context: Context | None = None) -> R:
        """As `ClaudeEngine.reply`, within the budget.

        Raises:
            EngineError: As there.
        """
        if self.is_used_up:
            return self._rules.reply(request)
        try:
            return self.engine.reply(request, context)
        finally:
            self._count()

    def begin(self, request: Request[R], context: Context | None, on_text: OnText | None = None) -> Future[R]:
        """As `ClaudeEngine.begin`, within the budget."""
        if not self.is_used_up:
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
                "the session's budget is used up: from here on the panel works offline, by rules"
                if at >= 1.0
                else f"{WARNS_AT:.0%} of the session's budget is used up"
            )
