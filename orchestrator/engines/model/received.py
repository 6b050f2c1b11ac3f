"""From what a service sent to a part of a reply, or to why it cannot be used."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any, Final, get_args

from pydantic import AfterValidator, BaseModel, Field, ValidationError

from orchestrator.engines.model.failures import UnusableError, shape_fault
from orchestrator.engines.model.schemas import KINDS, Part, Reply, is_text
from orchestrator.engines.prices import cost_usd
from orchestrator.errors import EngineError
from orchestrator.model.usage import CallUsage

LONGEST_TEXT: Final = 200_000
"""Characters of a reply that are looked at."""
MOST_BRACES: Final = 200
"""Places at which an object may begin that are tried; a wrong one costs a look at the whole text."""
LONGEST_ARGUMENTS: Final = 20_000
"""Characters of one tool's arguments: ten times the longest that any of ours takes."""
MOST_USES: Final = 32
"""Of tools in one message."""

_ECHOED: Final[Mapping[str, tuple[str, ...]]] = {
    "text": ("text",),
    "thinking": ("thinking", "signature"),
    "redacted_thinking": ("data",),
    "tool_use": ("id", "name", "input"),
}
"""The blocks, with their keys, that are sent back when tools are answered; thinking goes as it came."""


def _bounded(arguments: dict[str, Any]) -> dict[str, Any]:
    try:
        text = json.dumps(arguments, ensure_ascii=False, allow_nan=False)
    except RecursionError:
        raise ValueError("no JSON") from None
    if len(text) > LONGEST_ARGUMENTS or not is_text(text):
        raise ValueError("too long, or no text")
    return arguments


class ToolUse(Part):
    """A tool that a model uses."""

    id: Annotated[str, Field(pattern="^[A-Za-z0-9_-]{1,128}$")]
    name: Annotated[str, Field(max_length=LONGEST_ARGUMENTS)]
    arguments: Annotated[dict[str, Any], Field(alias="input"), AfterValidator(_bounded)]


@dataclass(frozen=True, slots=True)
class Received:
    """What of a message matters here; taken without trust in the server that sent it."""

    text: str
    stop: str | None
    usage: Mapping[str, Any]
    uses: tuple[ToolUse, ...] = ()
    content: tuple[Mapping[str, Any], ...] = ()  # to be sent back, where tools are used


def plain_of(message: object) -> dict[str, Any]:
    """An SDK message as plain values.

    Raises:
        UnusableError: It is no message.
    """
    # Only what came: a block that is sent back may hold no key which the service did not send.
    plain = message.model_dump(warnings=False, exclude_unset=True) if isinstance(message, BaseModel) else None
    if not isinstance(plain, dict) or not isinstance(plain.get("content"), list):
        raise UnusableError("what came is no message")
    return plain


def received(plain: Mapping[str, Any]) -> Received:
    """The text, stop reason, usage and uses of tools of a message.

    Raises:
        UnusableError: One of the uses cannot be answered.
    """
    blocks = [block for block in plain["content"] if isinstance(block, dict)]
    texts = [
        block["text"]
        for block in blocks
        if block.get("type") == "text" and isinstance(block.get("text"), str)
    ]
    stop, usage = plain.get("stop_reason"), plain.get("usage")
    uses = _uses(blocks)
    return Received(
        "".join(texts),
        stop if isinstance(stop, str) else None,
        usage if isinstance(usage, dict) else {},
        uses,
        tuple(_echoed(blocks)) if uses else (),
    )


def _uses(blocks: Sequence[Mapping[str, Any]]) -> tuple[ToolUse, ...]:
    try:
        found = tuple(ToolUse.model_validate(block) for block in blocks if block.get("type") == "tool_use")
    except ValidationError as error:
        raise UnusableError(f"a use of a tool cannot be answered: {shape_fault(error)}") from None
    if len(found) > MOST_USES or len({one.id for one in found}) < len(found):
        raise UnusableError(f"it uses more than {MOST_USES} tools at once, or two under one id")
    return found


def _echoed(blocks: Sequence[Mapping[str, Any]]) -> Iterator[dict[str, Any]]:
    for block in blocks:
        keys = _ECHOED.get(str(block.get("type")))
        if keys is None or (block["type"] == "text" and not str(block.get("text")).strip()):
            continue  # the service refuses a text of white space alone
        yield {"type": block["type"], **{key: block.get(key) for key in keys}}


def check_stop(one: Received, max_tokens: int) -> None:
    """Refuse a reply that is not whole.

    Raises:
        EngineError: The model declined, or its reply was cut.
    """
    why = {
        "refusal": "the model declined to answer",
        "max_tokens": f"the reply was cut at {max_tokens} tokens",
        "model_context_window_exceeded": "the context is too long for the model: lower budget_tokens",
    }
    if one.stop in why:
        raise EngineError(why[one.stop])


def part_of(text: str, kind: str, shape: type[Part] = Reply) -> Part:
    """The part of this kind in a reply's text, validated; of a task that stands by itself the whole reply.

    Raises:
        UnusableError: It holds no such object; the message repeats none of its words.
    """
    names = {"kind", kind} if shape is Reply else {"kind", kind, *shape.model_fields}
    fields = (get_args(Reply.model_fields[kind].annotation)[0] if shape is Reply else shape).model_fields
    needed = {name for name, field in fields.items() if field.is_required()}
    plain = json_in(text[-LONGEST_TEXT:], lambda found: bool(names & set(found)) or needed <= set(found))
    if plain is None:
        raise UnusableError("it is no JSON object of the shape that was asked for")
    try:
        if shape is not Reply:
            return shape.model_validate(plain)
        if "kind" not in plain:  # a server without output schemas: the part alone, or under its name
            plain = {"kind": kind, kind: plain.get(kind, plain)}
        return Reply.model_validate({**dict.fromkeys(KINDS), **plain}).part(kind)
    except ValidationError as error:
        raise UnusableError(shape_fault(error)) from None
    except ValueError:
        raise UnusableError(f"its part {kind} is not filled") from None


def json_in(text: str, fits: Callable[[Mapping[str, Any]], bool]) -> dict[str, Any] | None:
    """The last JSON object in a text that *fits*, as a model thinks aloud first; None: there is none."""
    decoder = json.JSONDecoder(parse_constant=_refuse)
    start, wrong, last = -1, 0, None
    while wrong < MOST_BRACES:
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


def call_usage(agent: str, kind: str, model: str, plain: object, seconds: float, **more: Any) -> CallUsage:
    """A call's record, by the service's own count; what it does not report counts as nothing."""
    told: Mapping[str, Any] = plain if isinstance(plain, Mapping) else {}
    read, written = told.get("cache_read_input_tokens"), told.get("cache_creation_input_tokens")
    new, output = count(told.get("input_tokens")), count(told.get("output_tokens"))
    usage = CallUsage(agent, kind, model, count(read), count(written), new, output, round(seconds, 3), **more)
    cost = cost_usd(model, read=usage.read, written=usage.written, new=new, output=output)
    return replace(usage, cost_usd=cost, reported=read is not None or written is not None)


def count(value: object) -> int:
    """A number that a service reports; 0 for what is none."""
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else 0
