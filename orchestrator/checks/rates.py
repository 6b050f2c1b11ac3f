"""A rate, how long or how often it applies, and a total that is not their product."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from orchestrator.checks.amounts import Amount, amounts
from orchestrator.checks.derived import derived_tensions
from orchestrator.checks.model import Figure
from orchestrator.checks.passages import (
    Passage,
    deck_passages,
    hypothetical,
    shown,
    slide_passages,
    speech_passages,
)
from orchestrator.checks.rate_tables import PER_YEAR, SLACK, table_rates
from orchestrator.checks.rate_units import in_unit, rate_unit
from orchestrator.checks.runway import runway_tensions
from orchestrator.checks.table_sums import is_total
from orchestrator.claims.model import Place, Tension
from orchestrator.deck.model import Deck, Slide
from orchestrator.speech.model import Segment

_PER_THING = re.compile(
    r"\s*(?:(?:each|apiece|a piece|per piece|per unit|a head|per head|per capita)\b|"
    r"(?:per|a|an|for each|for every|/)\s?(?P<noun>(?!day|week|month|quarter|year|hour|minute|annum|second|"
    r"mo\b|yr\b)[a-z-]+(?:\s[a-z]+)?)\b)",
    re.IGNORECASE,
)
_AT = re.compile(
    r"(?:\b(?:at|costing|priced at)\b|[@×x*à])\s*(?:only |just |a |an average of )*$", re.IGNORECASE
)
_PRICED = re.compile(r"\b([a-z]{3,}s)\s+(?:of|at|worth|for)\s+$", re.IGNORECASE)
"""What a price right behind it is for."""
_TOTALLED = re.compile(
    r"(?:[=→:,(–—]|\b(?:totals?|totall?ing|total(?: of)?|in total|comes? to|coming to|makes?|making|"
    r"amounts? to|gives?|giving|adds? up to|"
    r"or|sum(?:s)? (?:up )?to|altogether|that is|i\.e\.|for|so|cost(?:s|ing)?|budget(?: of)?|is|are|means?|"
    r"equals?|together|about)\b)\s*"
    r"(?:that is |a |in |the |all |total(?: of| cost of| budget of)? |us |of |up |to |year |together |"
    r"altogether |budget of |cost of |sum of )*$",
    re.IGNORECASE,
)
_TOTAL_WORD = re.compile(r"\b(?:total|in all|altogether|sum|together|overall)\b", re.IGNORECASE)
_NO_PRODUCT = re.compile(
    r"\b(?:growth|grew|grow|rise[sn]?|rose|from|up|down|increase[ds]?|increasing|decreas\w+|than|instead|"
    r"versus|vs|compared|plus|"
    r"minus|discount|including|includes|excluding|average|first|initial|setup|set-up|one-off|deposit|"
    r"save[sd]?|savings?|on top|"
    r"reduc\w+|target|after|before|additional|except|free|ramp\w*|starting|up to|at least|then|of which|net|"
    r"between|some|depending|already|so far|remaining|left|last|previous|mostly|over budget)\b",
    re.IGNORECASE,
)
_FARTHEST: Final = 30.0  # times: a total further off belongs to something else


def rate_tensions(
    deck: Deck, figures: Sequence[Figure] = (), speech: Sequence[Segment] = ()
) -> Iterator[Tension]:
    """Totals that are not rate × time, price × count, or cash ÷ burn, where all three are plainly said.

    Rounding of each of the three is allowed for. Silent where the sentence speaks of a
    change, a discount, a first part or anything that the product would have to know.
    """
    told: set[Place] = set()
    for passage in (*deck_passages(deck), *speech_passages(speech)):
        for tension in _in_sentence(passage):
            told.add(tension.b)
            yield tension
    for slide in shown(deck):
        for tension in _on_lines(slide):
            told.add(tension.b)
            yield tension
        for table in slide.tables:
            yield from table_rates(slide, table)
    yield from (tension for tension in derived_tensions(deck) if tension.b not in told)
    yield from runway_tensions((*deck_passages(deck), *speech_passages(speech)))


def _in_sentence(passage: Passage) -> Iterator[Tension]:
    text = passage.text
    found = amounts(text)
    if (
        not 3 <= len(found) <= 4
        or hypothetical(text)
        or _NO_PRODUCT.search(text)
        or any(a.vague for a in found)
    ):
        return
    for rate in found:
        unit = rate_unit(text, rate)
        others = [a for a in found if a is not rate]
        if unit and rate.is_money and (triple := _counted_rate(text, rate, others)):
            count, total, factor = triple
            yield from _compare(passage.place, passage.place, rate, count, (count.value * factor, 0.0), total)
            return
        if unit and not rate.is_time:
            others = [_working_days(a) for a in others]
            times = [a for a in others if a.is_time and in_unit(a, unit)]
            totals = [
                a
                for a in others
                if a.unit == rate.unit and a.noun in (rate.noun, None) and _is_total(text, a, found)
            ]
            if len(times) == len(totals) == 1 and len(found) == 3 and not rate_unit(text, totals[0]):
                yield from _compare(
                    passage.place, passage.place, rate, times[0], in_unit(times[0], unit), totals[0]
                )
        elif rate.is_money and _is_price(text, rate):
            counts = [a for a in others if (a.is_count and not a.scaled) or (a.is_count and a.noun)]
            totals = [a for a in others if a.unit == rate.unit and _is_total(text, a, found)]
            if len(counts) == len(totals) == 1 and len(found) == 3 and _is_for(text, rate, counts[0]):
                yield from _compare(
                    passage.place, passage.place, rate, counts[0], (counts[0].value, 0.0), totals[0]
                )


def _working_days(amount: Amount) -> Amount:
    """ "250 working days" are counted, and they are days."""
    if (
        amount.is_count
        and amount.noun
        and re.fullmatch(r"(?:working|business|opening|school) days", amount.noun, re.I)
    ):
        return replace(amount, unit="days", noun=None)
    return amount


def _counted_rate(text: str, rate: Amount, others: Sequence[Amount]) -> tuple[Amount, Amount, float] | None:
    """ "200 contracts at 45 pounds a week: 468,000 a year": count, total, and weeks in a year."""
    counts = [a for a in others if a.is_count and not a.scaled]
    totals = [a for a in others if a.unit == rate.unit and a.start >= rate.end]
    if not len(counts) == len(totals) == 1 or len(others) != 2:
        return None
    each = re.search(
        r"\b(?:for |per )?each (?:of )?(?:the |our |these )?$", text[: counts[0].start], re.IGNORECASE
    )
    if not each and not (counts[0].end <= rate.start and _is_price(text, rate)):
        return None
    own, whole = rate_unit(text, rate), rate_unit(text, totals[0])
    if own is None or whole is None or own == whole:
        return None
    return counts[0], totals[0], PER_YEAR[own] / PER_YEAR[whole]


def _is_price(text: str, amount: Amount) -> bool:
    after = _PER_THING.match(text, amount.end)
    return bool(after) or bool(_AT.search(text[max(0, amount.start - 20) : amount.start]))


def _is_for(text: str, rate: Amount, count: Amount) -> bool:
    """The price is for one of what is counted: "312 members, shares of €200 each" prices no members."""
    thing = _PRICED.search(text[: rate.start])
    return thing is None or thing[1].lower() in (count.noun or thing[1]).lower()


def _is_total(text: str, amount: Amount, found: Sequence[Amount]) -> bool:
    """The words in front of it (or behind it) say that it is what the others come to."""
    previous = max((a.end for a in found if a.end <= amount.start), default=0)
    if _PER_THING.match(text, amount.end):
        return False
    following = text[amount.end : amount.end + 30]
    if previous and _TOTALLED.search(text[previous : amount.start]):
        return True
    return bool(
        _TOTAL_WORD.search(text[max(0, amount.start - 30) : amount.start]) or _TOTAL_WORD.search(following)
    ) or (
        previous == 0
        and bool(
            re.match(r"[^,;:()–—]{0,40}(?:[,:(–—=]|\bfor\b|\bcovers\b|\bbuys\b|\bpays for\b)", following)
        )
    )


def _compare(
    a: Place, b: Place, rate: Amount, times: Amount, number: tuple[float, float] | None, total: Amount
) -> Iterator[Tension]:
    if number is None or total.value <= 0 or rate.value <= 0 or number[0] <= 0:
        return
    count = number[0]
    product = rate.value * count
    # Money is rounded in both; a count and a number of months in words are what they are.
    slack = rate.half * count * (0.5 if rate.half < 1 else 1.0) if rate.is_money else 0.0
    allowed = slack * _rounded(rate) + total.half + SLACK * product
    off = max(product, total.value) / min(product, total.value)
    if abs(product - total.value) > allowed and off <= _FARTHEST:
        yield Tension(
            "rate", a, b, f"{rate.text} × {times.text} is {_plain(product, total)}, not {total.text}."
        )


def _rounded(rate: Amount) -> float:
    """A rate such as "€50k" is meant as it is written; one such as "€1.3 M" has been rounded."""
    digits = re.sub(r"\D", "", rate.text).strip("0")
    return 1.0 if len(digits) > 1 or rate.value >= 1e6 else 0.0


def _plain(value: float, like: Amount) -> str:
    for size, name in ((1e9, " billion"), (1e6, " million"), (1e3, "k")):
        if like.scaled and value >= size:
            return f"{value / size:,.4g}{name}"
    return f"{value:,.6g}"


def _on_lines(slide: Slide) -> Iterator[Tension]:
    """One rate, one duration and one total on labelled lines of one slide."""
    rates: list[tuple[Passage, Amount, str]] = []
    times: list[tuple[Passage, Amount]] = []
    totals: list[tuple[Passage, Amount]] = []
    for passage in slide_passages(slide):
        text, found = passage.text, amounts(passage.text)
        if _NO_PRODUCT.search(text) and any(a.is_money for a in found):
            return
        for amount in found:
            if amount.is_money and (unit := rate_unit(text, amount)):
                rates.append((passage, amount, unit))
            elif amount.is_money and (is_total(text) or _TOTAL_WORD.search(text)) and len(found) == 1:
                totals.append((passage, amount))
            elif amount.is_time and re.search(
                r"\b(?:duration|term|length|for|over|runs?|lasts?|takes?|period|contract)\b", text, re.I
            ):
                times.append((passage, amount))
    if not len(rates) == len(times) == len(totals) == 1 or any(
        a.vague for a in (rates[0][1], times[0][1], totals[0][1])
    ):
        return
    if (
        rates[0][1].unit == totals[0][1].unit
        and len({rates[0][0].text, times[0][0].text, totals[0][0].text}) > 1
    ):
        number = in_unit(times[0][1], rates[0][2])
        yield from _compare(
            rates[0][0].place, totals[0][0].place, rates[0][1], times[0][1], number, totals[0][1]
        )
