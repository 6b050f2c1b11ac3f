"""What stands for a session's engine that cannot be made: a program's own, or one that was uninstalled."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

from orchestrator.core.errors import EngineError
from orchestrator.panel.engines.protocol import Request

if TYPE_CHECKING:
    from orchestrator.core.context.assemble import Context

R = TypeVar("R")


@dataclass(frozen=True, slots=True)
class GoneEngine:
    """Fails at every request, as a model that cannot be reached: whatever survives that survives this."""

    name: str
    why: str  # which engine, and what to do, in one line

    def reply(self, request: Request[R], context: Context | None = None) -> R:
        """Answer nothing.

        Raises:
            EngineError: Always.
        """
        raise EngineError(self.why)

    def check(self) -> None:
        """Find out that the engine cannot work.

        Raises:
            EngineError: Always.
        """
        raise EngineError(self.why)
