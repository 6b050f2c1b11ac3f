# ruff: noqa: E501 - a sentence for the reader is one line
"""Numbers that are about the same thing, told by how alike the words said of them are.

The lexicon of metrics cannot name what every trade counts, nor every way to say it. Here two
numbers of one dimension are held to be about the same thing when the words around them agree,
with synonyms, the rare words of the deck counting most; when each is the other's best match,
clearly ahead of the next; and when nothing sets them apart: owner, plan, part, time, base,
gross or net, the longest or the median. What then cannot both be right is a tension.
"""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from orchestrator.checks.alike_read import Saying, sayings_of, sayings_of_segment
from orchestrator.checks.alike_rules import (
    could_agree,
    fits,
    is_opposed,
    meets,
    same_figure,
    shown_apart,
    times_meet,
)
from orchestrator.checks.alike_status import ACTUAL
from orchestrator.checks.compare import place_words
from orchestrator.checks.figures import DeckWords
from orchestrator.checks.reading.terms import ORGANISATION_WORDS, Term, poles, strength
from orchestrator.checks.vocabulary import CORRECTION
from orchestrator.claims.model import Tension
from orchestrator.deck.model import Deck
from orchestrator.speech.model import Segment

_AROUND: Final = 0.6
"""How much a word of the title or of the sentence before counts beside one of the clause."""
_BOTH_AROUND: Final = 0.25
_UNMATCHED: Final = 0.35
"""What a word costs that stands nowhere else in the deck: it may be only another way to say it."""
_ORGANISATION: Final = 0.1
"""What such a word as "the city", "our school" costs: it may stand for us."""
_SAME_TIME: Final = 0.12
_SAME_BASE: Final = 0.1
_SHOWN: Final = 0.12
LIKELY: Final = 0.45
"""Likeness from which two numbers are taken to be about the same thing."""
EVIDENCE: Final = 0.8
"""Least weight of the words that both sides share."""
_ALONE: Final = 1.2
"""With fewer words in common than that, nearly all of them must agree."""
_SETTING: Final = 0.4
"""What the same time, or the slide that is shown, adds to the words in common."""
_TURNED: Final = 1.5
"""Words in common, besides those for the two sides of a whole, must name the same whole."""
_ALL: Final = 0.7
_TALK: Final = 9
"""A deck with so many numbers about one thing has reasons for each that words alone do not show."""
_PARALLEL: Final = 2
"""Two lines that differ in so many figures each are of two things: two regions, two quarters."""
_AHEAD: Final = 0.08
_EXCUSES: Final = 0.62
"""A value that agrees needs only this part of the best likeness to explain a number."""
_CORRECTED = re.compile(CORRECTION, re.I)
_NUMBERS: Final = frozenset({"deck-vs-deck", "speech-vs-deck", "chart-vs-text"})
_SAME_WORD: Final = 1.2
"""A word that both sides use tells this much more than two words of one group."""
_MOST: Final = 400
_DENSE: Final = 18
"""With so many numbers of a kind in sentences, what a number is of was often said sentences before."""


@dataclass(frozen=True, slots=True)
class Alike:
    """A deck's numbers with their words, made once for speech to be held against."""

    sayings: tuple[Saying, ...]
    rarity: dict[str, float]  # by feature, 1 for what stands in one place only
    counts: dict[str, int]
    words: DeckWords
    present: int | None = None  # the latest year that the deck has figures for
    crowded: frozenset[str] = frozenset()  # kinds of which sentences give very many


@dataclass(frozen=True, slots=True)
class Match:
    """How alike two sayings are."""

    other: Saying
    likeness: float
    evidence: float
    shared: float = 2.0  # how many words of the clause agree; a synonym counts half
    is_turned: bool = False  # one side says what is left to 100 %


def alike_of(deck: Deck, words: DeckWords) -> Alike:
    """The index of a deck; empty where the deck is not in English."""
    sayings = tuple(sayings_of(deck, words))[:_MOST] if words.english else ()
    return index_sayings(sayings, words)


def index_sayings(sayings: Sequence[Saying], words: DeckWords) -> Alike:
    """The index of *sayings*."""
    lines: dict[tuple[int | None, str], set[str]] = defaultdict(set)
    for saying in sayings:
        for term in (*saying.own, *saying.around):
            lines[saying.place.slide, saying.place.quote] |= term.features
    counts = Counter(feature for features in lines.values() for feature in features)
    total = max(2, len(lines))
    rarity = {feature: math.log(1 + total / count) / math.log(1 + total) for feature, count in counts.items()}
    years = [
        w.last.year
        for s in sayings
        if s.status == ACTUAL
        for w in s.fixed
        if w.last and w.first and w.last.year == w.first.year
    ]
    known = [year for year in years if words.year is None or year <= words.year]
    present = max([*known, *([words.year - 1] if words.year else [])], default=None)
    kinds = Counter(s.amount.kind for s in sayings if s.status == ACTUAL and s.row is None)
    crowded = frozenset(kind for kind, count in kinds.items() if count > _DENSE)
    return Alike(tuple(sayings), rarity, dict(counts), words, present, crowded)


