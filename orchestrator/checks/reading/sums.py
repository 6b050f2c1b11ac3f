# ruff: noqa: E501 - a pattern lists its wordings
"""A stated total that is not the sum of the parts that are listed for it: in a table, a list or a sentence."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from orchestrator.checks.reading.fractions import number_in_words
from orchestrator.checks.reading.model import (
    ACTUAL,
    BARE,
    COUNT,
    MONEY,
    PARTIAL,
    PAST,
    PHYSICAL,
    PLANNED,
    SHARE,
    Measure,
    Piece,
)
from orchestrator.checks.reading.subject import Rarity, features
from orchestrator.checks.reading.terms import Term, terms_of
from orchestrator.claims.model import Tension

LEAST: Final = 1.0
_LONGEST: Final = 16  # words of a line that is an item
_SUMMED: Final = (COUNT, BARE, MONEY, PHYSICAL)
_TOTAL = re.compile(
    r"\b(?:total(?:s|led|ling)?|in all|altogether|all told|all in|overall|in sum|whole|combined|all together|taken together|adds? up|comes? to|came (?:in at|to)|makes?|sum|"
    r"spread over|across|between (?:them|the)|of these|split|consists?|made up|breaks? down|divided|everything|grand total|we (?:now )?(?:count|have)|a team of|billed|brought in|take[ns]?|stands? at|cost)\b",
    re.I,
)
_TOTAL_LABEL = re.compile(
    r"^\W*(?:grand |sub)?(?:total|sum|all|overall|together|altogether|whole|entire|combined)\b|\btotal\W*$",
    re.I,
)
_ALL = re.compile(
    r"\b(?:all told|in all|altogether|in total|all in|the whole|comes? in at|came in at|overall)\b", re.I
)
_COMPLETE = re.compile(
    r"\b(?:the (?:remaining|rest|remainder|others?|balance)|remaining|only other|nothing else|nobody else|no one else|no other|all other|everything else|and that is all|that is all|the last|makes? up the|plus|finally)\b",
    re.I,
)
_COMPLETE_LINE = re.compile(
    r"\b(?:that is all|nothing else|nobody else|no one else|no other|the only (?:cost|income|source|expense|item)\w*|everything else is free)\b",
    re.I,
)
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
_MIX = re.compile(
    r"\b(?:mix|split|share|shares|breakdown|composition|where|sources?|portfolio|distribution|by \w+|who|made of|spend|structure|comes? from|came from)\b",
    re.I,
)
_SEVERAL = re.compile(
    r"\b(?:several answers|multiple|more than one|satisf\w+|agree|happy|know|would|recommend|utili[sz]ation|occupancy|margin|growth|on[- ]time|uptime|target)\b",
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


def sum_tensions(measures: Sequence[Measure], pieces: Sequence[Piece], rarity: Rarity) -> Iterator[Tension]:
    """Totals that the parts beside them do not make."""
    complete = {piece.slide for piece in pieces if _COMPLETE_LINE.search(piece.text)}
    for parts in lists_of(measures):
        yield from _against_totals(parts, measures, rarity, complete)


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
            if not _TOTAL_LABEL.search(m.piece.text.replace("*", ""))
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
            and len(first.piece.text.split()) <= _LONGEST
            and not _NOT_AN_ITEM.search(first.piece.text[: first.amount.start])
            and not _TOTAL_LABEL.search(first.piece.text)
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
        run = _alike(by_order[order], first)[_opens_with_whole(first) :] if fits and first is not None else []
    if len(run) >= 3:
        yield _run(run)


def _first_of(line: Sequence[Measure]) -> Measure | None:
    """The first figure of the kind that the line has most of."""
    usable = [m for m in line if m.amount.kind in (*_SUMMED, SHARE)]
    return max(usable, key=lambda m: len(_alike(usable, m)), default=None)


def _alike(line: Sequence[Measure], first: Measure) -> list[Measure]:
    """Those of the line that are of one kind; behind a whole a bare number counts the same."""
    kinds = {first.amount.kind} | ({BARE} if _opens_with_whole(first) else set())
    return [m for m in line if m.amount.kind in kinds]


def _counts_as_part(measure: Measure) -> bool:
    return measure.status == ACTUAL or (
        measure.status == PARTIAL and bool(_COMPLETE.search(measure.piece.text))
    )


def _opens_with_whole(measure: Measure) -> bool:
    """ "Of the 950 staff, 400 are drivers": the first number is the whole."""
    return bool(_OF_THE_WHOLE.match(measure.piece.text[: measure.amount.start]))


def _run(run: Sequence[Measure]) -> Parts:
    return Parts(tuple(run), run[0].around, "list", run[0].piece.title)


def _same(items: Sequence[Measure]) -> bool:
    """One kind and unit, and what is counted has one name or none."""
    kinds = {m.amount.kind for m in items}
    units = {m.amount.unit for m in items}
    nouns = [m.noun for m in items if m.noun and m.row is None]
    return (
        (len(kinds) == 1 or kinds == {COUNT, BARE})
        and len(units) == 1
        and all(n & nouns[0] for n in nouns)
        and len({m.rate for m in items}) == 1
        and not any(m.per for m in items)
    )


def _against_totals(
    parts: Parts,
    measures: Sequence[Measure],
    rarity: Rarity,
    complete: set[int | None],
) -> Iterator[Tension]:
    kind = parts.items[0].amount.kind
    if kind == SHARE:
        yield from _to_a_hundred(parts)
        return
    inside = set(map(id, parts.items))
    ranked = []
    for total in measures:
        if (
            id(total) in inside
            or (
                parts.kind == "list"
                and any(total.piece is item.piece for item in parts.items)
                and not _opens_with_whole(total)
            )
            or total.amount.kind not in _SUMMED
            or not _fits(total, parts)
        ):
            continue
        if (parts.only is not None and total is not parts.only) or _apart(total, parts.items[0]):
            continue
        if (
            parts.only is None
            and parts.kind == "sentence"
            and (
                (total.piece is parts.items[0].piece and total.amount.start > parts.items[0].amount.start)
                or (not _COMPLETE.search(parts.text) and not _TOTAL.search(total.piece.text))
            )
        ):
            continue
        strength = _strength(total, parts, rarity) + (0.3 if parts.items[0].piece.slide in complete else 0.0)
        if _agrees(total, parts) and not (total.status == PAST and _has_present(total, measures)):
            return
        planned = (
            total.status == PLANNED
            and parts.items[0].piece.slide in complete
            and _ALL.search(total.piece.text)
        )
        if (total.status in (ACTUAL, PARTIAL) or planned) and strength >= LEAST:
            ranked.append((strength, total))
    if not ranked:
        return
    strength, total = max(ranked, key=lambda row: row[0])
    shown = " + ".join(" ".join(item.amount.text.split()) for item in parts.items)
    note = f'{shown} is {_number(parts.total)}, not "{" ".join(total.amount.text.split())}".'
    item = max(parts.items, key=lambda m: m.amount.value)
    yield Tension("sum", total.place, item.place if item.place != total.place else parts.items[0].place, note)


def _has_present(total: Measure, measures: Sequence[Measure]) -> bool:
    """The sentence tells the same of now, too: the figure before is no total of today's parts."""
    return any(
        m.piece is total.piece and m.status == ACTUAL and m.amount.kind == total.amount.kind for m in measures
    )


