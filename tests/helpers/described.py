"""Holds JSON to the shape that a model, or the API's description, tells: with no key more.

The documents are sent as they are built, so nothing but tests keeps their models true.
"""

from __future__ import annotations

import json
import re
from copy import deepcopy
from typing import Any

import httpx2
from jsonschema_rs import Draft202012Validator
from pydantic import BaseModel
from starlette.testclient import TestClient

from orchestrator.web.addresses import PREFIX

JSON, PROBLEM = "application/json", "application/problem+json"
_seen: dict[str, Any] = {}
"""The description of any server is that of every other."""
_validators: dict[str, Draft202012Validator] = {}


class HeldClient(TestClient):
    """A client in the server's process that fails where a reply is not as the API describes itself."""

    def request(self, method: str, url: Any, **given: Any) -> httpx2.Response:
        answer = super().request(method, url, **given)
        if not _seen:
            _seen.update(super().request("GET", f"{PREFIX}/openapi.json").json())
        if answer.request.url.path.startswith(f"{PREFIX}/"):
            assert faults(answer) == [], f"{method} {url}"
        return answer


def faults(answer: httpx2.Response) -> list[str]:
    """What in a reply of the API is not as it is described; of one without an address there: nothing."""
    operation = _operation(answer.request.method, answer.request.url.path)
    if operation is None:
        return []
    told = operation["responses"]
    by_status = told.get(str(answer.status_code)) or told["default"]
    if not answer.content and not by_status.get("content"):
        return []
    kind = answer.headers.get("content-type", "").partition(";")[0]
    if kind not in by_status.get("content", {}):
        return [f"{answer.status_code}: {kind} is not among {list(by_status.get('content', {}))}"]
    if kind not in (JSON, PROBLEM):
        return []
    return _faults(by_status["content"][kind]["schema"], answer.json(), _seen["components"])


def held(model: type[BaseModel], plain: Any) -> list[str]:
    """What in a document is not as its model says; also keys of which it says nothing."""
    schema = model.model_json_schema(mode="serialization", ref_template="#/components/schemas/{model}")
    return _faults(schema, plain, {"schemas": schema.pop("$defs", {})})


def _faults(schema: dict[str, Any], plain: Any, components: dict[str, Any]) -> list[str]:
    name = json.dumps(schema)
    if name not in _validators:
        whole = {**schema, "components": components}
        _validators[name] = Draft202012Validator(_closed(whole))
    found = _validators[name].iter_errors(plain)
    return [f"{'/'.join(str(one) for one in fault.instance_path)}: {fault.message[:300]}" for fault in found]


def _operation(method: str, path: str) -> dict[str, Any] | None:
    found = [
        (template.count("{"), operations[method.lower()])
        for template, operations in _seen["paths"].items()
        if method.lower() in operations and re.fullmatch(_pattern(template), path)
    ]
    return min(found, key=lambda one: one[0])[1] if found else None


def _pattern(template: str) -> str:
    return re.sub(r"\\\{(\w+)\\\}", lambda one: ".*" if one[1] == "path" else "[^/]+", re.escape(template))


def _closed(schema: Any) -> Any:
    closed = deepcopy(schema)
    _close(closed)
    return closed


def _close(schema: Any) -> None:
    if isinstance(schema, dict):
        if schema.get("type") == "object" and "properties" in schema:
            schema.setdefault("additionalProperties", False)
        for one in schema.values():
            _close(one)
    elif isinstance(schema, list):
        for one in schema:
            _close(one)
