# ruff: noqa: E501 - a pattern lists its wordings
"""The share that a sentence gives one of several figures, against what they add up to."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from orchestrator.checks.reading.boards import Board, Item
from orchestrator.checks.reading.mentions import clause_of, is_about, mentions
from orchestrator.checks.reading.model import ACTUAL, MONEY, PARTIAL, SHARE, Measure
from orchestrator.checks.reading.relations import Relation
from orchestrator.checks.reading.subject import features
from orchestrator.checks.reading.terms import terms_of

_OF_IT = re.compile(r"\s*of\s+(?:(?:the|our|all|its|their|total|whole)\s+)*", re.I)
_MAKES_UP = re.compile(
    r"\b(?:accounts? for|accounted for|mak(?:es?|ing) up|made up|stands? for|covers?|contribut\w+|com(?:es?|ing) from|came from|brings? in|brought in|depends? on|goes? (?:to|on|into)|went (?:to|on|into)|spent on|spends? on|belongs?|represents?|share|earns?|earned|is (?:sold|made|earned|spent)|are (?:sold|made))\b",
    re.I,
)
_NO_ONE = re.compile(
    r"\b(?:no|not one|not a single)\s+(?:single\s+|one\s+|individual\s+|other\s+)*(?P<what>[a-z]+)\s+(?:\w+\s+){0,3}?(?:more than|over|above|as much as)\s+(?:an?\s+)?$",
    re.I,
)
_SLACK: Final = 1.0  # points: shares are told rounder than figures
_FIRM: Final = 1.3


def portion_relations(statement: Measure, boards: Sequence[Board]) -> Iterator[Relation]:
    """What each board makes of a share that a sentence gives one of its names."""
    if statement.amount.kind != SHARE or statement.row or statement.status not in (ACTUAL, PARTIAL):
        return
    text, amount = statement.piece.text, statement.amount
    start, end = clause_of(text, amount.start, amount.end)
    named = _OF_IT.match(text, amount.end)
    for board in boards:
        if not board.is_whole:
            continue
        told = mentions(board, text, start, end)
        if len(told) != 1 or (named and told[0].start == named.end()):
            continue
        if not (named or _MAKES_UP.search(text[start:end])):
            continue
        if is_about(board, statement.piece, start, end, (amount.start, amount.end)) and _says_whole(
            board, text[named.end() : end] if named else "", text[start:end]
        ):
            yield _relation(statement, board, told[0].item)


def _says_whole(board: Board, of_what: str, clause: str) -> bool:
    """What the share is a share of is what the figures are of, or a verb says that it is a part."""
    words = terms_of(" ".join(of_what.split()[:2]))
    return bool(features(words) & (features(board.terms) | board.deck)) or bool(_MAKES_UP.search(clause))


def _relation(statement: Measure, board: Board, item: Item) -> Relation:
    own = item.measure.amount
    low, high = _whole(board)
    bounds = (100 * own.low / high - _SLACK, 100 * own.high / low + _SLACK)
    value = 100 * own.value / ((low + high) / 2)
    note = f'"{" ".join(own.text.split())}" is {value:.0f} % of all, not "{" ".join(statement.amount.text.split())}".'
    return Relation(
        statement, (item.measure,), (bounds,), _FIRM, "share", note, accuses=len(board.items) >= 3
    )


def _whole(board: Board) -> tuple[float, float]:
    if board.total is not None:
        return board.total.amount.low, board.total.amount.high
    return (
        sum(i.measure.amount.low for i in board.items),
        sum(i.measure.amount.high for i in board.items),
    )


def limit_relations(
    statement: Measure, boards: Sequence[Board], measures: Sequence[Measure]
) -> Iterator[Relation]:
    """ "No customer makes up more than a tenth of revenue", against the largest of the customers listed."""
    if statement.amount.kind != SHARE or statement.row:
        return
    match = _NO_ONE.search(statement.piece.text[: statement.amount.start])
    if not match:
        return
    what = features(terms_of(match["what"]))
    for board in boards:
        if not board.is_added or not what & features(board.terms):
            continue
        item = max((i for i in board.items if not i.is_rest), key=lambda i: i.measure.amount.value)
        wholes = [board.total] if board.total is not None else list(_stated(board, item, measures))
        if not wholes:
            continue
        whole = max(wholes, key=lambda m: m.amount.value)
        least = 100 * item.measure.amount.low / whole.amount.high
        limit = statement.amount.value + _SLACK
        note = (
            f'"{item.name}" alone is {100 * item.measure.amount.value / whole.amount.value:.0f} % '
            f'of "{" ".join(whole.amount.text.split())}".'
        )
        told = (1.0, 0.0) if least > limit else (0.0, 1e9)
        yield Relation(statement, (whole, item.measure), (told,), _FIRM, "share", note)


def _stated(board: Board, item: Item, measures: Sequence[Measure]) -> Iterator[Measure]:
    """The totals that the deck tells of what the board measures."""
    own = item.measure.amount
    for measure in measures:
        amount = measure.amount
        if (
            measure.status == ACTUAL
            and measure.row is None
            and (amount.kind, amount.unit) == (own.kind, own.unit)
            and (amount.kind == MONEY or measure.noun & item.measure.noun)
            and amount.value >= sum(i.measure.amount.low for i in board.items)
            and not measure.per
            and features(measure.own) & features(terms_of(board.label))
        ):
            yield measure
