"""Cash, burn and runway; price, customers and recurring revenue: two of the three give the third."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from orchestrator.checks.amounts import Amount, amounts
from orchestrator.checks.passages import Passage, hypothetical
from orchestrator.claims.model import Tension

_CASH = re.compile(
    r"\b(?:cash (?:position|balance|at hand|on hand|in (?:the )?bank|reserves?)|in (?:the )?bank|in cash|"
    r"cash of|on hand|"
    r"cash\b(?=\W{0,3}(?:is|was|at|:|=|[€$£]))|(?:fund|pot|reserve|budget)\b(?=\W{0,2}\s?(?:of|is|:|has|"
    r"holds|=)))",
    re.IGNORECASE,
)
_BURN = re.compile(
    r"\b(?:burn(?:s|ing|ed)?(?: rate)?|spend(?:s|ing)?|uses?|using|draws?(?: down)?|consum(?:es|ing)|"
    r"outgoings|net outflow|costs?|need(?:s|ed)?|at\b(?=[^.]{0,25}\b(?:a|per|each|every) (?:month|week|"
    r"quarter|year)))\b",
    re.IGNORECASE,
)
_RUNWAY = re.compile(
    r"\b(?:used up|spent|exhausted|empty|gone) (?:after|in|within)\b|\b(?:fund|pot|reserve|budget|money|"
    r"it)\b.{0,40}\b(?:lasts?|is enough for|carries us|covers)\b|\b(?:runway|cash (?:lasts|will last|is "
    r"enough|carries us|takes us))\b|\b(?:lasts|last) (?:us )?(?:for )?(?=\w+ months)",
    re.I,
)
_OTHER_PLAN = re.compile(
    r"\b(?:with (?:the|this|new)|after (?:the|this)|including|post|extend\w*|round|raise|raising|funding|"
    r"new|target|goal|aim|would|will be|"
    r"at least|minimum|reduced?|reducing|cut|cutting|falls?|rises?|was|last year|covenant|gross|peak)\b",
    re.IGNORECASE,
)
_POT = re.compile(r"\b(?:fund|pot|reserve|budget)\b", re.IGNORECASE)
"""Money set aside for one thing: its own slide says how fast it goes."""
_ASIDE = re.compile(r"\([^()]*$")
"""In brackets: another period's, or another way to count."""
_PER: Final = {"month": 1.0, "quarter": 3.0, "year": 12.0, "week": 12 / 52}
_RATE = re.compile(
    r"(?:\b(?:per|a|each|every)\s+|/\s?)(month|quarter|year|week|mo)\b|\b(month|quarter|week|year)ly\b|"
    r"\bannual\b",
    re.IGNORECASE,
)
_SLACK: Final = 0.1  # of the runway: burn is an average, and runways are given in whole months
_LOOSE: Final = 2.0  # months that "two years" may be off
_PER_CUSTOMER = re.compile(
    r"\b(?:per|a|each|every|/)\s?(?P<noun>customer|client|user|seat|subscriber|member|account|site|store|"
    r"household|patient|student|"
    r"licen[cs]e|tenant|school|practice|clinic|device|truck)\b|\b(?:arpu|arpa)\b",
    re.IGNORECASE,
)
_RECURRING = re.compile(
    r"\b(?P<what>mrr|arr|(?:monthly|annual|yearly) recurring revenue|recurring revenue|subscription "
    r"revenue|(?:monthly|annual) (?:revenue|income|fees))\b",
    re.I,
)


@dataclass(frozen=True, slots=True)
class _Said:
    passage: Passage
    amount: Amount
    per_months: float = 1.0


def runway_tensions(passages: Sequence[Passage]) -> Iterator[Tension]:
    """A runway that is not cash ÷ burn, and recurring revenue that is not price × customers.

    Only where each of the three is said once and plainly; a tenth is allowed for averages.
    """
    wide = [p for p in passages if not _POT.search(p.text)]
    yield from _runway(wide)
    for slide in sorted({p.slide for p in passages if p.slide is not None and _POT.search(p.text)}):
        yield from _runway([p for p in passages if p.slide == slide and p.origin != "speech"])
    for slide in sorted({p.slide for p in passages if p.slide is not None and p.origin != "speech"}):
        yield from _recurring([p for p in passages if p.slide == slide and p.origin != "speech"])


