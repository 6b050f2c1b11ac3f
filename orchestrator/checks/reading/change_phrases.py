# ruff: noqa: E501 - a pattern lists its wordings
"""By how much something changed, as people say it: "up 12 %", "a third fewer", "more than tripled", "half as many again"."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from orchestrator.checks.reading.context import GONE
from orchestrator.checks.reading.fractions import NUMBER, number_in_words
from orchestrator.checks.reading.meaning import interval
from orchestrator.checks.reading.model import (
    ACTUAL,
    MONEY,
    MOVED,
    PHYSICAL,
    POINTS,
    SHARE,
    TIME,
    Measure,
    Piece,
)
from orchestrator.checks.reading.terms import Term, terms_of

UP: Final = (
    r"up|rose|risen|rise[sn]?|rising|grew|grown?|grow(?:s|ing|th)|climb(?:s|ed|ing)?|increas\w+|jump\w*|gain(?:s|ed)?|improv\w+|more|higher|dearer|above|better|plus|added|adding|"
    r"longer|expand\w+|over|surg\w+|soar\w*|extra|additional|expensive|costlier|larger|bigger|ahead|advanced|stronger|upwards?"
)
DOWN: Final = (
    r"down|fell|fall(?:s|en|ing)?|drop\w*|declin\w+|decreas\w+|shr(?:ank|unk|ink\w*)|cut|cutting|less|fewer|lower(?:ed)?|cheaper|below|reduc\w+|slipp\w+|lost|minus|slower|shorter|"
    r"smaller|sank|sunk|saved?|worse|under|slid|shed|short|weaker|downwards?|halv\w+|contract(?:ed|s|ing|ion)|gone|disappear\w*|vanish\w*|eliminated"
)
_UP = re.compile(rf"\b(?:{UP})\b|\+\s?$", re.I)
_DOWN = re.compile(rf"\b(?:{DOWN})\b|[−-]\s?$", re.I)
_WAY_AFTER = re.compile(rf"^\s*(?:\w+\s){{0,2}}?(?:(?P<up>{UP})|(?P<down>{DOWN}))\b", re.I)
_COUNTED: Final = 20
_NEAR: Final = 70
"""Characters: as far a change may stand from the level that it led to."""
_TIMES: Final = {"doubl": 2.0, "tripl": 3.0, "trebl": 3.0, "quadrupl": 4.0, "quintupl": 5.0, "halv": 0.5}
_VERB = re.compile(
    r"\b(?P<verb>doubl|tripl|trebl|quadrupl|quintupl|halv)(?:ed|ing|es|e)\b(?!\s+(?:room|bed|check|glaz|shift|bass|deck))",
    re.I,
)
_IN_HALF = re.compile(
    r"\b(?:cut|cutting|down|fallen|fell|dropped|reduced|brought down|gone down) (?:\w+ )?(?:in|by|to) half\b",
    re.I,
)
_FOLD = re.compile(rf"\b(?P<n>{NUMBER})[- ]?fold\b", re.I)
_AS_MANY = re.compile(
    rf"\b(?P<n>twice|{NUMBER} times|half|a third|a quarter|two[- ]thirds|three[- ]quarters)\s+(?:as\s+(?:many|much|big|large|high|long|often|\w+)|the (?:size|number|amount|level|volume|figure|total))\b(?P<again>(?:\s+\w+){{0,2}}?\s+again\b)?",
    re.I,
)
_TWICE: Final = {
    "twice": 2.0,
    "half": 0.5,
    "a third": 1 / 3,
    "a quarter": 0.25,
    "two-thirds": 2 / 3,
    "two thirds": 2 / 3,
    "three-quarters": 0.75,
    "three quarters": 0.75,
}


@dataclass(frozen=True, slots=True, eq=False)
class Change:
    """A change as it is told: by which factor, or by how many points or units."""

    piece: Piece
    text: str
    low: float  # of the factor from old to new, or of the difference
    high: float
    is_factor: bool
    is_points: bool
    own: tuple[Term, ...]
    around: tuple[Term, ...]
    measure: Measure | None = None
    start: int = 0
    clause: str = ""
    every: bool = False  # at each step of a series
    levels: tuple[Measure, ...] = ()  # what the sentence itself says to be the new value


def changes_of(piece: Piece, measures: Sequence[Measure]) -> Iterator[Change]:
    """The changes that a sentence tells; *measures* are those of the same piece."""
    taken = []
    for match, factor in _factors(piece.text):
        before, after = piece.text[: match.start()], piece.text[match.end() : match.end() + 24]
        slack = 0.07 * factor
        low, high, _ = interval(factor, slack, before, after, exact=True)
        if factor < 1 and re.search(r"\bmore than\s*$", before):
            low, high = 0.0, factor
        elif low > 0 and high == factor:
            low = factor * (0.87 if factor > 1 else 1.0)
            high = factor if factor > 1 else factor * 1.25
        taken.append(match.span())
        clause = _clause(piece.text, match.start(), match.end())
        around = (*terms_of(piece.title), *terms_of(piece.before), *terms_of(piece.text))
        yield Change(
            piece,
            match[0],
            low,
            high,
            True,
            False,
            terms_of(clause),
            around,
            start=match.start(),
            clause=clause,
            levels=_levels(measures, match.start()),
        )
    for measure in measures:
        amount = measure.amount
        if (
            measure.status != MOVED
            or amount.kind not in (SHARE, POINTS)
            or any(s < amount.end and amount.start < e for s, e in taken)
        ):
            continue
        sign = _sign(piece.text, amount.start, amount.end)
        if not sign:
            continue
        ends = sorted((sign * abs(amount.low), sign * abs(amount.high)))
        if amount.high == float("inf"):
            ends = sorted((sign * amount.low, sign * float("inf")))
        if amount.low == float("-inf"):
            ends = sorted((0.0, sign * amount.high))
        points = amount.kind == POINTS
        low, high = ends if points else (1 + ends[0] / 100, 1 + ends[1] / 100)
        yield Change(
            piece,
            amount.text,
            low,
            high,
            not points,
            points,
            measure.own,
            measure.around,
            measure,
            amount.start,
            levels=_levels(measures, amount.start),
        )


_DIRECTION = re.compile(
    r"\b(?:(?P<down>fewer|less|lower|fell|fallen|dropped|declined|decreased|shrank|shrunk|(?:came|come|gone|went|brought|is|are|was|were) down|down (?:on|from|since)|reduced|smaller)"
    r"|(?P<up>more|higher|grew|grown|rose|risen|increased|climbed|improved|(?:gone|went|came|is|are|was|were) up|up (?:on|from|since)|bigger|larger)"
    r"|(?P<same>(?:stayed|remained|kept|been|is|are|was|were|held) (?:exactly )?(?:the same|unchanged|flat|stable|level)|has not (?:changed|moved)|have not (?:changed|moved)))\b",
    re.I,
)
_AGAINST = re.compile(
    r"\b(?:than (?:in |at |on )?(?:the |we |last|a |it |they )|(?:the |last |previous )?(?:year|quarter|month|season|winter|summer|week) before|since|compared|on (?:last|the) year|over the year|year on year|than (?:before|ever)|last (?:year|quarter|month)|(?:this|in the) (?:year|quarter|season))\b",
    re.I,
)
_EVERY = re.compile(
    r"\b(?:(?:in |at |with )?(?:every|each) (?:single )?(?:\w+[- ])?(?:month|quarter|year|week|season)(?:[- ]end)?|month after month|year after year|quarter after quarter|(?:month|year|quarter) by (?:month|year|quarter)|every time|steadily|without exception)\b",
    re.I,
)
_NOT = re.compile(
    r"\b(?:not|never|no|nor|neither|hardly|nothing|if|would|should|will|want|must|could|aim|plan|to (?:be|get|make))\b|n['’]t\b|\bmore (?:or less|than (?:once|a|one|\d|half|two|three|four|five|six))|\bless than (?:\d|half|a|one|two)",
    re.I,
)


def directions_of(piece: Piece, measures: Sequence[Measure]) -> Iterator[Change]:
    """Which way something went, where the sentence gives no number: "fewer couples than the year before"."""
    if any(m.status == MOVED for m in measures):
        return
    every = bool(_EVERY.search(piece.text))
    for match in _DIRECTION.finditer(piece.text):
        clause = _clause(piece.text, match.start(), match.end())
        if _NOT.search(clause):
            continue
        if not (every or _AGAINST.search(piece.text[match.start() :]) or match["same"]):
            continue
        low, high = (0.0, 0.995) if match["down"] else (1.005, float("inf")) if match["up"] else (0.97, 1.03)
        if match["same"] and not re.search(r"\b(?:since|for|over)\b", piece.text[match.end() :]):
            continue
        around = (*terms_of(piece.title), *terms_of(piece.before))
        yield Change(
            piece,
            match[0],
            low,
            high,
            True,
            False,
            terms_of(clause),
            around,
            start=match.start(),
            clause=clause,
            every=every,
            levels=_levels(measures, match.start()),
        )
        return


def _levels(measures: Sequence[Measure], at: int) -> tuple[Measure, ...]:
    return tuple(
        m
        for m in measures
        if m.status == ACTUAL
        and (
            m.amount.kind in (MONEY, PHYSICAL, SHARE)
            or (m.amount.kind != TIME and m.amount.value >= _COUNTED)
        )
        and abs(m.amount.start - at) < _NEAR
    )


def _factors(text: str) -> Iterator[tuple[re.Match[str], float]]:
    for match in _VERB.finditer(text):
        yield match, _TIMES[match["verb"].lower()]
    for match in _IN_HALF.finditer(text):
        yield match, 0.5
    for match in _FOLD.finditer(text):
        if value := number_in_words(match["n"]):
            yield match, value
    for match in _AS_MANY.finditer(text):
        word = match["n"].lower()
        if re.search(r"\bby\s+(?:\w+\s+){0,2}$", text[: match.start()]):
            continue  # "raised by a third the number of"
        factor = _TWICE.get(word) or number_in_words(word.removesuffix(" times")) or 0.0
        if factor:
            yield (
                match,
                1 + factor
                if match["again"] or re.match(r"\s+(?:\w+\s+){0,2}again\b", text[match.end() :])
                else factor,
            )


def _sign(text: str, start: int, end: int) -> int:
    way = _WAY_AFTER.match(text[end : end + 40])
    if way:
        return 1 if way["up"] else -1
    if GONE.match(text[end:]):
        return -1
    before = text[max(0, start - 48) : start]
    ups, downs = list(_UP.finditer(before)), list(_DOWN.finditer(before))
    if re.search(r"\bless than\s*$|\bunder\s*$|\bbelow\s*$", before):
        downs = downs[:-1]
    if re.search(r"\b(?:more than|over|above)\s*$", before):
        ups = ups[:-1]
    last_up, last_down = (ups[-1].start() if ups else -1), (downs[-1].start() if downs else -1)
    return 0 if last_up == last_down else 1 if last_up > last_down else -1


def _clause(text: str, start: int, end: int) -> str:
    left = max(
        (m.end() for m in re.finditer(r"[;.:]\s|,\s|\s[–—-]\s|\b(?:and|but|while)\s", text[:start])),
        default=0,
    )
    if not terms_of(text[left:start]):
        left = max((m.end() for m in re.finditer(r"[;.]\s", text[:start])), default=0)
    right = (
        min(
            (
                m.start()
                for m in re.finditer(r"[;,]\s|\s[–—-]\s|\b(?:and|but|while|because|thanks)\b", text[end:])
            ),
            default=len(text) - end,
        )
        + end
    )
    return text[left:right]
