# ruff: noqa: E501 - a pattern lists its wordings
"""What sets two numbers apart, however alike the words are, and when they cannot both be right."""

from __future__ import annotations

from datetime import date
from typing import Final

from orchestrator.checks.alike_read import Saying
from orchestrator.checks.figures import DeckWords
from orchestrator.checks.model import When
from orchestrator.checks.numbers import BARE, COUNT, MEASURE, MONEY, PERCENT, TIME
from orchestrator.checks.reading.terms import terms_of

_SOFT: Final = frozenset({"average", "median", "adding", "went up", "went down"})
_LARGEST_RATIO: Final = 2.0
_LARGEST_SHARE_RATIO: Final = 3.0
_LARGEST_TIME_RATIO: Final = 1.95
_SMALL: Final = 12
"""Counts up to here are of too many things to be told apart by words alike."""
_SCALES: Final = (1.0, 1e3, 1e6, 1e9)
_TOUCH: Final = 1e-9
_PERSONS: Final = frozenset({"#person"})
_OF_PERSONS: Final = frozenset({"#buyer", "#member", "#visitor", "#pupil", "#patient", "#traveller", "#resident", "#staff", "#tenant",
                                "#subscriber", "#donor", "#person", "#player"})  # fmt: skip


def fits(a: Saying, b: Saying) -> bool:
    """Dimension, unit, base and size allow the two to be one figure."""
    if not _same_dimension(a, b):
        return False
    if a.amount.kind in (COUNT, BARE) and min(abs(a.amount.value), abs(b.amount.value)) < _SMALL:
        return False
    return _of_a_size(a, b) and _same_base(a, b) and a.rates_agree(b)


def _same_dimension(a: Saying, b: Saying) -> bool:
    one, other = a.amount, b.amount
    if one.kind == other.kind:
        if one.kind == MONEY:
            return one.unit == other.unit or None in (one.unit, other.unit)
        if one.kind == MEASURE:
            return _measure(one.unit) == _measure(other.unit)
        if one.kind == COUNT:
            return _like_nouns(a, b)
        return one.kind != BARE or _is_labelled(a, b)
    kinds = {one.kind, other.kind}
    if kinds == {BARE, COUNT}:
        counted, bare = (a, b) if one.kind == COUNT else (b, a)
        heads = _head(counted)
        return any(term.features & heads for term in (*bare.own, *bare.around))
    if kinds == {BARE, MONEY}:
        bare = a if one.kind == BARE else b
        return bare.place.said_at_s is not None and bare.amount.value >= 1000
    return False


def _is_labelled(a: Saying, b: Saying) -> bool:
    return bool(a.own) and bool(b.own)


def _measure(unit: str | None) -> str:
    low = (unit or "").lower().rstrip("s")
    return {
        "tonne": "t",
        "ton": "t",
        "kilometre": "km",
        "hectare": "ha",
        "liter": "litre",
        "kilometer": "km",
    }.get(low, low)


def _head(saying: Saying) -> frozenset[str]:
    words = saying.amount.noun.split()
    found = terms_of(words[-1]) if words else ()
    return found[0].features if found else frozenset()


def _like_nouns(a: Saying, b: Saying) -> bool:
    one, other = _head(a), _head(b)
    if one & other - _PERSONS or (one & other and one == other):
        return not _are_siblings(a, b)
    if "#person" in one:
        return any(term.features & other - _PERSONS for term in a.own)
    if "#person" in other:
        return any(term.features & one - _PERSONS for term in b.own)
    return False


def _are_siblings(a: Saying, b: Saying) -> bool:
    """Company cars and trucks are both vehicles; each side has a word for its own, and no other in common."""
    one, two = ({t.plain for t in terms_of(s.amount.noun)} for s in (a, b))
    if one & two or max(len(s.amount.noun.split()) for s in (a, b)) == 1:
        return False
    others = {term.plain for term in (*a.own, *a.around)} & {term.plain for term in (*b.own, *b.around)}
    return not others


def _of_a_size(a: Saying, b: Saying) -> bool:
    if not (a.scale_known and b.scale_known):
        return True
    low, high = sorted((abs(a.amount.value), abs(bounds(b, a)[2])))
    if low <= 0 or (a.amount.value < 0) != (b.amount.value < 0):
        return False
    limit = {PERCENT: _LARGEST_SHARE_RATIO, TIME: _LARGEST_TIME_RATIO}.get(a.amount.kind, _LARGEST_RATIO)
    return high / low <= limit


def _same_base(a: Saying, b: Saying) -> bool:
    """Per parcel on both sides, or one side speaks of a parcel."""
    if a.amount.kind != MONEY or a.per == b.per:
        return True
    for one, other in ((a, b), (b, a)):
        if one.per and not other.per:
            features = frozenset(f for term in terms_of(one.per) for f in term.features) | {one.per}
            return any(term.features & features or (features & _OF_PERSONS and "#person" in term.features)
                       for term in (*other.own, *other.around))  # fmt: skip
    one_, two_ = (frozenset(f for term in terms_of(s.per) for f in term.features) for s in (a, b))
    return bool(one_ & two_)


def same_figure(a: Saying, b: Saying, words: DeckWords, present: int | None) -> bool:
    """Nothing that is said sets the two apart."""
    if {"median", "average"} <= (a.traits ^ b.traits) and not {"median", "average"} & (a.traits & b.traits):
        return False
    if {"went up", "went down"} <= (a.traits ^ b.traits):
        return False
    if (a.traits - _SOFT) != (b.traits - _SOFT):
        return False
    if a.amount.kind in (COUNT, BARE) and ("adding" in a.traits) != ("adding" in b.traits):
        return False
    if a.names != b.names and not a.names ^ b.names <= _around_names(a) | _around_names(b):
        return False
    if not (_heads(a, b) and _heads(b, a)):
        return False
    if a.amount.kind != PERCENT and is_opposed(a, b):
        return False
    return times_agree(a, b, words, present)