def deck_alike(alike: Alike) -> Iterator[Tension]:
    """Pairs of sayings of the deck that are about one thing and give it two values."""
    actual = [saying for saying in alike.sayings if saying.status == ACTUAL]
    found = {id(saying): _search(saying, alike) for saying in actual}
    pairs = []
    for position, a in enumerate(actual):
        search = found[id(a)]
        if search.best is None:
            continue
        b = search.best.other
        back = found[id(b)]
        if (
            back.best is None
            or not _agrees(back.best.other, a)
            or (search.is_explained and back.is_explained)
        ):
            continue
        pairs.append((back.best.other is not a, position, a, b))
    both = Counter(frozenset((a.place, b.place)) for _, _, a, b in pairs if id(a) < id(b))
    pairs = [pair for pair in pairs if both[frozenset((pair[2].place, pair[3].place))] < _PARALLEL]
    told: list[tuple[Saying, Saying]] = []
    for _, _, a, b in sorted(pairs, key=lambda pair: pair[:2]):
        if not any({id(a), id(b)} & {id(x), id(y)} or (_agrees(a, x) and _agrees(b, y)) or (_agrees(a, y) and _agrees(b, x))
                   for x, y in told):  # fmt: skip
            told.append((a, b))
            first, second = sorted((a, b), key=lambda saying: saying.slide or 0)
            yield _tension(first, second)


def said_of(alike: Alike, segment: Segment) -> tuple[Saying, ...]:
    """What a piece of speech says; nothing where the deck holds no number to set it against."""
    if not alike.sayings:
        return ()
    return tuple(one for one in sayings_of_segment(segment, alike.words) if not _is_taken_back(one))


def _is_taken_back(saying: Saying) -> bool:
    """The speaker corrects it in the same breath: "eight percent, sorry, six"."""
    corrections = [match.start() for match in _CORRECTED.finditer(saying.place.quote)]
    return bool(corrections) and saying.place.quote.find(saying.amount.text) < corrections[-1]


def speech_alike(alike: Alike, spoken: Sequence[Saying]) -> Iterator[Tension]:
    """Numbers said aloud that a number of the deck about the same thing does not allow."""
    for saying in spoken:
        if (
            saying.status == ACTUAL
            and (search := _search(saying, alike)).best is not None
            and not search.is_explained
        ):
            yield _tension(search.best.other, saying)


def unsaid(found: Sequence[Tension], new: Iterable[Tension]) -> list[Tension]:
    """Those of *new* that say nothing of a text that another check has set against a number already."""
    told = {(p.slide, p.said_at_s, p.quote) for t in found if t.kind in _NUMBERS for p in (t.a, t.b)}
    return [t for t in new if not {(p.slide, p.said_at_s, p.quote) for p in (t.a, t.b)} & told]


@dataclass(frozen=True, slots=True)
class _Search:
    """What the deck holds about a saying: what contradicts it, and whether something agrees with it."""

    best: Match | None
    is_explained: bool


def _search(a: Saying, alike: Alike) -> _Search:
    matches, everything = [], []
    for other in alike.sayings:
        if other is a or other.place == a.place or not fits(a, other):
            continue
        match = likeness(a, other, alike)
        everything.append(match)
        if other.status != ACTUAL or (
            a.amount.kind in alike.crowded and not times_meet(a, other, alike.words)
        ):
            continue
        if match.evidence > 0 and same_figure(a, other, alike.words, alike.present):
            matches.append(match)
    like = [m for m in everything if m.likeness >= LIKELY and m.evidence >= EVIDENCE / 2]
    if len(like) > _TALK:
        return _Search(None, False)
    matches.sort(key=lambda match: -match.likeness)
    against = [match for match in matches if not meets(a, match.other)]
    if not against or not _is_enough(against[0]) or shown_apart(a, against[0].other):
        return _Search(None, False)
    same = [
        m for m in against if meets(m.other, against[0].other) and m.likeness >= against[0].likeness - _AHEAD
    ]
    best = min(same, key=lambda match: (not match.other.fixed, _width(match.other)))
    explained = any(
        match.likeness >= _EXCUSES * best.likeness
        and meets(a, match.other)
        and not meets(best.other, match.other)
        for match in matches
    ) or any(meets(a, one) for one in alike.sayings if one.place == best.other.place and not one.own)
    rivals = [
        m for m in against[1:] if not meets(m.other, best.other) and not could_agree(best.other, m.other)
    ]
    if rivals and best.likeness - rivals[0].likeness < _AHEAD:
        return _Search(None, explained)
    return _Search(best, explained)


def _agrees(a: Saying, b: Saying) -> bool:
    return a is b or meets(a, b)


def _width(saying: Saying) -> float:
    return (saying.amount.high - saying.amount.low) / max(abs(saying.amount.value), 1e-9)


