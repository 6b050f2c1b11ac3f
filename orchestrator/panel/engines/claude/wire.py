"""The wire of the Messages API: Anthropic's service, and every server that speaks as it does.

A service that lacks a feature is asked without it; what that is for each is all in this file.
"""

from __future__ import annotations

import json
import logging
import os
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

from orchestrator.core.context.messages import Messages, TextBlock
from orchestrator.core.errors import EngineError
from orchestrator.core.outbound.environment import check_headers, check_key
from orchestrator.panel.engines.model.failures import UnusableError
from orchestrator.panel.engines.model.received import (
    LONGEST_TEXT,
    Received,
    Tokens,
    count,
    model_name,
    tool_uses,
)
from orchestrator.panel.engines.model.schemas import Reply, schema_of
from orchestrator.panel.engines.model.settings import (
    API,
    MESSAGES,
    PUBLIC_URL,
    Settings,
)
from orchestrator.panel.engines.model.task import OnPartial, Outgoing, Task
from orchestrator.panel.engines.model.turns import Turns
from orchestrator.panel.engines.model.wire import (
    SHORT_MAX_TOKENS,
    Growing,
    SdkWire,
    most_tokens,
    plain_of,
    told_plainly,
)

if TYPE_CHECKING:
    from anthropic import AsyncAnthropic
    from anthropic.types import Message

FEATURES: Final = ("blocks", "schemas", "effort", "tools", "cache", "length")
"""What a server may lack: content as a list of blocks, output schemas, effort, tools, cache marks (which
stand on blocks), and room for a long reply."""

_ECHOED: Final[Mapping[str, tuple[str, ...]]] = {
    "text": ("text",),
    "thinking": ("thinking", "signature"),
    "redacted_thinking": ("data",),
    "tool_use": ("id", "name", "input"),
}
"""The blocks, with their keys, that are sent back when tools are answered; thinking goes as it came."""


class MessagesWire(SdkWire["AsyncAnthropic"]):
    """Speaks with one service; its client is made at the first call, in the service's thread."""

    api = API[MESSAGES]
    sdk = "anthropic"
    features = FEATURES

    def _made(self) -> AsyncAnthropic:
        return _client(self._settings)

    def outgoing(self, task: Task, turns: Turns, knows: Collection[str]) -> Outgoing:
        """As `Wire.outgoing`."""
        messages = _messages(task, knows)
        plain = messages.plain()
        plain["messages"] += turns.messages
        if "blocks" not in knows:
            plain = _as_text(plain)
        config: dict[str, Any] = {}
        if "schemas" in knows and task.shape is not None:
            config["format"] = {"type": "json_schema", "schema": schema_of(task.shape)}
        if "effort" in knows and self._settings.effort is not None:
            config["effort"] = self._settings.effort
        model = task.model or self._settings.model_for(task.kind)
        tools = list(task.tools) if "tools" in knows else []
        most = most_tokens(task, knows)
        request = {
            "model": model,
            "max_tokens": most,
            **({"tools": tools} if tools else {}),
            **plain,
            **({"output_config": config} if config else {}),
        }
        first = (TextBlock(json.dumps(tools)),) if tools else ()
        sent = Messages(messages.layout, (*first, *messages.system), (*messages.user, *turns.blocks()))
        shape = "" if task.shape is Reply else task.kind
        return Outgoing(request, sent, f"{model} {sorted(config)} {shape}", most)

    def lacking(self, said: str, request: Mapping[str, Any]) -> str | None:
        """As `Wire.lacking`. `effort` is a setting that not every model has."""
        config = request.get("output_config", {})
        if "effort" in config and "effort" in said:
            return "effort"
        if config and re.search(r"output_config|output_format|json_schema|\bschema\b", said):
            return "schemas" if "format" in config else "effort"
        if "cache_control" in said and "cache_control" in str(request):
            return "cache"
        if "max_tokens" in said and request["max_tokens"] > SHORT_MAX_TOKENS:
            return "length"
        return "tools" if "tools" in request and re.search(r"\btools?\b", said) else None

    async def sent(self, request: Mapping[str, Any], on_partial: OnPartial | None = None) -> dict[str, Any]:
        """As `Wire.sent`."""
        with told_plainly(import_module(self.sdk), self._settings.where, self.api):
            if on_partial is None:
                return _message(await self.client.messages.create(**request))
            return _message(await self._streamed(request, on_partial))

    async def _streamed(self, request: Mapping[str, Any], on_partial: OnPartial) -> Message:
        growing, length = Growing(on_partial), 0
        async with self.client.messages.stream(**request) as stream:
            async for event in stream:
                if event.type == "content_block_delta":
                    length += _length(event.delta)
                    if length > LONGEST_TEXT:  # the SDK copies all of it at every event
                        what = f"more than {LONGEST_TEXT} characters, which no task asks for"
                        raise EngineError(f"{self._settings.where} sent {what}")
                if event.type == "text":
                    growing.add(event.text)
            return await stream.get_final_message()

    def received(self, plain: Mapping[str, Any]) -> Received:
        """As `Wire.received`."""
        blocks = [block for block in plain["content"] if isinstance(block, dict)]
        texts = [
            block["text"]
            for block in blocks
            if block.get("type") == "text" and isinstance(block.get("text"), str)
        ]
        stop = plain.get("stop_reason")
        uses = tool_uses(block for block in blocks if block.get("type") == "tool_use")
        return Received(
            "".join(texts),
            stop if isinstance(stop, str) else None,
            tokens_of(plain.get("usage")),
            model_name(plain.get("model")),
            uses,
            tuple(_echoed(blocks)) if uses else (),
        )

    async def window(self, model: str) -> int | None:
        """As `Wire.window`; nobody asks Anthropic's own service, whose models have room for any rehearsal."""
        return None if self._settings.is_public else await super().window(model)


