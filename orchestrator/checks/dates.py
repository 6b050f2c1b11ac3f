"""The same event with two dates, and dates whose day of the week is another's."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from orchestrator.checks.events import LABEL, Event, deck_events, spoken_events
from orchestrator.checks.happenings import Happening, happenings, spoken_happenings
from orchestrator.checks.model import Figure
from orchestrator.checks.moments import apart
from orchestrator.checks.passages import deck_passages, speech_passages
from orchestrator.checks.same_happening import Counts, same
from orchestrator.checks.weekdays import weekday_tensions
from orchestrator.claims.model import Tension
from orchestrator.deck.model import Deck
from orchestrator.speech.model import Segment

_YEARLY: Final = frozenset({"held", "audit", "deadline"})
_EDITION_DAYS: Final = 300  # what is further apart may be next year's


@dataclass(frozen=True, slots=True)
class DeckDates:
    """A deck's dated events, made once, for speech to be held against as it comes."""

    events: tuple[Event, ...]
    happenings: tuple[Happening, ...]
    counts: Counts


def deck_dates(deck: Deck) -> DeckDates:
    """The dated events that `date_tensions_of_segment` compares with."""
    told = happenings(deck)
    return DeckDates(deck_events(deck), told, Counts(told))


def date_tensions(
    deck: Deck,
    figures: Sequence[Figure] = (),
    speech: Sequence[Segment] = (),
    *,
    index: DeckDates | None = None,
) -> Iterator[Tension]:
    """Each event that is given two dates which no single day fits.

    A month lies in its quarter and both in their year. Another phase, version, region or
    edition is another event, and so is one of several ("stores opened"). Where a sentence says
    that a date has moved, the new date counts and the old one is silent; where it says no more
    than that, or where a third date is around, nothing is said. *index* is `deck_dates(deck)`,
    where it has been made.
    """
    index = index or deck_dates(deck)
    yield from weekday_tensions((*deck_passages(deck), *speech_passages(speech)))
    yield from _once(
        [*_by_class(index.events, spoken_events(speech)), *_by_words(index, spoken_happenings(speech))]
    )


def date_tensions_of_segment(index: DeckDates, segment: Segment) -> tuple[Tension, ...]:
    """Where the dates of one piece of speech contradict those of the deck."""
    said, told = spoken_events([segment]), spoken_happenings([segment])
    if not said and not told:
        return ()
    found = [
        *weekday_tensions(speech_passages([segment])),
        *_by_class(index.events, said),
        *_by_words(index, told),
    ]
    return tuple(t for t in _once(found) if segment.start_s in (t.a.said_at_s, t.b.said_at_s))


def _once(found: Sequence[Tension]) -> Iterator[Tension]:
    """Of several about the same two places the first."""
    seen: set[object] = set()
    for one in found:
        if (key := frozenset((one.a, one.b))) not in seen:
            seen.add(key)
            yield one


def _by_words(index: DeckDates, spoken: Sequence[Happening]) -> Iterator[Tension]:
    """Pairs that are alike in kind and thing, in whatever words."""
    found = (*index.happenings, *spoken)
    like = [
        (first, second)
        for at, second in enumerate(found)
        for first in found[:at]
        if first.place != second.place
        and apart(first.moment, second.moment)
        and same(first, second, index.counts)
    ]
    for first, second in like:
        if (
            first.old
            or second.old
            or any(_was(one, (first, second), index.counts) for one in found if one.old)
        ):
            continue
        if not _explained(first, second, found, index.counts):
            yield _tension(first, second)


def _was(old: Happening, pair: tuple[Happening, Happening], counts: Counts) -> bool:
    """One of the two gives the date that is said to hold no longer."""
    return any(
        not apart(old.moment, one.moment) and old.place != one.place and same(old, one, counts)
        for one in pair
    )


def _explained(first: Happening, second: Happening, found: Sequence[Happening], counts: Counts) -> bool:
    """A place beside one of them gives the other's date, or there are three dates: they are told apart."""
    dates: list[Happening] = [first, second]
    for one in found:
        if one is first or one is second or one.old:
            continue
        fits = [same(one, first, counts), same(one, second, counts)]
        if not any(fits):
            continue
        for here, there in ((first, second), (second, first)):
            beside = one.place.slide == there.place.slide and one.place.said_at_s == there.place.said_at_s
            if beside and one.place.slide != here.place.slide and not apart(one.moment, here.moment):
                return True
        if all(apart(one.moment, other.moment) for other in dates):
            dates.append(one)
    return len(dates) > 2


def _by_class(told: Sequence[Event], said: Sequence[Event]) -> Iterator[Tension]:
    """Pairs of one class of event words, with the same words around them."""
    found = (*told, *said)
    pairs: set[tuple[object, object]] = set()
    for index, second in enumerate(found):
        for first in found[:index]:
            pair = (first.place, second.place)
            if pair in pairs or first.place == second.place or not apart(first.moment, second.moment):
                continue
            if _same(first, second) and not _answered(first, second, found):
                pairs.add(pair)
                yield _tension(first, second)
                break


def _same(a: Event, b: Event) -> bool:
    """The two speak of one event: class, object and marks agree, and nothing sets them apart."""
    if a.marks != b.marks or (a.many and not a.words & b.proper) or (b.many and not b.words & a.proper):
        return False
    if a.name in _YEARLY and _years_apart(a, b):
        return False
    if LABEL in (a.name, b.name):
        return a.words == b.words and a.name == b.name
    if a.name != b.name:
        return False
    if a.past and not a.ahead and b.ahead and not b.past:
        return bool(a.proper & b.proper)
    if b.past and not b.ahead and a.ahead and not a.past:
        return bool(a.proper & b.proper)
    small, large = sorted((a, b), key=lambda event: len(event.words))
    if not small.words:
        return not large.proper and (not large.words or a.name in ("break-even", "founding", "ga", "held"))
    if not small.words <= large.words:
        return False
    return bool(small.proper & large.proper) or not ((large.words - small.words) & large.proper)


def _years_apart(a: Event, b: Event) -> bool:
    """Two editions of what comes each year."""
    gap = abs((a.moment.first - b.moment.first).days)
    return not a.moment.yearless and not b.moment.yearless and gap >= _EDITION_DAYS


def _answered(first: Event, second: Event, found: Sequence[Event]) -> bool:
    """One of the places also gives the other's date, or there are three dates: it is told apart somehow."""
    like = [
        event for event in found if event.name == first.name and (_same(event, first) or _same(event, second))
    ]
    for event in like:
        if (
            event.place.slide == second.place.slide
            and event is not second
            and not apart(event.moment, first.moment)
        ) and event.place.slide != first.place.slide:
            return True
    dates: list[Event] = []
    for event in like:
        if all(apart(event.moment, other.moment) for other in dates):
            dates.append(event)
    return len(dates) > 2


def _tension(a: Event | Happening, b: Event | Happening) -> Tension:
    note = f"The same event is dated {a.moment.text} in one place and {b.moment.text} in the other."
    return Tension("date", a.place, b.place, note)