def _is_enough(match: Match) -> bool:
    """The more of the words agree, the less they need to be rare."""
    if match.is_turned and match.shared < _TURNED:
        return False
    if match.shared < _ALONE and match.likeness < _ALL:
        return False
    return match.likeness >= LIKELY and match.evidence >= EVIDENCE - 0.9 * (min(match.likeness, 1.0) - LIKELY)


def likeness(a: Saying, b: Saying, alike: Alike) -> Match:
    """How much of what is said of either is said of both, from nought to a little over one."""
    one, all_one = _covered(a, b, alike)
    two, all_two = _covered(b, a, alike)
    around = _BOTH_AROUND * sum(_weight(f, alike) for f in _shared_around(a, b))
    evidence = max(one, two) + min(around, 0.5)
    total, beside = all_one + all_two, 0.0
    value = (one + two) / total if total else 0.0
    if value and a.fixed and b.fixed and times_meet(a, b, alike.words):
        value += _SAME_TIME
        evidence += _SAME_TIME
        beside += _SETTING
    if value and a.per and a.per == b.per:
        value += _SAME_BASE
    if value and "median" in a.traits & b.traits:
        value += _SAME_BASE
    if value and (a.place.said_at_s is None) != (b.place.said_at_s is None) and a.slide == b.slide:
        value += _SHOWN
        evidence += _SHOWN
        beside += _SETTING
    return Match(
        b,
        value + min(around, 0.5) * 0.2,
        evidence,
        max(_shared(a, b), _shared(b, a)) + beside,
        is_opposed(a, b),
    )


def _shared(a: Saying, b: Saying) -> float:
    """How many words of *a* the clause of *b* has, too; those of its title and by a synonym count half."""
    own = {feature for term in b.own for feature in term.features}
    around = {feature for term in b.around for feature in term.features}
    found = 0.0
    for term in a.own:
        if term.features & own:
            found += 1.0 if term.plain in own or term.poles else 0.6
        elif term.features & around:
            found += 0.4
    return found


def _covered(a: Saying, b: Saying, alike: Alike) -> tuple[float, float]:
    own = {feature for term in b.own for feature in term.features}
    around = {feature for term in b.around for feature in term.features}
    covered, total = 0.0, 0.0
    for term in a.own:
        best = _best(term, own, alike)
        best = max(best, _AROUND * _best(term, around, alike))
        known = any(
            alike.counts.get(f, 0) > (0 if a.place.said_at_s is not None else 1) for f in term.features
        )
        whole = _best(term, term.features, alike) if known else 1.0
        covered += best
        missed = _ORGANISATION if term.plain in ORGANISATION_WORDS else whole if known else _UNMATCHED
        total += max(best, missed)
    return covered, total


def _best(term: Term, features: Iterable[str], alike: Alike) -> float:
    """The weight of a term that the other side has, too; a word of a group is as rare as its group."""
    shared = term.features.intersection(features)
    if not shared:
        return 0.0
    groups = [feature for feature in term.features if feature[0] in "#±"]
    if term.plain in shared and groups:
        return min(1.0, _SAME_WORD * max(_weight(feature, alike) for feature in groups))
    return max(_weight(feature, alike) for feature in shared)


def _shared_around(a: Saying, b: Saying) -> frozenset[str]:
    one = {term.plain for term in a.around}
    return (
        frozenset(term.plain for term in b.around if term.plain in one) if a.slide != b.slide else frozenset()
    )


def _weight(feature: str, alike: Alike) -> float:
    return strength(feature) * alike.rarity.get(feature, 1.0)


def _tension(a: Saying, b: Saying) -> Tension:
    spoken = a.place.said_at_s is not None or b.place.said_at_s is not None
    both = _in_common(a, b)
    subject = f' of "{both}"' if both else ""
    turned = ", which leaves the rest to 100%" if _turned(a, b) else ""
    note = (f'The figure{subject} is "{_shown(a)}" {place_words(a.place)} and "{_shown(b)}" {place_words(b.place)}{turned}: '
            "only one can be right.")  # fmt: skip
    return Tension("speech-vs-deck" if spoken else "deck-vs-deck", a.place, b.place, note)


def _turned(a: Saying, b: Saying) -> bool:
    return (
        could_agree(a, a)
        and bool({p[:-1] for p in poles(a.own)} & {p[:-1] for p in poles(b.own)})
        and a.poles != b.poles
        and a.amount.unit == "%"
    )


def _in_common(a: Saying, b: Saying) -> str:
    features: set[str] = {f for term in b.own for f in term.features}
    common: Iterable[Term] = (term for term in a.own if term.features & features)
    words = [term.plain for term in common]
    found = [
        word
        for word in re.findall(r"[A-Za-z-]+", a.place.quote)
        if any(word.lower().startswith(w.split()[0]) for w in words)
    ]
    return " ".join(found[:4])


def _shown(saying: Saying) -> str:
    return " ".join(saying.amount.text.split())
