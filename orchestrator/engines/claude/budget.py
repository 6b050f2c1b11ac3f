"""The most that a session's calls may use, and how much of it is used up."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from orchestrator.spending import Total

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
