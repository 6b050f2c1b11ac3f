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

from orchestrator.engines.claude.calls import exchanged, retried
from orchestrator.engines.claude.failures import said_by, status_error
from orchestrator.engines.claude.received import call_usage, count
from orchestrator.engines.claude.schemas import is_text
from orchestrator.engines.claude.service import Service
from orchestrator.engines.claude.settings import Settings
from orchestrator.engines.claude.tasks import prompt
from orchestrator.engines.offers import Found, Searched
from orchestrator.engines.prices import search_usd
from orchestrator.errors import EngineError
from orchestrator.model.usage import CallUsage

TOOL: Final = "web_search_20250305"
"""The basic search, which cites whatever it says. The later ones (`_20260209`, `_20260318`) filter with
code of the model's own, which zero data retention excludes and some platforms do not have."""
DEADLINE_S: Final = 90.0
"""Of one search with its reply, and of waiting to search again; wall clock."""
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
    settings = service.settings
    try:
        plain, seconds = await retried(settings, partial(_asked, service, query), monotonic() + DEADLINE_S)
    except TimeoutError:
        return Searched((), (), (f"{settings.where} gave no reply within {DEADLINE_S:g} s",))
    except EngineError as error:
        return Searched((), (), (str(error),))
    found = tuple(islice(_found(place, plain), MOST_FOUND))
    return Searched(found, (_usage(settings.model, plain, seconds),), tuple(_complaints(plain))[:1])


async def _asked(service: Service, query: str) -> tuple[Mapping[str, Any], float]:
    """The reply as plain values, and the seconds that it took."""
    import anthropic

    settings, began_s = service.settings, monotonic()
    request = {
        "model": settings.model,
        "max_tokens": MOST_TOKENS,
        "system": [{"type": "text", "text": "\n".join(prompt("search"))}],
        "messages": [{"role": "user", "content": [{"type": "text", "text": f"Search for: {query}\n"}]}],
        "tools": [{"type": TOOL, "name": "web_search", "max_uses": 1}],
    }
    try:
        async with service.in_flight, asyncio.timeout(DEADLINE_S):
            return await exchanged(service, request), monotonic() - began_s
    except anthropic.APIStatusError as error:
        is_about_tools = re.search(r"tool|web.search", said_by(error))
        if error.status_code in (400, 404, 422) and is_about_tools:
            raise EngineError(f"{settings.where} has no web search") from None
        raise status_error(error, settings, settings.model) from None


# ---------------------------------------------------------------------- what came back


def _found(place: int, plain: Mapping[str, Any]) -> Iterator[Found]:
    """Every cited stretch, with its page's age; nothing that is not cited."""
    ages = _ages(plain)
    for block in _blocks(plain, "text"):
        for one in block.get("citations") or ():
            if not isinstance(one, Mapping) or one.get("type") != "web_search_result_location":
                continue
            cited, url, title = (_line(one.get(name)) for name in ("cited_text", "url", "title"))
            if cited and len(cited) <= LONGEST_CITED and url.startswith(("https://", "http://")):
                age = ages.get(url)
                yield Found(place, cited, title[:LONGEST_SOURCE], url[:LONGEST_SOURCE], age)


def _ages(plain: Mapping[str, Any]) -> dict[str, str]:
    ages = {}
    for block in _blocks(plain, "web_search_tool_result"):
        pages = block.get("content")
        for page in pages if isinstance(pages, list) else ():
            if isinstance(page, Mapping) and (age := _line(page.get("page_age"))):
                ages[_line(page.get("url"))] = age[:LONGEST_SOURCE]
    return ages


def _complaints(plain: Mapping[str, Any]) -> Iterator[str]:
    """What the tool says instead of results."""
    for block in _blocks(plain, "web_search_tool_result"):
        content = block.get("content")
        if isinstance(content, Mapping) and content.get("type") == "web_search_tool_result_error":
            code = str(content.get("error_code"))
            yield f"a search failed ({code.replace('_', ' ')[:60]})"


def _blocks(plain: Mapping[str, Any], kind: str) -> Iterator[Mapping[str, Any]]:
    for block in plain["content"]:
        if isinstance(block, Mapping) and block.get("type") == kind:
            yield block


def _line(value: object) -> str:
    """Text from outside as one line; "" for what no file can hold."""
    return " ".join(value.split()) if isinstance(value, str) and is_text(value) else ""


def _usage(model: str, plain: Mapping[str, Any], seconds: float) -> CallUsage:
    told = plain.get("usage")
    tools = told.get("server_tool_use") if isinstance(told, Mapping) else None
    searches = count(tools.get("web_search_requests")) if isinstance(tools, Mapping) else 0
    usage = call_usage("moderator", "intel", model, told, seconds, searches=searches)
    cost = None if usage.cost_usd is None else round(usage.cost_usd + search_usd(searches), 8)
    return replace(usage, cost_usd=cost, reported=True)
