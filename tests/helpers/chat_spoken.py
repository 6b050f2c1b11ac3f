"""How the test server writes its replies in Chat Completions.

Source: https://platform.openai.com/docs/api-reference/chat/object and "…/chat-streaming"; the thought is in
`reasoning_content`, as servers of open models send it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final

from tests.helpers.server_faults import Refused

PATH: Final = "/v1/chat/completions"
SAID: Final = "as the test asked for"
REFUSALS: Final[Mapping[str, Refused]] = {
    "key": Refused(401, "invalid_request_error", SAID, "invalid_api_key"),
    "forbidden": Refused(403, "invalid_request_error", SAID, "unsupported_country_region_territory"),
    "model": Refused(
        404, "invalid_request_error", "The model `no-such-model` does not exist", "model_not_found"
    ),
    "rate_limit": Refused(429, "requests", SAID, "rate_limit_exceeded"),
    "overloaded": Refused(503, "unavailable_error", SAID, 503),
    "broken": Refused(500, "server_error", SAID),
    "loading": Refused(503, "unavailable_error", "Loading model", 503),
}
NO_MESSAGE: Final[Mapping[str, Any]] = {"object": "greeting", "content": "hello"}
_REASONS: Final = {"end_turn": "stop", "max_tokens": "length", "tool_use": "tool_calls", "refusal": "stop"}


def refusal(refused: Refused) -> dict[str, Any]:
    """The body of a refusal."""
    told = {"message": refused.message, "type": refused.kind, "param": None, "code": refused.code}
    return {"error": told}


def unknown_model(model: str) -> Refused:
    message = f"The model `{model}` does not exist or you do not have access to it."
    return Refused(404, "invalid_request_error", message, "model_not_found")


def whole(message: dict[str, Any], usage: dict[str, int]) -> dict[str, Any]:
    """The reply, of one in the Messages API."""
    texts, thought, calls = _parts(message)
    text: str | None = texts
    refused = None
    if message["stop_reason"] == "refusal":
        text, refused = None, "I cannot help with that."
    plain: dict[str, Any] = {"role": "assistant", "content": text, "refusal": refused}
    if thought:
        plain["reasoning_content"] = thought
    if calls:
        plain["tool_calls"] = calls
    reason = _REASONS[message["stop_reason"]]
    choice = {"index": 0, "message": plain, "logprobs": None, "finish_reason": reason}
    return {**_head(message, "chat.completion"), "choices": [choice], "usage": _usage(usage)}


def stream(
    message: dict[str, Any], usage: dict[str, int], body: Mapping[str, Any]
) -> tuple[list[bytes], list[bytes], list[bytes]]:
    """The events of a stream: those before the text, the text's pieces, and those after it."""
    text, thought, calls = _parts(message)

    def chunk(delta: Mapping[str, Any], reason: str | None = None) -> bytes:
        choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": reason}
        return _event({**_head(message, "chat.completion.chunk"), "choices": [choice]})

    before = [chunk({"role": "assistant", "content": "", "refusal": None})]
    if thought:
        before.append(chunk({"reasoning_content": thought}))
    if message["stop_reason"] == "refusal":
        text = ""
        before.append(chunk({"refusal": "I cannot help with that."}))
    pieces = [chunk({"content": text[at : at + 16]}) for at in range(0, len(text), 16)]
    after = []
    for index, call in enumerate(calls):
        function = call["function"]
        first = {**call, "index": index, "function": {**function, "arguments": ""}}
        after.append(chunk({"tool_calls": [first]}))
        for at in range(0, len(function["arguments"]), 7):
            more = {"index": index, "function": {"arguments": function["arguments"][at : at + 7]}}
            after.append(chunk({"tool_calls": [more]}))
    after.append(chunk({}, _REASONS[message["stop_reason"]]))
    if (body.get("stream_options") or {}).get("include_usage"):
        after.append(
            _event({**_head(message, "chat.completion.chunk"), "choices": [], "usage": _usage(usage)})
        )
    return before, pieces, [*after, b"data: [DONE]\n\n"]


def stream_error() -> bytes:
    """An error in the middle of a stream."""
    return _event(refusal(REFUSALS["overloaded"]))


def _parts(message: Mapping[str, Any]) -> tuple[str, str, list[dict[str, Any]]]:
    blocks = message["content"]
    text = "".join(block["text"] for block in blocks if block["type"] == "text")
    thought = "".join(block["thinking"] for block in blocks if block["type"] == "thinking")
    calls = [
        {
            "id": block["id"],
            "type": "function",
            "function": {"name": block["name"], "arguments": json.dumps(block["input"])},
        }
        for block in blocks
        if block["type"] == "tool_use"
    ]
    return text, thought, calls


def _usage(usage: Mapping[str, int]) -> dict[str, Any]:
    """Of the Messages API's counts: here the prompt's are all together, those from a cache told beside."""
    read = usage.get("cache_read_input_tokens")
    given = usage["input_tokens"] + (read or 0)
    plain = {"prompt_tokens": given, "completion_tokens": usage["output_tokens"]}
    plain["total_tokens"] = sum(plain.values())
    return plain if read is None else {**plain, "prompt_tokens_details": {"cached_tokens": read}}


def _head(message: Mapping[str, Any], kind: str) -> dict[str, Any]:
    return {
        "id": f"chatcmpl-{message['id']}",
        "object": kind,
        "created": 1_795_000_000,
        "model": message["model"],
    }


def _event(plain: Mapping[str, Any]) -> bytes:
    return f"data: {json.dumps(plain)}\n\n".encode()
