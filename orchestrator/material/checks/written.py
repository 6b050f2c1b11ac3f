"""Format arithmetic as people write it: "3.1M + 2.4M = 5.5M, not 6.2M"."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Sequence
from typing import Final

from orchestrator.material.checks.amount import (
    DATE,
    MONEY,
    TIME,
    Amount,
)
from orchestrator.material.checks.formula import (
    Comparison,
    Constant,
    Node,
    Operation,
    Variable,
)
from orchestrator.material.claims.dates import MONTHS
from orchestrator.material.claims.numbers import numbers_in

_SIGNS: Final = {"*": "×", "/": "÷", "-": "−", "+": "+"}
_FAILS: Final = {
    "==": "not",
    "!=": "the same as",
    "<=": "more than",
    ">=": "less than",
    "<": "not less than",
    ">": "not more than",
}
_FAILS_IN_TIME: Final = {
    **_FAILS,
    "<=": "later than",
    ">=": "earlier than",
    "<": "not earlier than",
    ">": "not later than",
}
_STRENGTH: Final = {"+": 1, "-": 1, "*": 2, "/": 2}  # which sign binds more: decides on brackets


def sum_of(comparison: Comparison, texts: Sequence[str], value: Callable[[Node], Amount]) -> str:
    """Format the failing comparison: each operand as its source writes it, and the values of both sides."""
    sides = []
    for node in (comparison.left, comparison.right):
        text = _written(node, texts)
        if isinstance(node, Operation):
            text = f"{text} = {said(value(node))}"
        sides.append(text)
    of_dates = DATE in (value(comparison.left).kind, value(comparison.right).kind)
    fails = (_FAILS_IN_TIME if of_dates else _FAILS)[comparison.sign]
    return f"{sides[0]}, {fails} {sides[1]}"


def said(amount: Amount) -> str:
    """Format a computed value in few digits, with its unit."""
    if amount.kind == DATE:
        months = round(amount.value * 12)
        return f"{MONTHS[months % 12].title()} {months // 12}"
    if amount.kind == MONEY:
        return f"{amount.of} {number_text(amount.value)}".strip()
    if amount.kind == TIME:
        return _length(amount)
    return number_text(amount.value)


def in_one_form(text: str) -> str:
    """Write the numbers of *text* in digits if any is: "6%, not 8%" for "6%, not eight percent".

    A number with another unit than percent stays as it was written.
    """
    numbers = numbers_in(text)
    if any(char.isdigit() for number in numbers for char in number.text):
        for number in reversed(numbers):
            is_plain = number.unit in (None, "%") and number.noun is None
            if is_plain and not any(char.isdigit() for char in number.text):
                shown = f"{number_text(number.value)}{number.unit or ''}"
                text = f"{text[: number.start]}{shown}{text[number.end :]}"
    return text


def one_line(text: str, limit: int) -> str:
    """Return *text* without control characters and line breaks, cut to *limit* characters."""
    shown = (char for char in text if char.isspace() or unicodedata.category(char)[0] != "C")
    plain = " ".join("".join(shown).split())
    return plain if len(plain) <= limit else plain[: limit - 1].rstrip() + "…"


def _length(amount: Amount) -> str:
    value, unit = amount.value, amount.of
    if unit == "year" and abs(value) < 3:
        value, unit = value * 12, "month"
    text = number_text(value)
    return f"{text} {unit}{'' if text == '1' else 's'}" if unit else text


def number_text(value: float) -> str:
    """Format *value* in few digits: "5.5M", "12,400", "0.35"."""
    size = abs(value)
    for scale, letter in ((1e9, "bn"), (1e6, "M")):
        if size >= scale:
            return f"{value / scale:.4g}{letter}"
    if size >= 1000:
        return f"{value:,.0f}"
    return f"{value:.3g}" if size < 100 else f"{value:.4g}"


def _written(node: Node, texts: Sequence[str], strength: int = 0) -> str:
    if isinstance(node, Constant):
        return f"{node.value:g}"
    if isinstance(node, Variable):
        return texts[node.index]
    if node.right is None:
        inner = _written(node.left, texts, 0 if node.sign == "abs" else 3)
        return f"|{inner}|" if node.sign == "abs" else f"−{inner}"
    own = _STRENGTH[node.sign]
    text = (
        f"{_written(node.left, texts, own)} {_SIGNS[node.sign]} "
        f"{_written(node.right, texts, own + (node.sign in '-/'))}"
    )
    return f"({text})" if own < strength else text
