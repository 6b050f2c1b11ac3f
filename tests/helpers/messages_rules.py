"""What the Messages API refuses, as far as a client of ours could get it wrong.

Sources: caching.md, "Rules of the service"; the parameter types of the SDK (anthropic 2.12.0).
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any, Final

from tests.helpers.server_faults import Refused

MAX_MARKS: Final = 4
MAX_UNIONS: Final = 16
"""Parameters with union types that a schema may have, as far as is known; ours must stay below."""
KNOWN: Final = frozenset(
    {
        "model",
        "max_tokens",
        "messages",
        "system",
        "stream",
        "metadata",
        "stop_sequences",
        "tools",
        "tool_choice",
        "thinking",
        "output_config",
        "service_tier",
        "cache_control",
    }
)
_SCHEMA_KEYS: Final = frozenset(
    {
        "type",
        "properties",
        "required",
        "additionalProperties",
        "items",
        "anyOf",
        "allOf",
        "enum",
        "const",
        "$ref",
        "$defs",
        "description",
        "title",
        "format",
        "minItems",
    }
)


_OTHER_BLOCKS: Final[Mapping[str, set[str]]] = {
    "tool_use": {"type", "id", "name", "input"},
    "tool_result": {"type", "tool_use_id", "content", "is_error"},
    "thinking": {"type", "thinking", "signature"},
}
_SERVER_BLOCKS: Final[Mapping[str, set[str]]] = {
    "text": {"type", "text", "citations"},
    "server_tool_use": {"type", "id", "name", "input"},
    "web_search_tool_result": {"type", "tool_use_id", "content"},
}
"""Of a turn with a server tool that is sent back to go on, as it came."""


class BadError(Exception):
    """A request that the service would refuse."""


def check_request(body: Any, lacks: Collection[str] = ()) -> Refused | None:
    """Why the service would refuse *body*; None: it would not.

    Args:
        lacks: Features that this server does not have (`service.FEATURES`): it refuses them by name.
    """
    try:
        _check(body, lacks)
    except BadError as error:
        return Refused(400, "invalid_request_error", str(error))
    return None


def _check(body: Any, lacks: Collection[str]) -> None:
    need(isinstance(body, dict), "the body is no object")
    known = KNOWN - {"output_config"} if {"schemas", "effort"} <= set(lacks) else KNOWN
    for name in body:
        need(name in known, f"{name}: Extra inputs are not permitted")
    need("effort" not in lacks or "effort" not in body.get("output_config", {}), "effort: not supported")
    need(
        "schemas" not in lacks or "format" not in body.get("output_config", {}), "json_schema: not supported"
    )
    need("cache" not in lacks or "cache_control" not in json.dumps(body), "cache_control: not permitted")
    need("length" not in lacks or body.get("max_tokens", 0) <= 8192, "max_tokens: too large, 8192 at most")
    contents = [body.get("system", ""), *(one["content"] for one in body.get("messages") or ())]
    is_text = all(isinstance(one, str) for one in contents)
    need("blocks" not in lacks or is_text, "content: Input should be a valid string")
    need(isinstance(body.get("model"), str) and body["model"], "model: Field required")
    most = body.get("max_tokens")
    need(isinstance(most, int) and not isinstance(most, bool) and most > 0, "max_tokens: must be positive")
    messages = body.get("messages")
    need(isinstance(messages, list) and messages, "messages: at least one message is required")
    marks = _content("system", body["system"]) if "system" in body else 0
    for number, message in enumerate(messages):
        need(
            isinstance(message, dict) and set(message) == {"role", "content"}, f"messages.{number}: bad keys"
        )
        expected = ("user", "assistant")[number % 2]
        need(message["role"] == expected, f"messages.{number}.role: expected {expected}")
        if _is_paused(body, number):
            for place, block in enumerate(message["content"]):
                keys = _SERVER_BLOCKS.get(str(block.get("type")), set())
                need(set(block) <= keys, f"messages.{number}.content.{place}: bad keys")
            continue
        marks += _content(f"messages.{number}.content", message["content"])
    _answered(messages)
    is_continued = _is_paused(body, len(messages) - 1)
    need(messages[-1]["role"] == "user" or is_continued, "messages: the last one must be the user's")
    need(marks <= MAX_MARKS, f"A maximum of 4 blocks with cache_control may be provided. Found {marks}.")
    if "output_config" in body:
        _config(body["output_config"])
    for number, tool in enumerate(body.get("tools", ())):
        need("tools" not in lacks, "tools: this server has none")
        _tool(f"tools.{number}", tool)
    names = [tool["name"] for tool in body.get("tools", ())]
    need(len(names) == len(set(names)), "tools: Tool names must be unique.")


def _is_paused(body: Mapping[str, Any], number: int) -> bool:
    """Whether a message is the model's turn that a server tool paused: the last one, to be gone on with."""
    message, searches = body["messages"][number], any("type" in tool for tool in body.get("tools", ()))
    is_last = number == len(body["messages"]) - 1
    return searches and is_last and message["role"] == "assistant" and isinstance(message["content"], list)


