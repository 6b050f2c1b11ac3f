"""An engine that is asked without a session, and the offline one where that cannot work."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace

from orchestrator.core.errors import EngineError
from orchestrator.core.legible import one_line
from orchestrator.panel.config.config import Config
from orchestrator.panel.engines import by_name
from orchestrator.panel.engines.in_flight import Calls
from orchestrator.panel.engines.offers import StoodInFor, understands
from orchestrator.panel.engines.protocol import Engine


@dataclass(frozen=True, slots=True)
class Asked:
    """Who is asked."""

    engine: Engine
    wanted: str  # the name of the engine that was asked for
    refused: str | None = None  # why it cannot work at all, and the offline one is here in its place

    @property
    def failed(self) -> str | None:
        """Why the offline panel answers though another engine was asked for, as of now; None: it does not."""
        took_over = self.engine.took_over if isinstance(self.engine, StoodInFor) else None
        return self.refused or took_over


@contextmanager
def asked_engine(
    config: Config,
    name: str | None,
    model: str | None,
    say: Callable[[str], None] = lambda line: None,
    calls: Calls | None = None,
) -> Iterator[Asked]:
    """The engine, checked, and closed behind the block; where it cannot work, the offline one.

    What needs no session is worth having without a model too, so nothing of a model's stops it.

    Args:
        name: None: as the configuration says.
        model: None: likewise.
        say: Told in one line when the budget is nearly used up, and when the offline panel takes over.
        calls: Where whoever waits sees the calls.

    Raises:
        UsageError: There is no such engine, or its address is none.
    """
    wanted = name or config.engine
    used = config if model is None else replace(config, model=model)
    engine, refused = by_name.engine_named(wanted, used, say=say, calls=calls), None
    try:
        try:
            by_name.check_engine(engine)
        except EngineError as error:
            refused = one_line(str(error))
        asked = engine if refused is None else by_name.stand_in()
        yield Asked(asked, wanted, refused)
    finally:
        by_name.close_engine(engine)


@contextmanager
def reading_engine(
    config: Config,
    name: str | None,
    model: str | None,
    say: Callable[[str], None] = lambda line: None,
    calls: Calls | None = None,
) -> Iterator[Asked | None]:
    """As `asked_engine`; None where the engine goes by rules, which have nothing to add to the arithmetic."""
    with asked_engine(config, name, model, say, calls) as asked:
        yield asked if asked.refused is not None or understands(asked.engine) else None
