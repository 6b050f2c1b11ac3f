"""One request as it goes out: what the service is known to take, and nothing else.

A service that lacks a feature is asked without it; what that is for each is all in this file.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

from orchestrator.engines.claude.replies import Reply, schema_of
from orchestrator.engines.claude.settings import MAX_TOKENS, SHORT_MAX_TOKENS
from orchestrator.messages import Messages, TextBlock

if TYPE_CHECKING:
    from orchestrator.engines.claude.calls import Task
    from orchestrator.engines.claude.received import Received
    from orchestrator.engines.claude.service import Service
    from orchestrator.engines.claude.turns import Turns

FEATURES: Final = ("blocks", "schemas", "effort", "tools", "cache", "length")
"""What a server may lack: content as a list of blocks, output schemas, effort, tools, cache marks (which
stand on blocks), and room for a long reply."""


@dataclass(frozen=True, slots=True)
class Sent:
    """One request, as far as the meter must know it, and what came back."""

    messages: Messages  # what was sent after a first reply stands at the end of the user's blocks
    settings: str  # whatever would break the cache if it differed
    model: str
    began_s: float  # of a clock that does not run backwards
    seconds: float
    usage: Mapping[str, Any]
    repair: bool
    round: int  # how often tools have been used before it


def request_of(service: Service, task: Task, turns: Turns, knows: Collection[str]) -> dict[str, Any]:
    """The arguments of the SDK's call, for a service that knows these features."""
    plain = _messages(task, knows).plain()
    plain["messages"] += turns.messages
    if "blocks" not in knows:
        plain = _as_text(plain)
    config: dict[str, Any] = {}
    if "schemas" in knows:
        config["format"] = {"type": "json_schema", "schema": schema_of(task.shape)}
    if "effort" in knows and service.settings.effort is not None:
        config["effort"] = service.settings.effort
    return {
        "model": task.model or service.settings.model_for(task.kind),
        "max_tokens": MAX_TOKENS if "length" in knows else SHORT_MAX_TOKENS,
        **({"tools": list(task.tools)} if task.tools and "tools" in knows else {}),
        **plain,
        **({"output_config": config} if config else {}),
    }


def sent_of(
    task: Task,
    turns: Turns,
    request: Mapping[str, Any],
    knows: Collection[str],
    one: Received,
    times: tuple[float, float],
) -> Sent:
    """What the meter is told. *times*: when it began, and how many seconds it took."""
    sent, tools = _messages(task, knows), request.get("tools")
    first = (TextBlock(json.dumps(tools)),) if tools else ()
    shape = "" if task.shape is Reply else task.kind
    return Sent(
        messages=Messages(sent.layout, (*first, *sent.system), (*sent.user, *turns.blocks())),
        settings=f"{request['model']} {sorted(request.get('output_config', {}))} {shape}",
        model=str(request["model"]),
        began_s=times[0],
        seconds=times[1],
        usage=one.usage,
        repair=turns.is_repair,
        round=turns.rounds,
    )


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
