# ruff: noqa: E501 - a pattern lists its wordings
"""A length of time that does not follow from the dates where it begins and ends."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from datetime import date, timedelta
from typing import Final

from orchestrator.checks.reading.lengths import JUBILEE, PAYMENTS, Dated, Length, dated_of, lengths_of
from orchestrator.checks.reading.model import Piece
from orchestrator.checks.reading.subject import features
from orchestrator.checks.reading.terms import terms_of
from orchestrator.claims.model import Tension

LEAST: Final = 0.85
_SPARE: Final = 0.15  # of a unit: a length is told in whole ones, or in half ones
_BESIDE: Final = 4  # lines
_IN_ALL = re.compile(r"\b(?:in all|altogether|in total|all told)\b", re.I)
_FOUNDED = re.compile(
    r"\b(?:founded|established|set up|born|first (?:rehearsal|meeting|match|concert|edition|season)|since|incorporated|began|opened)\b",
    re.I,
)
_LASTS = re.compile(
    r"\b(?:in all|altogether|lasts?|lasted|long|took|takes?|build|away|in the chair|after|for|over|term|period|project|duration|runs?|closed|closure|shut|from\b.{3,60}\bto|since|celebrat\w*|anniversary|between|phase|programme|course|works?|open|of (?:work|construction|building|service)|jubilee|in total|later)\b",
    re.I,
)
_NOW = re.compile(r"\b(?:now|so far|to date|has (?:been|run)|have (?:been|run))\b", re.I)


def span_tensions(pieces: Sequence[Piece], new: Sequence[Piece] = ()) -> Iterator[Tension]:
    """Lengths that no two dates allow and one pair of dates contradicts.

    Args:
        new: Pieces of speech, whose lengths are held against the dates of *pieces*.
    """
    dates: dict[int | None, list[Dated]] = defaultdict(list)
    for piece in pieces:
        for one in dated_of(piece):
            dates[piece.slide].append(one)
    pairs = [
        (a, b)
        for slide in dates.values()
        for i, a in enumerate(slide)
        for b in slide[i + 1 :]
        if a.begins
        and b.ends
        and a.has_year == b.has_year
        and a.first < b.first
        and b.piece.order - a.piece.order <= 4
    ]
    dated = [d for slide in dates.values() for d in slide if d.has_year]
    everything = [(a, b) for slide in dates.values() for i, a in enumerate(slide) for b in slide[i + 1 :]]
    told = [length for piece in (*pieces, *new) for length in lengths_of(piece)]
    pairs = [(a, b) for a, b in pairs if not any(_fits(length, a, b) for length in told)]
    for piece in new or pieces:
        for length in lengths_of(piece):
            if not any(p.search(length.text) for p in (PAYMENTS, JUBILEE)) and not _LASTS.search(piece.text):
                continue
            if any(_fits(length, a, b) and _is_near(length, a, b) for a, b in everything) or any(
                _fits(length, a, b) for a, b in pairs
            ):
                continue
            mine = [d for d in dated_of(piece) if d.has_year]
            across = [
                (a, b) for b in mine for a in dated if a.begins and a.first < b.first and a.piece is not piece
            ]
            across += [
                (a, b)
                for a in mine
                for b in dated
                if b.ends and a.first < b.first and b.piece is not piece and a.begins
            ]
            if (
                _NOW.search(piece.text)
                and pieces
                and (front := [d for d in dated if d.piece.slide == pieces[0].slide])
            ):
                latest = max(front, key=lambda d: d.last)
                across += [
                    (a, latest)
                    for a in dated
                    if a.begins and a.first < latest.first and a.piece is not latest.piece
                ]
            if any(_fits(length, a, b) for a, b in across):
                continue
            ranked = [(_strength(length, a, b), a, b) for a, b in pairs if _is_of(length, a, b)]
            if len(pairs) == 1 and ranked:  # nothing else that it could be the length of
                ranked = [(ranked[0][0] + 0.5, *pairs[0])]
            ranked += [
                (_strength(length, a, b) - 0.35 + 0.45 * _is_titled(length, other), a, b)
                for a, b in across
                if _shares(length, other := a if b.piece is piece or b in mine else b)
                or _is_titled(length, other)
            ]
            ranked.sort(key=lambda row: -row[0])
            if not ranked or ranked[0][0] < LEAST:
                continue
            _, a, b = ranked[0]
            days = ((b.first if b.first == b.last else b.last) - a.first).days
            if not 0.2 < days / ((length.low + length.high) / 2) < 5:
                continue
            note = f'{_day(a, a.first)} to {_day(b, b.last)} is about {_told(days, length.unit)}, not "{length.text.strip()}".'
            end = a if b.piece is piece else b
            yield Tension("duration", end.piece.place, piece.place, note)


def _is_near(length: Length, a: Dated, b: Dated) -> bool:
    """The two dates stand on the slide of the length, or have a word in common with it."""
    return length.piece.slide in (None, a.piece.slide) or _shares(length, a) or _shares(length, b)


def _is_of(length: Length, a: Dated, b: Dated) -> bool:
    """Something besides the deck ties the length to the two dates."""
    if a.piece is b.piece and (a.last - a.first).days < 32 and _IN_ALL.search(length.piece.text):
        return True
    return any(d.piece is length.piece or _shares(length, d) for d in (a, b)) or (
        length.piece.slide == a.piece.slide and abs(length.piece.order - b.piece.order) <= _BESIDE
    )


def _is_titled(length: Length, dated: Dated) -> bool:
    """What the slide of the one is headed, the other names: "Contract" above, "contract expires" there."""
    words = features(terms_of(dated.piece.text))
    return length.piece.origin != "title" and any(t.features & words for t in terms_of(length.piece.title))


def _shares(length: Length, dated: Dated) -> bool:
    words = features((*dated.own, *terms_of(dated.piece.text), *terms_of(dated.piece.title)))
    return any(t.features & words for t in length.own) or bool(
        _FOUNDED.search(dated.piece.text) and JUBILEE.search(length.piece.text)
    )


def _day(dated: Dated, day: date) -> str:
    return f"{day:%B %Y}" if dated.has_year else f"{day.day} {day:%B}"


def _told(days: float, unit: float) -> str:
    name = {1.0: "days", 7.0: "weeks", 30.4375: "months", 365.25: "years"}.get(unit, "years")
    return f"{days / (unit if unit <= 366 else 365.25):.0f} {name}"


def _fits(length: Length, a: Dated, b: Dated) -> bool:
    early, late = sorted((a, b), key=lambda d: d.first)
    shortest = (late.first - early.last) / timedelta(days=1)
    longest = (late.last - early.first) / timedelta(days=1) + 1
    spare = _SPARE * min(length.unit, 366.0) + 0.03 * longest
    return length.low - spare <= longest and shortest <= length.high + spare


def _strength(length: Length, a: Dated, b: Dated) -> float:
    words = features(
        (*a.own, *b.own, *terms_of(a.piece.title), *terms_of(a.piece.text), *terms_of(b.piece.text))
    )
    if _FOUNDED.search(a.piece.text) and JUBILEE.search(length.piece.text):
        return 1.6
    shared = sum(bool(term.features & words) for term in length.own)
    value = 0.45 * min(shared, 3)
    value += 0.5 if a.piece is b.piece else 0.2
    value += 0.25 if length.piece.slide == a.piece.slide else 0.0
    value += 0.5 if length.piece is a.piece or length.piece is b.piece else 0.0
    return value
