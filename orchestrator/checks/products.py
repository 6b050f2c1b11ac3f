"""Totals that do not follow from a rate and how often or how long, wherever on a slide the three stand.

A small dimensional analysis: "1,200 loaves per hour", "2 shifts of 8 hours" and "22,400 loaves a
day" each have a dimension, and a chain of factors that cancels to the dimension of the total
must give the total.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from orchestrator.checks.calendar_words import Calendar, calendar_of
from orchestrator.checks.dimensions import ANY, COUNT, IN_MINUTES, SHARE, TIME, TIMES
from orchestrator.checks.roots import roots
from orchestrator.checks.said import Said
from orchestrator.claims.model import Tension
from orchestrator.claims.units import is_currency

_LONGEST: Final = 3
"""Factors beside the rate: hours a shift, shifts a day, days a year."""
_SLACK: Final = 0.02
_FARTHEST: Final = 3.0
"""Times: a total further off belongs to something else."""
_MOST_WAYS: Final = 4
_TOTAL = re.compile(
    r"\b(?:total\w*|in all|altogether|together|overall|makes?|making|means?|that is|comes? to|adds? up|sum|"
    r"whole|entire|full|all|so|thus|result\w*|which gives|over the)\b|[=→]",
    re.IGNORECASE,
)
_LASTS = re.compile(r"\b(?:lasts?|is enough for|runs out after|used up (?:after|in))\b", re.IGNORECASE)
_MONEY_TOTAL = re.compile(
    r"\b(?:income|revenues?|takings|turnover|sales|costs?|spend\w*|spent|bill|fees?|proceeds|receipts|"
    r"expens\w+|"
    r"earn\w*|brings?|raised)\b",
    re.IGNORECASE,
)
_YEAR = re.compile(
    r"\b(?:19|20)\d\d\b|\b(?:this|last|the|per|a|whole|past|full) year\b|\byearly\b|\bannual", re.I
)


_IN_A_YEAR = re.compile(
    r"\b(?:per|a|over the|in the|for the|whole|full|this|last|each|every) year\b(?! (?:before|earlier|ago))|"
    r"\b(?:yearly|annual\w*|p\.a\.|(?:19|20)\d\d)",
    re.I,
)


@dataclass(frozen=True, slots=True)
class _Product:
    low: float
    high: float
    per: tuple[str, ...]
    over: str | None
    factors: tuple[Said, ...]
    usable: bool
    words: tuple[str, ...] = ()  # of the calendar: "365 days"


def product_tensions(
    title: str, lines: Sequence[str], said: Sequence[Said], others: Sequence[Said] = ()
) -> Iterator[Tension]:
    """Totals among *said* (and *others*, of other slides) that no chain of factors of *said* gives.

    Silent where any choice of factors agrees, and where two rates of one dimension differ.
    """
    calendar = calendar_of((title, *lines))
    lasting = [one for one in others if one.what == TIME and _LASTS.search(one.passage.text)]
    said, others = (*said, *lasting), [one for one in others if one not in lasting]
    rates = [one for one in said if one.per and one.what != SHARE]
    products = [p for rate in rates for p in _chains(_start(rate), said, calendar)]
    if not products:
        return
    told: set[str] = set()
    for total in (*said, *others):
        if not total.usable or total.what == SHARE or total.mean or total.passage.text in told:
            continue
        fitting = [p for p in products if _fits(p, total)]
        if tension := _against(total, fitting, [*said, *others], rates):
            told.add(total.passage.text)
            yield tension


def _start(rate: Said) -> _Product:
    return _Product(rate.low, rate.high, rate.per, rate.over, (rate,), rate.usable)


def _chains(product: _Product, pool: Sequence[Said], calendar: Calendar) -> Iterator[_Product]:
    if len(product.factors) + len(product.words) > 1:
        yield product
    if len(product.factors) + len(product.words) > _LONGEST:
        return
    for at, unit in enumerate(product.per):
        rest = product.per[:at] + product.per[at + 1 :]
        for factor in pool:
            if factor not in product.factors and (
                times := _times(unit, factor, pool, calendar, product.factors[0])
            ):
                per = tuple(dict.fromkeys((*rest, *_own_per(factor, unit))))
                over = product.over or factor.over
                usable = product.usable and factor.usable
                new = _Product(
                    product.low * times[0], product.high * times[1], per, over,
                    (*product.factors, factor), usable, product.words,
                )  # fmt: skip
                yield from _chains(new, pool, calendar)
        for larger, low, high, words in calendar.steps(unit):
            if words not in product.words:
                new = _Product(
                    product.low * low, product.high * high, (*rest, larger), product.over,
                    product.factors, product.usable, (*product.words, words),
                )  # fmt: skip
                yield from _chains(new, pool, calendar)


def _own_per(factor: Said, unit: str) -> tuple[str, ...]:
    if factor.per or factor.over is not None:
        return factor.per
    return ("day",) if unit == "shift" else ()


def _times(
    unit: str, factor: Said, pool: Sequence[Said], calendar: Calendar, rate: Said
) -> tuple[float, float] | None:
    """How many of *unit* the factor is; None where it is none."""
    if f"{unit}s" in IN_MINUTES:
        if factor.what == COUNT and TIMES.get(factor.head or "") == unit:
            return factor.low, factor.high
        if factor.what != TIME or factor.mean or ANY in factor.per:
            return None
        return calendar.in_unit(factor.low, factor.high, factor.amount.unit or "", unit)
    if factor.what == unit:  # hectares
        return factor.low, factor.high
    if factor.what != COUNT:
        return None
    if unit == ANY:
        beside = [one for one in pool if one.passage == rate.passage and one.what == COUNT and one.head
                  and one.amount.end <= rate.amount.start]  # fmt: skip
        if beside:  # "18 lorries, each spreading 6 tonnes"
            return (factor.low, factor.high) if factor == beside[-1] else None
        counts = {one.value for one in pool if one.what == COUNT and one.head and one.usable}
        alone = factor.head is not None and (len(counts) == 1 or factor.value == max(counts, default=0))
        return (factor.low, factor.high) if alone and factor.value >= 5 else None
    if unit in (factor.head, *(factor.nouns if factor.head is None else ())):
        return factor.low, factor.high
    return None


def _fits(product: _Product, total: Said) -> bool:
    """The total has the product's dimension, and names the same things."""
    rate = product.factors[0]
    if total in product.factors or total.what != rate.what:
        return False
    scope = total.per or ((total.over,) if total.over else ())
    wanted = product.per or ((product.over,) if product.over else ())
    if set(scope) != set(wanted) and not _is_yearly(wanted, scope, total) and (total.per or product.per):
        return False
    if product.over and total.over and product.over != total.over:
        return False
    if rate.what == COUNT:
        things = rate.nouns if rate.head != "time" else roots(rate.passage.text)
        return total.head in things if total.head else bool(rate.head in total.nouns)
    if rate.what == TIME:
        return total.amount.unit in ("hours", "days") and total.value > rate.value
    return True


