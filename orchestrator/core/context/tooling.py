"""Tools that a model may use while it is asked: as much of them as an engine sees.

The tools themselves stand in `memory/`, which comes later in the order of the package.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from orchestrator.core.store.value import Value


@dataclass(frozen=True, slots=True)
class ToolResult:
    """The result of a use: one line of JSON, an error that a model can act on included."""

    text: str
    is_error: bool = False


class ToolUses(Protocol):
    """The tools of one call. Nothing of the session changes before it is closed."""

    def use(self, name: str, arguments: Mapping[str, Any]) -> ToolResult:
        """Run a tool; may take long, and never raises for what a model or the disk did wrong."""

    def refuse(self, name: str, arguments: Mapping[str, Any], why: str) -> ToolResult:
        """Do not run it, and tell the model why."""

    def close(self, *, counts: bool) -> None:
        """The call is over; what was written counts only if it went well."""


class Tooling(Protocol):
    """The tools of one session. Safe to use from several threads."""

    @property
    def definitions(self) -> Sequence[Mapping[str, Any]]:
        """As the Messages API takes them; always the same bytes, since they begin what is cached."""

    def begin(self, agent: str, task: str, receipt: str) -> ToolUses:
        """The tools for one call of *agent*; *receipt* is that of what it was sent."""

    def take(self) -> list[tuple[str, Value]]:
        """The records that calls leave once they are over, as writer and value, in order; each once."""
