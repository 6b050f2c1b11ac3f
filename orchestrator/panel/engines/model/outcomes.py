"""What verifying a reply gives: what of it holds, and what is wrong with it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from orchestrator.core.errors import EngineError


@dataclass(frozen=True, slots=True)
class Fault:
    """What is wrong with a reply: `reason` holds nothing of what was said, `told` is for the model alone."""

    reason: str
    told: str = ""

    @property
    def sent(self) -> str:
        """As it goes back to the model, which may repeat the model's own words."""
        return f"{self.reason}. {self.told}".rstrip(" .") if self.told else self.reason


@dataclass(frozen=True, slots=True)
class Outcome:
    """What is made of a reply, or the error if nothing can be; for its `fault` it is sent back, once."""

    result: Any  # as the request asks for it, or an EngineError
    fault: Fault | None = None


def unusable(fault: Fault) -> Outcome:
    """Nothing can be made of it."""
    return Outcome(EngineError(f"the reply could not be used: {fault.reason}"), fault)


def fault_in(holding: Iterable[object], why: str) -> Fault | None:
    """The fault of several parts, of which those that are None or False do not hold: named to the model."""
    wrong = [str(number) for number, one in enumerate(holding, 1) if not one]
    return Fault(f"{len(wrong)} of the {why}", f"Counted from 1: {', '.join(wrong)}") if wrong else None
