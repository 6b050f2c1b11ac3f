"""What a strict service of Chat Completions refuses, and a request read as one of the Messages API.

Sources: https://platform.openai.com/docs/api-reference/chat/create; for schemas "Structured model outputs",
"Supported schemas": every property required, no other ones, the root an object without `anyOf`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Mapping, Sequence
from typing import Any, Final

from tests.helpers.messages_rules import BadError, need, nodes
from tests.helpers.server_faults import Refused

KNOWN: Final = frozenset(
    {
        "model",
        "messages",
        "max_tokens",
        "max_completion_tokens",
        "response_format",
        "reasoning_effort",
        "tools",
        "tool_choice",
        "stream",
        "stream_options",
        "temperature",
        "seed",
        "stop",
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
        "enum",
        "const",
        "$ref",
        "$defs",
        "description",
    }
)
_KEYS: Final[Mapping[str, set[str]]] = {
    "system": {"role", "content"},
    "user": {"role", "content"},
    "assistant": {"role", "content", "tool_calls"},
    "tool": {"role", "tool_call_id", "content"},
}
MAX_TOKENS: Final = 8192
"""Of a reply, where the server lacks "length"."""


def check_chat(body: Any, lacks: Collection[str] = ()) -> Refused | None:
    """Why the service would refuse *body*; None: it would not.

    Args:
        lacks: Features that this server does not have (the wire's `features`): it refuses them by name.
    """
    try:
        _check(body, lacks)
    except BadError as error:
        return Refused(400, "invalid_request_error", str(error))
    return None


def _check(body: Any, lacks: Collection[str]) -> None:
    need(isinstance(body, dict), "the body is no object")
    for name in body:
        need(name in KNOWN, f"Unrecognized request argument supplied: {name}")
    _lacking(body, lacks)
    need(isinstance(body.get("model"), str) and body["model"], "you must provide a model parameter")
    both = {"max_tokens", "max_completion_tokens"} <= set(body)
    need(not both, "Setting 'max_tokens' and 'max_completion_tokens' at the same time is not supported.")
    for name in ("max_tokens", "max_completion_tokens"):
        most = body.get(name, 1)
        need(isinstance(most, int) and not isinstance(most, bool) and most > 0, f"{name} must be positive")
    is_stream = body.get("stream", False) is True
    need("stream_options" not in body or is_stream, "stream_options is only allowed when stream is enabled")
    need(set(body.get("stream_options") or {}) <= {"include_usage"}, "stream_options: unknown keys")
    efforts = (None, "none", "minimal", "low", "medium", "high", "xhigh")
    need(body.get("reasoning_effort") in efforts, "Invalid value: 'reasoning_effort'")
    _messages(body.get("messages"))
    for number, tool in enumerate(body.get("tools", ())):
        _tool(f"tools[{number}]", tool)
    if "response_format" in body:
        _format(body["response_format"])


def _lacking(body: Mapping[str, Any], lacks: Collection[str]) -> None:
    unknown = "Unsupported parameter: '{}' is not supported with this model."
    need("schemas" not in lacks or "response_format" not in body, unknown.format("response_format"))
    need("effort" not in lacks or "reasoning_effort" not in body, unknown.format("reasoning_effort"))
    need("tools" not in lacks or "tools" not in body, "this model has no support for tools")
    need("counts" not in lacks or "stream_options" not in body, "Unknown parameter: 'stream_options'.")
    renamed = f"{unknown.format('max_tokens')} Use 'max_completion_tokens' instead."
    need("max_tokens" not in lacks or "max_tokens" not in body, renamed)
    name = "max_tokens" if "max_tokens" in body else "max_completion_tokens"
    room = f"{name} is too large: {body.get(name)}. This model supports at most {MAX_TOKENS} of them"
    need("length" not in lacks or body.get(name, 0) <= MAX_TOKENS, room)


def _messages(messages: Any) -> None:
    need(isinstance(messages, list) and messages, "[] is too short - 'messages'")
    waiting: list[str] = []  # ids of uses of tools that have no answer yet
    for number, one in enumerate(messages):
        where = f"messages[{number}]"
        need(isinstance(one, dict) and one.get("role") in _KEYS, f"Invalid value: '{where}.role'")
        role = one["role"]
        need(set(one) <= _KEYS[role], f"{where}: Additional properties are not allowed")
        need(role != "system" or number == 0, f"{where}: System message must be at the beginning.")
        calls = one.get("tool_calls") or ()
        if role == "tool":
            need(one.get("tool_call_id") in waiting, f"{where}: 'tool' must follow its 'tool_calls'")
            waiting.remove(one["tool_call_id"])
        else:
            need(not waiting, f"{where}: 'tool_calls' must be followed by tool messages for each id")
        content = one.get("content")
        is_told = isinstance(content, str) and content.strip()
        need(is_told or calls or role == "tool", f"Invalid value for 'content': {where}: expected a string")
        need("tool_calls" not in one or calls, f"{where}.tool_calls: [] is too short")
        for call in calls:
            need(set(call) == {"id", "type", "function"}, f"{where}.tool_calls: bad keys")
            need(set(call["function"]) == {"name", "arguments"}, f"{where}.tool_calls: bad function")
            need(isinstance(json.loads(call["function"]["arguments"]), dict), f"{where}: arguments")
            waiting.append(call["id"])
    need(messages[-1]["role"] in ("user", "tool"), "the last message must be the user's or a tool's")
    need(not waiting, "'tool_calls' must be followed by tool messages for each id")


def _tool(where: str, tool: Any) -> None:
    need(isinstance(tool, dict) and set(tool) == {"type", "function"}, f"{where}: bad keys")
    need(tool["type"] == "function", f"{where}.type: expected function")
    function = tool["function"]
    need(set(function) == {"name", "description", "parameters"}, f"{where}.function: bad keys")
    need(re.fullmatch(r"[a-zA-Z0-9_-]{1,64}", function["name"]), f"{where}.function.name: bad name")
    need(function["parameters"].get("type") == "object", f"{where}.function.parameters: expected an object")


def _format(chosen: Any) -> None:
    where = "response_format"
    need(isinstance(chosen, dict) and set(chosen) == {"type", "json_schema"}, f"{where}: bad keys")
    need(chosen["type"] == "json_schema", f"{where}.type: expected json_schema")
    named = chosen["json_schema"]
    need(set(named) == {"name", "strict", "schema"} and named["strict"] is True, f"{where}.json_schema: keys")
    need(re.fullmatch(r"[a-zA-Z0-9_-]{1,64}", named["name"]), f"{where}.json_schema.name: bad name")
    schema = named["schema"]
    need(schema.get("type") == "object" and "anyOf" not in schema, f"{where}: the root must be an object")
    for place, node in nodes("schema", schema):
        for key in node:
            need(key in _SCHEMA_KEYS, f"Invalid schema for {where} '{named['name']}': '{key}' in {place}")
        if node.get("type") == "object":
            closed = node.get("additionalProperties") is False
            need(closed, f"Invalid schema for {where}: 'additionalProperties' must be false in {place}")
            required = set(node.get("required", [])) == set(node.get("properties", {}))
            need(required, f"Invalid schema for {where}: 'required' must hold every key in {place}")
        if "$ref" in node:
            name = str(node["$ref"]).removeprefix("#/$defs/")
            need(name in schema.get("$defs", {}), f"Invalid schema for {where}: {node['$ref']} in {place}")


def as_message_request(body: Mapping[str, Any]) -> dict[str, Any]:
    """A request that holds, as one of the Messages API: what the server's replies are made of."""
    inner: dict[str, Any] = {name: body[name] for name in ("model", "stream") if name in body}
    first = body["messages"][0]
    if first["role"] == "system":
        inner["system"] = [{"type": "text", "text": first["content"]}]
    inner["messages"] = _turns([one for one in body["messages"] if one["role"] != "system"])
    if "tools" in body:
        functions = [tool["function"] for tool in body["tools"]]
        inner["tools"] = [
            {"name": one["name"], "description": one["description"], "input_schema": one["parameters"]}
            for one in functions
        ]
    config: dict[str, Any] = {}
    if "response_format" in body:
        schema = body["response_format"]["json_schema"]["schema"]
        config["format"] = {"type": "json_schema", "schema": schema}
    if "reasoning_effort" in body:
        config["effort"] = body["reasoning_effort"]
    return {**inner, **({"output_config": config} if config else {})}


def _turns(messages: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """The user's and the model's turns; answers of tools that follow one another are one turn."""
    turns: list[dict[str, Any]] = []
    for one in messages:
        blocks: list[dict[str, Any]] = []
        if one["role"] == "tool":
            result = {"type": "tool_result", "tool_use_id": one["tool_call_id"], "content": one["content"]}
            blocks = [result]
        elif one.get("content"):
            blocks = [{"type": "text", "text": one["content"]}]
        for call in one.get("tool_calls") or ():
            function = call["function"]
            use = {"name": function["name"], "input": json.loads(function["arguments"])}
            blocks.append({"type": "tool_use", "id": call["id"], **use})
        if one["role"] == "tool" and turns[-1]["content"][0]["type"] == "tool_result":
            turns[-1]["content"] += blocks
        else:
            turns.append({"role": "user" if one["role"] == "tool" else one["role"], "content": blocks})
    return turns
