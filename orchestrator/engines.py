"""The names for who writes an engine; they are made in `orchestrator.panel.engines`, each when it is used."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from orchestrator.panel import engines as _engines

if TYPE_CHECKING:
    from orchestrator.panel.engines import *  # noqa: F403  # the names of its `__all__`

__all__ = _engines.__all__  # a list of the same names


def __getattr__(name: str) -> Any:
    return getattr(_engines, name)
