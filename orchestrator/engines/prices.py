"""What tokens and searches cost: the public service's prices, by the day on which they were read."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from orchestrator.packaged import packaged_yaml

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


def _prices() -> Any:
    return packaged_yaml("engines/prices.yaml")
