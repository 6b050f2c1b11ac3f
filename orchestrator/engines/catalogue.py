"""Engines by name."""

from __future__ import annotations

from orchestrator.engines.protocol import Engine
from orchestrator.errors import EngineError, UsageError


def engine_named(name: str) -> Engine:
    """The engine of this name.

    Raises:
        EngineError: It is not built yet.
        UsageError: There is none of this name.
    """
    if name == "offline":
        from orchestrator.engines.offline import OfflineEngine

        return OfflineEngine()
    if name == "claude":
        raise EngineError(
            "the claude engine is not built yet: leave --engine out, and the panel works offline"
        )
    if name == "scripted":
        raise UsageError(
            "the scripted engine needs its replies: in Python, Session.start(…, engine=ScriptedEngine(…))"
        )
    raise UsageError(f"there is no engine {name!r}: use offline")
