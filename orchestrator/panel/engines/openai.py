"""The wire of Chat Completions: OpenAI and Azure, vLLM, LM Studio, llama.cpp, Ollama, and most gateways.

Messages are plain text: a system prompt and one user turn. Nothing can be marked for a cache. A service that
caches by itself matches the beginning of a prompt, so each task has a small schema of its own. Features that
a server lacks are left out, and this file handles all of them.
"""

from __future__ import annotations

import json
import logging
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlsplit

from orchestrator.core.context.messages import Messages, TextBlock
from orchestrator.core.errors import EngineError
from orchestrator.core.outbound.environment import check_key
from orchestrator.panel.engines.model.failures import UnusableError
from orchestrator.panel.engines.model.received import MAX_TEXT, Received, Tokens, count, model_name, tool_uses
from orchestrator.panel.engines.model.schemas import schema_of
from orchestrator.panel.engines.model.settings import API, CHAT, OPENAI_URL, Settings
from orchestrator.panel.engines.model.tasks import OnPartial, Outgoing, Task, Turns
from orchestrator.panel.engines.model.wire import (
    SHORT_MAX_TOKENS,
    Growing,
    SdkWire,
    most_tokens,
    plain_of,
    told_plainly,
)

if TYPE_CHECKING:
    from openai import AsyncOpenAI


# ---------------------------------------------------------------------- wire


FEATURES: Final = ("schemas", "effort", "tools", "length", "max_tokens", "counts")
"""Features that a server may lack.

These are enforced schemas, effort, tools, room for a long reply, the name `max_tokens` for that room
(`max_completion_tokens` is the newer name), and counts of tokens at the end of a stream.
"""
_STOPS: Final = {
    "stop": "end_turn",
    "length": "max_tokens",
    "tool_calls": "tool_use",
    "function_call": "tool_use",
    "content_filter": "refusal",
}
"""Maps the reason why a reply ended to the Messages API's name for it."""


