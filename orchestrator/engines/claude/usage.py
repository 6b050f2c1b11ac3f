"""What tokens and searches cost: the public service's prices, by the day on which they were read."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any, Final

from orchestrator.spending import CallUsage

PRICES: Final = Path(__file__).with_name("prices.yaml")

_DATED = re.compile(r"-\d{8}$")


def cost_usd(model: str, *, read: int, written: int, new: int, output: int) -> float | None:
    """US dollars for these tokens; None for a model without a known price."""
    prices = _prices()["models"]
    price: Mapping[str, Any] | None = prices.get(model) or prices.get(_DATED.sub("", model))
    if price is None:
        return None
    above = price.get("above")
    if above is not None and read + written + new > above["tokens"]:
        price = above
    dollars = (
        read * price["read"] + written * price["write"] + new * price["input"] + output * price["output"]
    )
    return round(float(dollars) / 1_000_000, 8)


def search_usd(searches: int) -> float:
    """US dollars for so many searches of the web, beside their tokens."""
    return round(searches * float(_prices()["web_search"]) / 1000, 8)


def prices_read_at() -> str:
    """The day on which the prices were read, YYYY-MM-DD."""
    return str(_prices()["read_at"])


def call_usage(agent: str, kind: str, model: str, plain: object, seconds: float, **more: Any) -> CallUsage:
    """A call's record, by the service's own count; what it does not report counts as nothing."""
    told: Mapping[str, Any] = plain if isinstance(plain, Mapping) else {}
    read, written = told.get("cache_read_input_tokens"), told.get("cache_creation_input_tokens")
    new, output = count(told.get("input_tokens")), count(told.get("output_tokens"))
    usage = CallUsage(agent, kind, model, count(read), count(written), new, output, round(seconds, 3), **more)
    cost = cost_usd(model, read=usage.read, written=usage.written, new=new, output=output)
    return replace(usage, cost_usd=cost, reported=read is not None or written is not None)


def count(value: object) -> int:
    """A number that a service reports; 0 for what is none."""
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else 0


@cache
def _prices() -> Mapping[str, Any]:
    import yaml

    loaded: Mapping[str, Any] = yaml.safe_load(PRICES.read_text("utf-8"))
    return loaded
