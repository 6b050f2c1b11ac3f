# ruff: noqa: E501 - a pattern lists its wordings
"""A length of time that does not follow from the dates where it begins and ends."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Final

from orchestrator.checks.model import When
from orchestrator.checks.reading.fractions import number_in_words
from orchestrator.checks.reading.model import Piece
from orchestrator.checks.reading.subject import features
from orchestrator.checks.reading.terms import Term, terms_of
from orchestrator.checks.when import whens
from orchestrator.claims.calendar import MONTHS
from orchestrator.claims.model import Tension
from orchestrator.claims.periods import find_periods

LEAST: Final = 0.85
_CLOSE: Final = 40  # characters between two dates of which the second may be the end
_SPARE: Final = 0.15  # of a unit: a length is told in whole ones, or in half ones
_BESIDE: Final = 4  # lines
_NO_YEAR: Final = 2001
_BEGINS = re.compile(
    r"\b(?:from|since|start(?:s|ed|ing)?|beg(?:a|i|u)n\w*|founded|first|opens?|opened|ground broken|broke\w* ground|breaking|break|kick\w*|launch\w*|signed|joined|took (?:over|office)|in the chair|established|commenced?|"
    r"appointed|out of service|moved in|set up|born|work starts|closed (?:from|on)|shut|made|manufactured|issued)\b",
    re.I,
)
_ENDS = re.compile(
    r"\b(?:until|till|to|ends?|ended|ending|finish\w*|complet\w*|last|final|handed over|hand\w*|keys|back in service|closes?|expir\w*|runs? out|deliver\w*|done|ready|steps? down|retire\w*|through|reopen\w*|running again|re-open\w*|leaves?|over by|return\w*|again|back|steps down)\b",
    re.I,
)
_LENGTH = re.compile(
    r"(?P<hedge>\b(?:about|around|roughly|nearly|almost|just under|just over|over|more than|under|less than|barely|some|a good|close to|at least|well over|up to)\s+(?:a\s)?)?"
    r"\b(?P<n>\d+(?:\.\d+)?|half a|a|an|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|seventeen|eighteen|nineteen|twenty(?:[- ]\w+)?|thirty(?:[- ]\w+)?|forty|fifty|sixty)[- ](?:and a half[- ])?(?:full |whole |calendar |solid |long |short )?"
    r"(?P<unit>day|week|month|year|decade|centur(?:y|ie))s?\b(?P<half>\s+and a half)?(?!\s+(?:ago|earlier|before that|old|later|an?\s|per\s|each\s|every\s))",
    re.I,
)
_FOR = re.compile(
    r"\b(?:for|lasts?|lasted|takes?|took|runs?|ran|after)\s+(?:about |around |nearly |almost |over |just )*$",
    re.I,
)
_IN_ALL = re.compile(r"\b(?:in all|altogether|in total|all told)\b", re.I)
_FOUNDED = re.compile(
    r"\b(?:founded|established|set up|born|first (?:rehearsal|meeting|match|concert|edition|season)|since|incorporated|began|opened)\b",
    re.I,
)
_JUBILEE = re.compile(
    r"\b(?P<n>\d{1,3})(?:st|nd|rd|th)[- ](?P<what>birthday|anniversary|jubilee|year of existence)\b|\b(?:birthday|anniversary|jubilee|celebrat\w+|existence)\b",
    re.I,
)
_DAYS: Final = {
    "day": 1.0,
    "week": 7.0,
    "month": 30.4375,
    "year": 365.25,
    "decade": 3652.5,
    "century": 36525.0,
    "centurie": 36525.0,
}
_LASTS = re.compile(
    r"\b(?:in all|altogether|lasts?|lasted|long|took|takes?|build|away|in the chair|after|for|over|term|period|project|duration|runs?|closed|closure|shut|from\b.{3,60}\bto|since|celebrat\w*|anniversary|between|phase|programme|course|works?|open|of (?:work|construction|building|service)|jubilee|in total|later)\b",
    re.I,
)
_NOT_BEFORE = re.compile(
    r"\b(?:every|each|per|within|in the|(?:the )?(?:last|past|next|first|other)|these|least|up to|minimum|older than|under|fixed for|paid back in|by)\s+$",
    re.I,
)
_NOT_A_SPAN = re.compile(
    r"\b(?:notice|payback|paid back|warranty|guarantee|minimum|response|old|aged|ago|waiting|lead time|reserve|fixed for|median|average|limit|extended|prolonged|renewed|renewable|authority)\b",
    re.I,
)
_BOUND = re.compile(r"^(?:since|until|till|before|after|from|by|to)\s+", re.I)
_PAYMENTS = re.compile(
    r"\b(?P<n>\d+)\s+(?:equal |fixed |level )?(?P<unit>month|week|quarter|annual|year)(?:ly)?\s+(?:instal\w+|payments?|rates|rents|tranches)\b",
    re.I,
)
_NOW = re.compile(r"\b(?:now|so far|to date|has (?:been|run)|have (?:been|run))\b", re.I)


@dataclass(frozen=True, slots=True, eq=False)
class Dated:
    """A date in its sentence, and what happens then."""

    piece: Piece
    first: date
    last: date
    own: tuple[Term, ...]
    begins: bool
    ends: bool
    has_year: bool


@dataclass(frozen=True, slots=True, eq=False)
class Length:
    """A stretch of time that is told."""

    piece: Piece
    text: str
    low: float
    high: float
    unit: float
    own: tuple[Term, ...]


def dated_of(piece: Piece) -> Iterator[Dated]:
    """The days, months and years of a sentence, in order, each with the words beside it."""
    periods = [p for p in find_periods(piece.text) if p.kind == "calendar"]
    for index, period in enumerate(periods):
        for when in whens(find_periods(_BOUND.sub("", period.text)) or [period]):
            bounds = _bounds(when)
            if bounds is None:
                continue
            left = periods[index - 1].end if index else 0
            right = periods[index + 1].start if index + 1 < len(periods) else len(piece.text)
            clause = (
                piece.text[left : period.start]
                + " "
                + (piece.text[period.end : right] if index + 1 == len(periods) or not index else "")
            )
            words = f"{period.text} {clause} {piece.label}"
            yield Dated(
                piece,
                *bounds,
                terms_of(clause),
                bool(_BEGINS.search(words)) or (index == 0 and len(periods) > 1),
                bool(_ENDS.search(words))
                or (
                    index == 1 and len(periods) == 2 and _is_close(piece.text[periods[0].end : period.start])
                ),
                when.first is not None,
            )


def _is_close(between: str) -> bool:
    return len(between) <= _CLOSE and not re.search(r"[;:]", between)


def _bounds(when: When) -> tuple[date, date] | None:
    """First and last day; those without a year are put into one year of their own."""
    if when.kind not in ("day", "month", "year"):
        return None
    if when.first and when.last:
        return when.first, when.last
    words = when.words.split()
    if not words or words[-1] not in MONTHS:
        return None
    month = MONTHS.index(words[-1]) + 1
    try:
        first = date(_NO_YEAR, month, int(words[0]) if len(words) == 2 else 1)
    except ValueError:
        return None
    return first, first if len(words) == 2 else first + timedelta(days=29)


def lengths_of(piece: Piece) -> Iterator[Length]:
    """The stretches of time that a sentence gives to something."""
    for match in _LENGTH.finditer(piece.text):
        unit = _DAYS[match["unit"].lower()]
        count = 0.5 if match["n"].lower() == "half a" else number_in_words(match["n"])
        if (
            count is None
            or (count < 2 and unit < 300)
            or (
                match["n"].lower() in ("a", "an")
                and unit < 366
                and not _FOR.search(piece.text[: match.start()])
            )
            or _NOT_A_SPAN.search(piece.text[max(0, match.start() - 24) : match.end() + 14])
            or _NOT_BEFORE.search(piece.text[: match.start("n")])
        ):
            continue
        count += 0.5 if match["half"] or "and a half" in match[0] else 0.0
        hedge = (match["hedge"] or "").lower()
        slack = max(0.12 * count if hedge else 0.0, 0.5 if unit < 366 else 0.1 * count)
        low, high = count - slack, count + slack
        if re.match(r"(?:over|more than|at least|well over|a good)", hedge):
            low, high = count - 0.1, count * 1.5
        elif re.match(r"(?:under|less than|just under|nearly|almost|barely|up to)", hedge):
            low, high = count * 0.75, count + 0.1
        yield Length(
            piece,
            match[0],
            low * unit,
            high * unit,
            unit,
            terms_of(piece.text[: match.start()] + " " + piece.text[match.end() :]),
        )

    for match in _PAYMENTS.finditer(piece.text):
        unit = {"month": 30.4375, "week": 7.0, "quarter": 91.3}.get(match["unit"].lower(), 365.25)
        count = int(match["n"])
        yield Length(piece, match[0], (count - 1.1) * unit, (count + 0.1) * unit, unit, terms_of(piece.text))
    for match in _JUBILEE.finditer(piece.text):
        if match["n"]:
            year, own = 365.25, terms_of(piece.text)
            yield Length(
                piece, match[0], (int(match["n"]) - 0.6) * year, (int(match["n"]) + 0.6) * year, year, own
            )


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
            if not any(p.search(length.text) for p in (_PAYMENTS, _JUBILEE)) and not _LASTS.search(
                piece.text
            ):
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
            days = (b.first - a.first).days
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
        _FOUNDED.search(dated.piece.text) and _JUBILEE.search(length.piece.text)
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
    if _FOUNDED.search(a.piece.text) and _JUBILEE.search(length.piece.text):
        return 1.6
    shared = sum(bool(term.features & words) for term in length.own)
    value = 0.45 * min(shared, 3)
    value += 0.5 if a.piece is b.piece else 0.2
    value += 0.25 if length.piece.slide == a.piece.slide else 0.0
    value += 0.5 if length.piece is a.piece or length.piece is b.piece else 0.0
    return value