class ChatWire(SdkWire["AsyncOpenAI"]):
    """A wire to one service, whose client is made at the first call, in the service's thread."""

    api = API[CHAT]
    sdk = "openai"
    features = FEATURES

    def _made(self) -> AsyncOpenAI:
        return _client(self._settings)

    def outgoing(self, task: Task, turns: Turns, knows: Collection[str]) -> Outgoing:
        """Do what `Wire.outgoing` says."""
        messages = task.messages
        model = task.model or self._settings.model_for(task.kind)
        most = most_tokens(task, knows)
        request: dict[str, Any] = {
            "model": model,
            "messages": [
                {"role": "system", "content": _text(messages.system)},
                {"role": "user", "content": _text(messages.user)},
                *(one for turn in turns.messages for one in _turn(turn)),
            ],
            "max_tokens" if "max_tokens" in knows else "max_completion_tokens": most,
        }
        if "schemas" in knows and task.shape is not None:
            schema = {"name": task.kind, "strict": True, "schema": schema_of(task.shape)}
            request["response_format"] = {"type": "json_schema", "json_schema": schema}
        if "effort" in knows and self._settings.effort is not None:
            request["reasoning_effort"] = self._settings.effort
        if "tools" in knows and task.tools:
            request["tools"] = [*map(_tool, task.tools)]
        if "counts" in knows and task.on_partial is not None:
            request["stream_options"] = {"include_usage": True}
        first = (TextBlock(json.dumps(request["tools"])),) if "tools" in request else ()
        sent = Messages(messages.layout, (*first, *messages.system), (*messages.user, *turns.blocks()))
        settings = f"{model} {task.kind} {sorted(set(request) - {'messages'})}"
        return Outgoing(request, sent, settings, most)

    def lacking(self, said: str, request: Mapping[str, Any]) -> str | None:
        """Do what `Wire.lacking` says."""
        if "max_tokens" in request and "max_completion_tokens" in said:
            return "max_tokens"
        if "reasoning_effort" in request and re.search(r"reasoning|effort", said):
            return "effort"
        if "response_format" in request and re.search(r"response_format|\b(json_)?schema\b|grammar", said):
            return "schemas"
        if "stream_options" in request and "stream_options" in said:
            return "counts"
        most = request.get("max_tokens") or request.get("max_completion_tokens") or 0
        if re.search(r"max_(completion_)?tokens", said) and most > SHORT_MAX_TOKENS:
            return "length"
        return "tools" if "tools" in request and re.search(r"\b(tools?|functions?)\b", said) else None

    async def sent(self, request: Mapping[str, Any], on_partial: OnPartial | None = None) -> dict[str, Any]:
        """Do what `Wire.sent` says."""
        with told_plainly(import_module(self.sdk), self._settings.where, self.api):
            if on_partial is not None:
                return await self._streamed(request, on_partial)
            plain = _plain(await self.client.chat.completions.create(**request))
            if not isinstance(plain.get("choices"), list):
                raise UnusableError("the reply is not a completion")
            return plain

    async def _streamed(self, request: Mapping[str, Any], on_partial: OnPartial) -> dict[str, Any]:
        """Stream a completion, pass on its text as it comes, and return it assembled from its pieces."""
        growing, length = Growing(on_partial), 0
        calls: dict[int, dict[str, Any]] = {}
        last: dict[str, Any] = {"usage": None, "model": None, "finish_reason": None}
        refusal = ""
        async with await self.client.chat.completions.create(**request, stream=True) as stream:
            async for chunk in stream:
                plain = _plain(chunk)
                choice: dict[str, Any] = next(iter(plain.get("choices") or ()), {})
                delta = choice.get("delta") or {}
                last |= {name: plain[name] for name in ("usage", "model") if plain.get(name)}
                last |= {"finish_reason": choice.get("finish_reason") or last["finish_reason"]}
                pieces = [delta.get(name) or "" for name in ("content", "reasoning_content", "refusal")]
                pieces += [_add(calls, one) for one in delta.get("tool_calls") or ()]
                length += sum(map(len, pieces))
                if length > MAX_TEXT:
                    what = f"more than {MAX_TEXT} characters, which no task asks for"
                    raise EngineError(f"{self._settings.where} sent {what}")
                refusal += pieces[2]
                if pieces[0]:
                    growing.add(pieces[0])
        message = {"content": growing.text, "refusal": refusal, "tool_calls": [*calls.values()]}
        whole = {"message": message, "finish_reason": last["finish_reason"]}
        return {"choices": [whole], "usage": last["usage"], "model": last["model"]}

    def received(self, plain: Mapping[str, Any]) -> Received:
        """Do what `Wire.received` says."""
        choice = next(iter(plain["choices"]), None)
        message = choice.get("message") if isinstance(choice, Mapping) else None
        if not isinstance(choice, Mapping) or not isinstance(message, Mapping):
            raise UnusableError("it holds no choice")
        text = _content(message.get("content"))
        calls = [{"type": "tool_use", **_call(one)} for one in message.get("tool_calls") or ()]
        reason = choice.get("finish_reason")
        stop = "tool_use" if calls else _STOPS.get(str(reason), "end_turn") if reason else None
        if message.get("refusal"):
            stop = "refusal"
        said = [{"type": "text", "text": text}] if text.strip() else []
        return Received(
            text,
            stop,
            _tokens(plain.get("usage")),
            model_name(plain.get("model")),
            tool_uses(calls),
            (*said, *calls) if calls else (),
        )


# ---------------------------------------------------------------------- what goes out


def _text(blocks: Sequence[TextBlock]) -> str:
    return "".join(block.text for block in blocks)


