"""Parse the formula of a proposal: a grammar of its own, read into a small tree; nothing is executed.

    comparison = sum ("==" | "!=" | "<=" | ">=" | "<" | ">") sum
    sum        = product (("+" | "-") product)*
    product    = factor (("*" | "/") factor)*
    factor     = "-" factor | "abs" "(" sum ")" | "(" sum ")" | number | "v" digits

A formula has one comparison, no powers, and no names but v0, v1, … Only text made of these tokens is passed
to Python's own parser, and only these nodes of its tree are accepted. Whatever the text is, reading it takes
milliseconds and raises nothing but `FormulaError`.
"""

from __future__ import annotations

import ast
import itertools
import operator
import random
import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Protocol, Self, TypeVar

# ---------------------------------------------------------------------- formula


MAX_CHARS: Final = 400
"""Maximum number of characters of a formula: 24 operands with signs and brackets take half of that."""

DEEPEST: Final = 10
"""Maximum depth of nested brackets and signs, each of which is a call within a call; no sum on a slide needs
more than three."""

MAX_OPERANDS: Final = 24
"""Maximum number of operands: a year by months with its total has 13, and no page has a list that is much
longer."""

MAX_NUMBER: Final = 20
"""Maximum number of characters of a number; a longer one is no longer exact as a float, and may be
infinite."""

