"""A margin in words against the profit and the revenue of the deck's own table."""

from __future__ import annotations

import re
from collections.abc import Iterator

from orchestrator.checks.amounts import amounts
from orchestrator.checks.grid import NUMBER, Cell, grid
from orchestrator.checks.passages import Passage, deck_passages, hypothetical, shown
from orchestrator.claims.model import Place, Tension
from orchestrator.deck.model import Deck

_MARGIN = re.compile(
    r"\b(?P<sort>gross|operating|net|ebitda|ebit)(?: profit)? margin\s*(?:of|was|is|:|at|stood at|came to|"
    r"reached|=)\s*(?:about |around )?$",
    re.IGNORECASE,
)
_REVENUE = re.compile(r"^\W*(?:total |net )?(?:revenues?|sales|turnover)\W*(?:\(.*\))?$", re.IGNORECASE)
_TARGET = re.compile(
    r"\b(?:target|goal|aim|plan|forecast|will|expect\w*|industry|peers?|competitors?|median)\b", re.IGNORECASE
)
_SLACK = 0.5  # points: profit and revenue are rounded, too


def margin_tensions(deck: Deck) -> Iterator[Tension]:
    """ "An operating margin of 15 %" where no column of the table has profit ÷ revenue near it."""
    rows = [
        (slide.number, next(cell.text for cell in row), row[1:])
        for slide in shown(deck)
        for table in slide.tables
        for row in grid(table)
        if row
    ]
    revenue = [row for row in rows if _REVENUE.match(row[1])]
    if len(revenue) != 1:
        return
    for passage in deck_passages(deck):
        if not hypothetical(passage.text) and not _TARGET.search(passage.text):
            yield from _in(passage, revenue[0][2], rows)


def _in(
    passage: Passage, revenue: tuple[Cell, ...], rows: list[tuple[int, str, tuple[Cell, ...]]]
) -> Iterator[Tension]:
    for amount in amounts(passage.text):
        match = _MARGIN.search(passage.text[: amount.start])
        if amount.unit != "%" or match is None or amount.vague:
            continue
        named = rf"^\W*{match['sort']}(?: profit| income| result)?\W*(?:\(.*\))?$"
        profit = [
            row for row in rows if re.match(named, row[1], re.IGNORECASE) and len(row[2]) == len(revenue)
        ]
        if len(profit) != 1:
            continue
        slide, _, cells = profit[0]
        pairs = [
            (p, r) for p, r in zip(cells, revenue, strict=True) if p.sort == r.sort == NUMBER and r.value > 0
        ]
        ratios = [100 * p.value / r.value for p, r in pairs]
        slack = [
            100 * (p.half + r.half * p.value / r.value) / r.value + amount.half + _SLACK for p, r in pairs
        ]
        if not ratios or any(p.amount and p.amount.unit == "%" for p, _ in pairs):
            continue
        if all(abs(ratio - amount.value) > allowed for ratio, allowed in zip(ratios, slack, strict=True)):
            p, r = pairs[0]
            note = f"{p.text} of {r.text} is {ratios[0]:.3g}%, not {amount.text}."
            yield Tension("share", passage.place, Place(slide, None, p.text), note)
