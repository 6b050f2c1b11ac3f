"""Tables of quantity, unit price and total, row by row."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from orchestrator.checks.grid import NUMBER, grid
from orchestrator.claims.model import Place, Tension
from orchestrator.deck.model import Slide, Table

PER_YEAR: Final = {"day": 365.0, "week": 52.0, "month": 12.0, "quarter": 4.0, "year": 1.0, "hour": 8760.0}
SLACK: Final = 0.01  # of the product: a month is not four weeks to the day
_QUANTITY = re.compile(
    r"^\W*(?:qty|quantity|units?|number(?: of .*)?|count|pieces|pcs|#|no\.?|sites|seats|licen[cs]es|users|"
    r"heads|fte|ftes|months|how many|volume)\b",
    re.I,
)
_PRICE = re.compile(
    r"\b(?:unit (?:price|cost)|price (?:each|per .*)|cost (?:each|per .*)|each|per (?:unit|piece|site|seat|"
    r"month|head|user)|rate|price)\b",
    re.I,
)
_PRODUCT = re.compile(
    r"^\W*(?:total(?: cost| price| amount)?|amount|sum|costs?|subtotal|line total|budget|value)\b",
    re.IGNORECASE,
)
_IN_HEADER = re.compile(
    r"\b(?:per|a|an|each|/)\s?(day|week|month|quarter|year)\b|\b(?:(week|month|quarter|year)ly|annual)\b",
    re.I,
)


def table_rates(slide: Slide, table: Table) -> Iterator[Tension]:
    """Rows of quantity, unit price and total."""
    header = table.rows[0] if table.rows else ()
    price = [
        i
        for i, head in enumerate(header)
        if i
        and _PRICE.search(head)
        and not (_PRODUCT.match(head) and not re.search(r"each|per unit|per piece", head, re.I))
    ]
    product = [i for i, head in enumerate(header) if i and _PRODUCT.match(head) and i not in price]
    number = [
        i for i, head in enumerate(header) if i and _QUANTITY.match(head) and i not in (*price, *product)
    ]
    if not number and price and product and all(cell[0].sort == NUMBER for cell in grid(table)):
        number = [0]
    if not len(price) == len(product) == len(number) == 1 or len(table.rows) < 2:
        return
    rows = grid(table)
    cells = [[row[column[0]] for row in rows] for column in (price, number, product)]
    right = wrong = 0
    found: list[Tension] = []
    for each, count, whole in zip(*cells, strict=True):
        if each.amount is None or count.amount is None or whole.amount is None:
            continue
        if not each.sort == count.sort == whole.sort == NUMBER or each.amount.unit not in (
            whole.amount.unit,
            None,
        ):
            continue
        scale = _scale_between(header[price[0]], header[product[0]])
        if each.amount.is_money and whole.amount.is_money:
            scale = 1.0  # each cell writes its own scale
        if (times := _times_between(header[price[0]], header[product[0]])) is None:
            return
        scale *= times
        value = each.value * count.value * scale
        if abs(value - whole.value) <= each.half * count.value * scale + whole.half + SLACK * abs(value):
            right += 1
        else:
            wrong += 1
            note = f"{count.text} × {each.text} is {value:,.6g}, not {whole.text}."
            a, b = Place(slide.number, None, each.text), Place(slide.number, None, whole.text)
            found.append(Tension("rate", a, b, note))
    each_one = re.search(
        r"\b(?:each|per|unit|apiece)\b", header[price[0]], re.IGNORECASE
    ) or _IN_HEADER.search(header[price[0]])
    plain = len(rows) == 1 and each_one is not None
    if right > wrong or plain:  # the columns are what they seem to be
        yield from found


def _times_between(each: str, whole: str) -> float | None:
    """Weeks in a year for "Price a week" and "Cost a year"; None where only one names a time."""
    first, second = _IN_HEADER.search(each), _IN_HEADER.search(whole)
    if first is None or second is None:
        return 1.0 if first is None and second is None else None
    return PER_YEAR[_word(first)] / PER_YEAR[_word(second)]


def _word(match: re.Match[str]) -> str:
    return (match[1] or match[2] or "year").lower()


def _scale_between(each: str, whole: str) -> float:
    """What turns the unit of the price's header into that of the total's ("€" and "€k")."""
    return _header_scale(each) / _header_scale(whole)


def _header_scale(head: str) -> float:
    if re.search(r"\bmillions?\b|[€£$]\s?[mM]\b|\bmn\b|\bEUR ?m\b", head):
        return 1e6
    return 1e3 if re.search(r"\bthousands?\b|[€£$]\s?[kK]\b|\b000s?\b|\bEUR ?k\b", head) else 1.0
