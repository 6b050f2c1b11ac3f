"""The settings of an engine that asks a model: which service, which models, how patient."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from orchestrator.context.messages import DEFAULT_LAYOUT
from orchestrator.errors import ConfigurationError
from orchestrator.home.config import TASKS, Config
from orchestrator.outbound.environment import trimmed
from orchestrator.outbound.replies import shown_host

DEFAULT_MODEL: Final = "claude-sonnet-5-5"
PUBLIC_HOST: Final = "api.anthropic.com"
PUBLIC_URL: Final = f"https://{PUBLIC_HOST}"

WAITING_S: Final = 60.0
"""Seconds of wall clock for a task while a recording, or whoever asked, waits for it."""
LIVE_S: Final = 12.0
"""The same for a candidate while somebody speaks: a newer one starts after 15 s (caching.md)."""
DEADLINES_S: Final[Mapping[str, float]] = {
    **dict.fromkeys(TASKS, WAITING_S),
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
    effort: str | None = "medium"  # as the API names it; None: the model's own. One for all: of the cache
    layout: str = DEFAULT_LAYOUT  # where a context's receipt names none
    deadlines_s: Mapping[str, float] = field(default_factory=lambda: DEADLINES_S)
    retries: int = 2
    first_wait_s: float = 0.5  # before the second try, doubled at each further one
    in_flight: int = 4
    base_url: str | None = None  # None: the public service
    address_name: str = (
        "ANTHROPIC_BASE_URL"  # where base_url comes from: a key of the configuration or a variable
    )
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
        return shown_host(self.base_url or PUBLIC_URL)


def claude_settings(
    config: Config,
    layout: str | None = None,
    environment: Mapping[str, str] | None = None,
    *,
    engine: str = "claude",
) -> Settings:
    """The configuration's settings, with the environment's key and address.

    `claude` asks Anthropic, or `ANTHROPIC_BASE_URL`; `model` the configuration's `model_url` if there is
    one. A key of Anthropic's is never sent to `model_url`: that has GREENROOM_MODEL_KEY, or none.

    Raises:
        ConfigurationError: `model` is asked for, and no address or no model is named.
    """
    known = os.environ if environment is None else environment
    base_url, auth_token = known.get("ANTHROPIC_BASE_URL"), known.get("ANTHROPIC_AUTH_TOKEN")
    api_key, address_name = known.get("ANTHROPIC_API_KEY"), "ANTHROPIC_BASE_URL"
    if engine == "model":
        if config.model_url is not None:
            base_url, api_key, auth_token = config.model_url, known.get("GREENROOM_MODEL_KEY"), None
            address_name = "model_url"
        if not base_url:
            raise ConfigurationError(
                "the model engine needs an address: set model_url in greenroom.yaml, or GREENROOM_MODEL_URL, "
                "as in http://127.0.0.1:11434"
            )
        if config.model is None:
            raise ConfigurationError(
                "the model engine needs a model's name: set model in greenroom.yaml, or GREENROOM_MODEL"
            )
    return Settings(
        model=config.model or DEFAULT_MODEL,
        models=config.models,
        engine=engine,
        effort=None if config.effort == "none" else config.effort,
        layout=layout or config.layout,
        deadlines_s={**DEADLINES_S, **config.deadlines_s},
        retries=config.retries,
        in_flight=config.calls_in_flight,
        base_url=trimmed(base_url),
        address_name=address_name,
        api_key=trimmed(api_key),
        auth_token=trimmed(auth_token),
    )


def what_it_costs(settings: Settings) -> list[str]:
    """A line for each task with a model of its own: what that adds to the bill.

    Source: caching.md, "One agent, one cache".
    """
    again = "the whole context, once for each time it has expired"
    added = {
        **dict.fromkeys(("focus_brief", "candidate_question", "notes"), again),
        "judgement": "0.05 to 0.06 of the uncached cost, a third of the whole bill",
        "debrief": "nothing else: it is one call",
    }
    return [
        f"{kind} uses {model}, which keeps a cache of its own: that adds "
        f"{added.get(kind, 'nothing else: it has a cache of its own in any case')}"
        for kind, model in sorted(settings.models.items())
        if model != settings.model
    ]
