"""The formula of a proposal: a grammar of its own, read by hand into a small tree; nothing is executed.

    comparison = sum ("==" | "!=" | "<=" | ">=" | "<" | ">") sum
    sum        = product (("+" | "-") product)*
    product    = factor (("*" | "/") factor)*
    factor     = "-" factor | "abs" "(" sum ")" | "(" sum ")" | number | "v" digits

One comparison, no powers, no names but v0, v1, … Whatever the text, reading it costs milliseconds
and raises nothing but `FormulaError`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Protocol, Self, TypeVar

LONGEST: Final = 400
"""Characters: 24 operands with signs and brackets take half of that."""

DEEPEST: Final = 10
"""Brackets and signs within each other; no sum that a slide states needs more than three."""

MOST_OPERANDS: Final = 24
"""A year by months with its total has 13; no page holds a list that is much longer."""

LONGEST_NUMBER: Final = 20
"""Characters; beyond that a float is no longer exact, and may be infinite."""

COMPARISONS: Final = ("==", "!=", "<=", ">=", "<", ">")

_TOKEN = re.compile(r"[ \t]*(v[0-9]{1,2}(?![0-9])|[0-9]+(?:\.[0-9]+)?|[=!<>]=|[<>()+*/-]|abs(?=[ \t]*\())")


class FormulaError(ValueError):
    """The text is no formula of the grammar, or one that decides nothing."""


@dataclass(frozen=True, slots=True)
class Constant:
    """A number that the formula itself names."""

    value: float


@dataclass(frozen=True, slots=True)
class Variable:
    """The operand at this place."""

    index: int


@dataclass(frozen=True, slots=True)
class Operation:
    """One of + - * /, or "negative" or "abs" of `left` alone."""

    sign: str
    left: Node
    right: Node | None = None


Node = Constant | Variable | Operation


class Reckoned(Protocol):
    """Values that a formula can be evaluated over: floats, intervals, amounts."""

    def __add__(self, other: Self, /) -> Self: ...
    def __sub__(self, other: Self, /) -> Self: ...
    def __mul__(self, other: Self, /) -> Self: ...
    def __truediv__(self, other: Self, /) -> Self: ...
    def __neg__(self) -> Self: ...
    def __abs__(self) -> Self: ...


T = TypeVar("T", bound=Reckoned)


@dataclass(frozen=True, slots=True)
class Comparison:
    """What ought to hold."""

    left: Node
    sign: str  # of COMPARISONS
    right: Node

    @property
    def variables(self) -> frozenset[int]:
        """The operands that it names."""
        return frozenset(node.index for node in self._nodes() if isinstance(node, Variable))

    @property
    def constants(self) -> frozenset[float]:
        """The numbers that it names itself."""
        return frozenset(node.value for node in self._nodes() if isinstance(node, Constant))

    @property
    def signs(self) -> tuple[str, ...]:
        """Its operations, in no order that is relied on."""
        return tuple(node.sign for node in self._nodes() if isinstance(node, Operation))

    def _nodes(self) -> list[Node]:
        found, waiting = [], [self.left, self.right]
        while waiting:
            node = waiting.pop()
            found.append(node)
            if isinstance(node, Operation):
                waiting += [node.left] if node.right is None else [node.left, node.right]
        return found


def parse(text: str) -> Comparison:
    """The comparison that *text* writes.

    Raises:
        FormulaError: It is too long or too deep, or no sentence of the grammar; says where.
    """
    if len(text) > LONGEST:
        raise FormulaError(f"a formula has at most {LONGEST} characters, and this one has {len(text)}")
    return _Reader(_tokens(text)).comparison()


def renumbered(comparison: Comparison, places: Mapping[int, int]) -> Comparison:
    """*comparison* with each operand at another place; all that it names are in *places*."""

    def moved(node: Node) -> Node:
        if isinstance(node, Variable):
            return Variable(places[node.index])
        if isinstance(node, Operation):
            return Operation(node.sign, moved(node.left), None if node.right is None else moved(node.right))
        return node

    return Comparison(moved(comparison.left), comparison.sign, moved(comparison.right))


def evaluate(node: Node, leaf: Callable[[Constant | Variable], T]) -> T:
    """The value of *node* by Python's operators on what *leaf* gives for constants and operands."""
    if not isinstance(node, Operation):
        return leaf(node)
    left = evaluate(node.left, leaf)
    if node.right is None:
        return abs(left) if node.sign == "abs" else -left
    right = evaluate(node.right, leaf)
    if node.sign == "+":
        return left + right
    if node.sign == "-":
        return left - right
    if node.sign == "*":
        return left * right
    return left / right


def _tokens(text: str) -> list[str]:
    text = text.strip()
    found, at = [], 0
    while at < len(text):
        match = _TOKEN.match(text, at)
        if match is None:
            raise FormulaError(
                f"a formula has v0, v1, …, numbers, + - * / ( ) and one comparison, not {text[at]!r}"
            )
        found.append(match[1])
        at = match.end()
    return found


class _Reader:
    """Recursive descent; its depth is bounded by DEEPEST, so the stack is never in danger."""

    def __init__(self, tokens: Sequence[str]) -> None:
        self._tokens = tokens
        self._at = 0
        self._depth = 0

    def comparison(self) -> Comparison:
        left = self._sum()
        sign = self._next()
        if sign not in COMPARISONS:
            raise FormulaError("a formula is one comparison, such as v0 + v1 == v2")
        right = self._sum()
        if rest := self._peek():
            raise FormulaError(f"a formula is one comparison, and {rest!r} follows it")
        return Comparison(left, sign, right)

    def _sum(self) -> Node:
        node = self._product()
        while self._peek() in ("+", "-"):
            node = Operation(self._next(), node, self._product())
        return node

    def _product(self) -> Node:
        node = self._factor()
        while self._peek() in ("*", "/"):
            node = Operation(self._next(), node, self._factor())
        return node

    def _factor(self) -> Node:
        self._depth += 1
        if self._depth > DEEPEST:
            raise FormulaError(f"a formula is at most {DEEPEST} brackets deep")
        node = self._inner()
        self._depth -= 1
        return node

    def _inner(self) -> Node:
        sign = self._next()
        if sign == "-":
            return Operation("negative", self._factor())
        if sign in ("abs", "("):
            if sign == "abs":
                self._next()
            node = self._sum()
            if self._next() != ")":
                raise FormulaError("a bracket is not closed")
            return Operation("abs", node) if sign == "abs" else node
        if sign[:1] == "v":
            if (index := int(sign[1:])) >= MOST_OPERANDS:
                raise FormulaError(f"a formula has at most {MOST_OPERANDS} operands")
            return Variable(index)
        if sign[:1].isdigit():
            if len(sign) > LONGEST_NUMBER:
                raise FormulaError("a number of the formula is too long")
            return Constant(float(sign))
        raise FormulaError(f"a number or an operand is missing before {sign!r}" if sign else "it breaks off")

    def _peek(self) -> str:
        return self._tokens[self._at] if self._at < len(self._tokens) else ""

    def _next(self) -> str:
        token = self._peek()
        self._at += 1
        return token
