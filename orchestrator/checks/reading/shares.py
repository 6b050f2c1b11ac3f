# ruff: noqa: E501 - a pattern lists its wordings
"""A share that does not follow from its part and its whole, wherever the three stand."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from orchestrator.checks.reading.levels import Setting, is_opposed
from orchestrator.checks.reading.model import (
    ACTUAL,
    BARE,
    COUNT,
    MONEY,
    OTHERS,
    PARTIAL,
    PHYSICAL,
    PLANNED,
    RANGE,
    SHARE,
    Measure,
)
from orchestrator.checks.reading.relations import Relation
from orchestrator.checks.reading.subject import Rarity, features
from orchestrator.checks.reading.terms import Term, terms_of
from orchestrator.checks.reading.times import APART, compare_times

_SEVERAL = re.compile(r"\b(?:several|multiple|more than one) (?:answers?|choices?|mentions?)\b", re.I)
_SMALLEST: Final = 0.05  # percent
_TOLD: Final = 0.5  # a bond below it is a guess: two numbers of one unit somewhere
_LONGEST_NOUN: Final = 24  # characters between a part and its share in brackets
_SIZED: Final = (COUNT, BARE, MONEY, PHYSICAL)
_OF_THEM = re.compile(r"\b(?:of (?:them|these|those|which|whom)|thereof|among them)\b", re.I)
_THAT_IS = re.compile(
    r"(?:that|this|which|it)\s(?:gives?|is|makes?|means?|was|amounts to|equals?|corresponds|works out|came to|comes to)\b|making\b|or\b|i\.e\.|so\b",
    re.I,
)
_ASIDE = re.compile(r"\s*[,(]?\s*(?:or|that is|i\.e\.|which is|equal to|being)?\s*(?:about |some )?$", re.I)
_FURTHER = re.compile(r"[;(,].{0,20}$")
_MARGIN = re.compile(
    r"\b(?:margins?|increas\w+|decreas\w+|grew|rose|fell|contract(?:ed|ion)|expan\w+|interest|yield|discount|rate of|CAGR|growth)\b",
    re.I,
)
_NAMED_RATIO = re.compile(
    r"\b(?:ratio|rate|margin|yield|return|cover(?:age)?)\b(?:\s\w+){0,2}?[\s:]+(?:of |is |was |at )?$", re.I
)
"""A figure with a name of its own is of what its definition says, and not of any two numbers."""
_OF_WHAT = re.compile(
    r"\s*of (?:the |our |its |their |all |these |those |this |that )*(?P<what>[a-z][\w-]*(?:\s[a-z][\w-]*)?)",
    re.I,
)
_SHARE_WORDS: Final = frozenset({"shar", "percent", "part", "proportion"})
_TOTAL = re.compile(
    r"\b(?:total|all|whole|altogether|overall|in all|sum|together|everything|grand total)\b", re.I
)
_TARGET = re.compile(
    r"\b(?:target|goal|plan|planned|needed|required|capacity|available|places|establishment|invited|sent|asked|eligible|due|booked|ordered|members|seats)\b",
    re.I,
)


@dataclass(frozen=True, slots=True, eq=False)
class Part:
    """A part of a whole: both are told in numbers."""

    part: Measure
    whole: Measure
    bond: float  # how surely the one is a part of the other


def parts_of(measures: Sequence[Measure]) -> list[Part]:
    """Every two measures of the deck that may be a part and its whole."""
    sized = [
        m
        for m in measures
        if m.amount.kind in _SIZED and m.status not in (OTHERS, RANGE, "moved") and m.amount.value > 0
    ]
    found: dict[tuple[int, int], Part] = {}
    by_slide: dict[int | None, list[Measure]] = defaultdict(list)
    for measure in sized:
        by_slide[measure.piece.slide].append(measure)
    for part in sized:
        if part.per or (part.status == PLANNED and part.row is None):
            continue
        for whole in sized:
            bond = _bond(part, whole)
            if bond > 0:
                found[id(part), id(whole)] = Part(part, whole, bond)
    return list(found.values())


def _bond(part: Measure, whole: Measure) -> float:
    if part is whole or not 0 < part.amount.value < whole.amount.value or whole.per:
        return 0.0
    if part.rate != whole.rate or "average" in whole.traits | part.traits or not _same_unit(part, whole):
        return 0.0
    if part.row and whole.row and part.row[:2] == whole.row[:2]:
        if part.row == whole.row:
            return 0.5 if part.status == whole.status == ACTUAL or _TARGET.search(whole.column_label) else 0.0
        return (
            0.6
            if part.column == whole.column and _TOTAL.search(" ".join(whole.piece.text.split("|")[:1]))
            else 0.0
        )
    of_them = bool(_OF_THEM.search(part.piece.text))
    if part.piece is whole.piece and part.row is None:
        between = part.piece.text[
            min(part.amount.end, whole.amount.end) : max(part.amount.start, whole.amount.start)
        ]
        if (
            re.fullmatch(
                r"\s?(?:\w+\s){0,2}?(?:out )?of\s(?:the |our |its |all |their |those |these )?", between
            )
            and part.amount.start < whole.amount.start
        ):
            return 0.9
        if of_them and whole.amount.start < part.amount.start:
            return 0.8
        return 0.35 if whole.status != PLANNED and part.noun & whole.noun else 0.0
    if whole.status == PLANNED and part.status != PLANNED:
        return 0.0
    if part.piece.slide == whole.piece.slide:
        near = abs(part.piece.order - whole.piece.order) <= 2
        if of_them and whole.piece.order < part.piece.order:
            return 0.7 if near else 0.4
        return 0.3
    return 0.2


def _same_unit(part: Measure, whole: Measure) -> bool:
    a, b = part.amount, whole.amount
    if a.kind == b.kind and a.kind in (MONEY, PHYSICAL):
        return a.unit == b.unit or (a.kind == MONEY and "" in (a.unit, b.unit))
    if {a.kind, b.kind} <= {COUNT, BARE}:
        if part.noun and whole.noun and not (part.row and whole.row):
            return (
                bool(part.noun & whole.noun)
                or bool(part.noun & features(whole.own))
                or (part.row is not None and bool(whole.noun & features(part.own)))
            )
        return True
    return (
        a.kind == BARE
        and b.kind == PHYSICAL
        and part.row is not None
        and b.factor > 1
        and a.value < b.value / b.factor
    )


def share_relations(statement: Measure, parts: Sequence[Part], setting: Setting) -> Iterator[Relation]:
    """What each part and whole makes of a stated share."""
    if statement.amount.kind != SHARE or statement.status not in (ACTUAL, PARTIAL):
        return
    rarity = setting.rarity
    if (statement.row and not _covers(statement, parts)) or _SEVERAL.search(statement.piece.text):
        return
    anaphora = bool(_THAT_IS.match(statement.piece.text))
    of_those = bool(_OF_THEM.match(statement.piece.text[statement.amount.end :].lstrip()))
    text, start = statement.piece.text, statement.amount.start
    of_what = _whole_named(statement)
    is_named = start >= 0 and bool(_NAMED_RATIO.search(text[:start]))
    own_part = _part_in_front(statement, parts)
    for pair in parts:
        part, whole = pair.part, pair.whole
        if (of_what and not of_what & features((*whole.own, *whole.around))) or (
            is_named and pair.bond < 0.7
        ):
            continue
        if own_part is not None and part.amount.value != own_part:
            continue
        if part.piece is statement.piece and ((part.amount.kind == BARE and pair.bond < 0.8) or of_those):
            continue
        if (
            part.piece is statement.piece
            and pair.bond < 0.8
            and _ASIDE.match(statement.piece.text[part.amount.end : statement.amount.start])
        ):
            continue
        if compare_times(statement, part, setting.year, setting.present) == APART or _names_differ(
            statement, part
        ):
            continue
        if (
            statement.when
            and not part.when
            and any(w.first for w in statement.when)
            and part.piece.slide == statement.piece.slide
            and _FURTHER.search(statement.piece.text[: statement.amount.start])
        ):
            continue
        own = _telling(part, whole)
        told = _overlap(own, statement.own, rarity)
        of_part = _overlap(part.own if part.row else own, statement.own, rarity)
        total = sum(max(0.4, rarity.of(t.plain)) for t in own)
        of_whole = _overlap(whole.own, statement.own, rarity) + 0.4 * _overlap(
            whole.around, statement.own, rarity
        )
        follows = (
            anaphora
            and part.piece.slide == statement.piece.slide
            and 0 <= statement.piece.order - part.piece.order <= 1
        )
        if not follows and (
            (pair.bond < 0.5 and of_whole < 0.35)
            or (
                (told < max(0.3, min(0.4 * total, 0.6)) or (told < 0.3 * total and told < 1.2))
                and not (part.piece is statement.piece and pair.bond >= 0.7)
            )
        ):
            continue
        apart = len({m.piece.slide for m in (statement, part, whole)})
        if apart == 3 and pair.bond < 0.5 and (of_whole < 0.6 or told < 0.7):
            continue
        if apart > 1 and _MARGIN.search(statement.piece.text):
            continue
        beside = statement.piece.slide == part.piece.slide and statement.piece.origin != "speech"
        near = (
            0.2 * beside
            + 0.2 * (beside and abs(statement.piece.order - part.piece.order) <= 1)
            + 0.8 * follows
        )
        known = features((*part.own, *whole.own, *part.around))
        alone = sum(rarity.of(t.plain) for t in statement.own if not t.features & known)
        strength = (
            0.8 * min(of_part, 2.0)
            + 0.5 * min(of_whole, 1.0)
            + 0.7 * pair.bond
            + near
            - (0.35 if statement.row else 0.2 if statement.piece.origin == "line" else 0.1) * min(alone, 4.0)
        )
        strength += 0.2 if told > 0.8 * total else 0.0
        unit = whole.amount.factor if part.amount.kind == BARE and whole.amount.kind == PHYSICAL else 1.0
        low, high = (
            100 * unit * part.amount.low / whole.amount.high,
            100 * unit * part.amount.high / max(whole.amount.low, 1e-9),
        )
        scales = (
            (1.0,) if part.row == whole.row or (part.scale_known and whole.scale_known) else (1.0, 1e3, 1e6)
        )
        allowed = [(low * s, high * s) for s in scales]
        opposed = is_opposed(statement, part) or (
            part.piece is whole.piece and pair.bond > 0.8 and is_opposed(statement, whole)
        )
        if opposed or told < 0.6 * total:
            allowed.append((100 - high, 100 - low))
        value = 100 * unit * part.amount.value / whole.amount.value
        meant = 100 - value if opposed else value
        note = f'"{_shown(part)}" of "{_shown(whole)}" is {value:.3g} %, not "{_shown(statement)}".'
        if statement.row and not part.row == whole.row == statement.row:
            continue
        accuses = (
            part.status != PLANNED
            and (pair.bond >= _TOLD or follows or _of_one_noun(pair, statement))
            and (
                bool(of_what)
                or follows
                or statement.piece.origin != "speech"  # people say shares of many things, and seldom of what
                or part.piece is statement.piece
                or opposed
            )
            and whole.amount.value >= 3
            and 0.28 < statement.amount.value / max(meant, 1e-9) < 3.6
            and value >= _SMALLEST
            and (opposed or not _is_universal(statement))
        )
        yield Relation(statement, (whole, part), tuple(_wider(allowed)), strength, "share", note, accuses)


def _whole_named(statement: Measure) -> frozenset[str]:
    """What a share says it is of: "60 % of the overrun"; empty where it does not say."""
    if statement.amount.start < 0 or statement.row:
        return frozenset()
    match = _OF_WHAT.match(statement.piece.text[statement.amount.end :])
    return features(terms_of(match["what"])) if match else frozenset()


def _part_in_front(statement: Measure, parts: Sequence[Part]) -> float | None:
    """The part that a share in brackets is of: "71 patients (44 %)"; None where there is none."""
    if statement.amount.start < 0 or not statement.piece.text[: statement.amount.start].endswith("("):
        return None
    mine = [
        p.part.amount
        for p in parts
        if p.part.piece is statement.piece and 0 <= p.part.amount.end <= statement.amount.start
    ]
    last = max(mine, key=lambda amount: amount.end, default=None)
    between = statement.piece.text[last.end : statement.amount.start] if last else ""
    return last.value if last and len(between) <= _LONGEST_NOUN else None


def _of_one_noun(pair: Part, statement: Measure) -> bool:
    """Part and whole are written on one slide and counted by one noun, and the share is written, too."""
    part, whole = pair.part, pair.whole
    return (
        bool(part.noun & whole.noun)
        and part.piece.slide == whole.piece.slide
        and bool(statement.piece.origin != "speech")
    )


def _is_universal(statement: Measure) -> bool:
    """ "All" and "not one" are said of many things besides; they meet a part only by its opposite."""
    return statement.amount.is_fraction and statement.amount.value in (0.0, 100.0)


def _covers(statement: Measure, parts: Sequence[Part]) -> bool:
    """The column of a share in a table is named by words of a part."""
    label = [t for t in terms_of(statement.column_label) if t.plain not in _SHARE_WORDS]
    return any(
        all(t.features & features((*p.part.own, *p.whole.own)) for t in label)
        for p in parts
        if p.part.row == statement.row
    )


def _wider(allowed: Sequence[tuple[float, float]]) -> Iterator[tuple[float, float]]:
    for low, high in allowed:
        slack = min(0.6, 0.12 * abs(high))
        yield low - slack - 0.01 * abs(low), high + slack + 0.01 * abs(high)


def _shown(measure: Measure) -> str:
    return " ".join(measure.amount.text.split())


def _names_differ(a: Measure, b: Measure) -> bool:
    known = {t.plain for t in (*a.own, *a.around, *b.own, *b.around)}
    return bool((a.names ^ b.names) - known)


def _telling(part: Measure, whole: Measure) -> tuple[Term, ...]:
    """The words of the part that the whole does not have."""
    others = features(whole.own)
    if part.piece is whole.piece and part.row is None:
        others = whole.noun
        after = terms_of(part.piece.text[part.amount.end :])
        return tuple(
            t for t in (*part.own, *(t for t in after if t not in part.own)) if not t.features & others
        )
    return tuple(t for t in part.own if t.plain not in others)


def _overlap(a: Sequence[Term], b: Sequence[Term], rarity: Rarity) -> float:
    others = features(b)
    total = 0.0
    for term in a:
        if common := term.features & others:
            total += (
                1.0 if term.plain in common else 0.75 if any(f[0] != "±" for f in common) else 0.4
            ) * max(0.4, max(rarity.of(f) for f in common))
    return total