def _runway(passages: Sequence[Passage]) -> Iterator[Tension]:
    cash: list[_Said] = []
    burn: list[_Said] = []
    runway: list[_Said] = []
    for passage in passages:
        text = passage.text
        if hypothetical(text) or _OTHER_PLAN.search(text):
            continue
        for amount in amounts(text):
            around = text[max(0, amount.start - 45) : amount.end + 30]
            rate = _rate_of(text, amount)
            if amount.is_money and not amount.vague and not _ASIDE.search(text[: amount.start]):
                if _BURN.search(around) and rate:
                    burn.append(_Said(passage, amount, rate))
                elif _CASH.search(around) and not rate:
                    cash.append(_Said(passage, amount))
            elif amount.unit in ("months", "years") and _RUNWAY.search(text):
                runway.append(_Said(passage, amount, 12.0 if amount.unit == "years" else 1.0))
    if any(
        len({s.amount.value * (s.per_months if s in burn else 1) for s in said}) != 1
        for said in (cash, burn, runway)
    ):
        return
    have, gone, lasts = cash[0], burn[0], runway[0]
    if have.amount.unit != gone.amount.unit:
        return
    low = (have.amount.value - have.amount.half) / ((gone.amount.value + gone.amount.half) / gone.per_months)
    high = (have.amount.value + have.amount.half) / (
        max(1e-9, gone.amount.value - gone.amount.half) / gone.per_months
    )
    stated, half = (
        lasts.amount.value * lasts.per_months,
        min(_LOOSE, 2 * lasts.amount.half * lasts.per_months),
    )
    if stated - half > high * (1 + _SLACK) or stated + half < low * (1 - _SLACK):
        exact = have.amount.value / (gone.amount.value / gone.per_months)
        note = (
            f"{have.amount.text} at {gone.amount.text} {_word(gone.per_months)} lasts {exact:.0f} months, "
            f"not "
            f"{lasts.amount.text}."
        )
        first = have.passage if have.passage != lasts.passage else gone.passage
        yield Tension("rate", first.place, lasts.passage.place, note)


def _word(months: float) -> str:
    return {1.0: "a month", 3.0: "a quarter", 12.0: "a year"}.get(months, "a week")


def _rate_of(text: str, amount: Amount) -> float | None:
    """Months that the amount is for: 1 for "per month"."""
    match = _RATE.search(text[amount.end : amount.end + 30]) or _RATE.search(
        text[max(0, amount.start - 40) : amount.start]
    )
    if match is None:
        return None
    word = (match[1] or match[2] or "year").lower()
    return _PER["month" if word == "mo" else word]


def _recurring(passages: Sequence[Passage]) -> Iterator[Tension]:
    """Price per customer, number of customers and recurring revenue, once each on one slide."""
    prices: list[tuple[_Said, str | None]] = []
    revenue: list[_Said] = []
    counts: list[_Said] = []
    for passage in passages:
        text = passage.text
        if hypothetical(text) or re.search(
            r"\b(?:target|goal|forecast|plan|will|by 20\d\d|grew|growth|new)\b", text, re.I
        ):
            continue
        for amount in amounts(text):
            after = text[amount.end : amount.end + 35]
            around = text[max(0, amount.start - 40) : amount.end + 40]
            if amount.is_money and (
                per := _PER_CUSTOMER.search(after) or re.search(r"\b(arpu|arpa)\b", around, re.I)
            ):
                if rate := _rate_of(text, amount):
                    noun = per.groupdict().get("noun")
                    prices.append((_Said(passage, amount, rate), noun))
            elif amount.is_money and (what := _RECURRING.search(around)):
                word = what["what"].lower()
                months = (
                    1.0
                    if word == "mrr" or word.startswith("month")
                    else 12.0
                    if word == "arr" or word.startswith(("annual", "year"))
                    else _rate_of(text, amount)
                )
                if months:
                    revenue.append(_Said(passage, amount, months))
            elif amount.is_count and amount.noun and not amount.vague:
                counts.append(_Said(passage, amount))
    if len(prices) != 1 or len(revenue) != 1 or prices[0][0].amount.vague or revenue[0].amount.vague:
        return
    price, noun = prices[0]
    own = [c for c in counts if c.amount.noun and (noun or "customer") in c.amount.noun.lower()]
    if len({c.amount.value for c in own}) != 1 or price.amount.unit != revenue[0].amount.unit:
        return
    product = price.amount.value / price.per_months * own[0].amount.value
    stated = revenue[0].amount.value / revenue[0].per_months
    slack = (
        _SLACK * product + price.amount.half * own[0].amount.value / price.per_months + revenue[0].amount.half
    )
    if abs(product - stated) > slack and max(product, stated) < 20 * min(product, stated):
        note = (
            f"{own[0].amount.text} × {price.amount.text} {_word(price.per_months)} is "
            f"{product * revenue[0].per_months:,.6g} {_word(revenue[0].per_months)}, not "
            f"{revenue[0].amount.text}."
        )
        yield Tension("rate", price.passage.place, revenue[0].passage.place, note)
