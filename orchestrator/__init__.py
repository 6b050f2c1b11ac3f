"""Greenroom: rehearse before you face the board.

The public surface is `__all__`, and for who writes an engine `orchestrator.panel.engines.__all__`; everything
else may move. Importing this does nothing else: the parts are imported when they are first used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from orchestrator.core.context.assemble import Context
    from orchestrator.core.context.receipt import Receipt
    from orchestrator.core.errors import (
        ConfigurationError,
        EngineError,
        GreenroomError,
        UsageError,
    )
    from orchestrator.core.verify import Verification
    from orchestrator.material.values import Segment
    from orchestrator.memory.scribe import SessionContext
    from orchestrator.panel.engines.scripted import ScriptedEngine
    from orchestrator.panel.home import Home
    from orchestrator.rehearsal.rehearsal import Rehearsal
    from orchestrator.rehearsal.session import Session

__version__ = "0.2.0"

_PARTS = {
    "ConfigurationError": "core.errors",
    "Context": "core.context.assemble",
    "EngineError": "core.errors",
    "GreenroomError": "core.errors",
    "Home": "panel.home",
    "Receipt": "core.context.receipt",
    "Rehearsal": "rehearsal.rehearsal",
    "ScriptedEngine": "panel.engines.scripted",
    "Segment": "material.values",
    "Session": "rehearsal.session",
    "SessionContext": "memory.scribe",
    "UsageError": "core.errors",
    "Verification": "core.verify",
}

__all__ = [
    "ConfigurationError",
    "Context",
    "EngineError",
    "GreenroomError",
    "Home",
    "Receipt",
    "Rehearsal",
    "ScriptedEngine",
    "Segment",
    "Session",
    "SessionContext",
    "UsageError",
    "Verification",
]


def __getattr__(name: str) -> Any:
    if name not in _PARTS:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_PARTS[name]}"), name)
