"""Formulas that only add and take off: how far their two sides may lie apart by rounding alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from orchestrator.checks.amount import Amount
from orchestrator.checks.formula import Comparison, Constant, Node, Variable
from orchestrator.checks.interval import Interval
from orchestrator.checks.rounding import slack_of

_CONSTANT: Final = -1


def likely_difference(comparison: Comparison, amounts: Sequence[Amount]) -> Interval | None:
    """Left less right as chance allows it, for *amounts* that nothing but rounding made inexact.

    None where the formula does more than add and take off each operand once, and where units differ.
    """
    if len({(amount.kind, amount.of) for amount in amounts}) > 1:
        return None
    left, right = _terms(comparison.left), _terms(comparison.right)
    if left is None or right is None:
        return None
    terms = _added(left, right, -1)
    constant = terms.pop(_CONSTANT, 0.0)
    if set(terms) != set(range(len(amounts))) or any(abs(times) != 1 for times in terms.values()):
        return None
    ends = [amount.interval for amount in amounts]
    middle = constant + sum(times * (ends[at].low + ends[at].high) / 2 for at, times in terms.items())
    slack = slack_of([(one.high - one.low) / 2 for one in ends])
    return Interval(middle - slack, middle + slack)


def _terms(node: Node) -> dict[int, float] | None:
    """How often each operand is added, and under _CONSTANT the numbers; None: more is done than that."""
    if isinstance(node, Constant):
        return {_CONSTANT: node.value}
    if isinstance(node, Variable):
        return {node.index: 1.0}
    if node.sign not in ("+", "-", "negative"):
        return None
    left = _terms(node.left)
    right = {} if node.right is None else _terms(node.right)
    if left is None or right is None:
        return None
    return _added({}, left, -1) if node.right is None else _added(left, right, 1 if node.sign == "+" else -1)


def _added(one: Mapping[int, float], other: Mapping[int, float], sign: int) -> dict[int, float]:
    return {at: one.get(at, 0.0) + sign * other.get(at, 0.0) for at in {**one, **other}}
