"""Engines by name."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from orchestrator.config import Config
from orchestrator.engines.protocol import Engine
from orchestrator.errors import UsageError
from orchestrator.spending import Total

if TYPE_CHECKING:
    from orchestrator.engines.claude.settings import Settings


def engine_named(
    name: str,
    config: Config | None = None,
    *,
    layout: str | None = None,
    spent: Total | None = None,
    say: Callable[[str], None] = lambda line: None,
) -> Engine:
    """The engine of this name. Nothing is contacted: `check_engine` does that.

    Args:
        config: Models, deadlines and budgets of an engine that asks a service; None: the defaults.
        layout: Of messages, where the engine sends any; None: the configuration's.
        spent: What earlier processes have spent on the session that it is for.
        say: Told in one line when the session's budget is nearly used up, and when it is.

    Raises:
        UsageError: There is none of this name.
    """
    if name == "offline":
        from orchestrator.engines.offline import OfflineEngine

        return OfflineEngine()
    if name == "claude":
        from orchestrator.engines.claude.budget import Budget, BudgetedEngine
        from orchestrator.engines.claude.engine import ClaudeEngine

        config = config or Config()
        budget = Budget(config.session_tokens, config.session_usd)
        return BudgetedEngine(ClaudeEngine(claude_settings(config, layout)), budget, spent=spent, say=say)
    if name == "scripted":
        raise UsageError(
            "the scripted engine needs its replies: in Python, Session.start(…, engine=ScriptedEngine(…))"
        )
    raise UsageError(f"there is no engine {name!r}: use offline or claude")


def claude_settings(
    config: Config, layout: str | None = None, environment: Mapping[str, str] | None = None
) -> Settings:
    """What the claude engine is set up with: the configuration's, and the environment's key and address."""
    from dataclasses import replace

    from orchestrator.engines.claude.settings import DEADLINES_S, settings_from

    settings = settings_from(
        os.environ if environment is None else environment,
        model=config.model,
        models=config.models,
        layout=layout or config.layout,
    )
    return replace(
        settings,
        effort=None if config.effort == "none" else config.effort,
        deadlines_s={**DEADLINES_S, **config.deadlines_s},
        retries=config.retries,
        in_flight=config.calls_in_flight,
    )


def check_engine(engine: Engine) -> None:
    """Find out now whether the engine can work, where it depends on anything outside.

    Raises:
        EngineError: Key missing, key refused, model unknown, or nobody there; one line says what to do.
    """
    check = getattr(engine, "check", None)
    if check is not None:
        check()


def close_engine(engine: Engine) -> None:
    """Give up what the engine still does, where it does anything by itself."""
    close = getattr(engine, "close", None)
    if close is not None:
        close()


def notices_of(engine: Engine) -> list[str]:
    """What a user should know of how this engine is set up: what a model of its own for a task costs."""
    settings = getattr(engine, "settings", None)
    if settings is None:
        return []
    from orchestrator.engines.claude.settings import what_it_costs

    return what_it_costs(settings)
