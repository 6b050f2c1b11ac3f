"""One request as it goes out: what the service is known to take, and nothing else.

A service that lacks a feature is asked without it; what that is for each is all in this file.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import Any

from orchestrator.context.messages import Messages, TextBlock
from orchestrator.engines.model.schemas import Reply, schema_of
from orchestrator.engines.model.service import Service
from orchestrator.engines.model.settings import MAX_TOKENS, SHORT_MAX_TOKENS
from orchestrator.engines.model.task import Outgoing, Task
from orchestrator.engines.model.turns import Turns


def outgoing(service: Service, task: Task, turns: Turns, knows: Collection[str]) -> Outgoing:
    """The request for a service that knows these features."""
    messages = _messages(task, knows)
    plain = messages.plain()
    plain["messages"] += turns.messages
    if "blocks" not in knows:
        plain = _as_text(plain)
    config: dict[str, Any] = {}
    if "schemas" in knows:
        config["format"] = {"type": "json_schema", "schema": schema_of(task.shape)}
    if "effort" in knows and service.settings.effort is not None:
        config["effort"] = service.settings.effort
    model = task.model or service.settings.model_for(task.kind)
    tools = list(task.tools) if "tools" in knows else []
    request = {
        "model": model,
        "max_tokens": MAX_TOKENS if "length" in knows else SHORT_MAX_TOKENS,
        **({"tools": tools} if tools else {}),
        **plain,
        **({"output_config": config} if config else {}),
    }
    first = (TextBlock(json.dumps(tools)),) if tools else ()
    sent = Messages(messages.layout, (*first, *messages.system), (*messages.user, *turns.blocks()))
    shape = "" if task.shape is Reply else task.kind
    return Outgoing(request, sent, f"{model} {sorted(config)} {shape}")


def _messages(task: Task, knows: Collection[str]) -> Messages:
    """The task's messages, without cache marks where the service takes none."""
    whole = task.messages
    if "cache" in knows:
        return whole
    system, user = (
        tuple(replace(block, marked=False) for block in part) for part in (whole.system, whole.user)
    )
    return replace(whole, system=system, user=user)


def _as_text(plain: Mapping[str, Any]) -> dict[str, Any]:
    """Messages whose content is text; a turn that uses tools, or answers them, stays as it is."""
    turns = [{**turn, "content": _joined(turn["content"])} for turn in plain["messages"]]
    return {"system": _joined(plain["system"]), "messages": turns}


def _joined(content: Any) -> Any:
    if isinstance(content, str) or any(block["type"] != "text" for block in content):
        return content
    return "".join(block["text"] for block in content)
