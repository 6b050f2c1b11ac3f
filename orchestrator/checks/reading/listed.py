# ruff: noqa: E501 - a pattern lists its wordings
"""Figures that are listed side by side and may make up a whole: in a table, a list or a sentence."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from orchestrator.checks.reading.model import (
    ACTUAL,
    BARE,
    COUNT,
    MONEY,
    PARTIAL,
    PHYSICAL,
    SHARE,
    Measure,
)
from orchestrator.checks.reading.terms import Term, terms_of

SUMMED: Final = (COUNT, BARE, MONEY, PHYSICAL)
TOTAL_LABEL: Final = re.compile(
    r"^\W*(?:grand |sub)?(?:total|sum|all|overall|together|altogether|whole|entire|combined)\b|\btotal\W*$",
    re.I,
)
COMPLETE: Final = re.compile(
    r"\b(?:the (?:remaining|rest|remainder|others?|balance)|remaining|only other|nothing else|nobody else|no one else|no other|all other|everything else|and that is all|that is all|the last|makes? up the|plus|finally)\b",
    re.I,
)
_UNLIKE: Final = 100.0  # times: one of a list so much larger than all others is no part beside them
_LONGEST: Final = 16  # words of a line that is an item
_YEAR = re.compile(r"(?:1[89]|20)\d\d")
_LAST_OF_ALL = re.compile(
    r"\b(?:only other|the (?:remaining|rest|remainder|balance)|all other|everything else|everyone else)\b",
    re.I,
)
_OF_THE_WHOLE = re.compile(r"\W*of (?:the|our|its|all|these)(?: \w+)?\s*[€$£]?$", re.I)
_PART_OF = re.compile(r"\d (?:out )?of (?:the |our |its )?\d", re.I)
_OPENS = re.compile(
    r":\s|\bof which\b|\bmade up\b|\bsplit\b|\bnamely\b|\bspread\b|\s[–—-]\s|\bthat is\b|\bconsisting\b", re.I
)
_NOT_AN_ITEM = re.compile(
    r"\b(?:of (?:which|whom|these|those|them)|thereof|includ\w+|total|last yr|last year|previous|before|average|target|budget|goal|net|per|each|growth|change|from)\b",
    re.I,
)


@dataclass(frozen=True, slots=True, eq=False)
class Parts:
    """Measures that stand side by side and may make up a whole."""

    items: tuple[Measure, ...]
    terms: tuple[Term, ...]  # of their title, their column and what they have in common
    kind: str  # table, list or sentence
    text: str
    only: Measure | None = None  # the one measure that may be the total

    @property
    def total(self) -> float:
        return sum(item.amount.value for item in self.items)

    @property
    def slack(self) -> float:
        """How far the sum may be off: the finest figure shows how exactly all of them are written."""
        exact = [i.amount.value - i.amount.low for i in self.items if not i.amount.is_hedged]
        rough = [
            i.amount.value - i.amount.low
            for i in self.items
            if i.amount.is_hedged and i.amount.low > float("-inf")
        ]
        return min(exact, default=0.0) * len(exact) + sum(rough)


def lists_of(measures: Sequence[Measure]) -> Iterator[Parts]:
    """Every list of parts of a deck."""
    columns: dict[tuple[int, int, int], list[Measure]] = defaultdict(list)
    lines: dict[int | None, list[Measure]] = defaultdict(list)
    pieces: dict[int, list[Measure]] = defaultdict(list)
    for measure in measures:
        if measure.row is not None:
            columns[measure.row[0], measure.row[1], measure.column].append(measure)
        else:
            pieces[id(measure.piece)].append(measure)
            if measure.piece.origin == "line":
                lines[measure.piece.slide].append(measure)
    for column in columns.values():
        items = tuple(
            m
            for m in column
            if not TOTAL_LABEL.search(m.piece.text.replace("*", ""))
            and not _NOT_AN_ITEM.search(m.piece.text.split("|")[0])
        )
        if (
            len(items) >= 3
            and len(items) >= len(column) - 1
            and _same(items)
            and all(terms_of(m.piece.text.split("|")[0]) for m in items)
            and len({bool(_YEAR.fullmatch(m.amount.text.strip())) for m in items}) == 1
        ):
            yield Parts(
                items, (*terms_of(items[0].column_label), *items[0].around), "table", items[0].column_label
            )
    for slide in lines.values():
        yield from _runs(slide)
    for mine in pieces.values():
        items = tuple(m for m in mine if m.status == ACTUAL)
        for kinds in ((COUNT,), (BARE,), (MONEY,), (PHYSICAL,)):
            chosen = tuple(m for m in items if m.amount.kind in kinds)
            if _is_closed(_counted(items) if kinds[0] in (COUNT, BARE) else chosen):
                continue
            for first in (0, 1):
                if (
                    len(chosen) - first >= 3
                    and _same(chosen[first:])
                    and (
                        not first
                        or _OPENS.search(chosen[0].piece.text[chosen[0].amount.end : chosen[1].amount.start])
                    )
                ):
                    yield Parts(
                        chosen[first:],
                        chosen[first].around,
                        "sentence",
                        items[0].piece.text,
                        chosen[0] if first else None,
                    )


def _runs(slide: Sequence[Measure]) -> Iterator[Parts]:
    """Lines one below the other that each hold one number of a kind."""
    by_order: dict[int, list[Measure]] = defaultdict(list)
    for measure in slide:
        by_order[measure.piece.order].append(measure)
    run: list[Measure] = []
    for order in sorted(by_order):
        first = _first_of(by_order[order])
        fits = (
            first is not None
            and _counts_as_part(first)
            and not _is_closed(_counted(by_order[order]))
            and len(first.piece.text.split()) <= _LONGEST
            and not _NOT_AN_ITEM.search(first.piece.text[: first.amount.start])
            and not TOTAL_LABEL.search(first.piece.text)
            and not _PART_OF.search(first.piece.text)
            and all(_counts_as_part(m) for m in _alike(by_order[order], first))
            and (first.amount.kind != SHARE or bool(first.own))
        )
        if (
            fits
            and first is not None
            and (not run or (order == run[-1].piece.order + 1 and _same((run[0], first))))
        ):
            run += _alike(by_order[order], first)
            if _LAST_OF_ALL.search(first.piece.text):
                yield from [_run(run)] if len(run) >= 3 else []
                run = []
            continue
        if len(run) >= 3:
            yield _run(run)
        run = _alike(by_order[order], first)[opens_with_whole(first) :] if fits and first is not None else []
    if len(run) >= 3:
        yield _run(run)


def _first_of(line: Sequence[Measure]) -> Measure | None:
    """The first figure of the kind that the line has most of."""
    usable = [m for m in line if m.amount.kind in (*SUMMED, SHARE)]
    return max(usable, key=lambda m: len(_alike(usable, m)), default=None)


def _alike(line: Sequence[Measure], first: Measure) -> list[Measure]:
    """Those of the line that are of one kind; behind a whole a bare number counts the same."""
    kinds = {first.amount.kind} | ({BARE} if opens_with_whole(first) else set())
    return [m for m in line if m.amount.kind in kinds]


def _counts_as_part(measure: Measure) -> bool:
    return measure.status == ACTUAL or (
        measure.status == PARTIAL and bool(COMPLETE.search(measure.piece.text))
    )


def opens_with_whole(measure: Measure) -> bool:
    """ "Of the 950 staff, 400 are drivers": the first number is the whole."""
    return bool(_OF_THE_WHOLE.match(measure.piece.text[: measure.amount.start]))


def _counted(items: Sequence[Measure]) -> list[Measure]:
    return [m for m in items if m.amount.kind in (COUNT, BARE)]


def _is_closed(items: Sequence[Measure]) -> bool:
    """ "17 people: 1 professor, 8 students, 8 others": the first is the sum of the others, and no part."""
    rest = sum(m.amount.value for m in items[1:])
    return len(items) > 3 and abs(items[0].amount.value - rest) <= 1e-9 * rest


def _run(run: Sequence[Measure]) -> Parts:
    return Parts(tuple(run), run[0].around, "list", run[0].piece.title)


def _same(items: Sequence[Measure]) -> bool:
    """One kind and unit, and what is counted has one name or none."""
    kinds = {m.amount.kind for m in items}
    units = {m.amount.unit for m in items}
    nouns = [m.noun for m in items if m.noun and m.row is None]
    sizes = sorted(abs(m.amount.value) for m in items)
    if len(sizes) > 2 and sizes[-1] > _UNLIKE * sizes[-2] and kinds <= {COUNT, BARE}:
        return False
    return (
        (len(kinds) == 1 or kinds == {COUNT, BARE})
        and len(units) == 1
        and all(n & nouns[0] for n in nouns)
        and len({m.rate for m in items}) == 1
        and not any(m.per for m in items)
    )
