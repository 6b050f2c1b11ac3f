"""Greenroom: rehearse before you face the board.

The public surface is `__all__`, and for who writes an engine `orchestrator.engines.__all__`; everything
else may move. Importing this does nothing else: the parts are imported when they are first used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from orchestrator.context.assemble import Context
    from orchestrator.context.receipt import Receipt
    from orchestrator.engines.scripted import ScriptedEngine
    from orchestrator.errors import ConfigurationError, EngineError, GreenroomError, UsageError
    from orchestrator.home.folder import Home
    from orchestrator.memory.session_context import SessionContext
    from orchestrator.model.segment import Segment
    from orchestrator.session import Session
    from orchestrator.verify import Verification

__version__ = "0.2.0"

_PARTS = {
    "ConfigurationError": "errors",
    "Context": "context.assemble",
    "EngineError": "errors",
    "GreenroomError": "errors",
    "Home": "home.folder",
    "Receipt": "context.assemble",
    "ScriptedEngine": "engines.scripted",
    "Segment": "model.segment",
    "Session": "session",
    "SessionContext": "memory.session_context",
    "UsageError": "errors",
    "Verification": "verify",
}

__all__ = [
    "ConfigurationError",
    "Context",
    "EngineError",
    "GreenroomError",
    "Home",
    "Receipt",
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
