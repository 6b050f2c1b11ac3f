"""Which claim of the deck a finding bears on, and whether it speaks for or against it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from orchestrator.claims.language import reads_as_english
from orchestrator.claims.model import Claim
from orchestrator.claims.quantities import find_quantities, measure
from orchestrator.claims.sentences import sentences
from orchestrator.deck.model import Deck
from orchestrator.intel.model import NEUTRAL, Intel, IntelItem, Reported
from orchestrator.intel.prose import date_in
from orchestrator.intel.stance import Stance, stance_of
from orchestrator.intel.told import Ours, ours_of, without_speaker
from orchestrator.intel.vocabulary import Vocabulary, stems, vocabulary_of

_BEARS: Final = 1.9
"""Shared weight from which a finding bears on a claim: two rare words, or a name."""
_OF_SLIDE: Final = 0.5
"""What a word of the rest of the slide counts beside one of the claim itself."""
_OF_METRIC: Final = 1.0
"""Both measure in one unit, and share the word for what they measure."""
_OF_RIVAL: Final = 0.8
"""The finding is about a competitor, and the claim ranks or compares."""
_OF_STANCE: Final = 2.0
_RIVAL = re.compile(
    r"\b(?:competit\w+|rivals?|other (?:suppliers?|vendors?|providers?|companies))\b", re.IGNORECASE
)
_MOST_TOPIC_WORDS: Final = 6


Units = frozenset[str | None]
"""The units that a finding measures in."""


@dataclass(frozen=True, slots=True)
class _Bearing:
    """A claim that a finding bears on."""

    claim: Claim
    weight: float
    stance: Stance
    sentence: str


@dataclass(frozen=True, slots=True)
class _Beside:
    """The deck, read once, beside which every finding is held."""

    claims: Mapping[str, Claim]
    words: Vocabulary
    ours: Ours
    of_claims: Mapping[str, frozenset[str]]
    of_slides: Mapping[int, frozenset[str]]


def intel_of(
    reported: Sequence[Reported],
    deck: Deck,
    claims: Sequence[Claim],
    *,
    before: Intel | None = None,
) -> Intel:
    """The next revision: what is known already, and what *reported* adds to it.

    A file that is given again by the same name takes the place of what it said before.
    Paragraphs without a number, a date or a word of the deck are left out and counted.
    """
    files = {item.file for item in reported}
    revision = before.revision + 1 if before is not None else 1
    kept = [item for item in before.items if item.file not in files] if before is not None else []
    beside = _beside(deck, claims)
    found: list[IntelItem] = []
    left_out = 0
    for item in reported:
        if _says_something(item, beside.words):
            found += _items(item, beside, revision)
        else:
            left_out += 1
    since = {(item.file, item.finding): item.revision for item in before.items} if before is not None else {}
    numbered = (
        replace(item, id=f"i{number}", revision=since.get((item.file, item.finding), item.revision))
        for number, item in enumerate([*kept, *found], start=1)
    )
    return Intel(tuple(numbered), revision, left_out)


def _beside(deck: Deck, claims: Sequence[Claim]) -> _Beside:
    return _Beside(
        claims={claim.id: claim for claim in claims},
        words=vocabulary_of(deck),
        ours=ours_of(deck, claims),
        of_claims={claim.id: stems(" ".join([claim.text, *_subjects(claim)])) for claim in claims},
        of_slides={slide.number: stems(" ".join([slide.title, *slide.lines])) for slide in deck.slides},
    )


def _subjects(claim: Claim) -> list[str]:
    return [quantity.subject for quantity in claim.quantities if quantity.subject]


def _says_something(item: Reported, words: Vocabulary) -> bool:
    """What an item of a list says is always kept where it names its place: somebody chose it."""
    text = item.finding
    if item.claim or item.slide or item.stance or date_in(text):
        return True
    return bool(measure(text, english=reads_as_english(text))) or words.touches(text)


def _items(item: Reported, beside: _Beside, revision: int) -> list[IntelItem]:
    """One item; one for each sentence where several of them speak for or against different claims."""
    if item.claim is not None and item.claim in beside.claims:
        claim = beside.claims[item.claim]
        own = stance_of(item.finding, claim, beside.ours, topic=item.topic)
        return [_item(item, item.finding, _Bearing(claim, 0.0, own, item.finding), revision)]
    claims = [claim for claim in beside.claims.values() if item.slide in (None, claim.slide)]
    parts = [item.finding[start:end] for start, end in sentences(item.finding)] or [item.finding]
    bearings = [best for part in parts if (best := _best(part, item.topic, claims, beside))]
    telling = {one.claim.id: one for one in reversed(bearings) if one.stance.stance != NEUTRAL}
    if len(telling) > 1:
        ordered = [one for one in bearings if telling.get(one.claim.id) is one]
        return [_item(item, one.sentence, one, revision) for one in ordered]
    chosen = next(iter(telling.values()), None) or max(bearings, key=lambda one: one.weight, default=None)
    return [_item(item, item.finding, chosen, revision)]


def _best(sentence: str, topic: str, claims: Sequence[Claim], beside: _Beside) -> _Bearing | None:
    """The claim that the sentence bears on most, if on any."""
    said = without_speaker(sentence)
    units = frozenset(quantity.unit for quantity in find_quantities(said))
    found = []
    for claim in claims:
        stance = stance_of(sentence, claim, beside.ours, topic=topic)
        weight = _weight(said, topic, units, claim, beside) + _OF_STANCE * (stance.stance != NEUTRAL)
        if weight >= _BEARS:
            found.append(_Bearing(claim, weight, stance, sentence))
    return max(found, key=lambda bearing: bearing.weight, default=None)


def _weight(said: str, topic: str, units: Units, claim: Claim, beside: _Beside) -> float:
    """How much the words of a finding share with a claim; 0 where they share none with its slide."""
    own = beside.of_claims[claim.id]
    around = beside.of_slides.get(claim.slide or 0, frozenset()) - own
    weight = sum(beside.words.shared(said, own).values())
    ranks = _RIVAL.search(said) is not None and not {"superlative", "comparison"}.isdisjoint(claim.kinds)
    if not weight and not ranks:
        return 0.0
    weight += _OF_SLIDE * sum(beside.words.shared(said, around).values())
    weight += _OF_SLIDE * sum(beside.words.shared(topic, own - stems(said)).values())
    weight += _OF_RIVAL * ranks
    return weight + _OF_METRIC * _shares_metric(said, units, claim)


def _shares_metric(said: str, units: Units, claim: Claim) -> bool:
    words = stems(said)
    return any(one.unit in units and bool(words & stems(one.subject or "")) for one in claim.quantities)


def _item(item: Reported, finding: str, bearing: _Bearing | None, revision: int) -> IntelItem:
    stance = bearing.stance if bearing is not None else Stance()
    if item.stance is not None:
        stance = Stance(item.stance, "as the file says")
    claim = bearing.claim if bearing is not None else None
    return IntelItem(
        id="",
        finding=finding,
        topic=item.topic or _topic(finding),
        source=item.source,
        date=item.date,
        stance=stance.stance,
        why=stance.why,
        claim=claim.id if claim is not None else None,
        slide=claim.slide if claim is not None else None,
        quote=claim.text if claim is not None else None,
        file=item.file,
        revision=revision,
    )


def _topic(finding: str) -> str:
    """What the first number is about, else the first words."""
    subject = next((q.subject for q in find_quantities(finding) if q.subject), None)
    return subject or " ".join(finding.split()[:_MOST_TOPIC_WORDS]).rstrip(".,;:")
