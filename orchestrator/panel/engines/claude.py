"""The wire of the Messages API, and web search through the service's own tool, with one call for each query.

A call of a search contains its query and fixed words but nothing of the session, so nothing else can leak.
Only those results are stored that the service cites: the source's own words, with title, address and age.
"""

from __future__ import annotations

import asyncio
import json
import logging
import os
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from functools import partial
from importlib import import_module
from itertools import islice
from time import monotonic
from typing import TYPE_CHECKING, Any, Final

from orchestrator.core.context.messages import Messages, TextBlock
from orchestrator.core.errors import EngineError
from orchestrator.core.outbound.environment import check_headers, check_key
from orchestrator.panel.engines.model.failures import RefusedError, UnusableError, error_of
from orchestrator.panel.engines.model.received import (
    MAX_TEXT,
    Received,
    Tokens,
    call_usage,
    count,
    model_name,
    tool_uses,
)
from orchestrator.panel.engines.model.schemas import Reply, is_text, schema_of
from orchestrator.panel.engines.model.service import Service, retried
from orchestrator.panel.engines.model.settings import API, MESSAGES, PUBLIC_URL, Settings
from orchestrator.panel.engines.model.tasks import OnPartial, Outgoing, Task, Turns, prompt
from orchestrator.panel.engines.model.wire import (
    SHORT_MAX_TOKENS,
    Growing,
    SdkWire,
    most_tokens,
    plain_of,
    told_plainly,
)
from orchestrator.panel.engines.prices import search_usd
from orchestrator.panel.engines.protocol import Found, Searched
from orchestrator.panel.model.usage import CallUsage

if TYPE_CHECKING:
    from anthropic import AsyncAnthropic
    from anthropic.types import Message


# ---------------------------------------------------------------------- wire
# The wire of the Messages API: Anthropic's service, and every server that speaks as it does.
#
# A service that lacks a feature is asked without it; what that is for each is all in this file.


FEATURES: Final = ("blocks", "schemas", "effort", "tools", "cache", "length")
"""Features that a server may lack.

These are content as a list of blocks, output schemas, effort, tools, cache marks (which are set on blocks),
and room for a long reply.
"""

_ECHOED: Final[Mapping[str, tuple[str, ...]]] = {
    "text": ("text",),
    "thinking": ("thinking", "signature"),
    "redacted_thinking": ("data",),
    "tool_use": ("id", "name", "input"),
}
"""Types of blocks, with their keys, that are sent back when tools are answered.

Thinking goes back unchanged.
"""


class MessagesWire(SdkWire["AsyncAnthropic"]):
    """A wire to one service, whose client is made at the first call, in the service's thread."""

    api = API[MESSAGES]
    sdk = "anthropic"
    features = FEATURES

    def _made(self) -> AsyncAnthropic:
        return _client(self._settings)

    def outgoing(self, task: Task, turns: Turns, knows: Collection[str]) -> Outgoing:
        """Do what `Wire.outgoing` says."""
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
        """Do what `Wire.lacking` says; `effort` is a setting that not every model has."""
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
        """Do what `Wire.sent` says."""
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
                    if length > MAX_TEXT:  # the SDK copies all of it at every event
                        what = f"more than {MAX_TEXT} characters, which no task asks for"
                        raise EngineError(f"{self._settings.where} sent {what}")
                if event.type == "text":
                    growing.add(event.text)
            return await stream.get_final_message()

    def received(self, plain: Mapping[str, Any]) -> Received:
        """Do what `Wire.received` says."""
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
        """Do what `Wire.window` says.

        Anthropic's own service is not asked, since its models have room for any rehearsal.
        """
        return None if self._settings.is_public else await super().window(model)


def tokens_of(usage: object) -> Tokens:
    """Return a message's usage; counts that it does not report are 0."""
    told: Mapping[str, Any] = usage if isinstance(usage, Mapping) else {}
    read, written = told.get("cache_read_input_tokens"), told.get("cache_creation_input_tokens")
    is_told = read is not None or written is not None
    new, output = told.get("input_tokens"), told.get("output_tokens")
    return Tokens(count(read), count(written), count(new), count(output), is_told)


def _message(message: object) -> dict[str, Any]:
    """Return an SDK message as plain values, only with the keys that came, so that it can be sent back."""
    plain = plain_of(message)
    if not isinstance(plain.get("content"), list):
        raise UnusableError("the reply is not a message")
    return plain


