"""From what a service sent to a part of a reply, or to why it cannot be used."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from orchestrator.engines.claude.failures import UnusableError, shape_fault
from orchestrator.engines.claude.replies import KINDS, Part, Reply
from orchestrator.errors import EngineError

LONGEST_TEXT: Final = 200_000
"""Characters of a reply that are looked at."""
MOST_BRACES: Final = 100
"""Places at which an object may begin that are tried; a wrong one costs a look at the whole text."""


@dataclass(frozen=True, slots=True)
class Received:
    """What of a message matters here; taken without trust in the server that sent it."""

    text: str
    stop: str | None
    usage: Mapping[str, Any]


def received(message: object) -> Received:
    """The text, stop reason and usage of an SDK message.

    Raises:
        UnusableError: It is no message.
    """
    dump = getattr(message, "model_dump", None)
    plain = dump(warnings=False) if dump is not None else None
    if not isinstance(plain, dict) or not isinstance(plain.get("content"), list):
        raise UnusableError("what came is no message")
    texts = [
        block["text"]
        for block in plain["content"]
        if isinstance(block, dict) and block.get("type") == "text" and isinstance(block.get("text"), str)
    ]
    stop, usage = plain.get("stop_reason"), plain.get("usage")
    return Received(
        "".join(texts), stop if isinstance(stop, str) else None, usage if isinstance(usage, dict) else {}
    )


def check_stop(one: Received, max_tokens: int) -> None:
    """Refuse a reply that is not whole.

    Raises:
        EngineError: The model declined, or its reply was cut.
    """
    if one.stop == "refusal":
        raise EngineError("the model declined to answer")
    if one.stop == "max_tokens":
        raise EngineError(f"the reply was cut at {max_tokens} tokens")
    if one.stop == "model_context_window_exceeded":
        raise EngineError("the context is too long for the model: lower budget_tokens")


def part_of(text: str, kind: str) -> Part:
    """The part of this kind in a reply's text, validated.

    Raises:
        UnusableError: It holds no such object; the message repeats none of its words.
    """
    from pydantic import ValidationError

    plain = json_in(text[:LONGEST_TEXT])
    if plain is None:
        raise UnusableError("it is no JSON object")
    try:
        return Reply.model_validate({**dict.fromkeys(KINDS), **plain}).part(kind)
    except ValidationError as error:
        raise UnusableError(shape_fault(error)) from None
    except ValueError:
        raise UnusableError(f"its part {kind} is not filled") from None


def json_in(text: str) -> dict[str, Any] | None:
    """The JSON object that a text is, or that stands in it between other words; None: there is none."""
    decoder = json.JSONDecoder(parse_constant=_refuse)
    start = -1
    for _ in range(MOST_BRACES):
        start = text.find("{", start + 1)
        if start < 0:
            return None
        try:
            found, end = decoder.raw_decode(text, start)
        except RecursionError:
            return None
        except ValueError:
            continue
        if isinstance(found, dict) and "kind" in found:
            return found
        start = end - 1
    return None


def _refuse(constant: str) -> None:
    raise ValueError(f"{constant} is no JSON")
