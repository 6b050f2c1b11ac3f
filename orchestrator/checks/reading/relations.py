"""What a stated measure should be, told by others; and which of those expectations it cannot meet."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from orchestrator.checks.reading.model import Measure
from orchestrator.claims.model import Place

RIVALS: Final = 0.85
"""As strong as this part of the strongest, another expectation leaves open which of them is meant."""
EXPLAINS: Final = 0.5
"""An expectation that is met needs this part of the strength of one that is not, to explain a number."""


@dataclass(frozen=True, slots=True, eq=False)
class Relation:
    """What other measures make of a stated one.

    `allowed` holds the intervals that the statement may lie in, in the statement's unit.
    """

    statement: Measure
    sources: tuple[Measure, ...]
    allowed: tuple[tuple[float, float], ...]
    strength: float
    kind: str  # of TENSION_KINDS
    note: str
    accuses: bool = True  # False: it can only explain
    against: Place | None = None  # the place to quote, where it is not the last source's

    @property
    def is_met(self) -> bool:
        """The statement and what follows from the sources can both be right."""
        return meets(self.statement.amount.low, self.statement.amount.high, self.allowed)

    @property
    def place(self) -> Place:
        """The other place of a tension."""
        return self.against or self.sources[-1].place


def _same(a: Relation, b: Relation) -> bool:
    return any(meets(low, high, b.allowed[:1]) for low, high in a.allowed[:1])


def meets(low: float, high: float, allowed: Iterable[tuple[float, float]]) -> bool:
    """Some value of the interval is allowed."""
    return any(low <= top + 1e-9 * abs(top) and bottom <= high + 1e-9 * abs(high) for bottom, top in allowed)


def contradicted(
    relations: Sequence[Relation], least: float, most_rivals: int = 9, crowd: int = 99
) -> Iterator[Relation]:
    """The strongest relation of each statement that is not met, where none that is met explains it.

    Args:
        most_rivals: So many others, nearly as strong, may expect something else.
        crowd: A deck that speaks of one thing so often has reasons that words alone do not show.
    """
    by_statement: dict[int, list[Relation]] = defaultdict(list)
    for relation in relations:
        by_statement[id(relation.statement)].append(relation)
    for found in by_statement.values():
        against = [r for r in found if r.accuses and not r.is_met and r.strength >= least]
        if not against:
            continue
        best = max(against, key=lambda r: r.strength)
        rivals = [
            r
            for r in against
            if r.sources[-1].piece is not best.sources[-1].piece
            and r.strength >= RIVALS * best.strength
            and not _same(r, best)
        ]
        if len(rivals) > most_rivals or sum(r.strength >= least for r in found) > crowd:
            continue
        if not any(r.is_met and r.strength >= EXPLAINS * best.strength for r in found):
            yield best
