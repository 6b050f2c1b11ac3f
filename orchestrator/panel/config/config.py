"""Configuration: `greenroom.yaml`, overridden by `GREENROOM_*`, overridden by options.

Every key has a default. Unknown keys and invalid values are refused at the start; the message names the line.
Source: interfaces.md, "Configuration".
"""

from __future__ import annotations

import difflib
import os
import re
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field, fields
from functools import partial
from pathlib import Path
from typing import Any, Final

from orchestrator.core.errors import ConfigurationError, HomeError, names_its_file
from orchestrator.core.home.plain_yaml import (
    ALIAS,
    BROKEN,
    DEPTH,
    EMPTY,
    ENCODING,
    LARGE,
    MISSING,
    NO_FILE,
    NO_TEXT,
    SYNTAX,
    PlainYamlError,
    UnreadableError,
    read_given,
    read_plain_yaml,
)
from orchestrator.panel.config.access import Access, read_access
from orchestrator.panel.config.cluster import PREFIX as CLUSTER_PREFIX
from orchestrator.panel.config.cluster import Cluster, parse_cluster
from orchestrator.panel.config.engine_names import BANK, engine_names, is_engine_name
from orchestrator.panel.config.public_url import parse_public_url

CHOICES: Final = {
    "wire": ("messages", "chat"),
    "layout": ("watermark", "strict"),
    "mode": ("section-breaks", "hand-raise", "free-flow"),
    "intensity": ("friendly", "moderate", "adversarial"),
    "effort": ("none", "low", "medium", "high", "xhigh", "max"),
}
# Bounds of sense, our own: a value beyond them is a slip of the keyboard, and is better said at the start.
RANGES: Final = {
    "minutes": (1, 24 * 60),
    "exchanges": (0, 100),
    "budget_tokens": (1_000, 10_000_000),
    "max_revisions": (1, 1_000),
    "retries": (0, 10),
    "calls_in_flight": (1, 64),
    "session_tokens": (1_000, 1_000_000_000),
    "facts_every_s": (1, 24 * 3600),
}
TASKS: Final = (
    "focus_brief", "candidate_question", "judgement", "notes", "debrief", "tensions", "doubt", "dossier",
    "news", "facts", "scribe",
)  # fmt: skip
"""Tasks for which a model is asked; a model and a deadline may be set for each task."""
FORMER_TASKS: Final = ("observation", "phrases")
"""Tasks of older versions; a configuration that names them is accepted, and they have no effect."""
BY_TASK: Final = {"models": ("model", "NAME"), "deadlines_s": ("number of seconds", "30")}
"""Maps keys with one value for each task to a name for that value, and an example of it."""
# Seconds: the SDK itself gives up after ten minutes.
DEADLINE_S: Final = (1, 600)
# Both ends only catch a slip of the decimal point.
SESSION_USD: Final = (0.01, 100_000)
MAX_NAME: Final = 200
"""Maximum number of characters of a model's name.

The longest in use, the ARNs of a cloud's profiles, have about 100.
"""
TEXTS: Final = {
    "archive": "a folder or an s3:// address",
    "embeddings": '"local" or an address that begins with http:// or https://',
    "embeddings_model": "a model's name",
    "model_url": "an address that begins with http:// or https://",
    "stt_language": "a language as Whisper names it, such as de",
    "stt_model": "a folder, or the name of a model that was fetched",
}
MAX_BYTES: Final = 64 * 1024
"""Maximum size in bytes of greenroom.yaml; all keys, with a line of comment each, take about 4 kB."""
_UNREADABLE: Final = {
    NO_FILE: "is not a file: make it one, or remove it",
    MISSING: "is a link that leads nowhere: make it a file, or remove it",
    BROKEN: "cannot be read: ",
    LARGE: f"is larger than {MAX_BYTES // 1024} KB: shorten it",
    ENCODING: "is not UTF-8 text: save it as UTF-8",
}
_SHOWN_CHARS: Final = 80
_LANGUAGE: Final = re.compile(r"[a-z]{2,3}")  # ISO 639, as Whisper's tokens have it
OTHER_VARIABLES: Final = frozenset(
    f"GREENROOM_{name}"
    for name in (
        "HOME",
        "S3_ENDPOINT",
        "COMMAND",
        "EMBEDDINGS_KEY",
        "MODEL_KEY",
        "LOG",
        "METRICS_TOKEN",
        "ACCESS_KEY",
        "ACCESS_SECRET",
    )
)
"""Environment variables with the same prefix that are not configuration keys."""


