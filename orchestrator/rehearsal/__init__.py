"""A board panel's rehearsal: the public class, its start, its end, and the demonstration."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from orchestrator.rehearsal.rehearsal import Rehearsal as Rehearsal

__all__ = ["Rehearsal"]


def __getattr__(name: str) -> Any:
    if name != "Rehearsal":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from orchestrator.rehearsal.rehearsal import Rehearsal

    return Rehearsal
