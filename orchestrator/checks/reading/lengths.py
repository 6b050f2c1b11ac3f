# ruff: noqa: E501 - a pattern lists its wordings
"""The dates of a sentence, with what begins or ends then, and the lengths of time that it tells."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Final

from orchestrator.checks.model import When
from orchestrator.checks.reading.fractions import number_in_words
from orchestrator.checks.reading.model import Piece
from orchestrator.checks.reading.terms import Term, terms_of
from orchestrator.checks.when import whens
from orchestrator.claims.calendar import MONTHS
from orchestrator.claims.periods import find_periods

JUBILEE: Final = re.compile(
    r"\b(?P<n>\d{1,3})(?:st|nd|rd|th)[- ](?P<what>birthday|anniversary|jubilee|year of existence)\b|\b(?:birthday|anniversary|jubilee|celebrat\w+|existence)\b",
    re.I,
)
PAYMENTS: Final = re.compile(
    r"\b(?P<n>\d+)\s+(?:equal |fixed |level )?(?P<unit>month|week|quarter|annual|year)(?:ly)?\s+(?:instal\w+|payments?|rates|rents|tranches)\b",
    re.I,
)
_CLOSE: Final = 40  # characters between two dates of which the second may be the end
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
_DAYS: Final = {
    "day": 1.0,
    "week": 7.0,
    "month": 30.4375,
    "year": 365.25,
    "decade": 3652.5,
    "century": 36525.0,
    "centurie": 36525.0,
}
_NOT_BEFORE = re.compile(
    r"\b(?:every|each|per|within|in the|(?:the )?(?:last|past|next|first|other)|these|least|up to|minimum|older than|under|fixed for|paid back in|by)\s+$",
    re.I,
)
_CUT = re.compile(r"[,;:]|\band\b|\bbut\b", re.I)
_NOT_A_SPAN = re.compile(
    r"\b(?:notice|payback|paid back|warranty|guarantee|minimum|response|old|aged|ago|waiting|lead time|reserve|fixed for|median|average|limit|extended|prolonged|renewed|renewable|authority|to run|to go|left|remaining|side by side)\b",
    re.I,
)
_BOUND = re.compile(r"^(?:since|until|till|before|after|from|by|to)\s+", re.I)


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


def _beside(text: str, start: int, end: int) -> str:
    """The words of the clause that a length stands in, without the length."""
    left = max((m.end() for m in _CUT.finditer(text, 0, start)), default=0)
    right = min((m.start() for m in _CUT.finditer(text, end)), default=len(text))
    return f"{text[left:start]} {text[end:right]}"


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
            terms_of(_beside(piece.text, match.start(), match.end())),
        )

    for match in PAYMENTS.finditer(piece.text):
        unit = {"month": 30.4375, "week": 7.0, "quarter": 91.3}.get(match["unit"].lower(), 365.25)
        count = int(match["n"])
        yield Length(piece, match[0], (count - 1.1) * unit, (count + 0.1) * unit, unit, terms_of(piece.text))
    for match in JUBILEE.finditer(piece.text):
        if match["n"]:
            year, own = 365.25, terms_of(piece.text)
            yield Length(
                piece, match[0], (int(match["n"]) - 0.6) * year, (int(match["n"]) + 0.6) * year, year, own
            )