@dataclass(frozen=True, slots=True)
class Config:
    """The configuration of a home, with its environment.

    The defaults are those of DESIGN.md, sections 3, 5 and 7.
    """

    engine: str = BANK
    layout: str = "watermark"
    mode: str | None = None  # None: as the moderator's orchestration.md says
    intensity: str | None = None
    minutes: int | None = None
    exchanges: int | None = None
    budget_tokens: int = 1_000_000  # of one context
    max_revisions: int | None = None  # of external-intel; None: as its row in the table says
    archive: str | None = None  # where ended sessions go; None: <home>/archives
    s3_checksums: bool = True  # send SHA-256 checksums; some S3-compatible servers refuse them
    memory: bool = True  # long-term memory, for presenters who asked to be remembered
    tools: bool = True  # in their sessions, agents that a model speaks for may use the tools of memory
    facts: bool = True  # the summariser, after each exchange, every `facts_every_s` and at the end
    facts_every_s: int = 300  # session time; each run is a call to the model: four in the default 20 minutes
    embeddings: str | None = None  # where memories are turned into vectors: "local" or an address
    embeddings_model: str | None = None
    public_url: str | None = None  # where browsers reach `serve` through a proxy
    access: Access | None = None  # who signs in to `serve` and how; None: nobody has to
    stt_model: str | None = (
        None  # a Whisper model's folder or name; None: the one that the extra `stt` brings
    )
    stt_language: str | None = None  # that is spoken; None: as a model of many languages finds it
    trace: bool = True  # trace/session.json after each step
    immutable: bool = False  # set the file system's immutable flag on ended sessions
    model: str | None = None  # None: the engine's own default; any name that the service knows
    model_url: str | None = None  # of a server for the engine `model`
    wire: str | None = None  # how that server is spoken to; None: whichever it speaks better
    models: Mapping[str, str] = field(default_factory=dict)  # another model, by task
    effort: str = "medium"  # how long the model thinks, as the API names it; "none": the model's own
    deadlines_s: Mapping[str, float] = field(default_factory=dict)  # by task, with all retries
    retries: int = 2  # of one request; the SDK's own default
    calls_in_flight: int = 4  # the packaged panelists and the moderator at once; more meets rate limits
    session_tokens: int | None = None  # a session's budget, input and output; None: no limit
    session_usd: float | None = None  # the same in US dollars
    cluster: Cluster | None = None  # the servers of several machines; None: this one alone


def read_config(path: Path, environment: Mapping[str, str]) -> Config:
    """Read the configuration of one home.

    Raises:
        ConfigurationError: A key or value is wrong; the message names file and line, or the variable, and
            what is wrong.
    """
    variables = {name: text for name, text in environment.items() if name.startswith(CLUSTER_PREFIX)}
    values = _from_file(path, variables) if os.path.lexists(path) else {}
    if variables and "cluster" not in values:
        values["cluster"] = parse_cluster({}, variables, partial(_named, "cluster"), path.parent)
    for name, text in environment.items():
        if name.startswith("GREENROOM_") and name not in OTHER_VARIABLES and name not in variables:
            key = name.removeprefix("GREENROOM_").lower()
            if key == "cluster":
                raise ConfigurationError(f"{name}: set its keys, such as {CLUSTER_PREFIX}SERVERS")
            values[key] = _checked_all(key, _plain(text, name), partial(_named, name))
    return Config(**values)


def _named(name: str, part: str | None) -> str:
    return name


def _plain(text: str, name: str) -> Any:
    try:  # a variable holds one value as the file would: 20, true, {notes: …}
        return read_plain_yaml(text, as_written=False)[1]
    except PlainYamlError as error:
        raise ConfigurationError(f"{name}: {_trouble(error)}: write it as in greenroom.yaml") from None


@names_its_file
def _from_file(path: Path, variables: Mapping[str, str]) -> dict[str, Any]:
    try:
        document, plain = read_plain_yaml(read_given(path, MAX_BYTES), as_written=False)
    except UnreadableError as error:
        if error.trouble == EMPTY:
            return {}
        # A disk that fails is no wrong setting.
        kind = HomeError if error.trouble == BROKEN else ConfigurationError
        raise kind(f"{path}: {_UNREADABLE[error.trouble]}{error.reason.lower()}") from None
    except PlainYamlError as error:
        raise ConfigurationError(
            f"{path}, line {error.line or 1}: {_trouble(error)}: correct the line"
        ) from None
    if document is None:
        return {}
    if not isinstance(plain, dict):
        raise ConfigurationError(f"{path}, line 1: must hold lines of `key: value`")
    lines = _lines(document)

    def where(key: str, part: str | None) -> str:
        return f"{path}, line {lines.get((key, part)) or lines.get((key, None), 1)}"

    part = plain.pop("cluster", None)
    found = {str(key): _checked_all(str(key), one, partial(where, str(key))) for key, one in plain.items()}
    if part is not None:
        if not isinstance(part, Mapping):
            raise ConfigurationError(
                f"{where('cluster', None)}: cluster is {_shown(part)}, but must have keys of its own, as in "
                "`cluster: {servers: [nats://HOST:4222]}`"
            )
        found["cluster"] = parse_cluster(part, variables, partial(where, "cluster"), path.parent)
    return found


def _trouble(error: PlainYamlError) -> str:
    told = {SYNTAX: f"is not YAML: {error.reason}", ALIAS: f"has an alias (*{error.reason})"}
    others = {DEPTH: "is nested too deeply", NO_TEXT: "is not YAML: it holds characters that are not text"}
    return (told | others).get(error.trouble, "holds a value that cannot be read")


