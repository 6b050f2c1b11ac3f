"""Engines by name."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Final

from orchestrator.config import Config
from orchestrator.engines.offers import Advising, Checking, Closing
from orchestrator.engines.protocol import Engine
from orchestrator.errors import ConfigurationError, UsageError
from orchestrator.spending import Total

if TYPE_CHECKING:
    from orchestrator.engines.claude.settings import Settings


MODELS: Final = ("claude", "model")
"""Engines that ask a service which speaks the Messages API: Anthropic's, or any other."""


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
    if name in MODELS:
        from orchestrator.engines.claude.engine import ClaudeEngine
        from orchestrator.engines.claude.fallback import Budget, FallbackEngine

        config = config or Config()
        engine = ClaudeEngine(claude_settings(config, layout, engine=name))
        budget = Budget(config.session_tokens, config.session_usd)
        return FallbackEngine(engine, budget, spent=spent, say=say)
    if name == "scripted":
        raise UsageError(
            "the scripted engine needs its replies: in Python, Session.start(…, engine=ScriptedEngine(…))"
        )
    raise UsageError(f"there is no engine {name!r}: use offline, claude or model")


def claude_settings(
    config: Config,
    layout: str | None = None,
    environment: Mapping[str, str] | None = None,
    *,
    engine: str = "claude",
) -> Settings:
    """What the engine is set up with: the configuration's, and the environment's key and address.

    `claude` asks Anthropic, or `ANTHROPIC_BASE_URL`; `model` the configuration's `model_url` if there is
    one. A key of Anthropic's is never sent to `model_url`: that has GREENROOM_MODEL_KEY, or none.

    Raises:
        ConfigurationError: `model` is asked for, and no address or no model is named.
    """
    from dataclasses import replace

    from orchestrator.engines.claude.settings import DEADLINES_S, settings_from

    known = os.environ if environment is None else environment
    settings = settings_from(known, model=config.model, models=config.models, layout=layout or config.layout)
    if engine == "model":
        if config.model_url is not None:
            key = known.get("GREENROOM_MODEL_KEY") or None
            settings = replace(settings, base_url=config.model_url, api_key=key, auth_token=None)
        if settings.base_url is None:
            raise ConfigurationError(
                "the model engine needs an address: set model_url in greenroom.yaml, or GREENROOM_MODEL_URL, "
                "as in http://127.0.0.1:11434"
            )
        if config.model is None:
            raise ConfigurationError(
                "the model engine needs a model's name: set model in greenroom.yaml, or GREENROOM_MODEL"
            )
    return replace(
        settings,
        engine=engine,
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
    if isinstance(engine, Checking):
        engine.check()


def close_engine(engine: Engine) -> None:
    """Give up what the engine still does, where it does anything by itself."""
    if isinstance(engine, Closing):
        engine.close()


def notices_of(engine: Engine) -> list[str]:
    """What a user should know of how this engine is set up: what a model of its own for a task costs."""
    return engine.notices if isinstance(engine, Advising) else []
