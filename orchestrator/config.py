"""Configuration: `greenroom.yaml`, overridden by `GREENROOM_*`, overridden by options.

Every key has a default. Unknown keys and unusable values are refused at start, with the line.
Source: interfaces.md, "Configuration".
"""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any, Final

from orchestrator.errors import ConfigurationError

CHOICES: Final = {
    "engine": ("offline", "claude", "scripted"),
    "layout": ("watermark", "strict"),
    "mode": ("section-breaks", "hand-raise", "free-flow"),
    "intensity": ("friendly", "moderate", "adversarial"),
}
RANGES: Final = {
    "minutes": (1, 24 * 60),
    "exchanges": (0, 100),
    "budget_tokens": (1_000, 10_000_000),
    "max_revisions": (1, 1_000),
    "facts_every_s": (1, 24 * 3600),
}
TEXTS: Final = {
    "archive": "a folder or an s3:// address",
    "embeddings": '"local" or an http:// address',
    "embeddings_model": "a model's name",
}
OTHER_VARIABLES: Final = frozenset(
    {"GREENROOM_HOME", "GREENROOM_S3_ENDPOINT", "GREENROOM_COMMAND", "GREENROOM_EMBEDDINGS_KEY"}
)
"""Variables of the same prefix that are no configuration keys."""


@dataclass(frozen=True, slots=True)
class Config:
    """What a home or an environment may set; the defaults are those of DESIGN.md, sections 5 and 7."""

    engine: str = "offline"
    layout: str = "watermark"
    mode: str | None = None  # None: as the moderator's orchestration.md says
    intensity: str | None = None
    minutes: int | None = None
    exchanges: int | None = None
    budget_tokens: int = 1_000_000  # of one context
    max_revisions: int = 5  # of external-intel
    archive: str | None = None  # where ended sessions go; None: <home>/archives
    s3_checksums: bool = True  # send SHA-256 checksums; some S3-compatible servers refuse them
    memory: bool = True  # long-term memory, for presenters who asked to be remembered
    facts: bool = True  # the summariser, after each exchange, every `facts_every_s` and at the end
    facts_every_s: int = 300  # session time
    embeddings: str | None = None  # where memories are turned into vectors: "local" or an address
    embeddings_model: str | None = None
    trace: bool = True  # trace/session.json after each step
    immutable: bool = False  # set the file system's immutable flag on ended sessions


def read_config(path: Path, environment: Mapping[str, str]) -> Config:
    """The configuration of one home.

    Raises:
        ConfigurationError: Names file and line, or the variable, and what is wrong.
    """
    values = _from_file(path) if path.is_file() else {}
    for name, text in environment.items():
        if name.startswith("GREENROOM_") and name not in OTHER_VARIABLES:
            key = name.removeprefix("GREENROOM_").lower()
            values[key] = checked(key, _plain(text), name)
    return Config(**values)


def _plain(text: str) -> Any:
    import yaml

    return yaml.safe_load(text)


def _from_file(path: Path) -> dict[str, Any]:
    import yaml

    try:
        document = yaml.compose(path.read_text("utf-8"), Loader=yaml.SafeLoader)
        plain = yaml.safe_load(path.read_text("utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigurationError(f"{path}: cannot be read ({error})") from error
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        line = mark.line + 1 if mark is not None else 1
        raise ConfigurationError(
            f"{path}, line {line}: this is no YAML: {getattr(error, 'problem', error)}"
        ) from error
    if document is None:
        return {}
    if not isinstance(document, yaml.MappingNode) or not isinstance(plain, dict):
        raise ConfigurationError(f"{path}, line 1: must be a list of `key: value` lines")
    lines = {node.value: node.start_mark.line + 1 for node, _ in document.value}
    return {
        str(key): checked(str(key), value, f"{path}, line {lines.get(str(key), 1)}")
        for key, value in plain.items()
    }


def checked(key: str, value: Any, where: str) -> Any:
    """*value*, if *key* may have it.

    Raises:
        ConfigurationError: It may not; *where* begins the message.
    """
    known = {field.name: field for field in fields(Config)}
    if key not in known:
        near = difflib.get_close_matches(key, known, n=1, cutoff=0.0)
        raise ConfigurationError(f"{where}: there is no key {key!r}; the nearest is {near[0]!r}")
    if key in CHOICES and value not in CHOICES[key]:
        raise ConfigurationError(f"{where}: {key} is {value!r}, but must be one of {', '.join(CHOICES[key])}")
    if key in RANGES:
        low, high = RANGES[key]
        if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
            raise ConfigurationError(
                f"{where}: {key} is {value!r}, but must be a whole number from {low} to {high}"
            )
    default = asdict(Config())[key]
    if isinstance(default, bool) and not isinstance(value, bool):
        raise ConfigurationError(f"{where}: {key} is {value!r}, but must be true or false")
    if key in TEXTS and not isinstance(value, str):
        raise ConfigurationError(f"{where}: {key} is {value!r}, but must be {TEXTS[key]}")
    return value
