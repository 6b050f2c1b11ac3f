"""The OpenAPI description: complete, and true for whatever a program makes of it."""

from __future__ import annotations

import json
import re
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import hypothesis
import pytest
from starlette.testclient import TestClient

from orchestrator.documents.models.sessions import LedgerRecord
from orchestrator.panel.home import Home
from orchestrator.web.open_sessions import OpenSessions
from orchestrator.web.server import application
from orchestrator.web.site import Site
from tests.helpers.described import held
from tests.helpers.homes import new_home

ENDLESS = {"/api/v1/sessions/{session}/room/events"}
"""A stream that a test in one process would wait for; `test_records` reads such a one from a server."""
LAST = {"/api/v1/sessions/{session}/end"}
"""What would take the session from the tests behind it gets the ids that are made up, as erasing does."""


def test_every_route_describes_its_problems(api: TestClient) -> None:
    paths = api.get("/api/v1/openapi.json").json()["paths"]
    assert len(paths) > 35
    for path, methods in paths.items():
        for method, one in methods.items():
            told = one["responses"]["default"]["content"]["application/problem+json"]["schema"]
            assert told == {"$ref": "#/components/schemas/Problem"}, (method, path)
            assert "422" not in one["responses"]
            assert one["description"], (method, path)


UNTYPED = {
    "LedgerRecord.value",  # by its type, of which each release has more
    "NewNote.fields",  # a program's own, under its own type
    "ProgramNote.fields",
    "RecapEntry.metadata",
    "StartingCrew.fields",  # whatever the crew's blueprints name
    "Trace.errors",
    "Trace.state",
    "TraceStep.action",
    "TraceStep.output",
}
"""Parts whose shape depends on what was done: each has a sentence that says so, or a type beside it."""


def test_every_operation_has_a_name_of_its_own_and_says_what_it_takes_and_answers(api: TestClient) -> None:
    described = api.get("/api/v1/openapi.json").json()
    operations = [(path, one) for path, methods in described["paths"].items() for one in methods.values()]
    names = [one["operationId"] for _, one in operations]
    assert len(set(names)) == len(names)
    assert [name for name in names if not re.fullmatch("[a-z]+(_[a-z]+)+", name)] == []
    tags = {tag["name"]: tag["description"] for tag in described["tags"]}
    for path, one in operations:
        name = one["operationId"]
        assert path.startswith("/api/v1/"), name
        assert one["tags"][0] in tags, name
        assert [told["name"] for told in one.get("parameters", []) if not told.get("description")] == [], name
        done = [told for status, told in one["responses"].items() if status.startswith("2")]
        assert done, name
        for told in done:
            shapes = [media["schema"] for media in told.get("content", {}).values()]
            assert all({"$ref", "type", "anyOf"} & shape.keys() for shape in shapes), name
            assert shapes or "204" in one["responses"], name


def test_no_object_of_the_description_is_any_object(api: TestClient) -> None:
    schemas = api.get("/api/v1/openapi.json").json()["components"]["schemas"]
    assert {name for name, one in schemas.items() if "__" in name or "-" in name} == set()
    untyped = {
        f"{name}.{part}"
        for name, one in schemas.items()
        for part, schema in one.get("properties", {}).items()
        if is_untyped(schema)
    }
    assert untyped == UNTYPED


def is_untyped(schema: dict[str, Any]) -> bool:
    """Whether anything fits: no type, or an object of which no key is told."""
    if "$ref" in schema:
        return False
    parts = [*schema.get("anyOf", []), *([schema["items"]] if "items" in schema else [])]
    if parts or "prefixItems" in schema:
        return any(is_untyped(one) for one in parts)
    if schema.get("type") == "object":
        return not isinstance(schema.get("additionalProperties"), dict)
    return "type" not in schema and "const" not in schema and "enum" not in schema


