"""Turning what a service sent into a part of a reply, or into the reason why it cannot be used."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Annotated, Any, Final

from pydantic import AfterValidator, Field, ValidationError

from orchestrator.panel.engines.model.failures import (
    UnusableError,
    UselessError,
    shape_fault,
    too_long,
)
from orchestrator.panel.engines.model.schemas import KINDS, Part, Reply, is_text, part_type
from orchestrator.panel.engines.prices import cost_usd
from orchestrator.panel.model.usage import CallUsage

MAX_TEXT: Final = 200_000
"""Maximum number of characters of a reply that are examined."""
MAX_BRACES: Final = 200
"""Maximum number of failed tries to read an object at a brace; each try may read the whole text."""
MAX_ARGUMENTS: Final = 20_000
"""Maximum number of characters of one tool's arguments: ten times the longest that any tool of this package
takes.
"""
MAX_USES: Final = 32
"""Maximum number of uses of tools in one message."""


def _bounded(arguments: dict[str, Any]) -> dict[str, Any]:
    try:
        text = json.dumps(arguments, ensure_ascii=False, allow_nan=False)
    except RecursionError:
        raise ValueError("no JSON") from None
    if len(text) > MAX_ARGUMENTS or not is_text(text):
        raise ValueError("too long, or no text")
    return arguments


class ToolUse(Part):
    """A model's use of a tool."""

    id: Annotated[str, Field(pattern="^[A-Za-z0-9_-]{1,128}$")]
    name: Annotated[str, Field(max_length=MAX_ARGUMENTS)]
    arguments: Annotated[dict[str, Any], Field(alias="input"), AfterValidator(_bounded)]


@dataclass(frozen=True, slots=True)
class Tokens:
    """The tokens that a call used, by the service's own count."""

    read: int = 0  # input tokens from the cache
    written: int = 0  # input tokens put into it
    new: int = 0  # input tokens paid in full
    output: int = 0
    reported: bool = False  # the service says what it read from a cache


@dataclass(frozen=True, slots=True)
class Received:
    """The parts of a message that matter, read without trusting the server that sent it."""

    text: str
    stop: str | None  # as the Messages API names it; None: the reply was broken off
    tokens: Tokens
    model: str = ""  # who answered, as the service says
    uses: tuple[ToolUse, ...] = ()
    content: tuple[Mapping[str, Any], ...] = ()  # blocks to be sent back, where tools are used


MAX_NAME: Final = 200
"""Maximum number of characters of a model's name, which is shown and stored."""


def model_name(name: object) -> str:
    """Return the name of the model that answered, or "" if it is not a printable line."""
    is_name = isinstance(name, str) and len(name) <= MAX_NAME and name.isprintable() and is_text(name)
    return str(name).strip() if is_name else ""


def tool_uses(blocks: Iterable[Mapping[str, Any]]) -> tuple[ToolUse, ...]:
    """Return the uses of tools in a message, each with id, name and input.

    Raises:
        UnusableError: A use of a tool cannot be answered.
    """
    try:
        found = tuple(map(ToolUse.model_validate, blocks))
    except ValidationError as error:
        raise UnusableError(f"a use of a tool cannot be answered: {shape_fault(error)}") from None
    if len(found) > MAX_USES or len({one.id for one in found}) < len(found):
        raise UnusableError(f"it uses more than {MAX_USES} tools at once, or two under one id")
    return found


def check_stop(one: Received, max_tokens: int, model: str) -> None:
    """Reject a reply that is incomplete.

    Raises:
        EngineError: The model declined, or its reply was cut. The message says at which length, and whether
            that is the limit that was asked for.
    """
    if one.stop == "refusal":
        raise UselessError("the model declined to answer")
    if one.stop == "model_context_window_exceeded":
        raise too_long(model)
    if one.stop == "max_tokens":
        output = one.tokens.output
        if not output or output >= max_tokens:
            raise UselessError(f"the reply was cut at {max_tokens} tokens")
        raise UselessError(
            f"the reply was cut at {output} tokens, before the {max_tokens} that it may have: the server has "
            "a limit of its own, or its context is full"
        )


def part_of(text: str, kind: str, shape: type[Part] = Reply) -> Part:
    """Return the validated part of this kind in a reply's text.

    For a task with its own schema, that is the whole reply.

    Raises:
        UnusableError: The text contains no such object; the message repeats none of its words.
    """
    names = {"kind", kind} if shape is Reply else {"kind", kind, *shape.model_fields}
    fields = (part_type(kind) if shape is Reply else shape).model_fields
    needed = {name for name, field in fields.items() if field.is_required()}
    plain = json_in(text[-MAX_TEXT:], lambda found: bool(names & set(found)) or needed <= set(found))
    if plain is None:
        raise UnusableError("it is no JSON object of the shape that was asked for")
    try:
        if shape is not Reply:
            return shape.model_validate(_alone(plain, kind, set(fields)))
        if "kind" not in plain:  # a server without output schemas: the part alone, or under its name
            plain = {"kind": kind, kind: plain.get(kind, plain)}
        return Reply.model_validate({**dict.fromkeys(KINDS), **plain}).part(kind)
    except ValidationError as error:
        raise UnusableError(shape_fault(error)) from None
    except ValueError:
        raise UnusableError(f"its part {kind} is not filled") from None


def _alone(plain: Mapping[str, Any], kind: str, fields: Collection[str]) -> Mapping[str, Any]:
    """Return the part in *plain*, either under its name or as the whole reply.

    Reject a reply to another task.
    """
    if "kind" not in fields and plain.get("kind", kind) != kind:
        raise UnusableError("it answers another task")
    inner = plain.get(kind)
    if kind not in fields and isinstance(inner, Mapping):
        plain = inner
    if not set(plain) & set(fields):
        raise UnusableError("it has nothing of the shape that was asked for")
    return plain


def json_in(text: str, fits: Callable[[Mapping[str, Any]], bool]) -> dict[str, Any] | None:
    """Return the last JSON object in *text* that *fits*, or None.

    The last one counts because a model thinks aloud before it replies.
    """
    decoder = json.JSONDecoder(parse_constant=_refuse)
    start, wrong, last = -1, 0, None
    while wrong < MAX_BRACES:
        start = text.find("{", start + 1)
        if start < 0:
            break
        try:
            found, end = decoder.raw_decode(text, start)
        except RecursionError:
            break
        except ValueError:
            wrong += 1
            continue
        if fits(found):
            last = found
        start = end - 1
    return last


def _refuse(constant: str) -> None:
    raise ValueError(f"{constant} is no JSON")


# ---------------------------------------------------------------------- what it used


def call_usage(agent: str, kind: str, model: str, tokens: Tokens, seconds: float, **more: Any) -> CallUsage:
    """Make the record of a call from the service's own count of tokens.

    *model* is the one that was asked for.
    """
    read, written, new, output = tokens.read, tokens.written, tokens.new, tokens.output
    usage = CallUsage(agent, kind, model, read, written, new, output, round(seconds, 3), **more)
    cost = cost_usd(model, read=read, written=written, new=new, output=output)
    return replace(usage, cost_usd=cost, reported=tokens.reported)


def count(value: object) -> int:
    """Return a number that a service reports, or 0 if *value* is not a valid count."""
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else 0