def _turn(turn: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield the messages for a turn after the task: words and uses of tools, and one for each tool's
    answer.
    """
    blocks = turn["content"]
    text = "".join(block["text"] for block in blocks if block["type"] == "text")
    uses = [
        {
            "id": block["id"],
            "type": "function",
            "function": {"name": block["name"], "arguments": json.dumps(block["input"])},
        }
        for block in blocks
        if block["type"] == "tool_use"
    ]
    answers = [block for block in blocks if block["type"] == "tool_result"]
    for block in answers:
        yield {"role": "tool", "tool_call_id": block["tool_use_id"], "content": block["content"]}
    if uses:
        yield {"role": turn["role"], "content": text or None, "tool_calls": uses}
    elif text or not answers:
        yield {"role": turn["role"], "content": text}


def _tool(definition: Mapping[str, Any]) -> dict[str, Any]:
    named = {name: definition[name] for name in ("name", "description")}
    return {"type": "function", "function": {**named, "parameters": definition["input_schema"]}}


def _client(settings: Settings) -> AsyncOpenAI:
    from openai import AsyncOpenAI

    from orchestrator.core.outbound.client import async_client

    # At DEBUG the SDK logs whole requests, and with them what was said in a session.
    for name in ("openai", "httpx2", "httpcore2"):
        logging.getLogger(name).setLevel(logging.WARNING)
    if settings.api_key is None and settings.base_url is None:
        raise EngineError(
            f"the {settings.engine} engine needs a key: set {settings.key_name}, or {settings.address_name} "
            "for a server of your own",
            stops=True,
        )
    check_key(settings.key_name, settings.api_key)
    url = _versioned(settings.base_url or OPENAI_URL)
    client = AsyncOpenAI(
        api_key=settings.api_key or "none",  # the SDK wants one; a local server does not look at it
        organization=None,
        project=None,
        base_url=url,
        max_retries=0,
        http_client=async_client(url, settings.address_name),
    )
    if settings.address_name == "model_url":  # what the environment says of OpenAI's is for OpenAI alone
        client.organization = client.project = None
        client._custom_headers = {}
    return client


def _versioned(url: str) -> str:
    """Append the version that nearly every server has in its address, unless the address has a path."""
    return url if urlsplit(url).path.strip("/") else f"{url.rstrip('/')}/v1"


# ---------------------------------------------------------------------- what comes back


def _plain(message: object) -> dict[str, Any]:
    plain = plain_of(message)
    if not plain:
        raise UnusableError("the reply is not a completion")
    return plain


def _content(content: object) -> str:
    """Return a message's text, which some gateways send in parts."""
    if isinstance(content, list):
        return "".join(str(one.get("text") or "") for one in content if isinstance(one, Mapping))
    return content if isinstance(content, str) else ""


def _add(calls: dict[int, dict[str, Any]], delta: Mapping[str, Any]) -> str:
    """Add a piece of a tool use to *calls*, and return the piece's text."""
    call = calls.setdefault(delta.get("index") or 0, {"id": "", "function": {"name": "", "arguments": ""}})
    function = delta.get("function") or {}
    call["id"] = delta.get("id") or call["id"]
    call["function"]["name"] += function.get("name") or ""
    call["function"]["arguments"] += function.get("arguments") or ""
    return str(function.get("arguments") or "")


def _call(plain: object) -> dict[str, Any]:
    """Convert a use of a tool to the form of the Messages API."""
    call = plain if isinstance(plain, Mapping) else {}
    function = call.get("function")
    if not isinstance(function, Mapping):
        raise UnusableError("a use of a tool cannot be answered: it names none")
    try:
        arguments = json.loads(function.get("arguments") or "{}")
    except (ValueError, TypeError, RecursionError):
        raise UnusableError("a use of a tool cannot be answered: its arguments are no JSON") from None
    return {"id": call.get("id"), "name": function.get("name"), "input": arguments}


def _tokens(usage: object) -> Tokens:
    """Return a completion's usage; input includes cache reads, and cache writes are not reported."""
    told: Mapping[str, Any] = usage if isinstance(usage, Mapping) else {}
    details = told.get("prompt_tokens_details")
    cached = details.get("cached_tokens") if isinstance(details, Mapping) else None
    total, read = count(told.get("prompt_tokens")), count(cached)
    output = count(told.get("completion_tokens"))
    return Tokens(min(read, total), 0, max(0, total - read), output, cached is not None)
