"""The settings of an engine that asks a model: service, models, deadlines."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Final

from orchestrator.core.context.messages import DEFAULT_LAYOUT
from orchestrator.core.errors import ConfigurationError
from orchestrator.core.outbound.environment import shown_host, trimmed
from orchestrator.panel.config.config import TASKS, Config

DEFAULT_MODEL: Final = "claude-sonnet-5-5"
PUBLIC_HOST: Final = "api.anthropic.com"
PUBLIC_URL: Final = f"https://{PUBLIC_HOST}"
OPENAI_URL: Final = "https://api.openai.com/v1"

WAITING_S: Final = 60.0
"""Wall-clock seconds for a task while a recording, or a caller, waits for it."""
LIVE_S: Final = 12.0
"""Seconds for a candidate while somebody speaks, since a newer call starts after 15 s (caching.md)."""
DEADLINES_S: Final[Mapping[str, float]] = {
    **dict.fromkeys(TASKS, WAITING_S),
    "focus_brief": 120.0,
    "tensions": 180.0,
    "doubt": 120.0,
    "dossier": 180.0,
    "debrief": 180.0,
}
"""Seconds for a whole task, with retries and the one repair; tasks that read a whole deck have longer."""

MESSAGES: Final = "messages"
CHAT: Final = "chat"
"""The wires: Anthropic's Messages API, and Chat Completions, which most other servers speak."""
API: Final[Mapping[str, str]] = {MESSAGES: "Messages API", CHAT: "Chat Completions API"}
"""Maps each wire to its name as people say it."""


@dataclass(frozen=True, slots=True)
class Settings:
    """One service and how it is used; the key is never shown."""

    model: str = DEFAULT_MODEL
    models: Mapping[str, str] = field(default_factory=dict)  # another model, by kind of task
    engine: str = "claude"  # its name on the command line and in the ledger
    wire: str | None = MESSAGES  # or CHAT; None: whichever the service turns out to speak better
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
    key_name: str = "ANTHROPIC_API_KEY"  # the variable that holds the key
    api_key: str | None = field(default=None, repr=False)
    auth_token: str | None = field(default=None, repr=False)

    def model_for(self, kind: str) -> str:
        """Return the model for this kind of task."""
        return self.models.get(kind, self.model)

    def deadline_s(self, kind: str, *, is_live: bool = False) -> float:
        """Return the seconds that this kind of task may take; if *is_live*, fewer unless configured."""
        seconds = self.deadlines_s.get(kind, DEADLINES_S.get(kind, WAITING_S))
        return LIVE_S if is_live and seconds == DEADLINES_S.get(kind) else seconds

    @property
    def is_public(self) -> bool:
        """Return whether the service is Anthropic's own, which is known to have a cache."""
        return self.base_url is None or self.where == PUBLIC_HOST

    @property
    def keeps_what_is_marked(self) -> bool:
        """Return whether the service is assumed to cache marked blocks: Anthropic's, or a proxy for it."""
        return self.wire == MESSAGES and self.address_name == "ANTHROPIC_BASE_URL"

    @property
    def where(self) -> str:
        """Return the service's name for messages, which never contains a user's name or password."""
        return shown_host(self.base_url or (OPENAI_URL if self.wire == CHAT else PUBLIC_URL))


def model_settings(
    config: Config,
    layout: str | None = None,
    environment: Mapping[str, str] | None = None,
    *,
    engine: str = "claude",
) -> Settings:
    """Return the configuration's settings, with the key and address from the environment.

    The engine `claude` asks Anthropic, or `ANTHROPIC_BASE_URL`. The engine `openai` asks OpenAI, or
    `OPENAI_BASE_URL`. The engine `model` asks the configuration's `model_url`, or else `ANTHROPIC_BASE_URL`.
    A key of Anthropic's or OpenAI's is never sent to `model_url`, which gets GREENROOM_MODEL_KEY or no key.

    Raises:
        ConfigurationError: An address or a model that is needed is not configured.
    """
    known = os.environ if environment is None else environment
    maker = "OPENAI" if engine == "openai" else "ANTHROPIC"
    wire: str | None = CHAT if engine == "openai" else MESSAGES
    address_name, key_name = f"{maker}_BASE_URL", f"{maker}_API_KEY"
    base_url = known.get(address_name)
    auth_token = known.get("ANTHROPIC_AUTH_TOKEN") if maker == "ANTHROPIC" else None
    if engine == "model":
        wire = config.wire
        if config.model_url is not None:
            base_url, auth_token = config.model_url, None
            address_name, key_name = "model_url", "GREENROOM_MODEL_KEY"
        if not base_url:
            raise ConfigurationError(
                "the model engine needs an address: set model_url in greenroom.yaml, or GREENROOM_MODEL_URL, "
                "as in http://127.0.0.1:11434"
            )
    settings = own_settings(
        replace(config, model=config.model or DEFAULT_MODEL) if engine == "claude" else config,
        engine,
        wire=wire,
        base_url=base_url,
        address_name=address_name,
        key_name=key_name,
        environment=known,
    )
    return replace(settings, layout=layout or config.layout, auth_token=trimmed(auth_token))


def own_settings(
    config: Config,
    engine: str,
    *,
    wire: str | None,
    base_url: str | None,
    address_name: str,
    key_name: str,
    environment: Mapping[str, str] | None = None,
) -> Settings:
    """Return the settings of an engine of any name: its address is passed in, all else comes from the home.

    Args:
        address_name: The setting or variable that *base_url* comes from, for messages.
        key_name: The variable that contains the key, if the service wants one.

    Raises:
        ConfigurationError: No model is configured.
    """
    if config.model is None:
        raise ConfigurationError(
            f"the {engine} engine needs a model's name: set model in greenroom.yaml, or GREENROOM_MODEL"
        )
    known = os.environ if environment is None else environment
    return Settings(
        model=config.model,
        models=config.models,
        engine=engine,
        wire=wire,
        effort=None if config.effort == "none" else config.effort,
        layout=config.layout,
        deadlines_s={**DEADLINES_S, **config.deadlines_s},
        retries=config.retries,
        in_flight=config.calls_in_flight,
        base_url=trimmed(base_url),
        address_name=address_name,
        key_name=key_name,
        api_key=trimmed(known.get(key_name)),
    )


def what_it_costs(settings: Settings) -> list[str]:
    """Return a line for each task with a separate model, which says what that adds to the bill.

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