def _lines(document: Any) -> dict[tuple[str, str | None], int]:
    """Return the line of each key, and of each key below it."""
    import yaml

    lines: dict[tuple[str, str | None], int] = {}  # plain values have forgotten their lines, nodes know them
    for node, value in document.value:
        lines[str(node.value), None] = node.start_mark.line + 1
        if isinstance(value, yaml.MappingNode):
            lines.update(
                {(str(node.value), str(below.value)): below.start_mark.line + 1 for below, _ in value.value}
            )
    return lines


def _checked_all(key: str, value: Any, where: Callable[[str | None], str]) -> Any:
    """Check *value* and return it; for a key with a value for each task, check each at its own place."""
    if key not in BY_TASK:
        return checked(key, value, where(None))
    if not isinstance(value, Mapping):
        what, example = BY_TASK[key]
        raise ConfigurationError(
            f"{where(None)}: {key} is {_shown(value)}, but must name tasks, each with its {what}, "
            f"as in `{key}: {{judgement: {example}}}`; the tasks are {', '.join(TASKS)}"
        )
    known = {str(task): _of_task(key, str(task), one, where(str(task))) for task, one in value.items()}
    return {task: one for task, one in known.items() if task not in FORMER_TASKS}


def _of_task(key: str, task: str, value: Any, where: str) -> Any:
    if task not in (*TASKS, *FORMER_TASKS):
        # However far: the nearest one is always named (interfaces.md, "Configuration").
        near = difflib.get_close_matches(task, TASKS, n=1, cutoff=0.0)[0]
        raise ConfigurationError(
            f"{where}: {key} has no task {task[:_SHOWN_CHARS]!r}; the nearest is {near!r}"
        )
    if key == "models":
        return _model(f"{key}.{task}", value, where)
    return _number(f"{key}.{task}", value, DEADLINE_S, where)


def _shown(value: Any) -> str:
    """Return a value as text for a message of one line."""
    text = repr(value)
    return text if len(text) <= _SHOWN_CHARS else f"{text[:_SHOWN_CHARS]}…"


def _model(key: str, value: Any, where: str) -> str:
    if not isinstance(value, str) or not value.strip() or len(value) > MAX_NAME:
        raise ConfigurationError(f"{where}: {key} is {_shown(value)}, but must be the name of a model")
    return value


def _number(key: str, value: Any, span: tuple[float, float], where: str) -> float:
    low, high = span
    if isinstance(value, bool) or not isinstance(value, int | float) or not low <= value <= high:
        raise ConfigurationError(
            f"{where}: {key} is {_shown(value)}, but must be a number from {low} to {high}"
        )
    return float(value)


def _public_url(value: Any, where: str) -> str:
    try:
        parse_public_url(value if isinstance(value, str) else "")
    except ValueError as error:
        shown = "" if "@" in str(value) else f"is {_shown(value)}, but "  # there may be a password in it
        raise ConfigurationError(f"{where}: public_url {shown}{error}") from None
    return str(value)


def _access(value: Any, where: str) -> Access | None:
    try:
        return read_access(value)
    except ValueError as error:
        raise ConfigurationError(f"{where}: access: {error}") from None


def checked(key: str, value: Any, where: str) -> Any:
    """Return *value* if it is valid for *key*.

    Raises:
        ConfigurationError: *value* is not valid; the message begins with *where*.
    """
    known = {field.name: field for field in fields(Config)}
    if key not in known:
        near = difflib.get_close_matches(key, known, n=1, cutoff=0.0)
        raise ConfigurationError(
            f"{where}: there is no key {key[:_SHOWN_CHARS]!r}; the nearest is {near[0]!r}"
        )
    if key == "model":
        return _model(key, value, where)
    if key == "session_usd":
        return _number(key, value, SESSION_USD, where)
    if key == "public_url":
        return _public_url(value, where)
    if key == "access":
        return _access(value, where)
    if must := _demand(key, value):
        raise ConfigurationError(f"{where}: {key} is {_shown(value)}, but must be {must}")
    return value


def _demand(key: str, value: Any) -> str | None:
    """Return the requirement of *key* that *value* does not meet, or None if *value* meets all of them."""
    if key == "engine":
        return None if is_engine_name(value) else f"one of {', '.join(engine_names())}"
    if key in CHOICES:
        return None if value in CHOICES[key] else f"one of {', '.join(CHOICES[key])}"
    if key in RANGES:
        low, high = RANGES[key]
        is_whole = isinstance(value, int) and not isinstance(value, bool)
        return None if is_whole and low <= value <= high else f"a whole number from {low} to {high}"
    if key in TEXTS:
        is_line = isinstance(value, str) and value.isprintable()
        is_word = key not in ("model_url", "embeddings") or (key == "embeddings" and value in ("", "local"))
        is_fit = is_line and (is_word or value.startswith(("http://", "https://")))
        if key == "stt_language":
            is_fit = is_line and _LANGUAGE.fullmatch(value) is not None
        return None if is_fit else TEXTS[key]
    is_switch = isinstance(asdict(Config())[key], bool)
    return "true or false" if is_switch and not isinstance(value, bool) else None
