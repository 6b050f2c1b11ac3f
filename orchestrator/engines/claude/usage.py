"""What a call read, wrote and cost: as the service reports it, held against what the layout promises."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final

PRICES: Final = Path(__file__).with_name("prices.yaml")
TOLERANCE: Final = 0.9
"""A call that reads less than this share of what the meter expects sets off the alarm: the meter
estimates tokens from bytes, and the service counts the output schema too."""

_DATED = re.compile(r"-\d{8}$")


@dataclass(frozen=True, slots=True)
class CallUsage:
    """One call's tokens, cost and time. No word of what was said is in it."""

    agent: str
    kind: str  # of task
    model: str
    read: int  # input tokens from the cache
    written: int  # input tokens put into it
    new: int  # input tokens paid in full
    output: int
    seconds: float
    cost_usd: float | None = None  # None: no price is known for the model
    promised: float = 0.0  # share of the input that the layout lets one expect from the cache
    reported: bool = True  # False: the server says nothing about its cache
    repair: bool = False  # a reply was sent back

    @property
    def input(self) -> int:
        """All input tokens."""
        return self.read + self.written + self.new

    @property
    def alarm(self) -> bool:
        """Fewer tokens were read than the layout promises."""
        return self.reported and self.read < TOLERANCE * self.promised * self.input

    def value(self) -> dict[str, Any]:
        """As a ledger record carries it."""
        return {"type": "call", **asdict(self), "alarm": self.alarm}

    def __str__(self) -> str:
        cost = "cost unknown" if self.cost_usd is None else f"${self.cost_usd:.4f}"
        tokens = f"read {self.read}, written {self.written}, new {self.new}, output {self.output} tokens"
        short = f"; ALARM: the layout promises {self.promised:.0%} read" if self.alarm else ""
        return f"{self.agent} {self.kind} ({self.model}): {tokens}, {cost}, {self.seconds:.1f} s{short}"


@dataclass(frozen=True, slots=True)
class Total:
    """The sum of several calls."""

    calls: int = 0
    read: int = 0
    written: int = 0
    new: int = 0
    output: int = 0
    cost_usd: float | None = 0.0  # None: some model's price is not known
    alarms: int = 0


def total(usages: Iterable[CallUsage]) -> Total:
    """All of them together."""
    listed = list(usages)
    costs = [one.cost_usd for one in listed]
    return Total(
        calls=len(listed),
        read=sum(one.read for one in listed),
        written=sum(one.written for one in listed),
        new=sum(one.new for one in listed),
        output=sum(one.output for one in listed),
        cost_usd=None if None in costs else sum(cost for cost in costs if cost is not None),
        alarms=sum(one.alarm for one in listed),
    )


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


def prices_read_at() -> str:
    """The day on which the prices were read, YYYY-MM-DD."""
    return str(_prices()["read_at"])


@cache
def _prices() -> Mapping[str, Any]:
    import yaml

    loaded: Mapping[str, Any] = yaml.safe_load(PRICES.read_text("utf-8"))
    return loaded