def _apart(a: Measure, b: Measure) -> bool:
    """Both name a year, and not the same one."""
    one, two = ({w.first.year for w in m.when if w.first} for m in (a, b))
    return bool(one and two and not one & two)


def _fits(total: Measure, parts: Parts) -> bool:
    first = parts.items[0]
    a, b = total.amount, first.amount
    if (
        total.per
        or total.rate != first.rate
        or (total.row and first.row and total.row[:2] == first.row[:2] and total.column != first.column)
    ):
        return False
    if a.kind == MONEY or b.kind == MONEY:
        if not (a.kind == b.kind or (BARE in (a.kind, b.kind) and total.row is None)):
            return False
        if a.unit and b.unit and a.unit != b.unit:
            return False
    elif a.kind == PHYSICAL or b.kind == PHYSICAL:
        if not ((a.kind == b.kind and a.unit == b.unit) or (b.kind == BARE and first.row is not None)):
            return False
    elif (
        total.noun
        and first.noun
        and not first.row
        and parts.kind != "sentence"
        and not total.noun & first.noun
        and not total.noun & features(parts.terms)
    ):
        return False
    nouns = [item.noun for item in parts.items if item.noun and item.row is None]
    if total.noun and nouns and parts.kind == "list" and not any(total.noun & noun for noun in nouns):
        return False
    largest = max(item.amount.value for item in parts.items)
    return _scaled(total, parts) > largest and 0.5 < _scaled(total, parts) / max(parts.total, 1e-9) < 2


