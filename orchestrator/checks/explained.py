"""What the sentences of a contradiction say themselves that explains it: a peer, a base, their own change.

The general reading sets numbers of different sentences against each other. Where one of those
sentences says whose its number is, or says itself what follows from it, the other is about
something else.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from orchestrator.checks.reading.model import COUNT, MULTIPLE, POINTS, SHARE, Measure
from orchestrator.checks.reading.terms import Term, terms_of
from orchestrator.checks.vocabulary import OTHERS
from orchestrator.claims.model import Place, Tension

_PEER = re.compile(
    OTHERS
    + r"|^\W*(?:compare|compared (?:to|with)|unlike|(?:by|in) contrast)\s+(?-i:[A-Z])"
    + r"|\bthe (?:sector|industry)\b",
    re.I,
)
_PART_OF_YEAR = re.compile(
    r"\b(?:(?:three|six|nine|3|6|9)[- ]months?|(?:first|second) half|half[- ]year|year[- ]to[- ]date|ytd)\b",
    re.I,
)
_SEVERAL = re.compile(r"\b(?:several|multiple|more than one) answers?\b", re.I)
_CHANGES = re.compile(
    r"\b(?:plus|minus|rise|increase|decrease|growth|drop|decline) of\b|\bgrew\b|\bgrowth\b", re.I
)
_PEERS_SLIDE = re.compile(
    r"\b(?:competit\w+|peers?|others|benchmarks?|industry|surroundings|rivals?)\b", re.I
)
_PAST = re.compile(
    r"\brecord (?:year|high|low)\b|\bfor comparison\b|\b(?:a|one) year (?:earlier|before)\b", re.I
)
_OFFICE = re.compile(r"\b(?:elected|appointed|term of office|mandate)\b", re.I)
_BACK = re.compile(r"^\W*(?:so )?(?:that|this|which) (?:is|was|gives?|gave|makes?|made|means?)\b", re.I)
_QUOTED = re.compile(r'"([^"]+)"')
_TIMES: Final = (1.0, 4.0, 12.0, 52.0, 365.0)
_ROUNDING: Final = 0.03
_BASES: Final = 2
"""With more levels than that beside each other, a change must stand with them to be of two of them."""
_TIME_WORDS: Final = frozenset({"year", "quarter", "month", "week", "day", "half", "period", "time", "end"})
_PERSON: Final = "#person"


def unexplained(found: Iterable[Tension], measures: Sequence[Measure]) -> Iterator[Tension]:
    """Those of *found* that their own sentences do not explain."""
    for tension in found:
        if not _is_explained(tension, measures):
            yield tension


def _is_explained(tension: Tension, measures: Sequence[Measure]) -> bool:
    places = (tension.a, tension.b)
    here, there = (_at(place, measures) for place in places)
    if any(_PEER.search(place.quote) for place in places) or any(
        _PEERS_SLIDE.search(m.piece.title) for m in (*here, *there)
    ):
        return True
    if tension.kind == "growth" and tension.a != tension.b:
        return _has_own_change(here) or not _share_words(here, tension.b)
    if tension.kind == "share" and tension.a != tension.b:
        return _is_other_share(tension, here, there, measures)
    if tension.kind == "sum" and tension.a != tension.b:
        return any(_PAST.search(place.quote) for place in places)
    if tension.kind == "duration" and tension.a != tension.b:
        return any(_OFFICE.search(place.quote) for place in places)
    if tension.kind == "rate" and tension.a == tension.b:
        return _follows_within(tension, here)
    if tension.kind in ("deck-vs-deck", "speech-vs-deck"):
        one, other = (frozenset(m[0].lower() for m in _PART_OF_YEAR.finditer(p.quote)) for p in places)
        return one != other
    return False


def _at(place: Place, measures: Sequence[Measure]) -> list[Measure]:
    return [measure for measure in measures if measure.place == place]


def _has_own_change(pair: Sequence[Measure]) -> bool:
    """The sentence of two levels says itself how much they changed, or gives a third one to compare with."""
    if any(m.amount.kind in (POINTS, MULTIPLE) or m.status == "moved" for m in pair):
        return True
    kinds = [m.amount.kind for m in pair if m.row is None]
    return any(kinds.count(kind) > _BASES for kind in kinds if kind != SHARE)


def _share_words(pair: Sequence[Measure], change: Place) -> bool:
    """A word of the change, besides those for times, is said of the levels, too; cells leave it to tables."""
    if not pair or any(m.row is not None for m in pair):
        return True
    said = _features(t for m in pair for t in (*m.own, *m.around))
    return bool(said & _features(terms_of(change.quote)))


def _features(terms: Iterable[Term]) -> frozenset[str]:
    return frozenset(
        feature
        for term in terms
        if term.plain not in _TIME_WORDS
        for feature in term.features
        if feature != _PERSON
    )


def _is_other_share(
    tension: Tension, one: Sequence[Measure], other: Sequence[Measure], measures: Sequence[Measure]
) -> bool:
    """The share is of something else: the part has a share of its own, or shares no word with it."""
    quoted = _QUOTED.findall(tension.note)
    if len(quoted) != 3:
        return False
    shares = [m for m in (*one, *other) if m.amount.kind == SHARE and _shown(m) == quoted[2]]
    parts = [m for m in (*one, *other) if m.amount.kind != SHARE and _shown(m) == quoted[0]]
    if not shares or not parts:
        return False
    share, part = shares[0], parts[0]
    if _SEVERAL.search(share.piece.text) or _CHANGES.search(share.piece.text):
        return True
    if part.row is None and any(
        m.amount.kind == SHARE and m.place == part.place and m.place != share.place for m in measures
    ):
        return True
    whole = next((m for m in measures if _shown(m) == quoted[1] and m.noun), None)
    if part.row is not None or _BACK.match(share.piece.text):
        return False
    narrowing = _features(t for phrase in (*share.parts, *part.parts) for t in phrase) | _features(part.head)
    base = (whole.noun if whole and whole.amount.kind == COUNT else frozenset()) | part.noun
    predicate = _features(share.own) - narrowing - base
    return bool(predicate) and not predicate & (_features((*part.own, *part.around)) - base)


def _follows_within(tension: Tension, measures: Sequence[Measure]) -> bool:
    """The numbers of the sentence itself make its total."""
    values = [m.amount.value for m in measures if m.amount.value > 0]
    return any(
        abs(a * b * times - c) <= _ROUNDING * c
        for a in values
        for b in values
        for c in values
        for times in _TIMES
        if c > a > b > 1 or c > b > a > 1
    )


def _shown(measure: Measure) -> str:
    return " ".join(measure.amount.text.split())