def _is_yearly(wanted: Sequence[str], scope: Sequence[str], total: Said) -> bool:
    return tuple(wanted) == ("year",) and not scope


def _against(
    total: Said, fitting: Sequence[_Product], said: Sequence[Said], rates: Sequence[Said]
) -> Tension | None:
    if not fitting or any(_agree(p, total) for p in fitting):
        return None
    alike = [s for s in said if s.what == total.what and s.head == total.head and s.value != total.value]
    if any(_fits(p, other) and _agree(p, other) for p in fitting for other in alike if other.usable):
        return None  # the product is there: this total is of something else
    certain = [p for p in fitting if p.usable and _is_tied(p, total, alone=len(alike) == 0)]
    if not certain or len({round(p.low, 6) for p in fitting}) > _MOST_WAYS:
        return None
    product = min(certain, key=lambda p: len(p.factors) + len(p.words))
    rate, middle = product.factors[0], (product.low + product.high) / 2
    if rate.what != COUNT and any(_distance(middle, other) < _distance(middle, total) for other in alike
                                  if _fits(product, other)):  # fmt: skip
        return None  # another total, of which no noun says what it is of, is nearer
    if any(_is_rival(rate, other, total) for other in rates if other is not total):
        return None
    if not 1 / _FARTHEST < middle / total.value < _FARTHEST:
        return None
    factors = [one.amount.text for one in product.factors] + list(product.words)
    note = f"{' × '.join(factors)} is {_plain(middle, total)}, not {total.amount.text}."
    lasting = [f for f in product.factors if f.what == TIME and _LASTS.search(f.passage.text)]
    if lasting and lasting[0].passage.place != total.passage.place:
        return Tension("rate", total.passage.place, lasting[0].passage.place, note)
    first = rate if rate.passage.place != total.passage.place else product.factors[-1]
    return Tension("rate", first.passage.place, total.passage.place, note)


def _is_rival(rate: Said, other: Said, total: Said) -> bool:
    """Another rate of the same things: the total may be of both."""
    if other.what != rate.what or other.head != rate.head or other.value == rate.value:
        return False
    return other.per == rate.per or (rate.what == COUNT and set(other.per) != set(total.per))


def _distance(value: float, total: Said) -> float:
    return abs(math.log(value / total.value))


def _agree(product: _Product, total: Said) -> bool:
    return product.low * (1 - _SLACK) <= total.high and total.low <= product.high * (1 + _SLACK)


def _is_tied(product: _Product, total: Said, *, alone: bool) -> bool:
    """Sentence, list or label say that the total is that of the rate."""
    text, rate = total.passage.text, product.factors[0]
    elsewhere = total.passage.slide != rate.passage.slide
    if ANY in rate.per and elsewhere:
        return False
    if is_currency(rate.what):
        named = rate.nouns & total.words or product.factors[-1].nouns & total.words
        return not elsewhere and bool(named) and bool(_MONEY_TOTAL.search(text) or _TOTAL.search(text))
    if rate.what == TIME:
        return not elsewhere and (alone or bool(total.per) or bool(_TOTAL.search(text)) or rate.mean)
    if total.per or total.over:
        return not elsewhere or "year" in (*total.per, total.over)
    if product.per:
        by_month = any("month" in w for w in product.words) and not any("day" in w for w in product.words)
        return not by_month or bool(_IN_A_YEAR.search(text))
    return not elsewhere and (bool(_TOTAL.search(text)) or rate.what != COUNT)


def _plain(minutes_or_number: float, total: Said) -> str:
    value = (
        minutes_or_number / IN_MINUTES[total.amount.unit or ""] if total.what == TIME else minutes_or_number
    )
    if total.what not in (COUNT, TIME) and total.amount.value:
        value *= total.amount.value / total.value
    return f"{value:,.4g}" if value < 10_000 else f"{value:,.0f}"
