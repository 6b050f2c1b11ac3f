"""News from the web, through the service's own search tool: one call a query, each knowing nothing else.

The call holds the query and fixed words, so nothing of a session can get out with it. What comes
back is kept only as far as the service cites it: the source's own words, with title, address and age.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from functools import partial
from itertools import islice
from time import monotonic
from typing import Any, Final

from orchestrator.core.errors import EngineError
from orchestrator.panel.engines.claude.wire import MessagesWire, tokens_of
from orchestrator.panel.engines.model.calls import retried
from orchestrator.panel.engines.model.failures import RefusedError, error_of
from orchestrator.panel.engines.model.received import call_usage, count
from orchestrator.panel.engines.model.schemas import is_text
from orchestrator.panel.engines.model.service import Service
from orchestrator.panel.engines.model.settings import Settings
from orchestrator.panel.engines.model.tasks import prompt
from orchestrator.panel.engines.offers import Found, Searched
from orchestrator.panel.engines.prices import search_usd
from orchestrator.panel.model.usage import CallUsage

TOOL: Final = "web_search_20250305"
"""The basic search, which cites whatever it says. The later ones (`_20260209`, `_20260318`) filter with
code of the model's own, which zero data retention excludes and some platforms do not have."""
DEADLINE_S: Final = 90.0
"""Of one search with its reply and all that it is continued, and of waiting to search again; wall clock."""
MAX_REQUESTS: Final = 5
"""For one query: a turn that the service pauses (`pause_turn`) is sent back for it to go on, four times. Its
own loop makes up to ten steps between two pauses, and a search with one use needs two or three."""
MOST_TOKENS: Final = 4_000
MOST_FOUND: Final = 6
"""Of one query; external-intel is read by every panelist at every call."""
LONGEST_CITED: Final = 1_000
LONGEST_SOURCE: Final = 300


def search(settings: Settings, queries: Sequence[str]) -> Searched:
    """Search for each of *queries*, several at once.

    Raises:
        EngineError: None of them could be searched for; one line.
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
    """A query's findings, what they cost, and what the service or its search tool complained of."""
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
    found = tuple(islice(_found(place, turn), MOST_FOUND))
    failed = (*((why,) if why else ()), *islice(_complaints(turn), 1))
    return Searched(found, tuple(usage), failed)


def _cut(stop: object) -> str | None:
    """Why a turn that stopped so is not whole, and what it found may not be all; None: it is whole."""
    if stop is None:
        return "a search's reply was broken off"
    return {
        "pause_turn": "a search was paused again and again, and given up: what it found by then is kept",
        "max_tokens": f"a search's reply was cut at {MOST_TOKENS} tokens",
        "refusal": "the model declined to search",
        "model_context_window_exceeded": "what a search found is too long for the model",
    }.get(str(stop))


def _is_blank(block: object) -> bool:
    """Whether it is text of white space alone, which the service refuses when it is sent back."""
    return isinstance(block, Mapping) and block.get("type") == "text" and not str(block.get("text")).strip()


async def _asked(
    service: Service, query: str, turn: Sequence[Any], left_s: float
) -> tuple[Mapping[str, Any], float]:
    """The reply as plain values, and the seconds that it took; *turn* is what came before a pause.

    Source: https://platform.claude.com/docs/en/build-with-claude/handling-stop-reasons, "pause_turn".
    """
    settings = service.settings
    asked = {"role": "user", "content": [{"type": "text", "text": f"Search for: {query}\n"}]}
    request = {
        "model": settings.model,
        "max_tokens": MOST_TOKENS,
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
    """Every cited stretch, with its page's age; nothing that is not cited."""
    ages = _ages(turn)
    for block in _blocks(turn, "text"):
        for one in block.get("citations") or ():
            if not isinstance(one, Mapping) or one.get("type") != "web_search_result_location":
                continue
            cited, url, title = (_line(one.get(name)) for name in ("cited_text", "url", "title"))
            if cited and len(cited) <= LONGEST_CITED and url.startswith(("https://", "http://")):
                age = ages.get(url)
                yield Found(place, cited, title[:LONGEST_SOURCE], url[:LONGEST_SOURCE], age)


def _ages(turn: Sequence[Any]) -> dict[str, str]:
    ages = {}
    for block in _blocks(turn, "web_search_tool_result"):
        pages = block.get("content")
        for page in pages if isinstance(pages, list) else ():
            if isinstance(page, Mapping) and (age := _line(page.get("page_age"))):
                ages[_line(page.get("url"))] = age[:LONGEST_SOURCE]
    return ages


def _complaints(turn: Sequence[Any]) -> Iterator[str]:
    """What the tool says instead of results."""
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
    """Text from outside as one line; "" for what no file can hold."""
    return " ".join(value.split()) if isinstance(value, str) and is_text(value) else ""


def _usage(model: str, plain: Mapping[str, Any], seconds: float) -> CallUsage:
    told = plain.get("usage")
    tools = told.get("server_tool_use") if isinstance(told, Mapping) else None
    searches = count(tools.get("web_search_requests")) if isinstance(tools, Mapping) else 0
    usage = call_usage("moderator", "intel", model, tokens_of(told), seconds, searches=searches)
    cost = None if usage.cost_usd is None else round(usage.cost_usd + search_usd(searches), 8)
    return replace(usage, cost_usd=cost, reported=True)
