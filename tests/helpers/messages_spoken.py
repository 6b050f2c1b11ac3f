"""How the test server writes its replies in the Messages API."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from tests.helpers.server_faults import Refused

PATH: Final = "/v1/messages"
SAID: Final = "as the test asked for"
REFUSALS: Final[Mapping[str, Refused]] = {
    "key": Refused(401, "authentication_error", SAID),
    "forbidden": Refused(403, "permission_error", SAID),
    "model": Refused(404, "not_found_error", "model: no-such-model"),
    "rate_limit": Refused(429, "rate_limit_error", SAID),
    "overloaded": Refused(529, "overloaded_error", SAID),
    "broken": Refused(500, "api_error", SAID),
    "loading": Refused(503, "unavailable_error", "Loading model"),
}
NO_MESSAGE: Final[Mapping[str, Any]] = {"type": "greeting", "content": "hello"}


def refusal(refused: Refused) -> dict[str, Any]:
    """The body of a refusal."""
    return {"type": "error", "error": {"type": refused.kind, "message": refused.message}}


def unknown_model(model: str) -> Refused:
    return Refused(404, "not_found_error", f"model: {model}")


def whole(message: dict[str, Any], usage: dict[str, int]) -> dict[str, Any]:
    """The reply."""
    return {**message, "usage": usage}


def stream(
    message: dict[str, Any], usage: dict[str, int], body: Mapping[str, Any]
) -> tuple[list[bytes], list[bytes], list[bytes]]:
    """The events of a stream: those before the text, the text's pieces, and those after it."""
    empty: dict[str, Any] = {"content": [], "stop_reason": None, "usage": {**usage, "output_tokens": 1}}
    before, pieces, after = [_event("message_start", {"message": {**message, **empty}})], [], []
    if message["stop_reason"] == "tool_use":
        before += _blocks(message["content"])
    elif message["content"]:
        before.append(
            _event("content_block_start", {"index": 0, "content_block": {"type": "text", "text": ""}})
        )
        text = message["content"][0]["text"]
        for at in range(0, len(text), 16):
            delta = {"type": "text_delta", "text": text[at : at + 16]}
            pieces.append(_event("content_block_delta", {"index": 0, "delta": delta}))
        after.append(_event("content_block_stop", {"index": 0}))
    delta = {"stop_reason": message["stop_reason"], "stop_sequence": None}
    after += [_event("message_delta", {"delta": delta, "usage": usage}), _event("message_stop", {})]
    return before, pieces, after


def stream_error() -> bytes:
    """An error in the middle of a stream."""
    return _event("error", refusal(REFUSALS["overloaded"]))


def _blocks(content: Sequence[Mapping[str, Any]]) -> Iterator[bytes]:
    for index, block in enumerate(content):
        if block["type"] == "tool_use":
            start = {**block, "input": {}}
            deltas = [{"type": "input_json_delta", "partial_json": json.dumps(block["input"])}]
        elif block["type"] == "thinking":
            start = {**block, "thinking": "", "signature": ""}
            deltas = [{"type": f"{name}_delta", name: block[name]} for name in ("thinking", "signature")]
        else:
            start = {**block, "text": ""}
            deltas = [{"type": "text_delta", "text": block["text"]}]
        yield _event("content_block_start", {"index": index, "content_block": start})
        for delta in deltas:
            yield _event("content_block_delta", {"index": index, "delta": delta})
        yield _event("content_block_stop", {"index": index})


def _event(name: str, plain: Mapping[str, Any]) -> bytes:
    return f"event: {name}\ndata: {json.dumps({'type': name, **plain})}\n\n".encode()
