"""The test server: as strict as the service, and its replies are those that the request asks for."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import httpx2
import pytest

from orchestrator.panel.engines.model.schemas import Reply, schema_of
from tests.helpers.messages_replies import KINDS
from tests.helpers.messages_rules import breach, check_request
from tests.helpers.messages_server import MessagesServer
from tests.helpers.server_faults import FAULTS, Fault

DECK = """^^^ file 4 of 11: shared/deck-content.md (write-once)
## Slide 3: Growth

Claims:
- d3.1 (growth; line): "Revenue grew 18% in 2026"
^^^ end of file 4 of 11: shared/deck-content.md
"""
MARK = {"type": "ephemeral"}


def text(words: str, **more: Any) -> dict[str, Any]:
    return {"type": "text", "text": words, **more}


def body(
    kind: str = "candidate_question", about: dict[str, Any] | None = None, **changed: Any
) -> dict[str, Any]:
    task = f"Task: {kind}\nWhat is wanted.\nData: {json.dumps(about or {'taken': []})}\n"
    return {
        "model": "any",
        "max_tokens": 100,
        "system": [text("You are a panelist.")],
        "messages": [{"role": "user", "content": [text(DECK, cache_control=MARK), text(task)]}],
        "output_config": {"format": {"type": "json_schema", "schema": schema_of(Reply)}},
        **changed,
    }


@pytest.fixture
def server() -> Iterator[MessagesServer]:
    with MessagesServer(minimum_tokens=1) as made:
        yield made


def post(server: MessagesServer, plain: dict[str, Any], key: str = "test-key") -> httpx2.Response:
    return httpx2.post(f"{server.url}/v1/messages", json=plain, headers={"x-api-key": key})


def test_what_the_engine_sends_as_schema_is_taken() -> None:
    assert check_request(body()) is None


def marked(count: int) -> list[dict[str, Any]]:
    return [text("a", cache_control=MARK)] * count


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"model": ""}, "model: Field required"),
        ({"max_tokens": 0}, "max_tokens: must be positive"),
        ({"messages": []}, "messages: at least one message is required"),
        ({"temperature": 1}, "temperature: Extra inputs are not permitted"),
        ({"system": [text("")]}, "system.0: text content blocks must be non-empty"),
        ({"system": [text(" \n")]}, "system.0: text content blocks must contain non-whitespace text"),
        ({"system": marked(4)}, "A maximum of 4 blocks with cache_control may be provided. Found 5."),
        ({"messages": [{"role": "assistant", "content": "a"}]}, "messages.0.role: expected user"),
        (
            {"messages": [{"role": "user", "content": "a"}, {"role": "assistant", "content": "b"}]},
            "messages: the last one must be the user's",
        ),
        ({"output_config": {"format": {"type": "json"}}}, "output_config.format: bad keys"),
        (
            {
                "output_config": {
                    "format": {"type": "json_schema", "schema": {"type": "object", "minLength": 1}}
                }
            },
            "output_config.format.schema: minLength is not supported",
        ),
        (
            {"output_config": {"format": {"type": "json_schema", "schema": {"type": "object"}}}},
            "output_config.format.schema: additionalProperties must be false",
        ),
    ],
)
def test_what_the_service_would_refuse_is_refused(changed: dict[str, Any], message: str) -> None:
    refused = check_request(body(**changed))
    assert refused is not None
    assert (refused.status, refused.message) == (400, message)


def test_key_and_model_are_looked_at() -> None:
    with MessagesServer(models=("small",)) as server:
        assert post(server, body(model="small"), key="wrong").status_code == 401
        assert post(server, body(model="large")).status_code == 404
        assert post(server, body(model="small")).status_code == 200


@pytest.mark.parametrize("kind", KINDS)
def test_each_reply_obeys_the_schema_and_is_the_same_each_time(server: MessagesServer, kind: str) -> None:
    answers = [{"question": "Since when?", "answer": "Since May 2026.", "needs": ["date"]}]
    wanted = body(kind, {"taken": [], "answers": answers, "is_last": False})
    first, second = (post(server, wanted).json()["content"][0]["text"] for _ in range(2))
    assert first == second
    reply = json.loads(first)
    assert breach(reply, schema_of(Reply)) is None
    assert [one for one in KINDS if reply[one] is not None] == [kind]


def test_a_question_quotes_the_deck_and_a_judgement_the_answer(server: MessagesServer) -> None:
    question = json.loads(post(server, body()).json()["content"][0]["text"])["candidate_question"]
    assert (question["slide"], question["quote"]) == (3, "Revenue grew 18% in 2026")
    answers = [{"question": "When?", "answer": "That is a good question.", "needs": []}]
    wanted = body("judgement", {"answers": answers, "is_last": False})
    judgement = json.loads(post(server, wanted).json()["content"][0]["text"])["judgement"]
    assert (judgement["verdict"], judgement["quote"]) == ("follow_up", "That is a good question.")
    nothing = body(about={"taken": ["d3.1"]})
    assert (
        json.loads(post(server, nothing).json()["content"][0]["text"])["candidate_question"]["question"]
        is None
    )


def test_tokens_are_counted_by_the_rules_of_the_cache(server: MessagesServer) -> None:
    usages = [post(server, body(about={"taken": [str(number)]})).json()["usage"] for number in range(2)]
    first, second = [
        (one["cache_read_input_tokens"], one["cache_creation_input_tokens"], one["input_tokens"])
        for one in usages
    ]
    assert first[0] == 0
    assert second == (first[1], 0, first[2])
    assert post(server, body(output_config={})).json()["usage"]["cache_read_input_tokens"] == 0


def test_a_stream_brings_the_same_message(server: MessagesServer) -> None:
    whole = post(server, body()).json()
    lines = post(server, body(stream=True)).text.splitlines()
    events = [json.loads(line.removeprefix("data: ")) for line in lines if line.startswith("data: ")]
    pieces = [event["delta"]["text"] for event in events if event["type"] == "content_block_delta"]
    assert "".join(pieces) == whole["content"][0]["text"]
    assert [event["type"] for event in events if event["type"] != "content_block_delta"] == [
        "message_start",
        "content_block_start",
        "content_block_stop",
        "message_delta",
        "message_stop",
    ]


def test_the_smallest_server_knows_no_schemas_no_counting_and_no_cache() -> None:
    with MessagesServer(smallest=True) as server:
        refused = post(server, body())
        assert (refused.status_code, refused.json()["error"]["message"]) == (
            400,
            "output_config: Extra inputs are not permitted",
        )
        plain = {name: value for name, value in body().items() if name != "output_config"}
        assert set(post(server, plain).json()["usage"]) == {"input_tokens", "output_tokens"}
        assert httpx2.post(f"{server.url}/v1/messages/count_tokens", json=plain).status_code == 404


def test_tokens_can_be_counted_without_a_call(server: MessagesServer) -> None:
    plain = body()
    counted = httpx2.post(f"{server.url}/v1/messages/count_tokens", json=plain).json()
    usage = post(server, plain).json()["usage"]
    assert counted["input_tokens"] == usage["input_tokens"] + usage["cache_creation_input_tokens"]
    assert len(server.requests) == 1


STATUS = {
    "key": 401,
    "forbidden": 403,
    "model": 404,
    "rate_limit": 429,
    "overloaded": 529,
    "broken": 500,
    "loading": 503,
}


@pytest.mark.parametrize("kind", sorted(set(FAULTS) - {"hang"}))
def test_a_fault_comes_at_its_call_and_at_no_other(kind: str) -> None:
    with MessagesServer(faults={2: Fault(kind, 0.01)}) as server:
        assert post(server, body()).status_code == 200
        try:
            second = post(server, body())
        except httpx2.HTTPError:
            assert kind in ("reset", "cut")
        else:
            assert second.status_code == {**STATUS, "stream_error": 529}.get(kind, 200)
        third = post(server, body())
    assert third.status_code == 200
    assert breach(json.loads(third.json()["content"][0]["text"]), schema_of(Reply)) is None


def test_a_server_that_closes_lets_go_of_a_call_that_hangs() -> None:
    with MessagesServer(always=Fault("hang")) as server, pytest.raises(httpx2.TimeoutException):
        httpx2.post(f"{server.url}/v1/messages", json=body(), headers={"x-api-key": server.key}, timeout=0.2)
    assert server.requests[0].status == 0


def test_an_unknown_fault_is_refused() -> None:
    with pytest.raises(ValueError, match="there is no fault 'sulks'"):
        Fault("sulks")
