"""Engines by name: those of this package, and those that other distributions bring."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

from orchestrator.core.errors import EngineError, GreenroomError, UsageError
from orchestrator.panel.config.config import Config
from orchestrator.panel.config.engine_names import (
    BANK,
    GROUP,
    RECORDED,
    RESERVED,
    SERVICES,
    engine_names,
    is_engine_name,
    listed,
)
from orchestrator.panel.engines.in_flight import Calls
from orchestrator.panel.engines.protocol import Advising, Checking, Closing, Engine, Joining, Request
from orchestrator.panel.model.usage import Total

if TYPE_CHECKING:
    from orchestrator.core.context.assemble import Context


# ---------------------------------------------------------------------- gone
# What stands for a session's engine that cannot be made: a program's own, or one that was uninstalled.


R = TypeVar("R")


@dataclass(frozen=True, slots=True)
class GoneEngine:
    """An engine that fails at every request, exactly as a model that cannot be reached."""

    name: str
    why: str  # which engine, and what to do, in one line

    def reply(self, request: Request[R], context: Context | None = None) -> R:
        """Raise at every call the error that made the engine unavailable.

        Raises:
            EngineError: Always.
        """
        raise EngineError(self.why)

    def check(self) -> None:
        """Report that the engine cannot work.

        Raises:
            EngineError: Always.
        """
        raise EngineError(self.why)


# ---------------------------------------------------------------------- by name


log = logging.getLogger(__name__)


def engine_named(
    name: str,
    config: Config | None = None,
    *,
    layout: str | None = None,
    spent: Total | None = None,
    say: Callable[[str], None] = lambda line: None,
    calls: Calls | None = None,
) -> Engine:
    """Make the engine with this name, without contacting anything: `check_engine` does that.

    Args:
        config: Models, deadlines and budgets of an engine that asks a service. If None, the defaults.
        layout: The layout of messages, for an engine that sends messages. If None, the configuration's.
        spent: The usage of earlier processes on the same session.
        say: Called with a line when the session's budget is nearly or fully used up, and when the offline
            panel takes over.
        calls: Where the calls of a slow engine can be watched. If None, the engine's own `Calls`.

    Raises:
        UsageError: No engine has this name.
        EngineError: Another distribution's engine cannot be made.
    """
    if name == BANK:
        return stand_in()
    if name in SERVICES:
        from orchestrator.panel.engines.model.engine import engine_of
        from orchestrator.panel.engines.model.settings import model_settings

        config = config or Config()
        settings = model_settings(config, layout, engine=name)
        return engine_of(settings, config, spent=spent, say=say, calls=calls)
    if name == RECORDED:
        from orchestrator.panel.engines.recorded import Replies, read_recording, recorded_engine

        return recorded_engine(Replies(read_recording().replies))
    if name in RESERVED:
        raise UsageError(
            "the scripted engine needs its replies: in Python, Session.start(…, engine=ScriptedEngine(…))"
        )
    engine = _installed_engine(name, config or Config())
    if isinstance(engine, Joining):
        engine.join(spent=spent, say=say, calls=calls)
    return engine


def _installed_engine(name: str, config: Config) -> Engine:
    """Make an engine by calling what its distribution registered as an entry point.

    Raises:
        UsageError: No installed distribution provides an engine of this name.
        EngineError: The distribution cannot be loaded, or makes no engine of this name.
    """
    from importlib.metadata import entry_points

    found = tuple(entry_points(group=GROUP, name=name))
    if not found:
        raise UsageError(f"there is no engine {name!r}: use {listed(engine_names())}")
    try:
        engine: Engine = found[0].load()(config)
        called = engine.name
    except GreenroomError:
        raise
    except Exception as error:
        told = " ".join(f"{type(error).__name__}: {error}".split())
        raise EngineError(
            f"the engine {name!r} cannot be made ({told}): mend {found[0].value}, or install it again"
        ) from error
    if called != name:  # the ledger has the engine's own word, and whoever opens the session looks for it
        close_engine(engine)
        raise EngineError(f"the engine {name!r} calls itself {called!r}: give both one name")
    return engine


def engine_of_session(
    name: str,
    config: Config | None,
    *,
    layout: str | None,
    spent: Total | None,
    say: Callable[[str], None],
    calls: Calls | None = None,
) -> Engine:
    """Make the engine that a session was started with, or one that fails at each call if that is impossible.

    Everything that asks no engine works without it: reading, a person's verdicts, the end, archives.
    """
    if name != RECORDED and not is_engine_name(name):
        return GoneEngine(
            name,
            f"there is no engine {name!r} here, which this session asks: install what brings it, or open the "
            "session in Python with Session.open(…, engine=…)",
        )
    try:
        return engine_named(name, config, layout=layout, spent=spent, say=say, calls=calls)
    except GreenroomError as error:  # its address is not set any more, say
        return GoneEngine(name, str(error))


def stand_in() -> Engine:
    """Make the engine that takes over when another one fails: the question bank."""
    from orchestrator.panel.engines.offline import OfflineEngine

    return OfflineEngine()


def check_engine(engine: Engine) -> None:
    """Check now that the engine can work, if it depends on anything outside.

    Raises:
        EngineError: The key is missing or refused, the model is unknown, or nothing responds. One line says
            what to do. If the offline panel can replace the engine, no other failure is raised, and the
            session goes on. A mistake in a third-party engine or wire is reported only by the kind of its
            exception.
    """
    try:
        if isinstance(engine, Checking):
            engine.check()
    except GreenroomError:
        raise
    except Exception as error:
        raise EngineError(
            f"the engine {engine.name!r} cannot be looked at ({type(error).__name__}): mend it"
        ) from error


def close_engine(engine: Engine) -> None:
    """Close the engine if it does work in the background; an error in doing so is logged as a warning."""
    try:
        _close(engine)
    except EngineError as error:  # whoever closes a session has it safe, and nothing else to do
        log.warning("%s", error)


def _close(engine: Engine) -> None:
    try:
        if isinstance(engine, Closing):
            engine.close()
    except Exception as error:
        raise EngineError(
            f"the engine {engine.name!r} cannot be closed ({type(error).__name__}): mend it"
        ) from error


def notices_of(engine: Engine) -> list[str]:
    """Return what a user should know about the engine's setup, such as the cost of a separate model."""
    return engine.notices if isinstance(engine, Advising) else []
