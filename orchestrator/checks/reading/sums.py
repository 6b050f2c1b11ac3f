# ruff: noqa: E501 - a pattern lists its wordings
"""A stated total that is not the sum of the parts that are listed for it: in a table, a list or a sentence."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from orchestrator.checks.reading.fractions import number_in_words
from orchestrator.checks.reading.listed import (
    COMPLETE,
    SUMMED,
    TOTAL_LABEL,
    Parts,
    lists_of,
    opens_with_whole,
)
from orchestrator.checks.reading.model import (
    ACTUAL,
    BARE,
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
from orchestrator.claims.model import Tension

LEAST: Final = 1.0
_TOTAL = re.compile(
    r"\b(?:total(?:s|led|ling)?|in all|altogether|all told|all in|overall|in sum|whole|combined|all together|taken together|adds? up|comes? to|came (?:in at|to)|makes?|sum|"
    r"spread over|across|between (?:them|the)|of these|split|consists?|made up|breaks? down|divided|everything|grand total|we (?:now )?(?:count|have)|a team of|billed|brought in|take[ns]?|stands? at|cost)\b",
    re.I,
)
_ALL = re.compile(
    r"\b(?:all told|in all|altogether|in total|all in|the whole|comes? in at|came in at|overall)\b", re.I
)
_COMPLETE_LINE = re.compile(
    r"\b(?:that is all|nothing else|nobody else|no one else|no other|the only (?:cost|income|source|expense|item)\w*|everything else is free)\b",
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


def sum_tensions(measures: Sequence[Measure], pieces: Sequence[Piece], rarity: Rarity) -> Iterator[Tension]:
    """Totals that the parts beside them do not make."""
    complete = {piece.slide for piece in pieces if _COMPLETE_LINE.search(piece.text)}
    for parts in lists_of(measures):
        yield from _against_totals(parts, measures, rarity, complete)


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
                and not opens_with_whole(total)
            )
            or total.amount.kind not in SUMMED
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
                or (not COMPLETE.search(parts.text) and not _TOTAL.search(total.piece.text))
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
    if total.row is not None and TOTAL_LABEL.search(total.piece.text.replace("*", "")):
        value += 0.8
    near = total.piece.slide == first.piece.slide
    value += 0.2 if near else 0.0
    if any(COMPLETE.search(item.piece.text) for item in parts.items) or COMPLETE.search(text):
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
        or _fills_up(parts.items)
    ):
        return
    shown = " + ".join(" ".join(item.amount.text.split()) for item in parts.items)
    yield Tension(
        "sum", parts.items[0].place, parts.items[-1].place, f"{shown} is {parts.total:g} %, not 100 %."
    )


def _fills_up(items: Sequence[Measure]) -> bool:
    """The shares of one piece of text make the whole by themselves; what follows is of something else."""
    first = [m.amount.value for m in items if m.piece is items[0].piece]
    return len(first) >= 3 and abs(sum(first) - 100) <= 0.5 * len(first) + 0.1


def _number(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"
