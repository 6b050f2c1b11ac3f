"""What a claude engine is set up with: which service, which models, how patient.

Only the command line reads the environment; it hands its variables to `settings_from`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from orchestrator.engines.claude.reading_replies import READING_KINDS
from orchestrator.engines.claude.replies import KINDS
from orchestrator.errors import ConfigurationError
from orchestrator.messages import DEFAULT_LAYOUT

DEFAULT_MODEL: Final = "claude-sonnet-5-5"
PUBLIC_HOST: Final = "api.anthropic.com"

WAITING_S: Final = 60.0
"""Seconds of wall clock for a task while a recording, or whoever asked, waits for it."""
LIVE_S: Final = 12.0
"""The same for a candidate while somebody speaks: a newer one starts after 15 s (caching.md)."""
DEADLINES_S: Final[Mapping[str, float]] = {
    **dict.fromkeys((*KINDS, *READING_KINDS), WAITING_S),
    "focus_brief": 120.0,
    "tensions": 180.0,
    "doubt": 120.0,
    "dossier": 180.0,
    "debrief": 180.0,
}
"""For a whole task, with retries and the one repair; those that read a whole deck have longer."""

MAX_TOKENS: Final = 16_000
"""Most output tokens of a call, the model's thinking included."""
SHORT_MAX_TOKENS: Final = 4_000
"""Of a server that refuses so many."""


@dataclass(frozen=True, slots=True)
class Settings:
    """One service and how it is used. The key is never shown."""

    model: str = DEFAULT_MODEL
    models: Mapping[str, str] = field(default_factory=dict)  # another model, by kind of task
    engine: str = "claude"  # or "model": its name on the command line and in the ledger
    effort: str | None = (
        "medium"  # as the API names it; None: the model's own. One for all: it is of the cache
    )
    layout: str = DEFAULT_LAYOUT  # where a context's receipt names none
    deadlines_s: Mapping[str, float] = field(default_factory=lambda: DEADLINES_S)
    retries: int = 2
    first_wait_s: float = 0.5  # before the second try, doubled at each further one
    in_flight: int = 4
    base_url: str | None = None  # None: the public service
    api_key: str | None = field(default=None, repr=False)
    auth_token: str | None = field(default=None, repr=False)

    def model_for(self, kind: str) -> str:
        """The model of this kind of task."""
        return self.models.get(kind, self.model)

    def deadline_s(self, kind: str, *, is_live: bool = False) -> float:
        """How long this kind of task may take; *is_live*: shorter, unless somebody set another time."""
        seconds = self.deadlines_s.get(kind, DEADLINES_S.get(kind, WAITING_S))
        return LIVE_S if is_live and seconds == DEADLINES_S.get(kind) else seconds

    @property
    def is_public(self) -> bool:
        """Anthropic's own service is asked, which is known to have a cache."""
        return self.base_url is None or self.where == PUBLIC_HOST

    @property
    def key_name(self) -> str:
        """The variable that holds its key."""
        return "GREENROOM_MODEL_KEY" if self.engine == "model" else "ANTHROPIC_API_KEY"

    @property
    def where(self) -> str:
        """The service in messages: never with a user's name or password."""
        from urllib.parse import urlsplit

        parts = urlsplit(self.base_url or f"https://{PUBLIC_HOST}")
        return parts.netloc.rpartition("@")[2] or parts.path


def settings_from(
    environment: Mapping[str, str],
    *,
    model: str | None = None,
    models: Mapping[str, str] | None = None,
    layout: str = DEFAULT_LAYOUT,
) -> Settings:
    """The settings that an environment gives: ANTHROPIC_API_KEY, _AUTH_TOKEN, _BASE_URL.

    Raises:
        ConfigurationError: *models* names a kind of task that there is not.
    """
    for kind in models or {}:
        if kind not in DEADLINES_S:
            raise ConfigurationError(
                f"models: there is no task {kind!r}; use one of {', '.join(DEADLINES_S)}"
            )
    return Settings(
        model=model or DEFAULT_MODEL,
        models=models or {},
        layout=layout,
        base_url=environment.get("ANTHROPIC_BASE_URL") or None,
        api_key=environment.get("ANTHROPIC_API_KEY") or None,
        auth_token=environment.get("ANTHROPIC_AUTH_TOKEN") or None,
    )


def what_it_costs(settings: Settings) -> list[str]:
    """A line for each task with a model of its own: what that adds to the bill.

    Source: caching.md, "One agent, one cache".
    """
    own = "nothing else: it has a cache of its own in any case"
    added = {
        "judgement": "0.05 to 0.06 of the uncached cost, a third of the whole bill",
        "debrief": "nothing else: it is one call",
        **dict.fromkeys(READING_KINDS, own),
    }
    return [
        f"{kind} uses {model}, which keeps a cache of its own: that adds "
        f"{added.get(kind, 'the whole context, once for each time it has expired')}"
        for kind, model in sorted(settings.models.items())
        if model != settings.model
    ]