def _answered(messages: Sequence[Mapping[str, Any]]) -> None:
    """Every use of a tool has its result at the beginning of the next message, and no result is without."""
    for number, message in enumerate(messages):
        used = _ids(message, "tool_use", "id")
        before = _ids(messages[number - 1], "tool_use", "id") if number else []
        given = _ids(message, "tool_result", "tool_use_id")
        need(len(used) == len(set(used)), f"messages.{number}: `tool_use` ids must be unique")
        need(
            sorted(before) == sorted(given), f"messages.{number}: `tool_use` ids without `tool_result` blocks"
        )
        first = [block["type"] for block in message["content"][: len(given)]] if given else []
        need(first == ["tool_result"] * len(given), f"messages.{number}: `tool_result` blocks come first")


def _ids(message: Mapping[str, Any], kind: str, key: str) -> list[str]:
    content = message["content"]
    blocks = [] if isinstance(content, str) else content
    return [block[key] for block in blocks if block["type"] == kind]


def _tool(where: str, tool: Any) -> None:
    """A tool of the client's, or the one server tool that we use, as the SDK types them."""
    need(isinstance(tool, dict), f"{where}: must be an object")
    if "type" not in tool:
        need(set(tool) == {"name", "description", "input_schema"}, f"{where}: bad keys")
        need(re.fullmatch(r"[a-zA-Z0-9_-]{1,64}", tool["name"]), f"{where}.name: bad name")
        need(tool["input_schema"].get("type") == "object", f"{where}.input_schema.type: expected object")
        return
    known = {
        "type",
        "name",
        "max_uses",
        "allowed_domains",
        "blocked_domains",
        "user_location",
        "cache_control",
    }
    need(set(tool) <= known, f"{where}: Extra inputs are not permitted")
    need(tool.get("type") == "web_search_20250305", f"{where}.type: unknown tool")
    need(tool.get("name") == "web_search", f"{where}.name: must be web_search")
    need(isinstance(tool.get("max_uses", 1), int), f"{where}.max_uses: must be a number")


def need(condition: object, message: str) -> None:
    """Refuse the request where *condition* does not hold."""
    if not condition:
        raise BadError(message)


def _content(where: str, content: Any) -> int:
    """Check text or a list of text blocks; returns how many are marked."""
    if isinstance(content, str):
        need(content.strip(), f"{where}: text content must be non-empty")
        return 0
    need(isinstance(content, list) and content, f"{where}: must be text or a list of blocks")
    marks = 0
    for number, block in enumerate(content):
        place = f"{where}.{number}"
        need(isinstance(block, dict), f"{place}: must be an object")
        if keys := _OTHER_BLOCKS.get(str(block.get("type"))):
            need(set(block) <= keys and keys - {"is_error"} <= set(block), f"{place}: bad keys")
            continue
        need(block.get("type") == "text", f"{place}.type: expected text")
        need(set(block) <= {"type", "text", "cache_control"}, f"{place}: Extra inputs are not permitted")
        text = block.get("text")
        need(isinstance(text, str) and text, f"{place}: text content blocks must be non-empty")
        need(text.strip(), f"{place}: text content blocks must contain non-whitespace text")
        if "cache_control" in block:
            control = block["cache_control"]
            need(isinstance(control, dict) and control.get("type") == "ephemeral", f"{place}.cache_control")
            need(control.get("ttl", "5m") in ("5m", "1h"), f"{place}.cache_control.ttl")
            marks += 1
    return marks


