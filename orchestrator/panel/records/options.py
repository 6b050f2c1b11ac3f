"""What a session was started with, as its first record keeps it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from orchestrator.panel.config.engine_names import RECORDED as RECORDED

UNNAMED: Final = "Presenter"
"""Who presents, where nobody was named."""


@dataclass(frozen=True, slots=True)
class Options:
    """What a session was started with; the same for its whole life."""

    id: str
    presenter: str
    panel: tuple[str, ...]
    engine: str
    layout: str
    mode: str
    intensity: str
    minutes: int
    exchanges: int
    focus: tuple[str, ...] = ()
    date: str | None = None  # YYYY-MM-DD
    speaker: str | None = None  # --speaker: whose words are judged
    remember: bool = False
    tools: bool = False  # agents that a model speaks for are offered the tools of memory
    keep_source: bool = True
    language: str = "en"
    kind: str | None = None  # of deck, where the presenter said so
