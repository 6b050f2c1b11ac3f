"""Engines by name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from orchestrator.engines.in_flight import Calls
from orchestrator.engines.offers import Advising, Checking, Closing
from orchestrator.engines.protocol import Engine
from orchestrator.errors import UsageError
from orchestrator.home.config import Config
from orchestrator.model.usage import Budget, Total
from orchestrator.records.options import RECORDED

MODELS: Final = ("claude", "model")
"""Engines that ask a service which speaks the Messages API: Anthropic's, or any other."""


def engine_named(
    name: str,
    config: Config | None = None,
    *,
    layout: str | None = None,
    spent: Total | None = None,
    say: Callable[[str], None] = lambda line: None,
    calls: Calls | None = None,
) -> Engine:
    """The engine of this name. Nothing is contacted: `check_engine` does that.

    Args:
        config: Models, deadlines and budgets of an engine that asks a service; None: the defaults.
        layout: Of messages, where the engine sends any; None: the configuration's.
        spent: What earlier processes have spent on the session that it is for.
        say: Told in one line when the session's budget is nearly used up, when it is, and when the offline
            panel takes over.
        calls: Where whoever waits sees the calls of an engine that takes time; None: the engine's own.

    Raises:
        UsageError: There is none of this name.
    """
    if name == "offline":
        from orchestrator.engines.offline import OfflineEngine

        return OfflineEngine()
    if name in MODELS:
        from orchestrator.engines.model.engine import ClaudeEngine
        from orchestrator.engines.model.fallback import FallbackEngine
        from orchestrator.engines.model.settings import claude_settings

        config = config or Config()
        engine = ClaudeEngine(claude_settings(config, layout, engine=name))
        if calls is not None:
            engine.calls = calls
        budget = Budget(config.session_tokens, config.session_usd)
        return FallbackEngine(engine, budget, spent=spent, say=say)
    if name == RECORDED:
        from orchestrator.engines.recorded import Replies, read_recording, recorded_engine

        return recorded_engine(Replies(read_recording().replies))
    if name == "scripted":
        raise UsageError(
            "the scripted engine needs its replies: in Python, Session.start(…, engine=ScriptedEngine(…))"
        )
    raise UsageError(f"there is no engine {name!r}: use offline, claude or model")


def check_engine(engine: Engine) -> None:
    """Find out now whether the engine can work, where it depends on anything outside.

    Raises:
        EngineError: Key missing, key refused, model unknown, or nobody there; one line says what to do.
            An engine that can be replaced by the offline panel raises nothing else: it goes on.
    """
    if isinstance(engine, Checking):
        engine.check()


def close_engine(engine: Engine) -> None:
    """Give up what the engine still does, where it does anything by itself."""
    if isinstance(engine, Closing):
        engine.close()


def notices_of(engine: Engine) -> list[str]:
    """What a user should know of how this engine is set up: what a model of its own for a task costs."""
    return engine.notices if isinstance(engine, Advising) else []