def _config(config: Any) -> None:
    need(isinstance(config, dict) and set(config) <= {"format", "effort"}, "output_config: bad keys")
    efforts = (None, "low", "medium", "high", "xhigh", "max")
    need(config.get("effort") in efforts, "output_config.effort: unknown")
    chosen = config.get("format")
    if chosen is None:
        return
    need(isinstance(chosen, dict) and set(chosen) == {"type", "schema"}, "output_config.format: bad keys")
    need(chosen["type"] == "json_schema", "output_config.format.type: expected json_schema")
    schema = chosen["schema"]
    unions = 0
    for place, node in nodes("output_config.format.schema", schema):
        for key in node:
            need(key in _SCHEMA_KEYS, f"{place}: {key} is not supported")
        unions += "anyOf" in node or isinstance(node.get("type"), list)
        if node.get("type") == "object":
            need(node.get("additionalProperties") is False, f"{place}: additionalProperties must be false")
            required = set(node.get("required", []))
            need(required == set(node.get("properties", {})), f"{place}: all properties must be required")
        if "$ref" in node:
            name = str(node["$ref"]).removeprefix("#/$defs/")
            need(name in schema.get("$defs", {}), f"{place}: {node['$ref']} leads nowhere")
    need(unions <= MAX_UNIONS, f"output_config.format.schema: {unions} parameters with union types")


def nodes(place: str, node: Any) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Every schema in a schema, itself first."""
    need(isinstance(node, dict), f"{place}: must be an object")
    yield place, node
    for key in ("properties", "$defs"):
        for name, child in node.get(key, {}).items():
            yield from nodes(f"{place}.{key}.{name}", child)
    for key in ("anyOf", "allOf"):
        for number, child in enumerate(node.get(key, [])):
            yield from nodes(f"{place}.{key}.{number}", child)
    if "items" in node:
        yield from nodes(f"{place}.items", node["items"])


def breach(value: Any, schema: Mapping[str, Any], whole: Mapping[str, Any] | None = None) -> str | None:
    """Where *value* breaks *schema*, in the part of JSON Schema that the service takes; None: nowhere."""
    whole = schema if whole is None else whole
    if "$ref" in schema:
        return breach(value, whole["$defs"][schema["$ref"].removeprefix("#/$defs/")], whole)
    if "anyOf" in schema:
        return (
            None if any(breach(value, one, whole) is None for one in schema["anyOf"]) else "no variant fits"
        )
    if "enum" in schema:
        return None if value in schema["enum"] else "not one of the values"
    kind = schema.get("type")
    fits = {
        "object": isinstance(value, dict),
        "array": isinstance(value, list),
        "string": isinstance(value, str),
        "integer": isinstance(value, int) and not isinstance(value, bool),
        "number": isinstance(value, int | float) and not isinstance(value, bool),
        "boolean": isinstance(value, bool),
        "null": value is None,
    }
    if kind is not None and not fits[kind]:
        return f"no {kind}"
    if kind == "object":
        if set(value) != set(schema["properties"]):
            return "other keys"
        found = {name: breach(value[name], schema["properties"][name], whole) for name in value}
        return next((f"{name}: {fault}" for name, fault in found.items() if fault), None)
    if kind == "array":
        return next((fault for one in value if (fault := breach(one, schema["items"], whole))), None)
    return None