_COMPARISONS: Final = {
    ast.Eq: "==", ast.NotEq: "!=", ast.LtE: "<=", ast.GtE: ">=", ast.Lt: "<", ast.Gt: ">",
}  # fmt: skip
_OPERATIONS: Final = {"+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv}
# No power: 9**9**9 would take for ever.
_SIGNS: Final = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/"}

_TOKEN = re.compile(r"[ \t]*(v[0-9]{1,2}(?![0-9])|[0-9]+(?:\.[0-9]+)?|[=!<>]=|[<>()+*/-]|abs(?=[ \t]*\())")


class FormulaError(ValueError):
    """The text is not a formula of the grammar, or its formula decides nothing."""


@dataclass(frozen=True, slots=True)
class Constant:
    """A number that is written in the formula itself."""

    value: float


@dataclass(frozen=True, slots=True)
class Variable:
    """The operand with this index."""

    index: int


@dataclass(frozen=True, slots=True)
class Operation:
    """An operation: one of + - * / on `left` and `right`, or "negative" or "abs" of `left` alone."""

    sign: str
    left: Node
    right: Node | None = None


Node = Constant | Variable | Operation


class Reckoned(Protocol):
    """A type of value for which a formula can be evaluated: floats, intervals, amounts."""

    def __add__(self, other: Self, /) -> Self: ...
    def __sub__(self, other: Self, /) -> Self: ...
    def __mul__(self, other: Self, /) -> Self: ...
    def __truediv__(self, other: Self, /) -> Self: ...
    def __neg__(self) -> Self: ...
    def __abs__(self) -> Self: ...


T = TypeVar("T", bound=Reckoned)


@dataclass(frozen=True, slots=True)
class Comparison:
    """The formula that should hold."""

    left: Node
    sign: str  # ==, !=, <=, >=, < or >
    right: Node

    @property
    def variables(self) -> frozenset[int]:
        """The indexes of the operands that the formula uses."""
        return frozenset(node.index for node in self._nodes() if isinstance(node, Variable))

    @property
    def constants(self) -> frozenset[float]:
        """The numbers written in the formula itself."""
        return frozenset(node.value for node in self._nodes() if isinstance(node, Constant))

    @property
    def signs(self) -> tuple[str, ...]:
        """The formula's operators, in no particular order."""
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
    """Parse *text* into a comparison.

    Raises:
        FormulaError: The text is too long, too deep or not a sentence of the grammar; the message says where.
    """
    if len(text) > MAX_CHARS:
        raise FormulaError(f"a formula has at most {MAX_CHARS} characters, and this one has {len(text)}")
    tokens = _tokens(text)
    nesting = itertools.accumulate((one == "(") - (one == ")") for one in tokens)
    if max(nesting, default=0) > DEEPEST:
        raise FormulaError(f"a formula may not be nested deeper than {DEEPEST} brackets")
    try:
        tree = ast.parse(" ".join(tokens), mode="eval").body
    except SyntaxError as error:
        raise FormulaError(f"a formula is one comparison, such as v0 + v1 == v2: {error.msg}") from None
    match tree:
        case ast.Compare(left=left, ops=[sign], comparators=[right]) if type(sign) in _COMPARISONS:
            return Comparison(_node(left, 0), _COMPARISONS[type(sign)], _node(right, 0))
    raise FormulaError("a formula is one comparison, such as v0 + v1 == v2")


def renumbered(comparison: Comparison, places: Mapping[int, int]) -> Comparison:
    """Return *comparison* with its operands renumbered by *places*, which maps every index that it has."""

    def moved(node: Node) -> Node:
        if isinstance(node, Variable):
            return Variable(places[node.index])
        if isinstance(node, Operation):
            return Operation(node.sign, moved(node.left), None if node.right is None else moved(node.right))
        return node

    return Comparison(moved(comparison.left), comparison.sign, moved(comparison.right))


def evaluate(node: Node, operands: Sequence[T], constant: Callable[[float], T]) -> T:
    """Evaluate *node* with Python's operators on *operands*; *constant* converts the formula's numbers."""
    if isinstance(node, Constant):
        return constant(node.value)
    if isinstance(node, Variable):
        return operands[node.index]
    left = evaluate(node.left, operands, constant)
    if node.right is None:
        if node.sign == "abs":
            return left.__abs__()  # `abs` would give the bound, not T
        return -left
    value: T = _OPERATIONS[node.sign](left, evaluate(node.right, operands, constant))
    return value


def _tokens(text: str) -> list[str]:
    text = text.strip()
    found, at = [], 0
    while at < len(text):
        match = _TOKEN.match(text, at)
        if match is None:
            raise FormulaError(
                f"a formula has v0, v1, …, numbers, + - * / ( ) and one comparison, not {text[at]!r}"
            )
        if len(match[1]) > MAX_NUMBER:
            raise FormulaError("a number of the formula is too long")
        found.append(match[1])
        at = match.end()
    return found


def _node(tree: ast.expr, depth: int) -> Node:
    """Build the tree of one side; *depth* is the number of operators and calls above it."""
    if depth > DEEPEST:
        raise FormulaError(f"a formula may not be nested deeper than {DEEPEST} operators")
    match tree:
        case ast.Name(id=name):
            if (index := int(name[1:])) >= MAX_OPERANDS:
                raise FormulaError(f"a formula has at most {MAX_OPERANDS} operands")
            return Variable(index)
        case ast.Constant(value=int() | float() as value):
            return Constant(float(value))
        case ast.UnaryOp(op=ast.USub(), operand=inner):
            return Operation("negative", _node(inner, depth + 1))
        case ast.Call(func=ast.Name(id="abs"), args=[inner]):
            return Operation("abs", _node(inner, depth + 1))
        case ast.BinOp(left=left, op=sign, right=right):
            return Operation(_SIGNS[type(sign)], _node(left, depth), _node(right, depth))
    raise FormulaError("a formula adds, takes off, multiplies and divides numbers and operands")


# ---------------------------------------------------------------------- deciding
# Whether a formula decides anything about its operands, or holds or fails whatever they are.


CONVERSIONS: Final = frozenset((3, 4, 7, 10, 12, 24, 26, 30, 52, 60, 365, 366, 1000, 3600, 10_000, 1e6, 1e9))
"""Constants by which an engine converts units itself; if a formula has one, the engine's own magnitudes are
tried as well."""

CONSTANTS: Final = CONVERSIONS | {0, 1, 2, 100}
"""Numbers that convert and that nobody has to say: percent, units of time, thousands, twice, half, nought.

Any other number in a formula would be one that is in no quote.
"""


def check_deciding(comparison: Comparison, operands: int, wordy: Collection[int] = ()) -> None:
    """Raise FormulaError if the formula says nothing about its *operands*.

    The formula must name each operand, except those in *wordy*, which are words without numbers. Each named
    operand must change the outcome, no number but those of CONSTANTS may occur, and there must be values for
    which the comparison would hold.

    Raises:
        FormulaError: One of these conditions is not met; the message says which.
    """
    named = comparison.variables
    if missing := [f"v{index}" for index in range(operands) if index not in named and index not in wordy]:
        raise FormulaError(f"the formula does not use {', '.join(missing)}")
    if beyond := sorted(index for index in named if index >= operands):
        raise FormulaError(f"the formula names v{beyond[0]}, and there are only {operands} operands")
    if foreign := sorted(comparison.constants - CONSTANTS):
        raise FormulaError(f"{foreign[0]:g} is said nowhere: a number of the formula must be an operand")
    if not _can_hold(comparison, operands):
        raise FormulaError("the formula cannot hold whatever the operands are")
    for index in named:
        if not _matters(comparison, index, operands):
            raise FormulaError(f"v{index} changes nothing in the formula")


def _can_hold(comparison: Comparison, operands: int) -> bool:
    # With few samples a formula that seldom holds would be refused as one that never does.
    found = [difference(comparison, sample) for sample in _samples(operands, 48)]
    below, equal, above = (
        any(one is not None and is_so(one, 0) for one in found)
        for is_so in (operator.lt, operator.eq, operator.gt)
    )
    return {
        "==": equal or (below and above),
        "!=": below or above,
        "<": below,
        "<=": below or equal,
        ">": above,
        ">=": above or equal,
    }[comparison.sign]


def _matters(comparison: Comparison, index: int, operands: int) -> bool:
    return any(
        difference(comparison, sample)
        != difference(comparison, [*sample[:index], 3 * sample[index], *sample[index + 1 :]])
        for sample in _samples(operands, 3)
    )


def _samples(operands: int, count: int) -> Iterator[list[float]]:
    """Yield values of 0.001 to 1,000,000, the same each time, alternately unlike and alike in size.

    Values unlike in size show that an operand matters in products, values alike in size in sums.
    """
    chance = random.Random(operands)  # noqa: S311  # no secret: points to try a formula at
    for number in range(count):
        alike = 10 ** chance.uniform(-3, 6)
        yield [
            alike * chance.uniform(0.5, 2) if number % 2 else 10 ** chance.uniform(-3, 6)
            for _ in range(operands)
        ]


def difference(comparison: Comparison, values: Sequence[float]) -> float | None:
    """Return left minus right, rounding noise of the 16th digit to 0, or None if it cannot be computed."""
    try:
        left, right = (evaluate(side, values, float) for side in (comparison.left, comparison.right))
    except (ZeroDivisionError, OverflowError):
        return None
    difference = left - right
    scale = max(abs(left), abs(right), *values)
    return 0.0 if abs(difference) <= 1e-12 * scale else difference