def _length(delta: object) -> int:
    """Count the characters that a delta adds to the message: to its text, thought or arguments."""
    return sum(len(value) for name, value in vars(delta).items() if name != "type" and isinstance(value, str))


def _echoed(blocks: Sequence[Mapping[str, Any]]) -> Iterator[dict[str, Any]]:
    for block in blocks:
        keys = _ECHOED.get(str(block.get("type")))
        if keys is None or (block["type"] == "text" and not str(block.get("text")).strip()):
            continue  # the service refuses a text of white space alone
        yield {"type": block["type"], **{key: block.get(key) for key in keys}}


def _messages(task: Task, knows: Collection[str]) -> Messages:
    """Return the task's messages, without cache marks if the service does not accept them."""
    whole = task.messages
    if "cache" in knows:
        return whole
    system, user = (
        tuple(replace(block, marked=False) for block in part) for part in (whole.system, whole.user)
    )
    return replace(whole, system=system, user=user)


def _as_text(plain: Mapping[str, Any]) -> dict[str, Any]:
    """Turn messages into plain text; a turn that uses tools, or answers them, stays as it is."""
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


# ---------------------------------------------------------------------- searching


TOOL: Final = "web_search_20250305"
"""The basic search tool, which cites everything that it says.

The later tools (`_20260209`, `_20260318`) filter with code of the model's own, which zero data retention
excludes and some platforms do not have.
"""
DEADLINE_S: Final = 90.0
"""Wall-clock seconds for one search with its reply, its continuations, and the waits before it is tried
again.
"""
MAX_REQUESTS: Final = 5
"""Maximum number of requests for one query.

A turn that the service pauses (`pause_turn`) is sent back so that it goes on, up to four times. The service's
own loop takes up to ten steps between two pauses, and a search with one use needs two or three.
"""
MAX_TOKENS: Final = 4_000
MAX_FOUND: Final = 6
"""Maximum number of findings of one query, since every panelist reads external-intel at every call."""
MAX_CITED: Final = 1_000
MAX_SOURCE: Final = 300


def search(settings: Settings, queries: Sequence[str]) -> Searched:
    """Search for each of *queries*, several at once.

    Raises:
        EngineError: None of the queries could be searched for; the message is one line.
    """
    with closing(Service(settings)) as service:
        return service.submit(_all(service, queries)).result()


async def _all(service: Service, queries: Sequence[str]) -> Searched:
    results = await asyncio.gather(*(_one(service, place, query) for place, query in enumerate(queries)))
    results.sort(key=lambda one: len(one.usage))  # those that brought nothing at all say so first
    failed = tuple(dict.fromkeys(why for one in results for why in one.failed))
    usage = tuple(used for one in results for used in one.usage)
    if failed and not usage:
        raise EngineError(failed[0])
    found: dict[tuple[str, str], Found] = {}  # a stretch that several queries bring counts once
    for item in (item for one in results for item in one.found):
        found.setdefault((item.cited, item.url), item)
    return Searched(tuple(found.values()), usage, failed)


async def _one(service: Service, place: int, query: str) -> Searched:
    """Search for one query; return its findings, their cost, and errors of the service or its search tool."""
    model = service.settings.model
    turn: list[Any] = []  # the blocks of the one turn, over all its requests
    usage: list[CallUsage] = []
    why = None
    while True:
        left_s = DEADLINE_S - sum(used.seconds for used in usage)
        try:
            attempt = partial(_asked, service, query, turn, left_s)
            plain, seconds = await retried(service.settings, attempt, monotonic() + left_s)
        except EngineError as error:
            why = f"a search was cut short: {error}" if turn else str(error)
            break
        usage.append(_usage(model, plain, seconds))
        turn += [block for block in plain["content"] if not _is_blank(block)]
        why = _cut(plain.get("stop_reason"))
        if plain.get("stop_reason") != "pause_turn" or not turn or len(usage) == MAX_REQUESTS:
            break
    found = tuple(islice(_found(place, turn), MAX_FOUND))
    failed = (*((why,) if why else ()), *islice(_complaints(turn), 1))
    return Searched(found, tuple(usage), failed)


