"""An engine that is asked without a session."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace

from orchestrator.engines import by_name
from orchestrator.engines.offers import understands
from orchestrator.engines.protocol import Engine
from orchestrator.home.config import Config


@contextmanager
def asked_engine(
    config: Config, name: str | None, model: str | None, say: Callable[[str], None] = lambda line: None
) -> Iterator[Engine]:
    """The engine, checked, and closed behind the block.

    Args:
        name: None: as the configuration says.
        model: None: likewise.
        say: Told in one line when the budget is nearly used up.

    Raises:
        EngineError: It cannot work; one line says what to do.
    """
    used = config if model is None else replace(config, model=model)
    engine = by_name.engine_named(name or config.engine, used, say=say)
    try:
        by_name.check_engine(engine)
        yield engine
    finally:
        by_name.close_engine(engine)


@contextmanager
def reading_engine(config: Config, name: str | None, model: str | None) -> Iterator[Engine | None]:
    """As `asked_engine`; None where the engine goes by rules, which have nothing to add to the arithmetic."""
    with asked_engine(config, name, model) as engine:
        yield engine if understands(engine) else None