def tokens_of(usage: object) -> Tokens:
    """A message's usage; what it does not report counts as nothing."""
    told: Mapping[str, Any] = usage if isinstance(usage, Mapping) else {}
    read, written = told.get("cache_read_input_tokens"), told.get("cache_creation_input_tokens")
    is_told = read is not None or written is not None
    new, output = told.get("input_tokens"), told.get("output_tokens")
    return Tokens(count(read), count(written), count(new), count(output), is_told)


def _message(message: object) -> dict[str, Any]:
    """An SDK message as plain values: only what came, as a block that is sent back may hold no other key."""
    plain = plain_of(message)
    if not isinstance(plain.get("content"), list):
        raise UnusableError("what came is no message")
    return plain


def _length(delta: object) -> int:
    """Characters that a delta adds to the message: of its text, its thought or its arguments."""
    return sum(len(value) for name, value in vars(delta).items() if name != "type" and isinstance(value, str))


def _echoed(blocks: Sequence[Mapping[str, Any]]) -> Iterator[dict[str, Any]]:
    for block in blocks:
        keys = _ECHOED.get(str(block.get("type")))
        if keys is None or (block["type"] == "text" and not str(block.get("text")).strip()):
            continue  # the service refuses a text of white space alone
        yield {"type": block["type"], **{key: block.get(key) for key in keys}}


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


def _client(settings: Settings) -> AsyncAnthropic:
    from anthropic import AsyncAnthropic

    from orchestrator.core.outbound.client import async_client

    # At DEBUG the SDK logs whole requests, and with them what was said in a session.
    for name in ("anthropic", "httpx2", "httpcore2"):
        logging.getLogger(name).setLevel(logging.WARNING)
    key = settings.api_key
    if key is None and settings.auth_token is None:
        if settings.base_url is None:
            raise EngineError(
                f"the {settings.engine} engine needs a key: set ANTHROPIC_API_KEY, or ANTHROPIC_BASE_URL "
                "for a server of your own",
                stops=True,
            )
        key = "none"  # the SDK wants one; a local server does not look at it
    check_key(settings.key_name, key)
    check_key("ANTHROPIC_AUTH_TOKEN", settings.auth_token)
    # The SDK adds /v1 itself; many a server is known by its address with it.
    url = (settings.base_url or PUBLIC_URL).removesuffix("/").removesuffix("/v1")
    is_own = settings.address_name == "model_url"
    if not is_own:
        check_headers(os.environ)
    client = AsyncAnthropic(
        api_key=key,
        auth_token=None if key is not None else settings.auth_token,
        base_url=url,
        max_retries=0,
        open_telemetry=False,  # a collector would be one more place to which something goes
        http_client=async_client(url, settings.address_name),
    )
    if is_own:
        client._custom_headers = {}  # those of ANTHROPIC_CUSTOM_HEADERS may hold a key of Anthropic's
    return client
