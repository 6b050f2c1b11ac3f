"""Places, how often they are offered, and what share is taken: seats × performances × filled."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from orchestrator.checks.calendar_words import calendar_of
from orchestrator.checks.dimensions import COUNT, SHARE
from orchestrator.checks.roots import roots
from orchestrator.checks.said import Said
from orchestrator.claims.model import Tension

_PLACES = roots("seats places beds rooms berths pitches cabins chairs spots cots stalls")
_NIGHTLY = roots("beds rooms berths pitches cabins")
_OCCASIONS = roots("performances shows concerts matches games departures flights screenings sessions "
                   "crossings sailings trips classes courses lessons evenings tours")  # fmt: skip
_TAKEN = re.compile(
    r"\b(?:fill\w*|occup\w+|sold|taken|load factor|utili[sz]ation|full|booked|let|capacity|attendance)\b",
    re.IGNORECASE,
)
_FILL = re.compile(r"\b(?:fill(?:ed|s|ing)|occupancy|occupied|load factor|utili[sz]ation)\b", re.IGNORECASE)
_SOLD = re.compile(
    r"\b(?:tickets?|visitors?|spectators?|passengers?|attendances?|(?:room|bed|berth|pitch|cabin)[- "
    r"]?(?:nights?|days?)|"
    r"seats sold|admissions?|audience|nights? sold)\b",
    re.IGNORECASE,
)
_NIGHTS = re.compile(
    r"\b(?:room|bed|berth|pitch|cabin)s?[- ]?(?:nights?|days?)\b|\bnights? sold\b", re.IGNORECASE
)
_UNLIKE: Final = re.compile(
    r"\b(?:free|online|per|programme|season tickets?|subscri\w+|tours?)\b", re.IGNORECASE
)
_SLACK: Final = 0.04
_FARTHEST: Final = 3.0


@dataclass(frozen=True, slots=True)
class _House:
    places: Said
    times: tuple[float, float]
    how_often: str


def capacity_tensions(slides: Sequence[tuple[str, Sequence[str], Sequence[Said]]]) -> Iterator[Tension]:
    """More or fewer taken places than the places, the occasions and the share filled give.

    Args:
        slides: Title, lines and quantities of each slide. The places are said once in the deck.
    """
    said = [one for _, _, found in slides for one in found]
    houses = _houses(slides, said)
    fills = [s for s in said if s.what == SHARE and s.usable and _is_fill(s)]
    if len(houses) != 1 or not fills:
        return
    house = houses[0]
    overall = [f for f in fills if f.mean] or fills
    sold = [s for s in said if _is_sold(s, nightly=bool(house.places.nouns & _NIGHTLY))]
    if len({s.value for s in sold}) != 1 or len({f.value for f in overall}) != 1:
        return
    full = (house.places.low * house.times[0], house.places.high * house.times[1])
    total, fill = sold[0], overall[0]
    if any(_agree(full, one, total) for one in fills):
        return
    middle = (full[0] + full[1]) / 2 * fill.value / 100
    if 1 / _FARTHEST < middle / total.value < _FARTHEST:
        note = (
            f"{house.places.amount.text} places × {house.how_often} × {fill.amount.text} is about "
            f"{middle:,.0f}, not {total.amount.text}."
        )
        yield Tension("rate", fill.passage.place, total.passage.place, note)


def _houses(
    slides: Sequence[tuple[str, Sequence[str], Sequence[Said]]], said: Sequence[Said]
) -> list[_House]:
    places = [
        s for s in said if s.what == COUNT and s.head in _PLACES and s.usable and not s.per and s.value > 1
    ]
    if len({s.value for s in places}) != 1:
        return []
    occasions = [
        s for s in said if s.what == COUNT and s.usable and not s.per
        and ((s.head in _OCCASIONS if s.head else bool(s.nouns & _OCCASIONS))
             or (s.head == "time" and s.passage.slide == places[0].passage.slide))
    ]  # fmt: skip
    if len({s.value for s in occasions}) == 1:
        return [_House(places[0], (occasions[0].low, occasions[0].high), f"{occasions[0].amount.text} times")]
    every_day = any(calendar_of((title, *lines)).days == (7.0, 7.0) for title, lines, _ in slides)
    if not occasions and every_day and places[0].nouns & _NIGHTLY:
        return [_House(places[0], (365, 366), "365 nights")]
    return []


def _is_fill(said: Said) -> bool:
    """ "Occupancy: 70 %", "four seats out of five were filled"; not "breakfast taken by 81 % of guests"."""
    text = said.passage.text
    named = bool((roots(text) | roots(said.amount.text)) & _PLACES)
    return bool(_FILL.search(text)) or (named and bool(_TAKEN.search(text)))


def _is_sold(said: Said, *, nightly: bool) -> bool:
    text = said.passage.text
    if said.what != COUNT or not said.usable or said.per or said.value < 50 or _UNLIKE.search(text):
        return False
    start, end = max(0, said.amount.start - 40), said.amount.end + 30
    return bool((_NIGHTS if nightly else _SOLD).search(text[start:end]))


def _agree(full: tuple[float, float], fill: Said, total: Said) -> bool:
    low, high = full[0] * fill.low / 100, full[1] * fill.high / 100
    return low * (1 - _SLACK) <= total.high and total.low <= high * (1 + _SLACK)