def _heads(a: Saying, b: Saying) -> bool:
    """The label of the one is not wholly foreign to the other: "The Westhill site: …" narrows."""
    features = {feature for term in (*b.own, *b.around) for feature in term.features}
    return all(
        2 * sum(bool(term.features & features) for term in part) > len(part)
        for part in (a.head, *a.parts)
        if part
    )


def _around_names(saying: Saying) -> frozenset[str]:
    return frozenset(term.plain for term in saying.around)


def is_opposed(a: Saying, b: Saying) -> bool:
    """The two name the two sides of one whole."""
    axes = {pole[:-1] for pole in a.poles} & {pole[:-1] for pole in b.poles}
    return any(_side(a, axis) and _side(b, axis) and _side(a, axis) != _side(b, axis) for axis in axes)


def _side(saying: Saying, axis: str) -> str:
    signs = {pole[-1] for pole in saying.poles if pole[:-1] == axis}
    return signs.pop() if len(signs) == 1 else ""


def bounds(saying: Saying, other: Saying) -> tuple[float, float, float]:
    """Least, greatest and written value in the terms of *other*: the rest to 100 % where that is meant."""
    amount = saying.amount
    if amount.kind == PERCENT and is_opposed(saying, other):
        return 100 - amount.high, 100 - amount.low, 100 - amount.value
    return amount.low, amount.high, amount.value


def meets(a: Saying, b: Saying) -> bool:
    """Some value is allowed by both; an average with a fraction leaves a whole number half of one."""
    one = (a.amount.low, a.amount.high)
    low, high, _ = bounds(b, a)
    slack = _TOUCH * max(1.0, abs(a.amount.value))
    if a.amount.kind in (COUNT, BARE) and (a.amount.value % 1 or b.amount.value % 1):
        slack = max(slack, 0.5)
    if a.amount.kind == TIME:
        slack = max(slack, 0.02 * abs(a.amount.value))
    lefts = (1.0,) if a.scale_known else _SCALES
    rights = (1.0,) if b.scale_known else _SCALES
    if a.amount.kind == PERCENT and one[0] <= 100 - low + slack and 100 - high <= one[1] + slack:
        return True  # together they are all: two sides of one whole, whether or not the words are known
    return any(
        one[0] * x <= high * y + slack and low * y <= one[1] * x + slack for x in lefts for y in rights
    )


def shown_apart(a: Saying, b: Saying) -> bool:
    """Both stand side by side, in one table or one line: who wrote them saw both."""
    if a.row is not None and b.row is not None and a.row[:2] == b.row[:2]:
        return True
    return a.place.said_at_s is None and b.place.said_at_s is None and a.slide == b.slide


def could_agree(a: Saying, b: Saying) -> bool:
    """The two are of one row, so that only their times differ."""
    return a.row is not None and a.row == b.row


def times_agree(a: Saying, b: Saying, words: DeckWords, present: int | None) -> bool:
    """The times are one, or one side leaves it open and the other is the present."""
    left, right = [_resolved(w, words) for w in a.fixed], [_resolved(w, words) for w in b.fixed]
    left, right = [w for w in left if not _is_open(w)], [w for w in right if not _is_open(w)]
    if not left or not right:
        flows = a.amount.kind == MONEY
        return all(
            _may_be_now(w, present) and not (flows and w.kind in ("quarter", "half")) for w in (*left, *right)
        )
    return any(_one_time(x, y) for x in left for y in right)


def times_meet(a: Saying, b: Saying, words: DeckWords) -> bool:
    """Both name a time, and it is one."""
    left, right = [_resolved(w, words) for w in a.fixed], [_resolved(w, words) for w in b.fixed]
    return any(_one_time(x, y) for x in left for y in right)


def _resolved(when: When, words: DeckWords) -> When:
    """ "Last year" of a deck that names its year."""
    if when.kind != "relative" or words.year is None:
        return when
    offset = {"last year": -1, "this year": 0}.get(when.words)
    if offset is None:
        return when
    year = words.year + offset
    return When("year", date(year, 1, 1), date(year, 12, 31), str(year))


def _is_open(when: When) -> bool:
    return when.kind == "relative" and not when.words.startswith(
        ("last", "since", "until", "before", "after", "next")
    )


def _may_be_now(when: When, present: int | None) -> bool:
    if when.words.startswith(("next", "until", "before", "since", "after", "previous", "prior")):
        return False
    if when.last is None and when.words in ("last year", "last quarter", "last month"):
        return False
    return when.last is None or present is None or when.last.year >= present


def _one_time(a: When, b: When) -> bool:
    if a.words == b.words:
        return True
    if a.first and a.last and b.first and b.last:
        shorter, longer = sorted((a, b), key=lambda w: (w.last or date.max) - (w.first or date.min))
        inside = (longer.first or date.max) <= (shorter.first or date.min) and (shorter.last or date.max) <= (
            longer.last or date.min
        )
        return inside and {a.kind, b.kind} in (
            {"day", "month"},
            {"day", "year"},
            {"year"},
            {"day"},
            {"month"},
        )
    short, long = sorted((a.words, b.words), key=len)
    return short in long.split() or (long.startswith(short + " ")) or (" " + short) in (" " + long)
