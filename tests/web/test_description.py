"""The OpenAPI description: complete, and true for whatever a program makes of it."""

from __future__ import annotations

import json
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import hypothesis
import pytest
from starlette.testclient import TestClient

from orchestrator.panel.home import Home
from orchestrator.web.open_sessions import OpenSessions
from orchestrator.web.server import application
from orchestrator.web.site import Site
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