def test_a_stream_says_which_events_come_and_what_their_data_is(api: TestClient) -> None:
    described = api.get("/api/v1/openapi.json").json()
    streams = {
        one["operationId"]: told["content"]["text/event-stream"]["x-events"]
        for methods in described["paths"].values()
        for one in methods.values()
        if "text/event-stream" in (told := one["responses"].get("200", {})).get("content", {})
    }
    assert {name: list(events) for name, events in streams.items()} == {
        "stream_room": ["room", "partial", "heartbeat", "gone"],
        "stream_records": ["message"],
    }
    named = [
        one["$ref"].rpartition("/")[2]
        for events in streams.values()
        for one in events.values()
        if "$ref" in one
    ]
    assert named == ["RoomView", "LedgerRecord"]
    assert set(named) <= described["components"]["schemas"].keys()
    microphone = next(tag["description"] for tag in described["tags"] if tag["name"] == "room")
    assert "/sessions/{session}/microphone" in microphone


def test_every_line_of_a_ledger_is_as_it_is_described(api: TestClient, session: str) -> None:
    api.post("/api/v1/sessions/s1/segments", json={"text": "It pays for itself."})
    api.post("/api/v1/sessions/s1/ask", json={})
    api.post("/api/v1/sessions/s1/end", json={})
    lines = api.get("/api/v1/sessions/s1/records", headers={"accept": "application/x-ndjson"}).text
    records = [json.loads(line) for line in lines.splitlines()]
    assert {one["op"] for one in records} >= {
        "open",
        "create",
        "append",
        "replace",
        "note",
        "receipt",
        "freeze",
    }
    assert [fault for one in records for fault in held(LedgerRecord, one)] == []


def test_the_token_is_described_and_health_needs_none(api: TestClient) -> None:
    described = api.get("/api/v1/openapi.json").json()
    assert described["components"]["securitySchemes"]["token"]["scheme"] == "bearer"
    assert described["security"] == [{"token": []}, {}]
    assert described["paths"]["/api/v1/health"]["get"]["security"] == []


@pytest.mark.slow
def test_no_request_that_it_allows_makes_the_server_fail() -> None:
    schemathesis = pytest.importorskip("schemathesis", reason="NO SCHEMATHESIS: the description is not tried")
    with TemporaryDirectory() as folder:
        home = Home.open(new_home(Path(folder) / "home"))
        site = Site(home, str(home.archives), OpenSessions(home))
        with TestClient(application(site), base_url="http://127.0.0.1") as client:
            begun = client.post("/api/v1/sessions", json={"sample": True, "id": "s1", "presenter": "Dana"})
            assert begun.status_code == 201
            schema = schemathesis.openapi.from_dict(client.get("/api/v1/openapi.json").json())
            tried = [try_out(one.ok(), client) for one in schema.get_all_operations()]
            assert client.get("/api/v1/sessions/s1/verify").json()["valid"]
    assert sum(tried) > 200


def try_out(operation: Any, client: TestClient) -> int:
    """Some requests to one operation, the same in every run; how many there were."""
    count = 0
    if operation.path in ENDLESS:
        return count
    own = operation.method.upper() != "DELETE" and operation.path not in LAST

    @hypothesis.seed(1)
    @hypothesis.settings(
        max_examples=8,
        database=None,
        deadline=None,
        suppress_health_check=list(hypothesis.HealthCheck),
        phases=[hypothesis.Phase.generate],
    )
    @hypothesis.given(case=operation.as_strategy())
    def ask(case: Any) -> None:
        nonlocal count
        count += 1
        if own and "session" in (case.path_parameters or {}):
            known = {"session": "s1", "agent": "skeptic", "path": "shared/presenter-transcript.md"}
            case.path_parameters |= {name: known.get(name, one) for name, one in case.path_parameters.items()}
        sent = case.as_transport_kwargs(base_url="http://127.0.0.1")
        sent["headers"]["accept"] = "application/x-ndjson"  # the ledger up to now, and no endless stream
        if "json" in sent:
            sent["content"] = json.dumps(sent.pop("json")).encode()
        elif isinstance(sent.get("data"), bytes | str):
            sent["content"] = sent.pop("data")
        sent.pop("cookies", None)
        answer = client.request(**sent)
        # An engine that cannot work here (no key) is a bad gateway: no failure of the server's own.
        assert answer.status_code < 500 or answer.json()["code"] == "engine", (sent, answer.text)

    ask()
    return count
