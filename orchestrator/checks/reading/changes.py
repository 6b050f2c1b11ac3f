# ruff: noqa: E501 - a pattern lists its wordings
"""A change that does not follow from the levels before and after it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from orchestrator.checks.reading.change_phrases import Change
from orchestrator.checks.reading.fractions import NUMBER, number_in_words
from orchestrator.checks.reading.model import PAST, SHARE
from orchestrator.checks.reading.series import Pair
from orchestrator.checks.reading.subject import Rarity, features
from orchestrator.checks.reading.terms import Term
from orchestrator.claims.model import Tension
from orchestrator.claims.periods import find_periods

LEAST: Final = 0.62
_MANY_PAIRS: Final = 12
_SURE: Final = 1.2
_ROUNDING: Final = 0.006
"""Of a factor: growth is told in whole percent, and counted before its ends are rounded."""
_ASIDE = re.compile(r"\b(?:which|whose|who)\b", re.I)
"""What such a clause tells is of its own subject."""
_FORECAST = re.compile(
    r"\b(?:will|would|could|should|plann(?:ed|ing)|plans? to|the plan|target\w*|expect\w*|forecast\w*|aim\w*|want|hope|if|to be|once|until|goal|budget\w*|by 20\d\d|next year|to come|propos\w+|intend\w*|going to|outlook|may|might)\b",
    re.I,
)
_OTHERS = re.compile(
    r"\b(?:market|industry|national\w*|competit\w+|peers?|sector|inflation|wages?|everywhere|elsewhere|other|neighbou?r\w*)\b",
    re.I,
)
_SPAN = re.compile(
    rf"\b(?:in|over|within|after) (?:the (?:last|past) |these |only |just |about )*(?P<n>{NUMBER}|a) years?\b",
    re.I,
)
_YEARLY = re.compile(
    r"\b(?:CAGR|a year|per year|each year|every year|annual(?:ly)?|yearly|p\.a\.|per annum|compound)", re.I
)
_BEFORE = re.compile(
    r"\b(?:(?:year|winter|summer|season|quarter|month|week|spring|autumn) (?:before|earlier|ago)|last (?:year|winter|summer|season|quarter|month|week))\b",
    re.I,
)
_MANY_YEARS = re.compile(
    r"\b(?:since|over the (?:last|past)|in (?:the (?:last|past) )?(?:\w+) (?:years|months)|within|ten years|five years|a decade)\b",
    re.I,
)


def change_tensions(changes: Sequence[Change], pairs: Sequence[Pair], rarity: Rarity) -> Iterator[Tension]:
    """The changes that the best fitting pair of levels does not allow, where no other pair does."""
    at_home = {id(pair.new.piece) for pair in pairs if pair.new.piece is pair.old.piece}
    for change in changes:
        if change.measure is None and (_FORECAST.search(change.clause) or _OTHERS.search(change.clause)):
            continue
        ranked = sorted(((_strength(change, pair, rarity), pair) for pair in pairs), key=lambda row: -row[0])
        ranked = [row for row in ranked if row[0] > 0.3]
        if id(change.piece) in at_home:
            ranked = [(s, p) for s, p in ranked if p.new.piece is change.piece]
        if change.every:
            ranked = [(s, p) for s, p in ranked if p.is_next]
        elif change.measure is None and change.high in (0.995, float("inf")) and not change.levels:
            ranked = [(s, p) for s, p in ranked if p.is_next or p.is_only]
        least = (
            LEAST
            if sum(pair.new.row is None for pair in pairs) <= _MANY_PAIRS or id(change.piece) in at_home
            else _SURE
        )
        against = [
            (strength, pair) for strength, pair in ranked if strength >= least and not _follows(change, pair)
        ]
        if not against:
            continue
        strength, pair = against[0]
        if change.every and any(s > strength + 0.05 for s, p in ranked if p.series != pair.series):
            continue
        if not change.every and any(_follows(change, other) and s >= 0.75 * strength for s, other in ranked):
            continue
        rivals = [p for s, p in against[1:] if s > strength - 0.1 and not _same_value(p, pair)]
        if any(p.series != pair.series for p in rivals):
            continue
        yield _tension(change, pair)


def _same_value(a: Pair, b: Pair) -> bool:
    return a.new.amount.value == b.new.amount.value and a.old.amount.value == b.old.amount.value


def _strength(change: Change, pair: Pair, rarity: Rarity) -> float:
    if change.is_points and pair.new.amount.kind != SHARE:
        return 0.0
    if not _times_fit(change, pair):
        return 0.0
    names = (change.measure.names if change.measure else frozenset()) ^ pair.new.names
    if names - {t.plain for t in (*change.own, *change.around, *pair.own, *pair.around)}:
        return 0.0
    near = change.piece is pair.new.piece
    levels = [m for m in change.levels if (m.amount.kind == SHARE) == (pair.new.amount.kind == SHARE)]
    if (
        not near
        and levels
        and not any(
            m.amount.low <= x.amount.high and x.amount.low <= m.amount.high
            for m in levels
            for x in (pair.new, pair.old)
        )
    ):
        return 0.0
    if near:
        between = abs(change.start - pair.new.amount.start)
        if pair.new.amount.start < 0 or _ASIDE.search(
            change.piece.text[change.start : max(change.start, pair.old.amount.start, pair.new.amount.start)]
        ):
            return 0.0
        same = bool(features(change.own) & features(pair.new.own)) or not change.own
        return 1.6 - between / 200 if same else 0.0
    subject = pair.own or pair.around
    if not subject:
        return 0.45 * _gap_is_said(change, pair)
    shared = _overlap(change.own, subject, rarity) + 0.6 * _overlap(change.own, pair.around, rarity)
    alone = sum(
        rarity.of(t.plain) for t in subject if len(t.plain) > 2 and not t.features & features(change.own)
    )
    known = features((*pair.own, *pair.around))
    told = bool(change.own) and all(t.features & known for t in change.own)
    return (
        shared
        + 0.25
        * (told or (pair.is_only and pair.old.status == PAST and bool(_BEFORE.search(change.piece.text))))
        - 0.35 * min(alone, 2.0)
        - (0.25 if not pair.is_only else 0.0)
        + (0.15 if change.piece.slide == pair.new.piece.slide else 0.0)
        + (0.3 if shared > 0.35 and alone < 0.1 else 0.0)
        + 0.4 * _gap_is_said(change, pair)
    )


def _gap_is_said(change: Change, pair: Pair) -> bool:
    """The words name both years of the pair, or the years between them: "in three years", "since 2022"."""
    if pair.gap_years is None:
        return False
    if match := _SPAN.search(change.piece.text):
        return abs((number_in_words(match["n"]) or 1.0) - pair.gap_years) < 0.3
    said = {int(y) for y in re.findall(r"\b(?:19|20)\d\d\b", change.piece.text)}
    return bool(said) and said <= {w.first.year for m in (pair.old, pair.new) for w in m.when if w.first}


def _overlap(a: Sequence[Term], b: Sequence[Term], rarity: Rarity) -> float:
    others = features(b)
    total = 0.0
    for term in a:
        common = term.features & others
        if common:
            total += (1.0 if term.plain in common else 0.75) * max(0.55, max(rarity.of(f) for f in common))
    return total


def _times_fit(change: Change, pair: Pair) -> bool:
    """What the change says of its time is not another stretch than that of the pair."""
    said = [int(y) for p in find_periods(change.piece.text) for y in re.findall(r"\b(?:19|20)\d\d\b", p.text)]
    if said and pair.gap_years is not None and change.piece is not pair.new.piece:
        years = {w.first.year for m in (pair.old, pair.new) for w in m.when if w.first} | {
            w.last.year for m in (pair.old, pair.new) for w in m.when if w.last
        }
        if not set(said) <= years:
            return False
    if pair.gap_years is not None and pair.gap_years > 1.4 and _YEARLY.search(change.piece.text):
        return True
    if pair.gap_years is not None and pair.gap_years > 1.4 and not pair.is_only:
        return bool(said) or bool(_MANY_YEARS.search(change.piece.text))
    return True


def _follows(change: Change, pair: Pair) -> bool:
    old, new = pair.old.amount, pair.new.amount
    if old.value <= 0 or new.value <= 0 or old.low <= 0:
        return True
    if not (pair.old.scale_known and pair.new.scale_known) and pair.old.row != pair.new.row:
        return True
    difference = (new.low - old.high, new.high - old.low)
    factor = (new.low / old.high, new.high / old.low)
    slack = _ROUNDING + 0.04 * abs((factor[0] + factor[1]) / 2 - 1)
    if change.is_points:
        return change.low - 0.5 <= difference[1] and difference[0] <= change.high + 0.5
    if _YEARLY.search(change.piece.text[change.start :]) and pair.gap_years and pair.gap_years > 1.4:
        factor = (factor[0] ** (1 / pair.gap_years), factor[1] ** (1 / pair.gap_years))
    if change.low <= factor[1] + slack and factor[0] - slack <= change.high:
        return True
    if new.kind == SHARE and change.is_factor:
        low, high = 100 * (change.low - 1), 100 * (change.high - 1)
        return low - 0.5 <= difference[1] and difference[0] <= high + 0.5
    # "down 20 %" of what was told the other way round: 25 % more than now
    return False


def _tension(change: Change, pair: Pair) -> Tension:
    old, new = pair.old.amount, pair.new.amount
    if change.is_points:
        really = f"{new.value - old.value:+.3g} points"
    else:
        ratio = new.value / old.value
        really = f"{100 * (ratio - 1):+.0f} %" if ratio < 2.2 else f"a factor of {ratio:.2g}"
    if _YEARLY.search(change.piece.text[change.start :]) and pair.gap_years and pair.gap_years > 1.4:
        really = f"{100 * ((new.value / old.value) ** (1 / pair.gap_years) - 1):+.1f} % a year"
    note = f'"{old.text.strip()}" to "{new.text.strip()}" is {really}, which is not "{change.text.strip()}".'
    level = pair.new if pair.new.piece is pair.old.piece or pair.new.row is not None else pair.old
    return Tension("growth", level.place, change.piece.place, note)