def _cut(stop: object) -> str | None:
    """Return why a turn with this stop reason is incomplete, or None if it is complete."""
    if stop is None:
        return "a search's reply was broken off"
    return {
        "pause_turn": "a search was paused again and again, and given up: what it found by then is kept",
        "max_tokens": f"a search's reply was cut at {MAX_TOKENS} tokens",
        "refusal": "the model declined to search",
        "model_context_window_exceeded": "what a search found is too long for the model",
    }.get(str(stop))


def _is_blank(block: object) -> bool:
    """Return whether a block is only white space, which the service refuses when the block is sent back."""
    return isinstance(block, Mapping) and block.get("type") == "text" and not str(block.get("text")).strip()


async def _asked(
    service: Service, query: str, turn: Sequence[Any], left_s: float
) -> tuple[Mapping[str, Any], float]:
    """Send one request of a search; return the reply as plain values, and the seconds that it took.

    *turn* contains the blocks that came before a pause.

    Source: https://platform.claude.com/docs/en/build-with-claude/handling-stop-reasons, "pause_turn".
    """
    settings = service.settings
    asked = {"role": "user", "content": [{"type": "text", "text": f"Search for: {query}\n"}]}
    request = {
        "model": settings.model,
        "max_tokens": MAX_TOKENS,
        "system": [{"type": "text", "text": "\n".join(prompt("search"))}],
        "messages": [asked, *([{"role": "assistant", "content": list(turn)}] if turn else [])],
        "tools": [{"type": TOOL, "name": "web_search", "max_uses": 1}],
    }
    try:
        async with service.in_flight:
            began_s = monotonic()
            async with asyncio.timeout(left_s):
                return await service.wire.sent(request), monotonic() - began_s
    except TimeoutError:
        raise EngineError(f"{settings.where} gave no reply within {DEADLINE_S:g} s") from None
    except RefusedError as refusal:
        is_about_tools = re.search(r"tool|web.search", refusal.said)
        if refusal.status in (400, 404, 422) and is_about_tools:
            raise EngineError(f"{settings.where} has no web search") from None
        raise error_of(refusal, settings, settings.model, MessagesWire.api) from None


# ---------------------------------------------------------------------- what came back


def _found(place: int, turn: Sequence[Any]) -> Iterator[Found]:
    """Yield every cited stretch of text with the age of its page; text that is not cited is left out."""
    ages = _ages(turn)
    for block in _blocks(turn, "text"):
        for one in block.get("citations") or ():
            if not isinstance(one, Mapping) or one.get("type") != "web_search_result_location":
                continue
            cited, url, title = (_line(one.get(name)) for name in ("cited_text", "url", "title"))
            if cited and len(cited) <= MAX_CITED and url.startswith(("https://", "http://")):
                age = ages.get(url)
                yield Found(place, cited, title[:MAX_SOURCE], url[:MAX_SOURCE], age)


def _ages(turn: Sequence[Any]) -> dict[str, str]:
    ages = {}
    for block in _blocks(turn, "web_search_tool_result"):
        pages = block.get("content")
        for page in pages if isinstance(pages, list) else ():
            if isinstance(page, Mapping) and (age := _line(page.get("page_age"))):
                ages[_line(page.get("url"))] = age[:MAX_SOURCE]
    return ages


def _complaints(turn: Sequence[Any]) -> Iterator[str]:
    """Yield the errors that the search tool reports instead of results."""
    for block in _blocks(turn, "web_search_tool_result"):
        content = block.get("content")
        if isinstance(content, Mapping) and content.get("type") == "web_search_tool_result_error":
            code = str(content.get("error_code"))
            yield f"a search failed ({code.replace('_', ' ')[:60]})"


def _blocks(turn: Sequence[Any], kind: str) -> Iterator[Mapping[str, Any]]:
    for block in turn:
        if isinstance(block, Mapping) and block.get("type") == kind:
            yield block


def _line(value: object) -> str:
    """Return text from outside as one line, or "" if it is not text that a file can store."""
    return " ".join(value.split()) if isinstance(value, str) and is_text(value) else ""


def _usage(model: str, plain: Mapping[str, Any], seconds: float) -> CallUsage:
    told = plain.get("usage")
    tools = told.get("server_tool_use") if isinstance(told, Mapping) else None
    searches = count(tools.get("web_search_requests")) if isinstance(tools, Mapping) else 0
    usage = call_usage("moderator", "intel", model, tokens_of(told), seconds, searches=searches)
    cost = None if usage.cost_usd is None else round(usage.cost_usd + search_usd(searches), 8)
    return replace(usage, cost_usd=cost, reported=True)
