"""The test server in Chat Completions: as strict as the service; its replies are those of the other wire."""

from __future__ import annotations

import json
from typing import Any

import httpx2
import pytest

from orchestrator.panel.engines.model.schemas import part_type, schema_of
from tests.helpers.chat_rules import as_message_request, check_chat
from tests.helpers.messages_rules import breach
from tests.helpers.messages_server import MessagesServer

SCHEMA = schema_of(part_type("notes"))
CALL = {"id": "a", "type": "function", "function": {"name": "look_up", "arguments": "{}"}}


def turn(role: str, content: str | None, **more: Any) -> dict[str, Any]:
    return {"role": role, "content": content, **more}


ASKED = turn("user", "Task: notes\nWhat is wanted.\nReply with one JSON object.\nData: {}\n")


def body(*turns: dict[str, Any], **changed: Any) -> dict[str, Any]:
    wanted = {"name": "notes", "strict": True, "schema": SCHEMA}
    return {
        "model": "any",
        "max_tokens": 100,
        "messages": [turn("system", "You are a panelist."), ASKED, *turns],
        "response_format": {"type": "json_schema", "json_schema": wanted},
        **changed,
    }


def schema(**changed: Any) -> dict[str, Any]:
    wanted = {"name": "notes", "strict": True, "schema": {**SCHEMA, **changed}}
    return {"response_format": {"type": "json_schema", "json_schema": wanted}}


def post(server: MessagesServer, plain: dict[str, Any]) -> httpx2.Response:
    headers = {"authorization": f"Bearer {server.key}"}
    return httpx2.post(f"{server.url}/v1/chat/completions", json=plain, headers=headers)


def test_what_the_engine_sends_is_taken() -> None:
    assert check_chat(body()) is None
    answered = (turn("assistant", None, tool_calls=[CALL]), turn("tool", "found", tool_call_id="a"))
    assert check_chat(body(*answered)) is None


@pytest.mark.parametrize(
    ("plain", "message"),
    [
        (body(system="x"), "Unrecognized request argument supplied: system"),
        (body(model=""), "you must provide a model parameter"),
        (body(max_tokens=0), "max_tokens must be positive"),
        (
            body(max_completion_tokens=9),
            "Setting 'max_tokens' and 'max_completion_tokens' at the same time is not supported.",
        ),
        (
            body(stream_options={"include_usage": True}),
            "stream_options is only allowed when stream is enabled",
        ),
        (body(reasoning_effort="max"), "Invalid value: 'reasoning_effort'"),
        (body(turn("developer", "x")), "Invalid value: 'messages[2].role'"),
        (body(turn("system", "x")), "messages[2]: System message must be at the beginning."),
        (body(turn("tool", "x", tool_call_id="a")), "messages[2]: 'tool' must follow its 'tool_calls'"),
        (
            body(turn("assistant", None, tool_calls=[CALL])),
            "the last message must be the user's or a tool's",
        ),
        (
            body(turn("assistant", None, tool_calls=[CALL]), turn("user", "x")),
            "messages[3]: 'tool_calls' must be followed by tool messages for each id",
        ),
        (body(**schema(additionalProperties=True)), "'additionalProperties' must be false in schema"),
        (body(**schema(required=[])), "'required' must hold every key in schema"),
        (body(**schema(maxProperties=3)), "'maxProperties' in schema"),
    ],
)
def test_what_the_service_would_refuse_is_refused(plain: dict[str, Any], message: str) -> None:
    refused = check_chat(plain)
    assert refused is not None
    assert refused.status == 400
    assert refused.message.endswith(message)


def test_the_reply_obeys_the_schema_and_a_stream_brings_the_same() -> None:
    with MessagesServer(speaks="chat") as server:
        whole = post(server, body()).json()
        lines = post(server, body(stream=True, stream_options={"include_usage": True})).text.split("\n\n")
    chunks = [json.loads(one.removeprefix("data: ")) for one in lines if one.startswith("data: {")]
    text = whole["choices"][0]["message"]["content"]
    assert breach(json.loads(text), SCHEMA) is None
    assert "".join(one["choices"][0]["delta"].get("content", "") for one in chunks[:-1]) == text
    assert chunks[-2]["choices"][0]["finish_reason"] == whole["choices"][0]["finish_reason"] == "stop"
    assert chunks[-1]["usage"]["prompt_tokens"] == whole["usage"]["prompt_tokens"]
    assert lines[-2] == "data: [DONE]"


def test_a_server_speaks_what_it_is_told_to_and_nothing_else() -> None:
    with MessagesServer() as server:
        assert post(server, body()).status_code == 404
        assert httpx2.get(f"{server.url}/v1/models").status_code == 404
    with MessagesServer(speaks="chat", models=("m",), listed={"max_model_len": 9}) as server:
        refused = post(server, body())
        assert (refused.status_code, refused.json()["error"]["code"]) == (404, "model_not_found")
        listed = httpx2.get(f"{server.url}/v1/models").json()["data"]
        assert [(one["id"], one["max_model_len"]) for one in listed] == [("m", 9)]
        assert httpx2.post(f"{server.url}/v1/messages", json={}).status_code == 404


def test_what_is_ignored_is_taken_and_leaves_no_trace_in_the_reply() -> None:
    with MessagesServer(speaks="chat", ignores=frozenset({"schemas"})) as server:
        text = post(server, body()).json()["choices"][0]["message"]["content"]
    assert text.startswith("Here it is:\n```json\n")


def test_answers_of_tools_that_follow_one_another_are_one_turn() -> None:
    calls = [CALL, {**CALL, "id": "b"}]
    turns = (
        turn("assistant", "I look.", tool_calls=calls),
        *(turn("tool", f"of {one['id']}", tool_call_id=one["id"]) for one in calls),
    )
    inner = as_message_request(body(*turns))
    assert [one["role"] for one in inner["messages"]] == ["user", "assistant", "user"]
    assert [one["content"] for one in inner["messages"][2]["content"]] == ["of a", "of b"]
