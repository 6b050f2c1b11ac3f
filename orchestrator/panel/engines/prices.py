"""The prices of tokens and searches at the public service, with the day on which they were read."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from orchestrator.core.packaged import packaged_yaml

_DATED = re.compile(r"-\d{8}$")
_RECORDED: Final = (960, 243)
_LIVE: Final = (1_738, 292)
"""Thousands of tokens read from the cache, and written to it, in a live rehearsal.

It lasts 30 minutes, with 18 slides, three panelists and twelve exchanges (`scripts/bench caching`; models.md,
"What it costs"). Tokens that are neither read nor written are counted as written, at 0.8 of their number,
since they cost 0.8 as much.
"""


def cost_usd(model: str, *, read: int, written: int, new: int, output: int) -> float | None:
    """Return the cost of these tokens in US dollars, or None for a model without a known price."""
    price = _price_of(model)
    if price is None:
        return None
    above = price.get("above")
    if above is not None and read + written + new > above["tokens"]:
        price = above
    dollars = (
        read * price["read"] + written * price["write"] + new * price["input"] + output * price["output"]
    )
    return round(float(dollars) / 1_000_000, 8)


def rehearsal_usd(model: str) -> tuple[float, float] | None:
    """Estimate the cost in US dollars of a rehearsal's input, recorded and live.

    Return None without a known price. Output costs more on top, since its length is not known in advance.
    """
    price = _price_of(model)
    if price is None:
        return None
    recorded, live = (
        (read * price["read"] + written * price["write"]) / 1000 for read, written in (_RECORDED, _LIVE)
    )
    return round(recorded, 2), round(live, 2)


def search_usd(searches: int) -> float:
    """Return the cost in US dollars of this number of web searches, without their tokens."""
    return round(searches * float(_prices()["web_search"]) / 1000, 8)


def prices_read_at() -> str:
    """Return the day on which the prices were read, YYYY-MM-DD."""
    return str(_prices()["read_at"])


def _price_of(model: str) -> Mapping[str, Any] | None:
    prices = _prices()["models"]
    found: Mapping[str, Any] | None = prices.get(model) or prices.get(_DATED.sub("", model))
    return found


def _prices() -> Any:
    return packaged_yaml("panel/engines/prices.yaml")
