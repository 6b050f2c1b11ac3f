"""The names of engines: those of this package, and those of other distributions.

Everything that an engine's name alone tells is here, for sessions, dossiers and settings whose engine is not
loaded, or no longer installed.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

BANK: Final = "offline"
"""The engine without a model: a question bank, at no cost and without a network."""
SERVICES: Final = ("claude", "openai", "model")
"""Engines that ask a service for a model's replies, with the question bank behind them."""
BUILT_IN: Final = (BANK, *SERVICES)
"""The engines of this package that can be chosen; every list of them is made from this one."""
RECORDED: Final = "recorded"
"""The engine of the demonstration: what a reader replied to its requests. Nobody can choose it for a deck."""
RESERVED: Final = (*BUILT_IN, RECORDED, "scripted")
"""Names of the package's own engines, which no other distribution can bring."""
GROUP: Final = "greenroom.engines"
"""The entry points by which another distribution brings an engine; see docs/engines.md."""


def installed_names() -> tuple[str, ...]:
    """Return the names of the engines that other distributions install here, in alphabetical order."""
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
    """Return whether this engine asks from the question bank: no model reads anything for it."""
    return name == BANK


def has_stand_in(name: str) -> bool:
    """Return whether the question bank stands in for this engine if its service fails."""
    return name in SERVICES


def may_use_tools(name: str) -> bool:
    """Return whether this engine has a model that can be offered tools: neither rules nor a recording."""
    return name not in (BANK, RECORDED, "scripted")
