"""The names of engines: those of this package, and those of other distributions.

Everything that an engine's name alone implies is here, for sessions, dossiers and settings whose engine is
not loaded, or is no longer installed.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

BANK: Final = "offline"
"""The name of the engine without a model: a question bank, at no cost and without a network."""
SERVICES: Final = ("claude", "openai", "model")
"""Names of the engines that ask a service for a model's replies, and fall back on the question bank."""
BUILT_IN: Final = (BANK, *SERVICES)
"""Names of this package's engines that can be chosen; every list of them is made from this one."""
RECORDED: Final = "recorded"
"""The name of the demonstration's engine, which replays a reader's replies.

Nobody can choose it for a deck.
"""
RESERVED: Final = (*BUILT_IN, RECORDED, "scripted")
"""Names of the package's own engines, which no other distribution can provide."""
GROUP: Final = "greenroom.engines"
"""The group of entry points in which another distribution registers its engines; see docs/engines.md."""


def installed_names() -> tuple[str, ...]:
    """Return the names of the installed engines of other distributions, in alphabetical order."""
    from importlib.metadata import entry_points  # slow to load: only where a name is not built in

    return tuple(sorted({one.name for one in entry_points(group=GROUP)} - set(RESERVED)))


def engine_names() -> tuple[str, ...]:
    """Return the names of all engines that can be chosen here."""
    return (*BUILT_IN, *installed_names())


def is_engine_name(name: object) -> bool:
    """Return whether an engine of this name can be chosen here."""
    return name in BUILT_IN or name in installed_names()


def listed(names: Sequence[str] = BUILT_IN) -> str:
    """Join the names for a sentence: "offline, claude, openai or model"."""
    *others, last = names
    return f"{', '.join(others)} or {last}"


def is_bank(name: str) -> bool:
    """Return whether the engine asks from the question bank, so that no model reads anything for it."""
    return name == BANK


def has_stand_in(name: str) -> bool:
    """Return whether the question bank answers instead of this engine if its service fails."""
    return name in SERVICES


def may_use_tools(name: str) -> bool:
    """Return whether the engine has a model that can be offered tools.

    Rules, a recording and a script cannot.
    """
    return name not in (BANK, RECORDED, "scripted")
