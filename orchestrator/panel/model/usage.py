"""Tokens, money and time of a session's calls to a model; none of the session's words are in it.

Each of a session's calls is a `call` record in its ledger, so anybody who opens the ledger knows what was
spent.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable
from dataclasses import dataclass, fields, replace
from typing import Any, Final

TOLERANCE: Final = 0.9
"""The share of the expected cache reads below which a call sets off the alarm.

It is not 1, because the expected number is estimated from bytes, and the service counts the output schema
too. With a much lower share, the loss of one marked block of four would go unseen. Source: caching.md, "What
it must reach".
"""
WARNS_AT: Final = 0.8
"""The share of a session's budget from which the user is warned that little is left.

The first warning about the session's time comes at the same share (DESIGN.md, section 7).
"""


@dataclass(frozen=True, slots=True)
class CallUsage:
    """One call's tokens, cost and time."""

    agent: str
    kind: str  # of task
    model: str
    read: int  # input tokens from the cache
    written: int  # input tokens put into it
    new: int  # input tokens paid in full
    output: int
    seconds: float
    cost_usd: float | None = None  # None: no price is known for the model
    promised: float = 0.0  # share of the input that one may expect from the cache; without a cache, nothing
    reported: bool = True  # False: the server says nothing about its cache
    repair: bool = False  # a reply was sent back
    round: int = 0  # how often the model had used tools before it
    searches: int = 0  # of the web
    answered: str | None = None  # the model that answered, as the service says; None: the one that was asked
    budget_share: float | None = None  # of the session's budget that was used up after it; None: no budget

    @property
    def input(self) -> int:
        """Return all input tokens."""
        return self.read + self.written + self.new

    @property
    def alarm(self) -> bool:
        """Return whether fewer tokens were read from the cache than the layout promises."""
        return self.reported and self.read < TOLERANCE * self.promised * self.input

    def __str__(self) -> str:
        cost = "cost unknown" if self.cost_usd is None else f"${self.cost_usd:.4f}"
        tokens = f"read {self.read}, written {self.written}, new {self.new}, output {self.output} tokens"
        short = f"; ALARM: the layout promises {self.promised:.0%} read" if self.alarm else ""
        return f"{self.agent} {self.kind} ({self.model}): {tokens}, {cost}, {self.seconds:.1f} s{short}"


@dataclass(frozen=True, slots=True)
class Total:
    """The sum of several calls."""

    calls: int = 0
    read: int = 0
    written: int = 0
    new: int = 0
    output: int = 0
    cost_usd: float | None = 0.0  # None: some model's price is not known
    alarms: int = 0
    searches: int = 0

    @property
    def input(self) -> int:
        """Return all input tokens."""
        return self.read + self.written + self.new

    @property
    def tokens(self) -> int:
        """Return the input and output tokens."""
        return self.input + self.output

    def __add__(self, other: Total) -> Total:
        pairs = {
            field.name: (getattr(self, field.name), getattr(other, field.name)) for field in fields(Total)
        }
        sums: dict[str, Any] = {name: None if None in pair else sum(pair) for name, pair in pairs.items()}
        return Total(**sums)


def total(usages: Iterable[CallUsage]) -> Total:
    """Return the sum of the usages."""
    whole = Total()
    for one in usages:
        alarms = int(one.alarm)
        whole += Total(1, one.read, one.written, one.new, one.output, one.cost_usd, alarms, one.searches)
    return whole


@dataclass(frozen=True, slots=True)
class Budget:
    """The maximum that a session's calls may use; a limit that is None does not apply.

    A model without a known price uses up no money, so only tokens limit it.
    """

    tokens: int | None = None  # input and output
    usd: float | None = None

    @property
    def is_set(self) -> bool:
        """Return whether there is any limit."""
        return self.tokens is not None or self.usd is not None

    def share(self, spent: Total) -> float:
        """Return the share of the budget that *spent* uses up, 1.0 being all; the higher of two shares."""
        shares = [0.0]
        if self.tokens is not None:
            shares.append(spent.tokens / max(1, self.tokens))  # a budget of nought is used up, not an error
        if self.usd is not None and spent.cost_usd is not None:
            shares.append(spent.cost_usd / max(1e-9, self.usd))
        return max(shares)


class Account:
    """The usage of a session's calls, compared with its budget; safe to use from several threads."""

    def __init__(self, budget: Budget | None = None, spent: Total | None = None) -> None:
        """Open an account; *spent* is the usage of earlier processes on the same session."""
        self.budget, self.spent = budget or Budget(), spent or Total()
        self._lock = threading.Lock()
        self._waiting: list[CallUsage] = []
        # A process that takes over does not say it again.
        self._told = {at for at in (WARNS_AT, 1.0) if self.share >= at}

    @property
    def share(self) -> float:
        """Return the share of the budget that is used up, 1.0 being all."""
        return self.budget.share(self.spent)

    def charge(self, usage: CallUsage) -> CallUsage:
        """Add a call's usage and return it with the share of the budget used so far."""
        with self._lock:
            self.spent += total([usage])
            return replace(usage, budget_share=round(self.share, 4) if self.budget.is_set else None)

    def add(self, usage: CallUsage) -> None:
        """Add a call's usage, and store it until `take` returns it."""
        charged = self.charge(usage)
        with self._lock:
            self._waiting.append(charged)

    def take(self) -> list[CallUsage]:
        """Return the calls added since the last call of this, in order."""
        with self._lock:
            taken, self._waiting = self._waiting, []
        return taken

    def news(self) -> list[str]:
        """Return the warnings due at 80 % and at 100 % of the budget, one line each, each only once."""
        with self._lock:
            passed = [at for at in (WARNS_AT, 1.0) if self.share >= at and at not in self._told]
            self._told.update(passed)
        return [
            "the session's budget is used up: from here on the panel works offline"
            if at >= 1.0
            else f"{WARNS_AT:.0%} of the session's budget is used up"
            for at in passed
        ]
