"""Session files that begin as a rendered blueprint."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from orchestrator.core.errors import HomeError
from orchestrator.core.home.regular import read_regular
from orchestrator.core.home.unnamed import blueprint_of
from orchestrator.core.table import CONFIG
from orchestrator.panel.engines.model.situation import board_lines
from orchestrator.panel.loop.plan import Plan


def blueprints(plan: Plan) -> Callable[[str], str]:
    """A function from a session file's path to its rendered blueprint.

    Only blueprints are templates; nothing of a session (deck, speech, names) is ever compiled.
    """
    from jinja2 import StrictUndefined, TemplateError
    from jinja2.sandbox import ImmutableSandboxedEnvironment

    fields = _fields(plan)
    environment = ImmutableSandboxedEnvironment(
        undefined=StrictUndefined, keep_trailing_newline=True, autoescape=False
    )

    def rendered(path: str) -> str:
        agent = path.partition("/")[0]
        own = blueprint_of(plan.home, plan.layout, path)
        try:
            template = environment.from_string(read_regular(own).decode())
            return template.render(fields, agent=fields["agents"].get(agent))
        except (OSError, UnicodeDecodeError, TemplateError) as error:
            raise HomeError(
                f"{own}: this blueprint cannot be rendered: {getattr(error, 'strerror', None) or error}"
            ) from error

    return rendered


def _fields(plan: Plan) -> dict[str, Any]:
    """What a blueprint may name; agents as the plain facts of their personas."""
    options, deck = plan.options, plan.source.deck
    agents = {
        agent: {
            "id": agent,
            "name": seat.persona.name,
            "title": seat.persona.title,
            "role": seat.persona.role,
        }
        for agent, seat in plan.seats.items()
    }
    return {
        "presenter": options.presenter,
        "deck_title": deck.title or deck.name,
        "deck_name": deck.name,
        "slides": len(deck.slides),
        "date": options.date or "not given",
        "minutes": options.minutes,
        "exchanges": options.exchanges,
        "mode": options.mode,
        "intensity": options.intensity,
        "engine": options.engine,
        "kind": options.kind,
        "language": options.language,
        "turn_limit": plan.rules.turn_limits[options.intensity],
        "speaker": options.speaker or "whoever speaks most",
        "focus": list(options.focus),
        "panel": [agents[agent] for agent in plan.layout.agents],
        "agents": agents,
        "board": _board(plan),
    }


def _board(plan: Plan) -> str:
    """The lines on the board; of one that would not fit into the file they stand in each task instead."""
    lines = "\n\n".join(board_lines(plan.members, plan.options.kind))
    fits = len(lines.encode()) <= plan.layout.files[CONFIG].max_bytes // 2
    return lines if fits else "The board is so large that it stands with each task."
