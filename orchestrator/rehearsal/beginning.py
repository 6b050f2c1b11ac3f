"""The start of a session: its engine and memory are prepared, then it is started and opened.

The module also gives a session the memory of its home, and the schedule by which its facts are summarised.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path

from orchestrator.memory.embedding import embedder
from orchestrator.memory.session_memory import Remembering
from orchestrator.memory.summariser import NEVER, Schedule
from orchestrator.memory.tools import SessionTools
from orchestrator.panel.config.config import Config
from orchestrator.panel.engines.by_name import check_engine, close_engine, engine_named
from orchestrator.panel.engines.in_flight import Calls
from orchestrator.panel.engines.protocol import Engine, understands
from orchestrator.panel.home import Home
from orchestrator.panel.loop.plan import Source, StartOptions, read_source
from orchestrator.panel.loop.recorded import Loading, begin
from orchestrator.panel.loop.session_folder import start_session
from orchestrator.panel.records.setup import RECORDED


@dataclass(frozen=True, slots=True)
class Begun:
    """The parts of a session that has just been started."""

    root: Path
    engine: Engine
    is_own: bool  # the engine was made here, so whoever closes the session closes it
    remembering: Remembering
    notices: tuple[str, ...]  # of files in the home that have no part in it, a line each

    def close_engine(self) -> None:
        """Close the engine if it was made here, for a session whose start fails after all."""
        if self.is_own:
            close_engine(self.engine)


def begin_session(
    home: Home,
    deck: str | Path | Source | None,
    deck_text: str | None,
    given: StartOptions,
    engine: str | Engine | None,
    *,
    loading: Loading | None,
    say: Callable[[str], None],
    calls: Calls | None,
) -> Begun:
    """Begin a session as `Session.start` does; an engine that is made here is closed if the start fails."""
    is_own = engine is None or isinstance(engine, str)
    with ExitStack() as undo:
        if engine is None or isinstance(engine, str):
            given = replace(given, engine=engine)
            name = engine or home.config.engine
            engine = engine_named(name, home.config, layout=given.layout, say=say, calls=calls)
            undo.callback(close_engine, engine)
        else:
            given = replace(given, engine=engine.name)
        # Before the engine is asked: a deck that cannot be read costs nothing.
        source = read_source(deck, deck_text)
        if is_own:
            check_engine(engine)
        remembering = remembering_of(home, engine.name)
        notices: list[str] = []
        root = start_session(
            home,
            source,
            given,
            engine,
            carry=remembering.take,
            tooling=SessionTools(None, None, given.presenter or ""),
            then=lambda made: begin(made, loading) if loading is not None else None,
            say=notices.append,
        )
        undo.pop_all()
    return Begun(root, engine, is_own, remembering, tuple(notices))


def schedule_of(config: Config, engine: Engine) -> Schedule:
    """Return the schedule by which facts are summarised.

    Rules cost nothing. A model is paid for, so that the end of an exchange is no reason to summarise.
    """
    if not config.facts:
        return NEVER
    is_free = not understands(engine)
    return Schedule(every_s=float(config.facts_every_s), after_exchange=is_free, is_paid=not is_free)


def remembering_of(home: Home | None, engine: str) -> Remembering:
    """Return what connects a session with the memory of its home; with nothing if the setting `memory` is
    off.

    Sessions of the demonstration have a separate memory.
    """
    if home is None:
        return Remembering(None)
    config = home.config
    key = os.environ.get("GREENROOM_EMBEDDINGS_KEY")
    embed = embedder(config.embeddings, model=config.embeddings_model, key=key)
    root = home.demo if engine == RECORDED else home.root
    return Remembering(root if config.memory else None, embed=embed)
