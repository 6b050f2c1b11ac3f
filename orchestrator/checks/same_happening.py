"""Whether two dated sentences speak of one event: the same kind, of the same thing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Final

from orchestrator.checks.happening_words import HELD, MOVED, ONCE, RELATED, YEARLY
from orchestrator.checks.happenings import Happening
from orchestrator.checks.moments import apart
from orchestrator.checks.thing_words import GENERIC_WORDS, RECURRING_WORDS

_ENOUGH: Final = 0.6  # of the smaller thing's words, where both say more than they share
_SEVERAL: Final = 2
_EDITION_DAYS: Final = 300  # what is further apart may be next year's


class Counts:
    """How many dated events of the deck there are of each kind, and how many places use a word."""

    def __init__(self, found: Sequence[Happening]) -> None:
        self.kinds = Counter(one.kind for one in found if not one.old)
        self.words = Counter(word for one in found for word in one.thing.words)


def same(a: Happening, b: Happening, counts: Counts) -> bool:
    """The two are one event, as far as their words can tell."""
    if not _kinds_fit(a, b) or not _times_fit(a, b):
        return False
    if a.aspects != b.aspects and not (a.kind == b.kind and a.thing.marks & b.thing.marks):
        return False
    if a.thing.marks != b.thing.marks or _placed_apart(a, b):
        return False
    return _things_fit(a, b, counts)


def _placed_apart(a: Happening, b: Happening) -> bool:
    """Two labels, or two headings of one slide, that name different things."""
    one, other = a.context, b.context
    if one.label and other.label and not one.label & (other.label | b.thing.words):
        return not other.label & a.thing.words
    same_slide = a.place.slide is not None and a.place.slide == b.place.slide
    return bool(same_slide and one.heading and other.heading and not one.heading & other.heading)


def _kinds_fit(a: Happening, b: Happening) -> bool:
    if MOVED in (a.kind, b.kind) or a.kind == b.kind:
        return True
    if HELD in (a.kind, b.kind) and (not a.words or not b.words):
        return False
    return frozenset((a.kind, b.kind)) in RELATED and a.thing.words == b.thing.words


def _times_fit(a: Happening, b: Happening) -> bool:
    """Not two editions of what comes each year, and not what was beside what will be."""
    if a.moment.yearless or b.moment.yearless:
        return True
    other_year = a.moment.first.year != b.moment.first.year
    gap = abs((a.moment.first - b.moment.first).days)
    if other_year and a.kind in YEARLY and gap >= _EDITION_DAYS:
        return False
    backward = (a.past and not a.ahead) != (b.past and not b.ahead)
    return not (backward and other_year and not a.thing.proper & b.thing.proper)


def _things_fit(a: Happening, b: Happening, counts: Counts) -> bool:
    one, other = a.thing.words, b.thing.words
    marks = a.thing.marks & b.thing.marks
    if not one or not other:
        return _unnamed(a, b, counts)
    shared = (one & other) | (one & b.context.all) | (other & a.context.all)
    own, others = one - other - b.context.all, other - one - a.context.all
    if own & a.thing.proper and others & b.thing.proper:
        return False
    if not (shared - RECURRING_WORDS) and not _number(marks):
        return False
    most = 1 if a.kind in ONCE and a.kind != "begin" else 0
    if not one & other and len(own | others) > most and not _number(marks):
        return False  # only a heading ties them, and each names a thing of its own
    if not own or not others:
        longer = b if not own else a
        return not _told_apart(shared, own | others, longer)
    if _number(marks) and min(len(own), len(others)) <= 1:
        return True
    return len(one & other) >= _SEVERAL and len(one & other) / min(len(one), len(other)) >= _ENOUGH


def _told_apart(shared: frozenset[str], extra: frozenset[str], longer: Happening) -> bool:
    """ "The children's clinic" is not "the clinic": a word more stands right in front of the shared one."""
    return any(root in shared and lead in extra for root, lead in longer.thing.led_by)


def _number(marks: frozenset[str]) -> bool:
    return any(any(c.isdigit() for c in mark) for mark in marks)


def _unnamed(a: Happening, b: Happening, counts: Counts) -> bool:
    """One of them names no thing: it means what its heading names, or the deck's own."""
    bare, named = (a, b) if not a.thing.words else (b, a)
    words = named.thing.words
    if words and words <= bare.context.all and words - RECURRING_WORDS:
        return True
    if _number(a.thing.marks & b.thing.marks) and a.kind == b.kind:
        return not words or bool(a.words & b.words)
    if (bare.context.all - words - named.context.all) - GENERIC_WORDS and bare.place.said_at_s is None:
        return False
    if not words and (named.context.all - bare.context.all) - GENERIC_WORDS and named.place.said_at_s is None:
        return False
    if a.kind not in ONCE or a.kind != b.kind or named.thing.proper or counts.kinds[a.kind] > _SEVERAL:
        return False
    if a.kind == "begin":
        return bool(_roots(a.words) & _roots(b.words))
    return len(words) <= 1


def _roots(words: frozenset[str]) -> frozenset[str]:
    return frozenset(word.split()[0][:6] for word in words)


def contradict(a: Happening, b: Happening) -> bool:
    """No day fits both dates."""
    return apart(a.moment, b.moment)