def _scaled(total: Measure, parts: Parts) -> float:
    """The total in the parts' scale, which a table may leave out."""
    first = parts.items[0]
    if (
        total.scale_known
        and first.scale_known
        and (total.amount.kind == first.amount.kind or first.row is None)
    ):
        return total.amount.value
    return min(
        (total.amount.value / s for s in (1.0, 1e3, 1e6, 1e9)),
        key=lambda v: abs(v / max(parts.total, 1e-9) - 1),
    )


def _agrees(total: Measure, parts: Parts) -> bool:
    scale = _scaled(total, parts) / total.amount.value
    slack = parts.slack + 1e-9 * parts.total
    return total.amount.low * scale - slack <= parts.total <= total.amount.high * scale + slack


def _strength(total: Measure, parts: Parts, rarity: Rarity) -> float:
    first = parts.items[0]
    others = features((*parts.terms, *first.own)) | first.noun
    shared = sum(
        (1.0 if t.plain in others else 0.7) * max(0.35, rarity.of(t.plain))
        for t in total.own
        if t.features & others
    )
    value = 0.25 + min(shared, 1.0) * 0.8
    text = total.piece.text
    strong = bool(_ALL.search(text))
    value += 0.35 if _TOTAL.search(text) else 0.0
    value += 0.3 if strong else 0.0
    if total.row is not None and _TOTAL_LABEL.search(total.piece.text.replace("*", "")):
        value += 0.8
    near = total.piece.slide == first.piece.slide
    value += 0.2 if near else 0.0
    if any(_COMPLETE.search(item.piece.text) for item in parts.items) or _COMPLETE.search(text):
        value += 0.4
    numbers = [number_in_words(word) for word in re.findall(r"[A-Za-z]+|\d+", text)]
    value += 0.35 if float(len(parts.items)) in numbers else 0.0
    ratio = _scaled(total, parts) / parts.total
    value += 0.25 if 0.8 < ratio < 1.25 else -0.2
    value -= 0.5 if not near and not shared and not strong else 0.0
    return value - (0.3 if total.status == PARTIAL else 0.0)


def _to_a_hundred(parts: Parts) -> Iterator[Tension]:
    """Shares of one whole: a list of at least four, or one whose title says that it is a mix."""
    whole = f"{parts.text} {parts.items[0].piece.title}"
    count = len(parts.items)
    text = " ".join(item.piece.text for item in parts.items)
    if _SEVERAL.search(f"{whole} {text}") or any(item.amount.is_hedged for item in parts.items):
        return
    slack = 0.5 * count + 0.6
    if (
        not (85 <= parts.total <= 115)
        or abs(parts.total - 100) <= slack
        or not (_MIX.search(whole) or count >= 5)
    ):
        return
    shown = " + ".join(" ".join(item.amount.text.split()) for item in parts.items)
    yield Tension(
        "sum", parts.items[0].place, parts.items[-1].place, f"{shown} is {parts.total:g} %, not 100 %."
    )


def _number(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"
